"""Products with a symmetric array, by whichever way reads its memory fewest times."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from disambig.kernels.column_sums import add_columns
from disambig.notation import FloatArray, IntArray

__all__ = ["SymmetricArray", "absolute_sums", "combined_rows"]

# Below this size, and beyond so many non-zero values a row, BLAS is as fast. Measured for 256 to
# 6000 rows: with unit vectors the sums of columns take a quarter of the time, with three dense
# columns a third, from eight dense columns on as long.
_SMALL = 256
_FULL = 8
# Entries of a block whose absolute values are summed while it is in the cache.
_BLOCK = 2**16


@dataclass(frozen=True, eq=False)
class SymmetricArray:
    """``S`` of shape (N, N), equal to its transpose.

    Parameters
    ----------
    array : float64, (N, N), C-contiguous

    Examples
    --------
    >>> import numpy as np
    >>> SymmetricArray(np.array([[2.0, 1.0], [1.0, 0.0]])) @ np.array([[1.0], [1.0]])
    array([[3.],
           [1.]])
    """

    array: FloatArray

    def __matmul__(self, values: FloatArray) -> FloatArray:
        if values.ndim == 1 or not self.prefers_sums(values):
            product: FloatArray = self.array @ values
            return product
        return combined_rows(self.array, np.arange(len(values)), values)

    def combine(self, columns: IntArray, values: FloatArray) -> FloatArray:
        """``S[:, columns] @ values`` for values of shape (len(columns), p)."""
        return combined_rows(self.array, columns, values)

    def prefers_sums(self, values: FloatArray) -> bool:
        """Whether a product with these values is a sum of columns rather than one of matrices."""
        return _summable(self.array, values)

    @cached_property
    def absolute_sums(self) -> FloatArray:
        """``|S| @ 1``, (N,)."""
        return absolute_sums(self.array)


def combined_rows(array: FloatArray, rows: IntArray, values: FloatArray) -> FloatArray:
    """``array[rows].T @ values``, (N, p), for an array (n, N) and values (len(rows), p).

    Examples
    --------
    >>> import numpy as np
    >>> combined_rows(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1]), np.array([[2.0]]))
    array([[6.],
           [8.]])
    """
    if not _summable(array, values):
        product: FloatArray = array[rows].T @ values
        return product
    sums = np.zeros((values.shape[1], array.shape[1]))
    add_columns(array, rows, np.ascontiguousarray(values), sums)
    return np.ascontiguousarray(sums.T)


def _summable(array: FloatArray, values: FloatArray) -> bool:
    if array.shape[0] < _SMALL or not array.flags.c_contiguous:
        return False
    double = array.dtype == np.float64 and values.dtype == np.float64
    return double and bool(np.count_nonzero(values) <= _FULL * len(values))


def absolute_sums(array: FloatArray, scales: FloatArray | None = None) -> FloatArray:
    """``|array| @ scales`` for an array (q, n); in blocks: ``|array|`` is never a whole.

    `scales` are (n,) or (n, m), by default all one.

    Examples
    --------
    >>> import numpy as np
    >>> absolute_sums(np.array([[1.0, -2.0], [0.0, 1.0]]))
    array([3., 1.])
    """
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        return _absolute_column_sums(array.T, scales)
    q, n = array.shape
    sums = np.empty((q, *(() if scales is None else scales.shape[1:])), dtype=array.dtype)
    step = max(1, _BLOCK // max(1, n))
    room = np.empty((step, n), dtype=array.dtype)
    for start in range(0, q, step):
        rows = array[start : start + step]
        block = np.abs(rows, out=room[: len(rows)])
        sums[start : start + step] = block.sum(axis=1) if scales is None else block @ scales
    return sums


def _absolute_column_sums(array: FloatArray, scales: FloatArray | None) -> FloatArray:
    """The same of the transpose."""
    n, q = array.shape
    sums = np.zeros((q, *(() if scales is None else scales.shape[1:])), dtype=array.dtype)
    step = max(1, _BLOCK // max(1, q))
    room = np.empty((step, q), dtype=array.dtype)
    for start in range(0, n, step):
        rows = array[start : start + step]
        block = np.abs(rows, out=room[: len(rows)])
        part = None if scales is None else scales[start : start + step]
        sums += block.sum(axis=0) if part is None else block.T @ part
    return sums
