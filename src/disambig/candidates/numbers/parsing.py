"""Parsers of sets of numbers: from texts, from lists of rows, and from whole containers.

`text_segments` reads one text, such as ``"[800, 1200]"``, ``"800-1200"``, ``">= 5"`` or
``"5 +- 2"``. `segments_of_list` reads rows that are numbers, pairs, intervals of pandas, texts or
lists of pairs. `parse_numbers` and `parse_intervals` decide by the container whether `y` holds
points, ends, boxes or such rows. Parsers do not check the order and size of the ends.
"""

import math
import re
import reprlib
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import DataConversionWarning

from disambig.candidates.numbers.amounts import (
    UNSIGNED_NUMBER,
    currency_of,
    decimal_evidence,
    plain_text,
)
from disambig.candidates.numbers.checks import checked_ends, interval_error, require_squarable
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
    marked_numbers,
    parse_boxes,
    parse_ends,
    points_table,
    to_float,
    without_overflow,
)
from disambig.candidates.reading import NO_MARKERS, Markers, is_table, only_column, rows_of
from disambig.exceptions import CandidateError, warn
from disambig.notation import AnyArray, FloatArray, IntArray

GRAMMAR = (
    "'7.5', '[800, 1200]', '800-1200', '800 to 1200', '800..1200', '>= 5', '65+', 'at least 5', "
    "'< 3', 'at most 3' or '5 +- 2', joined by '|' for unions; numbers as in '30,000', '1.200,50', "
    "'30-40k' or '$5'"
)
UNION_SEPARATOR = "|"

_NUMBER = rf"[+-]?{UNSIGNED_NUMBER}"
_END = rf"({_NUMBER}|[+-]?inf(?:inity)?|[+-]?∞)"
# Before "..", a number must not end with a dot of its own: "5....7" is refused.
_RANGE_END = _END.replace(r"\.\d*", r"\.\d+")

_POINT_TEXT = re.compile(rf"({_NUMBER})")
_BRACKETS_TEXT = re.compile(rf"[\[(\]]\s*{_END}\s*,\s*{_END}\s*[\])\[]")
_RANGE_TEXT = re.compile(rf"{_RANGE_END}\s*\.\.\s*{_RANGE_END}")
_WORDS_TEXT = re.compile(rf"(?:from\s+)?{_END}\s+to\s+{_END}|between\s+{_END}\s+and\s+{_END}")
# "800--1200" is ambiguous: a number with a sign needs a longer dash before it, or blanks around.
_DASH_TEXT = re.compile(
    rf"({_NUMBER})(?:\s*[-–—]\s*({UNSIGNED_NUMBER})|(?:\s+-\s+|\s*[–—]\s*)({_NUMBER}))"
)
_OR_MORE_TEXT = re.compile(rf"({_NUMBER})\s*(?:\+|or\s+more)")
_OR_LESS_TEXT = re.compile(rf"({_NUMBER})\s*or\s+less")
_AT_LEAST_TEXT = re.compile(rf"(?:at\s+least|more\s+than|over|above)\s+({_NUMBER})")
_AT_MOST_TEXT = re.compile(rf"(?:at\s+most|less\s+than|under|below|up\s+to)\s+({_NUMBER})")
_COMPARISON_TEXT = re.compile(rf"(>=|<=|[<>≤≥])\s*({_NUMBER})")
_RADIUS_TEXT = re.compile(rf"({_NUMBER})\s*(?:\+/?-|±)\s*((?!-){_NUMBER})")

# Texts that need no rewriting: most are.
_PLAIN_TEXT = re.compile(r"(?:[<>]=?)?\s?[-+\d.eE]*")
_MISSING_TEXTS = ("", "*")
_NUMBER_TYPES = {int, float}
_WHOLE_LINE = (-math.inf, math.inf)
_ROW_REMEDY = (
    "Pass numbers, pairs (lower, upper), or texts such as '[800, 1200]'; truth values become "
    "numbers by y.astype(float)."
)


def text_segments(text: str, decimal: str = ".") -> list[tuple[float, float]] | None:
    """The ends of every interval in `text`; NaN if the text is empty, None if it is invalid.

    `decimal` is the decimal mark, "." or ","; the other one separates thousands.

    Examples
    --------
    >>> text_segments("[-2, -1] | > 1")
    [(-2.0, -1.0), (1.0, inf)]
    >>> text_segments("3-5"), text_segments("-3 - -1"), text_segments("65+")
    ([(3.0, 5.0)], [(-3.0, -1.0)], [(65.0, inf)])
    >>> text_segments("5 +- 2"), text_segments(""), text_segments("about 5")
    ([(3.0, 7.0)], [(nan, nan)], None)
    >>> text_segments("$30-40k"), text_segments("> 1.200,50", decimal=",")
    ([(30000.0, 40000.0)], [(1200.5, inf)])
    """
    text = text.strip()
    if text in _MISSING_TEXTS:
        return [(math.nan, math.nan)]
    if decimal == "," or not _PLAIN_TEXT.fullmatch(text):
        parts = text.split(UNION_SEPARATOR)
        text = UNION_SEPARATOR.join(plain_text(part, decimal) for part in parts)
    text = text.lower()
    segments = [_segment(part.strip()) for part in text.split(UNION_SEPARATOR)]
    valid = [segment for segment in segments if segment is not None]
    return valid if len(valid) == len(segments) else None


def _segment(text: str) -> tuple[float, float] | None:
    if match := _POINT_TEXT.fullmatch(text):
        return _end(match[1]), _end(match[1])
    if match := _BRACKETS_TEXT.fullmatch(text) or _RANGE_TEXT.fullmatch(text):
        return _end(match[1]), _end(match[2])
    if match := _DASH_TEXT.fullmatch(text) or _WORDS_TEXT.fullmatch(text):
        lower, upper = (end for end in match.groups() if end is not None)
        return _end(lower), _end(upper)
    if match := _OR_MORE_TEXT.fullmatch(text) or _AT_LEAST_TEXT.fullmatch(text):
        return _end(match[1]), math.inf
    if match := _OR_LESS_TEXT.fullmatch(text) or _AT_MOST_TEXT.fullmatch(text):
        return -math.inf, _end(match[1])
    if match := _COMPARISON_TEXT.fullmatch(text):
        end = _end(match[2])
        return (end, math.inf) if match[1] in (">", ">=", "≥") else (-math.inf, end)
    if match := _RADIUS_TEXT.fullmatch(text):
        center, radius = _end(match[1]), _end(match[2])
        return without_overflow(center - radius, True), without_overflow(center + radius, True)
    return None


def _end(text: str) -> float:
    infinite = "inf" in text or "∞" in text
    return without_overflow(float(text.replace("∞", "inf")), not infinite)


_Pair = tuple[float, float]


class RowSegments(NamedTuple):
    """The ends of all segments, ``(m, 2)``, and the first segment of each row, ``(n + 1,)``."""

    ends: FloatArray
    indptr: IntArray


def segments_of_list(rows: list[Any], markers: Markers = NO_MARKERS) -> RowSegments:
    """The intervals of each row, in its own order; missing ends are NaN, marked ones infinite.

    Examples
    --------
    >>> segments_of_list([5.0, [(1, 2), (3, 4)]]).ends.tolist()
    [[5.0, 5.0], [1.0, 2.0], [3.0, 4.0]]
    """
    ends = _ends_of_python_rows(rows)
    if ends is not None:
        ends = np.where(markers.named.where(ends), _WHOLE_LINE, ends) if markers.values else ends
        return RowSegments(ends, np.arange(len(rows) + 1))
    decimal = _decimal_mark(rows, markers.named)
    parsed = [_row_segments(row, markers.named, decimal) for row in rows]
    invalid = np.array([not pairs for pairs in parsed])
    if invalid.any():
        row = rows[int(np.argmax(invalid))]
        marker = f"If it says nothing, pass unlabeled={row!r}. " if _may_be_a_marker(row) else ""
        raise interval_error(
            invalid,
            f"holds {reprlib.repr(row)}, a {type(row).__name__}, which is no interval of numbers",
            f"{marker}A row is a number, a pair (lower, upper), a list of such pairs, or a text: "
            f"{GRAMMAR}. For points of several outputs use Intervals.from_points.",
            "Intervals",
        )
    counts = [len(pairs) for pairs in parsed if pairs is not None]
    ends_of_all = [pair for pairs in parsed if pairs is not None for pair in pairs]
    return RowSegments(np.array(ends_of_all, dtype=np.float64), np.append(0, np.cumsum(counts)))


def _may_be_a_marker(row: Any) -> bool:
    """Is it a short text without a number, such as "prefer not to say"?"""
    return isinstance(row, str) and len(row) <= 40 and not any(c.isdigit() for c in row)


def _ends_of_python_rows(rows: list[Any]) -> FloatArray | None:
    """The ends of rows that are all Python numbers, or all pairs of them; else None.

    This is the common case, and some thirty times as fast as reading row by row.
    """
    types = set(map(type, rows))
    try:
        if types <= _NUMBER_TYPES:
            points = np.array(rows, dtype=np.float64)
            return np.stack([points, points], axis=1)
        if types <= {list, tuple} and set(map(len, rows)) == {2}:
            flat = list(chain.from_iterable(rows))
            if set(map(type, flat)) <= _NUMBER_TYPES:
                return np.array(flat, dtype=np.float64).reshape(-1, 2)
    except OverflowError:
        # An integer too large for a float: reading row by row names the row in its error.
        pass
    return None


def _decimal_mark(rows: list[Any], markers: Markers) -> str:
    """The decimal mark of the texts among the rows; raises if they contradict each other."""
    places = [
        i for i, row in enumerate(rows) if isinstance(row, str) and not markers.matches_text(row)
    ]
    texts = [rows[i] for i in places]
    evidence = decimal_evidence(texts)
    if evidence.point is not None and evidence.comma is not None:
        other = np.zeros(len(rows), dtype=np.bool_)
        other[places[evidence.comma]] = True
        raise interval_error(
            other,
            f"holds {texts[evidence.comma]!r}, with a decimal comma, and row "
            f"{places[evidence.point]} holds {texts[evidence.point]!r}, with a decimal point",
            "Write all numbers in one way.",
            "Intervals",
        )
    signs = [currency_of(text) for text in texts]
    used = sorted({sign for sign in signs if sign})
    if len(used) > 1:
        first = next(sign for sign in signs if sign)
        other = np.zeros(len(rows), dtype=np.bool_)
        other[[places[i] for i, sign in enumerate(signs) if sign not in ("", first)]] = True
        raise interval_error(
            other,
            f"holds {rows[int(np.argmax(other))]!r}, and an earlier row has the currency {first!r}",
            "Give all amounts in one currency.",
            "Intervals",
        )
    return "." if evidence.comma is None else ","


def _row_segments(row: Any, markers: Markers, decimal: str) -> list[_Pair] | None:
    """The intervals of a row; None or an empty list if the row is invalid."""
    if markers.matches_text(row):
        return [_WHOLE_LINE]
    if isinstance(row, str):
        return text_segments(row, decimal)
    if isinstance(row, np.ndarray):
        row = row.tolist()
    pair = _pair(row, markers)
    if pair is not None:
        return [pair]
    if isinstance(row, (list, tuple)):
        pairs = [_pair(entry, markers, allow_point=False) for entry in row]
        valid = [pair for pair in pairs if pair is not None]
        return valid if len(valid) == len(pairs) else None
    return None


def _pair(entry: Any, markers: Markers, allow_point: bool = True) -> _Pair | None:
    """The ends of a pandas interval, a pair or, if `allow_point`, a number; else None."""
    if is_interval(entry):
        entry = (entry.left, entry.right)
    elif isinstance(entry, np.ndarray):
        entry = entry.tolist()
    if isinstance(entry, (list, tuple)):
        if len(entry) != 2:
            return None
        lower, upper = entry
    elif allow_point:
        lower = upper = entry
    else:
        return None
    low = -math.inf if markers.matches(lower) else to_float(lower)
    high = math.inf if markers.matches(upper) else to_float(upper)
    return None if low is None or high is None else (low, high)


class ParsedNumbers(NamedTuple):
    """Ends of intervals or, if `indptr` is given, of the segments of unions; not checked yet.

    Attributes
    ----------
    lower, upper : (n, d), or (m, 1) for m segments
    flat : bool
        Whether targets are plain numbers.
    indptr : (n + 1,), or None if every row has one segment
    """

    lower: FloatArray
    upper: FloatArray
    flat: bool
    indptr: IntArray | None = None


def parse_numbers(y: Any, missing: str, unlabeled: Any = None) -> ParsedNumbers:
    """Read `y` in any format that `Intervals.from_any` and `number_sets` document."""
    check_missing(missing)
    markers = Markers.of(unlabeled, "Intervals")
    if hasattr(y, "__array__") and not hasattr(y, "shape"):
        # An object whose only array method is __array__.
        y = np.asarray(y)
    require_targets(y)
    if is_table(y) and y.shape[1] == 1:
        warn(
            "A column-vector y was passed when a 1d array was expected: its column is read as one "
            "target per row. Pass y.ravel(), or the column itself.",
            DataConversionWarning,
        )
        y = only_column(y)
    ends = interval_ends(y)
    if ends is not None:
        return ParsedNumbers(*parse_ends(ends, missing, markers))
    if is_table(y):
        return ParsedNumbers(*parse_ends(_two_columns(y), missing, markers))
    if getattr(y, "ndim", 1) == 3:
        return ParsedNumbers(*parse_boxes(plain_array(y), missing, markers))
    rows = plain_array(y) if _is_complex(y) else rows_of(y, "Intervals")
    return _parse_rows(rows, missing, markers)


def parse_intervals(y: Any, missing: str, unlabeled: Any = None) -> IntervalTable:
    """The same without unions: raises if a row has several disjoint intervals."""
    parsed = parse_numbers(y, missing, unlabeled)
    if parsed.indptr is None:
        return IntervalTable(parsed.lower, parsed.upper, parsed.flat)
    ends = checked_ends(parsed.lower, parsed.upper, "Intervals", rows_of_segments(parsed.indptr))
    segments = merged_segments(Segments(ends.lower.ravel(), ends.upper.ravel(), parsed.indptr))
    several = np.diff(segments.indptr) > 1
    if several.any():
        raise interval_error(
            several,
            f"is a union of {np.diff(segments.indptr)[several][0]} disjoint intervals",
            "Read unions with disambig.candidates.number_sets or IntervalUnions.from_any.",
            "Intervals",
        )
    return IntervalTable(segments.lower[:, np.newaxis], segments.upper[:, np.newaxis], True)


def _two_columns(y: Any) -> AnyArray:
    values = plain_array(y)
    if values.shape[1] != 2:
        raise CandidateError(
            f"Intervals: expected a table of two columns, lower and upper ends; got shape "
            f"{values.shape}. For several outputs use boxes, an array of shape (n, d, 2), or "
            f"Intervals.from_bounds(lower, upper); for known outputs Intervals.from_points."
        )
    return values


def _is_complex(y: Any) -> bool:
    return getattr(getattr(y, "dtype", None), "kind", None) == "c"


def _parse_rows(rows: AnyArray | list[Any], missing: str, markers: Markers) -> ParsedNumbers:
    if isinstance(rows, np.ndarray) and rows.dtype.kind != "U":
        points = marked_numbers(rows, _ROW_REMEDY, markers)
        return ParsedNumbers(*points_table(points, missing, markers))
    ends, indptr = segments_of_list(list(rows), markers)
    # Here, because the parser of tables takes every segment for a row.
    require_squarable(ends, "Intervals", rows_of_segments(indptr))
    # Markers were found in the rows: an end that a text writes out is a number, not a marker.
    table = parse_ends(ends, missing, Markers(missing=markers.missing))
    single = len(ends) == len(rows)
    return ParsedNumbers(*table, indptr=None if single else indptr)
