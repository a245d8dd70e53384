"""What commands print: results on the standard output, everything else on the error output."""

import json
import math
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from disambig.cli.commands import with_options

# Longer lines are hard to read.
_MAX_WIDTH = 100
_MAX_CELL = 80


class Output:
    """The output of a command: tables and lines, or one JSON document.

    Parameters
    ----------
    command : str
        Its name, which messages begin with.
    as_json : bool
        Print nothing but the document of `document`.
    quiet : bool
        Print no notes.
    """

    def __init__(self, command: str, *, as_json: bool = False, quiet: bool = False) -> None:
        from rich.console import Console

        self.command = command
        self.as_json = as_json
        self.quiet = quiet
        self.is_plain = not as_json
        # rich leaves out colours alone if NO_COLOR is set, and bold letters stay.
        style: Any = None if os.environ.get("NO_COLOR") else "auto"
        self._console = Console(color_system=style, highlight=False, markup=False, emoji=False)
        self._console.width = min(self._console.width, _MAX_WIDTH)

    def document(self, value: Any) -> None:
        """Print the JSON document, if it is asked for."""
        if self.as_json:
            print(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False, default=str))

    def line(self, text: str = "") -> None:
        """Print a line of the result."""
        if self.is_plain:
            self._console.print(text, soft_wrap=True)

    def note(self, text: str) -> None:
        """Print a sentence beside the result, on the error output."""
        if not self.quiet:
            print(f"{self.command}: {with_options(text)}", file=sys.stderr)

    def table(
        self,
        header: Sequence[str],
        rows: Iterable[Sequence[Any]],
        *,
        right: Sequence[int] = (),
        longest: int = _MAX_CELL,
    ) -> None:
        """Print a table; cells are texts of data, in which nothing is interpreted.

        Longer cells are cut, and say so.
        """
        if not self.is_plain:
            return
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
        for place, name in enumerate(header):
            justify: Any = "right" if place in right else "left"
            table.add_column(Text(name), justify=justify, overflow="fold")
        for row in rows:
            table.add_row(*(Text(cell_text(cell, longest)) for cell in row))
        self._console.print(table)

    @contextmanager
    def shown_warnings(self) -> Iterator[None]:
        """Show each warning of the block once, as a line on the error output."""
        seen: set[str] = set()

        def show(message: Any, category: Any, *_: Any, **__: Any) -> None:
            text = " ".join(str(message).split())
            if issubclass(category, UserWarning) and text not in seen:
                seen.add(text)
                print(f"{self.command}: warning: {text}", file=sys.stderr)

        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = show
            yield


def counted(count: int, noun: str) -> str:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "label"), counted(2, "label")
    ('1 label', '2 labels')
    """
    return f"{count} {noun}{'s' * (count != 1)}"


def cell_text(value: Any, longest: int = _MAX_CELL) -> str:
    r"""A value for a cell of a table: one line, without control characters, not too long.

    Examples
    --------
    >>> cell_text("a\nb"), cell_text(0.123456), cell_text(None)
    ('a b', '0.123', '')
    >>> cell_text("abcdef", 4)
    'abcd… (2 more characters)'
    """
    if value is None:
        return ""
    if isinstance(value, float):
        from disambig.candidates.numbers.amounts import amount_text

        return "" if math.isnan(value) else amount_text(value, 3)
    text = "".join(char if char.isprintable() else " " for char in str(value))
    rest = len(text) - longest
    return text if rest <= 0 else f"{text[:longest]}… ({rest} more character{'s' * (rest > 1)})"
