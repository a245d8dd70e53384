"""How many orders are optimal, and how they place and compare items, from the prefix lattice.

The way from the full set back to the empty one is walked through every transition that some order
within the tolerance uses. With ``f`` the least cost of a prefix and ``rest(S)`` the least further
cost, ``slack(S) = f(S) + rest(S) - f(all)``, and a transition belongs if

    slack(S + i) + f(S) + price(S, i) - f(S + i) <= tolerance.

Orders are paths: each transition is used by (paths up to S) x (paths after S + i) of them. Counts
are integers of 64 bits: exact, since ``20! < 2 ** 63``.
"""

from typing import Any

import numpy as np

from disambig.kernels.jit import kernel
from disambig.kernels.prefix_lattice import clear_prefix_costs, prefix_costs, read_order
from disambig.kernels.prefix_prices import popcounts, split_bits
from disambig.notation import AnyArray, BoolArray, FloatArray

__all__ = ["drawn_orders", "tied_orders"]


@kernel
def _excess(
    low: FloatArray, high: FloatArray, layers: AnyArray, f: FloatArray, s: Any, item: Any
) -> Any:
    """``f(S) + price(S, i) - f(S + i)``; infinite if the transition is not allowed."""
    columns = low.shape[2]
    block = s // columns
    price = low[layers[block] % low.shape[0], item, s % columns] + high[item, block]
    if f[s] == np.inf or price == np.inf:
        return np.inf
    return f[s] + price - f[s | (1 << item)]


@kernel
def _list_tied(
    low: FloatArray,
    high: FloatArray,
    layers: AnyArray,
    f: FloatArray,
    tolerance: Any,
    slack: FloatArray,
    after: AnyArray,
    tied: AnyArray,
) -> Any:
    """List the sets on tied paths from the full one down, with slack and paths after. How many?

    Sets are met by size, so a set is read when its slack and its paths are final.
    """
    size = low.shape[1]
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
                s = t ^ (1 << item)
                total = slack[t] + _excess(low, high, layers, f, s, item)
                if total <= tolerance:
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
    low: FloatArray,
    high: FloatArray,
    layers: AnyArray,
    f: FloatArray,
    tolerance: Any,
    slack: FloatArray,
    after: AnyArray,
    tied: AnyArray,
    count: Any,
    up_to: AnyArray,
    pairs: AnyArray,
    places: AnyArray,
) -> None:
    """Paths up to each listed set; how many tied orders have i before j, or i at position k."""
    size, m = low.shape[1], pairs.shape[0]
    up_to[0] = 1
    for at in range(count - 2, -1, -1):
        t = tied[at]
        up_to[t] = 0
        position = -1
        for j in range(size):
            position += t >> j & 1
        for item in range(size):
            if t >> item & 1:
                s = t ^ (1 << item)
                if slack[t] + _excess(low, high, layers, f, s, item) <= tolerance:
                    up_to[t] += up_to[s]
                    if item < m:
                        orders = up_to[s] * after[t]
                        places[item, position] += orders
                        for j in range(m):
                            pairs[j, item] += orders * (s >> j & 1)


@kernel
def tied_orders(
    costs: FloatArray, before: BoolArray, positions: Any, tolerance: FloatArray
) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray]:
    """Count the optimal orders of each problem, and among them each pair and each place.

    Parameters
    ----------
    costs, before, positions
        As for `cheapest_orders`; ``m <= 20``.
    tolerance : float64, (b,)

    Returns
    -------
    ranks : int64, (b, m)
        The order that `cheapest_orders` gives.
    counts : int64, (b,)
        0 where the partial order has a cycle.
    pairs, places : int64, (b, m, m)
        In how many of them i stands before j; in how many i has position k.
    """
    b, m = costs.shape[0], costs.shape[1]
    size, n_low = split_bits(m)
    layers = popcounts(size - n_low)
    low = np.empty((size - n_low + 1 if positions else 1, size, 1 << n_low), dtype=np.float64)
    high = np.empty((size, 1 << (size - n_low)), dtype=np.float64)
    f, slack = np.full(1 << size, np.inf), np.full(1 << size, np.inf)
    reached, tied = np.empty(1 << size, dtype=np.int32), np.empty(1 << size, dtype=np.int32)
    after, up_to = np.empty(1 << size, dtype=np.int64), np.empty(1 << size, dtype=np.int64)
    ranks = np.zeros((b, m), dtype=np.int64)
    counts = np.zeros(b, dtype=np.int64)
    pairs, places = np.zeros((b, m, m), dtype=np.int64), np.zeros((b, m, m), dtype=np.int64)
    for r in range(b):
        forced = before[min(r, before.shape[0] - 1)]
        n_reached = prefix_costs(costs[r], forced, positions, low, high, layers, f, reached)
        if read_order(low, high, layers, f, ranks[r]):
            n_tied = _list_tied(low, high, layers, f, tolerance[r], slack, after, tied)
            _count_up(
                low,
                high,
                layers,
                f,
                tolerance[r],
                slack,
                after,
                tied,
                n_tied,
                up_to,
                pairs[r],
                places[r],
            )
            counts[r] = after[0]
            for at in range(n_tied):
                slack[tied[at]] = np.inf
        clear_prefix_costs(f, reached, n_reached)
    return ranks, counts, pairs, places


@kernel
def drawn_orders(before: BoolArray, uniforms: FloatArray) -> tuple[AnyArray, BoolArray]:
    """Draw linear extensions, all equally likely: the last item first, by its share of the paths.

    Parameters
    ----------
    before : bool, (b, m, m), m <= 20
    uniforms : float64, (b, d, m)
        Numbers in [0, 1), one for each place to fill.

    Returns
    -------
    ranks : int64, (b, d, m)
    feasible : bool, (b,)
        False where the partial order has a cycle.
    """
    b, n_draws, m = uniforms.shape
    size, n_low = split_bits(m)
    layers = popcounts(size - n_low)
    low = np.empty((1, size, 1 << n_low), dtype=np.float64)
    high = np.empty((size, 1 << (size - n_low)), dtype=np.float64)
    f = np.full(1 << size, np.inf)
    reached = np.empty(1 << size, dtype=np.int32)
    up_to = np.empty(1 << size, dtype=np.int64)
    free = np.zeros((m, m), dtype=np.float64)
    ranks = np.zeros((b, n_draws, m), dtype=np.int64)
    feasible = np.zeros(b, dtype=np.bool_)
    for r in range(b):
        n_reached = prefix_costs(free, before[r], False, low, high, layers, f, reached)
        feasible[r] = f[(1 << size) - 1] < np.inf
        if feasible[r]:
            # In numerical order every set comes after its parts.
            up_to[0] = 1
            for t in range(1, 1 << size):
                up_to[t] = 0
                if f[t] < np.inf:
                    for item in range(size):
                        if t >> item & 1:
                            s = t ^ (1 << item)
                            if _excess(low, high, layers, f, s, item) < np.inf:
                                up_to[t] += up_to[s]
            for draw in range(n_draws):
                t = (1 << size) - 1
                for position in range(size - 1, -1, -1):
                    last = -1
                    left = up_to[t] * uniforms[r, draw, min(position, m - 1)]
                    for item in range(size):
                        if t >> item & 1 and left >= 0.0:
                            s = t ^ (1 << item)
                            if _excess(low, high, layers, f, s, item) < np.inf:
                                last = item
                                left -= up_to[s]
                    t ^= 1 << last
                    if last < m:
                        ranks[r, draw, last] = position
        clear_prefix_costs(f, reached, n_reached)
    return ranks, feasible
