"""Local search for good orders: move one item to its best position while the cost decreases.

``differences[i, j] = costs[i, j] - costs[j, i]`` compares the two directions of a pair. `order`
lists the items by position, and ``places[item]`` is the position of an item. With windows, an item
moves only if all items that shift stay within theirs, and two items may exchange their positions,
which shifts no other.
"""

from typing import Any

import numpy as np

from disambig.compiled.jit import compiled
from disambig.compiled.orders.windows import start_within_windows
from disambig.notation import AnyArray, BoolArray, FloatArray

# A move must gain more than this share of the sum of all cost differences. Smaller gains may be
# rounding errors, and moves by rounding errors could repeat forever.
_NEGLIGIBLE_GAIN = 1e-13


@compiled
def _borda_start(differences: FloatArray, before: BoolArray, order: AnyArray) -> None:
    """Fill `order` by Borda scores: at each position the free item of least row sum.

    An item is free once all its predecessors in `before` are placed.
    """
    m = order.shape[0]
    n_before = np.zeros(m, dtype=np.int64)
    scores = np.zeros(m, dtype=np.float64)
    for i in range(m):
        for j in range(m):
            n_before[j] += before[i, j]
            scores[i] += differences[i, j]
    for position in range(m):
        chosen = -1
        for i in range(m):
            if n_before[i] == 0 and (chosen < 0 or scores[i] < scores[chosen]):
                chosen = i
        order[position] = chosen
        n_before[chosen] = -1
        for j in range(m):
            n_before[j] -= before[chosen, j]


@compiled
def _move(order: AnyArray, places: AnyArray, source: Any, target: Any) -> None:
    """Move the item at position `source` to `target`; the items between shift by one."""
    item = order[source]
    step = 1 if target > source else -1
    at = source
    while at != target:
        order[at] = order[at + step]
        places[order[at]] = at
        at += step
    order[target] = item
    places[item] = target


@compiled
def _may_stand(windows: AnyArray, item: Any, place: Any) -> Any:
    """Whether a place is within the window of an item; any place is, without windows."""
    return windows.shape[0] == 0 or windows[item, 0] <= place <= windows[item, 1]


@compiled
def _best_move(
    differences: FloatArray, before: BoolArray, windows: AnyArray, order: AnyArray, source: Any
) -> Any:
    """The best new position of the item at position `source`, and the change of the cost."""
    m = order.shape[0]
    item = order[source]
    target = source
    best = 0.0
    total = 0.0
    for at in range(source - 1, -1, -1):
        other = order[at]
        if before[other, item] or not _may_stand(windows, other, at + 1):
            break
        total += differences[item, other]
        if total < best and _may_stand(windows, item, at):
            best = total
            target = at
    total = 0.0
    for at in range(source + 1, m):
        other = order[at]
        if before[item, other] or not _may_stand(windows, other, at - 1):
            break
        total -= differences[item, other]
        if total < best and _may_stand(windows, item, at):
            best = total
            target = at
    return target, best


@compiled
def _best_swap(
    differences: FloatArray, before: BoolArray, windows: AnyArray, order: AnyArray, source: Any
) -> Any:
    """The best later position to exchange with `source`, and the change of the cost."""
    item = order[source]
    target = source
    best = 0.0
    for at in range(source + 1, order.shape[0]):
        other = order[at]
        if before[item, other]:
            break
        if not (_may_stand(windows, item, at) and _may_stand(windows, other, source)):
            continue
        total = differences[other, item]
        allowed = True
        for between in range(source + 1, at):
            middle = order[between]
            allowed = allowed and not (before[item, middle] or before[middle, other])
            total += differences[middle, item] + differences[other, middle]
        if allowed and total < best:
            best = total
            target = at
    return target, best


@compiled
def _descend(
    differences: FloatArray,
    before: BoolArray,
    windows: AnyArray,
    min_gain: Any,
    order: AnyArray,
    places: AnyArray,
) -> Any:
    """Move items to their best positions until no move gains; returns the change of the cost."""
    m = order.shape[0]
    change = 0.0
    unmoved = 0
    item = 0
    while unmoved < m:
        source = places[item]
        target, gain = _best_move(differences, before, windows, order, source)
        if gain < -min_gain:
            _move(order, places, source, target)
        elif windows.shape[0] > 0:
            target, gain = _best_swap(differences, before, windows, order, source)
            if gain < -min_gain:
                order[source], order[target] = order[target], item
                places[order[source]], places[item] = source, target
        if gain < -min_gain:
            change += gain
            unmoved = 0
        else:
            unmoved += 1
        item = item + 1 if item + 1 < m else 0
    return change


@compiled
def _kick(
    differences: FloatArray,
    before: BoolArray,
    windows: AnyArray,
    uniforms: FloatArray,
    order: AnyArray,
    places: AnyArray,
) -> Any:
    """Move random items to random allowed positions; returns the change of the cost."""
    m = order.shape[0]
    change = 0.0
    for kick in range(uniforms.shape[0]):
        source = int(uniforms[kick, 0] * m)
        item = order[source]
        first = source
        while (
            first > 0
            and not before[order[first - 1], item]
            and _may_stand(windows, order[first - 1], first)
        ):
            first -= 1
        last = source
        while (
            last < m - 1
            and not before[item, order[last + 1]]
            and _may_stand(windows, order[last + 1], last)
        ):
            last += 1
        if windows.shape[0] > 0:
            first, last = max(first, windows[item, 0]), min(last, windows[item, 1])
        target = first + int(uniforms[kick, 1] * (last - first + 1))
        for at in range(target, source):
            change += differences[item, order[at]]
        for at in range(source + 1, target + 1):
            change -= differences[item, order[at]]
        _move(order, places, source, target)
    return change


@compiled
def insertion_orders(
    costs: FloatArray, before: BoolArray, windows: AnyArray, uniforms: FloatArray
) -> AnyArray:
    """A good order for each problem: Borda scores, insertions, then kicks and insertions.

    The order after a kick and its insertions is kept unless it is worse.

    Parameters
    ----------
    costs : float64, (b, m, m), finite
    before : bool, (b, m, m) or (1, m, m)
        Acyclic.
    windows : int64, (b, m, 2), or (1, 0, 2) for none
        The first and the last place of each item. Some order must fit.
    uniforms : float64, (iterations, kicks, 2)
        Numbers in [0, 1) for the item and the position of each kick. They are the same for all
        problems, so that the order of one does not depend on the others.

    Returns
    -------
    ranks : int64, (b, m)
    """
    b, m = costs.shape[0], costs.shape[1]
    differences = np.zeros((m, m), dtype=np.float64)
    order, kept = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    places = np.zeros(m, dtype=np.int64)
    ranks = np.zeros((b, m), dtype=np.int64)
    for r in range(b):
        forced = before[min(r, before.shape[0] - 1)]
        min_gain = 0.0
        for i in range(m):
            for j in range(i):
                difference = costs[r, i, j] - costs[r, j, i]
                differences[i, j] = difference
                differences[j, i] = -difference
                min_gain += _NEGLIGIBLE_GAIN * abs(difference)
        own = windows[min(r, windows.shape[0] - 1)]
        if own.shape[0] > 0:
            start_within_windows(forced, own, order)
        else:
            _borda_start(differences, forced, order)
        for at in range(m):
            places[order[at]] = at
        _descend(differences, forced, own, min_gain, order, places)
        for iteration in range(uniforms.shape[0]):
            for at in range(m):
                kept[at] = order[at]
            change = _kick(differences, forced, own, uniforms[iteration], order, places)
            change += _descend(differences, forced, own, min_gain, order, places)
            if change > 0.0:
                for at in range(m):
                    order[at] = kept[at]
                    places[kept[at]] = at
        for i in range(m):
            ranks[r, i] = places[i]
    return ranks
