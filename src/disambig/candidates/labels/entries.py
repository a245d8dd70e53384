"""Rows of labels in flat form, and the checks of their values.

A row holds one label or a collection of labels. `Entries` lists all of them as pairs (row, code of
the label), so that checks look at each distinct label once. `admit` separates labels from markers
of unlabeled rows and raises at values that are no labels.
"""

import math
import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from disambig.candidates.labels.classes import is_nested, listed
from disambig.candidates.reading import Markers, is_missing, row_error
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, IntArray

COLLECTIONS = (set, frozenset, list, tuple, np.ndarray)
_BOOLS = (bool, np.bool_)


@dataclass(frozen=True)
class Entries:
    """Labels of n rows: entry e says that row ``rows[e]`` holds ``distinct[codes[e]]``.

    Attributes
    ----------
    n_rows : int
        Number of rows, ``n``; rows without an entry count.
    rows, codes : (m,)
        Row and label of each of the m entries, sorted by row.
    distinct : list
        The labels, each once.
    dtype : numpy.dtype or None
        The dtype of the array from which the labels come; None if they come from a list.
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
        """Entries, ``(m,)``, whose label occurrences earlier in their row."""
        keys = self.rows * len(self.distinct) + self.codes
        repeated = np.ones(len(keys), dtype=np.bool_)
        repeated[np.unique(keys, return_index=True)[1]] = False
        return repeated

    def restricted(self, kept: BoolArray) -> "Entries":
        """The entries whose label is kept; `kept` has a flag per distinct label."""
        of_entry = kept[self.codes]
        renumbered = np.cumsum(kept) - 1
        labels = [label for label, keep in zip(self.distinct, kept, strict=True) if keep]
        return Entries(
            self.n_rows, self.rows[of_entry], renumbered[self.codes[of_entry]], labels, self.dtype
        )

    def merged(self) -> "Entries":
        """The same entries with labels that are equal, such as True and 1, as one label."""
        place: dict[Any, int] = {}
        codes = [place.setdefault(label, len(place)) for label in self.distinct]
        if len(place) == len(codes):
            return self
        merged = np.array(codes, dtype=np.intp)[self.codes]
        return Entries(self.n_rows, self.rows, merged, list(place), self.dtype)


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
    # True equals 1, but one of them may be a marker: they are kept apart until `admit` has looked.
    mixed = _mixes_bools(flat)
    keys = [(isinstance(label, _BOOLS), label) for label in flat] if mixed else flat
    try:
        distinct = list(dict.fromkeys(keys))
    except TypeError as error:
        raise _unhashable(flat, owners) from error
    lookup = {label: code for code, label in enumerate(distinct)}
    codes = np.fromiter(map(lookup.__getitem__, keys), dtype=np.intp, count=len(flat))
    return Entries(len(rows), owners, codes, [key[1] for key in distinct] if mixed else distinct)


def _mixes_bools(labels: list[Any]) -> bool:
    """Whether both truth values and numbers are among the labels."""
    types = set(map(type, labels))
    bools = {type_ for type_ in types if issubclass(type_, _BOOLS)}
    return bool(bools) and any(issubclass(type_, numbers.Number) for type_ in types - bools)


def _unhashable(flat: list[Any], owners: IntArray) -> CandidateError:
    """The error for the first label that cannot be hashed."""
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


class _EntryKind(IntEnum):
    """What the value of an entry is; all but LABEL and MARKER are errors."""

    LABEL = 0
    MARKER = 1
    MISSING = 2
    INFINITE = 3
    NESTED = 4


def _entry_kind(label: Any, markers: Markers) -> _EntryKind:
    if is_nested(label):
        return _EntryKind.NESTED
    if markers.matches(label):
        return _EntryKind.MARKER
    if is_missing(label):
        return _EntryKind.MISSING
    if isinstance(label, (float, np.floating)) and math.isinf(label):
        return _EntryKind.INFINITE
    return _EntryKind.LABEL


def admit(entries: Entries, markers: Markers) -> tuple[Entries, BoolArray]:
    """The entries that are labels, and the rows, ``(n,)``, that hold a marker.

    Raises if a value is no label (missing, infinite, a collection inside a collection), or if a row
    holds a marker beside other labels.
    """
    kinds = np.array([_entry_kind(label, markers) for label in entries.distinct], dtype=np.intp)
    of_entry = kinds[entries.codes]
    for kind in (_EntryKind.MISSING, _EntryKind.INFINITE, _EntryKind.NESTED):
        if (of_entry == kind).any():
            raise _entry_error(entries, of_entry == kind, kind)
    marked = entries.rows_where(of_entry == _EntryKind.MARKER)
    mixed = marked & (entries.sizes() > 1)
    if mixed.any():
        raise row_error(
            mixed,
            f"holds the marker unlabeled={markers.given!r} beside other labels",
            "Give the marker alone for a row that may be any class, or leave it out.",
        )
    return entries.restricted(kinds == _EntryKind.LABEL).merged(), marked


def _entry_error(entries: Entries, invalid: BoolArray, kind: _EntryKind) -> CandidateError:
    """The error for the `invalid` entries, ``(m,)``, which are all of one kind."""
    rows = entries.rows_where(invalid)
    label = entries.first_label(invalid)
    if kind is _EntryKind.NESTED:
        return row_error(
            rows,
            f"holds {label!r}, a collection, where a label is expected",
            "A row is one label or one flat set, list or tuple of labels.",
        )
    if kind is _EntryKind.INFINITE:
        return row_error(
            rows, f"holds {label!r}: Input y contains infinity", "Labels must be finite."
        )
    alone = entries.sizes()[np.argmax(rows)] == 1
    return row_error(
        rows,
        f"holds {label!r}, a missing value: Input y contains NaN",
        "Pass unlabeled=float('nan'), in a list beside other markers, if such a row may be any "
        "class."
        if alone
        else "Leave the missing value out of the set.",
    )


def refuse_continuous(entries: Entries) -> None:
    """Raise if labels are numbers with a fraction: these are targets of a regression."""
    fractional = np.array(
        [
            isinstance(label, complex)
            or (isinstance(label, (float, np.floating)) and not float(label).is_integer())
            for label in entries.distinct
        ],
        dtype=np.bool_,
    )[entries.codes]
    if fractional.any():
        raise row_error(
            entries.rows_where(fractional),
            f"holds the continuous value {entries.first_label(fractional)!r}. "
            "Unknown label type: continuous",
            "Name such values in classes= if they are classes; for soft weights over candidates "
            "use LabelSets.from_weights; for real targets use a regressor.",
        )
