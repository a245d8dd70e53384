"""The scale of the inputs: the median distance between two training rows."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics.pairwise import manhattan_distances

from disambig.notation import AnyArray, FloatArray
from disambig.weights.euclidean import pair_distances

__all__ = ["median_distance"]

_LARGEST_SAMPLE = 1000
_TINY = 1e-100


def median_distance(X: Any, masses: FloatArray, *, norm: str = "euclidean") -> float:
    """The median of ``|x - x'|`` over pairs of training rows, each as often as it weighs.

    Of more than 1000 rows (or a total weight above 1000) a sample of 1000 is taken, evenly spaced
    in the order of the rows and by weight; nothing is random. The median of an even number is the
    lower one. If it is 0, as where most rows are equal, the mean of the positive distances is
    returned, and 1 if there is none.

    Parameters
    ----------
    X : float64 array or canonical csr_array, (n, d)
    masses : (n,)
    norm : {"euclidean", "manhattan"}

    Examples
    --------
    >>> import numpy as np
    >>> median_distance(np.array([[0.0], [1.0], [3.0]]), np.ones(3))
    2.0
    """
    if max(float(masses.sum()), X.shape[0]) > _LARGEST_SAMPLE:
        rows = _evenly_spaced(masses, _LARGEST_SAMPLE)
        X, masses = X[rows], np.ones(_LARGEST_SAMPLE)
    if masses.max() < _TINY:
        # None is a whole copy, before and after: only their products must not vanish.
        masses = masses / masses.max()
    first, second = np.triu_indices(X.shape[0], k=1)
    distances = _between_pairs(X, norm)
    # Copies of one row make pairs too, at distance 0: w (w - 1) / 2 of them.
    inside = np.maximum(masses * (masses - 1.0) / 2.0, 0.0).sum()
    order = np.argsort(distances, kind="stable")
    weights = np.concatenate([[inside], (masses[first] * masses[second])[order]])
    sorted_distances = np.concatenate([[0.0], distances[order]])
    reached = np.cumsum(weights)
    median = float(sorted_distances[np.searchsorted(reached, reached[-1] / 2.0)])
    if median > 0.0:
        return median
    positive = sorted_distances > 0.0
    if not positive.any():
        return 1.0
    return float(np.average(sorted_distances[positive], weights=weights[positive]))


def _evenly_spaced(masses: FloatArray, size: int) -> AnyArray:
    reached = np.cumsum(masses)
    places = (np.arange(size) + 0.5) * (reached[-1] / size)
    rows: AnyArray = np.searchsorted(reached, places, side="right")
    return np.minimum(rows, masses.size - 1)


def _between_pairs(X: Any, norm: str) -> FloatArray:
    if not sp.issparse(X):
        distances: FloatArray = pdist(X, "euclidean" if norm == "euclidean" else "cityblock")
        return distances
    if norm == "manhattan":
        square = manhattan_distances(X)
    else:
        n = X.shape[0]
        indptr = np.arange(0, n * n + 1, n, dtype=np.int64)
        indices = np.tile(np.arange(n, dtype=np.int64), n)
        square = np.sqrt(pair_distances(X, X, indptr, indices)).reshape(n, n)
    condensed: FloatArray = squareform(square, checks=False)
    return condensed
