"""Sums over the leaves of trees, and lists of the rows that share a leaf.

Both serve products with a matrix of shared leaves that is never formed. Leaves are counted from 0
in each tree; -1 is no leaf. Leaf k of tree t has the number ``starts[t] + k`` among all leaves.
"""

from typing import Any

import numpy as np

from disambig.compiled.jit import compiled
from disambig.notation import AnyArray, FloatArray


@compiled
def list_members(leaves: AnyArray, starts: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The members of each leaf of each tree, in ascending order.

    Parameters
    ----------
    leaves : int32, (trees, n)
        Leaves counted from 0 in each tree; -1 for none.
    starts : int64, (trees + 1,)
        The leaves of tree t are numbers ``starts[t], ..., starts[t + 1] - 1`` of all.

    Returns
    -------
    bounds : int64, (leaves of all trees + 1,)
    members : int32
        Those of leaf number k are ``members[bounds[k] : bounds[k + 1]]``.
    """
    trees, n = leaves.shape
    bounds = np.zeros(starts[trees] + 1, dtype=np.int64)
    for t in range(trees):
        for j in range(n):
            if leaves[t, j] >= 0:
                bounds[starts[t] + leaves[t, j] + 1] += 1
    for k in range(starts[trees]):
        bounds[k + 1] += bounds[k]
    members = np.empty(bounds[starts[trees]], dtype=np.int32)
    filled = bounds.copy()
    for t in range(trees):
        for j in range(n):
            if leaves[t, j] >= 0:
                leaf = starts[t] + leaves[t, j]
                members[filled[leaf]] = j
                filled[leaf] += 1
    return bounds, members


@compiled
def count_shared(
    rows: AnyArray,
    row_leaves: AnyArray,
    starts: AnyArray,
    bounds: AnyArray,
    members: AnyArray,
    n: Any,
    skip_own: Any,
) -> AnyArray:
    """The number of columns that share a leaf with each row, summed up: ``(len(rows) + 1,)``.

    Row r of `rows` shares leaves with ``ends[r + 1] - ends[r]`` of the n columns.

    Parameters
    ----------
    rows : int64, (r,)
        The rows.
    row_leaves, starts : as in `list_members`
        Of all rows.
    bounds, members : as from `list_members`
        Of the columns.
    skip_own : bool
        Whether row i skips column i.
    """
    seen = np.full(n, -1, dtype=np.int64)
    ends = np.zeros(rows.size + 1, dtype=np.int64)
    for r in range(rows.size):
        count = 0
        for t in range(row_leaves.shape[0]):
            leaf = row_leaves[t, rows[r]]
            if leaf < 0:
                continue
            for place in range(bounds[starts[t] + leaf], bounds[starts[t] + leaf + 1]):
                j = members[place]
                if seen[j] != r and not (skip_own and j == rows[r]):
                    seen[j] = r
                    count += 1
        ends[r + 1] = ends[r] + count
    return ends


@compiled
def list_shared(
    rows: AnyArray,
    row_leaves: AnyArray,
    row_factors: AnyArray,
    column_factors: AnyArray,
    starts: AnyArray,
    leaf_weights: FloatArray,
    bounds: AnyArray,
    members: AnyArray,
    n: Any,
    skip_own: Any,
    ends: AnyArray,
) -> tuple[AnyArray, FloatArray]:
    """The columns that share a leaf with each row, and the sum of ``f u g`` over these leaves.

    Parameters as in `count_shared`, whose result is `ends`, and `add_leaf_sums`.

    Returns
    -------
    columns : int32, (ends[-1],)
        In ascending order within each row.
    values : float64, (ends[-1],)
    """
    columns = np.empty(ends[rows.size], dtype=np.int32)
    values = np.empty(ends[rows.size], dtype=np.float64)
    seen = np.full(n, -1, dtype=np.int64)
    sums = np.empty(n, dtype=np.float64)
    for r in range(rows.size):
        filled = ends[r]
        for t in range(row_leaves.shape[0]):
            leaf = row_leaves[t, rows[r]]
            if leaf < 0:
                continue
            factor = leaf_weights[starts[t] + leaf]
            if row_factors.shape[0] > 0:
                factor *= float(row_factors[t, rows[r]])
            for place in range(bounds[starts[t] + leaf], bounds[starts[t] + leaf + 1]):
                j = members[place]
                if skip_own and j == rows[r]:
                    continue
                if seen[j] != r:
                    seen[j] = r
                    sums[j] = 0.0
                    columns[filled] = j
                    filled += 1
                if column_factors.shape[0] > 0:
                    sums[j] += factor * float(column_factors[t, j])
                else:
                    sums[j] += factor
        _sort_columns(columns[ends[r] : ends[r + 1]], seen, r)
        for place in range(ends[r], ends[r + 1]):
            values[place] = sums[columns[place]]
    return columns, values


@compiled
def _sort_columns(columns: AnyArray, seen: AnyArray, mark: Any) -> None:
    """Sort columns in place: they are the j with ``seen[j] == mark``."""
    if 16 * columns.size < seen.size:
        columns.sort()
        return
    # With so many columns a scan of all is faster than sorting.
    filled = 0
    for j in range(seen.size):
        if seen[j] == mark:
            columns[filled] = j
            filled += 1


@compiled
def add_leaf_sums(
    row_leaves: AnyArray,
    row_factors: AnyArray,
    column_leaves: AnyArray,
    column_factors: AnyArray,
    starts: AnyArray,
    leaf_weights: FloatArray,
    skip_own: Any,
    values: FloatArray,
    product: FloatArray,
) -> None:
    """``product[i] += sum_tj [k = l] f[t, i] u[t, k] g[t, j] values[j]``, k and l the two leaves.

    Tree after tree, the values of the columns in each leaf are summed, and the sum is added to the
    rows in the leaf: ``trees * (q + n) * p`` operations. The sums of one tree stay in the cache; a
    product of sparse matrices, which handles all trees at once, took 3 to 9 times as long.

    Parameters
    ----------
    row_leaves, column_leaves : int32, (trees, q) and (trees, n)
        k and l, counted from 0 in each tree; -1 for a row or column that is in none.
    row_factors, column_factors : (trees, q) and (trees, n), or (0, 0)
        f and g; (0, 0): all one.
    starts : int64, (trees + 1,)
        The leaves of tree t are ``starts[t], ..., starts[t + 1] - 1`` of `leaf_weights`.
    leaf_weights : float64, (leaves of all trees,)
        u.
    skip_own : bool
        Whether row i skips column i. Both are then in the same leaf, or one is in none.
    values, product : float64, (n, p) and (q, p), C-contiguous
    """
    widest = 0
    for t in range(starts.size - 1):
        widest = max(widest, starts[t + 1] - starts[t])
    sums = np.empty((widest, values.shape[1]), dtype=np.float64)
    for t in range(starts.size - 1):
        sums[: starts[t + 1] - starts[t]] = 0.0
        _sum_leaves(column_leaves, column_factors, t, values, sums)
        _add_to_rows(
            row_leaves,
            row_factors,
            column_leaves,
            column_factors,
            t,
            leaf_weights[starts[t] : starts[t + 1]],
            skip_own,
            sums,
            values,
            product,
        )


@compiled
def sum_all_leaves(
    leaves: AnyArray, factors: AnyArray, starts: AnyArray, values: FloatArray, sums: FloatArray
) -> None:
    """``sums[k] += sum_tj [k is the leaf of j] g[t, j] values[j]``, for the leaves of all trees.

    Parameters
    ----------
    leaves, factors, starts, values
        Of the columns, as in `add_leaf_sums`.
    sums : float64, (leaves of all trees, p), C-contiguous
    """
    for t in range(starts.size - 1):
        _sum_leaves(leaves, factors, t, values, sums[starts[t] : starts[t + 1]])


@compiled
def add_all_sums(
    row_leaves: AnyArray,
    row_factors: AnyArray,
    column_leaves: AnyArray,
    column_factors: AnyArray,
    starts: AnyArray,
    leaf_weights: FloatArray,
    skip_own: Any,
    sums: FloatArray,
    values: FloatArray,
    product: FloatArray,
) -> None:
    """`add_leaf_sums` where the sums of all leaves are at hand.

    Parameters
    ----------
    row_leaves, row_factors, column_leaves, column_factors, starts, leaf_weights, skip_own, product
        As in `add_leaf_sums`. The columns are read only if `skip_own`, which skips column i at row
        i: they are then the same rows.
    sums : float64, (leaves of all trees, p), C-contiguous
    values : float64, (q, p), C-contiguous
        Of these columns.
    """
    for t in range(starts.size - 1):
        _add_to_rows(
            row_leaves,
            row_factors,
            column_leaves,
            column_factors,
            t,
            leaf_weights[starts[t] : starts[t + 1]],
            skip_own,
            sums[starts[t] : starts[t + 1]],
            values,
            product,
        )


@compiled
def _add_to_rows(
    row_leaves: AnyArray,
    row_factors: AnyArray,
    column_leaves: AnyArray,
    column_factors: AnyArray,
    t: Any,
    weights: FloatArray,
    skip_own: Any,
    sums: FloatArray,
    values: FloatArray,
    product: FloatArray,
) -> None:
    """``product[i] += f[t, i] u[k] sums[k]`` with k the leaf of i in tree t."""
    for i in range(product.shape[0]):
        leaf = row_leaves[t, i]
        if leaf < 0:
            continue
        factor = weights[leaf] * _factor(row_factors, t, i)
        if skip_own and column_leaves[t, i] >= 0:
            own = _factor(column_factors, t, i)
            for c in range(product.shape[1]):
                # The same product that was added to the sum: if it was the only one, exactly 0
                # remains.
                product[i, c] += factor * (sums[leaf, c] - own * values[i, c])
        else:
            for c in range(product.shape[1]):
                product[i, c] += factor * sums[leaf, c]


@compiled
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


@compiled
def _factor(factors: AnyArray, t: Any, i: Any) -> Any:
    return float(factors[t, i]) if factors.shape[0] > 0 else 1.0
