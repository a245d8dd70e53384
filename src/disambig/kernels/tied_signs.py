"""Orders from what the sign of each pair costs, with all their ties: one pass over a batch.

Most problems are settled by the numbers of `score_sequences`. Parts that are left are counted by
the programme over sets, all those of one size together.
"""

from typing import Any

import numpy as np

from disambig.kernels.jit import kernel
from disambig.kernels.score_sequences import count_before, count_ties, find_parts, is_order
from disambig.kernels.tied_paths import tied_orders
from disambig.notation import AnyArray, BoolArray, FloatArray

__all__ = ["CYCLIC", "FOUND", "TOO_LARGE", "signs_of_orders", "tied_signs"]

# What became of a problem.
FOUND, TOO_LARGE, CYCLIC = 0, 1, 2

# Entries of the costs of parts that are written out at once: they stay in the cache.
_ENTRIES = 2**13


@kernel
def _row_of_pairs(i: Any, m: Any) -> Any:
    """What to add to j for the number of the pair ``i < j`` among those of m items."""
    return i * (2 * m - i - 1) // 2 - i - 1


@kernel
def _write_signs(ranks: AnyArray, signs: FloatArray) -> None:
    """Of distinct ranks."""
    pair = np.uint64(0)
    for i in range(ranks.shape[0]):
        own = ranks[i]
        for j in range(i + 1, ranks.shape[0]):
            signs[pair] = 1.0 if own < ranks[np.uint64(j)] else -1.0
            pair += np.uint64(1)


@kernel
def signs_of_orders(ranks: AnyArray) -> FloatArray:
    """Signs of the pairs i < j, ``(b, m (m - 1) / 2)``; `ranks` is int64, ``(b, m)``, distinct."""
    b, m = ranks.shape
    signs = np.empty((b, m * (m - 1) // 2), dtype=np.float64)
    for r in range(b):
        _write_signs(ranks[r], signs[r])
    return signs


@kernel
def _is_acyclic(before: BoolArray, earlier: AnyArray) -> Any:
    """Can the items of a part be placed one by one, each after its predecessors?

    At most 62 items: `earlier` ``(k,)``, int64, becomes the predecessors of each as bits.
    """
    k = before.shape[0]
    earlier[:] = 0
    for i in range(k):
        for j in range(k):
            earlier[j] |= np.int64(before[i, j]) << i
    placed = 0
    for _ in range(k):
        for j in range(k):
            if earlier[j] & ~placed == 0:
                placed |= 1 << j
        if placed == (1 << k) - 1:
            return True
    return False


@kernel
def _take_part(
    scores: FloatArray, before: BoolArray, items: AnyArray, costs: FloatArray, forced: BoolArray
) -> Any:
    """Costs and forced pairs within a part; the sum of differences, infinite if one is forced."""
    m, k = before.shape[0], items.shape[0]
    spread = 0.0
    any_forced = False
    for a in range(k):
        costs[a, a] = 0.0
        forced[a, a] = before[items[a], items[a]]
        row = _row_of_pairs(items[a], m)
        for b in range(a + 1, k):
            paid = scores[row + items[b]]
            costs[a, b] = paid
            costs[b, a] = -paid
            forward, backward = before[items[a], items[b]], before[items[b], items[a]]
            forced[a, b] = forward
            forced[b, a] = backward
            any_forced |= forward | backward
            spread += abs(2.0 * paid)
    return np.inf if any_forced else spread


@kernel
def _put_part(
    m: Any,
    items: AnyArray,
    start: Any,
    order: AnyArray,
    total: Any,
    pairs: AnyArray,
    ranks: AnyArray,
    signs: FloatArray,
) -> None:
    """Ranks and mean signs within a part, from counts of orders."""
    # The largest number below 1: a direction that occurs must show, however rarely it does.
    most = 1.0 - 2.0**-53
    for a in range(items.shape[0]):
        ranks[items[a]] = start + order[a]
        row = _row_of_pairs(items[a], m)
        for b in range(a + 1, items.shape[0]):
            sign = pairs[a, b] / total - pairs[b, a] / total
            if pairs[a, b] > 0 and pairs[b, a] > 0:
                sign = min(max(sign, -most), most)
            signs[row + items[b]] = sign


@kernel
def _settle_parts(
    scores: FloatArray,
    before: BoolArray,
    tolerance: FloatArray,
    largest: Any,
    orders: AnyArray,
    owners: AnyArray,
    starts: AnyArray,
    size: Any,
    ranks: AnyArray,
    signs: FloatArray,
    single: BoolArray,
    status: AnyArray,
) -> None:
    """Parts of one size: c of them, each given by its problem and the place of its first item."""
    m, c = orders.shape[1], owners.shape[0]
    costs = np.empty((c, size, size), dtype=np.float64)
    forced = np.empty((c, size, size), dtype=np.bool_)
    slack = np.empty(c, dtype=np.float64)
    counted = np.empty(c, dtype=np.int64)
    earlier = np.empty(size, dtype=np.int64)
    n = 0
    for part in range(c):
        r, start = owners[part], starts[part]
        items = orders[r, start : start + size]
        own = before[min(r, before.shape[0] - 1)]
        spread = _take_part(scores[r], own, items, costs[n], forced[n])
        if spread <= tolerance[r]:
            # Every order of the part is as good; the items stand by their numbers already.
            single[r] = False
            for a in range(size):
                for b in range(a + 1, size):
                    signs[r, _row_of_pairs(items[a], m) + items[b]] = 0.0
        elif size > largest:
            status[r] = TOO_LARGE
        elif not _is_acyclic(forced[n], earlier):
            status[r] = CYCLIC
        else:
            slack[n] = tolerance[r]
            counted[n] = part
            n += 1
    if n == 0:
        # The programme would make room for all sets of so many items.
        return
    found = tied_orders(costs[:n], forced[:n], False, None, slack[:n])
    for k in range(n):
        r, start = owners[counted[k]], starts[counted[k]]
        items = orders[r, start : start + size]
        single[r] &= found[1][k] == 1
        _put_part(m, items, start, found[0][k], found[1][k], found[2][k], ranks[r], signs[r])


@kernel
def tied_signs(
    scores: FloatArray, before: BoolArray, tolerance: FloatArray, largest: Any
) -> tuple[AnyArray, FloatArray, BoolArray, AnyArray]:
    """The optimal orders of each problem: one of them, the mean of their signs, whether it is all.

    Parameters
    ----------
    scores : float64, (b, at least m (m - 1) / 2)
        ``sum over i < j of scores[r, pair] sign`` is paid, the sign 1 if i stands before j, else
        -1; pairs by i, then by j. Finite. Further columns do not count.
    before : bool, (b, m, m) or (1, m, m)
        ``before[r, i, j]``: i must stand before j.
    tolerance : float64, (b,)
        As for `tied_orders`.
    largest : int, at most 20
        Items of a part that is counted.

    Returns
    -------
    ranks : int64, (b, m)
    signs : float64, (b, m (m - 1) / 2)
        1 and -1 where the optimal orders agree and nowhere else.
    single : bool, (b,)
    status : int64, (b,)
        FOUND, or why a row of the others means nothing: TOO_LARGE, CYCLIC (forced pairs).
    """
    b, m = scores.shape[0], before.shape[1]
    ranks = np.empty((b, m), dtype=np.int64)
    signs = np.empty((b, m * (m - 1) // 2), dtype=np.float64)
    single = np.ones(b, dtype=np.bool_)
    status = np.empty(b, dtype=np.int64)
    orders = np.empty((b, m), dtype=np.int64)
    sizes = np.zeros((b, m), dtype=np.int64)
    n_of_size = np.zeros(m + 1, dtype=np.int64)
    n_before = np.empty(m, dtype=np.int64)
    seen = np.empty(m, dtype=np.bool_)
    ties = np.empty(m, dtype=np.int64)
    scratch = np.empty((3, m), dtype=np.int64)
    for r in range(b):
        own = before[min(r, before.shape[0] - 1)]
        status[r] = FOUND if count_before(scores[r], own, tolerance[r], n_before) else CYCLIC
        if is_order(n_before, seen):
            ranks[r] = n_before
        elif status[r] == FOUND:
            ties[:] = 0
            if n_before.sum() > m * (m - 1) // 2:
                count_ties(scores[r], own, tolerance[r], n_before, ties)
            find_parts(n_before, ties, scratch, orders[r], sizes[r])
            for place in range(m):
                ranks[r, orders[r, place]] = place
                n_of_size[sizes[r, place]] += 1
        _write_signs(ranks[r], signs[r])
    n_of_size[:2] = 0
    ends = np.cumsum(n_of_size)
    owners = np.empty(ends[m], dtype=np.int64)
    starts = np.empty(ends[m], dtype=np.int64)
    at = ends - n_of_size
    for r in range(b):
        for place in range(m):
            size = sizes[r, place]
            if size > 1:
                owners[at[size]], starts[at[size]] = r, place
                at[size] += 1
    for size in range(2, m + 1):
        step = max(1, _ENTRIES // (size * size))
        for begin in range(ends[size - 1], ends[size], step):
            end = min(begin + step, ends[size])
            _settle_parts(
                scores,
                before,
                tolerance,
                largest,
                orders,
                owners[begin:end],
                starts[begin:end],
                size,
                ranks,
                signs,
                single,
                status,
            )
    return ranks, signs, single, status
