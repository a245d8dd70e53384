"""Losses for classes with an order."""

import numpy as np
from sklearn.base import BaseEstimator

from disambig.losses.finite import FiniteLoss
from disambig.notation import AnyArray

__all__ = ["OrdinalLoss"]


class OrdinalLoss(BaseEstimator):
    """``loss(z, y) = |rank(z) - rank(y)| ** power``, ranks in the order of ``classes_``.

    Parameters
    ----------
    power : float, default 1
        1 leads to medians, 2 to (rounded) means.

    Examples
    --------
    >>> import numpy as np
    >>> OrdinalLoss(power=2).bind(np.array([1, 2, 3])).matrix
    array([[0., 1., 4.],
           [1., 0., 1.],
           [4., 1., 0.]])
    """

    def __init__(self, power: float = 1) -> None:
        self.power = power

    def bind(self, classes: AnyArray) -> FiniteLoss:
        """The loss on these classes, in this order."""
        if not (np.isfinite(self.power) and self.power > 0):
            raise ValueError(f"OrdinalLoss: power={self.power!r}; expected a positive number.")
        ranks = np.arange(len(classes))
        distance = np.abs(np.subtract.outer(ranks, ranks)).astype(np.float64)
        return FiniteLoss(distance**self.power, classes, classes)
