"""Vote-weighted sums of squares, one parabola a row and column, and where they are lowest.

The squared loss between numbers.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates.numbers.number_sets import NumberSets
from disambig.losses.numbers.curves import column_segments
from disambig.losses.numbers.infimum_squares import Line, infimum_on_line
from disambig.notation import BoolArray, FloatArray
from disambig.tolerances import tie_tolerance
from disambig.votes import Votes


class Parabolas(NamedTuple):
    """``f(z) = curvature (z - middle)^2 - 2 pull (z - middle)`` for each row and column.

    Attributes
    ----------
    middle, width : float array (d,)
        Of the span; around its middle the formula cancels least.
    curvature, pull : float array (rows, d)
    rounding : float array (rows, d)
        A curvature of this size is none, nor a pull of this size times the width.
    """

    middle: FloatArray
    width: FloatArray
    curvature: FloatArray
    pull: FloatArray
    rounding: FloatArray


def voted_parabolas(
    votes: Votes, values: FloatArray, span: FloatArray, heard: BoolArray | None = None
) -> Parabolas:
    """``z -> sum_j alpha[i, j] (z - values[j])^2`` up to a constant.

    Parameters
    ----------
    votes : Votes (q, n)
    values : float array (n, d)
    span : float array (d, 2)
    heard : bool array (n, d), optional
        Which values count; by default all.
    """
    width = span[:, 1] - span[:, 0]
    middle = span[:, 0] + 0.5 * width
    if heard is None:
        products = votes @ np.column_stack([np.ones(len(values)), values - middle])
        curvature, pull = np.broadcast_to(products[:, :1], products[:, 1:].shape), products[:, 1:]
        sizes = votes.absolute_row_sums()[:, None]
    else:
        # What is not heard must not count as rounding either: a few rows that say something
        # would be lost among many that do not.
        counted = heard.astype(np.float64)
        products = votes @ np.hstack([counted, np.where(heard, values - middle, 0.0)])
        curvature, pull = np.hsplit(products, 2)
        sizes = np.column_stack([votes.absolute_row_sums(column) for column in counted.T])
    rounding = np.broadcast_to(tie_tolerance(sizes.dtype) * sizes, pull.shape)
    return Parabolas(middle, width, curvature, pull, rounding)


def lowest_in_span(
    parabolas: Parabolas, span: FloatArray, wish: FloatArray | None = None
) -> FloatArray:
    """The lowest point of every parabola, ``(rows, d)``; of the span where it has none."""
    low, high = (np.broadcast_to(end, parabolas.pull.shape) for end in span.T)
    flat = np.broadcast_to(parabolas.middle, low.shape)
    if wish is not None:
        flat = np.where(np.isnan(wish), flat, np.clip(wish, low, high))
    return _lowest(parabolas, low, high, flat, wish, lambda z: z)


def lowest_in_sets(
    parabolas: Parabolas, sets: NumberSets, span: FloatArray, wish: FloatArray | None = None
) -> FloatArray:
    """The lowest member of every parabola's set, ``(rows, d)``; or as wished.

    Where a parabola has no lowest point the set ends where the span does.
    """
    bounded = sets.within(span)
    hull = bounded.hull
    flat = np.column_stack([_first_middles(bounded, column) for column in range(sets.n_columns)])
    slack = 1e-10 * parabolas.width
    if wish is not None:
        wished = bounded.nearest(np.where(np.isnan(wish), flat, wish))
        flat = np.where(np.isnan(wish), flat, wished)

    def nearest(lowest: FloatArray) -> FloatArray:
        found = sets.nearest(lowest)
        if wish is None:
            return found
        # Two members as near as each other: that on the side of the wish.
        interpolate = np.where(np.isnan(wish), 0.0, np.sign(wish - lowest))
        other = sets.nearest(lowest + slack * interpolate)
        return np.where(np.abs(other - found) > 4.0 * slack, other, found)

    return _lowest(parabolas, hull.lower, hull.upper, flat, wish, nearest)


def _first_middles(sets: NumberSets, column: int) -> FloatArray:
    pieces = column_segments(sets, column)
    first = pieces.indptr[:-1]
    middles: FloatArray = pieces.lower[first] + 0.5 * (pieces.upper[first] - pieces.lower[first])
    return middles


def _lowest(
    parabolas: Parabolas,
    low: FloatArray,
    high: FloatArray,
    flat: FloatArray,
    wish: FloatArray | None,
    nearest: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """The case of each parabola: a lowest point, none (an end is best), or flat.

    Parameters
    ----------
    parabolas : Parabolas (rows, d)
    low, high : float array (rows, d)
        The ends of the domains.
    flat : float array (rows, d)
        What is returned where nothing is lower than anything else.
    wish : float array (rows, d), optional
    nearest : function
        The member of each domain that is nearest to a point.
    """
    middle, width, curvature, pull, rounding = parabolas
    convex = curvature > rounding
    level = np.abs(curvature) <= rounding
    nothing = level & (np.abs(pull) <= rounding * width)
    bottom = middle + np.divide(pull, curvature, out=np.zeros_like(pull), where=convex)

    bend = np.where(level, 0.0, curvature)
    rise = bend * ((low - middle) + (high - middle)) - 2.0 * pull
    take_high = rise < 0.0
    if wish is not None:
        tied = np.abs(rise) <= 2.0 * rounding * width
        take_high = np.where(tied, np.abs(wish - high) < np.abs(wish - low), take_high)
    else:
        take_high &= np.abs(rise) > 2.0 * rounding * width
    ends = np.where(take_high, high, low)
    lowest: FloatArray = np.where(convex, nearest(bottom), np.where(nothing, flat, ends))
    return lowest


class SquaredLoss(BaseEstimator):
    """``loss(z, y) = (z - y)^2``: predictions are means.

    Every step is exact. Where the votes of a row sum to a positive number that is
    ``z = (A y) / (A 1)``, wherever it lies; where they do not, the sum of losses is concave or
    linear, falls for ever, and the better end of the span is taken. See
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

    def pointwise(self, predictions: FloatArray, targets: FloatArray) -> FloatArray:
        loss: FloatArray = np.square(predictions - targets)
        return loss

    def total(self, votes: Votes, predictions: FloatArray, targets: FloatArray) -> float:
        # Written out, z^2 - 2 z y + y^2 cancels least around the middle of all numbers.
        low = np.minimum(predictions.min(axis=0), targets.min(axis=0))
        high = np.maximum(predictions.max(axis=0), targets.max(axis=0))
        middle = low + 0.5 * (high - low)
        z, y = predictions - middle, targets - middle
        products = votes @ np.column_stack([np.ones(len(y)), (y * y).sum(axis=1), y])
        sums, squares, means = products[:, 0], products[:, 1], products[:, 2:]
        return float(((z * z).sum(axis=1) * sums - 2.0 * (z * means).sum(axis=1) + squares).sum())

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
