"""The items of a ranking as a vector: distinct names in a fixed order; mentions of them in rows."""

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from disambig.candidates.classes import (
    class_vector,
    is_nested,
    listed,
    positions,
    preview,
    sorted_labels,
)
from disambig.candidates.missing import is_missing
from disambig.candidates.order_faults import order_fault, rows_among
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, IntArray

__all__ = ["checked_items", "item_codes", "named_items"]


def checked_items(items: Any) -> AnyArray:
    """The vector of `items`, in the order given, ``(m,)``; raises unless they are distinct."""
    if isinstance(items, (str, bytes, Mapping, Set)) or not isinstance(items, Iterable):
        raise CandidateError(
            f"PartialOrders: items must be a 1-D list or array of distinct names, in order; "
            f"got {type(items).__name__} {items!r}."
        )
    if isinstance(items, np.ndarray) and items.ndim != 1:
        raise CandidateError(f"PartialOrders: items must be 1-D; got shape {items.shape}.")
    names = listed(items) if isinstance(items, np.ndarray) else list(items)
    if not names:
        raise CandidateError("PartialOrders: items is empty. Name at least one item.")
    seen: dict[Any, int] = {}
    for i, name in enumerate(names):
        if not _is_item(name):
            raise CandidateError(
                f"PartialOrders: items[{i}] is {name!r}. An item is a number, a text or another "
                f"single value, never missing and never a collection."
            )
        if seen.setdefault(name, i) != i:
            raise CandidateError(
                f"PartialOrders: items must be distinct; {name!r} stands at {seen[name]} and {i}."
            )
    return class_vector(names)


def named_items(items: Any, n_items: int) -> AnyArray:
    """The vector of the `items` that were named, else 0 to m - 1; raises unless there are m."""
    if items is None:
        return np.arange(n_items)
    vector = checked_items(items)
    if len(vector) != n_items:
        raise CandidateError(
            f"PartialOrders: {len(vector)} items were named for {n_items} in the data. "
            f"Name each once, in the order of the columns."
        )
    return vector


def item_codes(
    mentions: Sequence[Any], owners: IntArray, n_rows: int, items: Any
) -> tuple[IntArray, AnyArray]:
    """Where each mentioned item stands among the items, and the items.

    Parameters
    ----------
    mentions : sequence of M items, as they occur in the rows
    owners : (M,)
        The row in which each occurs.
    n_rows : int
    items : (m,) array-like, or None for the sorted items that occur

    Returns
    -------
    codes : (M,)
    items : (m,)
    """
    vector = None if items is None else checked_items(items)
    distinct = _distinct(mentions, owners, n_rows)
    if vector is None:
        if not distinct:
            raise CandidateError(
                "PartialOrders: no row mentions an item, so that the items are unknown. "
                "Name them by items=."
            )
        vector = class_vector(sorted_labels(distinct))
    place = positions(vector)
    codes = np.fromiter(
        (place.get(name, -1) for name in mentions), dtype=np.intp, count=len(mentions)
    )
    unknown = codes < 0
    if unknown.any():
        raise order_fault(
            rows_among(n_rows, owners[unknown]),
            f"mentions {mentions[int(np.argmax(unknown))]!r}, which is not among the items "
            f"{preview(listed(vector))}",
            "Correct the name or add it to items.",
        )
    return codes, vector


def _is_item(name: Any) -> bool:
    return isinstance(name, Hashable) and not is_nested(name) and not is_missing(name)


def _distinct(mentions: Sequence[Any], owners: IntArray, n_rows: int) -> list[Any]:
    """The items that occur, each once; raises at what cannot be an item."""
    distinct: list[Any] = []
    try:
        distinct = list(dict.fromkeys(mentions))
        sound = all(map(_is_item, distinct))
    except TypeError:
        sound = False
    if not sound:
        bad = np.array([not _is_item(name) for name in mentions])
        raise order_fault(
            rows_among(n_rows, owners[bad]),
            f"mentions {mentions[int(np.argmax(bad))]!r} where an item is expected",
            "An item is a number, a text or another single value, never missing and never a "
            "collection; leave out what was not observed.",
        )
    return distinct
