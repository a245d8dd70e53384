"""Numbers that leave the scale of their instrument."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates import Intervals
from disambig.datasets.interval_corruptions.numbers import read_numbers
from disambig.notation import FloatArray

__all__ = ["CensoringCorruption"]


@dataclass(frozen=True, eq=False)
class CensoringCorruption:
    """``s = (-inf, lower]`` if y <= lower, ``[upper, inf)`` if y >= upper, else ``{y}``.

    Tobin's model has ``lower=0`` alone: spending that cannot be negative. Nothing is drawn; limits
    of each row, drawn by whoever calls, make random censoring, such as patients who leave a study.

    Parameters
    ----------
    lower : float or array-like (n,), default -inf
    upper : float or array-like (n,), default inf
        Above `lower`.

    Examples
    --------
    >>> from disambig.datasets import CensoringCorruption
    >>> seen = CensoringCorruption(lower=0.0)([1.5, -2.0])
    >>> seen.lower.ravel().tolist(), seen.upper.ravel().tolist()
    ([1.5, -inf], [1.5, 0.0])
    """

    lower: Any = -np.inf
    upper: Any = np.inf

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            object.__setattr__(self, name, _checked_limit(name, getattr(self, name)))
        sizes = {limit.size for limit in (self.lower, self.upper) if limit.ndim}
        if len(sizes) > 1:
            raise ValueError(
                f"CensoringCorruption: lower has {self.lower.size} rows and upper "
                f"{self.upper.size}. Give both a limit for each row, or one for all."
            )
        if not (self.lower < self.upper).all():
            raise ValueError(
                "CensoringCorruption: lower must be below upper, in every row; got "
                f"lower={self.lower.tolist()!r}, upper={self.upper.tolist()!r}."
            )

    def __call__(self, y: Any, /, *, random_state: Any = None) -> Intervals:
        truth = read_numbers("CensoringCorruption", y)
        values = truth.values
        for name, limit in (("lower", self.lower), ("upper", self.upper)):
            if limit.ndim and limit.size != len(values):
                raise ValueError(
                    f"CensoringCorruption: {name} has {limit.size} rows and y {len(values)}. Give "
                    "a limit for each row, or one for all."
                )
        # One limit a row, the same for all columns.
        low, high = self.lower.reshape(-1, 1), self.upper.reshape(-1, 1)
        # Where a limit is passed the other end is that limit, which may lie off the truth.
        lower = np.where(values <= low, -np.inf, np.where(values >= high, high, values))
        upper = np.where(values >= high, np.inf, np.where(values <= low, low, values))
        return Intervals(lower, upper, flat=truth.flat)


def _checked_limit(name: str, limit: Any) -> FloatArray:
    array = np.array(limit, dtype=np.float64)
    if array.ndim > 1 or np.isnan(array).any():
        raise ValueError(
            f"CensoringCorruption: {name} must be a number, or one for each row; got {limit!r}."
        )
    array.setflags(write=False)
    return array
