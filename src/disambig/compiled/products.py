"""Sums of columns, the steps of conjugate gradients, and the diagonal of a sparse inverse.

`add_columns` sums columns of a symmetric array. `apply_matrix`, `take_step` and `update_direction`
are the three passes of one iteration of conjugate gradients, for many right-hand sides at once.
`inverse_diagonal` is the diagonal of the inverse of a sparse matrix, from its factors.
"""

from typing import Any

import numpy as np

from disambig.compiled.jit import compiled
from disambig.notation import AnyArray, FloatArray, IntArray

# Rows are added in blocks, which stay in the cache for all columns of values. A block has so many
# rows that a column of values has about this many non-zero values in it.
_NONZEROS_PER_BLOCK = 16


@compiled
def add_columns(array: FloatArray, rows: IntArray, values: FloatArray, product: FloatArray) -> None:
    """``product[c] += sum_j values[j, c] array[rows[j]]``, skipping the zeros of `values`.

    Rows of a symmetric array are its columns. If `values` hold unit vectors, columns are summed by
    label: one pass over the array, whatever the number of labels. Four rows are added at a time,
    because each pass reads and writes the sums.

    Parameters
    ----------
    array : float64, (N, N), C-contiguous
    rows : int, (n,)
        Which rows of the array take part, one for each row of `values`.
    values : float64, (n, p)
    product : float64, (p, N), C-contiguous
    """
    width = product.shape[1]
    block = _rows_per_block(values)
    chosen = np.empty(block, dtype=np.int64)
    for start in range(0, rows.size, block):
        stop = min(start + block, rows.size)
        for c in range(product.shape[0]):
            count = 0
            for j in range(start, stop):
                if values[j, c] != 0.0:
                    chosen[count] = j
                    count += 1
            sums = product[c]
            k = 0
            while k + 4 <= count:
                v0, v1 = values[chosen[k], c], values[chosen[k + 1], c]
                v2, v3 = values[chosen[k + 2], c], values[chosen[k + 3], c]
                r0, r1 = array[rows[chosen[k]]], array[rows[chosen[k + 1]]]
                r2, r3 = array[rows[chosen[k + 2]]], array[rows[chosen[k + 3]]]
                for i in range(width):
                    sums[i] += (v0 * r0[i] + v1 * r1[i]) + (v2 * r2[i] + v3 * r3[i])
                k += 4
            while k < count:
                v0 = values[chosen[k], c]
                r0 = array[rows[chosen[k]]]
                for i in range(width):
                    sums[i] += v0 * r0[i]
                k += 1


@compiled
def _rows_per_block(values: FloatArray) -> int:
    n_nonzero = 1
    for j in range(values.shape[0]):
        for c in range(values.shape[1]):
            if values[j, c] != 0.0:
                n_nonzero += 1
    return _NONZEROS_PER_BLOCK + _NONZEROS_PER_BLOCK * values.size // n_nonzero


@compiled
def apply_matrix(
    indptr: AnyArray,
    indices: AnyArray,
    entries: FloatArray,
    direction: FloatArray,
    image: FloatArray,
) -> FloatArray:
    """``image = matrix @ direction``; returns ``sum_i direction[i] * image[i]``, (p,).

    Parameters
    ----------
    indptr, indices, entries : integers (n + 1,), integers, float64
        The matrix in compressed rows.
    direction, image : float64, (n, p), C-ordered
    """
    n, p = direction.shape
    products = np.zeros(p)
    row = np.empty(p)
    for i in range(n):
        row[:] = 0.0
        for t in range(indptr[i], indptr[i + 1]):
            j = indices[t]
            entry = entries[t]
            for c in range(p):
                row[c] += entry * direction[j, c]
        for c in range(p):
            image[i, c] = row[c]
            products[c] += row[c] * direction[i, c]
    return products


@compiled
def take_step(
    lengths: FloatArray,
    direction: FloatArray,
    image: FloatArray,
    inverse: FloatArray,
    scale: FloatArray,
    solution: FloatArray,
    residual: FloatArray,
) -> Any:
    """Add ``lengths * direction`` to the solution, subtract ``lengths * image`` from the residual.

    Returns ``sum_i residual[i]^2 inverse[i]`` and the largest ``|residual[i]| / scale[i]``, (p,).
    """
    n, p = direction.shape
    products = np.zeros(p)
    largest = np.zeros(p)
    for i in range(n):
        part = 1.0 / scale[i]
        for c in range(p):
            solution[i, c] += lengths[c] * direction[i, c]
            left = residual[i, c] - lengths[c] * image[i, c]
            residual[i, c] = left
            products[c] += left * left * inverse[i]
            largest[c] = max(largest[c], abs(left) * part)
    return products, largest


@compiled
def update_direction(
    ratios: FloatArray, residual: FloatArray, inverse: FloatArray, direction: FloatArray
) -> None:
    """``direction = residual * inverse + ratios * direction``."""
    n, p = direction.shape
    for i in range(n):
        for c in range(p):
            direction[i, c] = residual[i, c] * inverse[i] + ratios[c] * direction[i, c]


@compiled
def inverse_diagonal(
    indptr: AnyArray, indices: AnyArray, entries: FloatArray, pivots: FloatArray
) -> FloatArray:
    """The diagonal of ``Z = (L D L')^{-1}``, without the rest of Z.

    From ``Z = D^{-1} L^{-1} + (I - L') Z``, read below the diagonal and on it (Takahashi), ::

        Z[i, j] = -sum_k Z[i, k] L[k, j],    Z[j, j] = 1 / D[j] - sum_k L[k, j] Z[k, j]

    with k over the stored rows of column j. From the last column to the first, only the entries of
    Z at stored places of L are needed: about the work of the factorisation.

    Parameters
    ----------
    indptr, indices, entries : integers (n + 1,), integers, float64
        L below its unit diagonal, by columns, rows in any order. Where L stores ``[i, j]`` and
        ``[k, j]`` with i > k, it stores ``[i, k]`` too, or that entry is negligible.
    pivots : float64, (n,)
        D, positive.
    """
    n = pivots.size
    inverse = np.zeros(entries.size)
    diagonal = np.zeros(n)
    place = np.full(n, -1, dtype=np.int64)
    for j in range(n - 1, -1, -1):
        start, stop = indptr[j], indptr[j + 1]
        for p in range(start, stop):
            place[indices[p]] = p
        for p in range(start, stop):
            k = indices[p]
            below = entries[p]
            own = diagonal[k] * below
            # Z is symmetric: column k serves Z[i, k] and Z[k, i].
            for t in range(indptr[k], indptr[k + 1]):
                other = place[indices[t]]
                if other >= 0:
                    inverse[other] -= inverse[t] * below
                    own += inverse[t] * entries[other]
            inverse[p] -= own
        total = 1.0 / pivots[j]
        for p in range(start, stop):
            total -= entries[p] * inverse[p]
            place[indices[p]] = -1
        diagonal[j] = total
    return diagonal
