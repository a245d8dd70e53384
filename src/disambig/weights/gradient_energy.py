"""Sums over rows that a Gaussian kernel and its derivatives leave on a few landmarks."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import euclidean_distances

from disambig.notation import FloatArray

__all__ = ["gaussian_features", "gradient_energy"]

# Entries of a block of distances: 16 MiB.
_BLOCK = 2**21


def gaussian_features(X: Any, landmarks: Any, bandwidth: float) -> FloatArray:
    """``k(x_i, l_p) = exp(-|x_i - l_p|^2 / (2 h^2))``, ``(n, p)``."""
    values = np.empty((X.shape[0], landmarks.shape[0]))
    for rows, squares in _squared_distances(X, landmarks):
        values[rows] = _gaussian(squares, bandwidth)
    return values


def gradient_energy(
    X: Any, landmarks: Any, shares: FloatArray, bandwidth: float
) -> tuple[FloatArray, FloatArray]:
    r"""``sum_i v_i k_ip k_iq`` and ``h^2 sum_i v_i <grad k_p(x_i), grad k_q(x_i)>``, ``(p, p)``.

    From ``grad k_p(x) = -k_p(x) (x - l_p) / h^2`` the second is ::

        sum_i v_i k_ip k_iq (|x_i - l_p|^2 + |x_i - l_q|^2 - |l_p - l_q|^2) / (2 h^2):

    two products of n x p arrays, whatever the number of features.

    Parameters
    ----------
    X : float64 array or csr_array, (n, d)
    landmarks : the same, (p, d)
    shares : float64, (n,)
        v.
    bandwidth : float > 0
        h.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0]])
    >>> gram, energy = gradient_energy(X, X[:1], np.ones(2), 1.0)
    >>> gram.round(3), energy.round(3)
    (array([[1.368]]), array([[0.368]]))
    """
    p = landmarks.shape[0]
    gram, mixed = np.zeros((p, p)), np.zeros((p, p))
    for rows, squares in _squared_distances(X, landmarks):
        values = _gaussian(squares, bandwidth)
        weighted = values * shares[rows, None]
        gram += weighted.T @ values
        # Divided before multiplied: a tiny bandwidth makes distances overflow only where k is 0.
        with np.errstate(over="ignore", invalid="ignore"):
            weighted *= squares / bandwidth / bandwidth
        mixed += np.where(np.isfinite(weighted), weighted, 0.0).T @ values
    apart = np.concatenate([squares for _, squares in _squared_distances(landmarks, landmarks)])
    with np.errstate(over="ignore", invalid="ignore"):
        between = gram * (apart / bandwidth / bandwidth)
    energy = (mixed + mixed.T - np.where(np.isfinite(between), between, 0.0)) / 2.0
    return (gram + gram.T) / 2.0, energy


def _squared_distances(X: Any, landmarks: Any) -> Iterator[tuple[slice, FloatArray]]:
    """Blocks of rows with ``|x_i - l_p|^2``, none negative."""
    # The quick formula loses digits of the size of the squared norms: least about the mean.
    center = None if sp.issparse(X) else landmarks.mean(axis=0)
    moved = landmarks if center is None else landmarks - center
    step = max(1, _BLOCK // max(1, landmarks.shape[0]))
    for start in range(0, X.shape[0], step):
        rows = slice(start, min(start + step, X.shape[0]))
        block = X[rows] if center is None else X[rows] - center
        yield rows, euclidean_distances(block, moved, squared=True)


def _gaussian(squares: FloatArray, bandwidth: float) -> FloatArray:
    # One division at a time: the square of a tiny bandwidth would be 0.
    with np.errstate(over="ignore"):
        values: FloatArray = np.exp(-(squares / bandwidth / bandwidth / 2.0))
    return values
