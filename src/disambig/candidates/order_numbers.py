"""Tables with a number per item: finite ranks or scores, NaN where an item was not observed."""

import numbers
from typing import Any

import numpy as np

from disambig.candidates.classes import is_nested
from disambig.candidates.containers import is_table, table_of
from disambig.candidates.entries import COLLECTIONS
from disambig.candidates.missing import is_missing
from disambig.candidates.order_containers import (
    elements,
    is_missing_row,
    order_rows,
    refuse_rows,
    require_rows,
)
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray

__all__ = ["is_number", "number_table"]


def is_number(value: object) -> bool:
    """Whether `value` is a real number; a bool is none, NaN is one."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def number_table(y: Any) -> tuple[AnyArray, list[Any] | None]:
    """The ``(n, m)`` numbers of a table, of nested lists or of one item, and the column names.

    With one dimension `y` holds the numbers of a single item, of which none may be missing:
    a row without it would say nothing that could be said otherwise.
    """
    require_rows(y)
    if is_table(y):
        values, names = table_of(y)
        return _checked(values, names), names
    if getattr(y, "ndim", 1) > 2:
        raise CandidateError(
            f"PartialOrders: expected one number per row and item, shape (n, m); got shape "
            f"{tuple(y.shape)}. For signs of pairs, (n, m, m), use PartialOrders.from_signs."
        )
    rows = order_rows(y)
    nested = any(isinstance(row, COLLECTIONS) for row in rows)
    values = _checked(_stacked(rows) if nested else _column(rows), None)
    if not nested:
        _refuse_entries(
            np.isnan(values),
            values,
            None,
            "Input y contains NaN: with one number per row that number is the rank of the only "
            "item. Leave out such rows; for several items pass one column per item.",
        )
    return values, None


def _column(rows: list[Any]) -> AnyArray:
    column = np.empty((len(rows), 1), dtype=object)
    column[:, 0] = rows
    return column


def _stacked(rows: list[Any]) -> AnyArray:
    """Rows of equal length as a table; a missing row is missing throughout."""
    entries = [elements(row) if isinstance(row, COLLECTIONS) else None for row in rows]
    width = max(len(row) for row in entries if row is not None)
    refuse_rows(
        rows,
        [
            not is_missing_row(row) if values is None else not _is_flat(row, values, width)
            for row, values in zip(rows, entries, strict=True)
        ],
        f"a list of {width} numbers, one per item,",
        "Write NaN for an item that was not observed; for lists of items in order use "
        "PartialOrders.from_top_k or from_buckets, for lists of pairs from_pairs.",
    )
    if width == 0:
        raise CandidateError("PartialOrders: the rows are empty; at least one item is needed.")
    table = np.empty((len(rows), width), dtype=object)
    for r, values in enumerate(entries):
        table[r] = values
    return table


def _is_flat(row: Any, values: list[Any], width: int) -> bool:
    ordered = not isinstance(row, (set, frozenset))
    return ordered and len(values) == width and not any(map(is_nested, values))


def _checked(table: AnyArray, names: list[Any] | None) -> AnyArray:
    """Numbers of their own dtype, missing ones NaN; raises at what is infinite or no number."""
    values = table if table.dtype.kind in "iuf" else _converted(table, names)
    if values.dtype.kind == "f":
        _refuse_entries(
            np.isinf(values),
            values,
            names,
            "Input y contains infinity: give finite numbers, NaN for what was not observed.",
        )
    return values


def _converted(table: AnyArray, names: list[Any] | None) -> AnyArray:
    flat = table.ravel().tolist()
    if all(type(value) is int for value in flat):
        whole = np.array(flat).reshape(table.shape)
        # As integers if they fit, because large ones would become equal as floats.
        if whole.dtype.kind in "iu":
            return whole
    good = np.array([is_number(value) or is_missing(value) for value in flat], dtype=np.bool_)
    _refuse_entries(
        ~good.reshape(table.shape),
        table,
        names,
        "A table holds one number per item. For lists of items in order use "
        "PartialOrders.from_top_k or from_buckets, for texts such as 'a>b' a list of texts.",
    )
    values = [np.nan if is_missing(value) else float(value) for value in flat]
    return np.array(values, dtype=np.float64).reshape(table.shape)


def _refuse_entries(bad: BoolArray, table: AnyArray, names: list[Any] | None, remedy: str) -> None:
    if not bad.any():
        return
    row, column = (int(place) for place in np.argwhere(bad)[0])
    value = table[row, column]
    count = int(np.count_nonzero(bad))
    raise CandidateError(
        f"PartialOrders: row {row}, column {column if names is None else repr(names[column])} "
        f"holds {value.item() if isinstance(value, np.generic) else value!r} "
        f"({count} such {'entry' if count == 1 else 'entries'}). {remedy}"
    )
