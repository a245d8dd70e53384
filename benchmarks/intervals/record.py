"""What has been run is kept, a line of JSON for each data set, fold and method."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from benchmarks.intervals.method import Method
from benchmarks.intervals.selection import Outcome

__all__ = ["RECORD", "Record"]

RECORD = Path(__file__).resolve().parents[1] / ".cache" / "interval_regression.jsonl"

# To be raised when results change though no setting does: scaling, inner folds, a solver.
_PROTOCOL = 1


class Record:
    """An outcome is found again as long as the method has the settings it was found with.

    Lines are only ever added, each in one write, so that an interrupted run loses the outcome that
    it was at and no other.
    """

    def __init__(self, path: Path = RECORD) -> None:
        self.path = path
        self._known: dict[str, Outcome] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                self._take(line)

    def get(self, data: str, fold: int, method: Method) -> Outcome | None:
        return self._known.get(_key(data, fold, method))

    def add(self, data: str, fold: int, method: Method, outcome: Outcome) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        key = _key(data, fold, method)
        line = json.dumps({"key": key, **asdict(outcome)})
        with self.path.open("a", encoding="utf-8") as file:
            # In front as well: a line that was cut off must not swallow this one.
            file.write(f"\n{line}\n")
        self._known[key] = outcome

    def forget(self, method: Method) -> None:
        """Run `method` anew; what it finds replaces what was found."""
        part = _key("", 0, method).split("|", 2)[2]
        self._known = {key: o for key, o in self._known.items() if not key.endswith(f"|{part}")}

    def _take(self, line: str) -> None:
        try:
            found = json.loads(line)
        except json.JSONDecodeError:
            return
        key = found.pop("key")
        self._known[key] = Outcome(**found)


def _key(data: str, fold: int, method: Method) -> str:
    choices = json.dumps([_PROTOCOL, *method.settings], sort_keys=True)
    return f"{data}|{fold}|{method.name}|{hashlib.sha256(choices.encode()).hexdigest()[:12]}"
