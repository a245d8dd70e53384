"""Partial orders as a table of pairs over a vector of items.

The table is transitively closed and has no cycle. `reexpress` writes the same orders over other
items.
"""

from typing import Any, NamedTuple

import numpy as np

from disambig.candidates.labels.classes import listed, positions, preview
from disambig.candidates.look_alikes import warn_of_look_alike_names
from disambig.candidates.orders.items import checked_items, named_items, order_error, refuse_cycles
from disambig.compiled.relations import close_transitively
from disambig.exceptions import CandidateError
from disambig.memory import require_bytes
from disambig.notation import AnyArray, BoolArray, IntArray

# The decoders hold sets of items in signed integers of 64 bits, and the number of all sets, 2 ** m,
# must fit as well.
_MAX_MASK_ITEMS = 62


class OrderTable(NamedTuple):
    """What a parser returns: pairs, transitively closed and without a cycle, and the items.

    Attributes
    ----------
    before : (n, m, m) of bool
        ``before[r, i, j]``: item i stands before item j in row r.
    items : (m,)
    windows : (n, m, 2) of int64, or None
        The first and the last place of each item, as `narrow_windows` leaves them.
    """

    before: BoolArray
    items: AnyArray
    windows: IntArray | None = None


def no_pairs(n: int, m: int) -> BoolArray:
    """``(n, m, m)`` of False; raises if it does not fit into memory."""
    # One byte per pair. Packed bits would not allow more rows: the embedding in which orders are
    # learned takes four times as much memory as these bytes.
    require_bytes(
        n * m * m,
        f"PartialOrders: the pairs of {m} items in {n} rows",
        "Give fewer rows, or leave out items that are hardly ever compared.",
    )
    return np.zeros((n, m, m), dtype=np.bool_)


def closed_orders(before: BoolArray, items: AnyArray) -> OrderTable:
    """Close the pairs, ``(n, m, m)``, transitively in place; raises at a cycle."""
    refuse_cycles(close_transitively(before), before, items)
    return OrderTable(before, items)


def checked_orders(before: Any, items: Any) -> OrderTable:
    """The transitive closure of a copy of `before`; raises unless it fits the items."""
    before = np.asarray(before)
    if before.ndim != 3 or before.dtype != np.bool_ or before.shape[1] != before.shape[2]:
        raise CandidateError(
            f"PartialOrders: before must be a boolean array of shape (n, m, m); got "
            f"{before.dtype} of shape {before.shape}. Use PartialOrders.from_any for other forms."
        )
    if before.shape[1] == 0:
        raise CandidateError("PartialOrders: there are no items; at least one is needed.")
    vector = named_items(items, before.shape[1])
    return closed_orders(np.array(before, order="C"), vector)


def reexpress(table: OrderTable, items: AnyArray) -> OrderTable:
    """The same orders over `items`: a permutation, a superset, or without items never compared.

    Parameters
    ----------
    table : OrderTable over ``(m,)`` items
    items : (l,)

    Returns
    -------
    OrderTable
        Over the ``(l,)`` items. A new item is in no pair. Rows with known places allow a
        permutation only: a place counts all items.
    """
    index_of = positions(items)
    target = np.array([index_of.get(name, -1) for name in listed(table.items)], dtype=np.intp)
    known = target >= 0
    compared = np.asarray(table.before.any(axis=1) | table.before.any(axis=2))
    lost = compared & ~known
    if lost.any():
        column = int(np.argwhere(lost)[0][1])
        raise order_error(
            np.asarray(lost.any(axis=1)),
            f"compares {listed(table.items)[column]!r}, which is not among the items "
            f"{preview(listed(items))}",
            "Add it to items, or leave its comparisons out.",
        )
    wider = no_pairs(len(table.before), len(items))
    kept = target[known]
    wider[:, kept[:, np.newaxis], kept] = table.before[:, known][:, :, known]
    if table.windows is None:
        return OrderTable(wider, items)
    if not known.all() or len(items) != len(known):
        m = len(known)
        placed = (table.windows[:, :, 0] > 0) | (table.windows[:, :, 1] < m - 1)
        raise order_error(
            np.asarray(placed.any(axis=1)),
            f"knows places among {m} items, which are other places among {len(items)}",
            "Read the data with all items, by from_places(y, items=items).",
        )
    windows = np.empty_like(table.windows)
    windows[:, target] = table.windows
    return OrderTable(wider, items, windows)


def over_items(before: BoolArray, names: list[Any] | None, items: Any) -> OrderTable:
    """Match columns to items: by name if the columns have names, else by position.

    Parameters
    ----------
    before : (n, m, m) of bool
        Transitively closed.
    names : list of m names of columns, or None
    items : (l,) array-like, or None for the names, else 0 to m - 1
    """
    if items is None:
        warn_of_look_alike_names("PartialOrders", names or (), "items")
        return OrderTable(before, named_items(names, before.shape[1]))
    vector = checked_items(items)
    if names is not None:
        known = set(listed(vector))
        unknown = [name for name in names if name not in known]
        if not unknown:
            return reexpress(OrderTable(before, checked_items(names)), vector)
        if len(unknown) < len(names):
            raise CandidateError(
                f"PartialOrders: columns {preview(unknown)} are not among the items "
                f"{preview(listed(vector))} while other columns are. Rename the columns, or pass "
                f"an array without names to match columns by position."
            )
    return OrderTable(before, named_items(vector, before.shape[1]))


def predecessor_masks(before: BoolArray) -> AnyArray:
    """Bit i of ``masks[r, j]`` is ``before[r, i, j]``, ``(n, m)`` of int64, read-only."""
    n_items = before.shape[1]
    if n_items > _MAX_MASK_ITEMS:
        raise CandidateError(
            f"PartialOrders: masks hold one bit per item, at most {_MAX_MASK_ITEMS}; there are "
            f"{n_items} items. Read before instead."
        )
    masks = np.zeros(before.shape[:2], dtype=np.int64)
    for i in range(n_items):
        masks |= before[:, i].astype(np.int64) << i
    masks.setflags(write=False)
    return masks


def distinct_orders(
    before: BoolArray, windows: IntArray | None = None
) -> tuple[IntArray, IntArray]:
    """The first row of each distinct set, ``(d,)``, and which of them a row has, ``(n,)``.

    Examples
    --------
    >>> before = np.zeros((3, 2, 2), dtype=bool)
    >>> before[[0, 2], 0, 1] = True
    >>> distinct_orders(before)
    (array([1, 0]), array([1, 0, 1]))
    """
    packed = np.packbits(before.reshape(len(before), -1), axis=1)
    if windows is not None:
        places = np.ascontiguousarray(windows).reshape(len(windows), -1).view(np.uint8)
        packed = np.concatenate([packed, places], axis=1)
    _, first, which = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    which = which.ravel()
    for array in (first, which):
        array.setflags(write=False)
    return first, which
