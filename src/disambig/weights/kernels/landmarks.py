"""Landmarks: the few training rows of a Nyström approximation, and the factor of their kernel.

`choose_landmarks` draws the rows; `kernel_factor` factorises their kernel matrix and drops
landmarks that are linear combinations of others.
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

# Smallest pivot relative to the largest entry; smaller ones are rounding. The larger bound is for
# features that are not kept: errors of products with R^{-1} from both sides grow with the square of
# its norm.
_MIN_PIVOT = 1e-14
_CAUTIOUS_MIN_PIVOT = 1e-10
# Asymmetry and negative diagonal entries below this part of the largest entry are rounding.
_MAX_RELATIVE_ASYMMETRY = 1e-8
# Rows of a block whose kernel matrix is computed for its diagonal.
_ROWS_PER_BLOCK = 64
SCHEMES = ("uniform", "kmeans++", "leverage")
# "kmeans++" and "leverage" choose among so many rows for each landmark, drawn uniformly.
_CANDIDATES_PER_LANDMARK = 8
# Rows through which leverage is estimated, for each landmark.
_PILOTS_PER_LANDMARK = 0.5
# Leverage scores need a ridge: without one, every row that is no combination of others has score 1.
_MIN_REGULARIZATION = 1e-8


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
        # The transpose of a C-ordered array is in Fortran order, so that BLAS solves in place.
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
        """``k(x, x)``, an upper bound of the squared length of the features, ``(q,)``."""
        return own_similarity(X, self.similarity)


def own_similarity(X: Any, similarity: Similarity) -> FloatArray:
    """``k(x, x)`` for each row, ``(q,)``."""
    if isinstance(similarity.kernel, str) and similarity.kernel in ("gaussian", "laplacian"):
        return np.ones(X.shape[0])
    blocks = [X[start : start + _ROWS_PER_BLOCK] for start in range(0, X.shape[0], _ROWS_PER_BLOCK)]
    found = [similarity(block, block).diagonal() for block in blocks]
    return np.concatenate([np.zeros(0), *found])


def kernel_factor(
    owner: str, landmarks: Any, similarity: Similarity, *, cautious: bool = False
) -> tuple[KernelFactor, IntArray]:
    """The factor and the landmarks that it keeps, by a Cholesky decomposition with pivoting.

    Landmarks that are linear combinations of others in the kernel's space are left out, so that R
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
    asymmetry = float(np.abs(kernel - kernel.T).max(initial=0.0))
    if asymmetry > _MAX_RELATIVE_ASYMMETRY * largest:
        raise VotesError(
            f"{owner}: the kernel must be symmetric on the landmarks; entries [i, j] and [j, i] "
            f"differ by up to {asymmetry:.3g}. Use (k(x, x') + k(x', x)) / 2 if that is rounding."
        )
    if largest == 0.0:
        raise VotesError(
            f"{owner}: the kernel is zero between all landmarks, so no row has a vote. Use another "
            "kernel, or add a constant to it."
        )
    if kernel.diagonal().min() < -_MAX_RELATIVE_ASYMMETRY * largest:
        raise _indefinite(owner, float(kernel.diagonal().min()))
    smallest = (_CAUTIOUS_MIN_PIVOT if cautious else _MIN_PIVOT) * largest
    factor, order, rank, _ = lapack.dpstrf(kernel.T, tol=smallest, lower=0)
    order = order.astype(np.intp) - 1
    kept = order[:rank]
    triangle = np.asfortranarray(np.triu(factor[:rank, :rank]))
    # If the rest of the kernel is not zero, it is not positive semi-definite.
    rest = kernel[np.ix_(order, order)]
    rest -= np.triu(factor[:rank]).T @ np.triu(factor[:rank])
    if float(np.abs(rest).max()) > _MAX_RELATIVE_ASYMMETRY * largest:
        raise _indefinite(owner, -float(np.abs(rest).max()))
    return KernelFactor(landmarks[kept], triangle, similarity), kept


def _indefinite(owner: str, size: float) -> VotesError:
    return VotesError(
        f"{owner}: the kernel of the landmarks is not positive semi-definite (by {size:.3g}). "
        "Use a positive semi-definite kernel, or pass votes of any sign with "
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

    * "uniform": drawn one after the other without replacement, in proportion to sample weight.
    * "kmeans++": in proportion to sample weight times the squared distance, in the kernel's space,
      to the nearest landmark so far (Arthur and Vassilvitskii, 2007).
    * "leverage": in proportion to sample weight times the ridge leverage score, the effect of a row
      on its own prediction, estimated from rows drawn uniformly (Rudi et al., 2018).

    The last two choose among ``8 * count`` rows drawn uniformly. The choice depends only on the
    distinct rows and their total weights: neither on the order of X nor on whether copies are rows
    or weights.

    Parameters
    ----------
    X : float64 array or canonical csr_array, (n, d)
    sample_weight : (n,)
    count : int >= 1
    scheme : {"uniform", "kmeans++", "leverage"}
    similarity : Similarity
    regularization : float >= 0
        The ridge of the leverage scores.
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
    # Sorted by their hashes: the same order for any order of the rows.
    distinct = rows.first[rows.sorted_groups]
    weight: FloatArray = np.bincount(rows.group, weights=sample_weight)[rows.sorted_groups].astype(
        np.float64
    )
    if distinct.size <= count:
        return np.sort(distinct)
    if scheme == "uniform":
        return np.sort(distinct[_draw(weight, count, random)])
    candidates = _draw(weight, _CANDIDATES_PER_LANDMARK * count, random)
    distinct, weight = distinct[candidates], weight[candidates]
    inputs = X[distinct]
    if scheme == "kmeans++":
        chosen = _draw_spread_out(inputs, weight, count, similarity, random)
    else:
        pilots = _draw(weight, max(1, int(_PILOTS_PER_LANDMARK * count)), random)
        scores = _leverages(inputs, pilots, similarity, max(regularization, _MIN_REGULARIZATION))
        chosen = _draw(weight * scores, count, random)
    return np.sort(distinct[chosen])


def _draw(weight: FloatArray, count: int, random: np.random.RandomState) -> IntArray:
    """`count` places without replacement, one after the other in proportion to weight."""
    if count >= weight.size:
        return np.arange(weight.size)
    # The smallest of exponential times with these rates is at each place with probability in
    # proportion to its rate, and so is the next one among the others.
    times = random.exponential(size=weight.size) / np.maximum(weight, np.finfo(np.float64).tiny)
    return np.argsort(times, kind="stable")[:count]


def _draw_spread_out(
    inputs: Any,
    weight: FloatArray,
    count: int,
    similarity: Similarity,
    random: np.random.RandomState,
) -> IntArray:
    own = own_similarity(inputs, similarity)
    chosen = np.empty(count, dtype=np.intp)
    nearest = np.full(weight.size, np.inf)
    weights = weight
    for k in range(count):
        reached = np.cumsum(weights)
        if reached[-1] <= 0:
            # All other rows equal a landmark in the kernel's space.
            return chosen[:k]
        place = np.searchsorted(reached, random.uniform() * reached[-1], side="right")
        chosen[k] = min(int(place), weight.size - 1)
        last = chosen[k : k + 1]
        distances = own + own[last] - 2.0 * similarity(inputs, inputs[last])[:, 0]
        distances[last] = 0.0
        nearest = np.minimum(nearest, np.maximum(distances, 0.0))
        weights = weight * nearest
    return chosen


def _leverages(
    inputs: Any, pilots: IntArray, similarity: Similarity, regularization: float
) -> FloatArray:
    """``k(x, x) - k(x, P) (K_P + |P| lam I)^{-1} k(P, x)``, in proportion to leverage scores."""
    kernel = similarity(inputs[pilots], inputs[pilots])
    size = float(np.abs(kernel).max(initial=0.0))
    kernel[np.diag_indices_from(kernel)] += max(pilots.size * regularization, 1e-10 * size)
    try:
        factor = scipy.linalg.cholesky(kernel, lower=True, check_finite=False)
    except np.linalg.LinAlgError:
        # Not positive semi-definite: kernel_factor raises the error about it.
        return np.ones(inputs.shape[0])
    own = own_similarity(inputs, similarity)
    explained = scipy.linalg.solve_triangular(
        factor, similarity(inputs, inputs[pilots]).T, lower=True, check_finite=False
    )
    unexplained = own - np.einsum("pi,pi->i", explained, explained)
    scores: FloatArray = np.maximum(unexplained, np.finfo(np.float64).eps * own)
    return scores
