"""`KernelRidgeWeights`: votes of kernel ridge regression."""

import copy
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.exceptions import VotesError
from disambig.memory import require_bytes
from disambig.notation import FloatArray
from disambig.parameters import check_flag, check_number
from disambig.votes.deleted import DeletedVotes
from disambig.votes.dense import DenseVotes, SymmetricArray
from disambig.votes.entries import normalize_rows, remove_diagonal
from disambig.votes.product import ProductVotes
from disambig.weights.inputs import checked_sample_weight, query_inputs, training_inputs
from disambig.weights.kernels.similarity import Similarity, check_polynomial, resolve_bandwidth
from disambig.weights.kernels.smoother import (
    Deletion,
    centered,
    kept_votes,
    left_out_rows,
    smoother,
    spectral_smoother,
)
from disambig.weights.kernels.system import RemadeSystem, Spectrum, checked_gram

_NAME = "KernelRidgeWeights"
_KERNELS = ("gaussian", "laplacian", "linear", "polynomial", "precomputed")
_ALTERNATIVES = "Use NystromWeights (the same of low rank) or NeighborWeights (sparse votes)."
# alpha is computed as I - ridge W^{-1} C. If the absolute votes of a row sum to less than this, the
# difference has lost too many digits, and alpha is computed from eigenvalues.
_MIN_ABSOLUTE_SUM = 1e-3


class KernelRidgeWeights(RemadeSystem, BaseEstimator):
    """``alpha(x) = k(x, X) (K + n lam I)^{-1}``, with K the kernel of the training rows.

    With these votes ``alpha @ y`` is the prediction of kernel ridge regression from targets y, with
    or without an intercept. Votes may be negative. Everything is computed in double precision,
    whatever the type of X.

    One kernel matrix serves every ridge and every fold: `at_regularization` returns a fitted
    weighting at another ridge, and `without` one without some rows. Estimators use such a weighting
    as it is inside `FittedWeights`.

    Parameters
    ----------
    kernel : str or callable, default="gaussian"
        "gaussian" ``exp(-|x - x'|^2 / (2 h^2))``, "laplacian" ``exp(-|x - x'|_1 / h)``, "linear"
        ``<x, x'>``, "polynomial" ``(<x, x'> / h^2 + coef0)^degree`` with h the bandwidth;
        "precomputed": X holds K, ``(n, n)`` in `fit`, and ``k(x, X)``, ``(q, n)``, in `votes`; or a
        function of ``(Q, X)`` that returns ``(q, n)``. K must be symmetric and positive
        semi-definite, with an intercept only on vectors of sum zero (as ``-|x - x'|`` is).
    bandwidth : float > 0, "median" or None, default=None
        None is "median", the median distance between training rows, where the kernel has a
        bandwidth. Giving one to a kernel that has none is an error.
    degree : int >= 1, default=3
    coef0 : float >= 0, default=1.0
        Parameters of the polynomial kernel; other values are an error with other kernels.
    regularization : float >= 0, default=1e-3
        lam. Zero is accepted only if K can be inverted.
    intercept : bool, default=False
        Whether to predict with ``f(x) + b``, where the constant b is not penalised. Each row of
        alpha then sums to one, up to rounding: adding a constant to all targets adds it to all
        predictions.
    normalize : bool, default=False
        Divide each row of alpha by its sum where that exceeds 1e-8 times its absolute sum; other
        rows stay as they are, because a negative sum would flip the signs of the votes. `votes`
        then cost ``q n^2`` and are dense. No effect with an intercept: the sums are one.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`.

    Attributes
    ----------
    ridge_ : float
        ``n lam``, with n the total weight.
    bandwidth_ : float or None
    system_ : RidgeSystem
        Of ``W^{1/2} K W^{1/2}``, with W the diagonal of the sample weights; with an intercept, on
        the vectors orthogonal to ``W^{1/2} 1``. Shared by all weightings made from this one.
    spectrum_ : Spectrum
        Its eigenvalues and eigenvectors, computed when first needed. Every ridge after that is
        computed from them; before, every ridge has its own factorisation, which is no slower.
    inverse_ : float64, (n, n)
        ``M = (K + n lam W^{-1})^{-1}``; with an intercept ``M~ = M - M 1 1' M / (1' M 1)``.
    kernel_mean_ : float64, (n,), or None
        With an intercept, ``k(x_i, X)`` averaged over the training rows i.
    sample_weight_ : float64, (n,)
    n_features_in_ : int

    Notes
    -----
    ``sample_weight`` w means w copies: ``alpha(x) = k(x, X) (K + n lam W^{-1})^{-1}`` sums the
    votes of the copies.

    The regression minimises ``sum_j w_j (y_j - f(x_j) - b)^2 + n lam |f|^2``, with ``b = 0`` if
    there is no intercept. The minimiser with an intercept is ``f = sum_j (M~ y)_j k(x_j, .)`` and
    ``b`` the mean of ``y - f``, so that ::

        alpha(x) = (k(x, X) - m') M~ + w' / sum(w),    m = K w / sum(w)
                 = k(x, X) M~ + c',                     c = M 1 / (1' M 1).

    The first form is computed, with M~ as ``W^{1/2} (P (G + n lam I) P)^+ W^{1/2}``, where
    ``G = W^{1/2} K W^{1/2}`` and P removes ``W^{1/2} 1``: nothing of the size ``1 / (n lam)`` is
    subtracted. On the training rows alpha is ``S + (1 - S 1) c'`` with ``S = K M``: similar to a
    symmetric matrix with eigenvalues in [0, 1], as S is, and 1 is the eigenvalue of constants.

    The residuals at the minimum are ``y - alpha y = n lam W^{-1} C y`` with C = M, or M~ with an
    intercept, and the minimum is ``y' R y`` with ``R = n lam C``: `residual_form`.

    Without row i, with ``n lam`` unchanged, ``alpha[i, j] = -C[i, j] / C[i, i]`` for ``j != i``: a
    target at i that equals the prediction from the others changes no prediction, so it is the one
    at which ``(C y)_i = 0``. So a row is left out with its whole weight. If the only row is left
    out, with an intercept, there are no votes.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> weights = KernelRidgeWeights(bandwidth=1.0, regularization=0.1).fit(X)
    >>> (weights.training_votes() @ np.array([1.0, 1.0, 0.0])).round(2)
    array([0.84, 0.84, 0.02])

    Far from all rows the prediction tends to zero, or to the intercept:

    >>> far, y = np.array([[100.0]]), np.array([5.0, 5.0, 5.0])
    >>> weights.votes(far) @ y, weights.set_params(intercept=True).fit(X).votes(far) @ y
    (array([0.]), array([5.]))
    """

    def __init__(
        self,
        kernel: Any = "gaussian",
        *,
        bandwidth: float | str | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        regularization: float = 1e-3,
        intercept: bool = False,
        normalize: bool = False,
        leave_one_out: bool = False,
    ) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.degree = degree
        self.coef0 = coef0
        self.regularization = regularization
        self.intercept = intercept
        self.normalize = normalize
        self.leave_one_out = leave_one_out

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Decompose the kernel of the training inputs ``(n, d)``, or a given one ``(n, n)``."""
        self._check_parameters()
        X = training_inputs(self, X, square=self._square)
        n = X.shape[0]
        self.sample_weight_ = checked_sample_weight(_NAME, sample_weight, n)
        self.bandwidth_ = resolve_bandwidth(
            _NAME, self.kernel, self.bandwidth, X, self.sample_weight_, choices=_KERNELS
        )
        # The matrix, its inverse, the votes, and the result of a product of two of them.
        require_bytes(4 * 8.0 * n * n, f"{_NAME} on {n} rows", _ALTERNATIVES)
        self.X_fit_ = X
        gram = self._gram(X)
        self.kernel_mean_ = gram @ self._shares if self.intercept else None
        self.system_ = self._system_of(gram)
        self._set_ridge()
        return self

    def at_regularization(self, regularization: float) -> Self:
        """A weighting fitted on the same rows at another ridge: the same as `fit` would give.

        The kernel matrix, and its eigenvalues if they are known, are shared, not copied; `self` is
        not changed.

        Parameters
        ----------
        regularization : float
        """
        check_is_fitted(self)
        other = copy.copy(self)
        other.regularization = regularization
        other._set_ridge()
        return other

    def without(self, rows: Any) -> Self:
        """A weighting fitted on the other rows, with ``n lam`` unchanged, in closed form.

        As in `leave_one_out_votes` the ridge ``n lam`` stays that of all rows, so `regularization`
        of the new weighting is larger by the share of the weight left out. A bandwidth computed
        from all rows stays too. It costs ``n e^2`` for e rows; a fit costs ``n^3``.

        Parameters
        ----------
        rows : array-like of int, or bool (n,)
            The rows to leave out. `left_out_votes` of the new weighting are the votes at them.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[0.0], [1.0], [3.0], [4.0]])
        >>> whole = KernelRidgeWeights(bandwidth=1.0, regularization=0.075).fit(X)
        >>> fold = whole.without([3])
        >>> (fold.left_out_votes() @ np.eye(3)).round(3)
        array([[ 0.019, -0.05 ,  0.472]])
        >>> (fold.votes(X[3:]) @ np.eye(3)).round(3)
        array([[ 0.019, -0.05 ,  0.472]])
        """
        check_is_fitted(self)
        left_out, kept = left_out_rows(_NAME, rows, self.sample_weight_.size)
        other = copy.copy(self)
        other.sample_weight_ = self.sample_weight_[kept]
        other.regularization = self.ridge_ / float(other.sample_weight_.sum())
        other.bandwidth = self.bandwidth_
        other.X_fit_ = self.X_fit_[kept][:, kept] if self._square else self.X_fit_[kept]
        other.n_features_in_ = kept.size if self._square else self.n_features_in_
        other.system_ = self.system_.restricted(kept)
        if self._has_intercept:
            root = np.sqrt(other.sample_weight_)
            other.kernel_mean_ = (other.system_.matrix() @ (other._shares / root)) / root
        other._deletion_ = Deletion(self._symmetric_inverse, kept, left_out)
        other._inverse_ = None
        return other

    @property
    def spectrum_(self) -> Spectrum:
        check_is_fitted(self)
        return self.system_.spectrum

    @property
    def inverse_(self) -> FloatArray:
        return self._symmetric_inverse.array

    def training_votes(self) -> DenseVotes | DeletedVotes:
        """``alpha`` at the training inputs, ``(n, n)``; without own votes if `leave_one_out`.

        Symmetric without sample weights, before normalisation. An array, except for weightings made
        by `without`.
        """
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        if self._deletion_ is not None and not self._normalizes:
            found = kept_votes(self._deletion_, self.ridge_, self.sample_weight_)
            if self._has_intercept or found.absolute_row_sums().min() > _MIN_ABSOLUTE_SUM:
                return found
        alpha = smoother(self.inverse_, self.ridge_, self.sample_weight_)
        votes = DenseVotes(alpha, self._has_unit_weights)
        if not self._has_intercept and votes.absolute_row_sums().min() < _MIN_ABSOLUTE_SUM:
            alpha = spectral_smoother(self.spectrum_, self.ridge_, self.sample_weight_)
            votes = DenseVotes(alpha, self._has_unit_weights)
        return DenseVotes(normalize_rows(votes.array)) if self._normalizes else votes

    def left_out_votes(self) -> DenseVotes:
        """``alpha`` at the rows that `without` left out, in the order they were given, ``(e, n)``.

        The same as `votes` at their inputs, which are not needed here.
        """
        check_is_fitted(self)
        if self._deletion_ is None:
            raise VotesError(f"{_NAME}: no rows were left out. Call without(rows) first.")
        alpha = self._deletion_.left_out_weights.T
        return DenseVotes(normalize_rows(alpha.copy()) if self._normalizes else alpha)

    def leave_one_out_votes(self) -> DenseVotes:
        """``alpha`` at each training input as if it had been absent, ``(n, n)``, diagonal zero."""
        check_is_fitted(self)
        inverse = self.inverse_
        diagonal = inverse.diagonal()
        # Zero only for a single row with an intercept.
        divisors = np.where(diagonal > 0, -diagonal, -1.0)
        alpha = remove_diagonal(inverse / divisors[:, None])
        return DenseVotes(normalize_rows(alpha) if self._normalizes else alpha)

    def residual_form(self) -> FloatArray:
        """R, ``(n, n)``, with ``y' R y = min_f sum_j w_j (y_j - f(x_j))^2 + n lam |f|^2``.

        With an intercept the minimum is also over b, and ``R 1 = 0``. R is exactly symmetric and
        positive semi-definite: the objective of least squares when the targets, too, are chosen.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[0.0], [1.0], [3.0]])
        >>> weights = KernelRidgeWeights("linear", regularization=1.0, intercept=True).fit(X)
        >>> weights.residual_form().round(3)
        array([[ 0.435, -0.391, -0.043],
               [-0.391,  0.652, -0.261],
               [-0.043, -0.261,  0.304]])
        """
        check_is_fitted(self)
        # From eigenvalues, so that no eigenvalue of R is negative by rounding.
        return self.spectrum_.remainder(self.ridge_, np.sqrt(self.sample_weight_))

    def votes(self, X: Any) -> DenseVotes | ProductVotes:
        """``alpha`` at new inputs ``(q, d)``, or from ``k(x, X)`` of shape ``(q, n)``.

        A product of two factors unless normalised; of rank ``n + 1`` with an intercept.
        """
        X = query_inputs(self, X, square=self._square)
        q, n = X.shape[0], self.sample_weight_.size
        require_bytes(
            8.0 * (2 * q * n + (n * n if self._has_intercept else 0)),
            f"{_NAME} between {q} queries and {n} rows",
            "Predict fewer queries at a time.",
        )
        left = _dense(X) if self._square else self._similarity()(X, self.X_fit_)
        if self.kernel_mean_ is not None:
            left = centered(left, self.kernel_mean_, self._shares)
            return ProductVotes(left, np.vstack([self.inverse_, self._shares]))
        if self._normalizes:
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

    @property
    def _has_intercept(self) -> bool:
        # As fitted: a later `set_params` does not change the decomposition.
        return self.kernel_mean_ is not None

    @property
    def _normalizes(self) -> bool:
        # With an intercept rows sum to one already, and alpha stays symmetric.
        return bool(self.normalize) and not self._has_intercept

    @property
    def _shares(self) -> FloatArray:
        shares: FloatArray = self.sample_weight_ / self.sample_weight_.sum()
        return shares

    def _check_parameters(self) -> None:
        check_polynomial(_NAME, self.kernel, self.degree, self.coef0)
        check_number(_NAME, "regularization", self.regularization, positive=False)
        check_flag(_NAME, "intercept", self.intercept)
        check_flag(_NAME, "normalize", self.normalize)
        check_flag(_NAME, "leave_one_out", self.leave_one_out)

    def _similarity(self) -> Similarity:
        return Similarity(self.kernel, self.bandwidth_, int(self.degree), float(self.coef0))

    def _gram(self, X: Any) -> FloatArray:
        if self._is_named:
            return self._similarity()(X, X)
        return checked_gram(
            _NAME, np.array(_dense(X)) if self._square else self._similarity()(X, X)
        )

    def _set_ridge(self) -> None:
        """Set the ridge and compute the inverse at it."""
        check_number(_NAME, "regularization", self.regularization, positive=False)
        self.ridge_ = float(self.sample_weight_.sum()) * float(self.regularization)
        self._deletion_: Deletion | None = None
        inverse = self.system_.factored_inverse(self.ridge_)
        if inverse is None:
            total = float(self.sample_weight_.sum())
            self.system_.check_condition(_NAME, float(self.regularization), total)
            inverse = self.system_.spectrum.inverse(self.ridge_)
        if not self._has_unit_weights:
            root = np.sqrt(self.sample_weight_)
            inverse *= np.multiply.outer(root, root)
        self._inverse_: SymmetricArray | None = SymmetricArray(inverse)

    @property
    def _symmetric_inverse(self) -> SymmetricArray:
        check_is_fitted(self)
        if self._inverse_ is None:
            assert self._deletion_ is not None
            self._inverse_ = SymmetricArray(self._deletion_.remaining())
        return self._inverse_

    @property
    def _has_unit_weights(self) -> bool:
        return bool((self.sample_weight_ == 1.0).all())


def _dense(matrix: Any) -> FloatArray:
    array: FloatArray = matrix.toarray() if sp.issparse(matrix) else matrix
    return array
