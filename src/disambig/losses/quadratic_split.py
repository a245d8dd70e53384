"""Symmetric losses as the difference of two inner products of vectors of equal length.

``loss(y, z) = <psi(y), psi(z)> - <phi(y), phi(z)>`` comes from the eigenvectors of the loss matrix:
``psi`` from those with positive eigenvalues, ``phi`` from those with negative ones.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.notation import FloatArray

# Entries count as equal if they differ by at most this fraction of the largest one.
_RELATIVE_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class QuadraticSplit:
    """``loss(y, z) = <psi(y), psi(z)> - <phi(y), phi(z)>``, all vectors of the same length.

    The appendix of the paper makes the lengths equal by one extra coordinate for each class. One
    coordinate that all classes share is enough, because it cancels in the difference of the two
    products. So `psi` has one column for each positive eigenvalue of the loss and `phi` one for
    each negative eigenvalue, the fewest that are possible. Both have one more column if the lengths
    would differ without it.

    Parameters
    ----------
    psi : float array (K, r)
    phi : float array (K, s)
    squared_norm : float
        ``C = |psi(y)|^2 = |phi(y)|^2`` of every class: the largest squared length that a class
        has without the shared coordinate. It is at most the largest absolute eigenvalue.
    """

    psi: FloatArray
    phi: FloatArray
    squared_norm: float

    def __post_init__(self) -> None:
        for array in (self.psi, self.phi):
            array.setflags(write=False)

    @cached_property
    def matrix(self) -> FloatArray:
        """The loss, computed from the split, ``(K, K)``."""
        return np.asarray(self.psi @ self.psi.T - self.phi @ self.phi.T)


def quadratic_split(matrix: Any) -> QuadraticSplit:
    """Split a symmetric loss matrix whose diagonal is zero.

    Parameters
    ----------
    matrix : array-like (K, K)

    Examples
    --------
    >>> split = quadratic_split([[0, 1, 4], [1, 0, 1], [4, 1, 0]])
    >>> split.matrix.round(12) + 0.0
    array([[0., 1., 4.],
           [1., 0., 1.],
           [4., 1., 0.]])
    >>> split.psi.shape, split.phi.shape, round(split.squared_norm, 3)
    ((3, 2), (3, 3), 2.021)
    >>> bool(np.allclose((split.psi**2).sum(axis=1), split.squared_norm))
    True
    """
    loss = require_symmetric(np.asarray(matrix, dtype=np.float64), "quadratic_split")
    psi, phi = eigen_halves(loss)
    # Within a class both lengths are equal: their difference is the diagonal of the loss, 0. The
    # mean of the two halves the rounding.
    lengths = ((psi**2).sum(axis=1) + (phi**2).sum(axis=1)) / 2
    largest = float(lengths.max(initial=0.0))
    missing = largest - lengths
    if (missing > _RELATIVE_ROUNDING * largest).any():
        shared = np.sqrt(missing)[:, None]
        psi, phi = np.hstack([psi, shared]), np.hstack([phi, shared])
    return QuadraticSplit(psi, phi, largest)


def eigen_halves(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """``(plus, minus)`` with ``matrix = plus plus' - minus minus'`` and the fewest columns.

    Examples
    --------
    >>> plus, minus = eigen_halves(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> plus.shape, minus.shape, (plus @ plus.T - minus @ minus.T).round(12) + 0.0
    ((2, 1), (2, 1), array([[0., 1.],
           [1., 0.]]))
    """
    values, vectors = np.linalg.eigh(matrix)
    # The rounding error of `eigh`: smaller eigenvalues count as zero.
    zero = len(matrix) * np.finfo(np.float64).eps * np.abs(values).max(initial=0.0)
    scaled = vectors * np.sqrt(np.abs(values))
    return scaled[:, values > zero], scaled[:, values < -zero]


def require_symmetric(matrix: FloatArray, what: str) -> FloatArray:
    """The loss made exactly symmetric; raises if it is not symmetric or its diagonal is not 0."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"{what}: the loss has shape {matrix.shape}; expected a square table of losses between "
            "the same classes."
        )
    if not np.isfinite(matrix).all():
        y, z = np.argwhere(~np.isfinite(matrix))[0]
        raise ValueError(f"{what}: loss[{y}, {z}] is {matrix[y, z]}; expected finite numbers.")
    rounding = _RELATIVE_ROUNDING * np.abs(matrix).max(initial=0.0)
    uneven = np.argwhere(np.abs(matrix - matrix.T) > rounding)
    if uneven.size:
        y, z = uneven[0]
        raise ValueError(
            f"{what}: loss[{y}, {z}] is {matrix[y, z]:.6g} and loss[{z}, {y}] is "
            f"{matrix[z, y]:.6g}; expected a symmetric loss. Use (L + L.T) / 2."
        )
    nonzero = np.flatnonzero(np.abs(np.diagonal(matrix)) > rounding)
    if nonzero.size:
        y = int(nonzero[0])
        raise ValueError(
            f"{what}: loss[{y}, {y}] is {matrix[y, y]:.6g}; expected 0, the loss of a correct "
            "prediction."
        )
    symmetric: FloatArray = (matrix + matrix.T) / 2
    np.fill_diagonal(symmetric, 0.0)
    return symmetric
