"""The absolute loss between numbers."""

from sklearn.base import BaseEstimator

from disambig.candidates.sets_of_numbers import RealSets
from disambig.losses.tilted import (
    Prices,
    tilted_average,
    tilted_infimum,
    tilted_pointwise,
    tilted_prediction,
    tilted_target,
    tilted_total,
)
from disambig.notation import FloatArray
from disambig.votes import Votes

__all__ = ["AbsoluteLoss"]

_PRICES = Prices(below=1.0, above=1.0)


class AbsoluteLoss(BaseEstimator):
    """``loss(z, y) = |z - y|``: predictions are medians.

    Every step is exact, votes of either sign included. See `disambig.losses.RealLoss` for the
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
        sets: RealSets,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        return tilted_target(_PRICES, transposed, predictions, sets, span, current)

    def infimum_prediction(self, votes: Votes, sets: RealSets, span: FloatArray) -> FloatArray:
        return tilted_infimum(_PRICES, votes, sets, span)

    def average_prediction(self, votes: Votes, sets: RealSets, span: FloatArray) -> FloatArray:
        return tilted_average(_PRICES, votes, sets, span)
