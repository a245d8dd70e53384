"""Spearman's footrule between orders: how far the items are displaced."""

import numpy as np
from sklearn.base import BaseEstimator

from disambig.losses.place_loss import BoundPlaceLoss
from disambig.notation import AnyArray

__all__ = ["FootruleLoss"]


class FootruleLoss(BaseEstimator):
    """``loss(z, y) = sum_i |z(i) - y(i)| / floor(m^2 / 2)``, in [0, 1].

    Ranks are compared, not pairs: an item displaced by two positions costs twice one displaced by
    one. Reversed orders are at distance 1, and others too. ``phi(y)`` is the permutation matrix of
    y, ``psi(z)[i, k]`` what ``|z(i) - k|`` costs; each has a last coordinate that adds nothing.

    Both minimisers are exact up to 20 items, with all their ties. Beyond, predictions are exact
    (an assignment problem), one of the tied orders each, and targets must be known fully or not at
    all.

    Examples
    --------
    >>> loss = FootruleLoss().bind(np.array(["a", "b", "c"]))
    >>> z, y = np.array([[0, 1, 2]]), np.array([[0, 2, 1]])
    >>> float((loss.psi(z) * loss.phi(y)).sum())
    0.5
    """

    def bind(self, items: AnyArray) -> BoundPlaceLoss:
        """The loss on these items."""
        m = len(items)
        position = np.arange(m)
        # A single item is never displaced.
        largest = max(1, m * m // 2)
        displaced = np.abs(position[:, None] - position) / largest
        return BoundPlaceLoss("the footrule", displaced, np.eye(m), 0.0)
