"""What a report says, as plain data: sections with sentences, facts, figures and tables."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCHEMA = 1
MAX_CELL = 200
_LONG_TEXT = 40
# Numbers between these are written without an exponent; columns have so many decimals at most.
_LEAST_PLAIN, _MOST_PLAIN, _MAX_DECIMALS = 1e-9, 1e15, 4
# Control characters, what turns the direction of the rest of a sentence, and halves of surrogate
# pairs. The first 32 have pictures of their own.
_PICTURES, _DELETE = 0x2400, 0x7F
_UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True)
class Figure:
    """A picture, with the same in words.

    Attributes
    ----------
    id : str
        Distinct on the page.
    title : str
    text : str
        What the picture shows, with its numbers, for those who do not see it.
    draw : callable
        Draws on the axes; may return texts for the points of its collections (`Hover`).
    size : (float, float)
        Width and height in inches.
    """

    id: str
    title: str
    text: str
    draw: Callable[["Axes"], "Hover | None"]
    size: tuple[float, float] = (5.6, 3.6)

    def to_dict(self) -> dict[str, Any]:
        """Title and text; pictures are not data."""
        return {"id": self.id, "title": self.title, "text": self.text}


Hover = dict[str, list[str]]
"""Texts of the points of collections, by the gid of the collection."""


@dataclass(frozen=True)
class DataTable:
    """Rows with named columns; its cells are texts, numbers or None.

    Attributes
    ----------
    id : str
        Distinct on the page.
    title : str
    columns : tuple of str
    rows : list of tuples
    total : int
        How many rows there are; some may not be shown.
    note : str
        Which of them are shown, and where all are.
    is_long : bool
        Whether it is sorted, searched and exported; else a short table is only shown.
    """

    id: str
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    total: int
    note: str = ""
    is_long: bool = True

    @cached_property
    def is_wide(self) -> tuple[bool, ...]:
        """Columns with long texts, which must not be narrow."""
        return tuple(
            any(len(str(row[k])) > _LONG_TEXT for row in self.rows)
            for k in range(len(self.columns))
        )

    @cached_property
    def is_number(self) -> tuple[bool, ...]:
        """Columns whose cells are numbers, which stand on the right."""
        return tuple(
            any(isinstance(row[k], (int, float)) for row in self.rows)
            and all(row[k] is None or isinstance(row[k], (int, float)) for row in self.rows)
            for k in range(len(self.columns))
        )

    def number_text(self, value: float | None, column: int) -> str:
        """A number of a column, with as many decimals as the others; a missing one is blank."""
        return "" if value is None else number_text(value, self._decimals[column])

    @cached_property
    def _decimals(self) -> tuple[int, ...]:
        """The decimals of each column of numbers; 0 where numbers are too different for that."""
        found = [
            max((_decimals(row[k]) for row in self.rows if row[k] is not None), default=0)
            if is_number
            else 0
            for k, is_number in enumerate(self.is_number)
        ]
        return tuple(count if count <= _MAX_DECIMALS else 0 for count in found)

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data."""
        return {
            "id": self.id,
            "title": self.title,
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            "total": self.total,
            "note": self.note,
        }


@dataclass(frozen=True)
class Item:
    """A finding: a headline, its level, and what to know about it.

    Attributes
    ----------
    code, level, title : str
    texts : tuple of str
    """

    code: str
    level: str
    title: str
    texts: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain data."""
        return {
            "code": self.code,
            "level": self.level,
            "title": self.title,
            "texts": list(self.texts),
        }


@dataclass(frozen=True)
class Section:
    """One part of the page; its first sentence says in plain words what it is about.

    Attributes
    ----------
    id, title, sentence : str
    texts : tuple of str
        Paragraphs after the first sentence.
    facts : tuple of (name, value)
    items : tuple of Item
    figures : tuple of Figure
    tables : tuple of DataTable
    code : str
        Lines to copy.
    """

    id: str
    title: str
    sentence: str
    texts: tuple[str, ...] = ()
    facts: tuple[tuple[str, Any], ...] = ()
    items: tuple[Item, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[DataTable, ...] = ()
    code: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The section as plain data."""
        return {
            "id": self.id,
            "title": self.title,
            "sentence": self.sentence,
            "texts": list(self.texts),
            "facts": [{"name": name, "value": value} for name, value in self.facts],
            "items": [item.to_dict() for item in self.items],
            "figures": [figure.to_dict() for figure in self.figures],
            "tables": [table.to_dict() for table in self.tables],
            "code": self.code,
        }


@dataclass(frozen=True)
class Answer:
    """The answer to a question that every reader has, at the top of the page.

    Attributes
    ----------
    id, question, answer : str
    points : tuple of str
        A short list after the answer.
    link : str
        The section with more.
    """

    id: str
    question: str
    answer: str
    points: tuple[str, ...] = ()
    link: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data."""
        return {
            "id": self.id,
            "question": self.question,
            "answer": self.answer,
            "points": list(self.points),
            "section": self.link,
        }


@dataclass(frozen=True)
class Document:
    """All that a report says.

    Attributes
    ----------
    title, subtitle, kind : str
    has_rows : bool
        Whether it shows rows of the user's data.
    answers : tuple of Answer
    sections : tuple of Section
    target : str
        The columns of the target.
    """

    title: str
    subtitle: str
    kind: str
    has_rows: bool
    answers: tuple[Answer, ...]
    sections: tuple[Section, ...] = ()
    target: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; see ``docs/report.md`` for its schema."""
        found = {
            "schema": SCHEMA,
            "title": self.title,
            "subtitle": self.subtitle,
            "kind": self.kind,
            "target": self.target,
            "has_rows": self.has_rows,
            "answers": [answer.to_dict() for answer in self.answers],
            "sections": [section.to_dict() for section in self.sections],
        }
        return dict(plain(found))


def plain(value: Any) -> Any:
    r"""Plain data without NaN, infinities and numbers of numpy.

    Examples
    --------
    >>> plain({"a": (np.float64(0.5), float("nan")), "b": np.int64(3)})
    {'a': [0.5, None], 'b': 3}
    """
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)


def clean_text(value: Any, most: int = MAX_CELL) -> str:
    r"""A text to be shown: no control characters, one line, not too long.

    Control characters become their pictures, and what is no character becomes "�".

    Examples
    --------
    >>> clean_text("a\x00b"), clean_text("a\nb"), clean_text("abc", most=2)
    ('a␀b', 'a b', 'a… (3 characters)')
    """
    text = str(value)
    length = len(text)
    is_long = length > most
    shown = clean_lines(text[: most - 1] if is_long else text)
    shown = shown.replace("\t", " ").replace("\n", " ")
    return f"{shown}… ({length:,} characters)" if is_long else shown


def clean_lines(text: str) -> str:
    r"""A text of several lines, without control characters.

    Examples
    --------
    >>> clean_lines("a\x00\nb")
    'a␀\nb'
    """
    return _UNWANTED.sub(lambda found: _shown_character(found[0]), text)


def _shown_character(char: str) -> str:
    code = ord(char)
    if char == "\r":
        return " "
    if code < 0x20:
        return chr(_PICTURES + code)
    return "\u2421" if code == _DELETE else "\ufffd"


def cell(value: Any, digits: int = 4) -> Any:
    """A value of a table: a number with some digits, a text, or None if it is missing.

    Examples
    --------
    >>> cell(np.float64(0.123456)), cell(np.int64(3)), cell(None), cell(True), cell("a")
    (0.1235, 3, None, 'yes', 'a')
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return float(f"{value:.{digits}g}") if math.isfinite(value) else None
    return clean_text(value)


def number_text(value: float, decimals: int = 0) -> str:
    """A number without an exponent, with so many decimals at least.

    Examples
    --------
    >>> number_text(31280.0), number_text(0.00001), number_text(1.0, 3), number_text(7, 3)
    ('31280', '0.00001', '1.000', '7')
    """
    if isinstance(value, int):
        return str(value)
    # No "-0".
    value += 0.0
    if value and not _LEAST_PLAIN <= abs(value) < _MOST_PLAIN:
        return str(value)
    # The shortest digits that give the number back.
    return np.format_float_positional(value, min_digits=decimals, trim="k" if decimals else "-")


def _decimals(value: float) -> int:
    return len(number_text(value).partition(".")[2])


def share(count: float, total: float) -> str:
    r"""A count with its share.

    Examples
    --------
    >>> share(30, 400).replace("\xa0", " "), share(0, 0)
    ('30 of 400 (7.5 %)', '0 of 0')
    """
    if not total:
        return f"{count:,} of {total:,}"
    return f"{count:,} of {total:,} ({percent(count / total)})"


def counted(count: int, one: str, more: str = "") -> str:
    """A number of things.

    Examples
    --------
    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class", "classes")
    ('1 row', '1,200 rows', '2 classes')
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def percent(value: float) -> str:
    r"""A share in percent, with as many digits as people need, on one line.

    Examples
    --------
    >>> [percent(value).replace("\xa0", " ") for value in (0.12345, 0.999, 1.0)]
    ['12 %', '99.9 %', '100 %']
    """
    points = 100.0 * value
    digits = 1 if 0 < points < 10 or 95 < points < 100 else 0
    return f"{points:.{digits}f}\xa0%"


def listed_names(names: Sequence[Any], most: int = 5) -> str:
    """The first few names.

    Examples
    --------
    >>> listed_names(["a", "b", "c"], 2), listed_names(["a", "b"])
    ('a, b and 1 more', 'a, b')
    """
    shown = ", ".join(clean_text(name, 60) for name in names[:most])
    rest = len(names) - most
    return f"{shown} and {rest:,} more" if rest > 0 else shown
