"""Answers: the true targets of some rows, with how they were drawn.

A promise about the truth needs rows whose truth is known and which were drawn at random, all with
the same probability or with known ones. An answer that was drawn with probability p stands for
``1 / p`` rows.
"""

import reprlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates.labels.classes import (
    checked_classes,
    is_nested,
    listed,
    positions,
    preview,
)
from disambig.candidates.labels.entries import COLLECTIONS, entries_of
from disambig.candidates.reading import is_missing, rows_of
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

_OWNER = "answers"


@dataclass(frozen=True, eq=False)
class Answers:
    """The true targets of m rows, each row once, sorted by row.

    Attributes
    ----------
    rows : int array (m,)
    labels : int array (m,) or float array (m, ...)
        Codes of classes, or values: numbers ``(m,)``, or one row of a table ``(m, d)``.
    weights : float array (m,)
        The inverse of the probability with which the row was drawn, scaled to mean 1.
    """

    rows: IntArray
    labels: AnyArray
    weights: FloatArray

    def __post_init__(self) -> None:
        for array in (self.rows, self.labels, self.weights):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.rows)

    def part(self, selected: BoolArray) -> "Answers":
        """Some of the answers."""
        return Answers(self.rows[selected], self.labels[selected], self.weights[selected])

    @property
    def is_uniform(self) -> bool:
        """Whether all answers were drawn with the same probability."""
        return bool((self.weights == self.weights[:1]).all())


def read_answers(
    rows: Any, labels: Any, n_rows: int, classes: Any = None, inclusion: Any = None
) -> Answers:
    """Check the answers of a user.

    Parameters
    ----------
    rows : int array-like (m,), or bool array (n_rows,)
        The answered rows. A row that is listed twice with the same label counts once.
    labels : array-like (m,), or (m, d) for tables of numbers
        The true target of each.
    n_rows : int
        How many rows there are.
    classes : array-like (K,), optional
        The classes that labels may have, which are then returned as codes. None: labels are numbers
        and are returned as they are.
    inclusion : float or array-like (m,), optional
        The probability with which each answered row was drawn, above 0 and at most 1. None: all
        rows had the same.

    Returns
    -------
    Answers

    Raises
    ------
    ValueError
        If a row does not exist, has two different labels, or an array has another length.
    CandidateError
        If a label is missing or none of the classes.

    Examples
    --------
    >>> answers = read_answers([4, 1], ["b", "a"], 5, classes=["a", "b"], inclusion=[0.5, 0.25])
    >>> answers.rows.tolist(), answers.labels.tolist(), answers.weights.round(2).tolist()
    ([1, 4], [0, 1], [1.33, 0.67])
    """
    index = _row_numbers(rows, n_rows)
    known = _values(labels, index) if classes is None else _codes(labels, index, classes)
    probability = _probabilities(inclusion, len(index))
    distinct, first, group = np.unique(index, return_index=True, return_inverse=True)
    _refuse_contradictions(index, known, first[group], labels)
    changed = probability != probability[first[group]]
    if changed.any():
        row = int(index[np.argmax(changed)])
        raise ValueError(
            f"{_OWNER}: row {row} is listed twice with different inclusion probabilities. List "
            "each row once."
        )
    weights = 1.0 / probability[first]
    return Answers(distinct, np.asarray(known[first]), weights / weights.mean())


def _row_numbers(rows: Any, n_rows: int) -> IntArray:
    """Row numbers, ``(m,)``; raises if one does not exist."""
    given = np.asarray(rows)
    if given.dtype == np.bool_ and given.shape == (n_rows,):
        given = np.flatnonzero(given)
    if given.ndim != 1 or not given.size:
        raise ValueError(
            f"{_OWNER}: rows must hold at least one row number, in one dimension; got "
            f"{reprlib.repr(rows)}."
        )
    if given.dtype.kind not in "iu":
        raise ValueError(
            f"{_OWNER}: rows must be integers, the positions of rows from 0 to {n_rows - 1}; got "
            f"{reprlib.repr(rows)}. Turn names of rows into positions first."
        )
    outside = (given < 0) | (given >= n_rows)
    if outside.any():
        raise ValueError(
            f"{_OWNER}: row {int(given[np.argmax(outside)])} does not exist "
            f"({int(outside.sum())} such rows); there are {n_rows} rows, 0 to {n_rows - 1}."
        )
    return np.asarray(given, dtype=np.intp)


def _refuse_length(name: str, length: int, expected: int) -> None:
    if length != expected:
        raise ValueError(
            f"{_OWNER}: {expected} rows were given with {length} {name}; expected as many."
        )


def _values(labels: Any, index: IntArray) -> FloatArray:
    """Numbers, ``(m, ...)``; raises unless they are finite."""
    try:
        values = np.asarray(labels, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{_OWNER}: labels must be numbers, as many in every row; got {reprlib.repr(labels)}."
        ) from None
    if values.ndim == 0:
        raise ValueError(f"{_OWNER}: labels must hold one entry for each row; got {labels!r}.")
    _refuse_length("labels", len(values), len(index))
    missing = ~np.isfinite(values.reshape(len(values), -1)).all(axis=1)
    if missing.any():
        raise ValueError(
            f"{_OWNER}: the label of row {int(index[np.argmax(missing)])} is NaN or infinite "
            f"({int(missing.sum())} such rows). Leave rows without an answer out."
        )
    return values


def _codes(labels: Any, index: IntArray, classes: Any) -> IntArray:
    """The class of each label, ``(m,)``; raises at labels that are none of the classes."""
    vector = checked_classes(classes)
    given = rows_of(labels, _OWNER)
    _refuse_length("labels", len(given), len(index))
    if isinstance(given, list):
        sets = np.array([isinstance(label, COLLECTIONS) for label in given])
        if sets.any():
            first = int(np.argmax(sets))
            raise CandidateError(
                f"{_OWNER}: the label of row {int(index[first])} is {given[first]!r}, a "
                f"{type(given[first]).__name__}. An answer is the one true label; sets of labels "
                "are candidates and belong in y."
            )
    entries = entries_of(given)
    place = positions(vector)
    codes = np.array(
        [
            -1 if is_missing(label) or is_nested(label) else place.get(label, -1)
            for label in entries.distinct
        ],
        dtype=np.intp,
    )
    unknown = codes < 0
    if unknown.any():
        row = int(index[np.argmax(unknown[entries.codes])])
        named = [label for label, bad in zip(entries.distinct, unknown, strict=True) if bad]
        raise CandidateError(
            f"{_OWNER}: labels {preview(named)} are not among the classes "
            f"{preview(listed(vector))} (first in row {row}). Correct them, leave rows without an "
            "answer out, or fit with classes= that name all classes."
        )
    return np.asarray(codes[entries.codes])


def _probabilities(inclusion: Any, m: int) -> FloatArray:
    """The inclusion probability of each answer, ``(m,)``."""
    if inclusion is None:
        return np.ones(m)
    try:
        given = np.asarray(inclusion, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.full(m, np.nan)
    if given.ndim > 1:
        raise ValueError(f"{_OWNER}: inclusion must have one dimension; got shape {given.shape}.")
    if given.ndim == 1:
        _refuse_length("inclusion probabilities", len(given), m)
    values = np.full(m, given)
    outside = ~((values > 0) & (values <= 1))
    if outside.any():
        place = int(np.argmax(outside))
        raise ValueError(
            f"{_OWNER}: inclusion must be probabilities above 0 and at most 1; got "
            f"{values[place]} in entry {place}. A row with probability 0 is never drawn, and no "
            "answer can stand for it."
        )
    return values


def _refuse_contradictions(index: IntArray, known: AnyArray, first: IntArray, labels: Any) -> None:
    """Raise if a row has two different labels; ``first[e]`` is its first entry."""
    changed = (known != known[first]).reshape(len(known), -1).any(axis=1)
    if changed.any():
        entry = int(np.argmax(changed))
        given = list(labels)
        raise ValueError(
            f"{_OWNER}: row {int(index[entry])} has two different labels, "
            f"{given[int(first[entry])]!r} and {given[entry]!r} ({int(changed.sum())} such "
            "entries). An answer is the one true label. Decide on one; or, if annotators disagree, "
            "combine what they said by disambig.trust.combine_annotations and fit on these sets."
        )
