"""Numbers of which the size is known and the sign is not."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates import Intervals, IntervalUnions
from disambig.datasets.corruptions.level import checked_share
from disambig.datasets.interval_corruptions.numbers import read_numbers
from disambig.datasets.interval_corruptions.protocol import IntervalCorruption

__all__ = ["SignCorruption"]


@dataclass(frozen=True)
class SignCorruption:
    """``S = s`` or, with probability `level`, ``S = s + (-s)``: two pieces, mirrored at 0.

    The authors' problem of partial regression, in their programs but not in the paper, has level .7
    and ``within=SkewedCorruption(side="either")``. Pieces that meet at 0 become one. With the same
    integer `random_state`, signs known at one level are known at every lower one.

    Parameters
    ----------
    level : float in [0, 1]
    within : IntervalCorruption, default None
        What makes intervals s of the numbers first; None: ``s = {y}``. It is called with the same
        generator, before signs are drawn.

    Examples
    --------
    >>> from disambig.datasets import SignCorruption
    >>> sets = SignCorruption(1.0)([2.0, -1.0])
    >>> sets.lower.tolist(), sets.indptr.tolist()
    ([-2.0, 2.0, -1.0, 1.0], [0, 2, 4])
    """

    level: float
    within: IntervalCorruption | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", checked_share("SignCorruption", "level", self.level))

    def __call__(self, y: Any, /, *, random_state: Any = None) -> IntervalUnions:
        truth = read_numbers("SignCorruption", y)
        if not truth.flat:
            raise ValueError(
                f"SignCorruption: y has shape {truth.values.shape}; expected numbers (n,): unions "
                "of intervals have one column."
            )
        values = truth.values.ravel()
        rng = np.random.default_rng(random_state)
        seen: Any = Intervals(values[:, np.newaxis], values[:, np.newaxis])
        if self.within is not None:
            seen = self.within(values, random_state=rng)
        if not isinstance(seen, Intervals):
            raise ValueError(
                f"SignCorruption: within gave {type(seen).__name__}; expected Intervals, to be "
                "mirrored. Hide signs once."
            )
        lower, upper = seen.lower.ravel(), seen.upper.ravel()
        unknown = rng.random(len(values)) < self.level
        counts = 1 + unknown
        indptr = np.concatenate([[0], np.cumsum(counts)])
        # A row of unknown sign has its mirror image in the place before it.
        ends = np.repeat(np.column_stack([lower, upper]), counts, axis=0)
        mirror = indptr[:-1][unknown]
        ends[mirror] = -ends[mirror][:, ::-1]
        return IntervalUnions(ends[:, 0], ends[:, 1], indptr)
