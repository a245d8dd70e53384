"""Rows of real candidates by number, and values laid out beside them."""

from typing import Any

import numpy as np

from disambig.candidates.row_index import row_index
from disambig.notation import AnyArray, FloatArray, IntArray

__all__ = ["owned", "row_numbers", "value_table"]


def row_numbers(rows: Any, n: int, owner: str) -> int | IntArray:
    """Which of the n rows are meant: a number for an integer, else their numbers, 1-D.

    Raises IndexError as arrays do, and where columns are to be cut.
    """
    rows = row_index(owner, rows)
    if isinstance(rows, (int, np.integer)) and not isinstance(rows, bool):
        return range(n)[int(rows)]
    numbers: IntArray = np.arange(n)[rows]
    if numbers.ndim != 1:
        raise IndexError(f"{owner}: select rows by an integer, a slice or a 1-D array.")
    return numbers


def value_table(values: Any, n: int, d: int, owner: str) -> FloatArray:
    """One number per row and column, ``(n, d)`` of float64; for one column ``(n,)`` will do."""
    table: FloatArray = np.asarray(values, dtype=np.float64)
    if d == 1 and table.ndim == 1:
        table = table[:, np.newaxis]
    if table.shape != (n, d):
        raise ValueError(
            f"{owner}: expected one value per row and column, shape {(n, d)}"
            f"{f' or {(n,)}' if d == 1 else ''}; got shape {np.shape(values)}."
        )
    return table


def owned(array: AnyArray) -> AnyArray:
    """The array itself, read-only from now on; a copy of a view, which would keep more alive."""
    if array.base is not None or not array.flags.c_contiguous:
        array = np.array(array, order="C")
    array.setflags(write=False)
    return array
