"""Numbers and intervals of columns: texts such as "30-40k", or two columns of ends."""

from dataclasses import replace
from typing import Any

import numpy as np

from disambig.candidates import Intervals, number_sets
from disambig.candidates.numbers.parsing import GRAMMAR
from disambig.exceptions import CandidateError
from disambig.tables.number_texts import (
    NumberTexts,
    Unclear,
    parsed_texts,
    point_values,
    refuse_other_unit,
)
from disambig.tables.source import Source, shown
from disambig.tables.targets.labels import ReadSets
from disambig.tables.targets.target import TargetFormat
from disambig.tables.values import Values

_WHOLE_LINE = (-np.inf, np.inf)


def read_number_texts(
    values: Values, format_: TargetFormat, decimal: str | None, source: Source
) -> ReadSets:
    """Numbers and intervals in one column."""
    texts = values.texts
    parsed = parsed_texts(texts, decimal)
    places = [code for code, value in enumerate(values.values) if isinstance(value, str)]
    if isinstance(parsed, Unclear):
        code = places[parsed.place]
        raise source.error(f"{parsed.reason}.", int(values.first[code]), values.column)
    refuse_other_unit(parsed, (format_.unit, format_.currency), values, source)
    rows: list[Any] = list(values.values)
    for code, text, segments in zip(places, texts, parsed.segments, strict=True):
        if segments is None or np.isnan(segments).any():
            raise source.error(
                f"{shown(text)} is no number or interval. Write {GRAMMAR}.",
                int(values.first[code]),
                values.column,
            )
        rows[code] = segments
    try:
        sets = _sets_of([*rows, [_WHOLE_LINE]])
    except CandidateError as error:
        raise source.translated(error, values.first, values.column) from None
    codes = np.where(values.codes < 0, len(values.values), values.codes)
    return ReadSets(sets[codes], _found(format_, parsed), {})


def _found(format_: TargetFormat, parsed: NumberTexts) -> TargetFormat:
    """The format with what the texts show; units stay known if a table has none."""
    unit, currency = parsed.unit or format_.unit, parsed.currency or format_.currency
    return replace(format_, decimal=parsed.decimal, unit=unit, currency=currency)


def _sets_of(rows: list[Any]) -> Any:
    """Intervals of lists of ends and of numbers; unions if a row has several."""
    ends = [row if isinstance(row, list) else _point(row) for row in rows]
    if all(pairs is not None and len(pairs) == 1 for pairs in ends):
        flat = np.array([pairs[0] for pairs in ends if pairs is not None], dtype=np.float64)
        return Intervals.from_bounds(flat[:, 0], flat[:, 1])
    return number_sets(rows)


def _point(value: Any) -> list[tuple[float, float]] | None:
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        return None
    try:
        return [(float(value), float(value))]
    except OverflowError:
        return None


def read_ends(
    columns: tuple[Values, Values], format_: TargetFormat, decimal: str | None, source: Source
) -> ReadSets:
    """Two columns: lower and upper ends; a blank is no bound."""
    texts = [(column, text) for column in columns for text in column.texts]
    parsed = parsed_texts([text for _, text in texts], decimal)
    if isinstance(parsed, Unclear):
        column, text = texts[parsed.place]
        raise source.error(f"{parsed.reason}.", column.row_of(text), column.column)
    known = (format_.unit, format_.currency)
    lower, upper = (point_values(column, parsed.decimal, source, known) for column in columns)
    lower, upper = (
        np.where(np.isnan(lower), -np.inf, lower),
        np.where(np.isnan(upper), np.inf, upper),
    )
    inverted = lower > upper
    if inverted.any():
        row = int(np.argmax(inverted))
        raise source.error(
            f"the lower end {lower[row]:g} is above the upper end {upper[row]:g} in column "
            f"{shown(columns[1].column)}. Correct the row, or swap the columns.",
            row,
            columns[0].column,
        )
    try:
        sets = Intervals.from_bounds(lower, upper)
    except CandidateError as error:
        raise source.translated(error, np.arange(len(lower)), columns[0].column) from None
    return ReadSets(sets, _found(format_, parsed), {})
