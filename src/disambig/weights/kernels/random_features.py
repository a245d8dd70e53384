"""Random cosines and sines whose inner products approximate a kernel.

Votes of kernel ridge regression on random Fourier features.
"""

import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from disambig.notation import FloatArray
from disambig.parameters import check_choice, check_flag, check_integer, check_number
from disambig.votes import IteratedVotes, ProductVotes
from disambig.weights.inputs import checked_sample_weight, query_inputs, training_inputs
from disambig.weights.kernels.low_rank import SOLVERS, feature_ridge, is_direct
from disambig.weights.kernels.similarity import resolve_bandwidth

_NAME = "RandomFeatureWeights"
_KERNELS = ("gaussian", "laplacian")


@dataclass(frozen=True, eq=False)
class FourierFeatures:
    """``phi(x) = (cos(omega_k' x), sin(omega_k' x)) / sqrt(m)``, k = 1 ... m.

    Parameters
    ----------
    frequencies : float64, (d, m)
        omega.
    """

    frequencies: FloatArray

    def __call__(self, X: Any) -> FloatArray:
        """Features of the rows of X, ``(q, 2 m)``."""
        m = self.frequencies.shape[1]
        angles = np.asarray(X @ self.frequencies)
        features = np.empty((X.shape[0], 2 * m))
        np.cos(angles, out=features[:, :m])
        np.sin(angles, out=features[:, m:])
        features /= np.sqrt(m)
        return features

    @property
    def rank(self) -> int:
        """2 m."""
        return 2 * int(self.frequencies.shape[1])

    @property
    def triangle(self) -> None:
        """Features are as they come."""
        return None

    def raw(self, X: Any) -> FloatArray:
        """The features themselves."""
        return self(X)

    def squares(self, X: Any) -> FloatArray:
        """Squared lengths, which are one, ``(q,)``."""
        return np.ones(X.shape[0])


def draw_fourier_features(
    kernel: str, d: int, count: int, bandwidth: float, random: np.random.RandomState
) -> FourierFeatures:
    """So many features, half of them cosines, for the "gaussian" or the "laplacian" kernel.

    Examples
    --------
    >>> import numpy as np
    >>> phi = draw_fourier_features("laplacian", 1, 20_000, 2.0, np.random.RandomState(0))
    >>> one, other = phi(np.array([[0.0], [2.0]]))
    >>> bool(abs(one @ other - np.exp(-1.0)) < 0.02)
    True
    """
    m = count // 2
    if kernel == "laplacian":
        # The Fourier transform of exp(-|t| / h), coordinate by coordinate.
        return FourierFeatures(random.standard_cauchy(size=(d, m)) / bandwidth)
    groups = []
    for start in range(0, m, d):
        width = min(d, m - start)
        turned, _ = np.linalg.qr(random.standard_normal(size=(d, width)))
        # Directions orthogonal to each other, lengths as those of normal vectors.
        lengths = np.sqrt(random.chisquare(d, size=width))
        groups.append(turned * lengths)
    return FourierFeatures(np.concatenate(groups, axis=1) / bandwidth)


class RandomFeatureWeights(BaseEstimator):
    """``alpha(x) = phi(x)' (Phi' Phi + n lam I)^{-1} Phi'``, with random cosines and sines phi.

    ``phi(x) = (cos(omega_k' x), sin(omega_k' x)) / sqrt(p / 2)`` for ``k = 1 ... p / 2``: in the
    mean over the frequencies, ``<phi(x), phi(x')> = k(x, x')`` (Rahimi and Recht, 2007), so that
    alpha tends to that of `KernelRidgeWeights` as p grows. Nothing of the size ``n x n`` is
    formed. `NystromWeights`, which look at the data, are mostly closer to the kernel at the same p;
    random features ask for no distance, only for ``X @ omega``.

    Parameters
    ----------
    kernel : {"gaussian", "laplacian"}, default="gaussian"
        As in `KernelRidgeWeights`. The frequencies of the Gaussian kernel are normal, in orthogonal
        groups, which lowers their error (Yu et al., 2016); those of the Laplacian kernel are
        Cauchy, and their error is larger.
    n_features : int >= 2, even, default=1000
        p.
    bandwidth : float > 0, "median" or None, default=None
        None is "median", the median distance between training rows.
    regularization : float >= 0, default=1e-3
        lam.
    intercept : bool, default=False
        Whether to predict with ``f(x) + b``, where the constant b costs nothing. Each row of alpha
        then sums to one, to rounding.
    solver : {"auto", "direct", "iterative"}, default="auto"
        Keep the features of all rows and decompose their Gram matrix, once for every ridge; or
        make them anew in blocks for every product with alpha, which is then found by some tens of
        preconditioned conjugate gradient steps, to about 1e-9: in the memory of X and a few
        matrices ``p x p``, and without the ``2 n p^2`` multiplications of the decomposition.
        Leave-one-out votes and `residual_form` take ``n p^2`` of them all the same. "auto" is
        direct as long as n p numbers fit in half of the free memory.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`.
    random_state : int, RandomState or None, default=0
        Of the frequencies.

    Attributes
    ----------
    frequencies_ : float64, (d, p / 2)
        omega.
    regression_ : LowRank or IteratedRank
        The regression on the features of the training rows, for every ridge.
    ridge_ : float
        ``n lam``, with n the total weight.
    bandwidth_ : float
    sample_weight_ : float64, (n,)
    n_features_in_ : int

    Notes
    -----
    ``sample_weight`` and leaving a row out are as in `NystromWeights`.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0.0, 6.0, 200)[:, None]
    >>> weights = RandomFeatureWeights(n_features=100, bandwidth=1.0, regularization=1e-6).fit(X)
    >>> found = weights.votes(np.array([[1.0], [2.0]])) @ np.sin(X[:, 0])
    >>> bool(np.abs(found - np.sin([1.0, 2.0])).max() < 1e-2)
    True
    """

    def __init__(
        self,
        kernel: str = "gaussian",
        *,
        n_features: int = 1000,
        bandwidth: float | str | None = None,
        regularization: float = 1e-3,
        intercept: bool = False,
        solver: str = "auto",
        leave_one_out: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.kernel = kernel
        self.n_features = n_features
        self.bandwidth = bandwidth
        self.regularization = regularization
        self.intercept = intercept
        self.solver = solver
        self.leave_one_out = leave_one_out
        self.random_state = random_state

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Draw frequencies and decompose the features of the training inputs ``(n, d)``."""
        self._check_parameters()
        X = training_inputs(self, X)
        self.sample_weight_ = checked_sample_weight(_NAME, sample_weight, X.shape[0])
        self.bandwidth_ = resolve_bandwidth(
            _NAME, self.kernel, self.bandwidth, X, self.sample_weight_, choices=_KERNELS
        )
        assert self.bandwidth_ is not None
        random = check_random_state(self.random_state)
        waves = draw_fourier_features(
            self.kernel, X.shape[1], int(self.n_features), self.bandwidth_, random
        )
        self.X_fit_, self.frequencies_ = X, waves.frequencies
        self.regression_ = feature_ridge(
            _NAME,
            waves,
            X,
            self.sample_weight_,
            direct=is_direct(self.solver, X.shape[0], waves.rank, self.sample_weight_),
            intercept=bool(self.intercept),
            random=random,
        )
        self._settle_ridge()
        return self

    def at_regularization(self, regularization: float) -> Self:
        """The same piece at another ridge, fitted on the same rows: what `fit` would give.

        The decomposition is shared, not copied; this piece stays as it is.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[0.0], [1.0], [3.0]])
        >>> fitted = RandomFeatureWeights(bandwidth=1.0).fit(X)
        >>> path = [fitted.at_regularization(lam) for lam in (0.01, 0.1, 1.0)]
        >>> [float((piece.training_votes() @ np.ones(3))[2].round(1)) for piece in path]
        [1.0, 0.8, 0.3]
        """
        check_is_fitted(self)
        other = copy.copy(self)
        other.regularization = regularization
        other._settle_ridge()
        return other

    def training_votes(self) -> ProductVotes | IteratedVotes:
        """``alpha`` at the training inputs, ``(n, n)``; leave-one-out if the piece says so."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self.regression_.training_votes(self.ridge_)

    def leave_one_out_votes(self) -> ProductVotes | IteratedVotes:
        """``alpha`` at each training input as if it had been absent, ``(n, n)``, diagonal zero."""
        check_is_fitted(self)
        return self.regression_.leave_one_out_votes(self.ridge_)

    def residual_form(self) -> ProductVotes | IteratedVotes:
        """R, ``(n, n)``, with ``y' R y = min_f sum_j w_j (y_j - f(x_j))^2 + n lam |f|^2``."""
        check_is_fitted(self)
        return self.regression_.residual_form(self.ridge_)

    def votes(self, X: Any) -> ProductVotes | IteratedVotes:
        """``alpha`` at new inputs ``(q, d)``."""
        X = query_inputs(self, X)
        return self.regression_.votes(X, self.ridge_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _settle_ridge(self) -> None:
        lam = check_number(_NAME, "regularization", self.regularization, positive=False)
        self.ridge_ = float(self.sample_weight_.sum()) * lam
        what = f"{2 * self.frequencies_.shape[1]} random features"
        self.regression_.check_ridge(_NAME, self.ridge_, what)

    def _check_parameters(self) -> None:
        count = check_integer(_NAME, "n_features", self.n_features, least=2)
        if count % 2:
            raise ValueError(
                f"{_NAME}: n_features must be even, a cosine and a sine for each frequency; got "
                f"{count}."
            )
        if callable(self.kernel):
            raise ValueError(
                f"{_NAME}: the frequencies of a function are not known; kernel must be "
                "'gaussian' or 'laplacian'. Use NystromWeights."
            )
        check_choice(_NAME, "kernel", self.kernel, _KERNELS)
        check_number(_NAME, "regularization", self.regularization, positive=False)
        check_choice(_NAME, "solver", self.solver, SOLVERS)
        check_flag(_NAME, "intercept", self.intercept)
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
