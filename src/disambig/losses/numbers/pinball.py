"""The steps of losses with two prices: so much a unit below the target, so much a unit above.

``loss(z, y) = below (y - z)`` where ``z <= y`` and ``above (z - y)`` where ``z >= y``. The absolute
loss has both prices one, the pinball loss ``tau`` and ``1 - tau``.

The absolute loss between numbers.

The pinball loss between numbers.
"""

from numbers import Real
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates.numbers.number_sets import NumberSets
from disambig.candidates.numbers.segments import Segments, rows_of_segments
from disambig.compiled.piecewise import Curves
from disambig.losses.numbers.curves import (
    Kinks,
    bend,
    column_segments,
    minimise,
    one_segment_each,
    uniform_law,
)
from disambig.notation import FloatArray
from disambig.votes import Votes, row_blocks


class PinballSlopes(NamedTuple):
    """What a unit costs by which a prediction is below its target, and one by which it is above."""

    below: float
    above: float

    @property
    def both(self) -> float:
        """By how much the slope of the loss jumps at the target."""
        return self.below + self.above


def tilted_pointwise(
    prices: PinballSlopes, predictions: FloatArray, targets: FloatArray
) -> FloatArray:
    """``loss(z, y)`` element by element."""
    short = targets - predictions
    loss: FloatArray = np.where(short >= 0, prices.below * short, -prices.above * short)
    return loss


def tilted_total(
    prices: PinballSlopes, votes: Votes, predictions: FloatArray, targets: FloatArray
) -> float:
    """``sum_ij alpha[i, j] loss(z_i, y_j)``, summed over columns."""
    total = 0.0
    for start, block in row_blocks(votes):
        here = predictions[start : start + block.shape[0]]
        if isinstance(block, np.ndarray):
            for z, y in zip(here.T, targets.T, strict=True):
                total += float(np.vdot(block, tilted_pointwise(prices, z[:, None], y)))
        else:
            rows = np.repeat(np.arange(len(here)), np.diff(block.indptr))
            losses = tilted_pointwise(prices, here[rows], targets[block.indices])
            total += float(block.data @ losses.sum(axis=1))
    return total


def tilted_prediction(
    prices: PinballSlopes,
    votes: Votes,
    targets: FloatArray,
    span: FloatArray,
    current: FloatArray | None,
) -> FloatArray:
    """The best predictions for given targets: quantiles where no vote is negative."""
    columns = []
    for column, (low, high) in enumerate(span):
        wish = None if current is None else current[:, column]
        curves = _point_curves(prices, targets[:, column], (low, high))
        domains = one_segment_each(votes.shape[0], low, high)
        columns.append(minimise(votes, curves, domains, wish))
    return np.stack(columns, axis=1)


def tilted_target(
    prices: PinballSlopes,
    transposed: Votes,
    predictions: FloatArray,
    sets: NumberSets,
    span: FloatArray,
    current: FloatArray | None,
) -> FloatArray:
    """The best members of the sets for given predictions."""
    # Seen from the target the prices change places.
    turned = PinballSlopes(below=prices.above, above=prices.below)
    bounded = sets.within(span)
    columns = []
    for column in range(sets.n_columns):
        wish = None if current is None else current[:, column]
        domains = column_segments(bounded, column)
        # Finite ends stay as they are, and may lie outside the span.
        low, high = span[column]
        ends = domains.lower.min(initial=low), domains.upper.max(initial=high)
        curves = _point_curves(turned, predictions[:, column], ends)
        columns.append(minimise(transposed, curves, domains, wish))
    return np.stack(columns, axis=1)


def tilted_infimum(
    prices: PinballSlopes, votes: Votes, sets: NumberSets, span: FloatArray
) -> FloatArray:
    """The best predictions where every set answers with the member that suits the vote best."""
    bounded = sets.within(span)
    columns = []
    for column, (low, high) in enumerate(span):
        curves = _infimum_curves(prices, column_segments(bounded, column), (low, high))
        domains = one_segment_each(votes.shape[0], low, high)
        columns.append(minimise(votes, curves, domains))
    return np.stack(columns, axis=1)


def tilted_average(
    prices: PinballSlopes, votes: Votes, sets: NumberSets, span: FloatArray
) -> FloatArray:
    """The best predictions where every set answers with all of its members at once."""
    columns = []
    for column, (low, high) in enumerate(span):
        curves = _average_curves(prices, column_segments(sets, column), (low, high))
        domains = one_segment_each(votes.shape[0], low, high)
        columns.append(minimise(votes, curves, domains))
    return np.stack(columns, axis=1)


def _point_curves(prices: PinballSlopes, points: FloatArray, ends: tuple[float, float]) -> Curves:
    """``z -> loss(z, y)`` for every y."""
    flat = np.zeros((2, len(points)))
    kinks = Kinks(np.arange(len(points)), points, slope=prices.both)
    return bend(ends, flat - prices.below, flat, [kinks], max(prices))


def _infimum_curves(prices: PinballSlopes, pieces: Segments, ends: tuple[float, float]) -> Curves:
    """``z -> min of loss(z, y)`` over the pieces for positive votes, ``max`` for negative ones."""
    owner = rows_of_segments(pieces.indptr)
    n = len(pieces.indptr) - 1
    # Of all members an end of the hull is the worst; this part of the way from the lower to the
    # upper one both are equally bad. In a gap, it is as far to the piece before and the one after.
    part = prices.below / prices.both
    first, last = pieces.lower[pieces.indptr[:-1]], pieces.upper[pieces.indptr[1:] - 1]
    gap = np.flatnonzero(owner[1:] == owner[:-1])
    before, after = pieces.upper[gap], pieces.lower[gap + 1]
    flat = np.zeros((2, n))
    return bend(
        ends,
        flat - prices.below,
        flat,
        [
            Kinks(owner, pieces.lower, slope=prices.below, side=1),
            Kinks(owner, pieces.upper, slope=prices.above, side=1),
            Kinks(owner[gap], before + part * (after - before), slope=-prices.both, side=1),
            Kinks(np.arange(n), first + part * (last - first), slope=prices.both, side=-1),
        ],
        max(prices),
    )


def _average_curves(prices: PinballSlopes, pieces: Segments, ends: tuple[float, float]) -> Curves:
    """``z -> mean of loss(z, y)`` over the members of every set."""
    law = uniform_law(pieces)
    slopes = np.zeros((2, len(pieces.indptr) - 1))
    slopes[:, law.owner] = -prices.below
    lengths = law.upper - law.lower
    # Over a stretch the slope rises at an even rate; what is too short to have a rate is a point.
    point = lengths <= np.finfo(np.float64).eps * (ends[1] - ends[0])
    rise = law.mass * prices.both
    rate = np.divide(rise, 2.0 * lengths, out=np.zeros_like(rise), where=~point)
    stretch = ~point
    return bend(
        ends,
        slopes,
        np.zeros_like(slopes),
        [
            Kinks(law.owner[point], law.lower[point], slope=rise[point]),
            Kinks(law.owner[stretch], law.lower[stretch], curvature=rate[stretch]),
            Kinks(law.owner[stretch], law.upper[stretch], curvature=-rate[stretch]),
        ],
        max(prices),
    )


_PRICES = PinballSlopes(below=1.0, above=1.0)


class AbsoluteLoss(BaseEstimator):
    """``loss(z, y) = |z - y|``: predictions are medians.

    Every step is exact, votes of either sign included. See `disambig.losses.NumberLoss` for the
    methods.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.votes import as_votes
    >>> y = np.array([[0.0], [1.0], [50.0]])
    >>> AbsoluteLoss().best_prediction(as_votes([[1, 1, 1]]), y, span=np.array([[0.0, 50.0]]))
    array([[1.]])
    """

    def pointwise(self, predictions: FloatArray, targets: FloatArray) -> FloatArray:
        return tilted_pointwise(_PRICES, predictions, targets)

    def total(self, votes: Votes, predictions: FloatArray, targets: FloatArray) -> float:
        return tilted_total(_PRICES, votes, predictions, targets)

    def best_prediction(
        self,
        votes: Votes,
        targets: FloatArray,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        return tilted_prediction(_PRICES, votes, targets, span, current)

    def best_target(
        self,
        transposed: Votes,
        predictions: FloatArray,
        sets: NumberSets,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        return tilted_target(_PRICES, transposed, predictions, sets, span, current)

    def infimum_prediction(self, votes: Votes, sets: NumberSets, span: FloatArray) -> FloatArray:
        return tilted_infimum(_PRICES, votes, sets, span)

    def average_prediction(self, votes: Votes, sets: NumberSets, span: FloatArray) -> FloatArray:
        return tilted_average(_PRICES, votes, sets, span)


class PinballLoss(BaseEstimator):
    """``loss(z, y) = tau (y - z)`` where ``z <= y``, else ``(1 - tau) (z - y)``; tau = `quantile`.

    Predictions are quantiles: a share `quantile` of the votes goes to targets below them. Every
    step is exact, votes of either sign included. See `disambig.losses.NumberLoss` for the methods.

    Parameters
    ----------
    quantile : float, default 0.5
        Strictly between 0 and 1; one half gives half the absolute loss.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.votes import as_votes
    >>> y, span = np.arange(11.0)[:, None], np.array([[0.0, 10.0]])
    >>> PinballLoss(quantile=0.9).best_prediction(as_votes(np.ones((1, 11))), y, span)
    array([[9.]])
    """

    def __init__(self, quantile: float = 0.5) -> None:
        self.quantile = quantile

    def pointwise(self, predictions: FloatArray, targets: FloatArray) -> FloatArray:
        return tilted_pointwise(self._prices(), predictions, targets)

    def total(self, votes: Votes, predictions: FloatArray, targets: FloatArray) -> float:
        return tilted_total(self._prices(), votes, predictions, targets)

    def best_prediction(
        self,
        votes: Votes,
        targets: FloatArray,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        return tilted_prediction(self._prices(), votes, targets, span, current)

    def best_target(
        self,
        transposed: Votes,
        predictions: FloatArray,
        sets: NumberSets,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        return tilted_target(self._prices(), transposed, predictions, sets, span, current)

    def infimum_prediction(self, votes: Votes, sets: NumberSets, span: FloatArray) -> FloatArray:
        return tilted_infimum(self._prices(), votes, sets, span)

    def average_prediction(self, votes: Votes, sets: NumberSets, span: FloatArray) -> FloatArray:
        return tilted_average(self._prices(), votes, sets, span)

    def _prices(self) -> PinballSlopes:
        if not (isinstance(self.quantile, Real) and 0.0 < self.quantile < 1.0):
            raise ValueError(
                f"PinballLoss: quantile={self.quantile!r}; expected a number strictly between 0 "
                "and 1, such as 0.9 for a bound that nine targets in ten stay below."
            )
        return PinballSlopes(below=float(self.quantile), above=1.0 - float(self.quantile))
