"""Transition costs of the prefix lattice: the cost of item i right after a set S of items.

A set of items is an integer, bit j = item j. Its low bits (``n_low`` of them) and its high bits are
looked up in different tables:

    cost(S, i) = low[layer(S_high), i, S_low] + high[i, S_high]

So a transition of the dynamic program over prefixes takes two loads, and the tables have about
``2 ** (m / 2)`` columns instead of ``2 ** m``. A cost is infinite if an item that must stand before
i is missing from S, or if the size of S, which is the place of i, is outside the window of i.

Weights of positions multiply the sum of both halves by a number that depends on both. Then every
high half has its own layer, ``m 2 ** m`` costs in all (160 MiB for 20 items).
"""

from typing import Any, NamedTuple

import numpy as np

from disambig.compiled.jit import compiled_part, inlined
from disambig.notation import AnyArray, BoolArray, FloatArray


class PrefixCosts(NamedTuple):
    """The tables of transition costs of M items, ``n_low + n_high = M``.

    Attributes
    ----------
    low : float array (L, M, 2 ** n_low)
    high : float array (M, 2 ** n_high)
    layers : int array (2 ** n_high,)
        ``layers[S_high]`` is the layer of `low` that belongs to the high half of a set.
    bit_counts : int array (2 ** n_low,), or None
        The number of set bits of 0, 1, 2, ...; None if costs do not depend on the place.
    n_low : int
    """

    low: Any
    high: Any
    layers: Any
    bit_counts: Any
    n_low: Any


def _bit_counts(n_bits: int) -> AnyArray:
    """The number of set bits of 0, 1, ..., ``2 ** n_bits - 1``."""
    counts = np.zeros(1 << n_bits, dtype=np.int64)
    for bit in range(n_bits):
        half = 1 << bit
        counts[half : 2 * half] = counts[:half] + 1
    return counts


def empty_costs(m: int, positions: bool, weighted: bool) -> PrefixCosts:
    """Tables for m items, not yet filled.

    Not compiled, like all that allocates memory for the lattice: it runs once for a batch, and
    compiled functions that allocate nothing take half the time to compile.

    Fewer than three items are padded to three; the added items stand last. If costs depend on
    positions, or items have windows (`positions` is True for both), the layer of a set is the
    number of its high bits. Costs of pairs need one layer.
    Weighted pairs need one layer for each high half, and one as scratch.
    """
    size = max(m, 3)
    n_low = max(3, size // 2 + 1)
    n_high = size - n_low
    bit_counts = _bit_counts(n_low)
    layers, n_layers = np.zeros(1 << n_high, dtype=np.int64), 1
    if positions:
        layers, n_layers = bit_counts[: 1 << n_high].copy(), n_high + 1
    if weighted:
        layers, n_layers = np.arange(1 << n_high, dtype=np.int64), (1 << n_high) + 1
    low = np.empty((n_layers, size, 1 << n_low), dtype=np.float64)
    high = np.empty((size, 1 << n_high), dtype=np.float64)
    return PrefixCosts(low, high, layers, bit_counts if positions or weighted else None, n_low)


@inlined
def transition_cost(tables: PrefixCosts, s: Any, item: Any) -> Any:
    """The cost of `item` right after the set s.

    Indices are unsigned, so that the compiler need not handle negative ones.
    """
    block = np.uint64(s >> tables.n_low)
    x = np.uint64(s & ((1 << tables.n_low) - 1))
    i = np.uint64(item)
    return tables.low[np.uint64(tables.layers[block]), i, x] + tables.high[i, block]


@inlined
def _forbid(before: BoolArray, tables: PrefixCosts) -> None:
    """Make the cost of an item infinite where a predecessor is missing from the set.

    Items that pad to three are preceded by all items of smaller index.
    """
    low, high, n_low = tables.low, tables.high, tables.n_low
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
                    cost = low[layer, i, x]
                    low[layer, i, x] = cost if x & low_mask == low_mask else np.inf
        if high_mask:
            for x in range(high.shape[1]):
                cost = high[i, x]
                high[i, x] = cost if x & high_mask == high_mask else np.inf


@compiled_part
def forbid_places(windows: AnyArray, r: Any, positions: Any, tables: PrefixCosts) -> None:
    """Make the cost of an item infinite where the size of the set is outside its window.

    Preconditions: ``windows[r]``, ``(m, 2)``, hold the first and the last place of each item; a
    layer of `tables` is the number of high bits. Costs of positions fill all layers; costs of pairs
    (`positions` is None) only the first one, which is copied from the last layer to the first.
    """
    low, counts = tables.low, tables.bit_counts
    for layer in range(low.shape[0] - 1, -1, -1):
        source = layer if positions is not None else 0
        for i in range(low.shape[1]):
            for x in range(low.shape[2]):
                place = layer + counts[x]
                inside = i >= windows.shape[1] or windows[r, i, 0] <= place <= windows[r, i, 1]
                low[layer, i, x] = low[source, i, x] if inside else np.inf


@compiled_part
def fill_pair_costs(
    costs: FloatArray, before: BoolArray, constrained: Any, tables: PrefixCosts
) -> None:
    """Fill in ``cost(S, i) = sum_{j in S} costs[j, i]``.

    Preconditions: `costs` and `before` are ``(m, m)``; `constrained` says whether `before` has a
    True; `tables` are for m items.
    """
    low, high, n_low = tables.low, tables.high, tables.n_low
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
        _forbid(before, tables)


@compiled_part
def _sum_missing(costs: FloatArray, low: FloatArray, high: FloatArray, n_low: Any) -> None:
    """Fill in ``low[i, S_low] + high[i, S_high] = sum_{j not in S + i} costs[i, j]``.

    From the full halves down, adding what is missing, so that the last item costs exactly 0.
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


@compiled_part
def fill_weighted_costs(
    costs: FloatArray,
    before: BoolArray,
    constrained: Any,
    weights: FloatArray,
    tables: PrefixCosts,
) -> None:
    """Fill in ``cost(S, i) = weights[|S|] sum_{j not in S + i} costs[i, j]``.

    A pair is paid when its earlier item is placed. Preconditions as for `fill_pair_costs`;
    `weights` are ``(m,)``; `tables` are for weighted pairs.
    """
    low, high, n_low = tables.low, tables.high, tables.n_low
    m, size = costs.shape[0], low.shape[1]
    missing = low[low.shape[0] - 1]
    _sum_missing(costs, missing, high, n_low)
    counts = tables.bit_counts
    scale = np.empty(1 << n_low, dtype=np.float64)
    for block in range(high.shape[1]):
        for x in range(scale.size):
            position = counts[block] + counts[x]
            scale[x] = weights[position] if position < m else 0.0
        for i in range(size):
            # An item of the high half is never added to a set that contains it.
            if i < n_low or not block >> (i - n_low) & 1:
                for x in range(scale.size):
                    low[block, i, x] = scale[x] * (missing[i, x] + high[i, block])
    high[:] = 0.0
    if constrained or size > m:
        _forbid(before, tables)


@compiled_part
def fill_position_costs(
    costs: FloatArray, before: BoolArray, constrained: Any, tables: PrefixCosts
) -> None:
    """Fill in ``cost(S, i) = costs[i, |S|]``.

    Preconditions as for `fill_pair_costs`; `tables` are for positions.
    """
    low = tables.low
    m, size = costs.shape[0], low.shape[1]
    counts = tables.bit_counts
    tables.high[:] = 0.0
    for layer in range(low.shape[0]):
        for i in range(size):
            for x in range(low.shape[2]):
                position = layer + counts[x]
                low[layer, i, x] = costs[i, position] if i < m and position < m else 0.0
    if constrained or size > m:
        _forbid(before, tables)
