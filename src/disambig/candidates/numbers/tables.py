"""Intervals from arrays.

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

from disambig.candidates.numbers.checks import interval_error, require_squarable
from disambig.candidates.numbers.containers import plain_array
from disambig.candidates.reading import NO_MARKERS, Markers, is_missing
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray

_NUMBERS_REMEDY = (
    "Write None or NaN for a missing number; pass texts such as '[800, 1200]' as a list or a "
    "series, one text per row."
)


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


class MarkedNumbers(NamedTuple):
    """Numbers of any shape ``(n, ...)``, NaN where missing, and which entries are markers.

    Missing values are not among the markers here: where they stand decides what they mean.
    """

    values: FloatArray
    marked: BoolArray


def marked_numbers(values: AnyArray, remedy: str, markers: Markers) -> MarkedNumbers:
    """`real_numbers` of an array in which markers need not be numbers; they become 0."""
    marked = markers.named.where(values)
    if marked.any():
        values = values.copy() if values.dtype.kind in "iufO" else values.astype(object)
        values[marked] = 0
    return MarkedNumbers(real_numbers(values, remedy), marked)


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


def open_ends(
    lower: MarkedNumbers, upper: MarkedNumbers, flat: bool, missing: str, markers: Markers
) -> IntervalTable:
    """The ends, ``(n, d)`` each, infinite where nothing is said.

    An end that is a marker is open. If missing values are markers, so are two missing ends; a
    single one is half of a number, for which `missing` says what to do.
    """
    low = np.where(lower.marked, -np.inf, lower.values) if lower.marked.any() else lower.values
    high = np.where(upper.marked, np.inf, upper.values) if upper.marked.any() else upper.values
    if missing == "whole" or markers.missing:
        open_low, open_high = np.isnan(low), np.isnan(high)
        if missing != "whole":
            open_low = open_high = open_low & open_high
        low, high = np.where(open_low, -np.inf, low), np.where(open_high, np.inf, high)
    return IntervalTable(low, high, flat)


def _part(numbers_: MarkedNumbers, index: Any) -> MarkedNumbers:
    return MarkedNumbers(numbers_.values[index], numbers_.marked[index])


def parse_ends(values: AnyArray, missing: str, markers: Markers) -> IntervalTable:
    """Read ``(n, 2)``: lower and upper ends of plain targets."""
    ends = marked_numbers(values, _NUMBERS_REMEDY, markers)
    lower, upper = (_part(ends, np.s_[:, k : k + 1]) for k in (0, 1))
    return open_ends(lower, upper, True, missing, markers)


def parse_boxes(values: AnyArray, missing: str, markers: Markers) -> IntervalTable:
    """Read ``(n, d, 2)``: lower and upper ends of every column."""
    if values.shape[2] != 2:
        raise CandidateError(
            f"Intervals: boxes have shape (n, d, 2), lower and upper ends last; got "
            f"{values.shape}. Use Intervals.from_bounds(lower, upper) for ends of shape (n, d)."
        )
    ends = marked_numbers(values, _NUMBERS_REMEDY, markers)
    lower, upper = (_part(ends, np.s_[:, :, k]) for k in (0, 1))
    return open_ends(lower, upper, False, missing, markers)


def points_table(points: MarkedNumbers, missing: str, markers: Markers) -> IntervalTable:
    """Points ``(n,)`` of plain targets, or ``(n, d)``."""
    flat = points.values.ndim == 1
    table = _part(points, np.s_[:, np.newaxis]) if flat else points
    return open_ends(table, table, flat, missing, markers)


def ends_of_points(y: Any, missing: str, unlabeled: Any = None) -> IntervalTable:
    """Read points ``(n,)`` or ``(n, d)``."""
    check_missing(missing)
    markers = Markers.of(unlabeled, "Intervals")
    return points_table(_columns(y, "y", markers), missing, markers)


def ends_of_bounds(lower: Any, upper: Any, missing: str, unlabeled: Any = None) -> IntervalTable:
    """Read ends ``(n,)`` or ``(n, d)``; one of the two may be a single number."""
    check_missing(missing)
    markers = Markers.of(unlabeled, "Intervals")
    low, high, flat = _matched(lower, upper, ("lower", "upper"), markers)
    return open_ends(low, high, flat, missing, markers)


def ends_of_centers(centers: Any, radii: Any, missing: str, unlabeled: Any = None) -> IntervalTable:
    """Read centres and radii, ``(n,)`` or ``(n, d)``; one of the two may be a single number."""
    check_missing(missing)
    markers = Markers.of(unlabeled, "Intervals")
    middle, radius, flat = _matched(centers, radii, ("centers", "radii"), markers)
    centers, radii = middle.values, radius.values
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
    # Without its centre or its radius an interval says nothing.
    marked = middle.marked | radius.marked
    lower, upper = MarkedNumbers(centers - radii, marked), MarkedNumbers(centers + radii, marked)
    return open_ends(lower, upper, flat, missing, markers)


def _matched(
    first: Any, second: Any, names: tuple[str, str], markers: Markers
) -> tuple[MarkedNumbers, MarkedNumbers, bool]:
    """Two arrays ``(n, d)``, of which one may be given as a single number; whether d was absent."""
    single = [
        value is None or is_real(value) or markers.named.matches(value) for value in (first, second)
    ]
    if all(single):
        raise CandidateError(
            f"Intervals: {names[0]} and {names[1]} are both single numbers; give one per row in "
            f"either."
        )
    read = [
        None if one else _columns(values, name, markers)
        for one, values, name in zip(single, (first, second), names, strict=True)
    ]
    shapes = [numbers_.values.shape for numbers_ in read if numbers_ is not None]
    if shapes[0] != shapes[-1]:
        raise CandidateError(
            f"Intervals: {names[0]} and {names[1]} must have the same shape; got {shapes[0]} and "
            f"{shapes[1]}."
        )
    left, right = (
        _repeated(value, shapes[0], markers) if numbers_ is None else numbers_
        for value, numbers_ in zip((first, second), read, strict=True)
    )
    flat = len(shapes[0]) == 1
    if flat:
        left, right = (_part(numbers_, np.s_[:, np.newaxis]) for numbers_ in (left, right))
    return left, right, flat


def _repeated(value: Any, shape: tuple[int, ...], markers: Markers) -> MarkedNumbers:
    """A single number, or marker, at every place."""
    marked = markers.named.matches(value)
    number = 0.0 if marked else to_float(value)
    return MarkedNumbers(np.full(shape, number), np.full(shape, marked))


def _columns(values: Any, name: str, markers: Markers = NO_MARKERS) -> MarkedNumbers:
    array = plain_array(values)
    if array.ndim not in (1, 2):
        raise CandidateError(
            f"Intervals: {name} must have one number per row, (n,), or per row and column, "
            f"(n, d); got shape {array.shape}."
        )
    if array.dtype.kind == "U" and isinstance(values, (list, tuple)):
        # As an array, numbers beside a text are texts too.
        array = np.array(values, dtype=object)
    return marked_numbers(array, _NUMBERS_REMEDY, markers)
