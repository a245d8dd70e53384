"""Sets told by what they exclude: "not class 1"."""

from typing import Any

import numpy as np

from disambig.candidates.classes import checked_classes, listed
from disambig.candidates.containers import rows_of
from disambig.candidates.entries import entries_of
from disambig.candidates.faults import row_fault
from disambig.candidates.label_parsing import membership
from disambig.candidates.label_rules import admit
from disambig.candidates.label_strings import split_rows
from disambig.candidates.missing import check_marker
from disambig.candidates.set_table import SetTable

__all__ = ["parse_negatives"]


def parse_negatives(
    y: Any, classes: Any, unlabeled: Any = None, separator: str | None = None
) -> SetTable:
    """Read one label or set of labels per row, which the row is *not*."""
    vector = checked_classes(classes)
    check_marker(unlabeled, listed(vector))
    rows = rows_of(y)
    if separator is not None:
        rows = split_rows(rows, separator, unlabeled)
    excluded, _ = admit(entries_of(rows), unlabeled)
    mask = ~membership(excluded, vector)
    none_left = ~np.asarray(mask.any(axis=1))
    if none_left.any():
        raise row_fault(
            none_left,
            "excludes every class and has no candidate",
            "Leave at least one class; exclude nothing for an unlabelled row.",
        )
    return SetTable(mask, vector)
