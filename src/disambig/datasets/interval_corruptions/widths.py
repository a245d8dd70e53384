"""Intervals of random width, the truth anywhere inside."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates import Intervals
from disambig.datasets.interval_corruptions.numbers import (
    checked_amount,
    intervals_around,
    read_numbers,
)

__all__ = ["WidthCorruption"]


@dataclass(frozen=True)
class WidthCorruption:
    """``s = y + [-v w, (1 - v) w]``, w uniform in [0, largest], v uniform in [0, 1].

    The truth is uniform in its interval, so that midpoints are right on average. With the same
    integer `random_state`, intervals grow with `largest`; at 0 they are points.

    Parameters
    ----------
    largest : float >= 0
        The mean width is half of it.

    Examples
    --------
    >>> from disambig.datasets import WidthCorruption
    >>> intervals = WidthCorruption(2.0)([0.0, 5.0], random_state=0)
    >>> intervals.lower.round(2).ravel().tolist(), intervals.upper.round(2).ravel().tolist()
    ([-0.05, 4.99], [1.22, 5.53])
    """

    largest: float

    def __post_init__(self) -> None:
        largest = checked_amount("WidthCorruption", "largest", self.largest)
        object.__setattr__(self, "largest", largest)

    def __call__(self, y: Any, /, *, random_state: Any = None) -> Intervals:
        truth = read_numbers("WidthCorruption", y)
        rng = np.random.default_rng(random_state)
        widths = self.largest * rng.random(truth.values.shape)
        below = rng.random(truth.values.shape)
        return intervals_around(
            truth, truth.values - below * widths, truth.values + (1 - below) * widths
        )
