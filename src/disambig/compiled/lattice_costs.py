"""What it costs to put item i right after a set of items, from two half tables.

A set of items is an integer, bit j = item j. Its low bits (``n_low`` of them) and its high bits are
looked up apart:

    price(S, i) = low[layer(S_high), i, S_low] + high[i, S_high]

so that a transition of the programme over prefixes costs two loads, and the tables have some
``2 ** (m / 2)`` columns, not ``2 ** m``. A price is infinite where an item that must stand before
i is missing from S.

Weights of positions multiply the sum of both halves by a number that depends on both: then every
high half has a layer of its own, ``m 2 ** m`` prices in all (160 MiB for 20 items).
"""

from typing import Any, NamedTuple

import numpy as np

from disambig.compiled.jit import kernel
from disambig.notation import AnyArray, BoolArray, FloatArray


class PrefixCosts(NamedTuple):
    """The tables: low (layers, M, 2 ** n_low), high (M, 2 ** n_high), layers (2 ** n_high,)."""

    low: Any
    high: Any
    layers: Any
    n_low: Any


@kernel
def _popcounts(n_bits: Any) -> AnyArray:
    """How many bits are set in 0, 1, ..., ``2 ** n_bits - 1``."""
    counts = np.zeros(1 << n_bits, dtype=np.int64)
    for bit in range(n_bits):
        half = 1 << bit
        for x in range(half):
            counts[half + x] = counts[x] + 1
    return counts


@kernel
def empty_costs(m: Any, positions: Any, weighted: Any) -> PrefixCosts:
    """Room for the prices of m items.

    There are at least three of them: what m lacks is added and stands last. The layer of a set is
    the number of its high bits if prices depend on positions; prices of pairs need only one, and
    weighted pairs one for each high half, and one to write in.
    """
    size = max(m, 3)
    n_low = max(3, size // 2 + 1)
    n_high = size - n_low
    layers = _popcounts(n_high) if positions else np.zeros(1 << n_high, dtype=np.int64)
    n_layers = n_high + 1 if positions else 1
    if weighted:
        layers = np.arange(1 << n_high)
        n_layers = (1 << n_high) + 1
    low = np.empty((n_layers, size, 1 << n_low), dtype=np.float64)
    high = np.empty((size, 1 << n_high), dtype=np.float64)
    return PrefixCosts(low, high, layers, n_low)


@kernel
def price(prices: PrefixCosts, s: Any, item: Any) -> Any:
    """What `item` costs right after the set s. Unsigned, since a negative index means no set."""
    block = np.uint64(s >> prices.n_low)
    x = np.uint64(s & ((1 << prices.n_low) - 1))
    i = np.uint64(item)
    return prices.low[np.uint64(prices.layers[block]), i, x] + prices.high[i, block]


@kernel
def _forbid(before: BoolArray, prices: PrefixCosts) -> None:
    """Make infinite the price of an item whose predecessors are not all there.

    Items beyond those of `before` stand last, by number.
    """
    low, high, n_low = prices.low, prices.high, prices.n_low
    m = before.shape[0]
    for i in range(low.shape[1]):
        low_mask = 0
        high_mask = 0
        for j in range(low.shape[1]):
            if (i >= m and j < i) or (i < m and j < m and before[j, i]):
                if j < n_low:
                    low_mask |= 1 << j
                else:
                    high_mask |= 1 << (j - n_low)
        if low_mask:
            for layer in range(low.shape[0]):
                for x in range(low.shape[2]):
                    held = low[layer, i, x]
                    low[layer, i, x] = held if x & low_mask == low_mask else np.inf
        if high_mask:
            for x in range(high.shape[1]):
                held = high[i, x]
                high[i, x] = held if x & high_mask == high_mask else np.inf


@kernel
def fill_pair_costs(
    costs: FloatArray, before: BoolArray, constrained: Any, prices: PrefixCosts
) -> None:
    """``price(S, i) = sum_{j in S} costs[j, i]``.

    Preconditions: `costs` and `before` ``(m, m)``; `constrained` = has `before` a True; room for m
    items.
    """
    low, high, n_low = prices.low, prices.high, prices.n_low
    m, size = costs.shape[0], low.shape[1]
    for i in range(size):
        low[0, i, 0] = 0.0
        high[i, 0] = 0.0
        for j in range(size):
            paid = 0.0
            if j < m and i < m and i != j:
                paid = costs[j, i]
            if j < n_low:
                half = 1 << j
                for x in range(half):
                    low[0, i, half + x] = low[0, i, x] + paid
            else:
                half = 1 << (j - n_low)
                for x in range(half):
                    high[i, half + x] = high[i, x] + paid
    if constrained or size > m:
        _forbid(before, prices)


@kernel
def _sum_missing(costs: FloatArray, low: FloatArray, high: FloatArray, n_low: Any) -> None:
    """``low[i, S_low] + high[i, S_high] = sum_{j not in S + i} costs[i, j]``.

    From the full halves down, by what is missing: what the last item costs is exactly 0.
    """
    m, size = costs.shape[0], low.shape[0]
    all_low, all_high = low.shape[1] - 1, high.shape[1] - 1
    for i in range(size):
        low[i, all_low] = 0.0
        high[i, all_high] = 0.0
        for j in range(size):
            paid = 0.0
            if j < m and i < m and i != j:
                paid = costs[i, j]
            if j < n_low:
                half = 1 << j
                for x in range(half):
                    low[i, all_low - half - x] = low[i, all_low - x] + paid
            else:
                half = 1 << (j - n_low)
                for x in range(half):
                    high[i, all_high - half - x] = high[i, all_high - x] + paid


@kernel
def fill_weighted_costs(
    costs: FloatArray,
    before: BoolArray,
    constrained: Any,
    weights: FloatArray,
    prices: PrefixCosts,
) -> None:
    """``price(S, i) = weights[|S|] sum_{j not in S + i} costs[i, j]``: the earlier item is charged.

    Preconditions as for pairs; `weights` ``(m,)``; room for weighted pairs.
    """
    low, high, n_low = prices.low, prices.high, prices.n_low
    m, size = costs.shape[0], low.shape[1]
    missing = low[low.shape[0] - 1]
    _sum_missing(costs, missing, high, n_low)
    counts = _popcounts(n_low)
    scale = np.empty(1 << n_low, dtype=np.float64)
    for block in range(high.shape[1]):
        for x in range(scale.size):
            position = counts[block] + counts[x]
            scale[x] = weights[position] if position < m else 0.0
        for i in range(size):
            # An item of the high half is never added to a set that has it.
            if i < n_low or not block >> (i - n_low) & 1:
                for x in range(scale.size):
                    low[block, i, x] = scale[x] * (missing[i, x] + high[i, block])
    high[:] = 0.0
    if constrained or size > m:
        _forbid(before, prices)


@kernel
def fill_position_costs(
    costs: FloatArray, before: BoolArray, constrained: Any, prices: PrefixCosts
) -> None:
    """``price(S, i) = costs[i, |S|]``. Preconditions as for pairs; room for positions."""
    low = prices.low
    m, size = costs.shape[0], low.shape[1]
    counts = _popcounts(prices.n_low)
    prices.high[:] = 0.0
    for layer in range(low.shape[0]):
        for i in range(size):
            for x in range(low.shape[2]):
                position = layer + counts[x]
                low[layer, i, x] = costs[i, position] if i < m and position < m else 0.0
    if constrained or size > m:
        _forbid(before, prices)
