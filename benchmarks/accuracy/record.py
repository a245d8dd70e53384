"""Stored outcomes: a line of JSON for each problem, split and method."""

import hashlib
import json
from pathlib import Path

from benchmarks.accuracy.method import Method
from benchmarks.accuracy.selection import Outcome
from benchmarks.kept_outcomes import KeptOutcomes

__all__ = ["RECORD", "Record"]

RECORD = Path(__file__).resolve().parents[1] / ".cache" / "accuracy.jsonl"

# Increase it when results change although no setting does: splits, scaling, steps of a baseline.
_PROTOCOL = 1


class Record:
    """Stored outcomes, by problem, split, and the name, version and settings of the method."""

    def __init__(self, path: Path = RECORD) -> None:
        self._kept = KeptOutcomes(path, Outcome)

    def get(self, problem: str, split: int, method: Method) -> Outcome | None:
        return self._kept.get(_key(problem, split, method))

    def add(self, problem: str, split: int, method: Method, outcome: Outcome) -> None:
        self._kept.add(_key(problem, split, method), outcome)

    def forget(self, method: Method) -> None:
        """Ignore the stored outcomes of `method`; new ones will replace them."""
        self._kept.forget(f"|{_key('', 0, method).split('|', 2)[2]}")


def _key(problem: str, split: int, method: Method) -> str:
    choices = json.dumps([_PROTOCOL, method.version, *method.settings], sort_keys=True)
    return f"{problem}|{split}|{method.name}|{hashlib.sha256(choices.encode()).hexdigest()[:12]}"
