"""Many right-hand sides of one sparse positive definite system, by iteration.

The inverse of a sparse matrix, by solving.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from disambig.compiled.products import apply_matrix, inverse_diagonal, move_along, turn_direction
from disambig.exceptions import ConvergenceWarning
from disambig.memory import require_bytes
from disambig.notation import FloatArray, IntArray

TOLERANCE = 1e-12
_MAX_ITER = 10_000
# Entries of a block of right-hand sides: five arrays of 32 MiB.
_VALUES_PER_BLOCK = 2**22
# The envelope of the reordered matrix bounds the factor, in practice by 1.3 to 15 times. Up to
# these sizes the factor and the diagonal together took a few seconds, about as long as ten solves
# by iteration; beyond them, on graphs without geometry, soon minutes (measured for k = 10,
# n = 1000 to 30000, 2 to 64 features). All matrices of up to 2800 rows are below.
_ENVELOPE = 4_000_000
_ENVELOPE_OF_A_ROW = 512
# Unit vectors solved for together.
_ROWS_PER_BLOCK = 64


def conjugate_gradients(
    matrix: Any,
    values: FloatArray,
    scale: FloatArray,
    *,
    tolerance: float = TOLERANCE,
    max_iter: int = _MAX_ITER,
) -> FloatArray:
    """``x`` with ``|matrix @ x - values| <= tolerance scale max(|values| / scale)``, by column.

    Preconditioned by the diagonal. If the inverse has no negative entry and
    ``matrix^{-1} @ scale <= 1``, the error of every entry of x is below ``tolerance max(|values| /
    scale)`` of its column. Entries of x below that cannot be told from zero, and are zero: a vote
    that is mere error must not decide a tie. A column of zeros gives zeros, and so does every
    connected part of the matrix in which the values are zero.

    Parameters
    ----------
    matrix : csr_array, (n, n)
        Symmetric, positive definite; or semi-definite with a positive diagonal, and then values
        that are images of something, up to rounding.
    values : float64, (n, p)
    scale : float64, (n,), positive
    tolerance : float, default 1e-12
        A hundredth of the size below which two scores tie.
    max_iter : int

    Warns
    -----
    ConvergenceWarning
        After `max_iter` iterations without reaching the tolerance; names the accuracy reached.
    """
    solution = np.empty(values.shape)
    step = max(1, _VALUES_PER_BLOCK // max(1, values.shape[0]))
    reached = 0.0
    for start in range(0, values.shape[1], step):
        columns = slice(start, start + step)
        solution[:, columns], error = _solve(matrix, values[:, columns], scale, tolerance, max_iter)
        reached = max(reached, error)
    if reached > tolerance:
        warnings.warn(
            f"A sparse system of {values.shape[0]} equations is solved to {reached:.1e} instead of "
            f"{tolerance:.0e} after {max_iter} iterations; votes are that inexact. Solve it "
            "directly, or smooth less.",
            ConvergenceWarning,
            stacklevel=2,
        )
    return solution


def _solve(
    matrix: Any, values: FloatArray, scale: FloatArray, tolerance: float, max_iter: int
) -> tuple[FloatArray, float]:
    inverse = 1.0 / matrix.diagonal()
    # Columns of one size: the squares of very small values would be zero.
    size = (np.abs(values) / scale[:, None]).max(axis=0, initial=0.0)
    residual = np.ascontiguousarray(values / np.where(size > 0, size, 1.0))
    solution, image, direction = (np.zeros(residual.shape) for _ in range(3))
    nowhere = np.zeros(size.size)
    product, errors = move_along(nowhere, direction, image, inverse, scale, solution, residual)
    turn_direction(nowhere, residual, inverse, direction)
    for _ in range(max_iter):
        # A column that is done rests while others go on: beyond its accuracy it would move along
        # rounding, and far, where the matrix is singular.
        going = errors > tolerance
        if not going.any():
            break
        curvature = apply_matrix(matrix.indptr, matrix.indices, matrix.data, direction, image)
        lengths, before = np.where(going, _ratio(product, curvature), 0.0), product
        product, errors = move_along(lengths, direction, image, inverse, scale, solution, residual)
        ratios = np.where(going, _ratio(product, before), 0.0)
        turn_direction(ratios, residual, inverse, direction)
    solution[np.abs(solution) <= tolerance] = 0.0
    solution *= size
    return solution, float(errors.max(initial=0.0))


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    # A column that was zero from the start moves nowhere.
    positive = denominator > 0
    ratio: FloatArray = np.where(positive, numerator / np.where(positive, denominator, 1.0), 0.0)
    return ratio


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
        for start in range(0, size, _ROWS_PER_BLOCK):
            rows = np.arange(start, min(start + _ROWS_PER_BLOCK, size))
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
