"""Outcomes of benchmarks in a file: a line of JSON with a key for each."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Generic, TypeVar

__all__ = ["KeptOutcomes"]

Outcome = TypeVar("Outcome")


class KeptOutcomes(Generic[Outcome]):
    """Outcomes (instances of a dataclass) by key; of two with the same key the later one counts.

    Lines are appended, each in one write. An interrupted run therefore loses only the outcome that
    it was computing, and several processes may write at once.
    """

    def __init__(self, path: Path, kind: Callable[..., Outcome]) -> None:
        self.path = path
        self._kind = kind
        self._known: dict[str, Outcome] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._read_line(line)

    def get(self, key: str) -> Outcome | None:
        return self._known.get(key)

    def add(self, key: str, outcome: Outcome) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        values: Any = outcome
        line = json.dumps({"key": key, **asdict(values)})
        with self.path.open("a", encoding="utf-8") as file:
            # A line break in front as well, in case the last line of the file is incomplete.
            file.write(f"\n{line}\n")
        self._known[key] = outcome

    def forget(self, ending: str) -> None:
        """Ignore outcomes whose key has this ending; new ones will replace them in the file."""
        self._known = {key: o for key, o in self._known.items() if not key.endswith(ending)}

    def _read_line(self, line: str) -> None:
        try:
            found = json.loads(line)
        except json.JSONDecodeError:
            return
        key = found.pop("key")
        self._known[key] = self._kind(**found)
