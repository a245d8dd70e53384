"""Votes held as a sparse matrix."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.notation import FloatArray, IntArray
from disambig.votes.entries import entries_are_nonnegative
from disambig.votes.protocol import CompressedRows


@dataclass(frozen=True, eq=False)
class SparseVotes:
    """``alpha`` as a sparse matrix ``(q, n)`` in compressed rows; a missing entry is no vote.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> votes = SparseVotes(sp.csr_array([[0.5, 0.5], [0.0, 1.0]]))
    >>> votes.T @ np.array([1.0, 0.0])
    array([0.5, 0.5])
    """

    matrix: Any

    absolute_sums_are_bounds = True

    @property
    def shape(self) -> tuple[int, int]:
        q, n = self.matrix.shape
        return q, n

    @property
    def entries(self) -> Any:
        return self.matrix

    @cached_property
    def is_nonnegative(self) -> bool:
        return entries_are_nonnegative(self.matrix)

    @cached_property
    def is_symmetric(self) -> bool:
        q, n = self.shape
        return q == n and (self.matrix != self.T.matrix).nnz == 0

    @cached_property
    def compressed(self) -> CompressedRows:
        """The matrix as plain arrays, with equal votes (as of neighbours) stored as one number."""
        matrix = self.matrix
        if not matrix.has_canonical_format:
            # Other scipy functions may merge duplicates in place, at any time.
            matrix = matrix.copy()
            matrix.sum_duplicates()
        narrow = max(self.shape) <= np.iinfo(np.int32).max
        data, unit = matrix.data, 1.0
        if data.size and data[0] > 0 and (data == data[0]).all():
            data, unit = np.zeros(0, dtype=np.float64), float(data[0])
        return CompressedRows(
            matrix.indptr.astype(np.int64, copy=False),
            matrix.indices.astype(np.int32 if narrow else np.int64, copy=False).view(
                np.uint32 if narrow else np.uint64
            ),
            data,
            unit,
        )

    @cached_property
    def T(self) -> "SparseVotes":
        # Cached: a solver multiplies by the transpose once in each iteration.
        return SparseVotes(sp.csr_array(self.matrix.T))

    def __matmul__(self, values: FloatArray) -> FloatArray:
        product: FloatArray = self.matrix @ values
        return product

    def row_sums(self) -> FloatArray:
        return np.asarray(self.matrix.sum(axis=1)).ravel()

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        # abs() copies the matrix, even if nothing is negative.
        size = abs(self.matrix) if (self.matrix.data < 0).any() else self.matrix
        return np.asarray(size.sum(axis=1) if scales is None else size @ scales).ravel()

    def diagonal(self) -> FloatArray:
        return np.asarray(self.matrix.diagonal())

    def split(self) -> tuple["SparseVotes", "SparseVotes"]:
        return SparseVotes(self.matrix.maximum(0)), SparseVotes((-self.matrix).maximum(0))

    def rows(self, start: int, stop: int) -> Any:
        # The matrix may be a csr_matrix; the contract is a csr_array.
        return sp.csr_array(self.matrix[start:stop])

    def scale_rows(self, factors: FloatArray) -> "SparseVotes":
        matrix = self.matrix
        data = matrix.data * np.repeat(factors, np.diff(matrix.indptr))
        return SparseVotes(sp.csr_array((data, matrix.indices, matrix.indptr), shape=self.shape))

    def without_own(self) -> "SparseVotes":
        alpha = sp.coo_array(self.matrix)
        kept = (alpha.row != alpha.col) & (alpha.data != 0)
        entries = (alpha.data[kept], (alpha.row[kept], alpha.col[kept]))
        return SparseVotes(sp.csr_array(entries, shape=self.shape))

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        # Columns are contiguous in the cached transpose.
        part = self.T.matrix[columns].tocoo()
        nonzero = part.data != 0
        rows, positions = part.col[nonzero], part.row[nonzero]
        return rows.astype(np.intp), positions.astype(np.intp), part.data[nonzero]

    def links(self, rows: IntArray) -> Any:
        return self.matrix[rows][:, rows]

    def strongest(self, limit: int) -> IntArray:
        matrix = self.matrix.tocoo()
        positive = matrix.data > 0
        rows, columns, data = matrix.row[positive], matrix.col[positive], matrix.data[positive]
        order = np.lexsort((columns, -data, rows))
        rows, columns = rows[order], columns[order]
        starts = np.searchsorted(rows, np.arange(self.shape[0]))
        rank = np.arange(rows.size) - starts[rows]
        table = np.full((self.shape[0], min(limit, self.shape[1])), -1, dtype=np.intp)
        kept = rank < table.shape[1]
        table[rows[kept], rank[kept]] = columns[kept]
        return table
