"""Votes held as an array."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from disambig.notation import FloatArray, IntArray
from disambig.votes.symmetric import SymmetricArray, absolute_sums

__all__ = ["DenseVotes"]


@dataclass(frozen=True, eq=False)
class DenseVotes:
    """``alpha`` as an array ``(q, n)``.

    Parameters
    ----------
    array : float array, (q, n)
        Not to be written to any more: absolute sums are found once.
    symmetric : bool, default False
        Whether ``alpha`` equals its transpose to the last bit; then that is these votes themselves,
        and products with few labels are sums of columns.

    Examples
    --------
    >>> import numpy as np
    >>> votes = DenseVotes(np.array([[0.5, 0.5], [0.0, 1.0]]))
    >>> votes @ np.array([1.0, 0.0])
    array([0.5, 0. ])
    """

    array: FloatArray
    symmetric: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        q, n = self.array.shape
        return q, n

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
