"""Some rows say nothing at all."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates import Intervals, IntervalUnions
from disambig.datasets.corruptions.level import checked_share
from disambig.datasets.interval_corruptions.numbers import read_numbers
from disambig.datasets.interval_corruptions.protocol import IntervalCorruption
from disambig.notation import BoolArray, FloatArray

__all__ = ["MissingCorruption"]


@dataclass(frozen=True)
class MissingCorruption:
    """``S`` is the whole line for ``round(level * n)`` rows drawn at random, s for the others.

    With the same integer `random_state`, rows missing at one level are missing at every higher one.
    In several columns a row misses all of them.

    Parameters
    ----------
    level : float in [0, 1]
    within : IntervalCorruption, default None
        What makes sets s of the numbers first; None: ``s = {y}``. It is called with the same
        generator, before rows are drawn.

    Examples
    --------
    >>> from disambig.datasets import MissingCorruption
    >>> seen = MissingCorruption(0.5)([1.0, 2.0, 3.0, 4.0], random_state=0)
    >>> seen.informative.tolist()
    [False, True, False, True]
    """

    level: float
    within: IntervalCorruption | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", checked_share("MissingCorruption", "level", self.level))

    def __call__(self, y: Any, /, *, random_state: Any = None) -> Intervals | IntervalUnions:
        truth = read_numbers("MissingCorruption", y)
        rng = np.random.default_rng(random_state)
        seen: Intervals | IntervalUnions = Intervals(truth.values, truth.values, flat=truth.flat)
        if self.within is not None:
            values = truth.values.ravel() if truth.flat else truth.values
            seen = self.within(values, random_state=rng)
        n = len(truth.values)
        missing = np.zeros(n, dtype=np.bool_)
        missing[rng.permutation(n)[: round(self.level * n)]] = True
        if isinstance(seen, Intervals):
            hidden = missing[:, np.newaxis]
            return Intervals(*_hidden(seen.lower, seen.upper, hidden), flat=seen.flat)
        # Pieces that have become the whole line are merged into one.
        hidden = np.repeat(missing, np.diff(seen.indptr))
        return IntervalUnions(*_hidden(seen.lower, seen.upper, hidden), seen.indptr)


def _hidden(
    lower: FloatArray, upper: FloatArray, hidden: BoolArray
) -> tuple[FloatArray, FloatArray]:
    return np.where(hidden, -np.inf, lower), np.where(hidden, np.inf, upper)
