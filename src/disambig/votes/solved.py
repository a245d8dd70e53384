"""Votes through a sparse linear system, which is solved whenever they are applied.

`probed_diagonal` estimates the diagonal of the inverse where N solutions would take too long.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from disambig.memory import require_bytes
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.votes.blocks import row_blocks, strongest_by_blocks
from disambig.votes.dense import DenseVotes
from disambig.votes.sparse import SparseVotes
from disambig.votes.sparse_inverse import SparseInverse

# Entries of a block of probes, or of a product of sparse rows: 32 MiB.
_ENTRIES_PER_BLOCK = 2**22
# Of the solutions for random signs: far below the standard error of the estimate.
_PROBE_TOLERANCE = 1e-6
# A diagonal entry below this is what rounding leaves after the own vote was removed; set to zero.
_ROUNDING_ERROR = 1e-11


def probed_diagonal(
    inverse: SparseInverse, *, probes: int = 64, seed: int = 0
) -> tuple[FloatArray, FloatArray]:
    r"""The diagonal of ``M^{-1}``, ``(N,)``, and its standard error, ``(N,)``.

    With ``M = N^{1/2} (I - S) N^{1/2}``, N the diagonal of M, no entry of S is negative and ::

        diag(M^{-1}) = N^{-1} (1 + diag(S^2) + diag(S^3) + diag(S^2 (I - S)^{-1} S^2)).

    Only the last diagonal is estimated, by the mean of ``z * (S^2 (I - S)^{-1} S^2 z)`` over random
    signs z (Hutchinson's estimator). The first three terms, the returns of a random walk on the
    graph within three steps, are most of the sum. A longer walk spreads over many rows and rarely
    returns, so the estimated term is small.

    Parameters
    ----------
    inverse : SparseInverse (N, N)
    probes : int >= 2
        Number of vectors of random signs, with one solution each.
    seed : int
        Seed of the random signs.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> inverse = SparseInverse.build(sp.csr_array([[4.0, -1.0], [-1.0, 4.0]]), np.ones(2))
    >>> probed_diagonal(inverse)[0].round(3), inverse.diagonal.round(3)
    (array([0.267, 0.267]), array([0.267, 0.267]))
    """
    matrix = inverse.matrix
    root = np.sqrt(matrix.diagonal())
    off_diagonal = _scaled_off_diagonal(matrix, root)
    size = root.size
    random = np.random.default_rng(seed)
    total, squares = np.zeros(size), np.zeros(size)
    width = max(1, min(probes, _ENTRIES_PER_BLOCK // max(1, size)))
    for start in range(0, probes, width):
        z = random.choice([-1.0, 1.0], size=(size, min(width, probes - start)))
        scaled = root[:, None] * (off_diagonal @ (off_diagonal @ z))
        solution = root[:, None] * inverse.solve(scaled, _PROBE_TOLERANCE)
        products = z * (off_diagonal @ (off_diagonal @ solution))
        total += products.sum(axis=1)
        squares += np.einsum("ij,ij->i", products, products)
    mean = total / probes
    spread = np.maximum(squares / probes - mean**2, 0.0)
    exact = 1.0 + _short_returns(off_diagonal)
    return (exact + np.maximum(mean, 0.0)) / root**2, np.sqrt(spread / probes) / root**2


def _scaled_off_diagonal(matrix: Any, root: FloatArray) -> Any:
    """``S = I - N^{-1/2} M N^{-1/2}``, ``(N, N)``."""
    entries = matrix.tocoo()
    others = entries.row != entries.col
    rows, columns = entries.row[others], entries.col[others]
    values = -entries.data[others] / (root[rows] * root[columns])
    return sp.csr_array((values, (rows, columns)), shape=matrix.shape)


def _short_returns(matrix: Any) -> FloatArray:
    """``diag(S^2) + diag(S^3)``, in blocks of rows: ``S^2`` has many entries."""
    size = matrix.shape[0]
    returns = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
    mean_entries = matrix.nnz / max(1, size)
    rows = max(1, int(_ENTRIES_PER_BLOCK / max(1.0, mean_entries**2)))
    for start in range(0, size, rows):
        block = matrix[start : start + rows]
        cubes = (block @ matrix).multiply(block).sum(axis=1)
        returns[start : start + rows] += np.asarray(cubes).ravel()
    return returns


@dataclass(frozen=True, eq=False)
class SolvedVotes:
    """``alpha = left @ M^{-1} @ right - diag(own)``, applied by solving with M.

    No entry is negative: `left`, `right` and ``M^{-1}`` are not, and `own` is the diagonal of their
    product, or None. (An estimate of the diagonal can leave small negative own votes.) A product
    solves with M once for each column of its values; `rows`, `column_entries` and `strongest` once
    for each row or column that they return.

    Parameters
    ----------
    left : csr_array, (q, N)
    inverse : SparseInverse (N, N)
    right : csr_array, (N, n)
    own : float64, (n,), or None
        None: zero. Only where ``q = n``.
    own_is_estimated : bool, default False
        Whether `own` is an estimate of the diagonal.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> inverse = SparseInverse.build(sp.csr_array([[2.0, -1.0], [-1.0, 2.0]]), np.ones(2))
    >>> eye = sp.csr_array(np.eye(2))
    >>> SolvedVotes(eye, inverse, eye) @ np.array([3.0, 0.0])
    array([2., 1.])
    """

    left: Any
    inverse: SparseInverse
    right: Any
    own: FloatArray | None = None
    own_is_estimated: bool = False

    entries = None
    compressed = None

    @property
    def shape(self) -> tuple[int, int]:
        return self.left.shape[0], self.right.shape[1]

    @cached_property
    def is_nonnegative(self) -> bool:
        # The inverse of a positive definite matrix without positive entries off its diagonal has no
        # negative entry.
        factors = bool((self.left.data >= 0).all() and (self.right.data >= 0).all())
        return factors and (self.own is None or not self.own_is_estimated)

    @property
    def absolute_sums_are_bounds(self) -> bool:
        # They are the sums themselves, which are too small if an own vote is negative.
        return self.is_nonnegative

    @cached_property
    def is_symmetric(self) -> bool:
        q, n = self.shape
        return q == n and (self.left != self.right.T).nnz == 0

    @property
    def T(self) -> "SolvedVotes":
        left, right = sp.csr_array(self.right.T), sp.csr_array(self.left.T)
        return replace(self, left=left, right=right)

    def __matmul__(self, values: FloatArray) -> FloatArray:
        product: FloatArray = self.left @ (self.inverse @ (self.right @ values))
        if self.own is not None:
            product -= (self.own if values.ndim == 1 else self.own[:, None]) * values
        return product

    def row_sums(self) -> FloatArray:
        return self @ np.ones(self.shape[1])

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        # No vote is negative; the maximum removes rounding errors.
        sums: FloatArray = np.maximum(
            self @ (np.ones(self.shape[1]) if scales is None else scales), 0.0
        )
        return sums

    def diagonal(self) -> FloatArray:
        size = min(self.shape)
        left, right = sp.csr_array(self.left[:size]), sp.csr_array(self.right[:, :size].T)
        single = (np.diff(left.indptr) == 1) & (np.diff(right.indptr) == 1)
        if single.all() and (left.indices == right.indices).all():
            entries: FloatArray = left.data * right.data * self.inverse.diagonal[left.indices]
            return entries if self.own is None else _without_rounding(entries - self.own)
        found = np.empty(size)
        for start, block in row_blocks(SolvedVotes(left, self.inverse, self.right, self.own)):
            rows = np.arange(start, start + block.shape[0])
            found[rows] = block[rows - start, rows]
        return found

    def split(self) -> tuple["SolvedVotes", SparseVotes]:
        return self, SparseVotes(sp.csr_array(self.shape))

    def rows(self, start: int, stop: int) -> FloatArray:
        inner = self.inverse @ self.left[start:stop].toarray().T
        entries: FloatArray = np.maximum((self.right.T @ inner).T, 0.0)
        if self.own is not None:
            rows = np.arange(start, start + entries.shape[0])
            entries[rows - start, rows] -= self.own[rows]
            entries[rows - start, rows] = _without_rounding(entries[rows - start, rows])
        return entries

    def scale_rows(self, factors: FloatArray) -> "SolvedVotes":
        left = SparseVotes(self.left).scale_rows(factors).matrix
        own = None if self.own is None else self.own * factors
        return replace(self, left=left, own=own)

    def without_own(self) -> None:
        """None: rounding errors would be left on the diagonal."""
        return

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        require_bytes(
            3 * 8.0 * self.shape[0] * len(columns),
            f"The votes of {len(columns)} rows at {self.shape[0]} inputs",
            "Request fewer rows at a time, or use sparse votes (NeighborWeights).",
        )
        part = self.T
        part = SolvedVotes(sp.csr_array(part.left[columns]), part.inverse, part.right)
        entries = np.ascontiguousarray(part.rows(0, len(columns)).T)
        if self.own is not None:
            positions = np.arange(len(columns))
            entries[columns, positions] -= self.own[columns]
            entries[columns, positions] = _without_rounding(entries[columns, positions])
        return DenseVotes(entries).column_entries(np.arange(len(columns)))

    def links(self, rows: IntArray) -> sp.csr_array:
        # M^{-1} is positive within a connected part of M: a row whose `left` meets the part has the
        # votes of all rows whose `right` meets it. These rows are linked to the first of them; the
        # entries themselves would fill a square matrix.
        parts = self.inverse.parts
        count, size = int(parts.max(initial=-1)) + 1, len(rows)
        as_query = _places(self.left[rows], parts)
        as_sample = _places(sp.csr_array(self.right.T)[rows], parts)
        linking_parts = np.intersect1d(as_query[1], as_sample[1])
        row, part = np.concatenate([as_query, as_sample], axis=1)
        kept = np.isin(part, linking_parts)
        joint = sp.csr_array(
            (np.ones(int(kept.sum())), (row[kept], size + part[kept])),
            shape=(size + count, size + count),
        )
        _, group = connected_components(joint, directed=False)
        _, first, member = np.unique(group[:size], return_index=True, return_inverse=True)
        return sp.csr_array((np.ones(size), (np.arange(size), first[member])), shape=(size, size))

    def strongest(self, limit: int) -> IntArray:
        return strongest_by_blocks(self, limit)


def _without_rounding(entries: FloatArray) -> FloatArray:
    return np.where(np.abs(entries) <= _ROUNDING_ERROR, 0.0, entries)


def _places(matrix: Any, parts: IntArray) -> AnyArray:
    """Row and connected part of the positive entries, ``(2, entries)``."""
    entries = sp.coo_array(matrix)
    positive = entries.data > 0
    return np.stack([entries.row[positive], parts[entries.col[positive]]])
