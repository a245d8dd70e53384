"""The diagonal of an inverse, estimated where N solutions would take too long.

Votes held as a sparse linear system.
"""

from dataclasses import dataclass
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

# Entries of a block of probes, or of a product of sparse rows.
_BLOCK = 2**22
# Of solutions: far below what the signs leave open.
_TOLERANCE = 1e-6
# What is left of an own vote that was taken out exactly.
_ROUNDING = 1e-11


def probed_diagonal(
    inverse: SparseInverse, *, probes: int = 64, seed: int = 0
) -> tuple[FloatArray, FloatArray]:
    r"""The diagonal of ``M^{-1}``, ``(N,)``, and its standard error, ``(N,)``.

    With ``M = N^{1/2} (I - S) N^{1/2}``, N the diagonal of M, no entry of S is negative and ::

        diag(M^{-1}) = N^{-1} (1 + diag(S^2) + diag(S^3) + diag(S^2 (I - S)^{-1} S^2)).

    Only the last diagonal is estimated, by the mean of ``z * (S^2 (I - S)^{-1} S^2 z)`` over random
    signs z. What the first three hold, the near returns of a walk on the graph, is most of the
    whole; the walks left to estimation spread over many rows, so that little comes back.

    Parameters
    ----------
    inverse : SparseInverse (N, N)
    probes : int >= 2
        Solutions that are computed.
    seed : int
        Of the signs.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> inverse = SparseInverse.build(sp.csr_array([[4.0, -1.0], [-1.0, 4.0]]), np.ones(2))
    >>> probed_diagonal(inverse)[0].round(3), inverse.diagonal.round(3)
    (array([0.267, 0.267]), array([0.267, 0.267]))
    """
    matrix = inverse.matrix
    root = np.sqrt(matrix.diagonal())
    step = _steps(matrix, root)
    size = root.size
    signs = np.random.default_rng(seed)
    total, squares = np.zeros(size), np.zeros(size)
    width = max(1, min(probes, _BLOCK // max(1, size)))
    for start in range(0, probes, width):
        z = signs.choice([-1.0, 1.0], size=(size, min(width, probes - start)))
        onward = inverse.solve(root[:, None] * (step @ (step @ z)), _TOLERANCE)
        products = z * (step @ (step @ (root[:, None] * onward)))
        total += products.sum(axis=1)
        squares += np.einsum("ij,ij->i", products, products)
    mean = total / probes
    spread = np.maximum(squares / probes - mean**2, 0.0)
    near = 1.0 + _short_returns(step)
    return (near + np.maximum(mean, 0.0)) / root**2, np.sqrt(spread / probes) / root**2


def _steps(matrix: Any, root: FloatArray) -> Any:
    """S, ``(N, N)``."""
    entries = matrix.tocoo()
    others = entries.row != entries.col
    rows, columns = entries.row[others], entries.col[others]
    values = -entries.data[others] / (root[rows] * root[columns])
    return sp.csr_array((values, (rows, columns)), shape=matrix.shape)


def _short_returns(step: Any) -> FloatArray:
    """``diag(S^2) + diag(S^3)``, in blocks of rows: the square of a graph is large."""
    size = step.shape[0]
    returns = np.asarray(step.multiply(step).sum(axis=1)).ravel()
    mean_entries = step.nnz / max(1, size)
    rows = max(1, int(_BLOCK / max(1.0, mean_entries**2)))
    for start in range(0, size, rows):
        block = step[start : start + rows]
        thrice = (block @ step).multiply(block).sum(axis=1)
        returns[start : start + rows] += np.asarray(thrice).ravel()
    return returns


@dataclass(frozen=True, eq=False)
class SolvedVotes:
    """``alpha = left @ M^{-1} @ right - diag(own)``, applied by solving with M.

    Nothing is negative: `left`, `right` and ``M^{-1}`` by nature, alpha because `own` is what is
    found on the diagonal, or nothing. Products cost one solution a column; what asks for entries
    (`rows`, `column_entries`, `strongest`) one a row or column asked for.

    Parameters
    ----------
    left : csr_array, (q, N)
    inverse : SparseInverse (N, N)
    right : csr_array, (N, n)
    own : float64, (n,), or None
        None: zero. Only where ``q = n``.

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

    @property
    def shape(self) -> tuple[int, int]:
        return self.left.shape[0], self.right.shape[1]

    @property
    def T(self) -> "SolvedVotes":
        return SolvedVotes(
            sp.csr_array(self.right.T), self.inverse, sp.csr_array(self.left.T), self.own
        )

    def __matmul__(self, values: FloatArray) -> FloatArray:
        product: FloatArray = self.left @ (self.inverse @ (self.right @ values))
        if self.own is not None:
            product -= (self.own if values.ndim == 1 else self.own[:, None]) * values
        return product

    def row_sums(self) -> FloatArray:
        return self @ np.ones(self.shape[1])

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        # Not negative, but for rounding.
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
        heard = self.inverse @ self.left[start:stop].toarray().T
        entries: FloatArray = np.maximum((self.right.T @ heard).T, 0.0)
        if self.own is not None:
            rows = np.arange(start, start + entries.shape[0])
            entries[rows - start, rows] -= self.own[rows]
            entries[rows - start, rows] = _without_rounding(entries[rows - start, rows])
        return entries

    def scale_rows(self, factors: FloatArray) -> "SolvedVotes":
        left = SparseVotes(self.left).scale_rows(factors).matrix
        own = None if self.own is None else self.own * factors
        return SolvedVotes(left, self.inverse, self.right, own)

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        require_bytes(
            3 * 8.0 * self.shape[0] * len(columns),
            f"The votes of {len(columns)} rows at {self.shape[0]} inputs",
            "Ask for fewer rows at a time, or use sparse votes (NeighborWeights).",
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
        # Who hears a connected part of M hears all who speak in it. Those rows are joined through
        # their first one: the entries themselves would fill a square.
        parts = self.inverse.parts
        count, size = int(parts.max(initial=-1)) + 1, len(rows)
        hears = _places(self.left[rows], parts)
        speaks = _places(sp.csr_array(self.right.T)[rows], parts)
        open_parts = np.intersect1d(hears[1], speaks[1])
        row, part = np.concatenate([hears, speaks], axis=1)
        kept = np.isin(part, open_parts)
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
    return np.where(np.abs(entries) <= _ROUNDING, 0.0, entries)


def _places(matrix: Any, parts: IntArray) -> AnyArray:
    """Row and connected part of the positive entries, ``(2, entries)``."""
    entries = sp.coo_array(matrix)
    positive = entries.data > 0
    return np.stack([entries.row[positive], parts[entries.col[positive]]])
