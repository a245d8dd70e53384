"""Gibbs distributions of orders, ``exp(-cost / scale)``: normalisation and mean signs.

Orders are paths through the prefix lattice. With ``f(S)`` the least cost of a prefix, a transition
that completes the set T by item i has the excess ``f(T - i) + cost(T - i, i) - f(T) >= 0``. The
excesses of a path sum to its cost minus the least cost of all orders. So with

    F(T) = sum over i in T of F(T - i) exp(-excess(T, i) / scale)

``F(all)`` is the sum over orders of ``exp(-(cost - least) / scale)``. All F are in ``[1, m!]``:
nothing overflows, and terms that underflow are negligible beside 1.
"""

from typing import Any

import numpy as np

from disambig.compiled.jit import compiled, compiled_part, inlined
from disambig.compiled.lattice import (
    clear_prefixes,
    empty_prefixes,
    given_windows,
    solve_prefixes,
)
from disambig.compiled.lattice_costs import PrefixCosts, empty_costs, transition_cost
from disambig.notation import AnyArray, BoolArray, FloatArray

# Transitions with a larger excess, in units of the scale, are left out: exp(-90) * 20! is below the
# rounding error of 1.
_MAX_EXCESS = 90.0
# Sets that are a prefix of a smaller share of the orders are left out: 2 ** 20 such shares together
# are below the rounding error of 1.
_MIN_SHARE = 1e-25


@inlined
def _weight(tables: PrefixCosts, f: FloatArray, scale: Any, t: Any, item: Any) -> Any:
    """``exp(-excess / scale)`` of the transition that completes the set t by `item`.

    0 if the transition is not allowed, that is if its excess is infinite.
    """
    s = t ^ (1 << item)
    excess = (f[np.uint64(s)] + transition_cost(tables, s, item) - f[np.uint64(t)]) / scale
    if excess < _MAX_EXCESS:
        return np.exp(-excess)
    return 0.0


@compiled_part
def _sum_prefixes(
    tables: PrefixCosts, f: FloatArray, scale: Any, reached: AnyArray, count: Any, up: FloatArray
) -> None:
    """Fill ``up[T] = F(T)`` for every set T of finite f, from the list or among all sets."""
    size = tables.high.shape[0]
    up[0] = 1.0
    for at in range(1, count if count > 0 else f.size):
        t = np.int64(reached[at]) if count > 0 else np.int64(at)
        total = 0.0
        if f[t] < np.inf:
            for item in range(size):
                if t >> item & 1 and f[t ^ (1 << item)] < np.inf:
                    weight = _weight(tables, f, scale, t, item)
                    if weight > 0.0:
                        total += up[t ^ (1 << item)] * weight
        up[t] = total


@compiled_part
def _sum_transitions(
    tables: PrefixCosts,
    f: FloatArray,
    scale: Any,
    reached: AnyArray,
    count: Any,
    up: FloatArray,
    down: FloatArray,
    low_sums: FloatArray,
    high_sums: FloatArray,
) -> None:
    """Sum the shares of orders that put item i right after a set, by the halves of the set.

    ``down[T]`` is the sum over the orders of the items missing from T, as F(T) is over those of T,
    divided by ``F(all)``. It is zero before and after the call.
    """
    size, m, n_low = tables.high.shape[0], low_sums.shape[0], tables.n_low
    n_sets = count if count > 0 else f.size
    full = (1 << size) - 1
    down[full] = 1.0 / up[full]
    for at in range(n_sets - 1, 0, -1):
        t = np.int64(reached[at]) if count > 0 else np.int64(at)
        after = down[t]
        down[t] = 0.0
        if f[t] == np.inf or up[t] * after < _MIN_SHARE:
            continue
        for item in range(size):
            s = t ^ (1 << item)
            if t >> item & 1 and f[s] < np.inf:
                weight = _weight(tables, f, scale, t, item) * after
                if weight > 0.0:
                    down[s] += weight
                    if item < m:
                        low_sums[item, s & ((1 << n_low) - 1)] += up[s] * weight
                        high_sums[item, s >> n_low] += up[s] * weight
    down[0] = 0.0


@compiled_part
def _read_shares(
    n_low: Any, low_sums: FloatArray, high_sums: FloatArray, shares: FloatArray
) -> None:
    """Fill in the share of the orders in which j stands before i, ``shares[j, i]``.

    The sums are cleared.
    """
    m = shares.shape[0]
    for i in range(m):
        for j in range(m):
            shares[j, i] = 0.0
        for x in range(low_sums.shape[1]):
            if low_sums[i, x] > 0.0:
                for j in range(min(n_low, m)):
                    if x >> j & 1:
                        shares[j, i] += low_sums[i, x]
                low_sums[i, x] = 0.0
        for x in range(high_sums.shape[1]):
            if high_sums[i, x] > 0.0:
                for j in range(n_low, m):
                    if x >> (j - n_low) & 1:
                        shares[j, i] += high_sums[i, x]
                high_sums[i, x] = 0.0


@inlined
def _write_signs(shares: FloatArray, before: BoolArray, signs: FloatArray) -> None:
    """Write the mean signs of the pairs i < j: exactly 1 or -1 where a pair is forced."""
    m = shares.shape[0]
    at = 0
    for i in range(m):
        for j in range(i + 1, m):
            if before[i, j]:
                signs[at] = 1.0
            elif before[j, i]:
                signs[at] = -1.0
            else:
                total = shares[i, j] + shares[j, i]
                signs[at] = (shares[i, j] - shares[j, i]) / total
            at += 1


@compiled
def _sum_rows(
    scores: FloatArray,
    scales: FloatArray,
    before: BoolArray,
    windows: Any,
    tables: PrefixCosts,
    f: FloatArray,
    reached: AnyArray,
    sets: FloatArray,
    low_sums: FloatArray,
    high_sums: FloatArray,
    costs: FloatArray,
    shares: FloatArray,
    signs: FloatArray,
    log_sums: FloatArray,
) -> None:
    """Write the results of `gibbs_signs`; `windows` may be None, the rest is scratch."""
    m = costs.shape[0]
    up, down = sets[0], sets[1]
    for r in range(scores.shape[0]):
        forced = before[min(r, before.shape[0] - 1)]
        at = 0
        for i in range(m):
            for j in range(i + 1, m):
                costs[i, j], costs[j, i] = scores[r, at], -scores[r, at]
                at += 1
        count = solve_prefixes(costs, forced, windows, r, None, None, tables, f, reached)
        _sum_prefixes(tables, f, scales[r], reached, count, up)
        log_sums[r] = np.log(up[f.size - 1]) - f[f.size - 1] / scales[r]
        _sum_transitions(tables, f, scales[r], reached, count, up, down, low_sums, high_sums)
        _read_shares(tables.n_low, low_sums, high_sums, shares)
        _write_signs(shares, forced, signs[r])
        clear_prefixes(f, reached, count)


def gibbs_signs(
    scores: FloatArray, scales: FloatArray, before: BoolArray, windows: AnyArray
) -> tuple[FloatArray, FloatArray]:
    """Mean signs of orders under the distribution proportional to ``exp(-cost / scale)``.

    Parameters
    ----------
    scores : float64, (b, at least m (m - 1) / 2)
        An order costs ``sum over i < j of scores[r, pair] sign``, the sign 1 if i stands before j,
        else -1; pairs by i, then by j. Finite. Further columns are ignored.
    scales : float64, (b,), positive
    before : bool, (b, m, m) or (1, m, m), m <= 20
        ``before[r, i, j]``: i must stand before j. Acyclic.
    windows : int64, (b, m, 2), or (1, 0, 2) for none
        As for `cheapest_orders`. Pairs that follow from them are in `before`.

    Returns
    -------
    signs : float64, (b, m (m - 1) / 2)
    log_sums : float64, (b,)
        ``log of the sum over orders of exp(-cost / scale)``.
    """
    b, m = len(scores), before.shape[1]
    within = given_windows(windows)
    tables = empty_costs(m, within is not None, False)
    f, reached = empty_prefixes(tables)
    signs, log_sums = np.empty((b, m * (m - 1) // 2)), np.empty(b)
    _sum_rows(
        scores,
        scales,
        before,
        within,
        tables,
        f,
        reached,
        np.zeros((2, f.size)),
        np.zeros((m, tables.low.shape[2])),
        np.zeros((m, tables.high.shape[1])),
        np.zeros((m, m)),
        np.zeros((m, m)),
        signs,
        log_sums,
    )
    return signs, log_sums
