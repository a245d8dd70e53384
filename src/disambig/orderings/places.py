"""All optimal orders of problems whose cost is a sum over items that depends on their positions.

``sum_i weights[rank of i] scores[i]`` is least if the items of high scores have the positions of
small weights, which sorting finds. Items of equal score form a group, and so do positions of equal
weight. The number of items of a group at the positions of a group is the same in all optimal
orders, and the items of a group may be exchanged freely. So `sorted_orders` gives the uniform
distribution on the optimal orders in closed form, for any number of items. `place_orders` also
takes forced pairs and several scores per item.
"""

from typing import NamedTuple

import numpy as np

from disambig.exceptions import MissingOracleError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.orderings.dynamic import LARGEST_LATTICE, position_orders
from disambig.orderings.ties import tied_position_orders
from disambig.orderings.windows import imply_pairs, placed_problems


class PositionDistribution(NamedTuple):
    """Uniform distributions on tied orders: one of them, ``(b, m)``, and probabilities.

    ``pairs[r, i, j]`` is the probability that i stands before j, and ``places[r, i, k]`` that i has
    position k.
    """

    ranks: IntArray
    pairs: FloatArray
    places: FloatArray


def sorted_orders(
    scores: FloatArray, weights: FloatArray, tolerance: FloatArray
) -> PositionDistribution:
    """The orders that minimise ``sum_i weights[rank of i] scores[i]``.

    Parameters
    ----------
    scores : float array (b, m)
    weights : float array (m,)
        Monotone in the position.
    tolerance : float array (b,)
        Consecutive scores tie if exchanging them partial the first and the last position changes
        the sum by no more than this.

    Examples
    --------
    Only the first position counts, and two items tie for it:

    >>> scores, weights = np.array([[2.0, 1.0, 2.0]]), np.array([-1.0, 0.0, 0.0])
    >>> found = sorted_orders(scores, weights, np.zeros(1))
    >>> found.ranks, found.places[0]
    (array([[0, 2, 1]]), array([[0.5 , 0.25, 0.25],
           [0.  , 0.5 , 0.5 ],
           [0.5 , 0.25, 0.25]]))
    """
    direction = 1.0 if weights[-1] >= weights[0] else -1.0
    spread = abs(float(weights[-1] - weights[0]))
    groups, sorted_groups = _item_groups(direction * scores, spread, tolerance)
    # Groups of positions are intervals, since weights are monotone; in_group[k, g] is 1 if position
    # k is in group g.
    position_groups = np.concatenate([[0], np.cumsum(np.diff(weights) != 0.0)])
    in_group = (position_groups[:, None] == np.arange(position_groups[-1] + 1)).astype(np.float64)
    # counts[r, i, g]: the number of items of the group of i at positions of group g. These are
    # integers, so that probabilities of 0 and 1 come out exactly below.
    counts = (groups[:, :, None] == sorted_groups[:, None, :]).astype(np.float64) @ in_group
    sizes = counts.sum(axis=2, keepdims=True)
    places = (counts / in_group.sum(axis=0))[:, :, position_groups] / sizes
    # Twice the number of ways to have i before j: in an earlier group, or half of the ways in the
    # same group.
    earlier = np.triu(np.full((in_group.shape[1],) * 2, 2.0), 1) + np.eye(in_group.shape[1])
    pairs = (counts @ earlier) @ np.swapaxes(counts, 1, 2)
    pairs /= 2.0 * sizes * np.swapaxes(sizes, 1, 2)
    pairs[:, np.arange(groups.shape[1]), np.arange(groups.shape[1])] = 0.0
    return PositionDistribution(_ranks(groups), pairs, places)


def _item_groups(
    scores: FloatArray, spread: float, tolerance: FloatArray
) -> tuple[IntArray, IntArray]:
    """Groups of tied scores, numbered from high to low: of each item and sorted, ``(b, m)``."""
    order = np.argsort(-scores, axis=1, kind="stable")
    decreases = -np.diff(np.take_along_axis(scores, order, axis=1), axis=1)
    sorted_groups = np.zeros(scores.shape, dtype=np.intp)
    sorted_groups[:, 1:] = np.cumsum(decreases * spread > tolerance[:, None], axis=1)
    groups = np.empty_like(sorted_groups)
    np.put_along_axis(groups, order, sorted_groups, axis=1)
    return groups, sorted_groups


def _ranks(groups: AnyArray) -> IntArray:
    """Ranks by group, then by index, so that rounding does not choose partial tied items."""
    ranks: IntArray = np.argsort(np.argsort(groups, axis=1, kind="stable"), axis=1, kind="stable")
    return ranks


def place_orders(
    scores: FloatArray,
    table: FloatArray,
    before: AnyArray | None,
    tolerance: FloatArray,
    windows: AnyArray | None = None,
) -> PositionDistribution:
    """The orders that minimise ``sum_i <table[rank of i], scores[i]>``, all of them if possible.

    If the table has one column, rows without forced pairs and windows are sorted. Other rows take
    the dynamic program over sets of items, for up to 20 items. With more items, a row without
    forced pairs, except those that follow from its windows, is an assignment problem and gets one
    of its optimal orders, a row with a total order keeps that order, and other rows raise.

    Parameters
    ----------
    scores : float array (b, m, c)
    table : float array (m, c)
        If it has one column, that must be monotone.
    before : bool array (b, m, m), optional
        ``before[r, i, j]``: i must stand before j. Transitively closed.
    tolerance : float array (b,)
    windows : int array (b, m, 2), optional
        The first and the last place of each item; with `before`.

    Examples
    --------
    >>> found = place_orders(np.zeros((1, 3, 2)), np.ones((3, 2)), None, np.zeros(1))
    >>> found.pairs[0, 0]
    array([0. , 0.5, 0.5])
    """
    b, m, _ = scores.shape
    free = np.ones(b, dtype=np.bool_) if before is None else ~before.any(axis=(1, 2))
    if before is not None and windows is not None:
        free &= ~placed_problems(windows, before)
    if table.shape[1] == 1 and free.all():
        return sorted_orders(scores[:, :, 0], table[:, 0], tolerance)
    distribution = PositionDistribution(
        np.zeros((b, m), dtype=np.intp), np.zeros((b, m, m)), np.zeros((b, m, m))
    )
    rest = np.arange(b)
    if table.shape[1] == 1:
        rest, rows = np.flatnonzero(~free), np.flatnonzero(free)
        _put(distribution, rows, sorted_orders(scores[rows, :, 0], table[:, 0], tolerance[rows]))
    forced = None if before is None else before[rest]
    limits = None if windows is None else windows[rest]
    costs = scores[rest] @ table.T
    if m <= LARGEST_LATTICE:
        found = tied_position_orders(costs, forced, windows=limits, tolerance=tolerance[rest])
        _put(distribution, rest, PositionDistribution(found.ranks, found.pairs, found.places))
    else:
        _put(distribution, rest, _single(_one_order(costs, forced, limits)))
    return distribution


def require_place_orders(before: AnyArray, windows: AnyArray | None = None) -> None:
    """Raise an error if a row has too many items for `place_orders` and is ordered in part.

    Parameters
    ----------
    before : bool array (b, m, m)
        Transitively closed.
    windows : int array (b, m, 2), optional
        Rows whose pairs all follow from windows are fine.
    """
    m = before.shape[1]
    if m <= LARGEST_LATTICE:
        return
    partial = ~(_is_total(before) | _is_assignment(before, windows))
    if partial.any():
        raise MissingOracleError(
            f"row {int(partial.argmax())} ({np.count_nonzero(partial)} such rows) is "
            f"ordered in part, and losses of positions complete partial orders of at most "
            f"{LARGEST_LATTICE} items; there are {m}. Use the Kendall loss, or fewer items."
        )


def _is_total(before: AnyArray) -> BoolArray:
    """Rows in which every pair is forced, ``(b,)``."""
    m = before.shape[1]
    return np.asarray(np.count_nonzero(before, axis=(1, 2)) == m * (m - 1) // 2)


def _is_assignment(before: AnyArray, windows: AnyArray | None) -> BoolArray:
    """Rows in which nothing is forced but windows, ``(b,)``."""
    if windows is None:
        return np.asarray(~before.any(axis=(1, 2)))
    return imply_pairs(windows, before)


def _put(distribution: PositionDistribution, rows: IntArray, part: PositionDistribution) -> None:
    """Write `part` to some rows of a distribution."""
    for array, values in zip(distribution, part, strict=True):
        array[rows] = values


def _single(ranks: IntArray) -> PositionDistribution:
    """The distribution on a single order per row, given by its ranks."""
    pairs = ranks[:, :, None] < ranks[:, None, :]
    places = ranks[:, :, None] == np.arange(ranks.shape[1])
    return PositionDistribution(ranks, pairs.astype(np.float64), places.astype(np.float64))


def _one_order(costs: FloatArray, before: BoolArray | None, windows: AnyArray | None) -> IntArray:
    """One optimal order of rows with too many items for the dynamic program.

    Raises unless nothing but windows or everything is forced in a row.
    """
    if before is None:
        return position_orders(costs).ranks
    require_place_orders(before, windows)
    ranks = np.asarray(np.count_nonzero(before, axis=1), dtype=np.intp)
    open_rows = np.flatnonzero(~_is_total(before))
    if open_rows.size:
        limits = None if windows is None else windows[open_rows]
        forced = None if windows is None else before[open_rows]
        ranks[open_rows] = position_orders(costs[open_rows], forced, limits).ranks
    return ranks
