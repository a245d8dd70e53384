"""Columns of a table as a matrix: numbers as they are, categories one-hot."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disambig.notation import AnyArray, FloatArray

__all__ = ["Column", "encoded", "text_column"]

# What tables write where a number is missing, besides "nan".
_MISSING = ("", "?", "NA")


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute of a table.

    Parameters
    ----------
    name : str
    values : float array (n,), or str array (n,)
        Numbers, NaN where missing, or categories.
    categories : tuple of str, or None
        The values that the attribute may take; None for numbers.
    """

    name: str
    values: AnyArray
    categories: tuple[str, ...] | None = None


def text_column(name: str, cells: AnyArray) -> Column:
    """Read ``(n,)`` texts: numbers if all are, where an empty cell, ``?``, ``NA`` is a missing one.

    Otherwise the texts are categories, the distinct ones in alphabetical order.
    """
    try:
        return Column(name, np.where(np.isin(cells, _MISSING), "nan", cells).astype(np.float64))
    except ValueError:
        return Column(name, cells, tuple(np.unique(cells).tolist()))


def encoded(columns: Sequence[Column], n_rows: int) -> tuple[FloatArray, tuple[str, ...]]:
    """``X`` of shape (n, d), and the d names of its columns.

    A numeric attribute is one column under its own name. A nominal one is a column of 0 and 1 for
    every category, named ``attribute=category``, in the order of the categories, whether or not it
    occurs; a value that is none of them, a missing one included, has 0 in all of them.
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
