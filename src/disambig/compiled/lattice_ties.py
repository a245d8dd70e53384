"""Counts of the optimal orders, and of the positions and pairs of items in them.

Orders are paths through the prefix lattice. With ``f(S)`` the least cost of a prefix and
``rest(S)`` the least cost of the items after it, ``slack(S) = f(S) + rest(S) - f(all)``, and the
transition from S to S + i is on a tied path if

    slack(S + i) + f(S) + cost(S, i) - f(S + i) <= tolerance.

A transition is used by (paths up to S) x (paths after S + i) orders. Counts are integers of 64
bits, which are exact since ``20! < 2 ** 63``.
"""

from typing import Any, NamedTuple

import numpy as np

from disambig.compiled.jit import compiled, compiled_part, inlined
from disambig.compiled.lattice import (
    clear_prefixes,
    empty_prefixes,
    given_windows,
    read_order,
    solve_prefixes,
)
from disambig.compiled.lattice_costs import PrefixCosts, empty_costs, transition_cost
from disambig.notation import AnyArray, BoolArray, FloatArray


class _Paths(NamedTuple):
    """The tied paths through the prefix lattice.

    `slack`, `after` and `up_to` are indexed by sets: the slack, the number of paths after the set,
    and of paths up to it. `tied` lists the sets on tied paths, and `last` gives for each of them
    the items that such a path adds last to the set, as bits.
    """

    slack: Any
    after: Any
    up_to: Any
    tied: Any
    last: Any


def _empty_paths(n_sets: int) -> _Paths:
    return _Paths(
        np.full(n_sets, np.inf),
        np.empty(n_sets, dtype=np.int64),
        np.empty(n_sets, dtype=np.int64),
        np.empty(n_sets, dtype=np.int32),
        np.empty(n_sets, dtype=np.int32),
    )


@inlined
def _excess(tables: PrefixCosts, f: FloatArray, t: Any, item: Any) -> Any:
    """``f(S) + cost(S, i) - f(S + i)`` for ``S + i = t``; infinite if it is not allowed."""
    s = t ^ (1 << item)
    return f[np.uint64(s)] + transition_cost(tables, s, item) - f[np.uint64(t)]


@compiled_part
def _list_tied(tables: PrefixCosts, f: FloatArray, tolerance: Any, paths: _Paths) -> Any:
    """List the sets on tied paths from the full set down, with their slack and paths after them.

    Returns their number. Sets are listed by size, so that the slack and the paths of a set are
    final when it is read.
    """
    slack, after, tied, last = paths.slack, paths.after, paths.tied, paths.last
    size = tables.high.shape[0]
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
                total = slack[t] + _excess(tables, f, t, item)
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


@inlined
def _count_paths_up(size: Any, paths: _Paths, count: Any) -> None:
    """Count the paths up to each listed set."""
    up_to, tied, last = paths.up_to, paths.tied, paths.last
    up_to[0] = 1
    for at in range(count - 2, -1, -1):
        t = tied[at]
        total = 0
        for item in range(size):
            if last[at] >> item & 1:
                total += up_to[t ^ (1 << item)]
        up_to[t] = total


@inlined
def _position(t: Any, size: Any) -> Any:
    """The position of the last item of the prefix t."""
    position = -1
    for j in range(size):
        position += t >> j & 1
    return position


@inlined
def _sum_pairs(n_low: Any, sums: AnyArray, high_sums: AnyArray, pairs: AnyArray) -> None:
    """Count the orders in which j stands before i, by summing over the sets that contain j.

    The sums are cleared.
    """
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


@compiled_part
def _count_places_and_pairs(
    tables: PrefixCosts,
    paths: _Paths,
    count: Any,
    places: AnyArray,
    pairs: AnyArray,
    sums: AnyArray,
    high_sums: AnyArray,
) -> None:
    """Count the orders in which i has each position, and those in which i stands before j.

    A transition by i puts i before all items that are not in the set yet. If there are many
    transitions, their counts are first summed by the low and by the high half of the set from which
    they start.
    """
    after, up_to, tied, last = paths.after, paths.up_to, paths.tied, paths.last
    size, m, n_low = tables.high.shape[0], places.shape[0], tables.n_low
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


@compiled_part
def _sum_charges(
    size: Any,
    paths: _Paths,
    count: Any,
    weights: FloatArray,
    later: AnyArray,
    charges: FloatArray,
) -> None:
    """The mean over the paths of the weight of the position of i, or of 0 if j stands earlier.

    ``later[i, k, j]`` counts the paths with i at position k and j later; it is zero before and
    after the call. Counts are divided before they are weighted, so that a share of all paths is
    exactly 1.
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


@compiled
def _count_rows(
    costs: FloatArray,
    before: BoolArray,
    windows: Any,
    positions: Any,
    weights: Any,
    tolerance: FloatArray,
    tables: PrefixCosts,
    f: FloatArray,
    reached: AnyArray,
    paths: _Paths,
    sums: AnyArray,
    high_sums: AnyArray,
    later: AnyArray,
    ranks: AnyArray,
    counts: AnyArray,
    pairs: AnyArray,
    places: AnyArray,
    charges: FloatArray,
) -> None:
    """Write the results of `tied_orders`; `windows`, `positions` and `weights` may be None."""
    size = tables.high.shape[0]
    for r in range(costs.shape[0]):
        forced = before[min(r, before.shape[0] - 1)]
        n_reached = solve_prefixes(
            costs[r], forced, windows, r, positions, weights, tables, f, reached
        )
        read_order(tables, f, ranks[r])
        n_tied = _list_tied(tables, f, tolerance[r], paths)
        _count_paths_up(size, paths, n_tied)
        _count_places_and_pairs(tables, paths, n_tied, places[r], pairs[r], sums, high_sums)
        counts[r] = paths.after[0]
        if weights is not None:
            _sum_charges(size, paths, n_tied, weights, later, charges[r])
        for at in range(n_tied):
            paths.slack[paths.tied[at]] = np.inf
        clear_prefixes(f, reached, n_reached)


def tied_orders(
    costs: FloatArray,
    before: BoolArray,
    windows: AnyArray,
    positions: bool,
    weights: FloatArray | None,
    tolerance: FloatArray,
) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray, FloatArray]:
    """Count the optimal orders of each problem, and among them each pair and each position.

    Parameters
    ----------
    costs, before, windows, positions
        As for `cheapest_orders`, with ``m <= 20``; no windows with weights.
    weights : float64, (m,), or None
        Finite: i before j costs ``weights[position of i] costs[r, i, j]``. Must be None with
        `positions`.
    tolerance : float64, (b,)

    Returns
    -------
    ranks : int64, (b, m)
        One optimal order: without weights the one that `cheapest_orders` returns.
    counts : int64, (b,)
    pairs, places : int64, (b, m, m)
        The number of optimal orders in which i stands before j, and in which i has position k.
    charges : float64, (b, m, m), or (0, m, m) without weights
        The mean of ``weights[position of i]`` over the orders with i before j, and of 0 over the
        others.
    """
    b, m = costs.shape[:2]
    within, is_weighted = given_windows(windows), weights is not None
    tables = empty_costs(m, positions or within is not None, is_weighted)
    f, reached = empty_prefixes(tables)
    sums = np.zeros((m, tables.low.shape[2]), dtype=np.int64)
    high_sums = np.zeros((m, tables.high.shape[1]), dtype=np.int64)
    later = np.zeros((m, m, m) if is_weighted else (0, 0, 0), dtype=np.int64)
    ranks, counts = np.zeros((b, m), dtype=np.int64), np.zeros(b, dtype=np.int64)
    pairs, places = np.zeros((b, m, m), dtype=np.int64), np.zeros((b, m, m), dtype=np.int64)
    charges = np.zeros((b if is_weighted else 0, m, m))
    _count_rows(
        costs,
        before,
        within,
        positions or None,
        weights,
        tolerance,
        tables,
        f,
        reached,
        _empty_paths(f.size),
        sums,
        high_sums,
        later,
        ranks,
        counts,
        pairs,
        places,
        charges,
    )
    return ranks, counts, pairs, places, charges


@compiled_part
def _draw(
    tables: PrefixCosts,
    f: FloatArray,
    paths: _Paths,
    uniforms: FloatArray,
    ranks: AnyArray,
) -> None:
    """Draw one path from its end: each item by its share of the paths up to the set."""
    size, m = tables.high.shape[0], ranks.shape[0]
    t = (1 << size) - 1
    for position in range(size - 1, -1, -1):
        left = paths.up_to[t] * uniforms[min(position, m - 1)]
        last = -1
        for item in range(size):
            # Rounding may leave `left` positive after the last item: then that item is drawn.
            if t >> item & 1 and (last < 0 or left >= 0.0) and _excess(tables, f, t, item) == 0.0:
                last = item
                left -= paths.up_to[t ^ (1 << item)]
        t ^= 1 << last
        if last < m:
            ranks[last] = position


@compiled
def _draw_rows(
    free: FloatArray,
    before: BoolArray,
    windows: Any,
    uniforms: FloatArray,
    tables: PrefixCosts,
    f: FloatArray,
    reached: AnyArray,
    paths: _Paths,
    ranks: AnyArray,
) -> None:
    """Write the results of `drawn_orders`; `free` are costs of 0, `windows` may be None."""
    for r in range(before.shape[0]):
        n_reached = solve_prefixes(free, before[r], windows, r, None, None, tables, f, reached)
        n_tied = _list_tied(tables, f, 0.0, paths)
        _count_paths_up(tables.high.shape[0], paths, n_tied)
        for draw in range(uniforms.shape[1]):
            _draw(tables, f, paths, uniforms[r, draw], ranks[r, draw])
        for at in range(n_tied):
            paths.slack[paths.tied[at]] = np.inf
        clear_prefixes(f, reached, n_reached)


def drawn_orders(before: BoolArray, windows: AnyArray, uniforms: FloatArray) -> AnyArray:
    """Draw orders that respect the partial order and the windows, all equally likely.

    Parameters
    ----------
    before : bool, (b, m, m), m <= 20
        Acyclic.
    windows : int64, (b, m, 2), or (1, 0, 2) for none
        As for `cheapest_orders`.
    uniforms : float64, (b, d, m)
        Numbers in [0, 1), one for each position.

    Returns
    -------
    ranks : int64, (b, d, m)
    """
    m = uniforms.shape[2]
    within = given_windows(windows)
    tables = empty_costs(m, within is not None, False)
    f, reached = empty_prefixes(tables)
    ranks = np.zeros(uniforms.shape, dtype=np.int64)
    paths, free = _empty_paths(f.size), np.zeros((m, m), dtype=np.float64)
    _draw_rows(free, before, within, uniforms, tables, f, reached, paths, ranks)
    return ranks
