"""How many orders are optimal, and how they place and compare items, from the prefix lattice.

The way from the full set back to the empty one is walked through every transition that some order
within the tolerance uses. With ``f(S)`` the least cost of a prefix and ``rest(S)`` the least
further cost, ``slack(S) = f(S) + rest(S) - f(all)``, and a transition belongs if

    slack(S + i) + f(S) + price(S, i) - f(S + i) <= tolerance.

Orders are paths: a transition is used by (paths up to S) x (paths after S + i) of them. Counts are
integers of 64 bits: exact, since ``20! < 2 ** 63``.
"""

from typing import Any, NamedTuple

import numpy as np

from disambig.compiled.jit import kernel
from disambig.compiled.lattice import clear_prefix_costs, prefix_costs, read_order
from disambig.compiled.lattice_costs import PrefixCosts, empty_costs, price
from disambig.notation import AnyArray, BoolArray, FloatArray


class _Paths(NamedTuple):
    """For each set: slack, paths after it, paths up to it.

    And the list of sets on tied paths: `tied`, and in `last` the items that such a path adds last
    to the set, as bits.
    """

    slack: Any
    after: Any
    up_to: Any
    tied: Any
    last: Any


@kernel
def _empty_paths(n_sets: Any) -> _Paths:
    return _Paths(
        np.full(n_sets, np.inf),
        np.empty(n_sets, dtype=np.int64),
        np.empty(n_sets, dtype=np.int64),
        np.empty(n_sets, dtype=np.int32),
        np.empty(n_sets, dtype=np.int32),
    )


@kernel
def _excess(prices: PrefixCosts, f: FloatArray, t: Any, item: Any) -> Any:
    """``f(S) + price(S, i) - f(S + i)`` for ``S + i = t``; infinite if it is not allowed."""
    s = t ^ (1 << item)
    return f[np.uint64(s)] + price(prices, s, item) - f[np.uint64(t)]


@kernel
def _list_tied(prices: PrefixCosts, f: FloatArray, tolerance: Any, paths: _Paths) -> Any:
    """List the sets on tied paths from the full one down, with slack and paths after. How many?

    Sets are met by size, so a set is read when its slack and its paths are final.
    """
    slack, after, tied, last = paths.slack, paths.after, paths.tied, paths.last
    size = prices.high.shape[0]
    full = (1 << size) - 1
    tied[0] = full
    slack[full] = 0.0
    after[full] = 1
    count = 1
    at = 0
    while at < count:
        t = tied[at]
        items = 0
        for item in range(size):
            if t >> item & 1:
                total = slack[t] + _excess(prices, f, t, item)
                if total <= tolerance:
                    items |= 1 << item
                    s = t ^ (1 << item)
                    if slack[s] == np.inf:
                        tied[count] = s
                        count += 1
                        after[s] = 0
                    if total < slack[s]:
                        slack[s] = total
                    after[s] += after[t]
        last[at] = items
        at += 1
    return count


@kernel
def _count_up(size: Any, paths: _Paths, count: Any) -> None:
    """Paths up to each listed set."""
    up_to, tied, last = paths.up_to, paths.tied, paths.last
    up_to[0] = 1
    for at in range(count - 2, -1, -1):
        t = tied[at]
        total = 0
        for item in range(size):
            if last[at] >> item & 1:
                total += up_to[t ^ (1 << item)]
        up_to[t] = total


@kernel
def _position(t: Any, size: Any) -> Any:
    """Where the last item of the set t stands."""
    position = -1
    for j in range(size):
        position += t >> j & 1
    return position


@kernel
def _sum_pairs(n_low: Any, sums: AnyArray, high_sums: AnyArray, pairs: AnyArray) -> None:
    """In how many orders j stands before i: sum over the sets with j; then clear the sums."""
    m = pairs.shape[0]
    for i in range(m):
        for x in range(sums.shape[1]):
            if sums[i, x] > 0:
                for j in range(min(n_low, m)):
                    pairs[j, i] += sums[i, x] * (x >> j & 1)
                sums[i, x] = 0
        for x in range(high_sums.shape[1]):
            if high_sums[i, x] > 0:
                for j in range(n_low, m):
                    pairs[j, i] += high_sums[i, x] * (x >> (j - n_low) & 1)
                high_sums[i, x] = 0


@kernel
def _compare(
    prices: PrefixCosts,
    paths: _Paths,
    count: Any,
    places: AnyArray,
    pairs: AnyArray,
    sums: AnyArray,
    high_sums: AnyArray,
) -> None:
    """In how many orders i stands at a place, and before j.

    A transition by i puts i before all that is not there yet. Where transitions are many they are
    added up first by the set they start from, its low and its high half apart.
    """
    after, up_to, tied, last = paths.after, paths.up_to, paths.tied, paths.last
    size, m, n_low = prices.high.shape[0], places.shape[0], prices.n_low
    few = 2 * count < sums.shape[1] + high_sums.shape[1]
    for at in range(count - 1):
        t = tied[at]
        position = _position(t, size)
        for item in range(m):
            if last[at] >> item & 1:
                s = t ^ (1 << item)
                orders = up_to[s] * after[t]
                places[item, position] += orders
                if few:
                    for j in range(m):
                        pairs[item, j] += orders * (1 - (t >> j & 1))
                else:
                    sums[item, s & ((1 << n_low) - 1)] += orders
                    high_sums[item, s >> n_low] += orders
    if not few:
        _sum_pairs(n_low, sums, high_sums, pairs)


@kernel
def _sum_charges(
    size: Any,
    paths: _Paths,
    count: Any,
    weights: FloatArray,
    later: AnyArray,
    charges: FloatArray,
) -> None:
    """Mean over the paths of the weight of the position of i, of 0 where j does not stand later.

    `later` ``(m, m, m)``, zero before and after, counts paths: i at position k and j later. What
    all paths share is a share of exactly 1.
    """
    after, up_to, tied, last = paths.after, paths.up_to, paths.tied, paths.last
    m = charges.shape[0]
    for at in range(count - 1):
        t = tied[at]
        position = _position(t, size)
        if position >= m or weights[position] == 0.0:
            continue
        for item in range(m):
            if last[at] >> item & 1:
                orders = up_to[t ^ (1 << item)] * after[t]
                for j in range(m):
                    later[item, position, j] += orders * (1 - (t >> j & 1))
    for i in range(m):
        for k in range(m):
            for j in range(m):
                charges[i, j] += weights[k] * (later[i, k, j] / after[0])
                later[i, k, j] = 0


@kernel
def _or_empty(weights: Any) -> FloatArray:
    if weights is None:
        return np.empty(0)
    given: FloatArray = weights
    return given


@kernel
def tied_orders(
    costs: FloatArray,
    before: BoolArray,
    positions: Any,
    weights: Any,
    tolerance: FloatArray,
) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray, FloatArray]:
    """Count the optimal orders of each problem, and among them each pair and each place.

    Parameters
    ----------
    costs, before, positions
        As for `cheapest_orders`, with ``m <= 20``.
    weights : float64, (m,), or None
        Finite: i before j costs ``weights[position of i] costs[r, i, j]``. None with
        `positions`.
    tolerance : float64, (b,)

    Returns
    -------
    ranks : int64, (b, m)
        One of them: without weights the order that `cheapest_orders` gives.
    counts : int64, (b,)
    pairs, places : int64, (b, m, m)
        In how many of them i stands before j; in how many i has position k.
    charges : float64, (b, m, m), or (0, m, m) without weights
        The mean of ``weights[position of i]`` where i stands before j and of 0 where it does not.
    """
    b, m = costs.shape[0], costs.shape[1]
    of_position = _or_empty(weights)
    prices = empty_costs(m, positions, of_position.size > 0)
    f = np.full(1 << prices.high.shape[0], np.inf)
    reached = np.empty(f.size, dtype=np.int32)
    paths = _empty_paths(f.size)
    sums = np.zeros((m, prices.low.shape[2]), dtype=np.int64)
    high_sums = np.zeros((m, prices.high.shape[1]), dtype=np.int64)
    ranks = np.zeros((b, m), dtype=np.int64)
    counts = np.zeros(b, dtype=np.int64)
    pairs, places = np.zeros((b, m, m), dtype=np.int64), np.zeros((b, m, m), dtype=np.int64)
    charges = np.zeros((b if of_position.size > 0 else 0, m, m))
    later = np.zeros((m, m, m), dtype=np.int64)
    size = prices.high.shape[0]
    for r in range(b):
        forced = before[min(r, before.shape[0] - 1)]
        n_reached = prefix_costs(costs[r], forced, positions, of_position, prices, f, reached)
        read_order(prices, f, ranks[r])
        n_tied = _list_tied(prices, f, tolerance[r], paths)
        _count_up(size, paths, n_tied)
        _compare(prices, paths, n_tied, places[r], pairs[r], sums, high_sums)
        counts[r] = paths.after[0]
        if weights is not None:
            _sum_charges(size, paths, n_tied, weights, later, charges[r])
        for at in range(n_tied):
            paths.slack[paths.tied[at]] = np.inf
        clear_prefix_costs(f, reached, n_reached)
    return ranks, counts, pairs, places, charges


@kernel
def _draw(
    prices: PrefixCosts,
    f: FloatArray,
    paths: _Paths,
    uniforms: FloatArray,
    ranks: AnyArray,
) -> None:
    """One path, from its end: each item by its share of the paths up to the set it completes."""
    size, m = prices.high.shape[0], ranks.shape[0]
    t = (1 << size) - 1
    for position in range(size - 1, -1, -1):
        left = paths.up_to[t] * uniforms[min(position, m - 1)]
        last = -1
        for item in range(size):
            # The last item that is allowed, should rounding leave something over.
            if t >> item & 1 and (last < 0 or left >= 0.0) and _excess(prices, f, t, item) == 0.0:
                last = item
                left -= paths.up_to[t ^ (1 << item)]
        t ^= 1 << last
        if last < m:
            ranks[last] = position


@kernel
def drawn_orders(before: BoolArray, uniforms: FloatArray) -> AnyArray:
    """Draw linear extensions, all equally likely.

    Parameters
    ----------
    before : bool, (b, m, m), m <= 20
        Acyclic.
    uniforms : float64, (b, d, m)
        Numbers in [0, 1), one for each place to fill.

    Returns
    -------
    ranks : int64, (b, d, m)
    """
    b, n_draws, m = uniforms.shape
    prices = empty_costs(m, False, False)
    f = np.full(1 << prices.high.shape[0], np.inf)
    reached = np.empty(f.size, dtype=np.int32)
    paths = _empty_paths(f.size)
    free, unweighted = np.zeros((m, m), dtype=np.float64), np.empty(0)
    ranks = np.zeros((b, n_draws, m), dtype=np.int64)
    for r in range(b):
        n_reached = prefix_costs(free, before[r], False, unweighted, prices, f, reached)
        n_tied = _list_tied(prices, f, 0.0, paths)
        _count_up(prices.high.shape[0], paths, n_tied)
        for draw in range(n_draws):
            _draw(prices, f, paths, uniforms[r, draw], ranks[r, draw])
        for at in range(n_tied):
            paths.slack[paths.tied[at]] = np.inf
        clear_prefix_costs(f, reached, n_reached)
    return ranks
