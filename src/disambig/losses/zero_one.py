"""The 0-1 loss."""

import numpy as np
from sklearn.base import BaseEstimator

from disambig.losses.finite import FiniteLoss
from disambig.notation import AnyArray

__all__ = ["ZeroOneLoss"]


class ZeroOneLoss(BaseEstimator):
    """``loss(z, y) = 1`` if ``z != y`` else 0: every mistake costs the same.

    Examples
    --------
    >>> import numpy as np
    >>> ZeroOneLoss().bind(np.array(["cat", "dog"])).matrix
    array([[0., 1.],
           [1., 0.]])
    """

    def bind(self, classes: AnyArray) -> FiniteLoss:
        """The loss on these classes."""
        return FiniteLoss(1.0 - np.eye(len(classes)), classes, classes)
