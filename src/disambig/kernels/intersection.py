"""Intersections of sets along a growing neighbourhood."""

import numpy as np

from disambig.kernels.jit import kernel
from disambig.notation import BoolArray, IntArray

__all__ = ["growing_intersection"]


@kernel
def growing_intersection(order: IntArray, sets: BoolArray) -> BoolArray:
    """Intersect ``sets[order[i, 0]], sets[order[i, 1]], ...`` until one element is left.

    A set that would empty the intersection is passed over: it contradicts nearer ones.

    Preconditions: `order` ``(q, k)`` holds row numbers of `sets` ``(n, V)``, nearest first, -1
    where a row has no further neighbour. Returns ``(q, V)``; a row without neighbours is full.
    """
    q, k = order.shape
    size = sets.shape[1]
    result = np.ones((q, size), dtype=np.bool_)
    for i in range(q):
        left = size
        for t in range(k):
            j = order[i, t]
            if j < 0 or left == 1:
                break
            common = 0
            for v in range(size):
                if result[i, v] and sets[j, v]:
                    common += 1
            if common > 0:
                left = common
                for v in range(size):
                    result[i, v] = result[i, v] and sets[j, v]
    return result
