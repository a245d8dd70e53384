"""Intervals written as text: ``"[800, 1200]"``, ``"800-1200"``, ``">= 5"``, ``"5 +- 2"``.

Intervals out of rows that are numbers, pairs, intervals of pandas, texts or lists of pairs.

Sets of numbers read by their form: points, ends, boxes, rows of any kind.
"""

import math
import re
import reprlib
import warnings
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import DataConversionWarning

from disambig.candidates.numbers.containers import (
    interval_ends,
    is_interval,
    plain_array,
    require_targets,
)
from disambig.candidates.numbers.segments import Segments, merged_segments, rows_of_segments
from disambig.candidates.numbers.tables import (
    IntervalTable,
    check_missing,
    checked_ends,
    finite_or_huge,
    interval_error,
    number,
    parse_boxes,
    parse_ends,
    points_table,
    real_numbers,
)
from disambig.candidates.reading import is_table, only_column, rows_of
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, FloatArray, IntArray

GRAMMAR = (
    "'7.5', '[800, 1200]', '800-1200', '800 to 1200', '800..1200', '>= 5', '65+', 'at least 5', "
    "'< 3', 'at most 3' or '5 +- 2', joined by '|' for unions"
)
UNION_SEPARATOR = "|"

_UNSIGNED = r"(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?"
_NUMBER = rf"[+-]?{_UNSIGNED}"
_END = rf"({_NUMBER}|[+-]?inf(?:inity)?|[+-]?∞)"
# Between two dots, a number may not end on one.
_SHORT = _END.replace(r"\.\d*", r"\.\d+")

_POINT = re.compile(rf"({_NUMBER})")
_BRACKETS = re.compile(rf"[\[(\]]\s*{_END}\s*,\s*{_END}\s*[\])\[]")
_RANGE = re.compile(rf"{_SHORT}\s*\.\.\s*{_SHORT}")
_WORDS = re.compile(rf"(?:from\s+)?{_END}\s+to\s+{_END}|between\s+{_END}\s+and\s+{_END}")
# A dash before a second minus would be a riddle: what follows it is unsigned.
_DASH = re.compile(rf"({_NUMBER})\s*[-–—]\s*({_UNSIGNED})")
_OPEN = re.compile(rf"({_NUMBER})\s*(?:\+|or\s+more)")
_CLOSED = re.compile(rf"({_NUMBER})\s*or\s+less")
_AT_LEAST = re.compile(rf"(?:at\s+least|more\s+than|over|above)\s+({_NUMBER})")
_AT_MOST = re.compile(rf"(?:at\s+most|less\s+than|under|below|up\s+to)\s+({_NUMBER})")
_BOUND = re.compile(rf"(>=|<=|[<>≤≥])\s*({_NUMBER})")
_RADIUS = re.compile(rf"({_NUMBER})\s*(?:\+/?-|±)\s*((?!-){_NUMBER})")

_NOTHING = ("", "*")
_NUMBERS = {int, float}
_ROWS = (
    "Pass numbers, pairs (lower, upper), or texts such as '[800, 1200]'; truth values become "
    "numbers by y.astype(float)."
)


def text_segments(text: str) -> list[tuple[float, float]] | None:
    """The ends of every interval that `text` names, NaN if it names none; None if it is garbled.

    Examples
    --------
    >>> text_segments("[-2, -1] | > 1")
    [(-2.0, -1.0), (1.0, inf)]
    >>> text_segments("3-5"), text_segments("-3 to 5"), text_segments("65+")
    ([(3.0, 5.0)], [(-3.0, 5.0)], [(65.0, inf)])
    >>> text_segments("5 +- 2"), text_segments(""), text_segments("about 5")
    ([(3.0, 7.0)], [(nan, nan)], None)
    """
    # The minus sign of typesetters, and case.
    text = text.strip().replace("−", "-").lower()
    if text in _NOTHING:
        return [(math.nan, math.nan)]
    pieces = [_piece(part.strip()) for part in text.split(UNION_SEPARATOR)]
    known = [piece for piece in pieces if piece is not None]
    return known if len(known) == len(pieces) else None


def _piece(text: str) -> tuple[float, float] | None:
    if match := _POINT.fullmatch(text):
        return _end(match[1]), _end(match[1])
    if match := _BRACKETS.fullmatch(text) or _RANGE.fullmatch(text):
        return _end(match[1]), _end(match[2])
    if match := _DASH.fullmatch(text) or _WORDS.fullmatch(text):
        lower, upper = (end for end in match.groups() if end is not None)
        return _end(lower), _end(upper)
    if match := _OPEN.fullmatch(text) or _AT_LEAST.fullmatch(text):
        return _end(match[1]), math.inf
    if match := _CLOSED.fullmatch(text) or _AT_MOST.fullmatch(text):
        return -math.inf, _end(match[1])
    if match := _BOUND.fullmatch(text):
        end = _end(match[2])
        return (end, math.inf) if match[1] in (">", ">=", "≥") else (-math.inf, end)
    if match := _RADIUS.fullmatch(text):
        center, radius = _end(match[1]), _end(match[2])
        return finite_or_huge(center - radius, True), finite_or_huge(center + radius, True)
    return None


def _end(text: str) -> float:
    infinite = "inf" in text or "∞" in text
    return finite_or_huge(float(text.replace("∞", "inf")), not infinite)


_Pair = tuple[float, float]


class RowSegments(NamedTuple):
    """The ends of all pieces, ``(m, 2)``, and where those of each row begin, ``(n + 1,)``."""

    ends: FloatArray
    indptr: IntArray


def segments_of_list(rows: list[Any]) -> RowSegments:
    """The intervals that each row names, in its own order; missing ends are NaN.

    Examples
    --------
    >>> segments_of_list([5.0, [(1, 2), (3, 4)]]).ends.tolist()
    [[5.0, 5.0], [1.0, 2.0], [3.0, 4.0]]
    """
    ends = _plain_ends(rows)
    if ends is not None:
        return RowSegments(ends, np.arange(len(rows) + 1))
    pieces = [_pieces(row) for row in rows]
    garbled = np.array([not piece for piece in pieces])
    if garbled.any():
        row = rows[int(np.argmax(garbled))]
        raise interval_error(
            garbled,
            f"holds {reprlib.repr(row)}, a {type(row).__name__}, which is no interval of numbers",
            f"A row is a number, a pair (lower, upper), a list of such pairs, or a text: {GRAMMAR}"
            f". Points of several outputs go to Intervals.from_points.",
            "Intervals",
        )
    counts = [len(piece) for piece in pieces if piece is not None]
    pairs = [pair for piece in pieces if piece is not None for pair in piece]
    return RowSegments(np.array(pairs, dtype=np.float64), np.append(0, np.cumsum(counts)))


def _plain_ends(rows: list[Any]) -> FloatArray | None:
    """The ends of rows that are all numbers, or all pairs, of Python; else None.

    The common case, some thirty times as fast as row by row.
    """
    kinds = set(map(type, rows))
    try:
        if kinds <= _NUMBERS:
            points = np.array(rows, dtype=np.float64)
            return np.stack([points, points], axis=1)
        if kinds <= {list, tuple} and set(map(len, rows)) == {2}:
            flat = list(chain.from_iterable(rows))
            if set(map(type, flat)) <= _NUMBERS:
                return np.array(flat, dtype=np.float64).reshape(-1, 2)
    except OverflowError:
        # An integer beyond all floats: the row will be named.
        pass
    return None


def _pieces(row: Any) -> list[_Pair] | None:
    """The intervals of a row, at least one; None or nothing if it names none."""
    if isinstance(row, str):
        return text_segments(row)
    if isinstance(row, np.ndarray):
        row = row.tolist()
    pair = _pair(row)
    if pair is not None:
        return [pair]
    if isinstance(row, (list, tuple)):
        pairs = [_pair(entry, bare=False) for entry in row]
        known = [pair for pair in pairs if pair is not None]
        return known if len(known) == len(pairs) else None
    return None


def _pair(entry: Any, bare: bool = True) -> _Pair | None:
    """The ends of one interval: of pandas, a pair, or if `bare` a number for both; else None."""
    if is_interval(entry):
        entry = (entry.left, entry.right)
    elif isinstance(entry, np.ndarray):
        entry = entry.tolist()
    if isinstance(entry, (list, tuple)):
        if len(entry) != 2:
            return None
        lower, upper = entry
    elif bare:
        lower = upper = entry
    else:
        return None
    low, high = number(lower), number(upper)
    return None if low is None or high is None else (low, high)


class ParsedNumbers(NamedTuple):
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


def parse_numbers(y: Any, missing: str) -> ParsedNumbers:
    """Read `y` by its form; `Intervals.from_any` and `number_sets` document the rules."""
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
        return ParsedNumbers(*parse_ends(ends, missing))
    if is_table(y):
        return ParsedNumbers(*parse_ends(_two_columns(y), missing))
    if getattr(y, "ndim", 1) == 3:
        return ParsedNumbers(*parse_boxes(plain_array(y), missing))
    rows = plain_array(y) if _is_complex(y) else rows_of(y)
    return _parse_rows(rows, missing)


def parse_intervals(y: Any, missing: str) -> IntervalTable:
    """The same for intervals alone: raises where a row is a union of several that are apart."""
    parsed = parse_numbers(y, missing)
    if parsed.indptr is None:
        return IntervalTable(parsed.lower, parsed.upper, parsed.flat)
    ends = checked_ends(parsed.lower, parsed.upper, "Intervals", rows_of_segments(parsed.indptr))
    pieces = merged_segments(Segments(ends.lower.ravel(), ends.upper.ravel(), parsed.indptr))
    several = np.diff(pieces.indptr) > 1
    if several.any():
        raise interval_error(
            several,
            f"is a union of {np.diff(pieces.indptr)[several][0]} intervals that are apart",
            "Read unions by disambig.candidates.number_sets, or IntervalUnions.from_any.",
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


def _parse_rows(rows: AnyArray | list[Any], missing: str) -> ParsedNumbers:
    if isinstance(rows, np.ndarray) and rows.dtype.kind != "U":
        return ParsedNumbers(*points_table(real_numbers(rows, _ROWS), missing))
    ends, indptr = segments_of_list(list(rows))
    table = parse_ends(ends, missing)
    single = len(ends) == len(rows)
    return ParsedNumbers(*table, indptr=None if single else indptr)
