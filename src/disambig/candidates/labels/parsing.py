"""Parse label sets: rows of labels, of sets, of text ``"cat|dog"``, of excluded labels.

Every notation becomes `Entries`, and `sets_from_entries` turns these into a mask over the classes.
`parse_any` chooses the notation by the form of `y`; tables go to `parse_table`.
"""

import numbers
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning

from disambig.candidates.labels.classes import (
    checked_classes,
    class_vector,
    listed,
    named_classes,
    positions,
    preview,
    sorted_labels,
)
from disambig.candidates.labels.entries import (
    COLLECTIONS,
    Entries,
    admit,
    entries_of,
    refuse_continuous,
)
from disambig.candidates.labels.tables import SetTable, parse_table
from disambig.candidates.look_alikes import warn_of_look_alikes
from disambig.candidates.reading import (
    Markers,
    is_missing,
    is_table,
    only_column,
    refuse_empty_rows,
    row_error,
    rows_of,
    table_of,
)
from disambig.exceptions import CandidateError, warn
from disambig.notation import AnyArray, BoolArray


def parse_any(y: Any, classes: Any = None, unlabeled: Any = None) -> SetTable:
    """Read `y` by its form; `LabelSets.from_any` documents the rules."""
    markers = Markers.of(unlabeled, "LabelSets")
    if is_table(y):
        table, names = table_of(y)
        if table.shape[1] > 1:
            return parse_table(table, names, classes, markers, "either")
        y = _flattened(y)
    rows = rows_of(y)
    entries = entries_of(rows)
    if isinstance(rows, list) and _looks_like_table(rows, entries, markers):
        raise CandidateError(
            "LabelSets: a list of equally long rows of numbers between 0 and 1 may be a mask or "
            "sets. Pass np.asarray(y) for a mask or weights with one column per class; for sets "
            "of the labels 0 and 1 write {0, 1} or use LabelSets.from_sets."
        )
    return sets_from_entries(entries, classes, markers)


def parse_labels(y: Any, classes: Any = None, unlabeled: Any = None) -> SetTable:
    """Read one label per row."""
    rows = rows_of(_flattened(y) if is_table(y) else y)
    if isinstance(rows, list):
        collections = np.array([isinstance(row, COLLECTIONS) for row in rows])
        if collections.any():
            raise row_error(
                collections,
                f"holds {rows[int(np.argmax(collections))]!r} where one label is expected",
                "For sets of candidates use LabelSets.from_sets.",
            )
    return sets_from_entries(entries_of(rows), classes, Markers.of(unlabeled, "LabelSets"))


def parse_sets(y: Any, classes: Any = None, unlabeled: Any = None) -> SetTable:
    """Read one set of labels per row; a single label is a set of one."""
    markers = Markers.of(unlabeled, "LabelSets")
    return sets_from_entries(entries_of(rows_of(y)), classes, markers)


def _flattened(y: Any) -> Any:
    """The only column of a table, with scikit-learn's warning; raises if there are several."""
    shape = table_of(y)[0].shape
    if shape[1] != 1:
        raise CandidateError(
            f"LabelSets: expected one label per row; got a table of shape {shape}. "
            f"For a mask use LabelSets.from_mask, for rows of labels LabelSets.from_sets."
        )
    warn(
        "A column-vector y was passed when a 1d array was expected: its column is read as one "
        "label per row. Pass y.ravel(), or the column itself.",
        DataConversionWarning,
    )
    return only_column(y)


def _looks_like_table(rows: list[Any], entries: Entries, markers: Markers) -> bool:
    """Whether these sets could also be a mask or weights written as nested lists."""
    length = 0
    for row, size in zip(rows, entries.sizes().tolist(), strict=True):
        if isinstance(row, (list, tuple, np.ndarray)):
            length = length or size
            if size < 2 or size != length:
                return False
        elif isinstance(row, COLLECTIONS) or not markers.matches(row):
            return False
    return length > 0 and all(
        _is_share(label) for label in entries.distinct if not markers.matches(label)
    )


def _is_share(label: Any) -> bool:
    """Whether a label is a number from 0 to 1; it may be larger than any float."""
    value: Any = label
    return isinstance(label, (numbers.Real, np.bool_)) and bool(0 <= value <= 1)


def sets_from_entries(
    entries: Entries, classes: Any, markers: Markers, split: bool = False
) -> SetTable:
    """Sets over the named classes, or else over the sorted labels that occur.

    Warns of labels that look alike, unless the classes are named. `split` says that the labels are
    parts of texts, whose separator the user knows.
    """
    vector = named_classes(classes, markers)
    labels, is_unlabeled = admit(entries, markers)
    refuse_empty_rows(entries.sizes() == 0)
    if vector is None:
        if is_unlabeled.all():
            raise CandidateError(
                "LabelSets: every row is unlabeled, so that the classes are unknown. "
                "Name them by classes=."
            )
        refuse_continuous(labels)
        ordered = sorted_labels(labels.distinct)
        single = not split and labels.sizes().max() <= 1
        warn_of_look_alikes(ordered, plain=bool(single))
        vector = class_vector(ordered, labels.dtype)
    mask = membership(labels, vector)
    mask[is_unlabeled] = True
    return SetTable(mask, vector)


def membership(entries: Entries, classes: AnyArray) -> BoolArray:
    """``mask[j, k]``: row j holds ``classes[k]``, ``(n, K)``.

    Raises at a label that is not among the classes, and at one that a row repeats.
    """
    place = positions(classes)
    column = np.array([place.get(label, -1) for label in entries.distinct], dtype=np.intp)
    columns = column[entries.codes]
    unknown = columns < 0
    if unknown.any():
        raise row_error(
            entries.rows_where(unknown),
            f"holds {entries.first_label(unknown)!r}, which is not among the classes "
            f"{preview(listed(classes))}",
            "Correct the label or add it to classes; rows that may be any class are marked "
            "by unlabeled=.",
        )
    mask = np.zeros((entries.n_rows, len(classes)), dtype=np.bool_)
    mask[entries.rows, columns] = True
    repeated = mask.sum(axis=1) != entries.sizes()
    if repeated.any():
        raise row_error(
            repeated,
            "repeats a label",
            "Name every candidate once; a mask of 0 and 1 goes to LabelSets.from_mask.",
        )
    return mask


def parse_strings(
    y: Any, separator: str = "|", classes: Any = None, unlabeled: Any = None
) -> SetTable:
    """Read one text per row; its parts are the candidates."""
    markers = Markers.of(unlabeled, "LabelSets")
    rows = rows_of(y)
    rows = listed(rows) if isinstance(rows, np.ndarray) else rows
    other = np.array(
        [not (isinstance(row, str) or is_missing(row) or markers.matches(row)) for row in rows]
    )
    if other.any():
        row = rows[int(np.argmax(other))]
        raise row_error(
            other,
            f"holds {row!r}, a {type(row).__name__}, where text is expected",
            "Write labels as text, or use LabelSets.from_sets.",
        )
    entries = entries_of(split_rows(rows, separator, markers))
    return sets_from_entries(entries, classes, markers, split=True)


def split_rows(rows: AnyArray | list[Any], separator: Any, markers: Markers) -> list[Any]:
    """Rows with texts split at the separator and blanks stripped; other rows are unchanged.

    Examples
    --------
    >>> split_rows(["cat | dog", "cow", 3], "|", Markers())
    [('cat', 'dog'), ('cow',), 3]
    """
    if not isinstance(separator, str) or not separator:
        raise CandidateError(
            f"LabelSets: separator must be a text of at least one character; got {separator!r}."
        )
    if isinstance(rows, np.ndarray):
        rows = listed(rows)

    marks = bool(markers.values)

    def split_row(row: Any) -> Any:
        if not isinstance(row, str):
            return row
        if marks:
            text = row.strip()
            if markers.matches(text):
                return text
            if text != row and markers.matches(row):
                return row
        return tuple(part.strip() for part in row.split(separator))

    split = [split_row(row) for row in rows]
    blank = np.array([isinstance(row, tuple) and "" in row for row in split])
    if blank.any():
        raise row_error(
            blank,
            f"holds {rows[int(np.argmax(blank))]!r}, which has an empty part",
            f"Write a label on each side of every {separator!r}; name what marks rows that may be "
            "any class, such as unlabeled=''.",
        )
    return split


def parse_negatives(
    y: Any, classes: Any, unlabeled: Any = None, separator: str | None = None
) -> SetTable:
    """Read one label or set of labels per row that the row does *not* have."""
    markers = Markers.of(unlabeled, "LabelSets")
    vector = checked_classes(classes)
    markers.refuse_among(listed(vector), "LabelSets")
    rows = rows_of(y)
    if separator is not None:
        rows = split_rows(rows, separator, markers)
    excluded, _ = admit(entries_of(rows), markers)
    mask = ~membership(excluded, vector)
    none_left = ~np.asarray(mask.any(axis=1))
    if none_left.any():
        raise row_error(
            none_left,
            "excludes every class and has no candidate",
            "Leave at least one class; exclude nothing for an unlabeled row.",
        )
    return SetTable(mask, vector)
