"""Votes of kernel ridge regression from its inverse ``C``.

`smoother` is ``I - ridge W^{-1} C``; `Deletion` removes rows from C in closed form.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
from scipy.linalg import lapack

from disambig.exceptions import VotesError
from disambig.notation import FloatArray, IntArray
from disambig.votes.deleted import DeletedVotes
from disambig.votes.dense import SymmetricArray
from disambig.weights.kernels.system import Spectrum


@dataclass(frozen=True, eq=False)
class Deletion:
    """``C[T, T] - C[T, E] C[E, E]^{-1} C[E, T]``, with E the rows left out and T the others.

    ``y' C y`` is, up to a factor, the minimum of a ridge regression on targets y. Minimised over
    the targets of E as well, it is this form of the rows T. The minimising targets,
    ``-C[E, E]^{-1} C[E, T] y``, are the predictions of the rows T at E: ``left_out_weights.T @ y``.

    Parameters
    ----------
    whole : SymmetricArray, (N, N)
        C, symmetric and positive definite, or semi-definite with constants in its null space.
    kept, left_out : int arrays, (n,) and (e,)
        T, in increasing order, and E.

    Examples
    --------
    >>> import numpy as np
    >>> whole = SymmetricArray(np.linalg.inv([[3.0, 1.0], [1.0, 2.0]]))
    >>> deletion = Deletion(whole, np.array([0]), np.array([1]))
    >>> deletion.remaining().round(3), deletion.left_out_weights.round(3)
    (array([[0.333]]), array([[0.333]]))
    """

    whole: SymmetricArray
    kept: IntArray
    left_out: IntArray

    @cached_property
    def cross_block(self) -> FloatArray:
        """``C[T, E]``, (n, e)."""
        return self.whole.array[np.ix_(self.kept, self.left_out)]

    @cached_property
    def left_out_weights(self) -> FloatArray:
        """``-(C[E, E]^{-1} C[E, T])'``, (n, e)."""
        if not self.left_out.size:
            return self.cross_block
        # A product with the small inverse: solving for so many rows takes three times as long.
        inverse, failed = lapack.dpotri(self._factor, lower=1)
        assert not failed
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        found: FloatArray = self.cross_block @ -inverse
        return found

    def remaining(self) -> FloatArray:
        """``C[T, T] - C[T, E] C[E, E]^{-1} C[E, T]``, (n, n), exactly symmetric."""
        if not self.left_out.size:
            return self.whole.array.copy()
        half: FloatArray = scipy.linalg.solve_triangular(
            self._factor, self.cross_block.T, lower=True, check_finite=False
        )
        # A product with its own transpose is symmetric.
        array = half.T @ half
        np.subtract(self.whole.array[np.ix_(self.kept, self.kept)], array, out=array)
        return array

    @cached_property
    def _factor(self) -> FloatArray:
        block = self.whole.array[np.ix_(self.left_out, self.left_out)]
        try:
            factor: FloatArray = scipy.linalg.cholesky(block, lower=True, check_finite=False)
        except scipy.linalg.LinAlgError as error:
            raise VotesError(
                f"Deletion: {self.left_out.size} rows cannot be removed from {block.shape[0]} + "
                f"{self.kept.size} in double precision, because the ridge is too small. Fit on the "
                "other rows, or use a larger regularization."
            ) from error
        return factor


def left_out_rows(owner: str, rows: Any, n: int) -> tuple[IntArray, IntArray]:
    """The rows left out, in the given order, and the rows kept, ascending.

    `rows` are numbers from 0 to ``n - 1``, each once, or a mask ``(n,)``; one row must be kept.

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
    invalid = (given < 0) | (given >= n)
    if invalid.any():
        raise ValueError(
            f"{owner}: row {given[invalid][0]} cannot be left out; rows go from 0 to {n - 1}."
        )
    is_kept = np.ones(n, dtype=np.bool_)
    is_kept[given] = False
    if np.count_nonzero(~is_kept) < given.size:
        values, counts = np.unique(given, return_counts=True)
        raise ValueError(f"{owner}: row {values[counts > 1][0]} is left out more than once.")
    if not is_kept.any():
        raise VotesError(f"{owner}: all {n} rows are left out; keep at least one.")
    return given, np.flatnonzero(is_kept)


def smoother(inverse: FloatArray, ridge: float, sample_weight: FloatArray) -> FloatArray:
    """``I - ridge W^{-1} C``, (n, n), a new array: the votes at the training rows.

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
    """`smoother` from eigenvalues: no digits are lost where votes are small.

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
    """`smoother` of the rows that a deletion keeps, as an operator."""
    right = np.full(sample_weight.size, np.sqrt(ridge))
    # DeletedVotes are symmetric if both are the same object.
    left = right if (sample_weight == 1.0).all() else right / sample_weight
    parts = deletion.kept, deletion.left_out, deletion.cross_block, deletion.left_out_weights
    return DeletedVotes(deletion.whole, *parts, np.ones(sample_weight.size), left, right)


def centered(left: FloatArray, mean: FloatArray, shares: FloatArray) -> FloatArray:
    """``k(x, X) - m'`` minus its weighted mean, which M~ maps to 0, and a column of ones."""
    q, n = left.shape
    with_ones = np.ones((q, n + 1))
    inner = with_ones[:, :n]
    np.subtract(left, mean, out=inner)
    inner -= (inner @ shares)[:, None]
    return with_ones
