"""Rows to classes at the least cost, with bounds on the number of rows of each class.

Of every bag a transportation problem with few classes: successive shortest paths on the graph of
the classes. Moving a row from class k to class l costs ``costs[j, l] - costs[j, k]``; the cheapest
row of every such pair is at the root of a heap, so that a path has as many steps as classes, and
not as many as rows. The heaps are pairing heaps in three arrays, because a row that moves leaves
heaps of which it is not the root.
"""

from typing import Any

import numpy as np

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
def _meld(a: Any, b: Any, key: FloatArray, child: IntArray, sibling: IntArray, before: IntArray):  # type: ignore[no-untyped-def]
    """The root of two heaps, each given by its root or -1."""
    if a < 0:
        return b
    if b < 0:
        return a
    if key[b] < key[a]:
        a, b = b, a
    first = child[a]
    sibling[b] = first
    before[b] = a
    if first >= 0:
        before[first] = b
    child[a] = b
    return a


@compiled_part
def _meld_children(  # type: ignore[no-untyped-def]
    node: Any, key: FloatArray, child: IntArray, sibling: IntArray, before: IntArray
):
    """One heap from the children of a node, in pairs from the left, then from the right."""
    rest, pairs = child[node], np.int64(-1)
    child[node] = -1
    while rest >= 0:
        a, b = rest, sibling[rest]
        rest = sibling[b] if b >= 0 else np.int64(-1)
        sibling[a], before[a] = -1, -1
        if b >= 0:
            sibling[b], before[b] = -1, -1
        pair = _meld(a, b, key, child, sibling, before)
        # A list of pairs, linked by their siblings.
        sibling[pair] = pairs
        pairs = pair
    root = np.int64(-1)
    while pairs >= 0:
        following = sibling[pairs]
        sibling[pairs], before[pairs] = -1, -1
        root = _meld(root, pairs, key, child, sibling, before)
        pairs = following
    return root


@compiled_part
def _removed(  # type: ignore[no-untyped-def]
    root: Any,
    node: Any,
    key: FloatArray,
    child: IntArray,
    sibling: IntArray,
    before: IntArray,
):
    """The root of a heap without one of its nodes."""
    rest = _meld_children(node, key, child, sibling, before)
    if node == root:
        return rest
    left, right = before[node], sibling[node]
    if child[left] == node:
        child[left] = right
    else:
        sibling[left] = right
    if right >= 0:
        before[right] = left
    sibling[node], before[node] = -1, -1
    return _meld(root, rest, key, child, sibling, before)


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
    for v in range(size + 1):
        distance[v], last[v], done[v] = np.inf, -1, False
        if excess[v] > 0:
            distance[v] = 0.0
    while True:
        v = np.int64(-1)
        for w in range(size + 1):
            if not done[w] and distance[w] < np.inf and (v < 0 or distance[w] < distance[v]):
                v = w
        if v < 0 or excess[v] < 0:
            break
        done[v] = True
        for w in range(size + 1):
            if done[w]:
                continue
            if v == size:
                if used[w] <= low[w]:
                    continue
                cost = 0.0
            elif w == size:
                if used[v] >= high[v]:
                    continue
                cost = 0.0
            else:
                if roots[v, w] < 0:
                    continue
                cost = key[roots[v, w]]
            reached = distance[v] + max(cost + price[w] - price[v], 0.0)
            if reached < distance[w]:
                distance[w], last[w] = reached, v
    if v >= 0:
        for w in range(size + 1):
            price[w] -= min(distance[w], distance[v])
    return v


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
    n, size = rows.shape[0], low.shape[0]
    roots = np.full((size, size), -1, dtype=np.int64)
    excess = np.zeros(size + 1, dtype=np.int64)
    used = np.zeros(size, dtype=np.int64)
    distance = np.empty(size + 1)
    last = np.empty(size + 1, dtype=np.int64)
    largest = 0.0
    for i in range(n):
        j = rows[i]
        best = np.int64(-1)
        for k in range(size):
            if allowed[j, k]:
                largest = max(largest, abs(costs[j, k]))
                if best < 0 or costs[j, k] + price[k] < costs[j, best] + price[best]:
                    best = k
        assigned[j] = best
        excess[best] += 1
        for k in range(size):
            node = i * size + k
            child[node], sibling[node], before[node] = -1, -1, _ABSENT
            if k == best or not allowed[j, k]:
                continue
            if costs[j, k] + price[k] - (costs[j, best] + price[best]) <= limit:
                before[node] = -1
                key[node] = costs[j, k] - costs[j, best]
                roots[best, k] = _meld(roots[best, k], node, key, child, sibling, before)
    total = np.int64(0)
    for k in range(size):
        if abs(price[k]) <= _PRICE_ROUNDING * largest:
            price[k] = 0.0
            used[k] = min(max(excess[k], low[k]), high[k])
        else:
            used[k] = high[k] if price[k] > 0.0 else low[k]
        excess[k] -= used[k]
        total += used[k]
    excess[size] = total - n
    price[size] = 0.0
    spent = 0.0
    while True:
        is_open = False
        for v in range(size + 1):
            is_open = is_open or excess[v] > 0
        if not is_open:
            return _ASSIGNED
        v = _shortest_path(
            roots, key, used, low, high, excess, price, distance, last, reached
        )
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
                i = roots[k, v] // size
                j = rows[i]
                for m in range(size):
                    node = i * size + m
                    if before[node] != _ABSENT:
                        roots[k, m] = _removed(roots[k, m], node, key, child, sibling, before)
                        before[node] = _ABSENT
                assigned[j] = v
                for m in range(size):
                    if m != v and allowed[j, m]:
                        node = i * size + m
                        before[node] = -1
                        key[node] = costs[j, m] - costs[j, v]
                        roots[v, m] = _meld(roots[v, m], node, key, child, sibling, before)
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
            for k in range(size):
                if part == n:
                    low[k], high[k] = bounds[b, k, 0], bounds[b, k, 1]
                else:
                    low[k] = np.int64(np.floor(bounds[b, k, 0] * (part / n)))
                    high[k] = np.int64(np.ceil(bounds[b, k, 1] * (part / n)))
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
