"""Numbers written down with few digits."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from disambig.candidates import Intervals
from disambig.datasets.interval_corruptions.numbers import (
    checked_amount,
    intervals_around,
    read_numbers,
)

__all__ = ["RoundingCorruption"]

_MODES = ("nearest", "down")


@dataclass(frozen=True)
class RoundingCorruption:
    """``s``: all that is rounded to the same multiple of `step` as y; nothing is drawn.

    Halves are rounded up, and both ends belong to the interval.

    Parameters
    ----------
    step : float > 0
    mode : {"nearest", "down"}, default "nearest"
        To the nearest multiple, or to the next below, as an age in years is.

    Examples
    --------
    >>> from disambig.datasets import RoundingCorruption
    >>> nearest = RoundingCorruption(10)([12.0, 15.0, -3.0])
    >>> nearest.lower.ravel().tolist(), nearest.upper.ravel().tolist()
    ([5.0, 15.0, -5.0], [15.0, 25.0, 5.0])
    >>> RoundingCorruption(10, mode="down")([12.0, 15.0, -3.0]).lower.ravel().tolist()
    [10.0, 10.0, -10.0]
    """

    step: float
    mode: Literal["nearest", "down"] = "nearest"

    def __post_init__(self) -> None:
        step = checked_amount("RoundingCorruption", "step", self.step, positive=True)
        object.__setattr__(self, "step", step)
        if self.mode not in _MODES:
            raise ValueError(
                f"RoundingCorruption: mode must be 'nearest' or 'down'; got {self.mode!r}."
            )

    def __call__(self, y: Any, /, *, random_state: Any = None) -> Intervals:
        truth = read_numbers("RoundingCorruption", y)
        offset = 0.5 if self.mode == "nearest" else 0.0
        below = np.floor(truth.values / self.step + offset) - offset
        return intervals_around(truth, below * self.step, (below + 1) * self.step)
