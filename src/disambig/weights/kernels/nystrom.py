"""`NystromWeights`: votes of kernel ridge regression through landmarks."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from disambig.exceptions import VotesError
from disambig.notation import FloatArray
from disambig.parameters import check_choice, check_flag, check_integer, check_number
from disambig.votes.entries import MAX_ENTRY, first_bad_entry
from disambig.weights.inputs import checked_sample_weight, training_inputs
from disambig.weights.kernels.landmarks import SCHEMES, choose_landmarks, kernel_factor
from disambig.weights.kernels.low_rank import (
    SOLVERS,
    FeatureRidgeWeights,
    feature_ridge,
    is_direct,
)
from disambig.weights.kernels.similarity import Similarity, check_polynomial, resolve_bandwidth
from disambig.weights.row_groups import EqualRows

_NAME = "NystromWeights"
_KERNELS = ("gaussian", "laplacian", "linear", "polynomial")


class NystromWeights(FeatureRidgeWeights):
    """``alpha(x) = phi(x)' (Phi' Phi + n lam I)^{-1} Phi'``, ``phi(x) = K_L^{-1/2} k(L, x)``.

    Kernel ridge regression on functions ``f = sum_l c_l k(x_l, .)`` of the p landmarks L instead of
    all n training rows. With every row a landmark it is `KernelRidgeWeights`. It takes the memory
    of n p numbers and ``2 n p^2`` multiplications; nothing of the size ``n x n`` is formed. One
    decomposition serves every ridge: see `at_regularization`.

    Parameters
    ----------
    kernel : str or callable, default="gaussian"
        "gaussian", "laplacian", "linear" or "polynomial", as in `KernelRidgeWeights`, or a function
        of ``(Q, X)`` that returns ``(q, n)``. It must be positive semi-definite.
    n_landmarks : int >= 1, default=500
        Largest number of landmarks: all distinct rows if there are fewer, without those that are
        linear combinations of others in the kernel's space.
    landmarks : {"uniform", "kmeans++", "leverage"} or array (p, d), default="uniform"
        Training rows drawn by sample weight; drawn far from each other; drawn by their effect on
        their own prediction, estimated at the `regularization`; or your own inputs, no two equal,
        all of which are used.
    bandwidth : float > 0, "median" or None, default=None
    degree : int >= 1, default=3
    coef0 : float >= 0, default=1.0
        As in `KernelRidgeWeights`.
    regularization : float >= 0, default=1e-3
        lam. Zero is accepted only if the kernel of the landmarks can be inverted.
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
        Seed of the landmarks.

    Attributes
    ----------
    landmarks_ : (r, d)
        The landmarks in use.
    n_landmarks_ : int
        Number of landmarks chosen or given, including those that are not in use.
    regression_ : LowRank or IteratedRank
        The regression on the features of the training rows, for every ridge.
    ridge_ : float
        ``n lam``, with n the total weight.
    bandwidth_ : float or None
    sample_weight_ : float64, (n,)
    n_features_in_ : int

    Notes
    -----
    ``sample_weight`` w means w copies: ``alpha(x) = phi(x)' (Phi' W Phi + n lam I)^{-1} Phi' W``.

    Leaving a row out keeps the landmarks and n lam, also if the row is a landmark:
    ``alpha[i, j] / (1 - alpha[i, i])`` for ``j != i``.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0.0, 6.0, 200)[:, None]
    >>> weights = NystromWeights(n_landmarks=20, bandwidth=1.0, regularization=1e-6).fit(X)
    >>> found = weights.votes(np.array([[1.0], [2.0]])) @ np.sin(X[:, 0])
    >>> bool(np.abs(found - np.sin([1.0, 2.0])).max() < 1e-3)
    True
    """

    def __init__(
        self,
        kernel: Any = "gaussian",
        *,
        n_landmarks: int = 500,
        landmarks: Any = "uniform",
        bandwidth: float | str | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        regularization: float = 1e-3,
        intercept: bool = False,
        solver: str = "auto",
        leave_one_out: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.kernel = kernel
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.bandwidth = bandwidth
        self.degree = degree
        self.coef0 = coef0
        self.regularization = regularization
        self.intercept = intercept
        self.solver = solver
        self.leave_one_out = leave_one_out
        self.random_state = random_state

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Choose landmarks among the training inputs ``(n, d)`` and decompose their features."""
        self._check_parameters()
        X = training_inputs(self, X)
        self.sample_weight_ = checked_sample_weight(_NAME, sample_weight, X.shape[0])
        self.bandwidth_ = resolve_bandwidth(
            _NAME, self.kernel, self.bandwidth, X, self.sample_weight_, choices=_KERNELS
        )
        random = check_random_state(self.random_state)
        landmarks = self._landmarks(X, random)
        self.n_landmarks_ = landmarks.shape[0]
        direct = is_direct(self.solver, X, self.n_landmarks_, self.sample_weight_)
        features, _ = kernel_factor(_NAME, landmarks, self._similarity(), cautious=not direct)
        self.X_fit_, self.landmarks_ = X, features.landmarks
        self.regression_ = feature_ridge(
            _NAME,
            features,
            X,
            self.sample_weight_,
            direct=direct,
            intercept=bool(self.intercept),
            random=random,
        )
        self._set_ridge()
        return self

    def _set_ridge(self) -> None:
        lam = check_number(_NAME, "regularization", self.regularization, positive=False)
        self.ridge_ = float(self.sample_weight_.sum()) * lam
        rank = self.landmarks_.shape[0]
        if self.ridge_ == 0.0 and rank < self.n_landmarks_:
            raise VotesError(
                f"{_NAME}: the kernel of {self.n_landmarks_} landmarks has rank {rank} and cannot "
                "be inverted. Use a regularization above 0, or fewer landmarks."
            )
        self.regression_.check_ridge(_NAME, self.ridge_, f"{rank} landmarks")

    def _landmarks(self, X: Any, random: np.random.RandomState) -> Any:
        if not isinstance(self.landmarks, str):
            return self._given_landmarks(X)
        check_choice(_NAME, "landmarks", self.landmarks, SCHEMES, "or an array (p, d)")
        rows = choose_landmarks(
            X,
            self.sample_weight_,
            int(self.n_landmarks),
            scheme=self.landmarks,
            similarity=self._similarity(),
            regularization=float(self.regularization),
            random=random,
        )
        return X[rows]

    def _given_landmarks(self, X: Any) -> Any:
        given = self.landmarks.toarray() if sp.issparse(self.landmarks) else self.landmarks
        try:
            landmarks = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise VotesError(
                f"{_NAME}: landmarks must be one of {', '.join(map(repr, SCHEMES))}, or an array "
                f"of numbers; got a {type(given).__name__} that is no such array ({error})."
            ) from error
        if landmarks.ndim != 2 or landmarks.shape[1] != X.shape[1] or not landmarks.shape[0]:
            raise VotesError(
                f"{_NAME}: landmarks must be one of {', '.join(map(repr, SCHEMES))}, or an array "
                f"of at least one row and the {X.shape[1]} columns of X; got shape "
                f"{landmarks.shape}."
            )
        bad = first_bad_entry(landmarks)
        if bad is not None and not np.isfinite(bad.value):
            raise VotesError(f"{_NAME}: landmark {bad.row} contains NaN or infinity.")
        if bad is not None:
            raise VotesError(
                f"{_NAME}: landmark {bad.row} contains {bad.value:g} in column {bad.column}, "
                f"beyond {MAX_ENTRY:g}, the largest size accepted. Scale X and the landmarks."
            )
        rows = EqualRows.build(landmarks)
        if rows.first.size < landmarks.shape[0]:
            repeated = int(np.flatnonzero(rows.first[rows.group] != np.arange(rows.group.size))[0])
            raise VotesError(
                f"{_NAME}: landmarks {rows.first[rows.group[repeated]]} and {repeated} are equal "
                f"({landmarks.shape[0] - rows.first.size} repetitions). Pass each once."
            )
        return sp.csr_array(landmarks) if sp.issparse(X) else landmarks

    def _check_parameters(self) -> None:
        check_integer(_NAME, "n_landmarks", self.n_landmarks, least=1)
        check_number(_NAME, "regularization", self.regularization, positive=False)
        check_choice(_NAME, "solver", self.solver, SOLVERS)
        check_flag(_NAME, "intercept", self.intercept)
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        check_polynomial(_NAME, self.kernel, self.degree, self.coef0)

    def _similarity(self) -> Similarity:
        return Similarity(self.kernel, self.bandwidth_, int(self.degree), float(self.coef0))
