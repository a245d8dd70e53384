"""Optimal orders, ties included, from the cost of the sign of each pair: one pass over a batch.

"i may stand before j" relates every two items, in one direction or, if they tie, in both. Let
``n_before[j]`` be the number of items that may stand before j. For such a relation these numbers
suffice (score sequences, after Landau): if they are 0, ..., m - 1, they are the ranks of the only
optimal order; if not, the items sorted by them fall into parts that stand one after another. No
search of the graph is needed, and most problems are solved by these numbers alone. The optimal
orders of larger parts are counted by the dynamic program of `lattice_ties`, all parts of one size
together.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from disambig.compiled.jit import compiled, inlined
from disambig.compiled.lattice_ties import tied_orders
from disambig.compiled.orders.score_sequences import (
    count_before,
    count_ties,
    find_parts,
    is_order,
)
from disambig.notation import AnyArray, BoolArray, FloatArray

# Parts are solved in blocks whose costs have at most this many entries, 64 KiB: they stay in the
# cache of the processor.
_MAX_BLOCK_ENTRIES = 2**13


# The status of a problem: solved, with a part that is too large to be counted, or with forced pairs
# that contain a cycle.
FOUND, TOO_LARGE, CYCLIC = 0, 1, 2


@inlined
def _pair_offset(i: Any, m: Any) -> Any:
    """The offset that gives the index of the pair ``i < j`` of m items as ``offset + j``."""
    return i * (2 * m - i - 1) // 2 - i - 1


@inlined
def _write_signs(ranks: AnyArray, r: Any, signs: FloatArray) -> None:
    """Write the signs of the pairs i < j of distinct ranks in row r."""
    pair = np.uint64(0)
    for i in range(ranks.shape[1]):
        own = ranks[r, i]
        for j in range(i + 1, ranks.shape[1]):
            signs[r, pair] = 1.0 if own < ranks[r, np.uint64(j)] else -1.0
            pair += np.uint64(1)


@compiled
def signs_of_orders(ranks: AnyArray) -> FloatArray:
    """Signs of the pairs i < j, ``(b, m (m - 1) / 2)``; `ranks` is int64, ``(b, m)``, distinct."""
    b, m = ranks.shape
    signs = np.empty((b, m * (m - 1) // 2), dtype=np.float64)
    for r in range(b):
        _write_signs(ranks, r, signs)
    return signs


@inlined
def _is_acyclic(before: BoolArray, n: Any, earlier: AnyArray) -> Any:
    """Whether the items of part n can be placed one by one, each after its predecessors.

    `earlier`, int64 ``(k,)``, is filled with the predecessors of each item as bits; at most 62
    items.
    """
    k = before.shape[1]
    for j in range(k):
        earlier[j] = 0
        for i in range(k):
            earlier[j] |= np.int64(before[n, i, j]) << i
    placed = 0
    for _ in range(k):
        for j in range(k):
            if earlier[j] & ~placed == 0:
                placed |= 1 << j
        if placed == (1 << k) - 1:
            return True
    return False


@inlined
def _read_part(
    scores: FloatArray,
    before: BoolArray,
    orders: AnyArray,
    r: Any,
    start: Any,
    n: Any,
    costs: FloatArray,
    forced: BoolArray,
) -> Any:
    """Fill in the costs and forced pairs within the part of problem r from `start`, as part n.

    Returns the sum of the cost differences of its pairs, or infinity if a pair is forced.
    """
    m, size, own = orders.shape[1], costs.shape[1], min(r, before.shape[0] - 1)
    spread = 0.0
    n_forced = 0
    for a in range(size):
        i = orders[r, start + a]
        costs[n, a, a] = 0.0
        forced[n, a, a] = before[own, i, i]
        row = _pair_offset(i, m)
        for b in range(a + 1, size):
            j = orders[r, start + b]
            paid = scores[r, row + j]
            costs[n, a, b] = paid
            costs[n, b, a] = -paid
            forward, backward = before[own, i, j], before[own, j, i]
            forced[n, a, b] = forward
            forced[n, b, a] = backward
            n_forced += forward | backward
            spread += abs(2.0 * paid)
    return np.inf if n_forced > 0 else spread


@compiled
def _read_parts(
    scores: FloatArray,
    before: BoolArray,
    tolerance: FloatArray,
    max_items: Any,
    orders: AnyArray,
    owners: AnyArray,
    starts: AnyArray,
    signs: FloatArray,
    single: BoolArray,
    status: AnyArray,
    costs: FloatArray,
    forced: BoolArray,
    slack: FloatArray,
    counted: AnyArray,
    earlier: AnyArray,
) -> Any:
    """Fill in the costs, forced pairs and tolerances of the parts that must be solved.

    Returns their number; `counted` lists them. Parts are given by the problem and the position of
    the first item. Those whose orders all tie are written, those that cannot be solved get their
    status.
    """
    m, size = orders.shape[1], costs.shape[1]
    n = 0
    for part in range(owners.shape[0]):
        r, start = owners[part], starts[part]
        spread = _read_part(scores, before, orders, r, start, n, costs, forced)
        if spread <= tolerance[r]:
            # All orders of the part tie; its items have their ranks already, by index.
            single[r] = False
            for a in range(size):
                row = _pair_offset(orders[r, start + a], m)
                for b in range(a + 1, size):
                    signs[r, row + orders[r, start + b]] = 0.0
        elif size > max_items:
            status[r] = TOO_LARGE
        elif not _is_acyclic(forced, n, earlier):
            status[r] = CYCLIC
        else:
            slack[n] = tolerance[r]
            counted[n] = part
            n += 1
    return n


@compiled
def _write_parts(
    orders: AnyArray,
    owners: AnyArray,
    starts: AnyArray,
    counted: AnyArray,
    order: AnyArray,
    totals: AnyArray,
    pairs: AnyArray,
    ranks: AnyArray,
    signs: FloatArray,
    single: BoolArray,
) -> None:
    """Write the ranks and mean signs of the pairs within parts, from counts of orders."""
    # The largest number below 1: a sign is 1 or -1 only if the other direction never occurs.
    max_open_sign = 1.0 - 2.0**-53
    m, size = orders.shape[1], order.shape[1]
    for k in range(order.shape[0]):
        r, start, total = owners[counted[k]], starts[counted[k]], totals[k]
        single[r] &= total == 1
        for a in range(size):
            item = orders[r, start + a]
            ranks[r, item] = start + order[k, a]
            row = _pair_offset(item, m)
            for b in range(a + 1, size):
                forward, backward = pairs[k, a, b], pairs[k, b, a]
                sign = forward / total - backward / total
                if forward > 0 and backward > 0:
                    sign = min(max(sign, -max_open_sign), max_open_sign)
                signs[r, row + orders[r, start + b]] = sign


def _solve_parts(
    scores: FloatArray,
    before: BoolArray,
    tolerance: FloatArray,
    max_items: int,
    orders: AnyArray,
    owners: AnyArray,
    starts: AnyArray,
    size: int,
    ranks: AnyArray,
    signs: FloatArray,
    single: BoolArray,
    status: AnyArray,
) -> None:
    """Solve c parts of one size, each given by its problem and the position of its first item."""
    c = owners.size
    costs = np.empty((c, size, size), dtype=np.float64)
    forced = np.empty((c, size, size), dtype=np.bool_)
    slack, counted = np.empty(c, dtype=np.float64), np.empty(c, dtype=np.int64)
    earlier = np.empty(size, dtype=np.int64)
    parts = orders, owners, starts
    n = _read_parts(
        scores,
        before,
        tolerance,
        max_items,
        *parts,
        signs,
        single,
        status,
        costs,
        forced,
        slack,
        counted,
        earlier,
    )
    # Without a part to be counted, `tied_orders` need not be compiled nor allocate memory.
    if n > 0:
        no_windows = np.empty((1, 0, 2), dtype=np.int64)
        found = tied_orders(costs[:n], forced[:n], no_windows, False, None, slack[:n])
        _write_parts(*parts, counted, *found[:3], ranks, signs, single)


@compiled
def _compare_pairs(
    scores: FloatArray,
    before: BoolArray,
    tolerance: FloatArray,
    scratch: AnyArray,
    ranks: AnyArray,
    signs: FloatArray,
    status: AnyArray,
    orders: AnyArray,
    sizes: AnyArray,
) -> Any:
    """Solve the problems for which the numbers of predecessors suffice; find parts of the others.

    Returns the number of the others, of which `orders` and `sizes` are those of `find_parts`.
    `sizes` are zero before.
    """
    m = before.shape[1]
    n_before, ties, seen = scratch[3], scratch[4], scratch[5]
    n_others = 0
    for r in range(scores.shape[0]):
        own = before[min(r, before.shape[0] - 1)]
        status[r] = FOUND if count_before(scores[r], own, tolerance[r], n_before) else CYCLIC
        if is_order(n_before, seen):
            for i in range(m):
                ranks[r, i] = n_before[i]
        elif status[r] == FOUND:
            n_others += 1
            n_related = 0
            for i in range(m):
                n_related += n_before[i]
                ties[i] = 0
            if n_related > m * (m - 1) // 2:
                count_ties(scores[r], own, tolerance[r], n_before, ties)
            find_parts(n_before, ties, scratch, orders[r], sizes[r])
            for place in range(m):
                ranks[r, orders[r, place]] = place
        _write_signs(ranks, r, signs)
    return n_others


def tied_signs(
    scores: FloatArray, before: BoolArray, tolerance: FloatArray, max_items: int
) -> tuple[AnyArray, FloatArray, BoolArray, AnyArray]:
    """The optimal orders of each problem: one of them, their mean signs, and whether it is unique.

    Parameters
    ----------
    scores : float64, (b, at least m (m - 1) / 2)
        An order costs ``sum over i < j of scores[r, pair] sign``, the sign 1 if i stands before j,
        else -1; pairs by i, then by j. Finite. Further columns are ignored.
    before : bool, (b, m, m) or (1, m, m)
        ``before[r, i, j]``: i must stand before j.
    tolerance : float64, (b,)
        As for `tied_orders`.
    max_items : int, at most 20
        Parts with more items are not solved.

    Returns
    -------
    ranks : int64, (b, m)
    signs : float64, (b, m (m - 1) / 2)
        1 or -1 where all optimal orders agree, and only there.
    single : bool, (b,)
    status : int64, (b,)
        FOUND, or the reason why the other results of the problem are invalid: TOO_LARGE or CYCLIC.
    """
    b, m = len(scores), before.shape[1]
    ranks = np.empty((b, m), dtype=np.int64)
    signs = np.empty((b, m * (m - 1) // 2), dtype=np.float64)
    single, status = np.ones(b, dtype=np.bool_), np.empty(b, dtype=np.int64)
    orders, sizes = np.empty((b, m), dtype=np.int64), np.zeros((b, m), dtype=np.int64)
    scratch = np.empty((6, m), dtype=np.int64)
    if not _compare_pairs(scores, before, tolerance, scratch, ranks, signs, status, orders, sizes):
        return ranks, signs, single, status
    for owners, starts, size in _blocks_of_parts(sizes):
        _solve_parts(
            scores,
            before,
            tolerance,
            max_items,
            orders,
            owners,
            starts,
            size,
            ranks,
            signs,
            single,
            status,
        )
    return ranks, signs, single, status


def _blocks_of_parts(sizes: AnyArray) -> Iterator[tuple[AnyArray, AnyArray, int]]:
    """Problems, positions and the size of parts of equal size, in blocks; single items are none."""
    m = sizes.shape[1]
    places = np.flatnonzero(sizes > 1)
    of_place = sizes.ravel()[places]
    places = places[np.argsort(of_place, kind="stable")]
    ends = np.cumsum(np.bincount(of_place, minlength=m + 1)).tolist()
    for size in range(2, m + 1):
        step = max(1, _MAX_BLOCK_ENTRIES // (size * size))
        for begin in range(ends[size - 1], ends[size], step):
            block = places[begin : min(begin + step, ends[size])]
            yield block // m, block % m, size
