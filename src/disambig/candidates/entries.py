"""Ragged rows of labels, flattened: every entry as (row, code of its label)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates.classes import listed
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, IntArray

__all__ = ["COLLECTIONS", "Entries", "entries_of"]

COLLECTIONS = (set, frozenset, list, tuple, np.ndarray)


@dataclass(frozen=True)
class Entries:
    """Entry e says: row ``rows[e]`` holds the label ``distinct[codes[e]]``.

    Attributes
    ----------
    n_rows : int
        Number of rows, ``n``; rows without an entry count.
    rows, codes : (m,)
        Row and label of each of the m entries, rows in order.
    distinct : list
        The labels, each once.
    dtype : numpy.dtype or None
        Where the labels come from a plain array, its dtype.
    """

    n_rows: int
    rows: IntArray
    codes: IntArray
    distinct: list[Any]
    dtype: np.dtype[Any] | None = None

    def sizes(self) -> IntArray:
        """Entries per row, ``(n,)``."""
        return np.bincount(self.rows, minlength=self.n_rows)

    def rows_where(self, entries: BoolArray) -> BoolArray:
        """Rows, ``(n,)``, that hold one of the flagged entries, ``(m,)``."""
        found = np.zeros(self.n_rows, dtype=np.bool_)
        found[self.rows[entries]] = True
        return found

    def first_label(self, entries: BoolArray) -> Any:
        """The label of the first flagged entry, for messages."""
        return self.distinct[self.codes[np.argmax(entries)]]

    def repeated(self) -> BoolArray:
        """Entries, ``(m,)``, whose label occurs earlier in their row."""
        keys = self.rows * len(self.distinct) + self.codes
        repeated = np.ones(len(keys), dtype=np.bool_)
        repeated[np.unique(keys, return_index=True)[1]] = False
        return repeated

    def restricted(self, kept: BoolArray) -> "Entries":
        """The entries whose label is `kept`, a flag per distinct label."""
        of_entry = kept[self.codes]
        renumbered = np.cumsum(kept) - 1
        labels = [label for label, keep in zip(self.distinct, kept, strict=True) if keep]
        return Entries(
            self.n_rows, self.rows[of_entry], renumbered[self.codes[of_entry]], labels, self.dtype
        )


def entries_of(rows: AnyArray | list[Any]) -> Entries:
    """Flatten rows that are labels or collections of labels; text is one label.

    Examples
    --------
    >>> entries = entries_of([{"cat"}, "dog", ["cat", "dog"]])
    >>> entries.rows.tolist(), entries.codes.tolist(), entries.distinct
    ([0, 1, 2, 2], [0, 1, 0, 1], ['cat', 'dog'])
    """
    if isinstance(rows, np.ndarray):
        values, codes = np.unique(rows, return_inverse=True)
        return Entries(len(rows), np.arange(len(rows)), codes, listed(values), rows.dtype)
    flat: list[Any] = []
    sizes: list[int] = []
    for row in rows:
        if isinstance(row, COLLECTIONS):
            labels: Iterable[Any] = (
                np.atleast_1d(row).tolist() if isinstance(row, np.ndarray) else row
            )
            before = len(flat)
            flat.extend(labels)
            sizes.append(len(flat) - before)
        else:
            flat.append(row)
            sizes.append(1)
    owners = np.repeat(np.arange(len(rows)), sizes)
    try:
        distinct = list(dict.fromkeys(flat))
    except TypeError as error:
        raise _unhashable(flat, owners) from error
    lookup = {label: code for code, label in enumerate(distinct)}
    codes = np.fromiter(map(lookup.__getitem__, flat), dtype=np.intp, count=len(flat))
    return Entries(len(rows), owners, codes, distinct)


def _unhashable(flat: list[Any], owners: IntArray) -> CandidateError:
    for row, label in zip(owners, flat, strict=True):
        try:
            hash(label)
        except TypeError:
            return CandidateError(
                f"LabelSets: row {row} holds {label!r}, a {type(label).__name__}. A row is one "
                f"label or a set, list or tuple of labels; labels are numbers or strings. "
                f"For weights over candidates use LabelSets.from_weights."
            )
    raise AssertionError("called without an unhashable label")
