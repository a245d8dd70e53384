"""How many items may stand before each item: what that says about the optimal orders.

"i may stand before j" relates every two items, one way or, where they tie, both. For such a
relation the numbers say everything (score sequences, after Landau): if they are 0, ..., m - 1 they
are the ranks of the only order, and if not, the items sorted by them fall into parts that stand one
after another. No search of the graph is needed.

Orders from what the sign of each pair costs, with all their ties: one pass over a batch.

Most problems are settled by the numbers of `score_sequences`. Parts that are left are counted by
the programme over sets, all those of one size together.
"""

from typing import Any

import numpy as np

from disambig.compiled.jit import kernel
from disambig.compiled.lattice_ties import tied_orders
from disambig.notation import AnyArray, BoolArray, FloatArray

# Entries of the costs of parts that are written out at once: they stay in the cache.
_ENTRIES = 2**13


@kernel
def _may_precede(must: Any, must_not: Any, paid: Any, tolerance: Any) -> Any:
    """May i stand before j, which costs `paid` and the other way round ``-paid``?"""
    # No branches: which way a pair goes cannot be foreseen.
    return must | (((must | must_not) ^ True) & (paid <= tolerance - paid))


@kernel
def count_before(scores: FloatArray, before: BoolArray, tolerance: Any, n_before: AnyArray) -> Any:
    """``n_before[j]`` = how many items may stand before j? False if an item must precede itself.

    Indices are unsigned: the compiler need not think of negative ones.
    """
    m = n_before.shape[0]
    n_before[:] = 0
    irreflexive = True
    pair = np.uint64(0)
    for i in range(m):
        first = np.uint64(i)
        irreflexive &= not before[first, first]
        n_own = 0
        for j in range(i + 1, m):
            second = np.uint64(j)
            paid = scores[pair]
            must, must_not = before[first, second], before[second, first]
            n_before[second] += _may_precede(must, must_not, paid, tolerance)
            n_own += _may_precede(must_not, must, -paid, tolerance)
            pair += np.uint64(1)
        n_before[first] += n_own
    return irreflexive


@kernel
def is_order(n_before: AnyArray, seen: AnyArray) -> Any:
    """Are the numbers 0, ..., m - 1, each once?"""
    seen[:] = False
    for i in range(n_before.shape[0]):
        if seen[n_before[i]]:
            return False
        seen[n_before[i]] = True
    return True


@kernel
def count_ties(
    scores: FloatArray, before: BoolArray, tolerance: Any, n_before: AnyArray, ties: AnyArray
) -> None:
    """``ties[v]`` = how many pairs tie of which the larger number is v?"""
    m = n_before.shape[0]
    pair = 0
    for i in range(m):
        for j in range(i + 1, m):
            paid = scores[pair]
            pair += 1
            forward = _may_precede(before[i, j], before[j, i], paid, tolerance)
            backward = _may_precede(before[j, i], before[i, j], -paid, tolerance)
            ties[max(n_before[i], n_before[j])] += forward & backward


@kernel
def find_parts(
    n_before: AnyArray, ties: AnyArray, scratch: AnyArray, order: AnyArray, sizes: AnyArray
) -> None:
    """Items by part and number, and at the first item of a part its size; 0 at the others.

    The items with the k smallest numbers are some first parts if nothing leads back to them: if all
    that may stand before one of them is among them.
    """
    m = n_before.shape[0]
    n_items, starts, at = scratch[0], scratch[1], scratch[2]
    n_items[:] = 0
    for i in range(m):
        n_items[n_before[i]] += 1
    sizes[:] = 0
    k = start = led_to = n_ties = 0
    for number in range(m):
        k += n_items[number]
        led_to += number * n_items[number]
        n_ties += ties[number]
        starts[number] = start
        if k > start and led_to == k * (k - 1) // 2 + n_ties:
            sizes[start] = k - start
            start = k
    for place in range(m):
        at[place] = place
    for i in range(m):
        start = starts[n_before[i]]
        order[at[start]] = i
        at[start] += 1


# What became of a problem.
FOUND, TOO_LARGE, CYCLIC = 0, 1, 2


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
