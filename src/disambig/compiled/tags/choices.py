"""The cheapest choices of tags, as shortest paths with a number of tags as their length.

Tags are decided block by block. A block has several options. An option costs something, turns on
some tags, and names the next block, so that it can skip the blocks that it decides along the way.
"""

from typing import Any

import numpy as np

from disambig.compiled.jit import compiled, compiled_part
from disambig.notation import AnyArray, FloatArray, IntArray


@compiled_part
def _log_sum(a: Any, b: Any) -> Any:
    if a < b:
        a, b = b, a
    return a if b == -np.inf else a + np.log1p(np.exp(b - a))


@compiled_part
def _fill(
    costs: FloatArray,
    starts: IntArray,
    following: IntArray,
    sizes: IntArray,
    tolerance: Any,
    least: FloatArray,
    logs: FloatArray,
) -> None:
    """Least costs ``[block, tags]`` of the remaining blocks, and the logarithms of their number."""
    n_blocks, m = least.shape[0] - 1, least.shape[1] - 1
    for count in range(m + 1):
        least[n_blocks, count] = np.inf
        logs[n_blocks, count] = -np.inf
    least[n_blocks, 0] = 0.0
    logs[n_blocks, 0] = 0.0
    for step in range(n_blocks):
        block = n_blocks - 1 - step
        for count in range(m + 1):
            lowest = np.inf
            for k in range(starts[block], starts[block + 1]):
                if sizes[k] <= count:
                    cost = costs[k] + least[following[k], count - sizes[k]]
                    lowest = min(lowest, cost)
            ways = -np.inf
            if lowest < np.inf:
                for k in range(starts[block], starts[block + 1]):
                    if sizes[k] <= count:
                        cost = costs[k] + least[following[k], count - sizes[k]]
                        if cost <= lowest + tolerance:
                            ways = _log_sum(ways, logs[following[k], count - sizes[k]])
            least[block, count] = lowest
            logs[block, count] = ways


@compiled_part
def _trace(
    costs: FloatArray,
    starts: IntArray,
    following: IntArray,
    sizes: IntArray,
    tolerance: Any,
    least: FloatArray,
    count: int,
    is_last: bool,
    chosen: AnyArray,
) -> None:
    """Mark the options of one cheapest path: of ties the first option, or the last."""
    block = 0
    while block < least.shape[0] - 1:
        best = -1
        for k in range(starts[block], starts[block + 1]):
            if sizes[k] <= count:
                cost = costs[k] + least[following[k], count - sizes[k]]
                if cost <= least[block, count] + tolerance and (best < 0 or is_last):
                    best = k
        chosen[best] = 1
        count -= sizes[best]
        block = following[best]


@compiled_part
def _spread(
    costs: FloatArray,
    starts: IntArray,
    following: IntArray,
    sizes: IntArray,
    tolerance: Any,
    least: FloatArray,
    logs: FloatArray,
    reach: FloatArray,
    shares: FloatArray,
) -> None:
    """The share of the cheapest paths that has each option; `reach` begins with block 0."""
    n_blocks, m = least.shape[0] - 1, least.shape[1] - 1
    for block in range(n_blocks):
        for count in range(m + 1):
            if reach[block, count] > 0.0:
                for k in range(starts[block], starts[block + 1]):
                    if sizes[k] <= count:
                        left = count - sizes[k]
                        cost = costs[k] + least[following[k], left]
                        if cost <= least[block, count] + tolerance:
                            share = np.exp(logs[following[k], left] - logs[block, count])
                            share *= reach[block, count]
                            shares[k] += share
                            reach[following[k], left] += share


@compiled
def choose_tags(
    costs: FloatArray,
    starts: IntArray,
    following: IntArray,
    sizes: IntArray,
    counts: IntArray,
    tolerance: FloatArray,
    m: int,
    first: AnyArray,
    last: AnyArray,
    shares: FloatArray,
    log_numbers: FloatArray,
) -> FloatArray:
    """The cheapest options of each row, with ties; returns the least costs ``(n,)``.

    Parameters
    ----------
    costs : float array (n, K)
        Of the options; infinite for what a row does not allow.
    starts : int array (B + 1,)
        Block b has the options from ``starts[b]`` to ``starts[b + 1]``.
    following : int array (K,)
        The block that comes after each option; B is the end.
    sizes : int array (K,)
        How many tags each option turns on.
    counts : int array (n, 2)
        The least and the most tags of each row.
    tolerance : float array (n,)
        Paths tie if no step of them is worse by more.
    m : int
        The largest number of tags.
    first, last : int8 array (n, K)
        Filled with the options of two of the cheapest paths; zeros in rows that allow none.
    shares : float array (n, K)
        Filled with the share of the cheapest paths that has each option.
    log_numbers : float array (n,)
        Filled with the logarithm of the number of cheapest paths.
    """
    n, n_blocks = costs.shape[0], starts.shape[0] - 1
    least = np.empty((n_blocks + 1, m + 1))
    logs = np.empty((n_blocks + 1, m + 1))
    reach = np.empty((n_blocks + 1, m + 1))
    found = np.empty(n)
    for i in range(n):
        _fill(costs[i], starts, following, sizes, tolerance[i], least, logs)
        lowest = np.inf
        for count in range(counts[i, 0], counts[i, 1] + 1):
            lowest = min(lowest, least[0, count])
        found[i] = lowest
        log_numbers[i] = -np.inf
        if lowest == np.inf:
            continue
        fewest = most = -1
        ways = -np.inf
        for count in range(counts[i, 0], counts[i, 1] + 1):
            if least[0, count] <= lowest + tolerance[i]:
                fewest = count if fewest < 0 else fewest
                most = count
                ways = _log_sum(ways, logs[0, count])
        log_numbers[i] = ways
        _trace(costs[i], starts, following, sizes, tolerance[i], least, fewest, False, first[i])
        _trace(costs[i], starts, following, sizes, tolerance[i], least, most, True, last[i])
        for block in range(n_blocks + 1):
            for count in range(m + 1):
                reach[block, count] = 0.0
        for count in range(counts[i, 0], counts[i, 1] + 1):
            if least[0, count] <= lowest + tolerance[i]:
                reach[0, count] = np.exp(logs[0, count] - ways)
        _spread(costs[i], starts, following, sizes, tolerance[i], least, logs, reach, shares[i])
    return found
