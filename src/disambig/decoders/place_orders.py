"""Tied orders of problems whose cost is a sum over items of what their position costs."""

import numpy as np

from disambig.decoders.dynamic import LARGEST_LATTICE
from disambig.decoders.positions import position_orders
from disambig.decoders.sorted_orders import PlaceLaw, sorted_orders
from disambig.decoders.tied import tied_position_orders
from disambig.exceptions import MissingOracleError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray

__all__ = ["place_orders"]


def place_orders(
    scores: FloatArray, table: FloatArray, before: AnyArray | None, tolerance: FloatArray
) -> PlaceLaw:
    """The orders that minimise ``sum_i <table[rank of i], scores[i]>``, all of them where possible.

    With a table of one column free rows are sorted. Other rows take the programme over sets of
    items, up to 20 items. Beyond, a free row is one assignment problem and gets one of its orders;
    a row that is ordered already has no other; what lies between is refused.

    Parameters
    ----------
    scores : float array (b, m, c)
    table : float array (m, c)
        A table of one column is monotone.
    before : bool array (b, m, m), optional
        ``before[r, i, j]``: i must stand before j. Transitively closed.
    tolerance : float array (b,)

    Examples
    --------
    >>> law = place_orders(np.zeros((1, 3, 2)), np.ones((3, 2)), None, np.zeros(1))
    >>> law.pairs[0, 0]
    array([0. , 0.5, 0.5])
    """
    b, m, _ = scores.shape
    free = np.ones(b, dtype=np.bool_) if before is None else ~before.any(axis=(1, 2))
    if table.shape[1] == 1 and free.all():
        return sorted_orders(scores[:, :, 0], table[:, 0], tolerance)
    law = PlaceLaw(np.zeros((b, m), dtype=np.intp), np.zeros((b, m, m)), np.zeros((b, m, m)))
    rest = np.arange(b)
    if table.shape[1] == 1:
        rest, rows = np.flatnonzero(~free), np.flatnonzero(free)
        _put(law, rows, sorted_orders(scores[rows, :, 0], table[:, 0], tolerance[rows]))
    forced = None if before is None else before[rest]
    costs = scores[rest] @ table.T
    if m <= LARGEST_LATTICE:
        found = tied_position_orders(costs, forced, tolerance=tolerance[rest])
        _put(law, rest, PlaceLaw(found.ranks, found.pairs, found.places))
    else:
        _put(law, rest, _single(_one_order(costs, forced)))
    return law


def _put(law: PlaceLaw, rows: IntArray, part: PlaceLaw) -> None:
    for whole, values in zip(law, part, strict=True):
        whole[rows] = values


def _single(ranks: IntArray) -> PlaceLaw:
    """The law of one order."""
    pairs = ranks[:, :, None] < ranks[:, None, :]
    places = ranks[:, :, None] == np.arange(ranks.shape[1])
    return PlaceLaw(ranks, pairs.astype(np.float64), places.astype(np.float64))


def _one_order(costs: FloatArray, before: BoolArray | None) -> IntArray:
    """One best order where the programme cannot go: for rows that are free, or ordered already."""
    m = costs.shape[1]
    if before is None:
        return position_orders(costs).ranks
    known = np.count_nonzero(before, axis=(1, 2))
    between = (known > 0) & (known < m * (m - 1) // 2)
    if between.any():
        raise MissingOracleError(
            f"row {int(between.argmax())} ({np.count_nonzero(between)} such rows) is ordered in "
            f"part, and losses of positions can complete orders of at most {LARGEST_LATTICE} "
            f"items; there are {m}. Use the Kendall loss, or fewer items."
        )
    ranks = np.asarray(np.count_nonzero(before, axis=1), dtype=np.intp)
    free = np.flatnonzero(known == 0)
    if free.size:
        ranks[free] = position_orders(costs[free]).ranks
    return ranks
