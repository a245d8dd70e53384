"""Optimal orders, ties included, from the cost of the sign of each pair: one pass over a batch.

"i may stand before j" relates every two items, in one direction or, if they tie, in both. Let
``n_before[j]`` be the number of items that may stand before j. For such a relation these numbers
suffice (score sequences, after Landau): if they are 0, ..., m - 1, they are the ranks of the only
optimal order; if not, the items sorted by them fall into parts that stand one after another. No
search of the graph is needed, and most problems are solved by these numbers alone. The optimal
orders of larger parts are counted by the dynamic program of `lattice_ties`, all parts of one size
together.
"""

from typing import Any

import numpy as np

from disambig.compiled.jit import compiled
from disambig.compiled.lattice_ties import tied_orders
from disambig.notation import AnyArray, BoolArray, FloatArray

# Parts are solved in blocks whose costs have at most this many entries, 64 KiB: they stay in the
# cache of the processor.
_MAX_BLOCK_ENTRIES = 2**13


@compiled
def _may_precede(must: Any, must_not: Any, paid: Any, tolerance: Any) -> Any:
    """Whether i may stand before j, which costs `paid`; the other direction costs ``-paid``."""
    # No branches: the processor cannot predict the direction of a pair.
    return must | (((must | must_not) ^ True) & (paid <= tolerance - paid))


@compiled
def count_before(scores: FloatArray, before: BoolArray, tolerance: Any, n_before: AnyArray) -> Any:
    """Fill ``n_before[j]``, the number of items that may stand before j.

    Returns False if an item must stand before itself. Indices are unsigned, so that the compiler
    need not handle negative ones.
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


@compiled
def is_order(n_before: AnyArray, seen: AnyArray) -> Any:
    """Whether the numbers are 0, ..., m - 1, each once."""
    seen[:] = False
    for i in range(n_before.shape[0]):
        if seen[n_before[i]]:
            return False
        seen[n_before[i]] = True
    return True


@compiled
def count_ties(
    scores: FloatArray, before: BoolArray, tolerance: Any, n_before: AnyArray, ties: AnyArray
) -> None:
    """Add to ``ties[v]`` the number of tied pairs whose larger number is v."""
    m = n_before.shape[0]
    pair = 0
    for i in range(m):
        for j in range(i + 1, m):
            paid = scores[pair]
            pair += 1
            forward = _may_precede(before[i, j], before[j, i], paid, tolerance)
            backward = _may_precede(before[j, i], before[i, j], -paid, tolerance)
            ties[max(n_before[i], n_before[j])] += forward & backward


@compiled
def find_parts(
    n_before: AnyArray, ties: AnyArray, scratch: AnyArray, order: AnyArray, sizes: AnyArray
) -> None:
    """Fill `order` with the items sorted by part, then by index, and `sizes`.

    ``sizes[p]`` is the size of the part that starts at position p, and 0 if none starts there. The
    k items with the smallest numbers are the first parts if every item that may stand before one of
    them is among them: their numbers then sum to ``k (k - 1) / 2`` plus the ties among them.
    """
    m = n_before.shape[0]
    n_items, starts, at = scratch[0], scratch[1], scratch[2]
    n_items[:] = 0
    for i in range(m):
        n_items[n_before[i]] += 1
    sizes[:] = 0
    k = start = n_related = n_ties = 0
    for number in range(m):
        k += n_items[number]
        n_related += number * n_items[number]
        n_ties += ties[number]
        starts[number] = start
        if k > start and n_related == k * (k - 1) // 2 + n_ties:
            sizes[start] = k - start
            start = k
    for place in range(m):
        at[place] = place
    for i in range(m):
        start = starts[n_before[i]]
        order[at[start]] = i
        at[start] += 1


# The status of a problem: solved, with a part that is too large to be counted, or with forced pairs
# that contain a cycle.
FOUND, TOO_LARGE, CYCLIC = 0, 1, 2


@compiled
def _pair_offset(i: Any, m: Any) -> Any:
    """The offset that gives the index of the pair ``i < j`` of m items as ``offset + j``."""
    return i * (2 * m - i - 1) // 2 - i - 1


@compiled
def _write_signs(ranks: AnyArray, signs: FloatArray) -> None:
    """Write the signs of the pairs i < j of distinct ranks."""
    pair = np.uint64(0)
    for i in range(ranks.shape[0]):
        own = ranks[i]
        for j in range(i + 1, ranks.shape[0]):
            signs[pair] = 1.0 if own < ranks[np.uint64(j)] else -1.0
            pair += np.uint64(1)


@compiled
def signs_of_orders(ranks: AnyArray) -> FloatArray:
    """Signs of the pairs i < j, ``(b, m (m - 1) / 2)``; `ranks` is int64, ``(b, m)``, distinct."""
    b, m = ranks.shape
    signs = np.empty((b, m * (m - 1) // 2), dtype=np.float64)
    for r in range(b):
        _write_signs(ranks[r], signs[r])
    return signs


@compiled
def _is_acyclic(before: BoolArray, earlier: AnyArray) -> Any:
    """Whether the items of a part can be placed one by one, each after its predecessors.

    `earlier`, int64 ``(k,)``, is filled with the predecessors of each item as bits; at most 62
    items.
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


@compiled
def _read_part(
    scores: FloatArray, before: BoolArray, items: AnyArray, costs: FloatArray, forced: BoolArray
) -> Any:
    """Fill in the costs and forced pairs within a part.

    Returns the sum of the cost differences of its pairs, or infinity if a pair is forced.
    """
    m, k = before.shape[0], items.shape[0]
    spread = 0.0
    any_forced = False
    for a in range(k):
        costs[a, a] = 0.0
        forced[a, a] = before[items[a], items[a]]
        row = _pair_offset(items[a], m)
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


@compiled
def _write_part(
    m: Any,
    items: AnyArray,
    start: Any,
    order: AnyArray,
    total: Any,
    pairs: AnyArray,
    ranks: AnyArray,
    signs: FloatArray,
) -> None:
    """Write the ranks and mean signs of the pairs within a part, from counts of orders."""
    # The max_items number below 1: a sign is 1 or -1 only if the other direction never occurs.
    max_open_sign = 1.0 - 2.0**-53
    for a in range(items.shape[0]):
        ranks[items[a]] = start + order[a]
        row = _pair_offset(items[a], m)
        for b in range(a + 1, items.shape[0]):
            sign = pairs[a, b] / total - pairs[b, a] / total
            if pairs[a, b] > 0 and pairs[b, a] > 0:
                sign = min(max(sign, -max_open_sign), max_open_sign)
            signs[row + items[b]] = sign


@compiled
def _solve_parts(
    scores: FloatArray,
    before: BoolArray,
    tolerance: FloatArray,
    max_items: Any,
    orders: AnyArray,
    owners: AnyArray,
    starts: AnyArray,
    size: Any,
    ranks: AnyArray,
    signs: FloatArray,
    single: BoolArray,
    status: AnyArray,
) -> None:
    """Solve c parts of one size, each given by its problem and the position of its first item."""
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
        spread = _read_part(scores[r], own, items, costs[n], forced[n])
        if spread <= tolerance[r]:
            # All orders of the part tie; its items have their ranks already, by index.
            single[r] = False
            for a in range(size):
                for b in range(a + 1, size):
                    signs[r, _pair_offset(items[a], m) + items[b]] = 0.0
        elif size > max_items:
            status[r] = TOO_LARGE
        elif not _is_acyclic(forced[n], earlier):
            status[r] = CYCLIC
        else:
            slack[n] = tolerance[r]
            counted[n] = part
            n += 1
    if n == 0:
        # `tied_orders` would allocate memory for all sets of `size` items.
        return
    no_windows = np.empty((1, 0, 2), dtype=np.int64)
    found = tied_orders(costs[:n], forced[:n], no_windows, False, None, slack[:n])
    for k in range(n):
        r, start = owners[counted[k]], starts[counted[k]]
        items = orders[r, start : start + size]
        single[r] &= found[1][k] == 1
        _write_part(m, items, start, found[0][k], found[1][k], found[2][k], ranks[r], signs[r])


@compiled
def tied_signs(
    scores: FloatArray, before: BoolArray, tolerance: FloatArray, max_items: Any
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
        step = max(1, _MAX_BLOCK_ENTRIES // (size * size))
        for begin in range(ends[size - 1], ends[size], step):
            end = min(begin + step, ends[size])
            _solve_parts(
                scores,
                before,
                tolerance,
                max_items,
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
