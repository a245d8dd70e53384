"""Orders from known places: a number is the place of an item among all items, 0 = first.

A place that is known says more than an order: an item at place 1 of 4 stands after one item and
before two, whichever these are. Places are kept as windows, the first and the last place that an
item can have, together with the pairs that follow from them.
"""

from typing import Any

import numpy as np

from disambig.candidates.labels.classes import listed, positions
from disambig.candidates.orders.items import order_error
from disambig.candidates.orders.ranks import NumberTable, check_ties, number_table
from disambig.candidates.orders.tables import OrderTable, no_pairs, over_items
from disambig.candidates.reading import Markers
from disambig.compiled.orders.windows import narrow_windows
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray


def placed_orders(before: BoolArray, items: AnyArray, windows: IntArray) -> OrderTable:
    """Orders with windows ``(n, m, 2)``, both narrowed in place; raises if no ranking fits a row.

    `before` is transitively closed. The table has no windows if they say no more than its pairs.
    """
    impossible = narrow_windows(before, windows)
    if impossible.any():
        row = int(np.argmax(impossible))
        raise order_error(
            impossible,
            f"allows no ranking: {_proof(before[row], windows[row], listed(items))}",
            "Correct a place. Places count all items from 0; after k items that share place p the "
            "next place is p + k. If the numbers are an order only, pass ranks='order'.",
        )
    m = len(items)
    says_more = (windows[:, :, 0] > 0).any() or (windows[:, :, 1] < m - 1).any()
    return OrderTable(before, items, windows if says_more else None)


def _proof(before: BoolArray, windows: IntArray, names: list[Any]) -> str:
    """Why no order fits the windows ``(m, 2)``: more items than places, after Hall."""
    m = len(names)
    lower, upper = windows.T.tolist()
    by_pairs = np.argsort(np.count_nonzero(before, axis=0), kind="stable").tolist()
    for j in by_pairs:
        lower[j] = max([lower[j], *(lower[i] + 1 for i in np.flatnonzero(before[:, j]).tolist())])
    for i in reversed(by_pairs):
        upper[i] = min([upper[i], *(upper[j] - 1 for j in np.flatnonzero(before[i]).tolist())])
    for i in range(m):
        if lower[i] > upper[i]:
            return (
                f"{names[i]!r} can have no place before {lower[i]} and none after {upper[i]}, "
                f"because of its pairs"
            )
    for size in range(1, m + 1):
        for first in range(m + 1 - size):
            last = first + size - 1
            inside = [i for i in range(m) if lower[i] >= first and upper[i] <= last]
            if len(inside) > size:
                shown = ", ".join(repr(names[i]) for i in inside)
                where = f"place {first}" if size == 1 else f"places {first} to {last}"
                return f"{shown} would share {where}"
    raise AssertionError("the windows fit an order")  # pragma: no cover


def checked_windows(windows: Any, n: int, m: int) -> IntArray:
    """A copy of windows as int64 ``(n, m, 2)``; raises unless they are places from 0 to m - 1."""
    given = np.asarray(windows)
    if given.shape != (n, m, 2) or given.dtype.kind not in "iu":
        raise CandidateError(
            f"PartialOrders: windows must be integers of shape {(n, m, 2)}, the first and the "
            f"last place of each item; got {given.dtype} of shape {given.shape}. Use "
            f"PartialOrders.from_places for other forms."
        )
    _refuse_places(given.astype(np.float64), np.arange(m))
    return np.array(given, dtype=np.int64, order="C")


def parse_places(y: Any, items: Any, ties: str, unlabeled: Any = None) -> OrderTable:
    """Read places ``(n, m)``, or first and last places ``(n, m, 2)``; NaN is not known."""
    check_ties(ties)
    markers = Markers.of(unlabeled, "PartialOrders")
    pairs = _window_array(y)
    if pairs is None:
        table = number_table(y, markers)
        bounds = _shared_places(_places_of(table), ties)
    else:
        n, m, _ = pairs.shape
        table = number_table(pairs.reshape(n, 2 * m), markers)
        bounds = _places_of(table).reshape(n, m, 2)
    bounds, vector = _over_items(bounds, table.names, items)
    _refuse_places(bounds, vector)
    n, m, _ = bounds.shape
    windows = np.empty(bounds.shape, dtype=np.int64)
    windows[:, :, 0] = np.where(np.isnan(bounds[:, :, 0]), 0, bounds[:, :, 0])
    windows[:, :, 1] = np.where(np.isnan(bounds[:, :, 1]), m - 1, bounds[:, :, 1])
    return placed_orders(no_pairs(n, m), vector, windows)


def _window_array(y: Any) -> AnyArray | None:
    """`y` as an array ``(n, m, 2)`` if it holds two numbers for each item, else None."""
    if isinstance(y, (list, tuple)):
        try:
            y = np.asarray(y, dtype=object)
        except ValueError:
            return None
    if getattr(y, "ndim", 1) != 3:
        return None
    array = np.asarray(y)
    if array.shape[2] != 2 or 0 in array.shape:
        raise CandidateError(
            f"PartialOrders: places have shape (n, m), or (n, m, 2) for the first and the last "
            f"place of each item; got shape {array.shape}."
        )
    return array


def _places_of(table: NumberTable) -> FloatArray:
    """Places as floats, NaN where an entry is a marker."""
    places = table.values.astype(np.float64)
    places[table.marked] = np.nan
    return places


def _shared_places(places: FloatArray, ties: str) -> FloatArray:
    """First and last places ``(n, m, 2)``: k items at place p share the places p to p + k - 1."""
    sharing = np.zeros(places.shape)
    # One item at a time needs memory (n, m) instead of (n, m, m).
    for i in range(places.shape[1]):
        sharing += places == places[:, i, np.newaxis]
    tied = np.asarray((sharing > 1).any(axis=1))
    if ties == "error" and tied.any():
        raise order_error(
            tied,
            "has equal places",
            "Give distinct places, or ties='ignore' if items share the places that follow.",
        )
    return np.stack([places, places + np.maximum(sharing, 1) - 1], axis=2)


def _over_items(
    bounds: FloatArray, names: list[Any] | None, items: Any
) -> tuple[FloatArray, AnyArray]:
    """Match columns to items as `over_items` does; the place of an item without column is NaN."""
    n, m, _ = bounds.shape
    vector = over_items(no_pairs(0, m), names, items).items
    if names is None or items is None or not set(names) <= set(listed(vector)):
        return bounds, vector
    index_of = positions(vector)
    wider = np.full((n, len(vector), 2), np.nan)
    wider[:, [index_of[name] for name in names]] = bounds
    return wider, vector


def _refuse_places(bounds: FloatArray, items: AnyArray) -> None:
    """Raise unless places ``(n, m, 2)`` are NaN or integers from 0 to m - 1, first to last."""
    m = len(items)
    with np.errstate(invalid="ignore"):
        bad = (bounds < 0) | (bounds > m - 1) | ((bounds != np.round(bounds)) & ~np.isnan(bounds))
    what, remedy = "", ""
    if bad.any():
        row, item, end = (int(index) for index in np.argwhere(bad)[0])
        what = f"has {listed(items)[item]!r} at place {bounds[row, item, end]:g}"
        remedy = (
            f"The places of {m} items are whole numbers from 0, the first, to {m - 1}; subtract 1 "
            f"from places that count from 1. If the numbers are an order only, pass ranks='order'."
        )
    else:
        bad = bounds[:, :, 0] > bounds[:, :, 1]
        if bad.any():
            row, item = (int(index) for index in np.argwhere(bad)[0])
            first, last = bounds[row, item]
            what = f"has {listed(items)[item]!r} between places {first:g} and {last:g}"
            remedy = "The first place comes before the last one."
    if bad.any():
        raise order_error(np.asarray(bad.reshape(len(bad), -1).any(axis=1)), what, remedy)
