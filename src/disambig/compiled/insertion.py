"""Orders by taking one item out and putting it back elsewhere, as long as that pays."""

from typing import Any

import numpy as np

from disambig.compiled.jit import kernel
from disambig.notation import AnyArray, BoolArray, FloatArray

# A move must gain more than this part of all differences: below is rounding, which could cycle.
NEGLIGIBLE = 1e-13


@kernel
def _borda_start(gaps: FloatArray, before: BoolArray, order: AnyArray) -> None:
    """By row sums, the item that most wants to be early first, as far as `before` allows."""
    m = order.shape[0]
    n_before = np.zeros(m, dtype=np.int64)
    scores = np.zeros(m, dtype=np.float64)
    for i in range(m):
        for j in range(m):
            n_before[j] += before[i, j]
            scores[i] += gaps[i, j]
    for position in range(m):
        chosen = -1
        for i in range(m):
            if n_before[i] == 0 and (chosen < 0 or scores[i] < scores[chosen]):
                chosen = i
        order[position] = chosen
        n_before[chosen] = -1
        for j in range(m):
            n_before[j] -= before[chosen, j]


@kernel
def _move(order: AnyArray, places: AnyArray, source: Any, target: Any) -> None:
    """Take out the item at `source` and put it at `target`."""
    item = order[source]
    step = 1 if target > source else -1
    at = source
    while at != target:
        order[at] = order[at + step]
        places[order[at]] = at
        at += step
    order[target] = item
    places[item] = target


@kernel
def _best_move(gaps: FloatArray, before: BoolArray, order: AnyArray, source: Any) -> Any:
    """The best new position of the item at `source`, and what the cost changes by."""
    m = order.shape[0]
    item = order[source]
    target = source
    best = 0.0
    total = 0.0
    for at in range(source - 1, -1, -1):
        other = order[at]
        if before[other, item]:
            break
        total += gaps[item, other]
        if total < best:
            best = total
            target = at
    total = 0.0
    for at in range(source + 1, m):
        other = order[at]
        if before[item, other]:
            break
        total -= gaps[item, other]
        if total < best:
            best = total
            target = at
    return target, best


@kernel
def _descend(
    gaps: FloatArray, before: BoolArray, least: Any, order: AnyArray, places: AnyArray
) -> Any:
    """Move item after item to its best position until none gains; the change of the cost."""
    m = order.shape[0]
    change = 0.0
    unmoved = 0
    item = 0
    while unmoved < m:
        target, gain = _best_move(gaps, before, order, places[item])
        if gain < -least:
            _move(order, places, places[item], target)
            change += gain
            unmoved = 0
        else:
            unmoved += 1
        item = item + 1 if item + 1 < m else 0
    return change


@kernel
def _kick(
    gaps: FloatArray,
    before: BoolArray,
    uniforms: FloatArray,
    order: AnyArray,
    places: AnyArray,
) -> Any:
    """Move random items to random positions that `before` allows; the change of the cost."""
    m = order.shape[0]
    change = 0.0
    for kick in range(uniforms.shape[0]):
        source = int(uniforms[kick, 0] * m)
        item = order[source]
        first = source
        while first > 0 and not before[order[first - 1], item]:
            first -= 1
        last = source
        while last < m - 1 and not before[item, order[last + 1]]:
            last += 1
        target = first + int(uniforms[kick, 1] * (last - first + 1))
        for at in range(target, source):
            change += gaps[item, order[at]]
        for at in range(source + 1, target + 1):
            change -= gaps[item, order[at]]
        _move(order, places, source, target)
    return change


@kernel
def insertion_orders(costs: FloatArray, before: BoolArray, uniforms: FloatArray) -> AnyArray:
    """For each problem a good order: Borda, insertions, then kicks and insertions again.

    An order after a kick is kept unless it is worse.

    Parameters
    ----------
    costs : float64, (b, m, m), finite
    before : bool, (b, m, m) or (1, m, m)
        Acyclic.
    uniforms : float64, (iterations, kicks, 2)
        Numbers in [0, 1): item and position of each kick, the same for all problems, so that the
        answer to one does not depend on the others.

    Returns
    -------
    ranks : int64, (b, m)
    """
    b, m = costs.shape[0], costs.shape[1]
    gaps = np.zeros((m, m), dtype=np.float64)
    order, held = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    places = np.zeros(m, dtype=np.int64)
    ranks = np.zeros((b, m), dtype=np.int64)
    for r in range(b):
        forced = before[min(r, before.shape[0] - 1)]
        least = 0.0
        for i in range(m):
            for j in range(i):
                gap = costs[r, i, j] - costs[r, j, i]
                gaps[i, j] = gap
                gaps[j, i] = -gap
                least += NEGLIGIBLE * abs(gap)
        _borda_start(gaps, forced, order)
        for at in range(m):
            places[order[at]] = at
        _descend(gaps, forced, least, order, places)
        for iteration in range(uniforms.shape[0]):
            held[:] = order
            change = _kick(gaps, forced, uniforms[iteration], order, places)
            change += _descend(gaps, forced, least, order, places)
            if change > 0.0:
                order[:] = held
                for at in range(m):
                    places[order[at]] = at
        ranks[r] = places
    return ranks
