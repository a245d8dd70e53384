"""Rows to classes at the least cost, with bounds on the number of rows of each class.

Of every bag a transportation problem with few classes: successive shortest paths on the graph of
the classes. Moving a row from class k to class l costs ``costs[j, l] - costs[j, k]``; the cheapest
row of every such pair is at the root of a heap, so that a path has as many steps as classes, and
not as many as rows. A row that moves also leaves heaps of which it is not the root.
"""

from typing import Any

import numpy as np

from disambig.compiled.bags.pairing_heaps import meld, removed
from disambig.compiled.jit import compiled, compiled_part
from disambig.notation import BoolArray, FloatArray, IntArray

# Rows of the first of several rounds on growing parts of a bag; each part is this many times
# larger than the one before. The prices of a part leave little to do in the next.
_FIRST_PART, _GROWTH = 4000, 8
# Prices below this share of the largest cost are rounding.
_PRICE_ROUNDING = 1e-12
# In later rounds few rows move: heaps hold only moves whose cost, at the prices of the start, is at
# most this part of the mean distance between the two best classes of a row.
_SHARE_OF_GAP, _MORE_MOVES = 0.1, 10.0
_INFEASIBLE, _ASSIGNED, _NEEDS_MOVES = 0, 1, 2
# Marks a move that is in no heap.
_ABSENT = -2


@compiled_part
def _link(  # type: ignore[no-untyped-def]
    v: Any,
    w: Any,
    roots: IntArray,
    key: FloatArray,
    used: IntArray,
    low: IntArray,
    high: IntArray,
):
    """The cost to move one row from node v to node w; infinite if it is not possible."""
    size = low.shape[0]
    if v == size:
        return 0.0 if used[w] > low[w] else np.inf
    if w == size:
        return 0.0 if used[v] < high[v] else np.inf
    return key[roots[v, w]] if roots[v, w] >= 0 else np.inf


@compiled_part
def _shortest_path(  # type: ignore[no-untyped-def]
    roots: IntArray,
    key: FloatArray,
    used: IntArray,
    low: IntArray,
    high: IntArray,
    excess: IntArray,
    price: FloatArray,
    distance: FloatArray,
    last: IntArray,
    done: BoolArray,
):
    """A shortest path from any node with too many rows to one with too few; -1 if there is none.

    Nodes are the classes, and one for the bounds, whose links raise or lower the number of rows
    that a class may have. Prices of the nodes change so that no link has negative cost.
    """
    size = low.shape[0]
    for w in range(size + 1):
        distance[w], last[w], done[w] = np.inf, -1, False
        if excess[w] > 0:
            distance[w] = 0.0
    while True:
        v = np.int64(-1)
        for w in np.arange(size + 1):
            if not done[w] and distance[w] < np.inf and (v < 0 or distance[w] < distance[v]):
                v = w
        if v < 0 or excess[v] < 0:
            break
        done[v] = True
        for w in range(size + 1):
            if not done[w]:
                cost = _link(v, w, roots, key, used, low, high)
                reached = distance[v] + max(cost + price[w] - price[v], 0.0)
                if reached < distance[w]:
                    distance[w], last[w] = reached, v
    if v >= 0:
        for w in range(size + 1):
            price[w] -= min(distance[w], distance[v])
    return v


@compiled_part
def _first_classes(  # type: ignore[no-untyped-def]
    costs: FloatArray,
    allowed: BoolArray,
    rows: IntArray,
    price: FloatArray,
    assigned: IntArray,
    excess: IntArray,
):
    """Give each row the class of least price and cost, and count them; the largest cost."""
    largest = 0.0
    for i in range(rows.shape[0]):
        j = rows[i]
        best = np.int64(-1)
        for k in range(price.shape[0] - 1):
            if allowed[j, k]:
                largest = max(largest, abs(costs[j, k]))
                if best < 0 or costs[j, k] + price[k] < costs[j, best] + price[best]:
                    best = np.int64(k)
        assigned[j] = best
        excess[best] += 1
    return largest


@compiled_part
def _fill_heaps(  # type: ignore[no-untyped-def]
    costs: FloatArray,
    allowed: BoolArray,
    rows: IntArray,
    price: FloatArray,
    assigned: IntArray,
    limit: Any,
    roots: IntArray,
    key: FloatArray,
    child: IntArray,
    sibling: IntArray,
    before: IntArray,
):
    """Put the moves of all rows whose cost is at most the limit into the heaps."""
    size = roots.shape[0]
    for i in range(rows.shape[0]):
        j = rows[i]
        best = assigned[j]
        for k in range(size):
            node = i * size + k
            child[node], sibling[node], before[node] = -1, -1, _ABSENT
            if k == best or not allowed[j, k]:
                continue
            if costs[j, k] + price[k] - (costs[j, best] + price[best]) <= limit:
                before[node] = -1
                key[node] = costs[j, k] - costs[j, best]
                roots[best, k] = meld(roots[best, k], node, key, child, sibling, before)


@compiled_part
def _first_excess(  # type: ignore[no-untyped-def]
    n: Any,
    price: FloatArray,
    rounding: Any,
    low: IntArray,
    high: IntArray,
    used: IntArray,
    excess: IntArray,
):
    """From counts of classes to what is above the number that prices and bounds ask for."""
    size, total = low.shape[0], np.int64(0)
    for k in range(size):
        if abs(price[k]) <= rounding:
            price[k] = 0.0
            used[k] = min(max(excess[k], low[k]), high[k])
        else:
            used[k] = high[k] if price[k] > 0.0 else low[k]
        excess[k] -= used[k]
        total += used[k]
    excess[size] = total - n
    price[size] = 0.0


@compiled_part
def _move_row(  # type: ignore[no-untyped-def]
    k: Any,
    v: Any,
    costs: FloatArray,
    allowed: BoolArray,
    rows: IntArray,
    assigned: IntArray,
    roots: IntArray,
    key: FloatArray,
    child: IntArray,
    sibling: IntArray,
    before: IntArray,
):
    """Move the cheapest row of class k to class v."""
    size = roots.shape[0]
    i = roots[k, v] // size
    j = rows[i]
    for m in range(size):
        node = i * size + m
        if before[node] != _ABSENT:
            roots[k, m] = removed(roots[k, m], node, key, child, sibling, before)
            before[node] = _ABSENT
    assigned[j] = v
    for m in range(size):
        if m != v and allowed[j, m]:
            node = i * size + m
            before[node] = -1
            key[node] = costs[j, m] - costs[j, v]
            roots[v, m] = meld(roots[v, m], node, key, child, sibling, before)


@compiled_part
def _assign(  # type: ignore[no-untyped-def]
    costs: FloatArray,
    allowed: BoolArray,
    rows: IntArray,
    low: IntArray,
    high: IntArray,
    price: FloatArray,
    assigned: IntArray,
    key: FloatArray,
    child: IntArray,
    sibling: IntArray,
    before: IntArray,
    reached: BoolArray,
    limit: Any,
):
    """Assign some rows; whether their classes can keep the bounds. Prices are start and result.

    Heaps hold moves of cost at most `limit`, at the prices of the start. Prices change by no more
    than the paths cost: until that sum reaches the limit, no other move can be on a shortest path.
    """
    size = low.shape[0]
    roots = np.full((size, size), -1, dtype=np.int64)
    excess = np.zeros(size + 1, dtype=np.int64)
    used = np.zeros(size, dtype=np.int64)
    distance = np.empty(size + 1)
    last = np.empty(size + 1, dtype=np.int64)
    largest = _first_classes(costs, allowed, rows, price, assigned, excess)
    _fill_heaps(costs, allowed, rows, price, assigned, limit, roots, key, child, sibling, before)
    rounding = _PRICE_ROUNDING * largest
    _first_excess(rows.shape[0], price, rounding, low, high, used, excess)
    spent = 0.0
    while True:
        if excess.max() <= 0:
            return _ASSIGNED
        v = _shortest_path(roots, key, used, low, high, excess, price, distance, last, reached)
        if v < 0:
            return _INFEASIBLE if limit == np.inf else _NEEDS_MOVES
        spent += distance[v]
        if spent > limit:
            return _NEEDS_MOVES
        excess[v] += 1
        while last[v] >= 0:
            k = last[v]
            if v == size:
                used[k] += 1
            elif k == size:
                used[v] -= 1
            else:
                _move_row(k, v, costs, allowed, rows, assigned, roots, key, child, sibling, before)
            v = k
        excess[v] -= 1


@compiled_part
def _mean_gap(costs: FloatArray, allowed: BoolArray, rows: IntArray, price: FloatArray):  # type: ignore[no-untyped-def]
    """The mean distance between the two best classes of a row, over rows that have two."""
    total, count = 0.0, 0
    for i in range(rows.shape[0]):
        j = rows[i]
        best, second = np.inf, np.inf
        for k in range(costs.shape[1]):
            if allowed[j, k]:
                cost = costs[j, k] + price[k]
                if cost < best:
                    best, second = cost, best
                elif cost < second:
                    second = cost
        if second < np.inf:
            total += second - best
            count += 1
    return total / max(count, 1)


@compiled_part
def _bounds_of_part(bounds: IntArray, part: Any, n: Any, low: IntArray, high: IntArray):  # type: ignore[no-untyped-def]
    """The bounds of a bag in proportion to the rows of a part."""
    for k in range(low.shape[0]):
        low[k], high[k] = bounds[k, 0], bounds[k, 1]
        if part < n:
            low[k] = np.int64(np.floor(bounds[k, 0] * (part / n)))
            high[k] = np.int64(np.ceil(bounds[k, 1] * (part / n)))


@compiled
def transport(
    costs: FloatArray,
    allowed: BoolArray,
    order: IntArray,
    starts: IntArray,
    bounds: IntArray,
    prices: FloatArray,
    assigned: IntArray,
    reached: BoolArray,
) -> Any:
    """Assign the rows of all bags, up to the first one whose bounds cannot be kept.

    Preconditions: `costs` ``(n, K)`` finite; `allowed` ``(n, K)`` with a True in every row;
    ``order[starts[b]:starts[b + 1]]`` are the rows of bag b, large bags in random order; `bounds`
    ``(B, K, 2)`` of non-negative integers; `prices` ``(B, K + 1)``, zeros or those of an earlier
    call, whose last column is zero.

    Writes the class of each row to `assigned` ``(n,)`` and the prices of the classes to `prices`:
    ``costs + prices`` of the class of a row is the smallest in its set, a class below its largest
    number of rows has no positive price, one above its smallest no negative one. Returns -1, or a
    bag that cannot keep its bounds; `reached` ``(K + 1,)`` are then the classes that a surplus of
    rows can move to, with the node of the bounds last.
    """
    size = costs.shape[1]
    most = 0
    for b in range(starts.shape[0] - 1):
        most = max(most, starts[b + 1] - starts[b])
    key = np.empty(most * size)
    child = np.empty(most * size, dtype=np.int64)
    sibling = np.empty(most * size, dtype=np.int64)
    before = np.empty(most * size, dtype=np.int64)
    low = np.empty(size, dtype=np.int64)
    high = np.empty(size, dtype=np.int64)
    for b in range(starts.shape[0] - 1):
        n = starts[b + 1] - starts[b]
        part = n
        while part > _FIRST_PART:
            part //= _GROWTH
        limit, is_retry, is_warm = np.inf, False, False
        for k in range(size):
            is_warm = is_warm or prices[b, k] != 0.0
        if is_warm and part < n:
            part = n
            rows = order[starts[b] : starts[b + 1]]
            limit = _SHARE_OF_GAP * _mean_gap(costs, allowed, rows, prices[b])
        while True:
            _bounds_of_part(bounds[b], part, n, low, high)
            rows = order[starts[b] : starts[b] + part]
            found = _assign(
                costs,
                allowed,
                rows,
                low,
                high,
                prices[b],
                assigned,
                key,
                child,
                sibling,
                before,
                reached,
                limit,
            )
            first = prices[b, size]
            for k in range(size + 1):
                prices[b, k] -= first
            if found == _NEEDS_MOVES:
                limit = np.inf if is_retry or limit == 0.0 else limit * _MORE_MOVES
                is_retry = True
                continue
            if part == n:
                break
            is_retry = False
            limit = _SHARE_OF_GAP * _mean_gap(costs, allowed, rows, prices[b])
            part = n if part * _GROWTH >= n // 2 else part * _GROWTH
        if found == _INFEASIBLE:
            return b
    return -1
