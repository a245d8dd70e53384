"""Sums over the leaves of trees: products with a matrix of co-membership that is never formed."""

from typing import Any

import numpy as np

from disambig.kernels.jit import kernel
from disambig.notation import AnyArray, FloatArray

__all__ = ["add_leaf_sums"]


@kernel
def add_leaf_sums(
    row_leaves: AnyArray,
    row_factors: AnyArray,
    column_leaves: AnyArray,
    column_factors: AnyArray,
    starts: AnyArray,
    leaf_weights: FloatArray,
    hollow: Any,
    values: FloatArray,
    product: FloatArray,
) -> None:
    """``product[i] += sum_tj [k = l] f[t, i] u[t, k] g[t, j] values[j]``, k and l the two leaves.

    Tree after tree: what the columns bring to each leaf is summed there, then read by the rows, in
    ``trees * (q + n) * p`` steps. A tree at a time keeps its sums in the cache; all trees at once,
    as a product of sparse matrices has them, took 3 to 9 times as long.

    Parameters
    ----------
    row_leaves, column_leaves : int32, (trees, q) and (trees, n)
        k and l, counted from 0 in each tree; -1 for a row or column that is in none.
    row_factors, column_factors : (trees, q) and (trees, n), or (0, 0)
        f and g; without rows: all one.
    starts : int64, (trees + 1,)
        The leaves of tree t are ``starts[t], ..., starts[t + 1] - 1`` of `leaf_weights`.
    leaf_weights : float64, (leaves of all trees,)
        u.
    hollow : bool
        Whether row i leaves column i out. Both are then in the same leaf, or one is in none.
    values, product : float64, (n, p) and (q, p), C-contiguous
    """
    widest = 0
    for t in range(starts.size - 1):
        widest = max(widest, starts[t + 1] - starts[t])
    sums = np.empty((widest, values.shape[1]), dtype=np.float64)
    for t in range(starts.size - 1):
        sums[: starts[t + 1] - starts[t]] = 0.0
        _sum_leaves(column_leaves, column_factors, t, values, sums)
        weights = leaf_weights[starts[t] : starts[t + 1]]
        for i in range(product.shape[0]):
            leaf = row_leaves[t, i]
            if leaf < 0:
                continue
            factor = weights[leaf] * _factor(row_factors, t, i)
            if hollow and column_leaves[t, i] >= 0:
                own = _factor(column_factors, t, i)
                for c in range(product.shape[1]):
                    # The same product that went into the sum: alone in it, it leaves exactly 0.
                    product[i, c] += factor * (sums[leaf, c] - own * values[i, c])
            else:
                for c in range(product.shape[1]):
                    product[i, c] += factor * sums[leaf, c]


@kernel
def _sum_leaves(
    leaves: AnyArray, factors: AnyArray, t: Any, values: FloatArray, sums: FloatArray
) -> None:
    """``sums[k] += sum_j [k is the leaf of j in tree t] g[t, j] values[j]``."""
    for j in range(values.shape[0]):
        leaf = leaves[t, j]
        if leaf >= 0:
            factor = _factor(factors, t, j)
            for c in range(values.shape[1]):
                sums[leaf, c] += factor * values[j, c]


@kernel
def _factor(factors: AnyArray, t: Any, i: Any) -> Any:
    return float(factors[t, i]) if factors.shape[0] > 0 else 1.0
