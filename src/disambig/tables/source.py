"""Where rows come from, so that every error names the file, the line and the column."""

import math
import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.exceptions import CandidateError, TableError
from disambig.notation import IntArray

Skip = Callable[[TableError], None]
"""What is called with the error of a row that cannot be read, instead of raising it."""
_NO_PANDAS = "Tables need pandas and pyarrow: pip install 'disambig[io]'."
_repr = reprlib.Repr()
_repr.maxstring = _repr.maxother = 60


@dataclass(frozen=True, eq=False)
class Source:
    """The file that rows were read from, or a frame.

    Parameters
    ----------
    name : str or None
        The name of the file; None for a frame.
    lines : (n,) of int, or None
        The line of the file, from 1 on, at which each row begins; None if there are no lines, as
        in frames and in Parquet files.
    first_row : int
        Where rows have no lines: the number of the first row that was read, in its file.

    Examples
    --------
    >>> Source().where(3, "label")
    "row 3, column 'label'"
    """

    name: str | None = None
    lines: IntArray | None = None
    first_row: int = 0

    def where(self, row: int | None = None, column: Any = None) -> str:
        """A place as a text: file, line (else row, from 0 on), column."""
        parts = [] if self.name is None else [" ".join(self.name.split())]
        if row is not None:
            line = None if self.lines is None else self.lines[row]
            parts.append(f"row {row + self.first_row}" if line is None else f"line {line}")
        if column is not None:
            parts.append(f"column {shown(column)}")
        return ", ".join(parts) or "the table"

    def error(self, message: str, row: int | None = None, column: Any = None) -> TableError:
        """An error of one line that begins with the place."""
        error = TableError(f"{self.where(row, column)}: {message}")
        error.file = self.name
        if row is not None:
            error.line = int(row + self.first_row if self.lines is None else self.lines[row])
        error.column = None if column is None else str(column)
        return error

    def translated(self, error: CandidateError, rows: IntArray, column: Any = None) -> TableError:
        """An error of a parser about entry e of a list, as one about ``rows[e]``."""
        if error.row is None:
            return self.error(" ".join(str(error).split()), column=column)
        return self.error(" ".join(error.detail.split()), int(rows[error.row]), column)


def shown(value: Any) -> str:
    r"""A value of a cell for messages, on one line and not too long.

    Examples
    --------
    >>> print(shown("a\nb"))
    'a\nb'
    """
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    return " ".join(_repr.repr(value).split("\n"))


def plain_data(value: Any) -> Any:
    """Dicts, lists and tuples with Python's numbers instead of those of numpy, for JSON.

    Examples
    --------
    >>> import numpy as np
    >>> plain_data({"columns": (np.int64(1), "a")})
    {'columns': (1, 'a')}
    """
    if isinstance(value, dict):
        return {plain_data(key): plain_data(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(plain_data(entry) for entry in value)
    return value.item() if isinstance(value, np.generic) else value


def pandas() -> Any:
    """The module pandas; raises with what to install."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(_NO_PANDAS) from error
    return pd


def as_frame(data: Any) -> Any:
    """A pandas frame of a frame of pandas, polars or Arrow, with distinct names of columns."""
    pd = pandas()
    if not isinstance(data, pd.DataFrame):
        if not hasattr(data, "to_pandas"):
            raise TypeError(
                f"Expected a file, or a frame of pandas, polars or Arrow; got "
                f"{type(data).__name__}."
            )
        data = data.to_pandas()
    source = Source()
    if not isinstance(data, pd.DataFrame) or data.columns.nlevels > 1:
        raise source.error("expected a table with one row of column names.")
    refuse_repeated(list(data.columns), source)
    return data


def refuse_repeated(names: list[Any], source: Source) -> None:
    """Raise if a column name occurs twice, or is lost in arrays of names."""
    seen: dict[Any, int] = {}
    for place, name in enumerate(names, start=1):
        if isinstance(name, str) and "\x00" in name:
            # Arrays of texts end a text at this character: the column would not be found again.
            raise source.error(f"the name of column {place} holds a null character. Rename it.")
        # NaN differs from itself, and is one name to pandas.
        key = "NaN" if isinstance(name, float) and math.isnan(name) else (name,)
        if seen.setdefault(key, place) != place:
            raise source.error(
                f"columns {seen[key]} and {place} have the same name. Rename one of them.",
                None if source.lines is None else 0,
                name,
            )
