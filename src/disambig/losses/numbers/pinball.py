"""The absolute loss and the pinball loss between numbers.

Both are ``loss(z, y) = below (y - z)`` where ``z <= y`` and ``above (z - y)`` where ``z >= y``. The
absolute loss has ``below = above = 1``, the pinball loss ``below = tau`` and ``above = 1 - tau``.
The functions ``pinball_*`` take these two slopes as `PinballSlopes` and serve both classes.
"""

from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates.numbers.number_sets import NumberSets
from disambig.candidates.numbers.segments import Segments, rows_of_segments
from disambig.compiled.piecewise import Curves
from disambig.losses.numbers.curves import (
    Kinks,
    column_segments,
    curves_from_kinks,
    minimise,
    one_segment_each,
    uniform_distributions,
)
from disambig.notation import FloatArray
from disambig.parameters import check_number
from disambig.votes import Votes
from disambig.votes.blocks import row_blocks


class PinballSlopes(NamedTuple):
    """The loss per unit by which a prediction is below, and above, its target."""

    below: float
    above: float

    @property
    def jump(self) -> float:
        """The jump of the slope of the loss at the target."""
        return self.below + self.above


def pinball_pointwise(
    slopes: PinballSlopes, predictions: FloatArray, targets: FloatArray
) -> FloatArray:
    """``loss(z, y)`` element by element."""
    residuals = targets - predictions
    loss: FloatArray = np.where(residuals >= 0, slopes.below * residuals, -slopes.above * residuals)
    return loss


def pinball_total(
    slopes: PinballSlopes, votes: Votes, predictions: FloatArray, targets: FloatArray
) -> float:
    """``sum_ij alpha[i, j] loss(z_i, y_j)``, summed over columns."""
    total = 0.0
    for start, block in row_blocks(votes):
        block_predictions = predictions[start : start + block.shape[0]]
        if isinstance(block, np.ndarray):
            for z, y in zip(block_predictions.T, targets.T, strict=True):
                total += float(np.vdot(block, pinball_pointwise(slopes, z[:, None], y)))
        else:
            rows = np.repeat(np.arange(len(block_predictions)), np.diff(block.indptr))
            losses = pinball_pointwise(slopes, block_predictions[rows], targets[block.indices])
            total += float(block.data @ losses.sum(axis=1))
    return total


def pinball_prediction(
    slopes: PinballSlopes,
    votes: Votes,
    targets: FloatArray,
    span: FloatArray,
    current: FloatArray | None,
) -> FloatArray:
    """The best predictions for given targets: weighted quantiles if no vote is negative."""
    columns = []
    for column, (low, high) in enumerate(span):
        preferred = None if current is None else current[:, column]
        curves = _point_curves(slopes, targets[:, column], (low, high))
        domains = one_segment_each(votes.shape[0], low, high)
        columns.append(minimise(votes, curves, domains, preferred))
    return np.stack(columns, axis=1)


def pinball_target(
    slopes: PinballSlopes,
    transposed: Votes,
    predictions: FloatArray,
    sets: NumberSets,
    span: FloatArray,
    current: FloatArray | None,
) -> FloatArray:
    """The best members of the sets for given predictions."""
    # As a function of the target, the loss has its two slopes swapped.
    swapped = PinballSlopes(below=slopes.above, above=slopes.below)
    bounded = sets.within(span)
    columns = []
    for column in range(sets.n_columns):
        preferred = None if current is None else current[:, column]
        domains = column_segments(bounded, column)
        # Finite ends are not moved, so they can lie outside the span.
        low, high = span[column]
        ends = domains.lower.min(initial=low), domains.upper.max(initial=high)
        curves = _point_curves(swapped, predictions[:, column], ends)
        columns.append(minimise(transposed, curves, domains, preferred))
    return np.stack(columns, axis=1)


def pinball_infimum_prediction(
    slopes: PinballSlopes, votes: Votes, sets: NumberSets, span: FloatArray
) -> FloatArray:
    """The best predictions if every vote takes the member of its set with the lowest loss."""
    bounded = sets.within(span)
    columns = []
    for column, (low, high) in enumerate(span):
        curves = _infimum_curves(slopes, column_segments(bounded, column), (low, high))
        domains = one_segment_each(votes.shape[0], low, high)
        columns.append(minimise(votes, curves, domains))
    return np.stack(columns, axis=1)


def pinball_average_prediction(
    slopes: PinballSlopes, votes: Votes, sets: NumberSets, span: FloatArray
) -> FloatArray:
    """The best predictions if every vote pays the mean loss over its set."""
    columns = []
    for column, (low, high) in enumerate(span):
        curves = _average_curves(slopes, column_segments(sets, column), (low, high))
        domains = one_segment_each(votes.shape[0], low, high)
        columns.append(minimise(votes, curves, domains))
    return np.stack(columns, axis=1)


def _point_curves(slopes: PinballSlopes, points: FloatArray, ends: tuple[float, float]) -> Curves:
    """``z -> loss(z, y)`` for every y."""
    flat = np.zeros((2, len(points)))
    kinks = Kinks(np.arange(len(points)), points, slope=slopes.jump)
    return curves_from_kinks(ends, flat - slopes.below, flat, [kinks], max(slopes))


def _infimum_curves(slopes: PinballSlopes, segments: Segments, ends: tuple[float, float]) -> Curves:
    """``z -> min of loss(z, y)`` over the sets for positive votes, ``max`` for negative ones."""
    owner = rows_of_segments(segments.indptr)
    n = len(segments.indptr) - 1
    # The worst member is an end of the hull. Both ends are equally bad at this share of the way
    # from the lower to the upper one. In a gap, the two segments beside it tie at the same share.
    share = slopes.below / slopes.jump
    first, last = segments.lower[segments.indptr[:-1]], segments.upper[segments.indptr[1:] - 1]
    gaps = np.flatnonzero(owner[1:] == owner[:-1])
    before, after = segments.upper[gaps], segments.lower[gaps + 1]
    flat = np.zeros((2, n))
    return curves_from_kinks(
        ends,
        flat - slopes.below,
        flat,
        [
            Kinks(owner, segments.lower, slope=slopes.below, side=1),
            Kinks(owner, segments.upper, slope=slopes.above, side=1),
            Kinks(owner[gaps], before + share * (after - before), slope=-slopes.jump, side=1),
            Kinks(np.arange(n), first + share * (last - first), slope=slopes.jump, side=-1),
        ],
        max(slopes),
    )


def _average_curves(slopes: PinballSlopes, segments: Segments, ends: tuple[float, float]) -> Curves:
    """``z -> mean of loss(z, y)`` over the members of every set."""
    uniform = uniform_distributions(segments)
    initial_slopes = np.zeros((2, len(segments.indptr) - 1))
    initial_slopes[:, uniform.owner] = -slopes.below
    lengths = uniform.upper - uniform.lower
    # On the interval of a component the slope of the mean loss rises linearly. An interval shorter
    # than the rounding error of the span counts as a point: its curvature would be meaningless.
    is_point = lengths <= np.finfo(np.float64).eps * (ends[1] - ends[0])
    rise = uniform.probability * slopes.jump
    curvature = np.divide(rise, 2.0 * lengths, out=np.zeros_like(rise), where=~is_point)
    extended = ~is_point
    return curves_from_kinks(
        ends,
        initial_slopes,
        np.zeros_like(initial_slopes),
        [
            Kinks(uniform.owner[is_point], uniform.lower[is_point], slope=rise[is_point]),
            Kinks(uniform.owner[extended], uniform.lower[extended], curvature=curvature[extended]),
            Kinks(uniform.owner[extended], uniform.upper[extended], curvature=-curvature[extended]),
        ],
        max(slopes),
    )


_ABSOLUTE_SLOPES = PinballSlopes(below=1.0, above=1.0)


class AbsoluteLoss(BaseEstimator):
    """``loss(z, y) = |z - y|``: predictions are medians.

    All minimisers are exact, also for negative votes. See `disambig.losses.NumberLoss` for the
    methods.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.votes import as_votes
    >>> y = np.array([[0.0], [1.0], [50.0]])
    >>> AbsoluteLoss().best_prediction(as_votes([[1, 1, 1]]), y, span=np.array([[0.0, 50.0]]))
    array([[1.]])
    """

    is_quadratic = False
    slopes = _ABSOLUTE_SLOPES

    def pointwise(self, predictions: FloatArray, targets: FloatArray) -> FloatArray:
        return pinball_pointwise(_ABSOLUTE_SLOPES, predictions, targets)

    def total(self, votes: Votes, predictions: FloatArray, targets: FloatArray) -> float:
        return pinball_total(_ABSOLUTE_SLOPES, votes, predictions, targets)

    def best_prediction(
        self,
        votes: Votes,
        targets: FloatArray,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        return pinball_prediction(_ABSOLUTE_SLOPES, votes, targets, span, current)

    def best_target(
        self,
        transposed: Votes,
        predictions: FloatArray,
        sets: NumberSets,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        return pinball_target(_ABSOLUTE_SLOPES, transposed, predictions, sets, span, current)

    def infimum_prediction(self, votes: Votes, sets: NumberSets, span: FloatArray) -> FloatArray:
        return pinball_infimum_prediction(_ABSOLUTE_SLOPES, votes, sets, span)

    def average_prediction(self, votes: Votes, sets: NumberSets, span: FloatArray) -> FloatArray:
        return pinball_average_prediction(_ABSOLUTE_SLOPES, votes, sets, span)


class PinballLoss(BaseEstimator):
    """``loss(z, y) = tau (y - z)`` where ``z <= y``, else ``(1 - tau) (z - y)``; tau = `quantile`.

    Predictions are quantiles: a share `quantile` of the votes goes to targets below them. All
    minimisers are exact, also for negative votes. See `disambig.losses.NumberLoss` for the methods.

    Parameters
    ----------
    quantile : float, default 0.5
        Strictly between 0 and 1; 0.5 gives half the absolute loss.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.votes import as_votes
    >>> y, span = np.arange(11.0)[:, None], np.array([[0.0, 10.0]])
    >>> PinballLoss(quantile=0.9).best_prediction(as_votes(np.ones((1, 11))), y, span)
    array([[9.]])
    """

    is_quadratic = False

    def __init__(self, quantile: float = 0.5) -> None:
        self.quantile = quantile

    def pointwise(self, predictions: FloatArray, targets: FloatArray) -> FloatArray:
        return pinball_pointwise(self.slopes, predictions, targets)

    def total(self, votes: Votes, predictions: FloatArray, targets: FloatArray) -> float:
        return pinball_total(self.slopes, votes, predictions, targets)

    def best_prediction(
        self,
        votes: Votes,
        targets: FloatArray,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        return pinball_prediction(self.slopes, votes, targets, span, current)

    def best_target(
        self,
        transposed: Votes,
        predictions: FloatArray,
        sets: NumberSets,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        return pinball_target(self.slopes, transposed, predictions, sets, span, current)

    def infimum_prediction(self, votes: Votes, sets: NumberSets, span: FloatArray) -> FloatArray:
        return pinball_infimum_prediction(self.slopes, votes, sets, span)

    def average_prediction(self, votes: Votes, sets: NumberSets, span: FloatArray) -> FloatArray:
        return pinball_average_prediction(self.slopes, votes, sets, span)

    @property
    def slopes(self) -> PinballSlopes:
        """``(quantile, 1 - quantile)``."""
        advice = "With 0.9, nine targets in ten stay below the prediction."
        quantile = check_number(
            "PinballLoss", "quantile", self.quantile, positive=True, below=1, advice=advice
        )
        return PinballSlopes(below=quantile, above=1.0 - quantile)
