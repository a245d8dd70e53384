"""The texts of one column as numbers: one decimal mark, one unit and one currency for all."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates.numbers.amounts import (
    Evidence,
    currency_of,
    decimal_evidence,
    plain_text,
    shared_unit,
)
from disambig.candidates.numbers.parsing import text_segments
from disambig.notation import FloatArray
from disambig.tables.source import Source, pandas, shown
from disambig.tables.values import Values

_CURRENCY_SIGNS = frozenset("$€£¥")
_SIMPLE_NUMBER = re.compile(
    r"([-+]?)([$€£¥]?)\s?(\d{1,3}(?:,\d{3})+|\d{1,15})(\.\d+)?(?:\s?([$€£¥%]|[^\W\d_]{2,6}))?"
)
_INFINITE_TEXTS = {"inf", "+inf", "-inf", "infinity", "-infinity", "∞", "-∞"}


@dataclass(frozen=True)
class NumberTexts:
    """How the texts of a column are numbers.

    Attributes
    ----------
    segments : list
        For each text the ends of its intervals; None if it is no number.
    decimal : str
    unit, currency : str
        What stands at the numbers; empty if nothing does.
    """

    segments: list[list[tuple[float, float]] | None]
    decimal: str
    unit: str
    currency: str


@dataclass(frozen=True)
class Unclear:
    """Why the texts of a column cannot be read together: a text of them, and the reason."""

    place: int
    reason: str


def parsed_texts(texts: list[str], decimal: str | None) -> NumberTexts | Unclear:
    """Read all texts of a column in one way.

    Examples
    --------
    >>> parsed_texts(["30-40k", "1,200"], None).segments
    [[(30000.0, 40000.0)], [(1200.0, 1200.0)]]
    >>> parsed_texts(["3 kg", "200 g"], None).reason
    "'200 g' has another unit than 'kg'"
    """
    simple = None if decimal == "," else _simple_numbers(texts)
    if simple is not None:
        return simple
    signs = [currency_of(text) for text in texts]
    used = [sign for sign in signs if sign]
    if any(sign != used[0] for sign in used):
        place = next(i for i, sign in enumerate(signs) if sign not in ("", used[0]))
        return Unclear(place, f"{shown(texts[place])} has another currency than {used[0]!r}")
    stripped, unit, odd = shared_unit(texts)
    mark = decimal or _mark(decimal_evidence(stripped), stripped, bool(used))
    if isinstance(mark, Unclear):
        return mark
    segments = [text_segments(text, mark) for text in stripped]
    if odd is not None and any(segment is None for segment in segments):
        return Unclear(odd, f"{shown(texts[odd])} has another unit than {unit!r}")
    return NumberTexts(segments, mark, unit, used[0] if used else "")


def _simple_numbers(texts: list[str]) -> NumberTexts | None:
    """The common case, ten times as fast: single numbers such as "$1,200" or "3.5 kg".

    None if a text has another form, or if the texts together leave a question open.
    """
    matches = [_SIMPLE_NUMBER.fullmatch(text) for text in texts]
    if not texts or None in matches:
        return None
    parts = [match.groups("") for match in matches if match is not None]
    ends = {part[4] for part in parts} - {""}
    signs = {part[1] for part in parts} - {""} | ends & _CURRENCY_SIGNS
    units = ends - _CURRENCY_SIGNS
    if len(signs) > 1 or len(units) > 1 or any(plain_text(f"5 {u}") != f"5 {u}" for u in units):
        return None
    decimals = [part for part in parts if part[3]]
    if decimals and all(len(part[3]) == 4 and "," not in part[2] for part in decimals):
        # Three digits behind each point may be thousands.
        return None
    numbers = [float(part[0] + part[2].replace(",", "") + part[3]) for part in parts]
    segments: list[list[tuple[float, float]] | None] = [[(number, number)] for number in numbers]
    # The spelling of the unit is that of `shared_unit`: KG is kg.
    unit = shared_unit([f"5 {unit}" for unit in units]).unit
    return NumberTexts(segments, ".", unit, min(signs, default=""))


def refuse_other_unit(
    parsed: NumberTexts, known: tuple[str, str], values: Values, source: Source
) -> None:
    """Raise if numbers have another unit or currency than those of an earlier table.

    Numbers without any are taken as they are, since nothing contradicts them.

    Parameters
    ----------
    parsed : NumberTexts
    known : (unit, currency) of the earlier table
    values : Values of the column of `parsed`
    source : Source
    """
    kinds = (
        ("unit", known[0], parsed.unit, lambda text: shared_unit([text]).unit),
        ("currency", known[1], parsed.currency, currency_of),
    )
    for what, expected, found, read in kinds:
        if expected and found and expected != found:
            text = next(text for text in values.texts if read(text))
            raise source.error(
                f"{shown(text)} has the {what} {found!r}; expected {expected!r}, as in the first "
                f"table. Convert the numbers.",
                values.row_of(text),
                values.column,
            )


def _mark(evidence: Evidence, texts: list[str], is_money: bool) -> str | Unclear:
    """The decimal mark that the texts show, or why it is not clear."""
    if evidence.point is not None and evidence.comma is not None:
        return Unclear(
            evidence.comma,
            f"{shown(texts[evidence.comma])} has a decimal comma, and "
            f"{shown(texts[evidence.point])} a decimal point",
        )
    if evidence.comma is not None:
        return ","
    if evidence.point is None and evidence.unclear_point is not None:
        # Three digits after the point in every text: decimals of a program end in any digit,
        # thousands are often round, and money has no three decimals.
        dotted = [text for text in texts if "." in text]
        if is_money or evidence.unclear_comma is not None or all("0" in t[-1:] for t in dotted):
            text = texts[evidence.unclear_point]
            small, large = plain_text(text, "."), plain_text(text, ",")
            return Unclear(
                evidence.unclear_point,
                f"{shown(text)} may be {small} or {large}: pass decimal='.' or decimal=','",
            )
    return "."


def point_values(
    values: Values, decimal: str | None, source: Source, known: tuple[str, str] = ("", "")
) -> FloatArray:
    """A column of single numbers, ``(n,)``, NaN where it is blank; raises at other cells.

    `known` is the unit and the currency of an earlier table; others raise.

    Examples
    --------
    >>> import pandas as pd
    >>> from disambig.tables.values import column_values
    >>> point_values(column_values(pd.Series(["1,200", "?", "3.5"]), Source()), None, Source())
    array([1200. ,    nan,    3.5])
    """
    numbers = plain_numbers(values.values)
    odd = [
        code for code in np.flatnonzero(np.isnan(numbers)) if isinstance(values.values[code], str)
    ]
    if decimal == "," or odd:
        texts = [values.values[code] for code in odd] if decimal == "." else values.texts
        finite = [text for text in texts if text.lower() not in _INFINITE_TEXTS]
        parsed = parsed_texts(finite, decimal)
        if isinstance(parsed, Unclear):
            row = values.row_of(finite[parsed.place])
            raise source.error(f"{parsed.reason}.", row, values.column)
        refuse_other_unit(parsed, known, values, source)
        read = dict(zip(finite, parsed.segments, strict=True))
        for code, value in enumerate(values.values):
            if isinstance(value, str) and value in read:
                numbers[code] = _point(read[value])
            elif isinstance(value, str) and value.lower() in _INFINITE_TEXTS:
                numbers[code] = float(value.replace("∞", "inf"))
    if np.isnan(numbers).any():
        code = int(np.argmax(np.isnan(numbers)))
        raise source.error(
            f"{shown(values.values[code])} is no number.", int(values.first[code]), values.column
        )
    return np.asarray(np.append(numbers, np.nan)[values.codes])


def clear_mark(texts: list[str]) -> str | None:
    """The decimal mark, if the texts leave no question; None if they do.

    Examples
    --------
    >>> clear_mark(["1,5", "2"]), clear_mark(["1,200"]), clear_mark(["1,5", "1.5"])
    (',', None, None)
    """
    evidence = decimal_evidence(texts)
    if (evidence.point is None) == (evidence.comma is None):
        return None
    return "." if evidence.comma is None else ","


def plain_numbers(values: list[Any]) -> FloatArray:
    """Numbers, and texts that programs write, as floats; NaN for all others.

    Examples
    --------
    >>> plain_numbers(["1.5", "1e3", "1,200", 7, True]).tolist()
    [1.5, 1000.0, nan, 7.0, nan]
    """
    cells = [value if isinstance(value, str) else _as_float(value) for value in values]
    series = pandas().Series(cells, dtype=object)
    return np.array(pandas().to_numeric(series, errors="coerce"), dtype=np.float64)


def _as_float(value: Any) -> float:
    """A number as a float; NaN for a truth value, and for anything else that is no number."""
    if isinstance(value, bool | np.bool_):
        return np.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return np.nan


def _point(segments: list[tuple[float, float]] | None) -> float:
    if segments is None or len(segments) != 1 or segments[0][0] != segments[0][1]:
        return np.nan
    return segments[0][0]
