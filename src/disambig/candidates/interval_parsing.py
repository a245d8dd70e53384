"""Sets of numbers read by their form: points, ends, boxes, rows of any kind."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import DataConversionWarning

from disambig.candidates.containers import is_table, only_column, rows_of
from disambig.candidates.interval_containers import interval_ends, plain_array, require_targets
from disambig.candidates.interval_ends import checked_ends, interval_fault
from disambig.candidates.interval_pieces import Pieces, joined_pieces, rows_of_pieces
from disambig.candidates.interval_rows import pieces_of_list
from disambig.candidates.interval_tables import (
    IntervalTable,
    check_missing,
    parse_boxes,
    parse_ends,
    points_table,
)
from disambig.candidates.real_numbers import real_numbers
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, FloatArray, IntArray

__all__ = ["ParsedReal", "parse_intervals", "parse_real"]

_ROWS = (
    "Pass numbers, pairs (lower, upper), or texts such as '[800, 1200]'; truth values become "
    "numbers by y.astype(float)."
)


class ParsedReal(NamedTuple):
    """Ends, not yet checked; where `indptr` is given, those of the pieces of unions.

    Attributes
    ----------
    lower, upper : (n, d), or (m, 1) for m pieces
    flat : bool
        Whether targets are plain numbers.
    indptr : (n + 1,), or None where every row has one piece
    """

    lower: FloatArray
    upper: FloatArray
    flat: bool
    indptr: IntArray | None = None


def parse_real(y: Any, missing: str) -> ParsedReal:
    """Read `y` by its form; `Intervals.from_any` and `real_sets` document the rules."""
    check_missing(missing)
    if hasattr(y, "__array__") and not hasattr(y, "shape"):
        # An object that can be read as an array, and offers nothing else.
        y = np.asarray(y)
    require_targets(y)
    if is_table(y) and y.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected: its column is read as one "
            "target per row. Pass y.ravel(), or the column itself.",
            DataConversionWarning,
            stacklevel=4,
        )
        y = only_column(y)
    ends = interval_ends(y)
    if ends is not None:
        return ParsedReal(*parse_ends(ends, missing))
    if is_table(y):
        return ParsedReal(*parse_ends(_two_columns(y), missing))
    if getattr(y, "ndim", 1) == 3:
        return ParsedReal(*parse_boxes(plain_array(y), missing))
    rows = plain_array(y) if _is_complex(y) else rows_of(y)
    return _parse_rows(rows, missing)


def parse_intervals(y: Any, missing: str) -> IntervalTable:
    """The same for intervals alone: raises where a row is a union of several that are apart."""
    parsed = parse_real(y, missing)
    if parsed.indptr is None:
        return IntervalTable(parsed.lower, parsed.upper, parsed.flat)
    ends = checked_ends(parsed.lower, parsed.upper, "Intervals", rows_of_pieces(parsed.indptr))
    pieces = joined_pieces(Pieces(ends.lower.ravel(), ends.upper.ravel(), parsed.indptr))
    several = np.diff(pieces.indptr) > 1
    if several.any():
        raise interval_fault(
            several,
            f"is a union of {np.diff(pieces.indptr)[several][0]} intervals that are apart",
            "Read unions by disambig.candidates.real_sets, or IntervalUnions.from_any.",
            "Intervals",
        )
    return IntervalTable(pieces.lower[:, np.newaxis], pieces.upper[:, np.newaxis], True)


def _two_columns(y: Any) -> AnyArray:
    values = plain_array(y)
    if values.shape[1] != 2:
        raise CandidateError(
            f"Intervals: a table has two columns, lower and upper ends; got shape {values.shape}. "
            f"For several outputs use boxes, an array of shape (n, d, 2), or "
            f"Intervals.from_bounds(lower, upper); for outputs that are known "
            f"Intervals.from_points."
        )
    return values


def _is_complex(y: Any) -> bool:
    return getattr(getattr(y, "dtype", None), "kind", None) == "c"


def _parse_rows(rows: AnyArray | list[Any], missing: str) -> ParsedReal:
    if isinstance(rows, np.ndarray) and rows.dtype.kind != "U":
        return ParsedReal(*points_table(real_numbers(rows, _ROWS), missing))
    ends, indptr = pieces_of_list(list(rows))
    table = parse_ends(ends, missing)
    single = len(ends) == len(rows)
    return ParsedReal(*table, indptr=None if single else indptr)
