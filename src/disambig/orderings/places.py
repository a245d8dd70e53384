"""All orders that sorting finds: prices of positions times scores of items, ties included.

``sum_i prices[rank of i] scores[i]`` is least where cheap positions have the items of high scores.
Items of equal score are alike, and so are positions of equal price: how many items of one kind
stand in positions of another is then the same in all optimal orders, and within a kind every
allotment is as good. So the law of the optimal orders needs no programme, and any number of items
will do.

Tied orders of problems whose cost is a sum over items of what their position costs.
"""

from typing import NamedTuple

import numpy as np

from disambig.exceptions import MissingOracleError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.orderings.dynamic import LARGEST_LATTICE, position_orders
from disambig.orderings.ties import tied_position_orders


class PositionDistribution(NamedTuple):
    """Uniform laws on tied orders: one of them, ``(b, m)``, and ``(b, m, m)`` probabilities.

    ``pairs[r, i, j]``: i stands before j. ``places[r, i, k]``: i has position k.
    """

    ranks: IntArray
    pairs: FloatArray
    places: FloatArray


def sorted_orders(
    scores: FloatArray, prices: FloatArray, tolerance: FloatArray
) -> PositionDistribution:
    """The orders that minimise ``sum_i prices[rank of i] scores[i]``.

    Parameters
    ----------
    scores : float array (b, m)
    prices : float array (m,)
        Rising or falling with the position; equal ones are alike.
    tolerance : float array (b,)
        Neighbouring scores tie if to exchange them between the first and the last position changes
        the sum by no more than this.

    Examples
    --------
    Only the first position counts, and two items want it:

    >>> law = sorted_orders(np.array([[2.0, 1.0, 2.0]]), np.array([-1.0, 0.0, 0.0]), np.zeros(1))
    >>> law.ranks, law.places[0]
    (array([[0, 2, 1]]), array([[0.5 , 0.25, 0.25],
           [0.  , 0.5 , 0.5 ],
           [0.5 , 0.25, 0.25]]))
    """
    rises = 1.0 if prices[-1] >= prices[0] else -1.0
    kinds, sorted_kinds = _item_kinds(rises * scores, abs(float(prices[-1] - prices[0])), tolerance)
    # Position t is of the kind position_kinds[t]; kinds are intervals since prices are monotone.
    position_kinds = np.concatenate([[0], np.cumsum(np.diff(prices) != 0.0)])
    shelves = (position_kinds[:, None] == np.arange(position_kinds[-1] + 1)).astype(np.float64)
    # allotted[r, i, s]: how many items of the kind of i stand on shelf s. Whole numbers, so that
    # what all orders agree on comes out as exactly 0 or 1 below.
    allotted = (kinds[:, :, None] == sorted_kinds[:, None, :]).astype(np.float64) @ shelves
    alike = allotted.sum(axis=2, keepdims=True)
    places = (allotted / shelves.sum(axis=0))[:, :, position_kinds] / alike
    # Twice the number of ways to have i before j: an earlier shelf, or half of those on the same.
    earlier = np.triu(np.full((shelves.shape[1],) * 2, 2.0), 1) + np.eye(shelves.shape[1])
    pairs = (allotted @ earlier) @ np.swapaxes(allotted, 1, 2)
    pairs /= 2.0 * alike * np.swapaxes(alike, 1, 2)
    pairs[:, np.arange(kinds.shape[1]), np.arange(kinds.shape[1])] = 0.0
    return PositionDistribution(_ranks(kinds), pairs, places)


def _item_kinds(
    scores: FloatArray, spread: float, tolerance: FloatArray
) -> tuple[IntArray, IntArray]:
    """Kinds of equal scores from high to low: of each item, and in sorted order, ``(b, m)``."""
    order = np.argsort(-scores, axis=1, kind="stable")
    falls = -np.diff(np.take_along_axis(scores, order, axis=1), axis=1)
    sorted_kinds = np.zeros(scores.shape, dtype=np.intp)
    sorted_kinds[:, 1:] = np.cumsum(falls * spread > tolerance[:, None], axis=1)
    kinds = np.empty_like(sorted_kinds)
    np.put_along_axis(kinds, order, sorted_kinds, axis=1)
    return kinds, sorted_kinds


def _ranks(kinds: AnyArray) -> IntArray:
    # By kind, then by number: rounding must not choose between items that tie.
    ranks: IntArray = np.argsort(np.argsort(kinds, axis=1, kind="stable"), axis=1, kind="stable")
    return ranks


def place_orders(
    scores: FloatArray, table: FloatArray, before: AnyArray | None, tolerance: FloatArray
) -> PositionDistribution:
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
    law = PositionDistribution(
        np.zeros((b, m), dtype=np.intp), np.zeros((b, m, m)), np.zeros((b, m, m))
    )
    rest = np.arange(b)
    if table.shape[1] == 1:
        rest, rows = np.flatnonzero(~free), np.flatnonzero(free)
        _put(law, rows, sorted_orders(scores[rows, :, 0], table[:, 0], tolerance[rows]))
    forced = None if before is None else before[rest]
    costs = scores[rest] @ table.T
    if m <= LARGEST_LATTICE:
        found = tied_position_orders(costs, forced, tolerance=tolerance[rest])
        _put(law, rest, PositionDistribution(found.ranks, found.pairs, found.places))
    else:
        _put(law, rest, _single(_one_order(costs, forced)))
    return law


def _put(law: PositionDistribution, rows: IntArray, part: PositionDistribution) -> None:
    for whole, values in zip(law, part, strict=True):
        whole[rows] = values


def _single(ranks: IntArray) -> PositionDistribution:
    """The law of one order."""
    pairs = ranks[:, :, None] < ranks[:, None, :]
    places = ranks[:, :, None] == np.arange(ranks.shape[1])
    return PositionDistribution(ranks, pairs.astype(np.float64), places.astype(np.float64))


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
