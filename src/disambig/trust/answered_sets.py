"""Candidate sets in which the answer of a row is its only candidate."""

from typing import Any

import numpy as np

from disambig.candidates import (
    ClassCounts,
    Intervals,
    IntervalUnions,
    LabelSets,
    PartialBits,
    PartialOrders,
)
from disambig.trust.answers import Answers


def answered_sets(candidates: Any, answers: Answers) -> Any:
    """The candidate sets, with the answer as the only candidate of answered rows.

    Parameters
    ----------
    candidates : candidate sets of any kind, n rows
        Class counts stay; they may contradict the answers.
    answers : Answers
        Labels as codes of the classes; numbers; ranks; bits.

    Examples
    --------
    >>> sets = LabelSets.from_any([{"a", "b"}, {"b", "c"}])
    >>> answers = Answers(np.array([1]), np.array([2]), np.ones(1))
    >>> answered_sets(sets, answers).mask.astype(int).tolist()
    [[1, 1, 0], [0, 0, 1]]
    """
    rows, labels = answers.rows, answers.labels
    if isinstance(candidates, ClassCounts):
        sets = _answered_labels(candidates.sets, answers)
        return ClassCounts(sets, candidates.bounds, candidates.bags, candidates.names)
    if isinstance(candidates, LabelSets):
        return _answered_labels(candidates, answers)
    if isinstance(candidates, PartialOrders):
        before, windows = candidates.before.copy(), candidates.windows
        before[rows] = labels[:, :, None] < labels[:, None, :]
        if windows is not None:
            windows = windows.copy()
            windows[rows] = [0, candidates.n_items - 1]
        return PartialOrders(before, candidates.items, windows)
    if isinstance(candidates, PartialBits):
        bits = candidates.bits.copy()
        bits[rows] = labels
        return PartialBits(bits, candidates.tags)
    if isinstance(candidates, IntervalUnions):
        segments = list(candidates)
        for row, value in zip(rows.tolist(), labels.ravel().tolist(), strict=True):
            segments[row] = ((value, value),)
        return IntervalUnions.from_any(segments)
    lower, upper = candidates.lower.copy(), candidates.upper.copy()
    lower[rows] = upper[rows] = labels.reshape(len(answers), -1)
    return Intervals(lower, upper, candidates.flat)


def _answered_labels(sets: LabelSets, answers: Answers) -> LabelSets:
    single = np.zeros((len(answers), sets.n_classes), dtype=np.bool_)
    single[np.arange(len(answers)), answers.labels] = True
    mask, weights = sets.mask.copy(), sets.weights
    mask[answers.rows] = single
    if weights is not None:
        weights = weights.copy()
        weights[answers.rows] = single
    return LabelSets(mask, sets.classes, weights, sets.origin_flags)
