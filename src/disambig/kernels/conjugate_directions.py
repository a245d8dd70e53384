"""The three passes of one iteration of conjugate gradients, for many right-hand sides at once."""

from typing import Any

import numpy as np

from disambig.kernels.jit import kernel
from disambig.notation import AnyArray, FloatArray

__all__ = ["apply_matrix", "move_along", "turn_direction"]


@kernel
def apply_matrix(
    indptr: AnyArray,
    indices: AnyArray,
    entries: FloatArray,
    direction: FloatArray,
    image: FloatArray,
) -> FloatArray:
    """``image = matrix @ direction``; returns ``sum_i direction[i] * image[i]``, (p,).

    Parameters
    ----------
    indptr, indices, entries : integers (n + 1,), integers, float64
        The matrix in compressed rows.
    direction, image : float64, (n, p), C-ordered
    """
    n, p = direction.shape
    products = np.zeros(p)
    row = np.empty(p)
    for i in range(n):
        row[:] = 0.0
        for t in range(indptr[i], indptr[i + 1]):
            j = indices[t]
            entry = entries[t]
            for c in range(p):
                row[c] += entry * direction[j, c]
        for c in range(p):
            image[i, c] = row[c]
            products[c] += row[c] * direction[i, c]
    return products


@kernel
def move_along(
    lengths: FloatArray,
    direction: FloatArray,
    image: FloatArray,
    inverse: FloatArray,
    scale: FloatArray,
    solution: FloatArray,
    residual: FloatArray,
) -> Any:
    """Add ``lengths * direction`` to the solution, take ``lengths * image`` off the residual.

    Returns ``sum_i residual[i]^2 inverse[i]`` and the largest ``|residual[i]| / scale[i]``, (p,).
    """
    n, p = direction.shape
    products = np.zeros(p)
    largest = np.zeros(p)
    for i in range(n):
        part = 1.0 / scale[i]
        for c in range(p):
            solution[i, c] += lengths[c] * direction[i, c]
            left = residual[i, c] - lengths[c] * image[i, c]
            residual[i, c] = left
            products[c] += left * left * inverse[i]
            largest[c] = max(largest[c], abs(left) * part)
    return products, largest


@kernel
def turn_direction(
    ratios: FloatArray, residual: FloatArray, inverse: FloatArray, direction: FloatArray
) -> None:
    """``direction = residual * inverse + ratios * direction``."""
    n, p = direction.shape
    for i in range(n):
        for c in range(p):
            direction[i, c] = residual[i, c] * inverse[i] + ratios[c] * direction[i, c]
