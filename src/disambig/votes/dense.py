"""Votes held as an array, and fast products with symmetric arrays.

A product with few non-zero values is a sum of columns. Of a symmetric array these are rows, which
lie contiguously in memory: one pass over the array, whatever the number of columns of the product.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from disambig.compiled.products import add_columns
from disambig.notation import FloatArray, IntArray
from disambig.votes.entries import entries_are_nonnegative

# With fewer rows than the first number, or more non-zero values in a row than the second, BLAS is
# as fast as sums of columns. Measured for 256 to 6000 rows: with unit vectors the sums of columns
# take a quarter of the time, with three dense columns a third, from eight dense columns on as long.
_MIN_ROWS_TO_SUM_COLUMNS = 256
_MAX_NONZEROS_PER_ROW = 8
# Entries whose absolute values are summed together: 512 KiB, which stay in the cache.
_ENTRIES_PER_BLOCK = 2**16


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
        """Whether a product with these values is computed as a sum of columns."""
        return _sums_columns(self.array, values)

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
    if not _sums_columns(array, values):
        product: FloatArray = array[rows].T @ values
        return product
    sums = np.zeros((values.shape[1], array.shape[1]))
    add_columns(array, rows, np.ascontiguousarray(values), sums)
    return np.ascontiguousarray(sums.T)


def _sums_columns(array: FloatArray, values: FloatArray) -> bool:
    if array.shape[0] < _MIN_ROWS_TO_SUM_COLUMNS or not array.flags.c_contiguous:
        return False
    double = array.dtype == np.float64 and values.dtype == np.float64
    return double and bool(np.count_nonzero(values) <= _MAX_NONZEROS_PER_ROW * len(values))


def absolute_sums(array: FloatArray, scales: FloatArray | None = None) -> FloatArray:
    """``|array| @ scales`` for an array (q, n), in blocks of rows: ``|array|`` is never formed.

    `scales` are (n,) or (n, m); by default all are one.

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
    step = max(1, _ENTRIES_PER_BLOCK // max(1, n))
    buffer = np.empty((step, n), dtype=array.dtype)
    for start in range(0, q, step):
        rows = array[start : start + step]
        block = np.abs(rows, out=buffer[: len(rows)])
        sums[start : start + step] = block.sum(axis=1) if scales is None else block @ scales
    return sums


def _equals_transpose(array: FloatArray) -> bool:
    """Whether an array is its own transpose; the first block that differs ends the comparison."""
    q, n = array.shape
    step = max(1, _ENTRIES_PER_BLOCK // max(1, n))
    return q == n and all(
        np.array_equal(array[start : start + step], array[:, start : start + step].T)
        for start in range(0, n, step)
    )


def _absolute_column_sums(array: FloatArray, scales: FloatArray | None) -> FloatArray:
    """``|array.T| @ scales`` for an array (n, q) in C order."""
    n, q = array.shape
    sums = np.zeros((q, *(() if scales is None else scales.shape[1:])), dtype=array.dtype)
    step = max(1, _ENTRIES_PER_BLOCK // max(1, q))
    buffer = np.empty((step, q), dtype=array.dtype)
    for start in range(0, n, step):
        rows = array[start : start + step]
        block = np.abs(rows, out=buffer[: len(rows)])
        part = None if scales is None else scales[start : start + step]
        sums += block.sum(axis=0) if part is None else block.T @ part
    return sums


@dataclass(frozen=True, eq=False)
class DenseVotes:
    """``alpha`` as an array ``(q, n)``.

    Parameters
    ----------
    array : float array, (q, n)
        Must not be changed afterwards: absolute sums and facts are cached.
    symmetric : bool, default False
        True declares that ``alpha`` equals its transpose exactly. Then ``T`` returns the same
        object, and products with few non-zero values are sums of columns.

    Examples
    --------
    >>> import numpy as np
    >>> votes = DenseVotes(np.array([[0.5, 0.5], [0.0, 1.0]]))
    >>> votes @ np.array([1.0, 0.0])
    array([0.5, 0. ])
    """

    array: FloatArray
    symmetric: bool = False

    compressed = None
    absolute_sums_are_bounds = True

    @property
    def shape(self) -> tuple[int, int]:
        q, n = self.array.shape
        return q, n

    @property
    def entries(self) -> FloatArray:
        return self.array

    @cached_property
    def is_nonnegative(self) -> bool:
        return entries_are_nonnegative(self.array)

    @cached_property
    def is_symmetric(self) -> bool:
        return self.symmetric or _equals_transpose(self.array)

    @property
    def T(self) -> "DenseVotes":
        return self if self.symmetric else DenseVotes(self.array.T)

    def __matmul__(self, values: FloatArray) -> FloatArray:
        product: FloatArray = self._factor @ values
        return product

    def combine_columns(self, columns: IntArray, values: FloatArray) -> FloatArray:
        """``alpha[:, columns] @ values`` for values of shape (len(columns), p)."""
        if isinstance(self._factor, SymmetricArray):
            return self._factor.combine(columns, values)
        product: FloatArray = self.array[:, columns] @ values
        return product

    def row_sums(self) -> FloatArray:
        sums: FloatArray = self.array.sum(axis=1)
        return sums

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        return self._absolute_sums if scales is None else absolute_sums(self.array, scales)

    def diagonal(self) -> FloatArray:
        return self.array.diagonal()

    def split(self) -> tuple["DenseVotes", "DenseVotes"]:
        return DenseVotes(np.maximum(self.array, 0)), DenseVotes(np.maximum(-self.array, 0))

    def rows(self, start: int, stop: int) -> FloatArray:
        return self.array[start:stop]

    def scale_rows(self, factors: FloatArray) -> "DenseVotes":
        return DenseVotes(self.array * factors[:, None])

    def without_own(self) -> "DenseVotes":
        array = self.array.copy()
        np.fill_diagonal(array, 0.0)
        return DenseVotes(array, self.symmetric)

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        part = self.array[:, columns]
        rows, positions = np.nonzero(part)
        return rows, positions, part[rows, positions]

    def links(self, rows: IntArray) -> sp.csr_array:
        return sp.csr_array(self.array[np.ix_(rows, rows)])

    def strongest(self, limit: int) -> IntArray:
        limit = min(limit, self.shape[1])
        order = np.argsort(-self.array, axis=1, kind="stable")[:, :limit]
        positive = np.take_along_axis(self.array, order, axis=1) > 0
        return np.where(positive, order, -1)

    @cached_property
    def _factor(self) -> FloatArray | SymmetricArray:
        return SymmetricArray(self.array) if self.symmetric else self.array

    @cached_property
    def _absolute_sums(self) -> FloatArray:
        sums = absolute_sums(self.array)
        sums.flags.writeable = False
        return sums
