"""The squared loss between numbers."""

import numpy as np
from sklearn.base import BaseEstimator

from disambig.candidates.sets_of_numbers import RealSets
from disambig.losses.column_pieces import column_pieces
from disambig.losses.infimum_parabolas import Line, infimum_on_line
from disambig.losses.parabolas import lowest_in_sets, lowest_in_span, voted_parabolas
from disambig.notation import FloatArray
from disambig.votes import Votes

__all__ = ["SquaredLoss"]


class SquaredLoss(BaseEstimator):
    """``loss(z, y) = (z - y)^2``: predictions are means.

    Every step is exact. Where the votes of a row sum to a positive number that is
    ``z = (A y) / (A 1)``, wherever it lies; where they do not, the sum of losses is concave or
    linear, falls for ever, and the better end of the span is taken. See
    `disambig.losses.RealLoss` for the methods.

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
        sets: RealSets,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        parabolas = voted_parabolas(transposed, predictions, span)
        return lowest_in_sets(parabolas, sets, span, current)

    def infimum_prediction(self, votes: Votes, sets: RealSets, span: FloatArray) -> FloatArray:
        columns = []
        for column, (low, high) in enumerate(span):
            line = Line(
                column_pieces(sets, column),
                column_pieces(sets.within(span), column),
                float(low),
                float(high),
            )
            columns.append(infimum_on_line(votes, line))
        return np.stack(columns, axis=1)

    def average_prediction(self, votes: Votes, sets: RealSets, span: FloatArray) -> FloatArray:
        # The mean loss to a set is the loss to its mean, plus a constant.
        centers = sets.centers
        return lowest_in_span(voted_parabolas(votes, centers, span, np.isfinite(centers)), span)
