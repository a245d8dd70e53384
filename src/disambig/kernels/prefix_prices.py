"""What it costs to put item i right after a set of items, from two half tables.

A set of items is an integer, bit j = item j. Its low bits (``l`` of them) and its high bits are
looked up apart:

    price(S, i) = low[layer(S), i, S_low] + high[i, S_high]

so that a transition of the programme over prefixes costs two loads, and the tables have
``2 ** (m / 2)`` columns, not ``2 ** m``. A price is infinite where an item that must stand before
i is missing from S.
"""

from typing import Any

import numpy as np

from disambig.kernels.jit import kernel
from disambig.notation import AnyArray, BoolArray, FloatArray

__all__ = ["fill_pair_prices", "fill_position_prices", "popcounts", "split_bits"]


@kernel
def split_bits(m: Any) -> Any:
    """Items that are programmed (at least 3), and how many of them are low bits.

    The half with the longer rows is walked along them, eight sets at a time.
    """
    size = max(m, 3)
    return size, max(3, size // 2 + 1)


@kernel
def popcounts(n_bits: Any) -> AnyArray:
    """How many bits are set in 0, 1, ..., ``2 ** n_bits - 1``."""
    counts = np.zeros(1 << n_bits, dtype=np.int64)
    for bit in range(n_bits):
        half = 1 << bit
        for x in range(half):
            counts[half + x] = counts[x] + 1
    return counts


@kernel
def _forbid(before: BoolArray, n_low: Any, low: FloatArray, high: FloatArray) -> None:
    """Make infinite the price of an item whose predecessors are not all there.

    Items beyond those of `before` stand last, by number.
    """
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
                    price = low[layer, i, x]
                    low[layer, i, x] = price if x & low_mask == low_mask else np.inf
        if high_mask:
            for x in range(high.shape[1]):
                price = high[i, x]
                high[i, x] = price if x & high_mask == high_mask else np.inf


@kernel
def fill_pair_prices(
    costs: FloatArray, before: BoolArray, constrained: Any, low: FloatArray, high: FloatArray
) -> None:
    """``price(S, i) = sum_{j in S} costs[j, i]``.

    Preconditions: `costs` and `before` ``(m, m)``, `constrained` = has `before` a True; `low`
    ``(1, M, 2 ** l)`` and `high` ``(M, 2 ** (M - l))`` with ``M >= m``.
    """
    m = costs.shape[0]
    size, columns = low.shape[1], low.shape[2]
    n_low = 0
    while 1 << n_low < columns:
        n_low += 1
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
        _forbid(before, n_low, low, high)


@kernel
def fill_position_prices(
    costs: FloatArray, before: BoolArray, constrained: Any, low: FloatArray, high: FloatArray
) -> None:
    """``price(S, i) = costs[i, |S|]``: the layer of S is the number of its high bits.

    Preconditions: as for pairs, but `low` has ``M - l + 1`` layers.
    """
    m = costs.shape[0]
    layers, size, columns = low.shape
    n_low = 0
    while 1 << n_low < columns:
        n_low += 1
    counts = popcounts(n_low)
    high[:] = 0.0
    for layer in range(layers):
        for i in range(size):
            for x in range(columns):
                position = layer + counts[x]
                low[layer, i, x] = costs[i, position] if i < m and position < m else 0.0
    if constrained or size > m:
        _forbid(before, n_low, low, high)
