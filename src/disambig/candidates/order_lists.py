"""Orders from lists of items: the best few in order, and groups in order."""

from typing import Any

import numpy as np

from disambig.candidates.classes import is_nested, listed
from disambig.candidates.entries import COLLECTIONS
from disambig.candidates.items import item_codes
from disambig.candidates.missing import is_missing
from disambig.candidates.order_containers import (
    elements,
    is_missing_row,
    order_rows,
    refuse_rows,
)
from disambig.candidates.order_faults import order_fault, rows_among
from disambig.candidates.order_table import OrderTable
from disambig.candidates.rank_tables import smaller_first
from disambig.notation import AnyArray, FloatArray

__all__ = ["parse_buckets", "parse_top_k"]

_SEQUENCES = (list, tuple, np.ndarray)


def parse_top_k(y: Any, items: Any) -> OrderTable:
    """Read the best items of each row, in order; they stand before all that are not listed."""
    rows = order_rows(y)
    refuse_rows(
        rows,
        [isinstance(row, COLLECTIONS) and not isinstance(row, _SEQUENCES) for row in rows],
        "a list of items, best first,",
        "A set has no order; for groups of items use PartialOrders.from_buckets.",
    )
    best = [_without_filling(row) for row in rows]
    refuse_rows(
        rows,
        [any(map(_is_gap, row)) for row in best],
        "a list of items without a gap",
        "End the list where the first item is missing: what follows the gap need not stand before "
        "the items that are not listed.",
    )
    groups = [[[item] for item in row] for row in best]
    positions, vector = _positions(groups, items)
    positions[np.isnan(positions)] = np.inf
    # A row that lists nothing has all positions equal, and so no pair.
    return OrderTable(smaller_first(positions), vector)


def _is_gap(item: Any) -> bool:
    return not is_nested(item) and is_missing(item)


def _without_filling(row: Any) -> list[Any]:
    """The items of a row without the missing values that fill it up at its end."""
    items = elements(row) if isinstance(row, _SEQUENCES) else [row]
    while items and _is_gap(items[-1]):
        items.pop()
    return items


def parse_buckets(y: Any, items: Any) -> OrderTable:
    """Read groups of items, earlier groups before later ones, nothing inside a group."""
    rows = order_rows(y)
    refuse_rows(
        rows,
        [not (isinstance(row, _SEQUENCES) or is_missing_row(row)) for row in rows],
        "a list of groups",
        "Write [['a', 'b'], ['c']] for a and b before c, and [] for a row without any item.",
    )
    groups = [[] if is_missing_row(row) else [_group(group) for group in row] for row in rows]
    positions, vector = _positions(groups, items)
    return OrderTable(smaller_first(positions), vector)


def _group(group: Any) -> list[Any]:
    if isinstance(group, COLLECTIONS):
        return elements(group)
    return [group.item() if isinstance(group, np.generic) else group]


def _positions(rows: list[list[list[Any]]], items: Any) -> tuple[FloatArray, AnyArray]:
    """``(n, m)``: the place of the group in which each item is, NaN where it is in none."""
    mentions = [item for row in rows for group in row for item in group]
    places = [place for row in rows for place, group in enumerate(row) for _ in group]
    owners = np.repeat(np.arange(len(rows)), [sum(map(len, row)) for row in rows])
    codes, vector = item_codes(mentions, owners, len(rows), items)
    repeated = np.ones(len(codes), dtype=np.bool_)
    repeated[np.unique(owners * len(vector) + codes, return_index=True)[1]] = False
    if repeated.any():
        raise order_fault(
            rows_among(len(rows), owners[repeated]),
            f"mentions {listed(vector)[codes[np.argmax(repeated)]]!r} twice",
            "Name every item at most once in a row.",
        )
    positions = np.full((len(rows), len(vector)), np.nan)
    positions[owners, codes] = places
    return positions, vector
