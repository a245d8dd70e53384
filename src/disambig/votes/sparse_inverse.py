"""The inverse of a sparse symmetric positive definite matrix, applied by solving.

`SparseInverse` factorises the matrix where that is cheap; otherwise `conjugate_gradients` solves
for all right-hand sides at once.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from disambig.compiled.products import apply_matrix, inverse_diagonal, take_step, update_direction
from disambig.exceptions import ConvergenceWarning, VotesError, warn
from disambig.memory import require_bytes
from disambig.notation import FloatArray, IntArray

# A hundredth of the size below which two scores tie.
TOLERANCE = 1e-12
_MAX_ITER = 10_000
# Entries of a block of right-hand sides: five arrays of 32 MiB.
_VALUES_PER_BLOCK = 2**22
# Largest envelope of a matrix that is factorised: the first number, or the second for each row. The
# envelope of the reordered matrix bounds the entries of the factor, in practice by 1.3 to 15 times.
# Up to these sizes the factor and the diagonal together took a few seconds, about as long as ten
# solves by iteration; beyond them, on graphs without geometry, soon minutes (measured for k = 10,
# n = 1000 to 30000, 2 to 64 features). All matrices of up to 2800 rows are below.
_MAX_ENVELOPE = 4_000_000
_MAX_ENVELOPE_PER_ROW = 512
# Unit vectors that are solved for together.
_UNIT_VECTORS_PER_BLOCK = 64


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
    ``matrix^{-1} @ scale <= 1``, the error of every entry of x is below
    ``tolerance max(|values| / scale)`` of its column. Entries of x below that are set to zero: a
    vote that is only error must not decide a tie. A column of zeros gives zeros, and so does every
    connected part of the matrix in which the values are zero.

    Parameters
    ----------
    matrix : csr_array, (n, n)
        Symmetric, positive definite; or semi-definite with a positive diagonal, if the values are
        in its range, up to rounding.
    values : float64, (n, p)
    scale : float64, (n,), positive
    tolerance : float, default 1e-12
        Relative size of the residual.
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
        warn(
            f"A sparse system of {values.shape[0]} equations is solved to {reached:.1e} instead of "
            f"{tolerance:.0e} after {max_iter} iterations; votes have errors of that size. Solve "
            "it directly (solver='direct'), or smooth less.",
            ConvergenceWarning,
        )
    return solution


def _solve(
    matrix: Any, values: FloatArray, scale: FloatArray, tolerance: float, max_iter: int
) -> tuple[FloatArray, float]:
    inverse = 1.0 / matrix.diagonal()
    # All columns are scaled to size one: the squares of very small values would underflow.
    size = (np.abs(values) / scale[:, None]).max(axis=0, initial=0.0)
    residual = np.ascontiguousarray(values / np.where(size > 0, size, 1.0))
    solution, image, direction = (np.zeros(residual.shape) for _ in range(3))
    zeros = np.zeros(size.size)
    product, errors = take_step(zeros, direction, image, inverse, scale, solution, residual)
    update_direction(zeros, residual, inverse, direction)
    for _ in range(max_iter):
        # A solved column is kept while the others go on. Further steps would follow rounding
        # errors, and be long where the matrix is singular.
        unsolved = errors > tolerance
        if not unsolved.any():
            break
        curvature = apply_matrix(matrix.indptr, matrix.indices, matrix.data, direction, image)
        lengths, before = np.where(unsolved, _ratio(product, curvature), 0.0), product
        product, errors = take_step(lengths, direction, image, inverse, scale, solution, residual)
        ratios = np.where(unsolved, _ratio(product, before), 0.0)
        update_direction(ratios, residual, inverse, direction)
    solution[np.abs(solution) <= tolerance] = 0.0
    solution *= size
    return solution, float(errors.max(initial=0.0))


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    # The steps of a column of zeros are zero.
    positive = denominator > 0
    ratio: FloatArray = np.where(positive, numerator / np.where(positive, denominator, 1.0), 0.0)
    return ratio


@dataclass(frozen=True, eq=False)
class SparseInverse:
    """``M^{-1}`` for a sparse symmetric M, of which only products are computed.

    M must be positive definite with no positive entry off the diagonal. Then no entry of the
    inverse is negative, and the positive ones are those within a connected part of M. (Conjugate
    gradients also accept a singular M if the values are in its range, and find one of the
    solutions.)

    Parameters
    ----------
    matrix : csr_array, (N, N)
        M, with all of its diagonal stored.
    scale : float64, (N,), positive
        Of the order of ``M @ 1``. If ``M^{-1} scale = 1``, the error of each entry of an iterative
        solution is below ``1e-12 max(|values| / scale)``.
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
        limit = max(_MAX_ENVELOPE, _MAX_ENVELOPE_PER_ROW * size)
        direct = method == "direct" or (method == "auto" and entries <= limit)
        if direct:
            # Values and indices of two triangles, and of the copy that gives the diagonal.
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
        """``M^{-1} @ values``; `tolerance` is that of `conjugate_gradients`, if they are used."""
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
        """``M^{-1}[i, i]``, ``(N,)``, from the factor or by N solutions."""
        if self.direct:
            return self._diagonal_of_factor()
        size = self.scale.size
        entries = np.empty(size)
        for start in range(0, size, _UNIT_VECTORS_PER_BLOCK):
            rows = np.arange(start, min(start + _UNIT_VECTORS_PER_BLOCK, size))
            units = np.zeros((size, rows.size))
            units[rows, np.arange(rows.size)] = 1.0
            entries[rows] = (self @ units)[rows, np.arange(rows.size)]
        return entries

    @cached_property
    def parts(self) -> IntArray:
        """The connected part of M that each row belongs to, ``(N,)``."""
        _, part = connected_components(self.matrix, directed=False)
        numbers: IntArray = part.astype(np.intp)
        return numbers

    def __getstate__(self) -> dict[str, Any]:
        # Factors cannot be pickled; everything cached is computed again.
        return {name: self.__dict__[name] for name in ("matrix", "scale", "direct")}

    @cached_property
    def _banded(self) -> tuple[IntArray, Any]:
        # Linked rows are close in memory: products take a quarter of the time for 10^5 rows.
        order = _bandwidth_reducing_order(self.matrix)
        banded = sp.csr_array(self.matrix[order][:, order])
        banded.sort_indices()
        return order, banded

    @cached_property
    def _factor(self) -> Any:
        # The pivots are always on the diagonal: M is positive definite, and the order of the rows
        # must be that of the columns.
        try:
            return splu(
                sp.csc_matrix(self.matrix),
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
        except RuntimeError as error:
            diagonal = self.matrix.diagonal()
            raise VotesError(
                f"The system of {diagonal.size} equations of the votes cannot be solved in double "
                f"precision ({error}): its diagonal has entries from {diagonal.min():.1e} to "
                f"{diagonal.max():.1e}. Use sample weights that differ less."
            ) from error

    def _diagonal_of_factor(self) -> FloatArray:
        factor = self._factor
        lower = sp.csc_array(sp.tril(factor.L, k=-1, format="csc"))
        found = inverse_diagonal(lower.indptr, lower.indices, lower.data, factor.U.diagonal())
        entries: FloatArray = found[factor.perm_c]
        return entries


def _envelope(matrix: Any) -> int:
    """Number of places from the first entry of each row to the diagonal, after reordering."""
    size = matrix.shape[0]
    order = _bandwidth_reducing_order(matrix)
    place = np.empty(size, dtype=np.int64)
    place[order] = np.arange(size)
    first = np.minimum.reduceat(place[matrix.indices], matrix.indptr[:-1].astype(np.intp))
    return int(np.maximum(place - first, 0).sum())


def _bandwidth_reducing_order(matrix: Any) -> IntArray:
    order: IntArray = reverse_cuthill_mckee(sp.csr_matrix(matrix), symmetric_mode=True).astype(
        np.intp
    )
    return order
