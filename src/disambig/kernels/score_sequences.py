"""How many items may stand before each item: what that says about the optimal orders.

"i may stand before j" relates every two items, one way or, where they tie, both. For such a
relation the numbers say everything (score sequences, after Landau): if they are 0, ..., m - 1 they
are the ranks of the only order, and if not, the items sorted by them fall into parts that stand one
after another. No search of the graph is needed.
"""

from typing import Any

import numpy as np

from disambig.kernels.jit import kernel
from disambig.notation import AnyArray, BoolArray, FloatArray

__all__ = ["count_before", "count_ties", "find_parts", "is_order"]


@kernel
def _may_precede(must: Any, must_not: Any, paid: Any, tolerance: Any) -> Any:
    """May i stand before j, which costs `paid` and the other way round ``-paid``?"""
    # No branches: which way a pair goes cannot be foreseen.
    return must | (((must | must_not) ^ True) & (paid <= tolerance - paid))


@kernel
def count_before(scores: FloatArray, before: BoolArray, tolerance: Any, n_before: AnyArray) -> Any:
    """``n_before[j]`` = how many items may stand before j? False if an item must precede itself.

    Indices are unsigned: the compiler need not think of negative ones.
    """
    m = n_before.shape[0]
    n_before[:] = 0
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


@kernel
def is_order(n_before: AnyArray, seen: AnyArray) -> Any:
    """Are the numbers 0, ..., m - 1, each once?"""
    seen[:] = False
    for i in range(n_before.shape[0]):
        if seen[n_before[i]]:
            return False
        seen[n_before[i]] = True
    return True


@kernel
def count_ties(
    scores: FloatArray, before: BoolArray, tolerance: Any, n_before: AnyArray, ties: AnyArray
) -> None:
    """``ties[v]`` = how many pairs tie of which the larger number is v?"""
    m = n_before.shape[0]
    pair = 0
    for i in range(m):
        for j in range(i + 1, m):
            paid = scores[pair]
            pair += 1
            forward = _may_precede(before[i, j], before[j, i], paid, tolerance)
            backward = _may_precede(before[j, i], before[i, j], -paid, tolerance)
            ties[max(n_before[i], n_before[j])] += forward & backward


@kernel
def find_parts(
    n_before: AnyArray, ties: AnyArray, scratch: AnyArray, order: AnyArray, sizes: AnyArray
) -> None:
    """Items by part and number, and at the first item of a part its size; 0 at the others.

    The items with the k smallest numbers are some first parts if nothing leads back to them: if all
    that may stand before one of them is among them.
    """
    m = n_before.shape[0]
    n_items, starts, at = scratch[0], scratch[1], scratch[2]
    n_items[:] = 0
    for i in range(m):
        n_items[n_before[i]] += 1
    sizes[:] = 0
    k = start = led_to = n_ties = 0
    for number in range(m):
        k += n_items[number]
        led_to += number * n_items[number]
        n_ties += ties[number]
        starts[number] = start
        if k > start and led_to == k * (k - 1) // 2 + n_ties:
            sizes[start] = k - start
            start = k
    for place in range(m):
        at[place] = place
    for i in range(m):
        start = starts[n_before[i]]
        order[at[start]] = i
        at[start] += 1
