"""Kernelised Laplacian regularisation: functions that are flat where inputs are dense.

`gradient_energy` sums products of a Gaussian kernel at a few landmarks, and of its gradients, over
the training rows; `KernelLaplacianWeights` are the votes.
"""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from disambig.memory import require_bytes
from disambig.notation import BoolArray, FloatArray
from disambig.parameters import check_flag, check_integer, check_number
from disambig.votes.product import ProductVotes
from disambig.weights.inputs import checked_sample_weight, query_inputs, training_inputs
from disambig.weights.kernels.landmarks import choose_landmarks
from disambig.weights.kernels.similarity import Similarity, resolve_bandwidth
from disambig.weights.protocol import informed_rows

# Entries of a block of distances: 16 MiB.
_ENTRIES_PER_BLOCK = 2**21
_NAME = "KernelLaplacianWeights"
# Smallest eigenvalue of the kernel matrix that is kept, relative to the largest: directions below
# add nothing but rounding errors.
_MIN_RELATIVE_EIGENVALUE = 1e-9
# Own vote above which the votes of the others are of the size of rounding errors.
_MAX_OWN_VOTE = 1.0 - 1e-10


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
        # Divided first: with a tiny bandwidth, the quotient overflows only where k is 0.
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
    # The formula by products has errors of the size of the squared norms, which are smallest after
    # subtracting the mean.
    center = None if sp.issparse(X) else landmarks.mean(axis=0)
    centered = landmarks if center is None else landmarks - center
    step = max(1, _ENTRIES_PER_BLOCK // max(1, landmarks.shape[0]))
    for start in range(0, X.shape[0], step):
        rows = slice(start, min(start + step, X.shape[0]))
        block = X[rows] if center is None else X[rows] - center
        yield rows, euclidean_distances(block, centered, squared=True)


def _gaussian(squares: FloatArray, bandwidth: float) -> FloatArray:
    # Two divisions: the square of a tiny bandwidth would underflow to 0.
    with np.errstate(over="ignore"):
        values: FloatArray = np.exp(-(squares / bandwidth / bandwidth / 2.0))
    return values


class KernelLaplacianWeights(BaseEstimator):
    r"""``alpha(x) = k_P(x)' (E + s S + r K_PP)^{-1} K_PX / n``, with S of gradients of the kernel.

    ``f = alpha @ y`` minimises, over the combinations of Gaussian kernels at p landmarks P, ::

        mean_j (f(x_j) - y_j)^2 + s h^2 mean_i |grad f(x_i)|^2 + r |f|^2

    where ``|f|`` is the norm of the kernel's space. f is close to the targets and flat where inputs
    are dense, so it changes between dense regions. It is the Laplacian regularisation of Cabannes,
    Pillaud-Vivien, Bach and Rudi (2021), on functions instead of graphs: f is defined at new
    inputs. Votes may be negative. alpha has rank p and is never formed.

    With ``method="average"`` and ``"infimum"``, `PartialLabelClassifier` and `disambiguate` pass
    the informed rows: only these are in the first mean, all rows in the second. With
    ``method="disambiguation"``, and in other estimators, all rows vote.

    Parameters
    ----------
    n_landmarks : int, default=500
        p, or the number of distinct inputs if that is less. Drawn uniformly.
    bandwidth : float > 0, "median" or None, default=None
        h of ``k(x, x') = exp(-|x - x'|^2 / (2 h^2))``. None is "median", the median distance
        between training rows.
    smoothing : float >= 0, default=1.0
        s. Gradients are measured in units of the bandwidth, so that the scale of X does not
        matter. Zero is kernel ridge regression on landmarks.
    regularization : float > 0, default=1e-4
        r.
    random_state : int, RandomState or None, default=0
        Seed of the landmarks.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`.

    Attributes
    ----------
    landmarks_ : (p, d)
    bandwidth_ : float
    informed_ : (m,)
        The rows that vote, ascending.
    eigenvalues_ : float64, (r,)
        Of E relative to ``s S + r K_PP``; f has ``sum(e / (1 + e))`` degrees of freedom.
    basis_ : float64, (p, r)
        The eigenvectors.
    features_ : float64, (n, r)
        The kernel at the training rows in this basis.
    sample_weight_ : float64, (n,)
    n_features_in_ : int

    Notes
    -----
    ``E = K_PX K_XP / n``, over informed rows, and
    ``S_pq = h^2 mean_i <grad k_p(x_i), grad k_q(x_i)>``: see `gradient_energy`. The cost is that of
    products of n x p arrays, ``n p^2``, and of decompositions of p x p ones. The authors' lambda is
    ``s h^2``, and their mu ``r / (s h^2)``.

    ``sample_weight`` w means w copies, in both means. Leave-one-out removes the target of a row
    from the first mean and keeps its input in the second, with n as it is:
    ``alpha[i, j] / (1 - alpha[i, i])`` for ``j != i`` (Sherman and Morrison).

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [0.2], [0.4], [2.0], [2.2], [2.4]])
    >>> weights = KernelLaplacianWeights(bandwidth=1.0)
    >>> informed = np.array([True, False, False, False, False, True])
    >>> votes = weights.fit_informed(X, informed=informed).training_votes()
    >>> (votes @ np.array([-1.0, 0.0, 0.0, 0.0, 0.0, 1.0])).round(2)
    array([-0.99, -1.  , -1.01,  1.01,  1.  ,  0.99])
    """

    def __init__(
        self,
        n_landmarks: int = 500,
        *,
        bandwidth: float | str | None = None,
        smoothing: float = 1.0,
        regularization: float = 1e-4,
        random_state: Any = 0,
        leave_one_out: bool = False,
    ) -> None:
        self.n_landmarks = n_landmarks
        self.bandwidth = bandwidth
        self.smoothing = smoothing
        self.regularization = regularization
        self.random_state = random_state
        self.leave_one_out = leave_one_out

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Learn the functions on the training inputs ``(n, d)``; every row votes."""
        return self.fit_informed(X, sample_weight)

    def fit_informed(
        self,
        X: Any,
        sample_weight: FloatArray | None = None,
        informed: BoolArray | None = None,
    ) -> Self:
        """`fit` where only the rows in ``informed``, bool ``(n,)``, vote."""
        count = check_integer(_NAME, "n_landmarks", self.n_landmarks, least=1)
        smoothing = check_number(_NAME, "smoothing", self.smoothing, positive=False)
        ridge = check_number(_NAME, "regularization", self.regularization, positive=True)
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        X = training_inputs(self, X)
        n = X.shape[0]
        self.sample_weight_ = checked_sample_weight(_NAME, sample_weight, n)
        self.informed_ = informed_rows(_NAME, informed, n)
        bandwidth = resolve_bandwidth(
            _NAME, "gaussian", self.bandwidth, X, self.sample_weight_, choices=("gaussian",)
        )
        assert bandwidth is not None
        self.bandwidth_ = bandwidth
        p = min(count, n)
        require_bytes(
            8.0 * (3.0 * n * p + 8.0 * p * p),
            f"{_NAME} on {n} rows with {p} landmarks",
            "Use fewer landmarks, or LaplacianWeights, which needs no such array.",
        )
        self.X_fit_ = X
        rows = choose_landmarks(
            X,
            self.sample_weight_,
            count,
            scheme="uniform",
            similarity=Similarity("gaussian", bandwidth),
            regularization=ridge,
            random=check_random_state(self.random_state),
        )
        self.landmarks_ = X[rows]
        self._decompose(smoothing, ridge)
        return self

    def training_votes(self) -> ProductVotes:
        """``alpha`` at the training inputs, ``(n, n)``; without own votes if `leave_one_out`."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self._votes(self.features_, among_themselves=True)

    def leave_one_out_votes(self) -> ProductVotes:
        """``alpha`` at each training input as if its target were unknown, ``(n, n)``."""
        check_is_fitted(self)
        votes = self._votes(self.features_, among_themselves=True)
        own = votes.diagonal()
        alone = own > _MAX_OWN_VOTE
        without = ProductVotes(
            votes.left,
            votes.right,
            votes.scales,
            own,
            votes.energies,
            votes.row_shares,
            votes.column_shares,
        )
        return without.scale_rows(np.where(alone, 0.0, 1.0 / np.where(alone, 1.0, 1.0 - own)))

    def votes(self, X: Any) -> ProductVotes:
        """``alpha`` at new inputs ``(q, d)``."""
        X = query_inputs(self, X)
        q, p = X.shape[0], self.landmarks_.shape[0]
        require_bytes(
            16.0 * q * p,
            f"{_NAME} between {q} queries and {p} landmarks",
            "Predict fewer queries at a time.",
        )
        features = gaussian_features(X, self.landmarks_, self.bandwidth_) @ self.basis_
        return self._votes(features, among_themselves=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _decompose(self, smoothing: float, ridge: float) -> None:
        """Find the basis in which both terms of the objective are diagonal."""
        X, landmarks, h = self.X_fit_, self.landmarks_, self.bandwidth_
        shares = self.sample_weight_ / self.sample_weight_.sum()
        gram, energy = gradient_energy(X, landmarks, shares, h)
        # First a basis that is orthonormal in the kernel's space, where the penalty is not
        # singular.
        sizes, axes = scipy.linalg.eigh(gaussian_features(landmarks, landmarks, h))
        kept = sizes > _MIN_RELATIVE_EIGENVALUE * sizes[-1]
        basis = axes[:, kept] / np.sqrt(sizes[kept])
        energies, rotation = scipy.linalg.eigh(basis.T @ energy @ basis)
        # No energy is negative; the maximum removes rounding errors.
        basis = basis @ (rotation / np.sqrt(smoothing * np.maximum(energies, 0.0) + ridge))
        all_vote = self.informed_.size == self.sample_weight_.size
        kernels = gaussian_features(X, landmarks, h)
        if not all_vote:
            voting = kernels[self.informed_]
            gram = (voting * self._column_shares[self.informed_, None]).T @ voting
        values, rotation = scipy.linalg.eigh(basis.T @ gram @ basis)
        self.eigenvalues_ = np.maximum(values, 0.0)
        self.basis_ = basis @ rotation
        self.features_ = kernels @ self.basis_

    @property
    def _column_shares(self) -> FloatArray:
        """The share of each row in the mean over informed rows, ``(n,)``."""
        shares = np.zeros(self.sample_weight_.size)
        sample_weight = self.sample_weight_[self.informed_]
        shares[self.informed_] = sample_weight / sample_weight.sum()
        return shares

    def _votes(self, features: FloatArray, *, among_themselves: bool) -> ProductVotes:
        shares = self._column_shares
        all_vote = self.informed_.size == self.sample_weight_.size
        known = among_themselves and all_vote
        return ProductVotes(
            features,
            (self.features_ * shares[:, None]).T,
            scales=1.0 / (1.0 + self.eigenvalues_),
            energies=self.eigenvalues_ if known else None,
            row_shares=1.0 / shares if known else None,
            column_shares=shares if known else None,
        )
