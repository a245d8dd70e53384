"""Votes of ridge regression from the inverse that it solves with."""

import numpy as np

from disambig.notation import FloatArray
from disambig.votes import DeletedVotes
from disambig.weights.deletion import Deletion
from disambig.weights.spectral import Spectrum

__all__ = ["centered", "kept_votes", "smoother", "spectral_smoother"]


def smoother(inverse: FloatArray, ridge: float, masses: FloatArray) -> FloatArray:
    """``I - ridge W^{-1} C``, (n, n), a new array: what the training rows say at each other.

    Examples
    --------
    >>> import numpy as np
    >>> smoother(np.array([[0.2, 0.1], [0.1, 0.2]]), 1.0, np.ones(2))
    array([[ 0.8, -0.1],
           [-0.1,  0.8]])
    """
    alpha: FloatArray = -ridge * inverse
    if not (masses == 1.0).all():
        alpha /= masses[:, None]
    alpha[np.diag_indices(masses.size)] += 1.0
    return alpha


def spectral_smoother(spectrum: Spectrum, ridge: float, masses: FloatArray) -> FloatArray:
    """The same from eigenvalues, of which no digit is lost where votes are faint.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.weights.spectral import spectrum_of
    >>> spectral_smoother(spectrum_of(np.eye(2)), 1e9, np.ones(2)).diagonal() * 1e9
    array([1., 1.])
    """
    root = np.sqrt(masses)
    alpha = spectrum.smoother(ridge)
    alpha *= root
    alpha /= root[:, None]
    return alpha


def kept_votes(deletion: Deletion, ridge: float, masses: FloatArray) -> DeletedVotes:
    """The same of the rows that a deletion keeps; nothing is written out."""
    right = np.full(masses.size, np.sqrt(ridge))
    # The same object says that the votes are symmetric.
    left = right if (masses == 1.0).all() else right / masses
    parts = deletion.kept, deletion.left_out, deletion.beside, deletion.answers
    return DeletedVotes(deletion.whole, *parts, np.ones(masses.size), left, right)


def centered(left: FloatArray, mean: FloatArray, shares: FloatArray) -> FloatArray:
    """``k(x, X) - m'`` without its own mean, which M~ does not see, and a column of ones."""
    q, n = left.shape
    beside_ones = np.ones((q, n + 1))
    inner = beside_ones[:, :n]
    np.subtract(left, mean, out=inner)
    inner -= (inner @ shares)[:, None]
    return beside_ones
