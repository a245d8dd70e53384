"""Votes of kernel ridge regression through landmarks."""

import copy
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from disambig.exceptions import VotesError
from disambig.notation import FloatArray
from disambig.parameters import check_choice, check_flag, check_integer, check_number
from disambig.votes import IteratedVotes, ProductVotes
from disambig.weights.inputs import checked_sample_weight, query_inputs, training_inputs
from disambig.weights.kernels.landmarks import SCHEMES, choose_landmarks, kernel_factor
from disambig.weights.kernels.low_rank import SOLVERS, feature_ridge, is_direct
from disambig.weights.kernels.similarity import Similarity, check_polynomial, resolve_bandwidth
from disambig.weights.row_groups import EqualRows

_NAME = "NystromWeights"
_KERNELS = ("gaussian", "laplacian", "linear", "polynomial")


class NystromWeights(BaseEstimator):
    """``alpha(x) = phi(x)' (Phi' Phi + n lam I)^{-1} Phi'``, ``phi(x) = K_L^{-1/2} k(L, x)``.

    Kernel ridge regression on functions ``f = sum_l c_l k(x_l, .)`` of the p landmarks L alone
    instead of all n training rows. With every row a landmark that is `KernelRidgeWeights`. Memory
    is that of n p numbers, time of ``2 n p^2`` multiplications; nothing of the size ``n x n`` is
    formed. One decomposition serves every ridge: see `at_regularization`.

    Parameters
    ----------
    kernel : str or callable, default="gaussian"
        "gaussian", "laplacian", "linear" or "polynomial", as in `KernelRidgeWeights`, or a function
        of ``(Q, X)`` that returns ``(q, n)``. It must be positive semi-definite.
    n_landmarks : int >= 1, default=500
        At most so many: all distinct rows if there are fewer, and none that the kernel cannot tell
        from combinations of the others.
    landmarks : {"uniform", "kmeans++", "leverage"} or array (p, d), default="uniform"
        Training rows drawn by weight; drawn far from each other; drawn by how much they matter to
        their own prediction, estimated at the `regularization`; or inputs of your own, no two
        equal, all of which are used.
    bandwidth : float > 0, "median" or None, default=None
    degree : int >= 1, default=3
    coef0 : float >= 0, default=1.0
        As in `KernelRidgeWeights`.
    regularization : float >= 0, default=1e-3
        lam. Zero is accepted only if the kernel of the landmarks can be inverted.
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
        Of the choice of landmarks.

    Attributes
    ----------
    landmarks_ : (r, d)
        Those in use.
    n_landmarks_ : int
        How many were chosen or given, those included that the kernel makes superfluous.
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

    Leaving a row out keeps the landmarks and n lam as they are, also where the row is a landmark:
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
        direct = is_direct(self.solver, X.shape[0], self.n_landmarks_, self.sample_weight_)
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
        self._settle_ridge()
        return self

    def at_regularization(self, regularization: float) -> Self:
        """The same piece at another ridge, fitted on the same rows with the same landmarks.

        The decomposition is shared, not copied; this piece stays as it is.

        Examples
        --------
        >>> import numpy as np
        >>> X = np.array([[0.0], [1.0], [3.0]])
        >>> fitted = NystromWeights(bandwidth=1.0).fit(X)
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
        """R, ``(n, n)``, with ``y' R y = min_f sum_j w_j (y_j - f(x_j))^2 + n lam |f|^2``.

        As in `KernelRidgeWeights`, over functions of the landmarks; ``R = W (I - alpha)``.
        """
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
                f"of numbers; got a {type(given).__name__} that is none ({error})."
            ) from error
        if landmarks.ndim != 2 or landmarks.shape[1] != X.shape[1] or not landmarks.shape[0]:
            raise VotesError(
                f"{_NAME}: landmarks must be one of {', '.join(map(repr, SCHEMES))}, or an array "
                f"of at least one row and the {X.shape[1]} columns of X; got shape "
                f"{landmarks.shape}."
            )
        if not np.isfinite(landmarks).all():
            row = int(np.argwhere(~np.isfinite(landmarks))[0, 0])
            raise VotesError(f"{_NAME}: landmark {row} contains NaN or infinity.")
        rows = EqualRows.build(landmarks)
        if rows.first.size < landmarks.shape[0]:
            again = int(np.flatnonzero(rows.first[rows.kind] != np.arange(rows.kind.size))[0])
            raise VotesError(
                f"{_NAME}: landmarks {rows.first[rows.kind[again]]} and {again} are equal "
                f"({landmarks.shape[0] - rows.first.size} repetitions). Give each once."
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
