"""Intervals out of arrays: both ends, ends apart, points, centres with radii, boxes."""

from typing import Any, NamedTuple

import numpy as np

from disambig.candidates.interval_containers import plain_array
from disambig.candidates.interval_ends import interval_fault, require_small
from disambig.candidates.real_numbers import is_real, number, real_numbers
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, FloatArray

__all__ = [
    "IntervalTable",
    "check_missing",
    "ends_of_bounds",
    "ends_of_centers",
    "ends_of_points",
    "open_ends",
    "parse_boxes",
    "parse_ends",
    "points_table",
]

_NUMBERS = (
    "Write None or NaN for a missing number; texts such as '[800, 1200]' are a list or a series, "
    "one text per row."
)


class IntervalTable(NamedTuple):
    """What parsers hand over: the arguments of Intervals, not yet checked.

    Attributes
    ----------
    lower, upper : (n, d)
    flat : bool
        Whether targets are plain numbers.
    """

    lower: FloatArray
    upper: FloatArray
    flat: bool


def check_missing(missing: object) -> None:
    """Raise unless `missing` is one of the two words."""
    if missing not in ("error", "whole"):
        raise CandidateError(
            f"Intervals: missing must be 'error' or 'whole'; got {missing!r}. With 'whole', a "
            f"missing end is no bound."
        )


def open_ends(table: IntervalTable, missing: str) -> IntervalTable:
    """The same ends, where missing ones have become infinite if `missing` is "whole"."""
    if missing != "whole":
        return table
    return IntervalTable(
        np.where(np.isnan(table.lower), -np.inf, table.lower),
        np.where(np.isnan(table.upper), np.inf, table.upper),
        table.flat,
    )


def parse_ends(values: AnyArray, missing: str) -> IntervalTable:
    """Read ``(n, 2)``: lower and upper ends of plain targets."""
    ends = real_numbers(values, _NUMBERS)
    return open_ends(IntervalTable(ends[:, :1], ends[:, 1:], True), missing)


def parse_boxes(values: AnyArray, missing: str) -> IntervalTable:
    """Read ``(n, d, 2)``: lower and upper ends of every column."""
    if values.shape[2] != 2:
        raise CandidateError(
            f"Intervals: boxes have shape (n, d, 2), lower and upper ends last; got "
            f"{values.shape}. Use Intervals.from_bounds(lower, upper) for ends of shape (n, d)."
        )
    ends = real_numbers(values, _NUMBERS)
    return open_ends(IntervalTable(ends[:, :, 0], ends[:, :, 1], False), missing)


def points_table(values: FloatArray, missing: str) -> IntervalTable:
    """Points ``(n,)`` of plain targets, or ``(n, d)``."""
    flat = values.ndim == 1
    points = values[:, np.newaxis] if flat else values
    return open_ends(IntervalTable(points, points, flat), missing)


def ends_of_points(y: Any, missing: str) -> IntervalTable:
    """Read points ``(n,)`` or ``(n, d)``."""
    check_missing(missing)
    return points_table(_columns(y, "y"), missing)


def ends_of_bounds(lower: Any, upper: Any, missing: str) -> IntervalTable:
    """Read ends ``(n,)`` or ``(n, d)``, of which one may be a number."""
    check_missing(missing)
    lower, upper = _matched(lower, upper, "lower", "upper")
    flat = lower.ndim == 1
    if flat:
        lower, upper = lower[:, np.newaxis], upper[:, np.newaxis]
    return open_ends(IntervalTable(lower, upper, flat), missing)


def ends_of_centers(centers: Any, radii: Any, missing: str) -> IntervalTable:
    """Read centres and radii, ``(n,)`` or ``(n, d)``, of which one may be a number."""
    check_missing(missing)
    centers, radii = _matched(centers, radii, "centers", "radii")
    flat = centers.ndim == 1
    if flat:
        centers, radii = centers[:, np.newaxis], radii[:, np.newaxis]
    infinite, negative = np.isinf(centers).any(axis=1), (radii < 0).any(axis=1)
    if infinite.any():
        raise interval_fault(
            infinite, "has an infinite centre", "Use from_bounds for half-lines.", "Intervals"
        )
    if negative.any():
        raise interval_fault(
            negative, "has a negative radius", "Give radii of 0 or more.", "Intervals"
        )
    for values in (centers, radii):
        require_small(values, "Intervals")
    return open_ends(IntervalTable(centers - radii, centers + radii, flat), missing)


def _matched(first: Any, second: Any, name: str, other: str) -> tuple[FloatArray, FloatArray]:
    """Two arrays of one shape, ``(n,)`` or ``(n, d)``; a single number is repeated."""
    one, two = (values is None or is_real(values) for values in (first, second))
    if one and two:
        raise CandidateError(
            f"Intervals: {name} and {other} are two single numbers; give one per row."
        )
    left = None if one else _columns(first, name)
    right = None if two else _columns(second, other)
    if left is None:
        assert right is not None
        left = np.full(right.shape, number(first))
    if right is None:
        right = np.full(left.shape, number(second))
    if left.shape != right.shape:
        raise CandidateError(
            f"Intervals: {name} and {other} must have the same shape; got {left.shape} and "
            f"{right.shape}."
        )
    return left, right


def _columns(values: Any, name: str) -> FloatArray:
    array = plain_array(values)
    if array.ndim not in (1, 2):
        raise CandidateError(
            f"Intervals: {name} must have one number per row, (n,), or per row and column, "
            f"(n, d); got shape {array.shape}."
        )
    return real_numbers(array, _NUMBERS)
