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

from disambig.kernels.jit import kernel
from disambig.kernels.prefix_lattice import clear_prefix_costs, prefix_costs, read_order
from disambig.kernels.prefix_prices import PrefixPrices, empty_prices, price
from disambig.notation import AnyArray, BoolArray, FloatArray

__all__ = ["drawn_orders", "tied_orders"]


class _Paths(NamedTuple):
    """For each set: slack, paths after it, paths up to it; the list of sets on tied paths."""

    slack: Any
    after: Any
    up_to: Any
    tied: Any


@kernel
def _empty_paths(n_sets: Any) -> _Paths:
    return _Paths(
        np.full(n_sets, np.inf),
        np.empty(n_sets, dtype=np.int64),
        np.empty(n_sets, dtype=np.int64),
        np.empty(n_sets, dtype=np.int32),
    )


@kernel
def _excess(prices: PrefixPrices, f: FloatArray, t: Any, item: Any) -> Any:
    """``f(S) + price(S, i) - f(S + i)`` for ``S + i = t``; infinite if it is not allowed."""
    s = t ^ (1 << item)
    return f[np.uint64(s)] + price(prices, s, item) - f[np.uint64(t)]


@kernel
def _list_tied(prices: PrefixPrices, f: FloatArray, tolerance: Any, paths: _Paths) -> Any:
    """List the sets on tied paths from the full one down, with slack and paths after. How many?

    Sets are met by size, so a set is read when its slack and its paths are final.
    """
    slack, after, tied = paths.slack, paths.after, paths.tied
    size = prices.high.shape[0]
    full = (1 << size) - 1
    tied[0] = full
    slack[full] = 0.0
    after[full] = 1
    count = 1
    at = 0
    while at < count:
        t = tied[at]
        at += 1
        for item in range(size):
            if t >> item & 1:
                total = slack[t] + _excess(prices, f, t, item)
                if total <= tolerance:
                    s = t ^ (1 << item)
                    if slack[s] == np.inf:
                        tied[count] = s
                        count += 1
                        after[s] = 0
                    if total < slack[s]:
                        slack[s] = total
                    after[s] += after[t]
    return count


@kernel
def _count_up(
    prices: PrefixPrices,
    f: FloatArray,
    tolerance: Any,
    paths: _Paths,
    count: Any,
    places: AnyArray,
    sums: AnyArray,
    high_sums: AnyArray,
) -> None:
    """Paths up to each listed set; how many orders have i at a place, or right after a set.

    The latter for the low and the high half of the set apart, as prices are looked up.
    """
    slack, after, up_to, tied = paths.slack, paths.after, paths.up_to, paths.tied
    size, m = prices.high.shape[0], places.shape[0]
    n_low = prices.n_low
    up_to[0] = 1
    for at in range(count - 2, -1, -1):
        t = tied[at]
        position = -1
        for j in range(size):
            position += t >> j & 1
        total = 0
        for item in range(size):
            if t >> item & 1 and slack[t] + _excess(prices, f, t, item) <= tolerance:
                s = t ^ (1 << item)
                total += up_to[s]
                if item < m:
                    orders = up_to[s] * after[t]
                    places[item, position] += orders
                    sums[item, s & ((1 << n_low) - 1)] += orders
                    high_sums[item, s >> n_low] += orders
        up_to[t] = total


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
def tied_orders(
    costs: FloatArray, before: BoolArray, positions: Any, tolerance: FloatArray
) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray]:
    """Count the optimal orders of each problem, and among them each pair and each place.

    Parameters
    ----------
    costs, before, positions
        As for `cheapest_orders`, with ``m <= 20``.
    tolerance : float64, (b,)

    Returns
    -------
    ranks : int64, (b, m)
        The order that `cheapest_orders` gives.
    counts : int64, (b,)
    pairs, places : int64, (b, m, m)
        In how many of them i stands before j; in how many i has position k.
    """
    b, m = costs.shape[0], costs.shape[1]
    prices = empty_prices(m, positions)
    f = np.full(1 << prices.high.shape[0], np.inf)
    reached = np.empty(f.size, dtype=np.int32)
    paths = _empty_paths(f.size)
    sums = np.zeros((m, prices.low.shape[2]), dtype=np.int64)
    high_sums = np.zeros((m, prices.high.shape[1]), dtype=np.int64)
    ranks = np.zeros((b, m), dtype=np.int64)
    counts = np.zeros(b, dtype=np.int64)
    pairs, places = np.zeros((b, m, m), dtype=np.int64), np.zeros((b, m, m), dtype=np.int64)
    for r in range(b):
        forced = before[min(r, before.shape[0] - 1)]
        n_reached = prefix_costs(costs[r], forced, positions, prices, f, reached)
        read_order(prices, f, ranks[r])
        n_tied = _list_tied(prices, f, tolerance[r], paths)
        _count_up(prices, f, tolerance[r], paths, n_tied, places[r], sums, high_sums)
        _sum_pairs(prices.n_low, sums, high_sums, pairs[r])
        counts[r] = paths.after[0]
        for at in range(n_tied):
            paths.slack[paths.tied[at]] = np.inf
        clear_prefix_costs(f, reached, n_reached)
    return ranks, counts, pairs, places


@kernel
def _draw(
    prices: PrefixPrices,
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
    prices = empty_prices(m, False)
    f = np.full(1 << prices.high.shape[0], np.inf)
    reached = np.empty(f.size, dtype=np.int32)
    paths = _empty_paths(f.size)
    sums = np.zeros((m, prices.low.shape[2]), dtype=np.int64)
    high_sums = np.zeros((m, prices.high.shape[1]), dtype=np.int64)
    places = np.zeros((m, m), dtype=np.int64)
    free = np.zeros((m, m), dtype=np.float64)
    ranks = np.zeros((b, n_draws, m), dtype=np.int64)
    for r in range(b):
        n_reached = prefix_costs(free, before[r], False, prices, f, reached)
        n_tied = _list_tied(prices, f, 0.0, paths)
        _count_up(prices, f, 0.0, paths, n_tied, places, sums, high_sums)
        for draw in range(n_draws):
            _draw(prices, f, paths, uniforms[r, draw], ranks[r, draw])
        for at in range(n_tied):
            paths.slack[paths.tied[at]] = np.inf
        # Only paths were wanted; the sums must not grow from problem to problem.
        places[:] = 0
        sums[:] = 0
        high_sums[:] = 0
        clear_prefix_costs(f, reached, n_reached)
    return ranks
