"""Real numbers out of what users write: any numeric dtype, objects, missing values as NaN."""

import math
import numbers
import reprlib
import sys
from decimal import Decimal
from typing import Any

import numpy as np

from disambig.candidates.interval_ends import interval_fault, require_small
from disambig.candidates.missing import is_missing
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, FloatArray

__all__ = ["finite_or_huge", "is_real", "number", "real_numbers"]


def is_real(value: object) -> bool:
    """Whether `value` is a real number; a bool is none, NaN is one."""
    return isinstance(value, (numbers.Real, Decimal)) and not isinstance(value, bool)


def number(value: Any) -> float | None:
    """`value` as a float, NaN if it is missing, None if it is no number.

    Examples
    --------
    >>> number(3), number(None), number("3")
    (3.0, nan, None)
    """
    if is_missing(value):
        return math.nan
    if not is_real(value):
        return None
    try:
        converted = float(value)
    except OverflowError:
        return math.copysign(sys.float_info.max, 1 if value > 0 else -1)
    if math.isinf(converted):
        return finite_or_huge(converted, abs(value) != math.inf)
    return converted


def finite_or_huge(value: float, finite: bool) -> float:
    """The largest float instead of an infinity that stands for something `finite`.

    No bound and a bound that overflows are two things: the latter is refused later on.
    """
    if finite and math.isinf(value):
        return math.copysign(sys.float_info.max, value)
    return value


def real_numbers(values: AnyArray, remedy: str) -> FloatArray:
    """An array of any shape ``(n, ...)`` as float64, missing entries NaN.

    Raises at entries that are no real numbers, with the `remedy`.
    """
    if values.dtype.kind == "c":
        raise CandidateError(
            f"Intervals: Complex data not supported; y has dtype {values.dtype}. Pass y.real, or "
            f"real and imaginary part as two columns of a box, shape (n, 2, 2)."
        )
    if values.dtype.kind == "O":
        return _converted(values, remedy)
    if values.dtype.kind in "mM":
        raise CandidateError(
            f"Intervals: expected real numbers; got an array of {values.dtype}. Count the time in "
            f"a unit of your choice, such as days since the first date."
        )
    if values.dtype.kind not in "iuf":
        raise CandidateError(
            f"Intervals: expected real numbers; got an array of {values.dtype}. {remedy}"
        )
    # Larger floats than doubles would become infinite on the way.
    require_small(values.reshape(len(values), -1), "Intervals")
    return values.astype(np.float64)


def _converted(values: AnyArray, remedy: str) -> FloatArray:
    flat = values.ravel().tolist()
    converted = [number(value) for value in flat]
    bad = np.array([value is None for value in converted]).reshape(len(values), -1)
    if bad.any():
        row, place = np.argwhere(bad)[0]
        value = values.reshape(bad.shape)[row, place]
        raise interval_fault(
            np.asarray(bad.any(axis=1)),
            f"holds {reprlib.repr(value)}, a {type(value).__name__}, where a number is expected",
            remedy,
            "Intervals",
        )
    return np.array(converted, dtype=np.float64).reshape(values.shape)
