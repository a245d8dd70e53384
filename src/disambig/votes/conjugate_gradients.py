"""Many right-hand sides of one sparse positive definite system, by iteration."""

import warnings
from typing import Any

import numpy as np

from disambig.exceptions import ConvergenceWarning
from disambig.kernels.conjugate_directions import apply_matrix, move_along, turn_direction
from disambig.notation import FloatArray

__all__ = ["TOLERANCE", "conjugate_gradients"]

TOLERANCE = 1e-12
_MAX_ITER = 10_000
# Entries of a block of right-hand sides: five arrays of 32 MiB.
_BLOCK = 2**22


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
    step = max(1, _BLOCK // max(1, values.shape[0]))
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
