"""Discounted cumulative gain as a loss between orders: the top counts most."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from disambig.losses.place_loss import BoundPlaceLoss
from disambig.notation import AnyArray, FloatArray

__all__ = ["DCGLoss"]


class DCGLoss(BaseEstimator):
    """``loss(z, y) = 1 - sum_i gain(y(i)) discount(z(i)) / (the same for z = y)``, in [0, 1].

    One minus the normalised discounted cumulative gain. The target says by its ranks what each
    item is worth, the prediction by its ranks how much of that is seen: the loss is not symmetric.
    The gains are the same numbers for every target, in another order, and so is the best sum.

    Predictions are exact for any number of items (sorting, with all ties); targets up to 20 items,
    beyond which they must be known fully or not at all.

    Parameters
    ----------
    discount : "log2" or array-like (m,), default "log2"
        ``1 / log2(k + 2)`` for position k = 0, 1, ... of the prediction, or numbers of your own:
        not negative, not rising.
    gain : "linear", "exponential" or array-like (m,), default "linear"
        What the item of rank k is worth: ``m - 1 - k``, ``2 ** (m - 1 - k) - 1``, or numbers of
        your own: not negative, not rising. Only their ratios matter. Differences of the loss below
        1e-10 are ties, as the last of many exponential gains are.
    cutoff : int, optional
        Positions of the prediction that count, from the first (the k of DCG@k). By default all.

    Examples
    --------
    >>> loss = DCGLoss().bind(np.array(["a", "b", "c"]))
    >>> z, y = np.array([[1, 0, 2]]), np.array([[0, 1, 2]])
    >>> round(float((loss.psi(z) * loss.phi(y)).sum()), 3)
    0.14
    """

    def __init__(self, discount: Any = "log2", gain: Any = "linear", cutoff: Any = None) -> None:
        self.discount = discount
        self.gain = gain
        self.cutoff = cutoff

    def bind(self, items: AnyArray) -> BoundPlaceLoss:
        """The loss on these items."""
        discounts, gains = self._discounts(len(items)), self._gains(len(items))
        best = float(discounts @ gains)
        if best == 0.0:
            # Nothing to gain, as with a single item: nothing to lose.
            return BoundPlaceLoss("the DCG loss", 0.0 * discounts[:, None], gains[:, None], 0.0)
        return BoundPlaceLoss("the DCG loss", -discounts[:, None] / best, gains[:, None], 1.0)

    def _discounts(self, m: int) -> FloatArray:
        discounts: FloatArray
        if isinstance(self.discount, str):
            if self.discount != "log2":
                raise ValueError(
                    f"DCGLoss: discount={self.discount!r} is not known; choose 'log2' or give one "
                    "number a position."
                )
            discounts = 1.0 / np.log2(np.arange(m) + 2.0)
        else:
            discounts = _falling(self.discount, "discount", m)
        if self.cutoff is not None:
            if not isinstance(self.cutoff, (int, np.integer)) or self.cutoff < 1:
                raise ValueError(
                    f"DCGLoss: cutoff={self.cutoff!r}; expected a whole number of at least 1, or "
                    "None for all positions."
                )
            discounts[self.cutoff :] = 0.0
        return discounts

    def _gains(self, m: int) -> FloatArray:
        """Gains by rank, the largest 1 (unless all are 0)."""
        worth = np.arange(m - 1.0, -1.0, -1.0)
        gains: FloatArray
        if not isinstance(self.gain, str):
            gains = _falling(self.gain, "gain", m)
        elif self.gain == "linear":
            gains = worth
        elif self.gain == "exponential":
            # Both terms over 2 ** m, which might be too large for a number.
            gains = 2.0 ** (worth - m) - 2.0**-m
        else:
            raise ValueError(
                f"DCGLoss: gain={self.gain!r} is not known; choose 'linear' or 'exponential', or "
                "give one number a rank."
            )
        return gains / gains[0] if gains[0] > 0.0 else gains


def _falling(given: Any, name: str, m: int) -> FloatArray:
    """Numbers by position, checked; a copy."""
    values = np.array(given, dtype=np.float64)
    if values.shape != (m,):
        raise ValueError(
            f"DCGLoss: {name} has shape {values.shape}; expected one number for each of the {m} "
            "positions."
        )
    bad = ~(np.isfinite(values) & (values >= 0.0))
    bad[1:] |= values[1:] > values[:-1]
    if bad.any():
        at = int(bad.argmax())
        raise ValueError(
            f"DCGLoss: {name}[{at}] is {values[at]}; expected finite numbers, not negative and not "
            "rising."
        )
    if values[0] == 0.0:
        raise ValueError(
            f"DCGLoss: {name} is 0 at every position, which makes all orders equal. Give at least "
            "one positive number."
        )
    return values
