"""Metrics of predicted numbers against sets of numbers, without true numbers.

A set that is the whole line is not informative and is not counted. On plain numbers these are the
usual metrics. Boxes are scored column by column, and the columns are averaged. `best_constant` is
the constant prediction that has `interval_r2` zero.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from disambig.candidates import Intervals, IntervalUnions, number_sets
from disambig.candidates.numbers.segments import Segments, rows_of_segments
from disambig.exceptions import warn
from disambig.metrics.scorer import SetScorer, mean_over, row_weights
from disambig.notation import BoolArray, FloatArray, IntArray

_INFORMATION = "excludes a number"
_READS = (("missing", "missing"), ("unlabeled", "unlabeled"))


def squared_distances(segments: Segments, constant: float) -> FloatArray:
    """``inf_{y in s[j]} (constant - y)^2``, ``(n,)``."""
    gaps = constant - np.clip(constant, segments.lower, segments.upper)
    return np.asarray(np.minimum.reduceat(gaps**2, segments.indptr[:-1]))


def best_constant(segments: Segments, weights: FloatArray) -> float:
    """``argmin_c sum_j weights[j] inf_{y in s[j]} (c - y)^2``; any one, if there are several.

    The sum is piecewise quadratic. Its breakpoints are the ends of all segments and the midpoints
    of the gaps between segments of a row: between two breakpoints every set that does not contain c
    has one nearest end. The minimum of every quadratic is tried.

    Parameters
    ----------
    segments : Segments
        Of n rows, sorted and disjoint, at least one with a finite end.
    weights : (n,), not negative

    Examples
    --------
    >>> import numpy as np
    >>> segments = Segments(np.array([0.0, 3.0]), np.array([1.0, np.inf]), np.array([0, 1, 2]))
    >>> best_constant(segments, np.array([1.0, 3.0]))
    2.5
    """
    if np.array_equal(segments.lower, segments.upper) and len(segments.lower) == len(weights):
        return float(np.average(segments.lower, weights=weights))
    terms = _nearest_ends(segments, weights)
    tried = _minimum(terms, float(np.median(terms.end)))
    # A second pass from there, for the last digits.
    tried += _minimum(terms, tried[0])
    totals = [float(weights @ squared_distances(segments, constant)) for constant in tried]
    return tried[int(np.argmin(totals))]


class _NearestEnds(NamedTuple):
    """Each `end` is the nearest member of its set for all numbers from `start` to `stop`."""

    end: FloatArray
    start: FloatArray
    stop: FloatArray
    weight: FloatArray


def _nearest_ends(segments: Segments, weights: FloatArray) -> _NearestEnds:
    """The finite ends of all segments, with the numbers that they are nearest to."""
    rows = rows_of_segments(segments.indptr)
    first, last = segments.indptr[:-1], segments.indptr[1:] - 1
    gaps: IntArray = np.flatnonzero(rows[1:] == rows[:-1])
    below, above = segments.upper[gaps], segments.lower[gaps + 1]
    middle, gap_weights = 0.5 * (below + above), weights[rows[gaps]]
    lowest, highest = segments.lower[first], segments.upper[last]
    infinity = np.full(len(first), np.inf)
    table = _NearestEnds(
        np.concatenate([lowest, below, above, highest]),
        np.concatenate([-infinity, below, middle, highest]),
        np.concatenate([lowest, middle, above, infinity]),
        np.concatenate([weights, gap_weights, gap_weights, weights]),
    )
    finite = np.isfinite(table.end)
    return _NearestEnds(*(column[finite] for column in table))


def _minimum(terms: _NearestEnds, begin: float) -> list[float]:
    """The minimiser of the piecewise quadratic sum, and the two breakpoints around it.

    Between two breakpoints the sum is ``s0 c^2 - 2 s1 c + s2`` with the moments ``s`` of the
    nearest ends. Cumulative sums of the moments start at `begin`, which is not below the lowest
    end, and run to both sides: near `begin` no large terms have been added and subtracted again.
    """
    shifted = terms.end - begin
    moments = terms.weight * np.stack([np.ones_like(shifted), shifted, shifted**2])
    at_begin = moments[:, (terms.start <= begin) & (begin < terms.stop)].sum(axis=1)
    # At equal breakpoints starts come before stops: between the two, sums are too large rather than
    # too small.
    breakpoints = np.concatenate([terms.start, terms.stop])
    jumps = np.concatenate([moments, -moments], axis=1)
    kept = np.flatnonzero(np.isfinite(breakpoints))
    order = kept[np.argsort(breakpoints[kept], kind="stable")]
    breakpoints, jumps = breakpoints[order], jumps[:, order]

    passed = int(np.searchsorted(breakpoints, begin, side="right"))
    after = np.cumsum(jumps[:, passed:], axis=1)
    before = -np.cumsum(jumps[:, passed - 1 : 0 : -1], axis=1)[:, ::-1]
    here = np.zeros((3, 1))
    total_weight, first, second = at_begin[:, np.newaxis] + np.hstack([before, here, after])
    right = np.append(breakpoints[1:], breakpoints[-1])
    low, high = breakpoints - begin, right - begin
    has_weight = total_weight > 0
    vertex = np.where(has_weight, first / np.where(has_weight, total_weight, 1.0), low)
    vertex = np.clip(vertex, low, high)
    totals = total_weight * vertex**2 - 2.0 * first * vertex + second
    best = int(np.argmin(totals))
    # Adding `begin` rounds. The result must stay between the breakpoints; these are returned too,
    # because an end that lies in every set must be found exactly.
    edges = float(breakpoints[best]), float(right[best])
    return [float(np.clip(vertex[best] + begin, *edges)), *edges]


_Missing = Literal["error", "whole"]


def interval_squared_distance(
    y: Any,
    y_pred: Any,
    *,
    missing: _Missing = "error",
    unlabeled: Any = None,
    sample_weight: Any = None,
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
        Whether missing ends are an error, or infinite.
    unlabeled : object, or a list, tuple or set of them, optional
        Markers of what says nothing in `y`; see `Intervals.from_any`.
    sample_weight : array-like (n,), optional

    Returns
    -------
    float
        NaN, with a warning, if no row is informative. For boxes the mean over the columns that have
        an informative row.

    Examples
    --------
    >>> interval_squared_distance([(0, 1), (2, float("inf")), 5.0], [0.5, 1.0, 7.0])
    1.66...
    """
    scored = _scored(y, y_pred, missing, unlabeled, "interval_squared_distance")
    return mean_over(
        scored.counted.ravel(),
        scored.distances.ravel() ** 2,
        scored.entry_weights(sample_weight),
        information=_INFORMATION,
    )


def interval_absolute_distance(
    y: Any,
    y_pred: Any,
    *,
    missing: _Missing = "error",
    unlabeled: Any = None,
    sample_weight: Any = None,
) -> float:
    """The mean over informative rows of ``inf_{y in s} |prediction - y|``; smaller is better.

    On plain numbers it is the mean absolute error.

    Parameters
    ----------
    y, y_pred, missing, unlabeled, sample_weight
        See `interval_squared_distance`.

    Examples
    --------
    >>> interval_absolute_distance([(0, 1), "> 2", 5.0], [0.5, 1.0, 7.0])
    1.0
    """
    scored = _scored(y, y_pred, missing, unlabeled, "interval_absolute_distance")
    return mean_over(
        scored.counted.ravel(),
        scored.distances.ravel(),
        scored.entry_weights(sample_weight),
        information=_INFORMATION,
    )


def interval_coverage(
    y: Any,
    y_pred: Any,
    *,
    missing: _Missing = "error",
    unlabeled: Any = None,
    sample_weight: Any = None,
) -> float:
    """The share of informative rows whose prediction is in its set, for boxes in all columns.

    Parameters
    ----------
    y, y_pred, missing, unlabeled, sample_weight
        See `interval_squared_distance`.

    Examples
    --------
    >>> interval_coverage([(0, 1), (2, 3), (-float("inf"), float("inf"))], [0.5, 0.5, 0.5])
    0.5
    """
    scored = _scored(y, y_pred, missing, unlabeled, "interval_coverage")
    covered = np.asarray((scored.distances == 0).all(axis=1), dtype=np.float64)
    return mean_over(scored.sets.informative, covered, sample_weight, information=_INFORMATION)


def interval_r2(
    y: Any,
    y_pred: Any,
    *,
    missing: _Missing = "error",
    unlabeled: Any = None,
    sample_weight: Any = None,
) -> float:
    """``1 - sum_j dist(f_j, s_j)^2 / min_c sum_j dist(c, s_j)^2``; larger is better.

    1 if every prediction is in its set, 0 for the best constant prediction, and without a lower
    bound. On plain numbers it is the coefficient of determination. If one constant is in every set,
    the score is 1 if all predictions are in their sets and 0 otherwise, as in scikit-learn.

    Parameters
    ----------
    y, y_pred, missing, unlabeled
        See `interval_squared_distance`.
    sample_weight : array-like (n,), optional
        Not negative.

    Returns
    -------
    float
        NaN, with a warning, if there are fewer than two informative rows. For boxes the mean over
        the columns that have at least two.

    Examples
    --------
    >>> interval_r2([(0, 1), (2, 3), 5.0], [0.5, 1.0, 5.0])
    0.875
    """
    scored = _scored(y, y_pred, missing, unlabeled, "interval_r2")
    weights = row_weights(sample_weight, len(scored.sets))
    entry_weights = scored.counted * weights[:, np.newaxis]
    has_weight = entry_weights.sum(axis=0) > 0
    known = np.flatnonzero((np.count_nonzero(scored.counted, axis=0) >= 2) & has_weight)
    if not known.size:
        warn(
            f"Fewer than two rows to score have an interval that {_INFORMATION}; the R^2 score is "
            f"not defined then, and is NaN. Score on informative rows.",
            UndefinedMetricWarning,
        )
        return float("nan")
    return float(np.mean([_column_r2(scored, k, entry_weights[:, k]) for k in known.tolist()]))


# How a scorer is used; the mean of the folds follows.
_EXAMPLE = """\
>>> from sklearn.model_selection import cross_val_score
>>> from disambig import IntervalRegressor
>>> from disambig.metrics import scorer
>>> from disambig.weights import NeighborWeights
>>> X = [[0.0], [0.1], [1.0], [1.1]] * 6
>>> y = [(0, 2), (1, 2), ">= 5", 6.0] * 5 + [(3, 5)] * 4
>>> model = IntervalRegressor(NeighborWeights(2))
>>> found = cross_val_score(model, X, y, scoring=scorer, cv=3)
>>> float(found.mean().round(2))
"""

interval_squared_distance_scorer = SetScorer(
    "interval_squared_distance_scorer",
    interval_squared_distance,
    -1.0,
    _READS,
    example=_EXAMPLE + "-0.3",
)

interval_absolute_distance_scorer = SetScorer(
    "interval_absolute_distance_scorer",
    interval_absolute_distance,
    -1.0,
    _READS,
    example=_EXAMPLE + "-0.19",
)

interval_coverage_scorer = SetScorer(
    "interval_coverage_scorer", interval_coverage, 1.0, _READS, example=_EXAMPLE + "0.88"
)

interval_r2_scorer = SetScorer(
    "interval_r2_scorer", interval_r2, 1.0, _READS, example=_EXAMPLE + "0.81"
)


class _Scored(NamedTuple):
    """Sets, distances of the predictions to them, and the entries that count, both ``(n, d)``."""

    sets: Intervals | IntervalUnions
    distances: FloatArray
    counted: BoolArray

    def entry_weights(self, sample_weight: Any) -> FloatArray:
        """Weights of all entries, ``(n d,)``; all columns that count have equal total weight."""
        weights = row_weights(sample_weight, len(self.sets))
        if self.counted.shape[1] == 1:
            return weights
        entry_weights = self.counted * weights[:, np.newaxis]
        totals = entry_weights.sum(axis=0)
        return np.asarray(entry_weights / np.where(totals > 0, totals, 1.0)).ravel()

    def segments(self, column: int) -> Segments:
        """The segments of one column."""
        if isinstance(self.sets, IntervalUnions):
            return Segments(self.sets.lower, self.sets.upper, self.sets.indptr)
        rows = np.arange(len(self.sets) + 1)
        return Segments(self.sets.lower[:, column], self.sets.upper[:, column], rows)


def _scored(y: Any, y_pred: Any, missing: _Missing, unlabeled: Any, metric: str) -> _Scored:
    sets = number_sets(y, missing, unlabeled)
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
    return _Scored(sets, sets.distances(predictions), ~np.isnan(sets.centers))


def _column_r2(scored: _Scored, column: int, weights: FloatArray) -> float:
    """``1 - sum / smallest sum`` of one column; 1 or 0 if one constant is in every set."""
    segments = scored.segments(column)
    loss = float(weights @ scored.distances[:, column] ** 2)
    smallest = float(weights @ squared_distances(segments, best_constant(segments, weights)))
    if smallest == 0:
        return 1.0 if loss == 0 else 0.0
    return 1.0 - loss / smallest
