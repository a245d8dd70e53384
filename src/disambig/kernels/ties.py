"""Row minima with their ties."""

import numpy as np

from disambig.kernels.jit import kernel
from disambig.notation import BoolArray, FloatArray

__all__ = ["tied_minima", "tied_minima_within"]


@kernel
def tied_minima(costs: FloatArray, tolerance: FloatArray) -> BoolArray:
    """``mask[i, v]`` = is ``costs[i, v]`` within ``tolerance[i]`` of the minimum of its row?

    Preconditions: `costs` ``(n, V)`` finite, V >= 1; `tolerance` ``(n,)`` non-negative.
    """
    n, size = costs.shape
    mask = np.zeros((n, size), dtype=np.bool_)
    for i in range(n):
        best = costs[i, 0]
        for v in range(1, size):
            if costs[i, v] < best:
                best = costs[i, v]
        limit = best + tolerance[i]
        for v in range(size):
            mask[i, v] = costs[i, v] <= limit
    return mask


@kernel
def tied_minima_within(costs: FloatArray, allowed: BoolArray, tolerance: FloatArray) -> BoolArray:
    """The same over the allowed columns of each row.

    Preconditions: as above, and every row of `allowed` ``(n, V)`` has a True.
    """
    n, size = costs.shape
    mask = np.zeros((n, size), dtype=np.bool_)
    for i in range(n):
        best = np.inf
        for v in range(size):
            if allowed[i, v] and costs[i, v] < best:
                best = costs[i, v]
        limit = best + tolerance[i]
        for v in range(size):
            mask[i, v] = allowed[i, v] and costs[i, v] <= limit
    return mask
