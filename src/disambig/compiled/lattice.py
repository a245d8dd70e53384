"""Cheapest orders by dynamic programming over prefixes.

A prefix is the set S of items that stand first, and ``f(S)`` is the least cost of an order of S:

    f(T) = min over i in T of f(T - i) + cost(T - i, i)

with the transition costs of `lattice_costs`. Only the down-sets of the partial order can stand
first. Two ways to compute f give the same numbers, bit for bit. *All sets*, in numerical order: at
least eight of them are relaxed at once, so that a transition takes a third of a nanosecond; sets
that are no down-sets come out infinite. *Reached sets*, from a list: a transition is several times
slower, but this is faster if the partial order has few down-sets.
"""

from typing import Any

import numpy as np

from disambig.compiled.jit import compiled, compiled_part, inlined
from disambig.compiled.lattice_costs import (
    PrefixCosts,
    empty_costs,
    fill_pair_costs,
    fill_position_costs,
    fill_weighted_costs,
    forbid_places,
    transition_cost,
)
from disambig.notation import AnyArray, BoolArray, FloatArray

# Down-sets are listed if a bound on their number is below this share of all sets. Measured: about
# there both ways take the same time.
MAX_LISTED_SHARE = 0.0625


@inlined
def _relax_row(
    f: FloatArray, target: Any, source: Any, length: Any, costs: FloatArray, first: Any, extra: Any
) -> None:
    """``f[target + t] = min(., f[source + t] + costs[first + t] + extra)`` for t < length.

    The compiler takes eight sets at a time if it knows that no index is negative (hence unsigned)
    and if every iteration stores (hence no condition around the store).
    """
    for t in range(length):
        value = f[np.uint64(source + t)] + (costs[np.uint64(first + t)] + extra)
        current = f[np.uint64(target + t)]
        f[np.uint64(target + t)] = value if value < current else current


@inlined
def _relax_eight(
    f: FloatArray, s: Any, low: FloatArray, x: Any, add0: Any, add1: Any, add2: Any
) -> None:
    """The transitions by items 0, 1, 2 within the sets ``s ... s + 7``; s contains none of them."""
    f0 = f[np.uint64(s)]
    f1, f2, f3 = f[np.uint64(s + 1)], f[np.uint64(s + 2)], f[np.uint64(s + 3)]
    f4, f5, f6 = f[np.uint64(s + 4)], f[np.uint64(s + 5)], f[np.uint64(s + 6)]
    f7 = f[np.uint64(s + 7)]
    a = f0 + (low[0, np.uint64(x)] + add0)
    f1 = a if a < f1 else f1
    a = f0 + (low[1, np.uint64(x)] + add1)
    f2 = a if a < f2 else f2
    a = f0 + (low[2, np.uint64(x)] + add2)
    f4 = a if a < f4 else f4
    a = f1 + (low[1, np.uint64(x + 1)] + add1)
    f3 = a if a < f3 else f3
    a = f2 + (low[0, np.uint64(x + 2)] + add0)
    f3 = a if a < f3 else f3
    a = f1 + (low[2, np.uint64(x + 1)] + add2)
    f5 = a if a < f5 else f5
    a = f4 + (low[0, np.uint64(x + 4)] + add0)
    f5 = a if a < f5 else f5
    a = f2 + (low[2, np.uint64(x + 2)] + add2)
    f6 = a if a < f6 else f6
    a = f4 + (low[1, np.uint64(x + 4)] + add1)
    f6 = a if a < f6 else f6
    a = f3 + (low[2, np.uint64(x + 3)] + add2)
    f7 = a if a < f7 else f7
    a = f5 + (low[1, np.uint64(x + 5)] + add1)
    f7 = a if a < f7 else f7
    a = f6 + (low[0, np.uint64(x + 6)] + add0)
    f7 = a if a < f7 else f7
    f[np.uint64(s + 1)], f[np.uint64(s + 2)], f[np.uint64(s + 3)] = f1, f2, f3
    f[np.uint64(s + 4)], f[np.uint64(s + 5)], f[np.uint64(s + 6)] = f4, f5, f6
    f[np.uint64(s + 7)] = f7


@compiled_part
def _solve_all_sets(tables: PrefixCosts, f: FloatArray) -> None:
    """Fill f, ``(2 ** M,)``, one block of sets with equal high bits after another."""
    high, n_low = tables.high, tables.n_low
    columns = 1 << n_low
    n_high = high.shape[0] - n_low
    for block in range(1 << n_high):
        start = block * columns
        for t in range(start, start + columns):
            f[t] = np.inf
        if block == 0:
            f[0] = 0.0
        possible = True
        for bit in range(n_high):
            if block >> bit & 1 and high[n_low + bit, block ^ (1 << bit)] == np.inf:
                possible = False
        if not possible:
            continue
        for bit in range(n_high):
            if block >> bit & 1:
                item, source = n_low + bit, block ^ (1 << bit)
                row = tables.low[tables.layers[source], item]
                _relax_row(f, start, source * columns, columns, row, 0, high[item, source])
        own = tables.low[tables.layers[block]]
        for x in range(0, columns, 8):
            here = start + x
            if x > 0:
                # The next `length` sets all contain the item of the lowest bit of x. Without it
                # they are the `length` sets just before, whose values are final.
                item = 3
                while not x >> item & 1:
                    item += 1
                length = 1 << item
                _relax_row(f, here, here - length, length, own[item], x - length, high[item, block])
            _relax_eight(f, here, own, x, high[0, block], high[1, block], high[2, block])


@inlined
def _solve_reached_sets(tables: PrefixCosts, f: FloatArray, reached: AnyArray) -> Any:
    """Fill f, which is infinite before, and list the sets of finite f by size.

    Returns the number of these sets.
    """
    f[0] = 0.0
    reached[0] = 0
    count = 1
    at = 0
    while at < count:
        s = reached[at]
        at += 1
        for item in range(tables.high.shape[0]):
            if s >> item & 1:
                continue
            value = f[s] + transition_cost(tables, s, item)
            if value == np.inf:
                continue
            t = s | (1 << item)
            if f[t] == np.inf:
                reached[count] = t
                count += 1
                f[t] = value
            elif value < f[t]:
                f[t] = value
    return count


@inlined
def _few_down_sets(before: BoolArray) -> Any:
    """Whether fewer than `MAX_LISTED_SHARE` of all sets are down-sets, by an upper bound.

    The items are divided into chains. A down-set contains a beginning of each chain, so that there
    are at most ``prod(length + 1)`` down-sets.
    """
    m = before.shape[0]
    # Three arrays in one: the numbers of predecessors, and the lengths and the ends of chains.
    scratch = np.zeros(3 * m, dtype=np.int64)
    for j in range(m):
        for i in range(m):
            scratch[i] += before[j, i]
    # Items by their number of predecessors, then by index.
    for number in range(m):
        for i in range(m):
            if scratch[i] == number:
                chain = m
                while scratch[chain] > 0 and not before[scratch[chain + m], i]:
                    chain += 1
                scratch[chain] += 1
                scratch[chain + m] = i
    share = 1.0
    for chain in range(m, 2 * m):
        share *= (scratch[chain] + 1.0) / np.float64(1 << scratch[chain])
    return share < MAX_LISTED_SHARE


@inlined
def solve_prefixes(
    costs: FloatArray,
    before: BoolArray,
    windows: Any,
    r: Any,
    positions: Any,
    weights: Any,
    tables: PrefixCosts,
    f: FloatArray,
    reached: AnyArray,
) -> Any:
    """Fill the tables and f for one problem.

    Returns the number of sets that are listed in `reached`, or 0 if all sets were computed.

    Preconditions: f is infinite everywhere, as `clear_prefixes` leaves it; ``windows[r]`` are
    ``(m, 2)``; `positions` is True if costs are those of positions; `weights` of positions are
    ``(m,)``, without windows. Each of the three is None if it does not apply: None is a type, so
    that only what is used is compiled.
    """
    m = costs.shape[0]
    n_forced = 0
    for i in range(m):
        for j in range(m):
            n_forced += before[i, j]
    constrained = n_forced > 0
    if weights is not None:
        fill_weighted_costs(costs, before, constrained, weights, tables)
    elif positions is not None:
        fill_position_costs(costs, before, constrained, tables)
    else:
        fill_pair_costs(costs, before, constrained, tables)
    if windows is not None:
        forbid_places(windows, r, positions, tables)
    if constrained and _few_down_sets(before):
        return _solve_reached_sets(tables, f, reached)
    _solve_all_sets(tables, f)
    return 0


@inlined
def clear_prefixes(f: FloatArray, reached: AnyArray, count: Any) -> None:
    """Make f infinite again after `solve_prefixes`, which returned `count`."""
    if count == 0:
        for s in range(f.shape[0]):
            f[s] = np.inf
    for at in range(count):
        f[reached[at]] = np.inf


@inlined
def read_order(tables: PrefixCosts, f: FloatArray, ranks: AnyArray) -> None:
    """Read the ranks of an optimal order off f, from the full set back to the empty one.

    Of tied items the one with the larger index stands later.
    """
    size, m = tables.high.shape[0], ranks.shape[0]
    s = (1 << size) - 1
    position = m - 1
    for _ in range(size):
        best = np.inf
        chosen = -1
        for item in range(size):
            if s >> item & 1:
                t = s ^ (1 << item)
                value = f[t] + transition_cost(tables, t, item)
                if value <= best:
                    best = value
                    chosen = item
        s ^= 1 << chosen
        if chosen < m:
            ranks[chosen] = position
            position -= 1


def empty_prefixes(tables: PrefixCosts) -> tuple[FloatArray, AnyArray]:
    """``f`` and ``reached`` for `solve_prefixes`."""
    f = np.full(1 << tables.high.shape[0], np.inf)
    return f, np.empty(f.size, dtype=np.int32)


def given_windows(windows: AnyArray) -> AnyArray | None:
    """None for `windows` that hold none, ``(1, 0, 2)``."""
    return windows if windows.shape[1] > 0 else None


@compiled
def _order_rows(
    costs: FloatArray,
    before: BoolArray,
    windows: Any,
    positions: Any,
    tables: PrefixCosts,
    f: FloatArray,
    reached: AnyArray,
    ranks: AnyArray,
) -> None:
    """Write an optimal order of each problem into `ranks`, ``(b, m)``."""
    for r in range(costs.shape[0]):
        forced = before[min(r, before.shape[0] - 1)]
        count = solve_prefixes(costs[r], forced, windows, r, positions, None, tables, f, reached)
        read_order(tables, f, ranks[r])
        clear_prefixes(f, reached, count)


def cheapest_orders(
    costs: FloatArray, before: BoolArray, windows: AnyArray, positions: bool
) -> AnyArray:
    """An order of least cost that respects the partial order and the windows, for each problem.

    Parameters
    ----------
    costs : float64, (b, m, m), finite; m <= 30
        ``costs[r, i, j]`` is paid if i stands before j; with `positions`, if i has position j.
    before : bool, (b, m, m) or (1, m, m)
        ``before[r, i, j]``: i must stand before j. Acyclic.
    windows : int64, (b, m, 2), or (1, 0, 2) for none
        The first and the last place of each item. Some order must fit.
    positions : bool

    Returns
    -------
    ranks : int64, (b, m)
    """
    within = given_windows(windows)
    tables = empty_costs(costs.shape[1], positions or within is not None, False)
    f, reached = empty_prefixes(tables)
    ranks = np.zeros(costs.shape[:2], dtype=np.int64)
    _order_rows(costs, before, within, positions or None, tables, f, reached, ranks)
    return ranks
