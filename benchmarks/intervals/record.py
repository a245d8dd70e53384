"""Stored outcomes: a line of JSON for each data set, fold and method."""

import hashlib
import json
from pathlib import Path

from benchmarks.intervals.method import Method
from benchmarks.intervals.selection import Outcome
from benchmarks.kept_outcomes import KeptOutcomes

__all__ = ["RECORD", "Record"]

RECORD = Path(__file__).resolve().parents[1] / ".cache" / "interval_regression.jsonl"

# Increase it when results change although no setting does: scaling, inner folds, a solver.
_PROTOCOL = 1


class Record:
    """Stored outcomes, by data set, fold, and the name and settings of the method."""

    def __init__(self, path: Path = RECORD) -> None:
        self._kept = KeptOutcomes(path, Outcome)

    def get(self, data: str, fold: int, method: Method) -> Outcome | None:
        return self._kept.get(_key(data, fold, method))

    def add(self, data: str, fold: int, method: Method, outcome: Outcome) -> None:
        self._kept.add(_key(data, fold, method), outcome)

    def forget(self, method: Method) -> None:
        """Ignore the stored outcomes of `method`; new ones will replace them."""
        self._kept.forget(f"|{_key('', 0, method).split('|', 2)[2]}")


def _key(data: str, fold: int, method: Method) -> str:
    choices = json.dumps([_PROTOCOL, *method.settings], sort_keys=True)
    return f"{data}|{fold}|{method.name}|{hashlib.sha256(choices.encode()).hexdigest()[:12]}"
