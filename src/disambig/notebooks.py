"""Small tables for notebooks: HTML without scripts, in which all texts are escaped."""

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

MAX_ROWS = 10
_MAX_LETTERS = 80


def html_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[Any]], note: str = ""
) -> str:
    """A table with a headline, and a note below it.

    Parameters
    ----------
    title : str
    header : sequence of str
    rows : iterable of sequences
    note : str

    Examples
    --------
    >>> text = html_table("Sets", ["row"], [["<b>"]])
    >>> text.partition("<tbody>")[2]
    '<tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(shown(name))}</th>" for name in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(shown(cell))}</td>' for cell in row)}</tr>" for row in rows
    )
    foot = f"<p>{escape(note)}</p>" if note else ""
    return (
        f"<p><strong>{escape(title)}</strong></p><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{foot}"
    )


def first_rows(candidates: Any) -> str:
    """The first rows of candidate sets, for their ``_repr_html_``."""
    n = len(candidates)
    rows = [(row, _member_text(candidates[row])) for row in range(min(n, MAX_ROWS))]
    note = f"and {n - MAX_ROWS:,} more rows" if n > MAX_ROWS else ""
    return html_table(repr(candidates), ("row", "candidates"), rows, note)


def _member_text(entry: Any) -> str:
    """A set of labels, ends of an interval, pairs of an order, or tags."""
    if isinstance(entry, (set, frozenset)):
        texts = [" > ".join(map(str, one)) if isinstance(one, tuple) else str(one) for one in entry]
        return " | ".join(sorted(texts))
    if isinstance(entry, dict):
        # Tags that are not named are unknown.
        return ", ".join(f"{name}={bit}" for name, bit in entry.items())
    return str(entry)


def shown(value: Any) -> str:
    """A value of a cell: numbers with four digits, and no long texts."""
    if value is None:
        return ""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.4g}"
    text = "".join(char if char.isprintable() else " " for char in str(value))
    return text if len(text) <= _MAX_LETTERS else text[: _MAX_LETTERS - 1] + "…"
