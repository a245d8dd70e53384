"""Orders from chains of items: a pair is a chain of two items, ``a>b>c`` a chain of three."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from disambig.candidates.labels.entries import COLLECTIONS
from disambig.candidates.orders.items import (
    elements,
    is_missing_row,
    item_codes,
    order_rows,
    refuse_rows,
    without_marked,
)
from disambig.candidates.orders.tables import OrderTable, closed_orders, no_pairs
from disambig.candidates.reading import Markers


def parse_pairs(y: Any, items: Any, unlabeled: Any = None) -> OrderTable:
    """Read a collection of pairs ``(a, b)`` per row, a before b."""
    markers = Markers.of(unlabeled, "PartialOrders")
    rows = without_marked(order_rows(y), markers)
    refuse_rows(
        rows,
        [not (isinstance(row, COLLECTIONS) or is_missing_row(row)) for row in rows],
        "a list of pairs",
        "Write [('a', 'b'), ...] for a before b, and [] for a row without any pair; for texts "
        "use PartialOrders.from_strings.",
    )
    pairs = [[] if is_missing_row(row) else elements(row) for row in rows]
    refuse_rows(
        rows,
        [not all(map(is_pair, row)) for row in pairs],
        "a list of pairs",
        "A pair is a tuple, list or array (a, b) of two items, a before b; a row with one pair "
        "is [('a', 'b')].",
    )
    return orders_from_chains(pairs, items, markers)


def is_pair(entry: Any) -> bool:
    """Whether `entry` is a sequence of length two; a set has no order and is not."""
    if isinstance(entry, np.ndarray):
        return bool(entry.shape == (2,))
    return isinstance(entry, (list, tuple)) and len(entry) == 2


def orders_from_chains(
    rows: Sequence[Sequence[Sequence[Any]]], items: Any, markers: Markers
) -> OrderTable:
    """Orders that agree with every chain of their row.

    Parameters
    ----------
    rows : n rows, each of any number of chains, each of items
    items : (m,) array-like, or None for the sorted items that occur
    markers : Markers
        What must not be an item.

    Examples
    --------
    >>> before, items, _ = orders_from_chains([[["a", "b", "c"]], [["c", "a"]]], None, Markers())
    >>> before.sum(axis=(1, 2)), items
    (array([3, 1]), array(['a', 'b', 'c'], dtype='<U1'))
    """
    mentions = [item for row in rows for chain in row for item in chain]
    chains_per_row = [len(row) for row in rows]
    chain_lengths = [len(chain) for row in rows for chain in row]
    row_of_chain = np.repeat(np.arange(len(rows)), chains_per_row)
    owners = np.repeat(row_of_chain, chain_lengths)
    chains = np.repeat(np.arange(len(chain_lengths)), chain_lengths)
    codes, vector = item_codes(mentions, owners, len(rows), items, markers)
    before = no_pairs(len(rows), len(vector))
    linked = np.flatnonzero(chains[1:] == chains[:-1])
    before[owners[linked], codes[linked], codes[linked + 1]] = True
    return closed_orders(before, vector)
