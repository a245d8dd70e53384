"""What a report says, as plain data: sections with sentences, facts, figures and tables."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from disambig.report.texts import number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SCHEMA = 1
_LONG_TEXT = 40
# Columns have so many decimals at most.
_MAX_DECIMALS = 4


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
            max(
                (
                    len(number_text(row[k]).partition(".")[2])
                    for row in self.rows
                    if row[k] is not None
                ),
                default=0,
            )
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
