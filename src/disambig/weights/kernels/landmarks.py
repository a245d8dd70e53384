"""The kernel of the landmarks as a product of triangles, without those that add nothing.

Landmarks: a few training rows through which all others are seen.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from scipy.linalg import blas, lapack

from disambig.exceptions import VotesError
from disambig.notation import FloatArray, IntArray
from disambig.weights.kernels.similarity import Similarity
from disambig.weights.row_groups import EqualRows

# Pivots below this part of the largest entry are rounding. The larger bound is for features that
# are not kept: products with R^{-1} from both sides have the square of its size in their error.
_PIVOT = 1e-14
_CAUTIOUS_PIVOT = 1e-10
# So is asymmetry below this part of the largest entry, and a negative value on the diagonal.
_UNEVEN = 1e-8
# Rows compared with each other for the sake of a diagonal.
_SQUARE = 64
SCHEMES = ("uniform", "kmeans++", "leverage")
# The schemes that look at the kernel choose among so many rows for each landmark, drawn evenly.
_CANDIDATES = 8
# Rows through which leverage is estimated, for each landmark.
_PILOTS = 0.5
# Leverage is asked for at a ridge; at none every row that is not a combination of others has 1.
_LEAST_RIDGE = 1e-8


@dataclass(frozen=True, eq=False)
class KernelFactor:
    """``phi(x) = k(x, L) R^{-1}`` with ``R' R = K_L``: features whose inner products are Nyström's.

    ``<phi(x), phi(x')> = k(x, L) K_L^{-1} k(L, x')``.

    Parameters
    ----------
    landmarks : (r, d)
        L.
    triangle : float64, (r, r), upper, in Fortran order
        R.
    similarity : Similarity
    """

    landmarks: Any
    triangle: FloatArray
    similarity: Similarity

    def __call__(self, X: Any) -> FloatArray:
        """Features of the rows of X, ``(q, r)``."""
        kernel = self.raw(X)
        if not kernel.shape[0]:
            return kernel
        # Of a C-ordered array the transpose is in the order of BLAS, and solved for in place.
        solved = blas.dtrsm(1.0, self.triangle, kernel.T, side=0, lower=0, trans_a=1, overwrite_b=1)
        features: FloatArray = solved.T
        return features

    @property
    def rank(self) -> int:
        """r."""
        return int(self.triangle.shape[0])

    def raw(self, X: Any) -> FloatArray:
        """``k(x, L)``, ``(q, r)``."""
        return self.similarity(X, self.landmarks)

    def squares(self, X: Any) -> FloatArray:
        """``k(x, x)``, which no squared length of features exceeds, ``(q,)``."""
        return own_similarity(X, self.similarity)


def own_similarity(X: Any, similarity: Similarity) -> FloatArray:
    """``k(x, x)`` for each row, ``(q,)``."""
    if isinstance(similarity.kernel, str) and similarity.kernel in ("gaussian", "laplacian"):
        return np.ones(X.shape[0])
    blocks = [X[start : start + _SQUARE] for start in range(0, X.shape[0], _SQUARE)]
    found = [similarity(block, block).diagonal() for block in blocks]
    return np.concatenate([np.zeros(0), *found])


def kernel_factor(
    owner: str, landmarks: Any, similarity: Similarity, *, cautious: bool = False
) -> tuple[KernelFactor, IntArray]:
    """The factor, and which landmarks it kept, by a Cholesky decomposition with pivots.

    Landmarks that the kernel cannot tell from combinations of the others are left out, so that R
    can be inverted.

    Raises
    ------
    VotesError
        If the kernel of the landmarks is not symmetric, not positive semi-definite, or zero.

    Examples
    --------
    >>> import numpy as np
    >>> factor, kept = kernel_factor("Example", np.array([[1.0], [2.0]]), Similarity("linear"))
    >>> factor(np.array([[3.0]])), kept
    (array([[3.]]), array([1]))
    """
    kernel = similarity(landmarks, landmarks)
    largest = float(np.abs(kernel).max(initial=0.0))
    uneven = float(np.abs(kernel - kernel.T).max(initial=0.0))
    if uneven > _UNEVEN * largest:
        raise VotesError(
            f"{owner}: the kernel must be symmetric on the landmarks; entries [i, j] and [j, i] "
            f"differ by up to {uneven:.3g}. Use (k(x, x') + k(x', x)) / 2 if that is rounding."
        )
    if largest == 0.0:
        raise VotesError(
            f"{owner}: the kernel is zero between all landmarks, so that nobody has a vote. Use "
            "another kernel, or add a constant to it."
        )
    if kernel.diagonal().min() < -_UNEVEN * largest:
        raise _indefinite(owner, float(kernel.diagonal().min()))
    smallest = (_CAUTIOUS_PIVOT if cautious else _PIVOT) * largest
    factor, order, rank, _ = lapack.dpstrf(kernel.T, tol=smallest, lower=0)
    order = order.astype(np.intp) - 1
    kept = order[:rank]
    triangle = np.asfortranarray(np.triu(factor[:rank, :rank]))
    # What the factor leaves of the kernel shows whether that was positive.
    rest = kernel[np.ix_(order, order)]
    rest -= np.triu(factor[:rank]).T @ np.triu(factor[:rank])
    if float(np.abs(rest).max()) > _UNEVEN * largest:
        raise _indefinite(owner, -float(np.abs(rest).max()))
    return KernelFactor(landmarks[kept], triangle, similarity), kept


def _indefinite(owner: str, size: float) -> VotesError:
    return VotesError(
        f"{owner}: the kernel of the landmarks is not positive semi-definite (by {size:.3g}). "
        "Kernel ridge needs a kernel; pass weights of any sign as they are with "
        "PrecomputedWeights."
    )


def choose_landmarks(
    X: Any,
    sample_weight: FloatArray,
    count: int,
    *,
    scheme: str,
    similarity: Similarity,
    regularization: float,
    random: np.random.RandomState,
) -> IntArray:
    """At most `count` rows of X, no two equal, ascending.

    * "uniform": drawn one after the other without repetition, by mass.
    * "kmeans++": each drawn with probability in proportion to mass times the squared distance, as
      the kernel measures it, to the nearest landmark so far (Arthur and Vassilvitskii, 2007).
    * "leverage": drawn by mass times the ridge leverage score, how far a row moves its own
      prediction, which is estimated through rows drawn uniformly (Rudi et al., 2018).

    The last two choose among 8 `count` rows drawn uniformly. The choice depends on the distinct
    rows and their masses alone: neither on the order of X nor on whether a weight stands for
    copies.

    Parameters
    ----------
    X : float64 array or canonical csr_array, (n, d)
    masses : (n,)
    count : int >= 1
    scheme : {"uniform", "kmeans++", "leverage"}
    similarity : Similarity
    regularization : float >= 0
        At which leverage is asked for.
    random : RandomState

    Examples
    --------
    >>> import numpy as np
    >>> X, random = np.array([[0.0], [0.1], [9.0], [9.0]]), np.random.RandomState(0)
    >>> found = choose_landmarks(
    ...     X,
    ...     np.ones(4),
    ...     2,
    ...     scheme="kmeans++",
    ...     similarity=Similarity("gaussian", 1.0),
    ...     regularization=0.1,
    ...     random=random,
    ... )
    >>> X[found].round().ravel()
    array([0., 9.])
    """
    rows = EqualRows.build(X)
    # By their hashes: the same order however the rows came.
    distinct = rows.first[rows.sorted_kinds]
    mass: FloatArray = np.bincount(rows.kind, weights=sample_weight)[rows.sorted_kinds].astype(
        np.float64
    )
    if distinct.size <= count:
        return np.sort(distinct)
    if scheme == "uniform":
        return np.sort(distinct[_drawn(mass, count, random)])
    candidates = _drawn(mass, _CANDIDATES * count, random)
    distinct, mass = distinct[candidates], mass[candidates]
    inputs = X[distinct]
    if scheme == "kmeans++":
        chosen = _spread(inputs, mass, count, similarity, random)
    else:
        pilots = _drawn(mass, max(1, int(_PILOTS * count)), random)
        scores = _leverages(inputs, pilots, similarity, max(regularization, _LEAST_RIDGE))
        chosen = _drawn(mass * scores, count, random)
    return np.sort(distinct[chosen])


def _drawn(mass: FloatArray, count: int, random: np.random.RandomState) -> IntArray:
    """So many places without repetition, one after the other in proportion to mass."""
    if count >= mass.size:
        return np.arange(mass.size)
    # A race: the first to arrive of exponential times with these rates is drawn in proportion to
    # the rates, and so is the next among the others.
    times = random.exponential(size=mass.size) / np.maximum(mass, np.finfo(np.float64).tiny)
    return np.argsort(times, kind="stable")[:count]


def _spread(
    inputs: Any, mass: FloatArray, count: int, similarity: Similarity, random: np.random.RandomState
) -> IntArray:
    own = own_similarity(inputs, similarity)
    chosen = np.empty(count, dtype=np.intp)
    far = np.full(mass.size, np.inf)
    weights = mass
    for k in range(count):
        reached = np.cumsum(weights)
        if reached[-1] <= 0:
            # The kernel tells no further row from a landmark.
            return chosen[:k]
        place = np.searchsorted(reached, random.uniform() * reached[-1], side="right")
        chosen[k] = min(int(place), mass.size - 1)
        last = chosen[k : k + 1]
        apart = own + own[last] - 2.0 * similarity(inputs, inputs[last])[:, 0]
        apart[last] = 0.0
        far = np.minimum(far, np.maximum(apart, 0.0))
        weights = mass * far
    return chosen


def _leverages(
    inputs: Any, pilots: IntArray, similarity: Similarity, regularization: float
) -> FloatArray:
    """``k(x, x) - k(x, P) (K_P + |P| lam I)^{-1} k(P, x)``, in proportion to leverage scores."""
    among = similarity(inputs[pilots], inputs[pilots])
    size = float(np.abs(among).max(initial=0.0))
    among[np.diag_indices_from(among)] += max(pilots.size * regularization, 1e-10 * size)
    try:
        factor = scipy.linalg.cholesky(among, lower=True, check_finite=False)
    except np.linalg.LinAlgError:
        # Not a positive kernel: whoever decomposes the kernel of the landmarks says so.
        return np.ones(inputs.shape[0])
    own = own_similarity(inputs, similarity)
    seen = scipy.linalg.solve_triangular(
        factor, similarity(inputs, inputs[pilots]).T, lower=True, check_finite=False
    )
    left = own - np.einsum("pi,pi->i", seen, seen)
    scores: FloatArray = np.maximum(left, np.finfo(np.float64).eps * own)
    return scores
