"""The number that is nearest to all sets at once, in squares: what a score of zero predicts.

Scores of numbers against sets of numbers: what can be said of predictions without ground truth.

A set that is the whole line says nothing and is not counted. On plain numbers these are the usual
figures; boxes are scored column by column, and the columns are averaged.
"""

import warnings
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from disambig.candidates import Intervals, IntervalUnions, number_sets
from disambig.candidates.numbers.segments import Segments, rows_of_segments
from disambig.metrics.scorer import SetScorer, mean_over, row_weights
from disambig.notation import BoolArray, FloatArray, IntArray

_INFORMATION = "excludes a number"
_READS = (("missing", "missing"),)


def squared_distances(pieces: Segments, constant: float) -> FloatArray:
    """``inf_{y in s[j]} (constant - y)^2``, ``(n,)``."""
    gaps = constant - np.clip(constant, pieces.lower, pieces.upper)
    return np.asarray(np.minimum.reduceat(gaps**2, pieces.indptr[:-1]))


def best_constant(pieces: Segments, weights: FloatArray) -> float:
    """``argmin_c sum_j weights[j] inf_{y in s[j]} (c - y)^2``; of several one.

    Between two neighbours among all ends and all middles of gaps, each set that c is not in has
    one nearest end, so that the sum is one parabola: all of them are tried.

    Parameters
    ----------
    pieces : Segments
        Of n rows, sorted and disjoint, at least one with a finite end.
    weights : (n,), none negative

    Examples
    --------
    >>> import numpy as np
    >>> pieces = Segments(np.array([0.0, 3.0]), np.array([1.0, np.inf]), np.array([0, 1, 2]))
    >>> best_constant(pieces, np.array([1.0, 3.0]))
    2.5
    """
    if np.array_equal(pieces.lower, pieces.upper) and len(pieces.lower) == len(weights):
        return float(np.average(pieces.lower, weights=weights))
    reaches = _reaches(pieces, weights)
    tried = _lowest(reaches, float(np.median(reaches.end)))
    # Once more from there, for the last digits.
    tried += _lowest(reaches, tried[0])
    totals = [float(weights @ squared_distances(pieces, constant)) for constant in tried]
    return tried[int(np.argmin(totals))]


class _Reaches(NamedTuple):
    """An end is the nearest member of its set to all numbers from `start` to `stop`."""

    end: FloatArray
    start: FloatArray
    stop: FloatArray
    weight: FloatArray


def _reaches(pieces: Segments, weights: FloatArray) -> _Reaches:
    rows = rows_of_segments(pieces.indptr)
    first, last = pieces.indptr[:-1], pieces.indptr[1:] - 1
    gaps: IntArray = np.flatnonzero(rows[1:] == rows[:-1])
    below, above = pieces.upper[gaps], pieces.lower[gaps + 1]
    middle, of_gap = 0.5 * (below + above), weights[rows[gaps]]
    lowest, highest = pieces.lower[first], pieces.upper[last]
    beyond = np.full(len(first), np.inf)
    table = _Reaches(
        np.concatenate([lowest, below, above, highest]),
        np.concatenate([-beyond, below, middle, highest]),
        np.concatenate([lowest, middle, above, beyond]),
        np.concatenate([weights, of_gap, of_gap, weights]),
    )
    finite = np.isfinite(table.end)
    return _Reaches(*(column[finite] for column in table))


def _lowest(reaches: _Reaches, begin: float) -> list[float]:
    """Where the lowest of all parabolas is lowest, and the stretch that is its own.

    Sums begin at `begin`, which is no lower than the lowest end, and run from there to both
    sides: where they are small, no large ones have been added and taken away again.
    """
    shifted = reaches.end - begin
    moments = reaches.weight * np.stack([np.ones_like(shifted), shifted, shifted**2])
    at_begin = moments[:, (reaches.start <= begin) & (begin < reaches.stop)].sum(axis=1)
    # What starts stands before what stops in the same place: between the two, sums are too large
    # rather than too small.
    places = np.concatenate([reaches.start, reaches.stop])
    jumps = np.concatenate([moments, -moments], axis=1)
    kept = np.flatnonzero(np.isfinite(places))
    order = kept[np.argsort(places[kept], kind="stable")]
    places, jumps = places[order], jumps[:, order]

    passed = int(np.searchsorted(places, begin, side="right"))
    after = np.cumsum(jumps[:, passed:], axis=1)
    before = -np.cumsum(jumps[:, passed - 1 : 0 : -1], axis=1)[:, ::-1]
    here = np.zeros((3, 1))
    mass, first, second = at_begin[:, np.newaxis] + np.hstack([before, here, after])
    right = np.append(places[1:], places[-1])
    low, high = places - begin, right - begin
    bottom = np.clip(np.where(mass > 0, first / np.where(mass > 0, mass, 1.0), low), low, high)
    totals = mass * bottom**2 - 2.0 * first * bottom + second
    best = int(np.argmin(totals))
    # The way back from `begin` rounds: it must not leave the stretch, and an end that lies in every
    # set must be hit exactly.
    edges = float(places[best]), float(right[best])
    return [float(np.clip(bottom[best] + begin, *edges)), *edges]


_Missing = Literal["error", "whole"]


def interval_squared_distance(
    y: Any, y_pred: Any, *, missing: _Missing = "error", sample_weight: Any = None
) -> float:
    """The mean over informative rows of ``inf_{y in s} (prediction - y)^2``; smaller is better.

    On plain numbers it is the mean squared error.

    Parameters
    ----------
    y : array-like, n rows
        Intervals, boxes or unions in any form that `disambig.candidates.number_sets` reads.
    y_pred : array-like (n,) or (n, d)
        Predictions, finite.
    missing : {"error", "whole"}, default="error"
        Whether ends that are missing are refused, or are no bounds.
    sample_weight : array-like (n,), optional

    Returns
    -------
    float
        NaN, with a warning, if no row is informative. Of boxes the uniform average over those
        columns that have an informative row.

    Examples
    --------
    >>> interval_squared_distance([(0, 1), (2, float("inf")), 5.0], [0.5, 1.0, 7.0])
    1.66...
    """
    seen = _seen(y, y_pred, missing, "interval_squared_distance")
    return mean_over(
        seen.counted.ravel(),
        seen.distances.ravel() ** 2,
        seen.entry_weights(sample_weight),
        information=_INFORMATION,
    )


def interval_absolute_distance(
    y: Any, y_pred: Any, *, missing: _Missing = "error", sample_weight: Any = None
) -> float:
    """The mean over informative rows of ``inf_{y in s} |prediction - y|``; smaller is better.

    On plain numbers it is the mean absolute error.

    Parameters
    ----------
    y, y_pred, missing, sample_weight
        See `interval_squared_distance`.

    Examples
    --------
    >>> interval_absolute_distance([(0, 1), "> 2", 5.0], [0.5, 1.0, 7.0])
    1.0
    """
    seen = _seen(y, y_pred, missing, "interval_absolute_distance")
    return mean_over(
        seen.counted.ravel(),
        seen.distances.ravel(),
        seen.entry_weights(sample_weight),
        information=_INFORMATION,
    )


def interval_coverage(
    y: Any, y_pred: Any, *, missing: _Missing = "error", sample_weight: Any = None
) -> float:
    """The share of informative rows whose prediction lies in its set, in all of its columns.

    Parameters
    ----------
    y, y_pred, missing, sample_weight
        See `interval_squared_distance`.

    Examples
    --------
    >>> interval_coverage([(0, 1), (2, 3), (-float("inf"), float("inf"))], [0.5, 0.5, 0.5])
    0.5
    """
    seen = _seen(y, y_pred, missing, "interval_coverage")
    covered = np.asarray((seen.distances == 0).all(axis=1), dtype=np.float64)
    return mean_over(seen.sets.informative, covered, sample_weight, information=_INFORMATION)


def interval_r2(
    y: Any, y_pred: Any, *, missing: _Missing = "error", sample_weight: Any = None
) -> float:
    """``1 - sum_j dist(f_j, s_j)^2 / min_c sum_j dist(c, s_j)^2``; larger is better.

    From 1, where every prediction lies in its set, past 0, as good as the best constant, down
    without a bound. On plain numbers it is the coefficient of determination. As there, where a
    constant lies in every set, it is 1 if all predictions do and 0 if not.

    Parameters
    ----------
    y, y_pred, missing
        See `interval_squared_distance`.
    sample_weight : array-like (n,), optional
        None of them negative.

    Returns
    -------
    float
        NaN, with a warning, if there are fewer than two informative rows. Of boxes the uniform
        average over those columns that have two.

    Examples
    --------
    >>> interval_r2([(0, 1), (2, 3), 5.0], [0.5, 1.0, 5.0])
    0.875
    """
    seen = _seen(y, y_pred, missing, "interval_r2")
    weights = row_weights(sample_weight, len(seen.sets))
    if (weights < 0).any():
        raise ValueError(
            f"sample_weight: row {int(np.argmax(weights < 0))} has {weights[weights < 0][0]}; "
            f"weights must not be negative."
        )
    heard = seen.counted * weights[:, np.newaxis]
    known = np.flatnonzero((np.count_nonzero(seen.counted, axis=0) >= 2) & (heard.sum(axis=0) > 0))
    if not known.size:
        warnings.warn(
            f"Fewer than two rows to score have an interval that {_INFORMATION}; the R^2 score is "
            f"not defined then, and is NaN. Score on rows with information.",
            UndefinedMetricWarning,
            stacklevel=2,
        )
        return float("nan")
    return float(np.mean([_explained(seen, k, heard[:, k]) for k in known.tolist()]))


interval_squared_distance_scorer = SetScorer(
    "interval_squared_distance_scorer", interval_squared_distance, -1.0, _READS
)
"""Minus the `interval_squared_distance` of an estimator, for ``scoring=``."""

interval_absolute_distance_scorer = SetScorer(
    "interval_absolute_distance_scorer", interval_absolute_distance, -1.0, _READS
)
"""Minus the `interval_absolute_distance` of an estimator, for ``scoring=``."""

interval_coverage_scorer = SetScorer("interval_coverage_scorer", interval_coverage, 1.0, _READS)
"""`interval_coverage` of an estimator, for ``scoring=``."""

interval_r2_scorer = SetScorer("interval_r2_scorer", interval_r2, 1.0, _READS)
"""`interval_r2` of an estimator, for ``scoring=``."""


class _Seen(NamedTuple):
    """Sets, how far the predictions are from them, and what counts, ``(n, d)`` both."""

    sets: Intervals | IntervalUnions
    distances: FloatArray
    counted: BoolArray

    def entry_weights(self, sample_weight: Any) -> FloatArray:
        """Weights of all entries, ``(n d,)``, by which every column that counts weighs the same."""
        weights = row_weights(sample_weight, len(self.sets))
        if self.counted.shape[1] == 1:
            return weights
        heard = self.counted * weights[:, np.newaxis]
        totals = heard.sum(axis=0)
        return np.asarray(heard / np.where(totals > 0, totals, 1.0)).ravel()

    def pieces(self, column: int) -> Segments:
        if isinstance(self.sets, IntervalUnions):
            return Segments(self.sets.lower, self.sets.upper, self.sets.indptr)
        rows = np.arange(len(self.sets) + 1)
        return Segments(self.sets.lower[:, column], self.sets.upper[:, column], rows)


def _seen(y: Any, y_pred: Any, missing: _Missing, metric: str) -> _Seen:
    sets = number_sets(y, missing)
    predictions = np.asarray(y_pred, dtype=np.float64)
    if len(predictions) != len(sets):
        raise ValueError(
            f"{metric}: y has {len(sets)} rows and y_pred has {len(predictions)}; expected as many."
        )
    bad = ~np.isfinite(predictions)
    if bad.any():
        raise ValueError(
            f"{metric}: y_pred contains NaN or infinity, first in row {np.argwhere(bad)[0][0]}; "
            f"expected finite predictions."
        )
    # A column without a finite end has no centre.
    return _Seen(sets, sets.distances(predictions), ~np.isnan(sets.centers))


def _explained(seen: _Seen, column: int, weights: FloatArray) -> float:
    """``1 - sum / smallest sum`` of one column; 1 or 0 where a constant lies in every set."""
    pieces = seen.pieces(column)
    paid = float(weights @ seen.distances[:, column] ** 2)
    least = float(weights @ squared_distances(pieces, best_constant(pieces, weights)))
    if least == 0:
        return 1.0 if paid == 0 else 0.0
    return 1.0 - paid / least
