"""Sums of the columns of a symmetric matrix, grouped by what they are multiplied with."""

import numpy as np

from disambig.kernels.jit import kernel
from disambig.notation import FloatArray, IntArray

__all__ = ["add_columns"]

# Rows are looked at in blocks, which stay in the cache while each column of values passes over
# them; so many that a column has this many non-zero values there.
_BUSY = 16


@kernel
def add_columns(array: FloatArray, rows: IntArray, values: FloatArray, product: FloatArray) -> None:
    """``product[c] += sum_j values[j, c] array[rows[j]]``, skipping the zeros of `values`.

    Of a symmetric array these are columns, added up by label where `values` hold unit vectors: one
    pass over the memory, whatever the number of labels. Four rows at a time, since the sums are
    read and written as often as there are passes over them.

    Parameters
    ----------
    array : float64, (N, N), C-contiguous
    rows : int, (n,)
        Which rows of the array take part, one for each row of `values`.
    values : float64, (n, p)
    product : float64, (p, N), C-contiguous
    """
    width = product.shape[1]
    block = _block(values)
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


@kernel
def _block(values: FloatArray) -> int:
    busy = 1
    for j in range(values.shape[0]):
        for c in range(values.shape[1]):
            if values[j, c] != 0.0:
                busy += 1
    return _BUSY + _BUSY * values.size // busy
