"""Losses on sets of numbers by their definitions (slow), and random sets of numbers."""

import numpy as np
from numpy.random import Generator

from disambig.candidates import Intervals, IntervalUnions
from disambig.candidates.numbers.number_sets import NumberSets
from disambig.losses import NumberLoss
from disambig.notation import FloatArray

__all__ = [
    "average_value",
    "infimum_value",
    "interesting_points",
    "random_sets",
    "segments_of_row",
    "sum_value",
]


def segments_of_row(sets: NumberSets, row: int, column: int = 0) -> list[tuple[float, float]]:
    """The intervals that make up the set of one row in one column."""
    if isinstance(sets, IntervalUnions):
        here = slice(sets.indptr[row], sets.indptr[row + 1])
        return list(zip(sets.lower[here].tolist(), sets.upper[here].tolist(), strict=True))
    assert isinstance(sets, Intervals)
    return [(float(sets.lower[row, column]), float(sets.upper[row, column]))]


def sum_value(loss: NumberLoss, votes: FloatArray, z: FloatArray, y: FloatArray) -> FloatArray:
    """``sum_j votes[j] loss(z, y_j)`` at every z."""
    total = np.zeros(np.shape(z))
    for vote, target in zip(votes, y, strict=True):
        total += vote * loss.pointwise(z, target)
    return total


def infimum_value(
    loss: NumberLoss, votes: FloatArray, z: FloatArray, sets: NumberSets, span: FloatArray
) -> FloatArray:
    """``sum_j inf_{y in s_j} votes[j] loss(z, y)`` at every z.

    For negative votes the sets are restricted to the span.
    """
    total = np.zeros(np.shape(z))
    bounded = sets.within(span)
    for row, vote in enumerate(votes):
        # The loss is convex in y: the best member is nearest to z, the worst is an end.
        if vote >= 0:
            members = [np.clip(z, low, high) for low, high in segments_of_row(sets, row)]
        else:
            members = [end for segment in segments_of_row(bounded, row) for end in segment]
        total += np.min([vote * loss.pointwise(z, member) for member in members], axis=0)
    return total


def average_value(
    loss: NumberLoss, votes: FloatArray, z: FloatArray, sets: NumberSets
) -> FloatArray:
    """``sum_j votes[j] mean_{y in s_j} loss(z, y)`` at every z, as defined by `NumberLoss`."""
    total = np.zeros(np.shape(z))
    for row, vote in enumerate(votes):
        segments = segments_of_row(sets, row)
        rays = [(a, b) for a, b in segments if np.isinf(b - a)]
        if rays:
            segments = [(e, e) for a, b in rays for e in (a, b) if np.isfinite(e)]
        if not segments:
            continue
        lengths = np.array([b - a for a, b in segments])
        equal = np.full(len(segments), 1 / len(segments))
        shares = lengths / lengths.sum() if lengths.any() else equal
        for (a, b), share in zip(segments, shares, strict=True):
            total += vote * share * _mean_loss(loss, z, a, b)
    return total


def _mean_loss(loss: NumberLoss, z: FloatArray, a: float, b: float) -> FloatArray:
    """The mean of ``loss(z, y)`` over a <= y <= b.

    The loss is at most quadratic on either side of z, so that Simpson's rule is exact on each.
    """
    if a == b:
        return loss.pointwise(z, np.array(a))
    cut = np.clip(z, a, b)
    parts = [
        (high - low)
        * (
            loss.pointwise(z, low)
            + 4 * loss.pointwise(z, (low + high) / 2)
            + loss.pointwise(z, high)
        )
        / 6
        for low, high in ((np.full_like(cut, a), cut), (cut, np.full_like(cut, b)))
    ]
    return (parts[0] + parts[1]) / (b - a)


def interesting_points(
    sets: NumberSets | None, span: FloatArray, values: FloatArray | None = None
) -> FloatArray:
    """A grid on the span, all ends of sets, and the midpoints of any two ends."""
    low, high = span[0]
    special = [low, high]
    if sets is not None:
        for row in range(len(sets)):
            special += [end for segment in segments_of_row(sets, row) for end in segment]
    if values is not None:
        special += values.ravel().tolist()
    points = np.array(special)
    points = points[np.isfinite(points)]
    between = (points[:, None] + points) / 2
    every = np.concatenate([points, between.ravel(), np.linspace(low, high, 101)])
    return np.unique(every[(every >= low) & (every <= high)])


def random_sets(
    rng: Generator, n: int, *, unions: bool = True, whole_numbers: bool = False
) -> Intervals | IntervalUnions:
    """Points, intervals, half-lines, whole lines and unions; integer ends make ties likely."""
    lower, upper, counts = [], [], []
    for _ in range(n):
        kind = rng.choice(["point", "bounded", "left", "right", "whole", "union", "rays"])
        if not unions and kind in ("union", "rays"):
            kind = "bounded"
        a, b, c, d = np.sort(rng.integers(-6, 7, 4) * 1.0 if whole_numbers else rng.normal(size=4))
        segments = {
            "point": [(a, a)],
            "bounded": [(a, b)],
            "left": [(-np.inf, b)],
            "right": [(b, np.inf)],
            "whole": [(-np.inf, np.inf)],
            "union": [(a, b), (c, d)] if rng.random() < 0.7 else [(a, a), (b, b), (c, c)],
            "rays": [(-np.inf, a), (b, c)] if rng.random() < 0.5 else [(-np.inf, a), (d, np.inf)],
        }[str(kind)]
        lower += [segment[0] for segment in segments]
        upper += [segment[1] for segment in segments]
        counts.append(len(segments))
    if not unions:
        return Intervals(np.array(lower), np.array(upper))
    return IntervalUnions(np.array(lower), np.array(upper), np.append(0, np.cumsum(counts)))
