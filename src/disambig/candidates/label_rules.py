"""Which values may stand as labels in a row, and which rows are left unlabelled."""

import math
from enum import IntEnum
from typing import Any

import numpy as np

from disambig.candidates.classes import is_nested
from disambig.candidates.entries import Entries
from disambig.candidates.faults import row_fault
from disambig.candidates.missing import is_missing, matches_marker
from disambig.exceptions import CandidateError
from disambig.notation import BoolArray

__all__ = ["admit", "refuse_continuous"]


class _Kind(IntEnum):
    LABEL = 0
    MARKER = 1
    MISSING = 2
    INFINITE = 3
    NESTED = 4


def _kind(label: Any, unlabeled: Any) -> _Kind:
    if is_nested(label):
        return _Kind.NESTED
    if matches_marker(unlabeled, label):
        return _Kind.MARKER
    if is_missing(label):
        return _Kind.MISSING
    if isinstance(label, (float, np.floating)) and math.isinf(label):
        return _Kind.INFINITE
    return _Kind.LABEL


def admit(entries: Entries, unlabeled: Any) -> tuple[Entries, BoolArray]:
    """The entries that are labels, and the rows, ``(n,)``, that the marker leaves unlabelled.

    Raises where a value is no label: missing, infinite, a collection inside a collection, or the
    marker beside other labels.
    """
    kinds = np.array([_kind(label, unlabeled) for label in entries.distinct], dtype=np.intp)
    of_entry = kinds[entries.codes]
    for kind in (_Kind.MISSING, _Kind.INFINITE, _Kind.NESTED):
        if (of_entry == kind).any():
            raise _refusal(entries, of_entry == kind, kind)
    marked = entries.rows_where(of_entry == _Kind.MARKER)
    crowded = marked & (entries.sizes() > 1)
    if crowded.any():
        raise row_fault(
            crowded,
            f"holds the marker unlabeled={unlabeled!r} beside other labels",
            "Give the marker alone for a row that may be any class, or leave it out.",
        )
    return entries.restricted(kinds == _Kind.LABEL), marked


def _refusal(entries: Entries, faulty: BoolArray, kind: _Kind) -> CandidateError:
    rows = entries.rows_where(faulty)
    label = entries.first_label(faulty)
    if kind is _Kind.NESTED:
        return row_fault(
            rows,
            f"holds {label!r}, a collection, where a label is expected",
            "A row is one label or one flat set, list or tuple of labels.",
        )
    if kind is _Kind.INFINITE:
        return row_fault(
            rows, f"holds {label!r}: Input y contains infinity", "Labels must be finite."
        )
    alone = entries.sizes()[np.argmax(rows)] == 1
    return row_fault(
        rows,
        f"holds {label!r}, a missing value: Input y contains NaN",
        "Pass unlabeled=float('nan') if such a row may be any class."
        if alone
        else "Leave the missing value out of the set.",
    )


def refuse_continuous(entries: Entries) -> None:
    """Raise if labels are real numbers with a fraction, which no classifier can have meant."""
    fractional = np.array(
        [
            isinstance(label, complex)
            or (isinstance(label, (float, np.floating)) and not float(label).is_integer())
            for label in entries.distinct
        ],
        dtype=np.bool_,
    )[entries.codes]
    if fractional.any():
        raise row_fault(
            entries.rows_where(fractional),
            f"holds the continuous value {entries.first_label(fractional)!r}. "
            "Unknown label type: continuous",
            "Name such values in classes= if they are classes; for soft weights over candidates "
            "use LabelSets.from_weights; for real targets use a regressor.",
        )
