"""Numbers of predecessors of items, and the parts of a problem that they determine.

`compiled.pair_signs` explains why these numbers suffice.
"""

from typing import Any

import numpy as np

from disambig.compiled.jit import compiled_part, inlined
from disambig.notation import AnyArray, BoolArray, FloatArray


@inlined
def _may_precede(must: Any, must_not: Any, paid: Any, tolerance: Any) -> Any:
    """Whether i may stand before j, which costs `paid`; the other direction costs ``-paid``."""
    # No branches: the processor cannot predict the direction of a pair.
    return must | (((must | must_not) ^ True) & (paid <= tolerance - paid))


@compiled_part
def count_before(scores: FloatArray, before: BoolArray, tolerance: Any, n_before: AnyArray) -> Any:
    """Fill ``n_before[j]``, the number of items that may stand before j.

    Returns False if an item must stand before itself. Indices are unsigned, so that the compiler
    need not handle negative ones.
    """
    m = n_before.shape[0]
    for i in range(m):
        n_before[i] = 0
    irreflexive = True
    pair = np.uint64(0)
    for i in range(m):
        first = np.uint64(i)
        irreflexive &= not before[first, first]
        n_own = 0
        for j in range(i + 1, m):
            second = np.uint64(j)
            paid = scores[pair]
            must, must_not = before[first, second], before[second, first]
            n_before[second] += _may_precede(must, must_not, paid, tolerance)
            n_own += _may_precede(must_not, must, -paid, tolerance)
            pair += np.uint64(1)
        n_before[first] += n_own
    return irreflexive


@inlined
def is_order(n_before: AnyArray, seen: AnyArray) -> Any:
    """Whether the numbers are 0, ..., m - 1, each once."""
    for i in range(n_before.shape[0]):
        seen[i] = False
    for i in range(n_before.shape[0]):
        if seen[n_before[i]]:
            return False
        seen[n_before[i]] = True
    return True


@inlined
def count_ties(
    scores: FloatArray, before: BoolArray, tolerance: Any, n_before: AnyArray, ties: AnyArray
) -> None:
    """Add to ``ties[v]`` the number of tied pairs whose larger number is v."""
    m = n_before.shape[0]
    pair = 0
    for i in range(m):
        for j in range(i + 1, m):
            paid = scores[pair]
            pair += 1
            forward = _may_precede(before[i, j], before[j, i], paid, tolerance)
            backward = _may_precede(before[j, i], before[i, j], -paid, tolerance)
            ties[max(n_before[i], n_before[j])] += forward & backward


@inlined
def find_parts(
    n_before: AnyArray, ties: AnyArray, scratch: AnyArray, order: AnyArray, sizes: AnyArray
) -> None:
    """Fill `order` with the items sorted by part, then by index, and `sizes`.

    ``sizes[p]`` is the size of the part that starts at position p, and 0 if none starts there. The
    k items with the smallest numbers are the first parts if every item that may stand before one of
    them is among them: their numbers then sum to ``k (k - 1) / 2`` plus the ties among them.
    """
    m = n_before.shape[0]
    n_items, starts, at = scratch[0], scratch[1], scratch[2]
    for place in range(m):
        n_items[place] = 0
        sizes[place] = 0
        at[place] = place
    for i in range(m):
        n_items[n_before[i]] += 1
    k = start = n_related = n_ties = 0
    for number in range(m):
        k += n_items[number]
        n_related += number * n_items[number]
        n_ties += ties[number]
        starts[number] = start
        if k > start and n_related == k * (k - 1) // 2 + n_ties:
            sizes[start] = k - start
            start = k
    for i in range(m):
        start = starts[n_before[i]]
        order[at[start]] = i
        at[start] += 1
