"""Votes held as an array."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from disambig.notation import FloatArray, IntArray

__all__ = ["DenseVotes"]


@dataclass(frozen=True, eq=False)
class DenseVotes:
    """``alpha`` as an array ``(q, n)``.

    Examples
    --------
    >>> import numpy as np
    >>> votes = DenseVotes(np.array([[0.5, 0.5], [0.0, 1.0]]))
    >>> votes @ np.array([1.0, 0.0])
    array([0.5, 0. ])
    """

    array: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        q, n = self.array.shape
        return q, n

    @property
    def T(self) -> "DenseVotes":
        return DenseVotes(self.array.T)

    def __matmul__(self, values: FloatArray) -> FloatArray:
        product: FloatArray = self.array @ values
        return product

    def row_sums(self) -> FloatArray:
        sums: FloatArray = self.array.sum(axis=1)
        return sums

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        # In blocks of rows: |alpha| as a whole would double the memory.
        q, n = self.array.shape
        sums = np.empty(q, dtype=self.array.dtype)
        step = max(1, 2**20 // max(1, n))
        for start in range(0, q, step):
            block = np.abs(self.array[start : start + step])
            sums[start : start + step] = block.sum(axis=1) if scales is None else block @ scales
        return sums

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
