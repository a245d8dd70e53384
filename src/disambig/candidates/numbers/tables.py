"""Intervals from arrays, and the checks that every interval must pass.

`checked_ends` requires the ends to be numbers, in order and small enough to be squared.
`real_numbers` converts any numeric dtype and objects to float64, with NaN for missing values.
`parse_ends`, `parse_boxes` and the functions ``ends_of_*`` read arrays of ends, points, centres
with radii and boxes.
"""

import math
import numbers
import reprlib
import sys
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates.numbers.containers import plain_array
from disambig.candidates.reading import is_missing
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

# The square of a difference of ends, summed over many rows, must stay far below the largest
# float64, 1.8e308.
MAX_FINITE_END = 1e150
_NUMBERS_REMEDY = (
    "Write None or NaN for a missing number; pass texts such as '[800, 1200]' as a list or a "
    "series, one text per row."
)


class Ends(NamedTuple):
    """Lower and upper ends, both of shape ``(n, d)``; infinite where there is no bound."""

    lower: FloatArray
    upper: FloatArray


def interval_error(invalid: BoolArray, what: str, remedy: str, owner: str) -> CandidateError:
    """An error that names the first of the `invalid` rows, shape ``(n,)``, and counts them.

    Examples
    --------
    >>> import numpy as np
    >>> print(interval_error(np.array([False, True]), "is odd", "Give even ones.", "Intervals"))
    Intervals: row 1 is odd (1 such row). Give even ones.
    """
    count = int(np.count_nonzero(invalid))
    rows = "row" if count == 1 else "rows"
    return CandidateError(
        f"{owner}: row {int(np.argmax(invalid))} {what} ({count} such {rows}). {remedy}"
    )


def checked_ends(lower: Any, upper: Any, owner: str, rows: IntArray | None = None) -> Ends:
    """The ends as float64, after a check that every entry is an interval of the extended line.

    Parameters
    ----------
    lower, upper : (m, d) array-like
    owner : str
        The class that error messages name.
    rows : (m,), or None
        The row of each pair of ends; None if every row has one pair.
    """
    ends = Ends(np.asarray(lower), np.asarray(upper))
    for end, name in zip(ends, Ends._fields, strict=True):
        if end.ndim != 2 or end.dtype.kind not in "iuf":
            raise CandidateError(
                f"{owner}: {name} must hold one real number per row and column; got {end.dtype} "
                f"of shape {end.shape}. Use {owner}.from_any for other forms."
            )
    if ends.lower.shape != ends.upper.shape:
        raise CandidateError(
            f"{owner}: lower and upper must have the same shape; got {ends.lower.shape} and "
            f"{ends.upper.shape}."
        )
    if ends.lower.shape[1] == 0:
        raise CandidateError(f"{owner}: expected at least one column; got none.")
    for end in ends:
        require_squarable(end, owner, rows)
    ends = Ends(ends.lower.astype(np.float64), ends.upper.astype(np.float64))
    _refuse_missing(ends, owner, rows)
    _refuse_crossed(ends, owner, rows)
    _refuse_without_members(ends, owner, rows)
    return ends


def require_squarable(end: AnyArray, owner: str, rows: IntArray | None = None) -> None:
    """Raise if the square of a finite entry, ``(m, d)``, would overflow."""
    if end.dtype.kind != "f" or end.dtype.itemsize < 8:
        return
    large = np.isfinite(end) & (np.abs(end) > MAX_FINITE_END)
    if large.any():
        raise interval_error(
            _owners(large, rows),
            f"has an end of {_first(end, large)}, the square of which overflows",
            f"Ends may be as large as {MAX_FINITE_END:g}: rescale y, or write inf for no bound.",
            owner,
        )


def _refuse_missing(ends: Ends, owner: str, rows: IntArray | None) -> None:
    missing = np.isnan(ends.lower) | np.isnan(ends.upper)
    if missing.any():
        raise interval_error(
            _owners(missing, rows),
            "lacks an end",
            "Input y contains NaN or missing values: leave out such rows, write -inf or inf for no "
            "bound, or pass missing='whole', which reads a missing end as no bound.",
            owner,
        )


def _refuse_crossed(ends: Ends, owner: str, rows: IntArray | None) -> None:
    crossed = ends.lower > ends.upper
    if crossed.any():
        raise interval_error(
            _owners(crossed, rows),
            f"has its lower end {_first(ends.lower, crossed)} above its upper end "
            f"{_first(ends.upper, crossed)}{_column(crossed)}",
            "Give the lower end first; if the row contradicts itself, leave it out.",
            owner,
        )


def _refuse_without_members(ends: Ends, owner: str, rows: IntArray | None) -> None:
    without_members = (ends.lower == np.inf) | (ends.upper == -np.inf)
    if without_members.any():
        raise interval_error(
            _owners(without_members, rows),
            f"holds no number: its ends are {_first(ends.lower, without_members)} and "
            f"{_first(ends.upper, without_members)}{_column(without_members)}",
            "Input y contains infinity: a point must be finite. For no bound write -inf as lower "
            "or inf as upper end.",
            owner,
        )


def _owners(bad: BoolArray, rows: IntArray | None) -> BoolArray:
    """Rows, ``(n,)``, with at least one flagged entry, ``(m, d)``."""
    invalid = np.asarray(bad.any(axis=1))
    if rows is None:
        return invalid
    owners = np.zeros(int(rows[-1]) + 1, dtype=np.bool_)
    owners[rows[invalid]] = True
    return owners


def _first(values: AnyArray, bad: BoolArray) -> str:
    return str(values[tuple(np.argwhere(bad)[0])])


def _column(bad: BoolArray) -> str:
    return f" in column {np.argwhere(bad)[0][1]}" if bad.shape[1] > 1 else ""


def is_real(value: object) -> bool:
    """Whether `value` is a real number; NaN is, a bool is not."""
    return isinstance(value, (numbers.Real, Decimal)) and not isinstance(value, bool)


def to_float(value: Any) -> float | None:
    """`value` as a float; NaN if it is missing, None if it is not a number.

    Examples
    --------
    >>> to_float(3), to_float(None), to_float("3")
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
        return without_overflow(converted, abs(value) != math.inf)
    return converted


def without_overflow(value: float, finite: bool) -> float:
    """`value`, or the largest float if it overflowed to infinity although it is `finite`.

    This tells a bound that overflows, which is refused later, from no bound.
    """
    if finite and math.isinf(value):
        return math.copysign(sys.float_info.max, value)
    return value


def real_numbers(values: AnyArray, remedy: str) -> FloatArray:
    """An array of any shape ``(n, ...)`` as float64, missing entries NaN.

    Raises an error with the `remedy` if an entry is not a real number.
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
    # Check before the conversion: a large longdouble would become infinite.
    require_squarable(values.reshape(len(values), -1), "Intervals")
    return values.astype(np.float64)


def _converted(values: AnyArray, remedy: str) -> FloatArray:
    flat = values.ravel().tolist()
    converted = [to_float(value) for value in flat]
    bad = np.array([value is None for value in converted]).reshape(len(values), -1)
    if bad.any():
        row, place = np.argwhere(bad)[0]
        value = values.reshape(bad.shape)[row, place]
        raise interval_error(
            np.asarray(bad.any(axis=1)),
            f"holds {reprlib.repr(value)}, a {type(value).__name__}, where a number is expected",
            remedy,
            "Intervals",
        )
    return np.array(converted, dtype=np.float64).reshape(values.shape)


class IntervalTable(NamedTuple):
    """The result of a parser: the arguments of Intervals, not checked yet.

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
    """Raise unless `missing` is "error" or "whole"."""
    if missing not in ("error", "whole"):
        raise CandidateError(
            f"Intervals: missing must be 'error' or 'whole'; got {missing!r}. With 'whole', a "
            f"missing end means no bound."
        )


def open_ends(table: IntervalTable, missing: str) -> IntervalTable:
    """The same ends; missing ones become infinite if `missing` is "whole"."""
    if missing != "whole":
        return table
    return IntervalTable(
        np.where(np.isnan(table.lower), -np.inf, table.lower),
        np.where(np.isnan(table.upper), np.inf, table.upper),
        table.flat,
    )


def parse_ends(values: AnyArray, missing: str) -> IntervalTable:
    """Read ``(n, 2)``: lower and upper ends of plain targets."""
    ends = real_numbers(values, _NUMBERS_REMEDY)
    return open_ends(IntervalTable(ends[:, :1], ends[:, 1:], True), missing)


def parse_boxes(values: AnyArray, missing: str) -> IntervalTable:
    """Read ``(n, d, 2)``: lower and upper ends of every column."""
    if values.shape[2] != 2:
        raise CandidateError(
            f"Intervals: boxes have shape (n, d, 2), lower and upper ends last; got "
            f"{values.shape}. Use Intervals.from_bounds(lower, upper) for ends of shape (n, d)."
        )
    ends = real_numbers(values, _NUMBERS_REMEDY)
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
    """Read ends ``(n,)`` or ``(n, d)``; one of the two may be a single number."""
    check_missing(missing)
    lower, upper = _matched(lower, upper, "lower", "upper")
    flat = lower.ndim == 1
    if flat:
        lower, upper = lower[:, np.newaxis], upper[:, np.newaxis]
    return open_ends(IntervalTable(lower, upper, flat), missing)


def ends_of_centers(centers: Any, radii: Any, missing: str) -> IntervalTable:
    """Read centres and radii, ``(n,)`` or ``(n, d)``; one of the two may be a single number."""
    check_missing(missing)
    centers, radii = _matched(centers, radii, "centers", "radii")
    flat = centers.ndim == 1
    if flat:
        centers, radii = centers[:, np.newaxis], radii[:, np.newaxis]
    infinite, negative = np.isinf(centers).any(axis=1), (radii < 0).any(axis=1)
    if infinite.any():
        raise interval_error(
            infinite, "has an infinite centre", "Use from_bounds for half-lines.", "Intervals"
        )
    if negative.any():
        raise interval_error(
            negative, "has a negative radius", "Give radii of 0 or more.", "Intervals"
        )
    for values in (centers, radii):
        require_squarable(values, "Intervals")
    return open_ends(IntervalTable(centers - radii, centers + radii, flat), missing)


def _matched(first: Any, second: Any, name: str, other: str) -> tuple[FloatArray, FloatArray]:
    """Two arrays of one shape, ``(n,)`` or ``(n, d)``; a single number is repeated."""
    one, two = (values is None or is_real(values) for values in (first, second))
    if one and two:
        raise CandidateError(
            f"Intervals: {name} and {other} are both single numbers; give one per row in either."
        )
    left = None if one else _columns(first, name)
    right = None if two else _columns(second, other)
    if left is None:
        assert right is not None
        left = np.full(right.shape, to_float(first))
    if right is None:
        right = np.full(left.shape, to_float(second))
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
    return real_numbers(array, _NUMBERS_REMEDY)
