"""The squared loss between numbers.

For each row of votes and each column, the weighted sum of squares is a parabola. `voted_parabolas`
computes their coefficients, `lowest_in_span` and `lowest_in_sets` where they are lowest.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates.numbers.number_sets import NumberSets
from disambig.losses.numbers.curves import column_segments
from disambig.losses.numbers.infimum_squares import Line, infimum_on_line
from disambig.notation import BoolArray, FloatArray
from disambig.votes import Votes
from disambig.votes.entries import tie_tolerance


class Parabolas(NamedTuple):
    """``f(z) = curvature (z - middle)^2 - 2 moment (z - middle)`` for each row and column.

    Attributes
    ----------
    middle, width : float array (d,)
        Of the span. Values are measured from the middle, where the formula cancels least.
    curvature, moment : float array (rows, d)
        The sum of the votes, and that of the votes times the values.
    rounding : float array (rows, d)
        A curvature up to this size counts as zero, and so does a moment up to this size times the
        width.
    """

    middle: FloatArray
    width: FloatArray
    curvature: FloatArray
    moment: FloatArray
    rounding: FloatArray


def voted_parabolas(
    votes: Votes, values: FloatArray, span: FloatArray, included: BoolArray | None = None
) -> Parabolas:
    """``z -> sum_j alpha[i, j] (z - values[j])^2`` up to a constant.

    Parameters
    ----------
    votes : Votes (q, n)
    values : float array (n, d)
    span : float array (d, 2)
    included : bool array (n, d), optional
        The values that count; by default all.
    """
    width = span[:, 1] - span[:, 0]
    middle = span[:, 0] + 0.5 * width
    if included is None:
        products = votes @ np.column_stack([np.ones(len(values)), values - middle])
        curvature, moment = np.broadcast_to(products[:, :1], products[:, 1:].shape), products[:, 1:]
        sizes = votes.absolute_row_sums()[:, None]
    else:
        # The tolerance must not count the votes for other values either: a few values among many
        # others would fall below it.
        indicators = included.astype(np.float64)
        products = votes @ np.hstack([indicators, np.where(included, values - middle, 0.0)])
        curvature, moment = np.hsplit(products, 2)
        sizes = np.column_stack([votes.absolute_row_sums(column) for column in indicators.T])
    rounding = np.broadcast_to(tie_tolerance(sizes.dtype) * sizes, moment.shape)
    return Parabolas(middle, width, curvature, moment, rounding)


def lowest_in_span(
    parabolas: Parabolas, span: FloatArray, preferred: FloatArray | None = None
) -> FloatArray:
    """The lowest point of every parabola, ``(rows, d)``; within the span if it has no minimum."""
    low, high = (np.broadcast_to(end, parabolas.moment.shape) for end in span.T)
    default = np.broadcast_to(parabolas.middle, low.shape)
    if preferred is not None:
        default = np.where(np.isnan(preferred), default, np.clip(preferred, low, high))
    return _lowest(parabolas, low, high, default, preferred, lambda z: z)


def lowest_in_sets(
    parabolas: Parabolas, sets: NumberSets, span: FloatArray, preferred: FloatArray | None = None
) -> FloatArray:
    """The member of its set where each parabola is lowest, ``(rows, d)``.

    Of several such members the nearest to `preferred`. If a parabola has no minimum, infinite ends
    of the set are replaced by the ends of the span.
    """
    bounded = sets.within(span)
    hull = bounded.hull
    middles = [_first_segment_middles(bounded, column) for column in range(sets.n_columns)]
    default = np.column_stack(middles)
    # Members whose distances differ by less than this are equally near.
    slack = 1e-10 * parabolas.width
    if preferred is not None:
        nearest_members = bounded.nearest(np.where(np.isnan(preferred), default, preferred))
        default = np.where(np.isnan(preferred), default, nearest_members)

    def nearest(lowest: FloatArray) -> FloatArray:
        found = sets.nearest(lowest)
        if preferred is None:
            return found
        # Of two equally near members take the one on the side of the preferred point: it is found
        # by a small move of the lowest point to that side.
        side = np.where(np.isnan(preferred), 0.0, np.sign(preferred - lowest))
        other = sets.nearest(lowest + slack * side)
        return np.where(np.abs(other - found) > 4.0 * slack, other, found)

    return _lowest(parabolas, hull.lower, hull.upper, default, preferred, nearest)


def _first_segment_middles(sets: NumberSets, column: int) -> FloatArray:
    segments = column_segments(sets, column)
    first = segments.indptr[:-1]
    middles: FloatArray = segments.lower[first] + 0.5 * (
        segments.upper[first] - segments.lower[first]
    )
    return middles


def _lowest(
    parabolas: Parabolas,
    low: FloatArray,
    high: FloatArray,
    default: FloatArray,
    preferred: FloatArray | None,
    nearest: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """The lowest point of each parabola in its domain.

    A convex parabola is lowest at the member nearest to its vertex, a constant one at `default`,
    and any other at an end of the domain.

    Parameters
    ----------
    parabolas : Parabolas (rows, d)
    low, high : float array (rows, d)
        The ends of the domains.
    default : float array (rows, d)
        Returned where the parabola is constant.
    preferred : float array (rows, d), optional
        Of two equally good ends the nearer to this point.
    nearest : function
        The member of each domain that is nearest to a point.
    """
    middle, width, curvature, moment, rounding = parabolas
    convex = curvature > rounding
    linear = np.abs(curvature) <= rounding
    constant = linear & (np.abs(moment) <= rounding * width)
    vertex = middle + np.divide(moment, curvature, out=np.zeros_like(moment), where=convex)

    # (f(high) - f(low)) / (high - low): it tells which end is lower.
    rounded = np.where(linear, 0.0, curvature)
    mean_slope = rounded * ((low - middle) + (high - middle)) - 2.0 * moment
    take_high = mean_slope < 0.0
    if preferred is not None:
        tied = np.abs(mean_slope) <= 2.0 * rounding * width
        take_high = np.where(tied, np.abs(preferred - high) < np.abs(preferred - low), take_high)
    else:
        take_high &= np.abs(mean_slope) > 2.0 * rounding * width
    ends = np.where(take_high, high, low)
    lowest: FloatArray = np.where(convex, nearest(vertex), np.where(constant, default, ends))
    return lowest


class SquaredLoss(BaseEstimator):
    """``loss(z, y) = (z - y)^2``: predictions are means.

    All minimisers are exact. If the votes of a row sum to a positive number, the best prediction is
    ``z = (A y) / (A 1)``, inside or outside the span. If they do not, the sum of losses is concave
    or linear and has no minimum: the better end of the span is returned. See
    `disambig.losses.NumberLoss` for the methods.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.votes import as_votes
    >>> y, span = np.array([[0.0], [1.0], [8.0]]), np.array([[0.0, 8.0]])
    >>> SquaredLoss().best_prediction(as_votes([[1, 1, 1], [1, -3, 1]]), y, span)
    array([[3.],
           [8.]])
    """

    is_quadratic = True
    slopes = None

    def pointwise(self, predictions: FloatArray, targets: FloatArray) -> FloatArray:
        loss: FloatArray = np.square(predictions - targets)
        return loss

    def total(self, votes: Votes, predictions: FloatArray, targets: FloatArray) -> float:
        # z^2 - 2 z y + y^2 cancels least if numbers are measured from the middle of all of them.
        low = np.minimum(predictions.min(axis=0), targets.min(axis=0))
        high = np.maximum(predictions.max(axis=0), targets.max(axis=0))
        middle = low + 0.5 * (high - low)
        z, y = predictions - middle, targets - middle
        products = votes @ np.column_stack([np.ones(len(y)), (y * y).sum(axis=1), y])
        sums, squares, moments = products[:, 0], products[:, 1], products[:, 2:]
        return float(((z * z).sum(axis=1) * sums - 2.0 * (z * moments).sum(axis=1) + squares).sum())

    def best_prediction(
        self,
        votes: Votes,
        targets: FloatArray,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        return lowest_in_span(voted_parabolas(votes, targets, span), span, current)

    def best_target(
        self,
        transposed: Votes,
        predictions: FloatArray,
        sets: NumberSets,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        parabolas = voted_parabolas(transposed, predictions, span)
        return lowest_in_sets(parabolas, sets, span, current)

    def infimum_prediction(self, votes: Votes, sets: NumberSets, span: FloatArray) -> FloatArray:
        columns = []
        for column, (low, high) in enumerate(span):
            line = Line(
                column_segments(sets, column),
                column_segments(sets.within(span), column),
                float(low),
                float(high),
            )
            columns.append(infimum_on_line(votes, line))
        return np.stack(columns, axis=1)

    def average_prediction(self, votes: Votes, sets: NumberSets, span: FloatArray) -> FloatArray:
        # The mean loss to a set is the loss to its mean, plus a constant.
        centers = sets.centers
        return lowest_in_span(voted_parabolas(votes, centers, span, np.isfinite(centers)), span)
