"""The pinball loss between numbers."""

from numbers import Real

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

__all__ = ["PinballLoss"]


class PinballLoss(BaseEstimator):
    """``loss(z, y) = tau (y - z)`` where ``z <= y``, else ``(1 - tau) (z - y)``; tau = `quantile`.

    Predictions are quantiles: a share `quantile` of the votes goes to targets below them. Every
    step is exact, votes of either sign included. See `disambig.losses.RealLoss` for the methods.

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
        sets: RealSets,
        span: FloatArray,
        current: FloatArray | None = None,
    ) -> FloatArray:
        return tilted_target(self._prices(), transposed, predictions, sets, span, current)

    def infimum_prediction(self, votes: Votes, sets: RealSets, span: FloatArray) -> FloatArray:
        return tilted_infimum(self._prices(), votes, sets, span)

    def average_prediction(self, votes: Votes, sets: RealSets, span: FloatArray) -> FloatArray:
        return tilted_average(self._prices(), votes, sets, span)

    def _prices(self) -> Prices:
        if not (isinstance(self.quantile, Real) and 0.0 < self.quantile < 1.0):
            raise ValueError(
                f"PinballLoss: quantile={self.quantile!r}; expected a number strictly between 0 "
                "and 1, such as 0.9 for a bound that nine targets in ten stay below."
            )
        return Prices(below=float(self.quantile), above=1.0 - float(self.quantile))
