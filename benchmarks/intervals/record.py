"""What has been run is kept, a line of JSON for each data set, fold and method."""

import hashlib
import json
from pathlib import Path

from benchmarks.intervals.method import Method
from benchmarks.intervals.selection import Outcome
from benchmarks.kept_outcomes import KeptOutcomes

__all__ = ["RECORD", "Record"]

RECORD = Path(__file__).resolve().parents[1] / ".cache" / "interval_regression.jsonl"

# To be raised when results change though no setting does: scaling, inner folds, a solver.
_PROTOCOL = 1


class Record:
    """An outcome is found again as long as the method has the settings it was found with."""

    def __init__(self, path: Path = RECORD) -> None:
        self._kept = KeptOutcomes(path, Outcome)

    def get(self, data: str, fold: int, method: Method) -> Outcome | None:
        return self._kept.get(_key(data, fold, method))

    def add(self, data: str, fold: int, method: Method, outcome: Outcome) -> None:
        self._kept.add(_key(data, fold, method), outcome)

    def forget(self, method: Method) -> None:
        """Run `method` anew; what it finds replaces what was found."""
        self._kept.forget(f"|{_key('', 0, method).split('|', 2)[2]}")


def _key(data: str, fold: int, method: Method) -> str:
    choices = json.dumps([_PROTOCOL, *method.settings], sort_keys=True)
    return f"{data}|{fold}|{method.name}|{hashlib.sha256(choices.encode()).hexdigest()[:12]}"
