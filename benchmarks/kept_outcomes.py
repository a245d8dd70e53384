"""What has been run is kept: a line of JSON for each outcome, under a key of its own."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Generic, TypeVar

__all__ = ["KeptOutcomes"]

Outcome = TypeVar("Outcome")


class KeptOutcomes(Generic[Outcome]):
    """Outcomes (a dataclass) by key; of two with one key the later counts.

    Lines are only ever added, each in one write, so that an interrupted run loses the outcome that
    it was at and no other, and several processes may write at once.
    """

    def __init__(self, path: Path, kind: Callable[..., Outcome]) -> None:
        self.path = path
        self._kind = kind
        self._known: dict[str, Outcome] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._take(line)

    def get(self, key: str) -> Outcome | None:
        return self._known.get(key)

    def add(self, key: str, outcome: Outcome) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        values: Any = outcome
        line = json.dumps({"key": key, **asdict(values)})
        with self.path.open("a", encoding="utf-8") as file:
            # In front as well: a line that was cut off must not swallow this one.
            file.write(f"\n{line}\n")
        self._known[key] = outcome

    def forget(self, ending: str) -> None:
        """Whatever has a key with this ending; the file keeps it until something replaces it."""
        self._known = {key: o for key, o in self._known.items() if not key.endswith(ending)}

    def _take(self, line: str) -> None:
        try:
            found = json.loads(line)
        except json.JSONDecodeError:
            return
        key = found.pop("key")
        self._known[key] = self._kind(**found)
