"""Sets written as text: ``"cat|dog"``."""

from typing import Any

import numpy as np

from disambig.candidates.classes import listed
from disambig.candidates.containers import rows_of
from disambig.candidates.entries import entries_of
from disambig.candidates.faults import row_fault
from disambig.candidates.label_parsing import sets_from_entries
from disambig.candidates.missing import is_missing, matches_marker
from disambig.candidates.set_table import SetTable
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray

__all__ = ["parse_strings", "split_rows"]


def parse_strings(
    y: Any, separator: str = "|", classes: Any = None, unlabeled: Any = None
) -> SetTable:
    """Read one text per row, its pieces the candidates."""
    rows = rows_of(y)
    rows = listed(rows) if isinstance(rows, np.ndarray) else rows
    other = np.array(
        [
            not (isinstance(row, str) or is_missing(row) or matches_marker(unlabeled, row))
            for row in rows
        ]
    )
    if other.any():
        row = rows[int(np.argmax(other))]
        raise row_fault(
            other,
            f"holds {row!r}, a {type(row).__name__}, where text is expected",
            "Write labels as text, or use LabelSets.from_sets.",
        )
    return sets_from_entries(entries_of(split_rows(rows, separator, unlabeled)), classes, unlabeled)


def split_rows(rows: AnyArray | list[Any], separator: Any, unlabeled: Any) -> list[Any]:
    """Rows whose text is split at the separator, blanks stripped; other rows as they are.

    Examples
    --------
    >>> split_rows(["cat | dog", "cow", 3], "|", None)
    [('cat', 'dog'), ('cow',), 3]
    """
    if not isinstance(separator, str) or not separator:
        raise CandidateError(
            f"LabelSets: separator must be a text of at least one character; got {separator!r}."
        )
    if isinstance(rows, np.ndarray):
        rows = listed(rows)

    def pieces(row: Any) -> Any:
        if not isinstance(row, str) or matches_marker(unlabeled, row):
            return row
        return tuple(piece.strip() for piece in row.split(separator))

    split = [pieces(row) for row in rows]
    blank = np.array([isinstance(row, tuple) and "" in row for row in split])
    if blank.any():
        raise row_fault(
            blank,
            f"holds {rows[int(np.argmax(blank))]!r}, which has an empty piece",
            f"Write a label on each side of every {separator!r}; mark rows that may be any class "
            f"by unlabeled=.",
        )
    return split
