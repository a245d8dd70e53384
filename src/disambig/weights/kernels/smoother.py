"""Rows taken out of a kernel ridge, in closed form.

Votes of ridge regression from the inverse that it solves with.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
from scipy.linalg import lapack

from disambig.exceptions import VotesError
from disambig.notation import FloatArray, IntArray
from disambig.votes import DeletedVotes
from disambig.votes.dense import SymmetricArray
from disambig.weights.kernels.system import Spectrum


@dataclass(frozen=True, eq=False)
class Deletion:
    """``C[T, T] - C[T, E] C[E, E]^{-1} C[E, T]``, with E the rows that leave and T the others.

    With ``y' C y`` the least that a ridge regression pays on targets y (times a constant), this is
    the same of the rows T: those of E have targets that cost nothing. These targets,
    ``-C[E, E]^{-1} C[E, T] y``, are what the others predict there: `answers`, transposed.

    Parameters
    ----------
    whole : SymmetricArray, (N, N)
        C, symmetric and positive definite, or semi-definite with constants in its kernel.
    kept, left_out : int arrays, (n,) and (e,)
        T, in increasing order, and E.

    Examples
    --------
    >>> import numpy as np
    >>> whole = SymmetricArray(np.linalg.inv([[3.0, 1.0], [1.0, 2.0]]))
    >>> deletion = Deletion(whole, np.array([0]), np.array([1]))
    >>> deletion.remaining().round(3), deletion.answers.round(3)
    (array([[0.333]]), array([[0.333]]))
    """

    whole: SymmetricArray
    kept: IntArray
    left_out: IntArray

    @cached_property
    def beside(self) -> FloatArray:
        """``C[T, E]``, (n, e)."""
        return self.whole.array[np.ix_(self.kept, self.left_out)]

    @cached_property
    def answers(self) -> FloatArray:
        """``-(C[E, E]^{-1} C[E, T])'``, (n, e)."""
        if not self.left_out.size:
            return self.beside
        # Multiplied by the small inverse: solving for so many rows takes three times as long.
        inverse, failed = lapack.dpotri(self._factor, lower=1)
        assert not failed
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        found: FloatArray = self.beside @ -inverse
        return found

    def remaining(self) -> FloatArray:
        """``C[T, T] - C[T, E] C[E, E]^{-1} C[E, T]``, (n, n), symmetric to the last bit."""
        if not self.left_out.size:
            return self.whole.array.copy()
        low: FloatArray = scipy.linalg.solve_triangular(
            self._factor, self.beside.T, lower=True, check_finite=False
        )
        # A product with its own transpose is symmetric.
        array = low.T @ low
        np.subtract(self.whole.array[np.ix_(self.kept, self.kept)], array, out=array)
        return array

    @cached_property
    def _factor(self) -> FloatArray:
        block = self.whole.array[np.ix_(self.left_out, self.left_out)]
        try:
            factor: FloatArray = scipy.linalg.cholesky(block, lower=True, check_finite=False)
        except scipy.linalg.LinAlgError as error:
            raise VotesError(
                f"Deletion: {self.left_out.size} rows cannot be taken out of {block.shape[0]} + "
                f"{self.kept.size} at a ridge this small in double precision. Fit on the other "
                "rows, or use a larger regularization."
            ) from error
        return factor


def left_out_rows(owner: str, rows: Any, n: int) -> tuple[IntArray, IntArray]:
    """The rows that leave, as they were given, and those that stay, increasing.

    `rows` are numbers from 0 to ``n - 1``, each once, or a mask ``(n,)``; some row must stay.

    Examples
    --------
    >>> left_out_rows("KernelRidgeWeights", [3, 0], 4)
    (array([3, 0]), array([1, 2]))
    """
    given = np.asarray(rows)
    if given.dtype == np.bool_ and given.shape == (n,):
        given = np.flatnonzero(given)
    if given.ndim != 1 or (given.size and not np.issubdtype(given.dtype, np.integer)):
        raise ValueError(
            f"{owner}: rows to leave out must be a list of row numbers or a mask of shape ({n},); "
            f"got {given.dtype} of shape {given.shape}."
        )
    given = given.astype(np.intp)
    strange = (given < 0) | (given >= n)
    if strange.any():
        raise ValueError(
            f"{owner}: row {given[strange][0]} cannot be left out; rows go from 0 to {n - 1}."
        )
    stays = np.ones(n, dtype=np.bool_)
    stays[given] = False
    if np.count_nonzero(~stays) < given.size:
        values, counts = np.unique(given, return_counts=True)
        raise ValueError(f"{owner}: row {values[counts > 1][0]} is left out more than once.")
    if not stays.any():
        raise VotesError(f"{owner}: all {n} rows are left out; at least one must stay.")
    return given, np.flatnonzero(stays)


def smoother(inverse: FloatArray, ridge: float, sample_weight: FloatArray) -> FloatArray:
    """``I - ridge W^{-1} C``, (n, n), a new array: what the training rows say at each other.

    Examples
    --------
    >>> import numpy as np
    >>> smoother(np.array([[0.2, 0.1], [0.1, 0.2]]), 1.0, np.ones(2))
    array([[ 0.8, -0.1],
           [-0.1,  0.8]])
    """
    alpha: FloatArray = -ridge * inverse
    if not (sample_weight == 1.0).all():
        alpha /= sample_weight[:, None]
    alpha[np.diag_indices(sample_weight.size)] += 1.0
    return alpha


def spectral_smoother(spectrum: Spectrum, ridge: float, sample_weight: FloatArray) -> FloatArray:
    """The same from eigenvalues, of which no digit is lost where votes are faint.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.weights.kernels.system import spectrum_of
    >>> spectral_smoother(spectrum_of(np.eye(2)), 1e9, np.ones(2)).diagonal() * 1e9
    array([1., 1.])
    """
    root = np.sqrt(sample_weight)
    alpha = spectrum.smoother(ridge)
    alpha *= root
    alpha /= root[:, None]
    return alpha


def kept_votes(deletion: Deletion, ridge: float, sample_weight: FloatArray) -> DeletedVotes:
    """The same of the rows that a deletion keeps; nothing is written out."""
    right = np.full(sample_weight.size, np.sqrt(ridge))
    # The same object says that the votes are symmetric.
    left = right if (sample_weight == 1.0).all() else right / sample_weight
    parts = deletion.kept, deletion.left_out, deletion.beside, deletion.answers
    return DeletedVotes(deletion.whole, *parts, np.ones(sample_weight.size), left, right)


def centered(left: FloatArray, mean: FloatArray, shares: FloatArray) -> FloatArray:
    """``k(x, X) - m'`` without its own mean, which M~ does not see, and a column of ones."""
    q, n = left.shape
    beside_ones = np.ones((q, n + 1))
    inner = beside_ones[:, :n]
    np.subtract(left, mean, out=inner)
    inner -= (inner @ shares)[:, None]
    return beside_ones
