"""Numbers before they are hidden, and the numbers that say how they are."""

from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates import Intervals
from disambig.exceptions import CandidateError
from disambig.notation import FloatArray

__all__ = ["Numbers", "checked_amount", "intervals_around", "read_numbers"]


class Numbers(NamedTuple):
    """The truth: `values` is (n, d), and `flat` says that it came as plain numbers."""

    values: FloatArray
    flat: bool


def read_numbers(owner: str, y: Any) -> Numbers:
    """Finite numbers ``(n,)`` or ``(n, d)``; raises for `owner`.

    Examples
    --------
    >>> read_numbers("BinCorruption", [1, 2.5]).values.tolist()
    [[1.0], [2.5]]
    """
    values = np.array(y, dtype=np.float64)
    if values.ndim not in (1, 2):
        raise CandidateError(
            f"{owner}: y has shape {values.shape}; expected numbers (n,) or points (n, d)."
        )
    flat = values.ndim == 1
    values = values.reshape(len(values), -1)
    bad = ~np.isfinite(values).all(axis=1)
    if bad.any():
        row, count = int(np.argmax(bad)), np.count_nonzero(bad)
        raise CandidateError(
            f"{owner}: row {row} is {values[row].tolist()} ({count} such "
            f"{'row' if count == 1 else 'rows'}); expected finite numbers, the truth that is to be "
            "hidden. Drop such rows, or give them their number."
        )
    return Numbers(values, flat)


def intervals_around(truth: Numbers, lower: FloatArray, upper: FloatArray) -> Intervals:
    """``[lower, upper]``, widened to hold the truth where rounding put it just outside."""
    return Intervals(
        np.minimum(lower, truth.values), np.maximum(upper, truth.values), flat=truth.flat
    )


def checked_amount(owner: str, name: str, value: Any, *, positive: bool = False) -> float:
    """Return `value` as a finite float >= 0, or > 0, or raise.

    Examples
    --------
    >>> checked_amount("RoundingCorruption", "step", 2, positive=True)
    2.0
    """
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else np.nan
    if not np.isfinite(number) or number < 0 or (positive and number == 0):
        raise ValueError(
            f"{owner}: {name} must be a finite number {'>' if positive else '>='} 0; got {value!r}."
        )
    return number
