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
from disambig.estimators.conformal import conformal_threshold, least_rows
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.parameters import as_array, check_list


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
    rows: Any,
    labels: Any,
    n_rows: int,
    classes: Any = None,
    inclusion: Any = None,
    owner: str = "answers",
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
    owner : str
        Errors begin with it.

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
    index = _row_numbers(owner, rows, n_rows)
    if classes is None:
        known: AnyArray = _values(owner, labels, index)
    else:
        known = _codes(owner, labels, index, classes)
    probability = _probabilities(owner, inclusion, len(index))
    distinct, first, group = np.unique(index, return_index=True, return_inverse=True)
    _refuse_contradictions(owner, index, known, first[group], labels)
    changed = probability != probability[first[group]]
    if changed.any():
        row = int(index[np.argmax(changed)])
        raise ValueError(
            f"{owner}: row {row} is listed twice with different inclusion probabilities. List "
            "each row once."
        )
    weights = 1.0 / probability[first]
    return Answers(distinct, np.asarray(known[first]), weights / weights.mean())


def with_singletons(
    rows: Any, labels: Any, single: BoolArray, own: AnyArray, skipped: IntArray
) -> tuple[IntArray, list[Any], FloatArray]:
    """Rows and labels with those of the sets that have a single member, and their inclusion.

    All of these are answered, and so stand for themselves; an open row stands for the open rows
    that were not drawn, too.

    Parameters
    ----------
    rows, labels : as in `read_answers`
    single : bool array (n,)
        Rows with a single candidate.
    own : array, first axis n
        The labels of all rows.
    skipped : int array
        Rows that are not added, because their single candidate is the answer of a refit.
    """
    given = _row_numbers("with_answers", rows, len(single))
    labels = check_list("with_answers", "labels", labels)
    _refuse_length("with_answers", "labels", len(labels), len(given))
    added = np.setdiff1d(np.flatnonzero(single), np.concatenate([given, skipped]))
    everything = np.concatenate([given, added]).astype(np.intp)
    known = everything[(everything >= 0) & (everything < len(single))]
    n_drawn, n_open = np.count_nonzero(~single[np.unique(known)]), np.count_nonzero(~single)
    share = n_drawn / n_open if n_open else 1.0
    inclusion = np.ones(len(everything))
    if known.size == everything.size:
        inclusion = np.where(single[everything], 1.0, share)
    return everything, [*labels, *own[added].tolist()], inclusion


def require_answers(answers: Answers | None, coverage: float) -> None:
    """Raise an error if there are too few answers to promise a coverage of the truth."""
    if answers is None:
        raise ValueError(
            "predict_set: meaning='truth' needs true targets of some rows: "
            "with_answers(rows, labels) first."
        )
    least, m = least_rows(coverage), len(answers)
    if m < least:
        raise ValueError(
            f"predict_set: {m} answers cannot promise a coverage of {coverage:g}; {least} are "
            f"needed. Give more, or lower the coverage to {m / (m + 1):.3g} or less."
        )


def _row_numbers(owner: str, rows: Any, n_rows: int) -> IntArray:
    """Row numbers, ``(m,)``; raises if one does not exist."""
    given = as_array(rows)
    if given.dtype == np.bool_ and given.shape == (n_rows,):
        given = np.flatnonzero(given)
    if given.ndim != 1 or not given.size:
        raise ValueError(
            f"{owner}: rows must hold at least one row number, in one dimension; got "
            f"{reprlib.repr(rows)}."
        )
    if given.dtype.kind not in "iu":
        raise ValueError(
            f"{owner}: rows must be integers, the positions of rows from 0 to {n_rows - 1}; got "
            f"{reprlib.repr(rows)}. Turn names of rows into positions first."
        )
    outside = (given < 0) | (given >= n_rows)
    if outside.any():
        raise ValueError(
            f"{owner}: row {int(given[np.argmax(outside)])} does not exist "
            f"({int(outside.sum())} such rows); there are {n_rows} rows, 0 to {n_rows - 1}."
        )
    return np.asarray(given, dtype=np.intp)


def _refuse_length(owner: str, name: str, length: int, expected: int) -> None:
    if length != expected:
        raise ValueError(
            f"{owner}: {expected} rows were given with {length} {name}; expected as many."
        )


def _values(owner: str, labels: Any, index: IntArray) -> FloatArray:
    """Numbers, ``(m, ...)``; raises unless they are finite."""
    try:
        values = np.asarray(labels, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{owner}: labels must be numbers, as many in every row; got {reprlib.repr(labels)}."
        ) from None
    if values.ndim == 0:
        raise ValueError(f"{owner}: labels must hold one entry for each row; got {labels!r}.")
    _refuse_length(owner, "labels", len(values), len(index))
    missing = ~np.isfinite(values.reshape(len(values), -1)).all(axis=1)
    if missing.any():
        raise ValueError(
            f"{owner}: the label of row {int(index[np.argmax(missing)])} is NaN or infinite "
            f"({int(missing.sum())} such rows). Leave rows without an answer out."
        )
    return values


def _codes(owner: str, labels: Any, index: IntArray, classes: Any) -> IntArray:
    """The class of each label, ``(m,)``; raises at labels that are none of the classes."""
    vector = checked_classes(classes)
    given = rows_of(labels, owner)
    _refuse_length(owner, "labels", len(given), len(index))
    if isinstance(given, list):
        sets = np.array([isinstance(label, COLLECTIONS) for label in given])
        if sets.any():
            first = int(np.argmax(sets))
            raise CandidateError(
                f"{owner}: the label of row {int(index[first])} is {given[first]!r}, a "
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
            f"{owner}: labels {preview(named)} are not among the classes "
            f"{preview(listed(vector))} (first in row {row}). Correct them, leave rows without an "
            "answer out, or fit with classes= that name all classes."
        )
    return np.asarray(codes[entries.codes])


def _probabilities(owner: str, inclusion: Any, m: int) -> FloatArray:
    """The inclusion probability of each answer, ``(m,)``."""
    if inclusion is None:
        return np.ones(m)
    try:
        given = np.asarray(inclusion, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.full(m, np.nan)
    if given.ndim > 1:
        raise ValueError(f"{owner}: inclusion must have one dimension; got shape {given.shape}.")
    if given.ndim == 1:
        _refuse_length(owner, "inclusion probabilities", len(given), m)
    values = np.full(m, given)
    outside = ~((values > 0) & (values <= 1))
    if outside.any():
        place = int(np.argmax(outside))
        raise ValueError(
            f"{owner}: inclusion must be probabilities above 0 and at most 1; got "
            f"{values[place]} in entry {place}. A row with probability 0 is never drawn, and no "
            "answer can stand for it."
        )
    return values


def _refuse_contradictions(
    owner: str, index: IntArray, known: AnyArray, first: IntArray, labels: Any
) -> None:
    """Raise if a row has two different labels; ``first[e]`` is its first entry."""
    changed = (known != known[first]).reshape(len(known), -1).any(axis=1)
    if changed.any():
        entry = int(np.argmax(changed))
        given = list(labels)
        raise ValueError(
            f"{owner}: row {int(index[entry])} has two different labels, "
            f"{given[int(first[entry])]!r} and {given[entry]!r} ({int(changed.sum())} such "
            "entries). An answer is the one true label. Decide on one; or, if annotators disagree, "
            "combine what they said by disambig.trust.combine_annotations and fit on these sets."
        )


def weighted_threshold(
    scores: FloatArray, weights: FloatArray, coverage: float, answers: Answers | None = None
) -> float:
    """The conformal threshold of scores ``(m,)`` of rows by their weights and those of answers."""
    used = weights > 0
    new = float(weights[used].mean()) if used.any() else 1.0
    if answers is not None and not answers.is_uniform:
        weights = weights * answers.weights
        # The row that was least likely to be drawn, to be safe.
        new = float(weights[used].max()) if used.any() else 1.0
    if not used.any() or np.ptp(weights[used]) == 0:
        return conformal_threshold(scores[used], coverage)
    return conformal_threshold(scores[used], coverage, weights[used], new)
