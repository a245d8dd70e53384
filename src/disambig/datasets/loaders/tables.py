"""Tables from comma-separated files, their columns as a matrix, and read-only arrays.

`encoded` makes a matrix of columns: numbers are copied, categories are one-hot encoded.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from disambig.exceptions import DatasetError
from disambig.notation import AnyArray, FloatArray

# Cells that stand for a missing number, in addition to "nan".
_MISSING_CELLS = ("", "?", "NA")


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute of a table.

    Parameters
    ----------
    name : str
    values : float array (n,), or str array (n,)
        Numbers, NaN if missing, or categories.
    categories : tuple of str, or None
        The values that the attribute may take; None for numbers.
    """

    name: str
    values: AnyArray
    categories: tuple[str, ...] | None = None


def text_column(name: str, cells: AnyArray) -> Column:
    """Read ``(n,)`` texts as numbers if all cells are numbers or missing, otherwise as categories.

    An empty cell, ``?`` and ``NA`` are missing numbers. Categories are in alphabetical order.
    """
    try:
        return Column(
            name, np.where(np.isin(cells, _MISSING_CELLS), "nan", cells).astype(np.float64)
        )
    except ValueError:
        return Column(name, cells, tuple(np.unique(cells).tolist()))


def encoded(columns: Sequence[Column], n_rows: int) -> tuple[FloatArray, tuple[str, ...]]:
    """``X`` of shape (n, d), and the d names of its columns.

    A numeric attribute is one column of the same name. A nominal attribute is one column of 0 and 1
    for every category, named ``attribute=category``, in the order of the categories, also for
    categories that do not occur. A value that is not a category, or missing, is 0 in all of them.
    """
    blocks = [np.empty((n_rows, 0))]
    names: list[str] = []
    for column in columns:
        if column.categories is None:
            blocks.append(column.values[:, np.newaxis])
            names.append(column.name)
        else:
            blocks.append(column.values[:, np.newaxis] == np.array(column.categories))
            names.extend(f"{column.name}={category}" for category in column.categories)
    return np.hstack(blocks).astype(np.float64, copy=False), tuple(names)


def read_csv(path: Path) -> tuple[tuple[str, ...], AnyArray]:
    """The names of the columns, and the cells as a text array (n, d), stripped of blanks."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            lines = [[cell.strip() for cell in line] for line in csv.reader(stream)]
    except (csv.Error, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: not a comma-separated text in UTF-8 ({error}).") from error
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise DatasetError(f"{path}: the file is empty. Expected a header and rows.")
    header, rows = tuple(lines[0]), lines[1:]
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise DatasetError(f"{path}: the header names {repeated} more than once. Rename them.")
    for number, row in enumerate(rows):
        if len(row) != len(header):
            raise DatasetError(
                f"{path}: row {number} has {len(row)} cells, and the header {len(header)}. Rows "
                "are counted from 0 below the header."
            )
    return header, np.array(rows, dtype=np.str_).reshape(len(rows), len(header))


def numbers(path: Path, header: tuple[str, ...], cells: AnyArray) -> FloatArray:
    """The cells as floats of the same shape; the error names the first that is not a number."""
    try:
        return np.asarray(cells.astype(np.float64))
    except ValueError:
        for row, column in np.ndindex(cells.shape):
            _require_number(path, row, header[column], str(cells[row, column]))
        raise


def _require_number(path: Path, row: int, column: str, cell: str) -> None:
    try:
        float(cell)
    except ValueError:
        raise DatasetError(
            f"{path}: row {row}, column {column!r} holds {cell!r}; expected a number. Rows are "
            "counted from 0 below the header."
        ) from None


_Scalar = TypeVar("_Scalar", bound=np.generic)


def read_only(array: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    """A read-only view of `array`; `array` itself is not changed."""
    view: npt.NDArray[Any] = array.view()
    view.setflags(write=False)
    return view
