"""Landmarks: a few training rows through which all others are seen."""

from typing import Any

import numpy as np
import scipy.linalg

from disambig.notation import FloatArray, IntArray
from disambig.weights.equal_rows import EqualRows
from disambig.weights.kernel_factor import own_similarity
from disambig.weights.similarity import Similarity

__all__ = ["SCHEMES", "choose_landmarks"]

SCHEMES = ("uniform", "kmeans++", "leverage")
# The schemes that look at the kernel choose among so many rows for each landmark, drawn evenly.
_CANDIDATES = 8
# Rows through which leverage is estimated, for each landmark.
_PILOTS = 0.5
# Leverage is asked for at a ridge; at none every row that is not a combination of others has 1.
_LEAST_RIDGE = 1e-8


def choose_landmarks(
    X: Any,
    masses: FloatArray,
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
    mass: FloatArray = np.bincount(rows.kind, weights=masses)[rows.sorted_kinds].astype(np.float64)
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
