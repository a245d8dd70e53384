"""The paper's intervals: their centres lie further out than the truth."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from disambig.candidates import Intervals
from disambig.datasets.interval_corruptions.numbers import (
    checked_amount,
    intervals_around,
    read_numbers,
)

__all__ = ["SkewedCorruption"]

_SIDES = ("outward", "either")


@dataclass(frozen=True)
class SkewedCorruption:
    """``s = y + sign(y) c + [-r, r]``, ``r = radius - scale log u``, c uniform in [0, r].

    The corruption of Cabannes, Bach and Rudi (2021), appendix D.1, and of the authors' programs,
    which agree. The centre moves away from 0, never towards it, so that midpoints are biased: on
    average by ``(radius + scale) / 2``, two thirds with the paper's numbers. At y = 0 it does not
    move.

    With ``side="either"`` c is uniform in [-r, r] whatever the sign: the truth is uniform in its
    interval and midpoints are right on average. The authors have that one in their problem of
    unknown signs (`SignCorruption`).

    Parameters
    ----------
    radius : float >= 0, default 1
        Half of the smallest width.
    scale : float >= 0, default 1/3
        Mean of what is added to the radius, which is exponential; the paper's gamma.
    side : {"outward", "either"}, default "outward"

    Examples
    --------
    >>> from disambig.datasets import SkewedCorruption
    >>> intervals = SkewedCorruption()([2.0, -2.0], random_state=0)
    >>> intervals.lower.round(2).ravel().tolist()
    [0.9, -3.46]
    >>> intervals.centers.round(2).ravel().tolist()
    [2.05, -2.02]
    """

    radius: float = 1.0
    scale: float = 1 / 3
    side: Literal["outward", "either"] = "outward"

    def __post_init__(self) -> None:
        for name in ("radius", "scale"):
            amount = checked_amount("SkewedCorruption", name, getattr(self, name))
            object.__setattr__(self, name, amount)
        if self.side not in _SIDES:
            raise ValueError(
                f"SkewedCorruption: side must be 'outward' or 'either'; got {self.side!r}."
            )

    def __call__(self, y: Any, /, *, random_state: Any = None) -> Intervals:
        truth = read_numbers("SkewedCorruption", y)
        # Radii before shifts, all by `random`: in the state of the authors' generator, their draws.
        rng = np.random.default_rng(random_state)
        # A draw may be 0, of which there is no logarithm.
        draws = np.maximum(rng.random(truth.values.shape), np.finfo(np.float64).tiny)
        radii = self.radius - self.scale * np.log(draws)
        shares = rng.random(truth.values.shape)
        if self.side == "outward":
            centers = truth.values + shares * radii * np.sign(truth.values)
        else:
            centers = truth.values + (2 * shares - 1) * radii
        return intervals_around(truth, centers - radii, centers + radii)
