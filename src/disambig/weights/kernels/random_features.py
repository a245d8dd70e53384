"""`RandomFeatureWeights`: votes of kernel ridge regression on random Fourier features."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from disambig.memory import require_bytes
from disambig.notation import FloatArray
from disambig.parameters import check_choice, check_flag, check_integer, check_number
from disambig.weights.divided.rows import is_divided
from disambig.weights.inputs import checked_sample_weight, training_inputs
from disambig.weights.kernels.low_rank import (
    SOLVERS,
    FeatureRidgeWeights,
    feature_ridge,
    is_direct,
)
from disambig.weights.kernels.similarity import resolve_bandwidth

_NAME = "RandomFeatureWeights"
_KERNELS = ("gaussian", "laplacian")
# Distance of the mean of the rows from zero, in bandwidths, beyond which the rows are centred. The
# angles then lose three digits to it.
_MAX_OFFSET = 1e3


@dataclass(frozen=True, eq=False)
class FourierFeatures:
    """``phi(x) = (cos(omega_k' (x - c)), sin(omega_k' (x - c))) / sqrt(m)``, k = 1 ... m.

    Parameters
    ----------
    frequencies : float64, (d, m)
        omega.
    center : float64, (d,), or None
        c. Inner products of features do not depend on it, but rounding errors of the angles do:
        they grow with the distance of x from c. None: zero.
    """

    frequencies: FloatArray
    center: FloatArray | None = None

    def __call__(self, X: Any) -> FloatArray:
        """Features of the rows of X, ``(q, 2 m)``."""
        m = self.frequencies.shape[1]
        angles = np.asarray((X if self.center is None else X - self.center) @ self.frequencies)
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
        """None: the features need no triangle."""
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
    """Draw `count` features, half of them cosines, for the "gaussian" or "laplacian" kernel.

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
        # The Fourier transform of exp(-|t| / h) in each coordinate is a Cauchy density.
        return FourierFeatures(random.standard_cauchy(size=(d, m)) / bandwidth)
    groups = []
    for start in range(0, m, d):
        width = min(d, m - start)
        directions, _ = np.linalg.qr(random.standard_normal(size=(d, width)))
        # Orthogonal directions, with the lengths of normal vectors.
        lengths = np.sqrt(random.chisquare(d, size=width))
        groups.append(directions * lengths)
    return FourierFeatures(np.concatenate(groups, axis=1) / bandwidth)


def _far_center(X: Any, bandwidth: float) -> FloatArray | None:
    """The mean of the rows, if they are far from zero in units of the bandwidth; else None."""
    if sp.issparse(X):
        # The difference would not be sparse.
        return None
    center: FloatArray = X.mean() if is_divided(X) else X.mean(axis=0)
    return center if np.linalg.norm(center) > _MAX_OFFSET * bandwidth else None


class RandomFeatureWeights(FeatureRidgeWeights):
    """``alpha(x) = phi(x)' (Phi' Phi + n lam I)^{-1} Phi'``, with random cosines and sines phi.

    ``phi(x) = (cos(omega_k' x), sin(omega_k' x)) / sqrt(p / 2)`` for ``k = 1 ... p / 2``: in the
    mean over the frequencies, ``<phi(x), phi(x')> = k(x, x')`` (Rahimi and Recht, 2007), so that
    alpha tends to that of `KernelRidgeWeights` as p grows. Nothing of the size ``n x n`` is
    formed. `NystromWeights` depend on the data and are mostly closer to the kernel at the same p;
    random features need no distances, only ``X @ omega``.

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
        Whether to predict with ``f(x) + b``, where the constant b is not penalised. Each row of
        alpha then sums to one, up to rounding.
    solver : {"auto", "direct", "iterative"}, default="auto"
        "direct" keeps the features of all rows and decomposes their Gram matrix, once for every
        ridge. "iterative" computes them in blocks for every product with alpha, by some tens of
        steps of preconditioned conjugate gradients, to about 1e-9. It needs the memory of X and a
        few matrices ``p x p``, and saves the ``2 n p^2`` multiplications of the decomposition;
        leave-one-out votes and `residual_form` still take ``n p^2``. "auto" is direct if n p
        numbers fit in half of the free memory.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`.
    random_state : int, RandomState or None, default=0
        Seed of the frequencies.

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
        require_bytes(
            4.0 * int(self.n_features) * X.shape[1],
            f"{_NAME} with {int(self.n_features)} features",
            "Draw fewer of them.",
        )
        feature_map = draw_fourier_features(
            self.kernel, X.shape[1], int(self.n_features), self.bandwidth_, random
        )
        feature_map = replace(feature_map, center=_far_center(X, self.bandwidth_))
        self.X_fit_, self.frequencies_ = X, feature_map.frequencies
        self.regression_ = feature_ridge(
            _NAME,
            feature_map,
            X,
            self.sample_weight_,
            direct=is_direct(self.solver, X, feature_map.rank, self.sample_weight_),
            intercept=bool(self.intercept),
            random=random,
        )
        self._set_ridge()
        return self

    def _set_ridge(self) -> None:
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
                f"{_NAME}: kernel must be 'gaussian' or 'laplacian'; got a function, whose "
                "frequencies are not known. Use NystromWeights."
            )
        check_choice(_NAME, "kernel", self.kernel, _KERNELS)
        check_number(_NAME, "regularization", self.regularization, positive=False)
        check_choice(_NAME, "solver", self.solver, SOLVERS)
        check_flag(_NAME, "intercept", self.intercept)
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
