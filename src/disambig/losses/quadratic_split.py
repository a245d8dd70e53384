"""A symmetric loss as the difference of two inner products of vectors of one length."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from disambig.notation import FloatArray

# Entries that should be equal may differ by this part of the largest one.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class QuadraticSplit:
    """``loss(y, z) = <psi(y), psi(z)> - <phi(y), phi(z)>``, all vectors of one length.

    The appendix of the paper makes lengths equal by a coordinate of its own for each class. One
    coordinate that all classes share does it, too: it enters both products alike. So `psi` has one
    column for each positive eigenvalue of the loss and `phi` one for each negative eigenvalue, the
    least that any such pair can have, and both have one more if lengths differ without it.

    Parameters
    ----------
    psi : float array (K, r)
    phi : float array (K, s)
    squared_norm : float
        ``C = |psi(y)|^2 = |phi(y)|^2`` of every class: the largest that the eigenvectors ask for,
        which is at most the largest absolute eigenvalue.
    """

    psi: FloatArray
    phi: FloatArray
    squared_norm: float

    def __post_init__(self) -> None:
        for array in (self.psi, self.phi):
            array.setflags(write=False)

    @cached_property
    def matrix(self) -> FloatArray:
        """The loss again, ``(K, K)``."""
        return np.asarray(self.psi @ self.psi.T - self.phi @ self.phi.T)


def quadratic_split(matrix: Any) -> QuadraticSplit:
    """Split a symmetric loss with a diagonal of zeros.

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
    # Both lengths are equal: their difference is the diagonal of the loss.
    lengths = ((psi**2).sum(axis=1) + (phi**2).sum(axis=1)) / 2
    largest = float(lengths.max(initial=0.0))
    missing = largest - lengths
    if (missing > _ROUNDING * largest).any():
        shared = np.sqrt(missing)[:, None]
        psi, phi = np.hstack([psi, shared]), np.hstack([phi, shared])
    return QuadraticSplit(psi, phi, largest)


def eigen_halves(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """``(plus, minus)`` with ``matrix = plus plus' - minus minus'`` and as few columns as can be.

    Examples
    --------
    >>> plus, minus = eigen_halves(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> plus.shape, minus.shape, (plus @ plus.T - minus @ minus.T).round(12) + 0.0
    ((2, 1), (2, 1), array([[0., 1.],
           [1., 0.]]))
    """
    values, vectors = np.linalg.eigh(matrix)
    # Eigenvalues are exact to about this.
    zero = len(matrix) * np.finfo(np.float64).eps * np.abs(values).max(initial=0.0)
    scaled = vectors * np.sqrt(np.abs(values))
    return scaled[:, values > zero], scaled[:, values < -zero]


def require_symmetric(matrix: FloatArray, what: str) -> FloatArray:
    """The loss, symmetric to the last digit; refuses one that is not, or has a diagonal."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"{what}: the loss has shape {matrix.shape}; expected a square table of losses between "
            "the same classes."
        )
    if not np.isfinite(matrix).all():
        y, z = np.argwhere(~np.isfinite(matrix))[0]
        raise ValueError(f"{what}: loss[{y}, {z}] is {matrix[y, z]}; expected finite numbers.")
    rounding = _ROUNDING * np.abs(matrix).max(initial=0.0)
    uneven = np.argwhere(np.abs(matrix - matrix.T) > rounding)
    if uneven.size:
        y, z = uneven[0]
        raise ValueError(
            f"{what}: loss[{y}, {z}] is {matrix[y, z]:.6g} and loss[{z}, {y}] is "
            f"{matrix[z, y]:.6g}; expected a symmetric loss. (L + L.T) / 2 is one."
        )
    paid = np.flatnonzero(np.abs(np.diagonal(matrix)) > rounding)
    if paid.size:
        y = int(paid[0])
        raise ValueError(
            f"{what}: loss[{y}, {y}] is {matrix[y, y]:.6g}; expected 0: what is right is free."
        )
    symmetric: FloatArray = (matrix + matrix.T) / 2
    np.fill_diagonal(symmetric, 0.0)
    return symmetric
