"""Read what is known of inputs: tables of bounds, and columns of numbers, intervals and sets."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates import Intervals, LabelSets
from disambig.exceptions import CandidateError
from disambig.notation import FloatArray, IntArray
from disambig.parameters import as_array


class ReadColumns(NamedTuple):
    """What `PartialInputs` is made of.

    Attributes
    ----------
    lower, upper : float array (n, d)
    alternatives : list of (column, rows (m,), values (m, k))
    categories : list of int arrays
    names : list of d str
    """

    lower: FloatArray
    upper: FloatArray
    alternatives: list[tuple[int, IntArray, FloatArray]]
    categories: list[IntArray]
    names: list[str]


class _Column(NamedTuple):
    """Bounds ``(n, b)``, and cells with several values as rows and values."""

    lower: FloatArray
    upper: FloatArray
    names: list[str]
    rows: IntArray
    values: FloatArray
    is_category: bool = False


def read_columns(columns: Any) -> ReadColumns:
    """Columns of `PartialInputs.from_columns`."""
    if isinstance(columns, Mapping) or hasattr(columns, "columns"):
        named = [(str(name), columns[name]) for name in columns]
    else:
        named = [(str(place), column) for place, column in enumerate(columns)]
    if not named:
        raise CandidateError("PartialInputs: there are no columns; at least one is needed.")
    read = [(name, _read_column(name, column)) for name, column in named]
    n = len(read[0][1].lower)
    for name, column in read:
        if len(column.lower) != n or not n:
            raise CandidateError(
                f"PartialInputs: column {name!r} has {len(column.lower)} entries and "
                f"{read[0][0]!r} has {n}. Give every column one entry for each row."
            )
    found = ReadColumns(
        np.hstack([column.lower for _, column in read]),
        np.hstack([column.upper for _, column in read]),
        [],
        [],
        [],
    )
    for _, column in read:
        place = len(found.names)
        if column.is_category:
            found.categories.append(place + np.arange(len(column.names)))
        elif len(column.rows):
            found.alternatives.append((place, column.rows, column.values))
        found.names.extend(column.names)
    return found


def _read_column(name: str, column: Any) -> _Column:
    none = np.zeros(0, np.intp)
    if isinstance(column, LabelSets):
        mask = column.mask.astype(np.float64)
        single = (column.mask.sum(axis=1) == 1)[:, None]
        names = [f"{name}={label}" for label in column.classes.tolist()]
        if mask.shape[1] == 1:
            raise CandidateError(
                f"PartialInputs: column {name!r} is a category of one class, which says nothing. "
                "Leave it out, or name all classes: LabelSets.from_any(..., classes=...)."
            )
        return _Column(np.where(single, mask, 0.0), mask, names, none, mask[:0], True)
    if not isinstance(column, Intervals):
        values = np.asarray(column) if hasattr(column, "dtype") else None
        if values is not None and values.dtype.kind in "iufb" and values.ndim == 1:
            numbers = values.astype(np.float64)[:, None]
            return _Column(numbers, numbers, [name], none, numbers[:0])
        return _read_cells(name, list(column))
    if not column.flat:
        raise CandidateError(
            f"PartialInputs: column {name!r} has {column.lower.shape[1]} numbers a row. Give each "
            "of them as a column of its own."
        )
    return _Column(column.lower, column.upper, [name], none, column.lower[:0])


def _read_cells(name: str, cells: list[Any]) -> _Column:
    """Cells that are sets of numbers, and others that `Intervals.from_any` reads."""
    rows = [row for row, cell in enumerate(cells) if isinstance(cell, set | frozenset)]
    sets = [_numbers(name, row, cells[row]) for row in rows]
    for row, values in zip(rows, sets, strict=True):
        cells[row] = (values[0], values[-1])
    try:
        read = Intervals.from_any(cells, missing="whole")
    except (CandidateError, TypeError, ValueError) as error:
        raise CandidateError(
            f"PartialInputs: column {name!r} cannot be read. An entry is a number, an interval, a "
            f"set of numbers, or None; give a category as LabelSets. {error}"
        ) from error
    several = [place for place, values in enumerate(sets) if len(values) > 1]
    width = max((len(sets[place]) for place in several), default=0)
    table = np.full((len(several), width), np.nan)
    for place, one in enumerate(several):
        table[place, : len(sets[one])] = sets[one]
    found = np.array([rows[place] for place in several], dtype=np.intp)
    return _Column(read.lower, read.upper, [name], found, table)


def _numbers(name: str, row: int, cell: Any) -> list[float]:
    """The numbers of a set, in order."""
    try:
        values = sorted({float(value) for value in cell if not isinstance(value, str)})
    except (TypeError, ValueError):
        values = []
    if not values or len(values) < len(cell) or not np.isfinite(values).all():
        raise CandidateError(
            f"PartialInputs: row {row}, column {name!r} is {cell!r}, which is no set of finite "
            "numbers. Use None for a missing cell, and LabelSets for a category."
        )
    return values


def has_other_cells(X: Any) -> bool:
    """Whether X is a frame with a column of other things than numbers."""
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return False
    return any(getattr(X[name].dtype, "kind", "O") not in "iufb" for name in X.columns)


def number_table(X: Any, name: str) -> FloatArray:
    """A table of numbers ``(n, d)``, NaN where missing; raises if it is none."""
    try:
        values = np.array(as_array(X), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CandidateError(
            f"PartialInputs: {name} must be a table of numbers, NaN where missing; {error}. For "
            "columns of other entries use PartialInputs.from_columns."
        ) from error
    if values.ndim != 2 or 0 in values.shape:
        raise CandidateError(
            f"PartialInputs: {name} must have rows and columns, shape (n, d); got shape "
            f"{values.shape}."
        )
    return values


def checked_bounds(
    lower: Any, upper: Any, names: Sequence[str] | None
) -> tuple[FloatArray, FloatArray]:
    """Bounds of cells ``(n, d)``, with infinity for NaN; raises if a cell has no value."""
    lower, upper = number_table(lower, "lower"), number_table(upper, "upper")
    if lower.shape != upper.shape:
        raise CandidateError(
            f"PartialInputs: lower has shape {lower.shape} and upper {upper.shape}; both need one "
            "entry for every cell."
        )
    if names is not None and len(names) != lower.shape[1]:
        raise CandidateError(
            f"PartialInputs: {lower.shape[1]} columns have {len(names)} names; give one for each."
        )
    lower[np.isnan(lower)] = -np.inf
    upper[np.isnan(upper)] = np.inf
    wrong = (lower > upper) | (lower == np.inf) | (upper == -np.inf)
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        name = column if names is None else repr(names[column])
        raise CandidateError(
            f"PartialInputs: row {row}, column {name} is between {lower[row, column]:g} and "
            f"{upper[row, column]:g} ({np.count_nonzero(wrong)} such cells). Give a lower bound "
            "that is at most the upper one; -inf, inf or NaN mean no bound, and no cell is "
            "infinite."
        )
    return lower, upper
