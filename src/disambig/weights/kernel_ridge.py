"""Votes of kernel ridge regression."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.exceptions import VotesError
from disambig.memory import require_bytes
from disambig.notation import FloatArray
from disambig.votes import DenseVotes, ProductVotes
from disambig.weights.inputs import query_inputs, training_inputs
from disambig.weights.masses import row_masses
from disambig.weights.normalization import normalize_rows, remove_diagonal
from disambig.weights.parameters import check_flag, check_integer, check_number
from disambig.weights.similarity import Similarity, resolve_bandwidth
from disambig.weights.spectral import LARGEST_CONDITION, spectrum_of

__all__ = ["KernelRidgeWeights"]

_NAME = "KernelRidgeWeights"
_KERNELS = ("gaussian", "laplacian", "linear", "polynomial", "precomputed")
_INSTEAD = "Use NeighborWeights, whose votes are sparse, or fit on fewer rows."


class KernelRidgeWeights(BaseEstimator):
    """``alpha(x) = k(x, X) (K + n lam I)^{-1}``, with K the kernel of the training rows.

    With these votes ``alpha @ y`` is what kernel ridge regression predicts from targets y. Votes
    may be negative. One eigendecomposition of K, kept in ``spectrum_``, serves every ridge.
    Everything is computed in double precision, whatever the type of X.

    Parameters
    ----------
    kernel : str or callable, default="gaussian"
        "gaussian" ``exp(-|x - x'|^2 / (2 h^2))``, "laplacian" ``exp(-|x - x'|_1 / h)``, "linear"
        ``<x, x'>``, "polynomial" ``(<x, x'> / h^2 + coef0)^degree`` with h the bandwidth;
        "precomputed": X holds K, ``(n, n)`` in `fit`, and ``k(x, X)``, ``(q, n)``, in `votes`; or a
        function of ``(Q, X)`` that returns ``(q, n)``. K must be symmetric and positive
        semi-definite.
    bandwidth : float > 0, "median" or None, default=None
        None is "median", the median distance between training rows, where the kernel has a
        bandwidth. Giving one to a kernel that has none is an error.
    degree : int >= 1, default=3
    coef0 : float >= 0, default=1.0
        Of the polynomial kernel; an error with another one, unless left as they are.
    regularization : float >= 0, default=1e-3
        lam. Zero is accepted only if K can be inverted.
    normalize : bool, default=False
        Divide each row of alpha by its sum where that exceeds 1e-8 times its absolute sum; other
        rows stay as they are, for dividing by a negative sum would turn the votes around. `votes`
        then cost ``q n^2`` and are dense.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`.

    Attributes
    ----------
    spectrum_ : Spectrum
        Of ``W^{1/2} K W^{1/2}``, with W the diagonal of the sample weights.
    ridge_ : float
        ``n lam``, with n the total weight.
    bandwidth_ : float or None
    inverse_ : float64, (n, n)
        ``(K + n lam W^{-1})^{-1}``.
    masses_ : float64, (n,)
    n_features_in_ : int

    Notes
    -----
    ``sample_weight`` w means w copies: ``alpha(x) = k(x, X) (K + n lam W^{-1})^{-1}`` adds up the
    votes of the copies.

    Removing row i, with ``n lam`` as it is, leaves ``alpha[i, j] = -C[i, j] / C[i, i]`` for
    ``j != i``, where ``C = (K + n lam W^{-1})^{-1}``: write C by blocks, with i first. It follows
    that a row leaves as a whole, whatever its weight.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> weights = KernelRidgeWeights(bandwidth=1.0, regularization=0.1).fit(X)
    >>> (weights.training_votes() @ np.array([1.0, 1.0, 0.0])).round(2)
    array([0.84, 0.84, 0.02])
    """

    def __init__(
        self,
        kernel: Any = "gaussian",
        *,
        bandwidth: float | str | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        regularization: float = 1e-3,
        normalize: bool = False,
        leave_one_out: bool = False,
    ) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.degree = degree
        self.coef0 = coef0
        self.regularization = regularization
        self.normalize = normalize
        self.leave_one_out = leave_one_out

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Decompose the kernel of the training inputs ``(n, d)``, or a given one ``(n, n)``."""
        self._check_parameters()
        X = training_inputs(self, X, square=self._square)
        n = X.shape[0]
        self.masses_ = row_masses(_NAME, sample_weight, n)
        self.bandwidth_ = resolve_bandwidth(
            _NAME, self.kernel, self.bandwidth, X, self.masses_, choices=_KERNELS
        )
        # The matrix, which becomes its eigenvectors, and a workspace of twice that; later the
        # eigenvectors, their scaled copy, an inverse and the votes.
        require_bytes(4 * 8.0 * n * n, f"{_NAME} on {n} rows", _INSTEAD)
        self.X_fit_ = X
        root = np.sqrt(self.masses_)
        gram = self._gram(X)
        gram *= root
        gram *= root[:, None]
        self.spectrum_ = spectrum_of(gram)
        self.ridge_ = float(self.masses_.sum()) * float(self.regularization)
        self._check_condition()
        self.inverse_ = self.spectrum_.inverse(self.ridge_)
        self.inverse_ *= root
        self.inverse_ *= root[:, None]
        return self

    def training_votes(self) -> DenseVotes:
        """``alpha`` at the training inputs, ``(n, n)``; leave-one-out if the piece says so.

        Symmetric without sample weights, before normalisation.
        """
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        root = np.sqrt(self.masses_)
        alpha = self.spectrum_.smoother(self.ridge_)
        alpha *= root
        alpha /= root[:, None]
        return DenseVotes(normalize_rows(alpha) if self.normalize else alpha)

    def leave_one_out_votes(self) -> DenseVotes:
        """``alpha`` at each training input as if it had been absent, ``(n, n)``, diagonal zero."""
        check_is_fitted(self)
        alpha = remove_diagonal(self.inverse_ / -self.inverse_.diagonal()[:, None])
        return DenseVotes(normalize_rows(alpha) if self.normalize else alpha)

    def votes(self, X: Any) -> DenseVotes | ProductVotes:
        """``alpha`` at new inputs ``(q, d)``, or from ``k(x, X)`` of shape ``(q, n)``."""
        X = query_inputs(self, X, square=self._square)
        q, n = X.shape[0], self.masses_.size
        require_bytes(
            2 * 8.0 * q * n,
            f"{_NAME} between {q} queries and {n} rows",
            "Ask for fewer queries at a time.",
        )
        left = _dense(X) if self._square else self._similarity()(X, self.X_fit_)
        if self.normalize:
            return DenseVotes(normalize_rows(left @ self.inverse_))
        return ProductVotes(left, self.inverse_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = bool(self._square)
        tags.input_tags.sparse = True
        return tags

    @property
    def _square(self) -> str:
        precomputed = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return "kernel" if precomputed else ""

    def _check_parameters(self) -> None:
        degree = check_integer(_NAME, "degree", self.degree, least=1)
        # A negative constant would make the polynomial kernel indefinite.
        coef0 = check_number(_NAME, "coef0", self.coef0, positive=False)
        check_number(_NAME, "regularization", self.regularization, positive=False)
        check_flag(_NAME, "normalize", self.normalize)
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        polynomial = isinstance(self.kernel, str) and self.kernel == "polynomial"
        if not polynomial and (degree, coef0) != (3, 1.0):
            raise ValueError(
                f"{_NAME}: degree and coef0 belong to kernel='polynomial'; got "
                f"kernel={self.kernel!r} with degree={degree}, coef0={coef0:g}. Leave them at 3 "
                "and 1.0."
            )

    def _similarity(self) -> Similarity:
        return Similarity(self.kernel, self.bandwidth_, int(self.degree), float(self.coef0))

    def _gram(self, X: Any) -> FloatArray:
        if not self._square and isinstance(self.kernel, str):
            return self._similarity()(X, X)
        gram = np.array(_dense(X)) if self._square else self._similarity()(X, X)
        uneven = float(np.abs(gram - gram.T).max())
        if uneven > 1e-8 * float(np.abs(gram).max()):
            raise VotesError(
                f"{_NAME}: the kernel must be symmetric on the training rows; entries [i, j] and "
                f"[j, i] differ by up to {uneven:.3g}. Use (K + K.T) / 2 if that is rounding, "
                "PrecomputedWeights if it is meant."
            )
        return gram

    def _check_condition(self) -> None:
        condition = self.spectrum_.condition(self.ridge_)
        if condition > LARGEST_CONDITION:
            least = self.spectrum_.eigenvalues[-1] / LARGEST_CONDITION / self.masses_.sum()
            raise VotesError(
                f"{_NAME}: K + n lam I has condition number {condition:.1e} at "
                f"regularization={self.regularization:g} and cannot be inverted in double "
                f"precision. Use a regularization above {least:.1e}."
            )


def _dense(matrix: Any) -> FloatArray:
    array: FloatArray = matrix.toarray() if sp.issparse(matrix) else matrix
    return array
