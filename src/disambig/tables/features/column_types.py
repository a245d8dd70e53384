"""The type of a feature column, guessed from its cells."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates.look_alikes import spelling
from disambig.tables.features.dates import (
    ISO,
    date_formats,
    days_of_stamps,
    days_of_texts,
    has_times,
    is_date_format,
)
from disambig.tables.number_texts import NumberTexts, parsed_texts, plain_numbers
from disambig.tables.source import Source, pandas, shown
from disambig.tables.values import Values

TYPES = ("number", "boolean", "category", "text", "date")
MAX_CATEGORIES = 40
"""More values than this are encoded as text."""
YES = frozenset({"yes", "y", "true", "t"})
NO = frozenset({"no", "n", "false", "f"})
# From this share of numbers on, the other cells are slips.
_MOSTLY = 0.95
# Different texts that are looked at before all of them are.
_SAMPLE = 200
_MAX_COMPONENTS = 30
# A text of more words than this is prose; a shorter one is a name with spellings.
_PROSE_WORDS = 4.0


@dataclass(frozen=True)
class ColumnPlan:
    """How a feature column is read. Plain data, for JSON.

    Attributes
    ----------
    name : str
    type : {"number", "boolean", "category", "text", "date"}
    decimal : str
        The decimal mark of numbers that are written as texts.
    unit, currency : str
        What stands at these numbers; empty if nothing does.
    categories : tuple of str
        The categories of the first table, sorted; empty for other types.
    date_format : str or None
        As of `strptime`, or "ISO8601"; None for columns that hold time stamps.
    has_times : bool
        Whether dates have a time of day.
    words : bool
        Whether texts are read word by word, and not by their letters.
    components : int
        The columns that a text becomes.

    Examples
    --------
    >>> ColumnPlan("size", "number").type
    'number'
    """

    name: Any
    type: str
    decimal: str = "."
    date_format: str | None = None
    has_times: bool = False
    words: bool = False
    components: int = 0
    unit: str = ""
    currency: str = ""
    categories: tuple[str, ...] = ()


def column_plan(series: Any, values: Values, given: str | None, source: Source) -> ColumnPlan:
    """The plan of one column.

    Parameters
    ----------
    series : pandas.Series (n,)
    values : Values
        Of the same column; at least one.
    given : str or None
        The type that the user set; a date may have its format behind a colon.
    source : Source
    """
    if given is not None:
        return _given_plan(series, values, given, source)
    pd = pandas()
    if pd.api.types.is_bool_dtype(series.dtype):
        return ColumnPlan(values.column, "boolean")
    if pd.api.types.is_numeric_dtype(series.dtype) or series.dtype.kind == "m":
        return ColumnPlan(values.column, "number")
    if series.dtype.kind == "M" or _are_stamps(values.values):
        return ColumnPlan(values.column, "date", has_times=has_times(days_of_stamps(series)))
    _refuse_objects(values, source)
    if values.are_texts:
        return _text_plan(values, source)
    if all(isinstance(value, bool) for value in values.values):
        return ColumnPlan(values.column, "boolean")
    if not np.isnan(plain_numbers(values.values)).any():
        return ColumnPlan(values.column, "number")
    return _category_or_text(values)


def _are_stamps(values: list[Any]) -> bool:
    return all(hasattr(value, "year") and hasattr(value, "toordinal") for value in values)


def _refuse_objects(values: Values, source: Source) -> None:
    for code, value in enumerate(values.values):
        if not isinstance(value, str | bool) and not hasattr(value, "__float__"):
            raise source.error(
                f"{shown(value)} is no number, text, date or truth value. Leave the column out by "
                f"drop=.",
                int(values.first[code]),
                values.column,
            )


def _given_plan(series: Any, values: Values, given: Any, source: Source) -> ColumnPlan:
    name, _, format_ = given.partition(":") if isinstance(given, str) else ("", "", "")
    is_known = {"number": format_ in ("", ".", ","), "date": is_date_format(format_ or ISO)}
    if name not in TYPES or not is_known.get(name, not format_):
        raise source.error(
            f"types must be one of {', '.join(TYPES)}, 'date:%d/%m/%Y' with a date format, or "
            f"'number:,' with a decimal mark; got {given!r:.80}.",
            column=values.column,
        )
    if name == "number":
        texts = parsed_texts(values.texts, format_ or None)
        if isinstance(texts, NumberTexts):
            return _plan_of_numbers(values, texts)
        return ColumnPlan(values.column, "number", decimal=format_ or ".")
    if name == "date":
        if not values.are_texts:
            return ColumnPlan(values.column, "date", has_times=has_times(days_of_stamps(series)))
        found = (format_,) if format_ else date_formats(values.texts)
        if not found:
            raise source.error("not all cells are dates of one format.", None, values.column)
        return _date_plan(values, found, source)
    if name == "text":
        return _as_text(values)
    return _as_category(values) if name == "category" else ColumnPlan(values.column, name)


def _text_plan(values: Values, source: Source) -> ColumnPlan:
    """The plan of a column of texts."""
    texts = values.texts
    words = {spelling(text) for text in texts} if len(texts) <= 2 * len(YES | NO) else set()
    if words and words <= YES | NO:
        return ColumnPlan(values.column, "boolean")
    is_code = any(len(text) > 1 and text[0] == "0" and text.isdigit() for text in texts)
    if not is_code:
        plan = _number_plan(values, source)
        if plan is not None:
            return plan
    formats = date_formats(texts)
    if formats:
        return _date_plan(values, formats, source)
    return _category_or_text(values)


def _number_plan(values: Values, source: Source) -> ColumnPlan | None:
    """The plan of a column whose texts are numbers; None if most are not."""
    texts = values.texts
    numbers = plain_numbers(values.values)
    odd = np.isnan(numbers)
    if not odd.any():
        return ColumnPlan(values.column, "number")
    first = parsed_texts(texts[:_SAMPLE], None)
    if isinstance(first, NumberTexts) and first.segments.count(None) > len(first.segments) / 2:
        return None
    parsed = parsed_texts(texts, None)
    if not isinstance(parsed, NumberTexts):
        if values.counts[~odd].sum() < _MOSTLY * values.counts.sum():
            return None
        row = int(values.first[parsed.place])
        raise source.error(f"{parsed.reason}.", row, values.column)
    points = np.array(
        [s is not None and len(s) == 1 and s[0][0] == s[0][1] for s in parsed.segments]
    )
    if points.all():
        return _plan_of_numbers(values, parsed)
    share = values.counts[points].sum() / values.counts.sum()
    if share < _MOSTLY:
        return None
    code = int(np.argmin(points))
    raise source.error(
        f"{shown(texts[code])} is no number, while {share:.1%} of the cells are. Correct it, pass "
        f"missing=[{texts[code]!r}] if it says nothing, or "
        f"types={{{values.column!r}: 'category'}}.",
        int(values.first[code]),
        values.column,
    )


def _plan_of_numbers(values: Values, parsed: NumberTexts) -> ColumnPlan:
    return ColumnPlan(
        values.column,
        "number",
        decimal=parsed.decimal,
        unit=parsed.unit,
        currency=parsed.currency,
    )


def _date_plan(values: Values, formats: tuple[str, ...], source: Source) -> ColumnPlan:
    if len(formats) > 1:
        example = values.texts[0]
        raise source.error(
            f"{shown(example)} may be a date of the form {' or '.join(formats)}: pass "
            f"types={{{values.column!r}: 'date:{formats[0]}'}} or 'date:{formats[1]}'.",
            int(values.first[0]),
            values.column,
        )
    days = days_of_texts(values.texts, formats[0])
    return ColumnPlan(values.column, "date", date_format=formats[0], has_times=has_times(days))


def _category_or_text(values: Values) -> ColumnPlan:
    spellings = {spelling(cell_text(value)) for value in values.values}
    n = len(values.codes)
    are_sentences = len(spellings) > n / 2 and _mean_words(values) > 2.0
    if len(spellings) <= MAX_CATEGORIES and not (are_sentences and len(spellings) > 10):
        return _as_category(values)
    return _as_text(values)


def _as_category(values: Values) -> ColumnPlan:
    found = {spelling(cell_text(value)) for value in values.values}
    return ColumnPlan(values.column, "category", categories=tuple(sorted(found)))


def cell_text(value: Any) -> str:
    """A cell as a text: a code is 1 in a file, and 1.0 in a frame whose column has a gap.

    Examples
    --------
    >>> cell_text(1.0), cell_text(1.5), cell_text("1.0")
    ('1', '1.5', '1.0')
    """
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)


def _mean_words(values: Values) -> float:
    return float(np.mean([len(str(value).split()) for value in values.values[:1000]]))


def _as_text(values: Values) -> ColumnPlan:
    """A text becomes as many columns as its vocabulary surely has in every fold."""
    words = _mean_words(values) >= _PROSE_WORDS
    sample = [str(value).lower() for value in values.values[:1000]]
    grams = {
        gram
        for text in sample
        for gram in (text.split() if words else (text[i : i + 3] for i in range(len(text))))
        if len(gram) > 1
    }
    components = max(1, min(_MAX_COMPONENTS, len(grams) // 4, len(sample) // 2))
    return ColumnPlan(values.column, "text", words=words, components=components)
