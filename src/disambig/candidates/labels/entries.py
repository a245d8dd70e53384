"""Ragged rows of labels, flattened: every entry as (row, code of its label).

Which values may stand as labels in a row, and which rows are left unlabelled.

Labels that look like sets written as text.
"""

import math
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from disambig.candidates.labels.classes import is_nested, listed
from disambig.candidates.reading import is_missing, matches_marker, row_error
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, IntArray

COLLECTIONS = (set, frozenset, list, tuple, np.ndarray)
SEPARATORS = ("|", ";", ",")


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
        raise row_error(
            crowded,
            f"holds the marker unlabeled={unlabeled!r} beside other labels",
            "Give the marker alone for a row that may be any class, or leave it out.",
        )
    return entries.restricted(kinds == _Kind.LABEL), marked


def _refusal(entries: Entries, faulty: BoolArray, kind: _Kind) -> CandidateError:
    rows = entries.rows_where(faulty)
    label = entries.first_label(faulty)
    if kind is _Kind.NESTED:
        return row_error(
            rows,
            f"holds {label!r}, a collection, where a label is expected",
            "A row is one label or one flat set, list or tuple of labels.",
        )
    if kind is _Kind.INFINITE:
        return row_error(
            rows, f"holds {label!r}: Input y contains infinity", "Labels must be finite."
        )
    alone = entries.sizes()[np.argmax(rows)] == 1
    return row_error(
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
        raise row_error(
            entries.rows_where(fractional),
            f"holds the continuous value {entries.first_label(fractional)!r}. "
            "Unknown label type: continuous",
            "Name such values in classes= if they are classes; for soft weights over candidates "
            "use LabelSets.from_weights; for real targets use a regressor.",
        )


def joined_label(labels: Iterable[Any]) -> tuple[str, str] | None:
    """A label whose pieces all occur elsewhere, and the separator between them; or None.

    Examples
    --------
    >>> joined_label(["cat", "dog", "cat|dog"])
    ('cat|dog', '|')
    >>> joined_label(["Paris, France", "Lyon, France"]) is None
    True
    """
    texts = [label for label in labels if isinstance(label, str)]
    for separator in SEPARATORS:
        split = {
            text: {piece.strip() for piece in text.split(separator)}
            for text in texts
            if separator in text
        }
        if not split:
            continue
        occurs = Counter(piece for pieces in split.values() for piece in pieces)
        occurs.update(text for text in texts if text not in split)
        for text, pieces in split.items():
            if len(pieces) > 1 and all(occurs[piece] > 1 for piece in pieces):
                return text, separator
    return None


def warn_of_joined_labels(labels: Iterable[Any]) -> None:
    """Warn if a label is most likely a set that nobody split."""
    found = joined_label(labels)
    if found is not None:
        text, separator = found
        warnings.warn(
            f"The label {text!r} is read as one class, though its pieces occur as labels too. If "
            f"it is a set, use LabelSets.from_strings(y, separator={separator!r}); if it is a "
            "class, name the classes by classes=.",
            UserWarning,
            stacklevel=5,
        )
