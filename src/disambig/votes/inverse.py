"""The inverse of a sparse matrix, by solving."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from disambig.kernels.selected_inverse import inverse_diagonal
from disambig.memory import require_bytes
from disambig.notation import FloatArray, IntArray
from disambig.votes.conjugate_gradients import TOLERANCE, conjugate_gradients

__all__ = ["SparseInverse"]

# The envelope of the reordered matrix bounds the factor, in practice by 1.3 to 15 times. Up to
# these sizes the factor and the diagonal together took a few seconds, about as long as ten solves
# by iteration; beyond them, on graphs without geometry, soon minutes (measured for k = 10,
# n = 1000 to 30000, 2 to 64 features). All matrices of up to 2800 rows are below.
_ENVELOPE = 4_000_000
_ENVELOPE_OF_A_ROW = 512
# Unit vectors solved for together.
_BLOCK = 64


@dataclass(frozen=True, eq=False)
class SparseInverse:
    """``M^{-1}`` for a sparse symmetric M, of which only products are computed.

    M must be positive definite with no positive entry off the diagonal, so that no entry of the
    inverse is negative; it is positive exactly within the connected parts of M. (By iteration M may
    be singular where the values are images under M: one of the many solutions is found.)

    Parameters
    ----------
    matrix : csr_array, (N, N)
        M, with all of its diagonal stored.
    scale : float64, (N,), positive
        Of the order of ``M @ 1``: with ``M^{-1} scale = 1`` every solution by iteration is exact to
        ``1e-12 max(|values| / scale)`` in each entry.
    direct : bool
        Whether M is factorised, or solved by preconditioned conjugate gradients.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> inverse = SparseInverse.build(sp.csr_array([[1.0, -1.0], [-1.0, 2.0]]), np.ones(2))
    >>> inverse @ np.array([1.0, 0.0])
    array([2., 1.])
    >>> inverse.diagonal
    array([2., 1.])
    """

    matrix: Any
    scale: FloatArray
    direct: bool

    @classmethod
    def build(cls, matrix: Any, scale: FloatArray, method: str = "auto") -> "SparseInverse":
        """Choose how to solve, unless `method` is "direct" or "iterative"."""
        size = matrix.shape[0]
        entries = 0 if method == "iterative" else _envelope(matrix)
        limit = max(_ENVELOPE, _ENVELOPE_OF_A_ROW * size)
        direct = method == "direct" or (method == "auto" and entries <= limit)
        if direct:
            # Values and indices of two triangles, and of the copy that the diagonal is read from.
            require_bytes(
                40.0 * entries,
                f"The factor of a sparse matrix of {size} rows, at its largest,",
                "Solve by iteration instead.",
            )
        return cls(matrix, scale, direct)

    @property
    def shape(self) -> tuple[int, int]:
        """``(N, N)``."""
        return self.scale.size, self.scale.size

    def __matmul__(self, values: FloatArray) -> FloatArray:
        """``M^{-1} @ values`` for values of shape ``(N,)`` or ``(N, p)``."""
        return self.solve(values, TOLERANCE)

    def solve(self, values: FloatArray, tolerance: float) -> FloatArray:
        """The same to another accuracy than 1e-12, where that is by iteration."""
        values = np.asarray(values, dtype=np.float64)
        if not values.size:
            return np.zeros(values.shape)
        table = values.reshape(values.shape[0], -1)
        if self.direct:
            found = self._factor.solve(np.ascontiguousarray(table))
        else:
            order, matrix = self._banded
            found = np.empty(table.shape)
            found[order] = conjugate_gradients(
                matrix, table[order], self.scale[order], tolerance=tolerance
            )
        return np.ascontiguousarray(found).reshape(values.shape)

    @cached_property
    def diagonal(self) -> FloatArray:
        """``M^{-1}[i, i]``, ``(N,)``: from the factor, or by N solutions."""
        if self.direct:
            return self._diagonal_of_factor()
        size = self.scale.size
        entries = np.empty(size)
        for start in range(0, size, _BLOCK):
            rows = np.arange(start, min(start + _BLOCK, size))
            units = np.zeros((size, rows.size))
            units[rows, np.arange(rows.size)] = 1.0
            entries[rows] = (self @ units)[rows, np.arange(rows.size)]
        return entries

    @cached_property
    def parts(self) -> IntArray:
        """The number of the connected part that each row of M belongs to, ``(N,)``."""
        _, part = connected_components(self.matrix, directed=False)
        numbers: IntArray = part.astype(np.intp)
        return numbers

    def __getstate__(self) -> dict[str, Any]:
        # Factors cannot be stored; whatever was computed is computed again.
        return {name: self.__dict__[name] for name in ("matrix", "scale", "direct")}

    @cached_property
    def _banded(self) -> tuple[IntArray, Any]:
        # Near rows near each other in memory: products take a quarter of the time for 10^5 rows.
        order = _near_order(self.matrix)
        banded = sp.csr_array(self.matrix[order][:, order])
        banded.sort_indices()
        return order, banded

    @cached_property
    def _factor(self) -> Any:
        # The diagonal is the pivot, always: M is positive definite, and rows and columns stay in
        # the same order.
        return splu(
            sp.csc_matrix(self.matrix),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )

    def _diagonal_of_factor(self) -> FloatArray:
        factor = self._factor
        lower = sp.csc_array(sp.tril(factor.L, k=-1, format="csc"))
        found = inverse_diagonal(lower.indptr, lower.indices, lower.data, factor.U.diagonal())
        entries: FloatArray = found[factor.perm_c]
        return entries


def _envelope(matrix: Any) -> int:
    """Places from the first entry of each row to the diagonal, after Cuthill and McKee."""
    size = matrix.shape[0]
    order = _near_order(matrix)
    place = np.empty(size, dtype=np.int64)
    place[order] = np.arange(size)
    first = np.minimum.reduceat(place[matrix.indices], matrix.indptr[:-1].astype(np.intp))
    return int(np.maximum(place - first, 0).sum())


def _near_order(matrix: Any) -> IntArray:
    order: IntArray = reverse_cuthill_mckee(sp.csr_matrix(matrix), symmetric_mode=True).astype(
        np.intp
    )
    return order
