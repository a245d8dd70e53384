"""From rows of labels to sets over classes: the common road of every notation, and its door."""

import numbers
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning

from disambig.candidates.classes import (
    class_vector,
    listed,
    named_classes,
    positions,
    preview,
    sorted_labels,
)
from disambig.candidates.containers import is_table, only_column, rows_of, table_of
from disambig.candidates.entries import COLLECTIONS, Entries, entries_of
from disambig.candidates.faults import refuse_empty_rows, row_fault
from disambig.candidates.label_rules import admit, refuse_continuous
from disambig.candidates.label_tables import parse_table
from disambig.candidates.missing import matches_marker
from disambig.candidates.separators import warn_of_joined_labels
from disambig.candidates.set_table import SetTable
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray

__all__ = ["membership", "parse_any", "parse_labels", "parse_sets", "sets_from_entries"]


def parse_any(y: Any, classes: Any = None, unlabeled: Any = None) -> SetTable:
    """Read `y` by its form; `LabelSets.from_any` documents the rules."""
    if is_table(y):
        table, names = table_of(y)
        if table.shape[1] > 1:
            return parse_table(table, names, classes, unlabeled, "either")
        y = _flattened(y)
    rows = rows_of(y)
    entries = entries_of(rows)
    if isinstance(rows, list) and _looks_like_table(rows, entries, unlabeled):
        raise CandidateError(
            "LabelSets: a list of equally long rows of numbers between 0 and 1 may be a mask or "
            "sets. Pass np.asarray(y) for a mask or weights with one column per class; for sets "
            "of the labels 0 and 1 write {0, 1} or use LabelSets.from_sets."
        )
    return sets_from_entries(entries, classes, unlabeled)


def parse_labels(y: Any, classes: Any = None, unlabeled: Any = None) -> SetTable:
    """Read one label per row."""
    rows = rows_of(_flattened(y) if is_table(y) else y)
    if isinstance(rows, list):
        collections = np.array([isinstance(row, COLLECTIONS) for row in rows])
        if collections.any():
            raise row_fault(
                collections,
                f"holds {rows[int(np.argmax(collections))]!r} where one label is expected",
                "For sets of candidates use LabelSets.from_sets.",
            )
    return sets_from_entries(entries_of(rows), classes, unlabeled)


def parse_sets(y: Any, classes: Any = None, unlabeled: Any = None) -> SetTable:
    """Read one set of labels per row; a bare label is a set of one."""
    return sets_from_entries(entries_of(rows_of(y)), classes, unlabeled)


def _flattened(y: Any) -> Any:
    shape = table_of(y)[0].shape
    if shape[1] != 1:
        raise CandidateError(
            f"LabelSets: expected one label per row; got a table of shape {shape}. "
            f"For a mask use LabelSets.from_mask, for rows of labels LabelSets.from_sets."
        )
    warnings.warn(
        "A column-vector y was passed when a 1d array was expected: its column is read as one "
        "label per row. Pass y.ravel(), or the column itself.",
        DataConversionWarning,
        stacklevel=4,
    )
    return only_column(y)


def _looks_like_table(rows: list[Any], entries: Entries, unlabeled: Any) -> bool:
    """Whether nothing tells these sets from a mask written as nested lists."""
    length = 0
    for row, size in zip(rows, entries.sizes().tolist(), strict=True):
        if isinstance(row, (list, tuple, np.ndarray)):
            length = length or size
            if size < 2 or size != length:
                return False
        elif isinstance(row, COLLECTIONS) or not matches_marker(unlabeled, row):
            return False
    return length > 0 and all(
        isinstance(label, (numbers.Real, np.bool_)) and 0 <= float(label) <= 1
        for label in entries.distinct
        if not matches_marker(unlabeled, label)
    )


def sets_from_entries(entries: Entries, classes: Any, unlabeled: Any) -> SetTable:
    """Sets over the named classes, or else over the sorted labels that occur."""
    vector = named_classes(classes, unlabeled)
    labels, whole = admit(entries, unlabeled)
    refuse_empty_rows(entries.sizes() == 0)
    if vector is None:
        if whole.all():
            raise CandidateError(
                "LabelSets: every row is unlabelled, so that the classes are unknown. "
                "Name them by classes=."
            )
        refuse_continuous(labels)
        warn_of_joined_labels(labels.distinct)
        vector = class_vector(sorted_labels(labels.distinct), labels.dtype)
    mask = membership(labels, vector)
    mask[whole] = True
    return SetTable(mask, vector)


def membership(entries: Entries, classes: AnyArray) -> BoolArray:
    """``mask[j, k]``: row j holds ``classes[k]``, ``(n, K)``.

    Raises at a label that is none of the classes, and at one that a row repeats.
    """
    place = positions(classes)
    column = np.array([place.get(label, -1) for label in entries.distinct], dtype=np.intp)
    columns = column[entries.codes]
    unknown = columns < 0
    if unknown.any():
        raise row_fault(
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
        raise row_fault(
            repeated,
            "repeats a label",
            "Name every candidate once; a mask of 0 and 1 goes to LabelSets.from_mask.",
        )
    return mask
