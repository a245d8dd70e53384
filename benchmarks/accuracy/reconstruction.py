"""Rows rebuilt from their neighbours: ``min |x - sum_j w_j x_j|²`` over ``w >= 0``, all at once."""

import numpy as np
from sklearn.neighbors import NearestNeighbors

from disambig.compiled.jit import kernel
from disambig.notation import FloatArray, IntArray

__all__ = ["neighbor_weights", "nonnegative_combinations"]

_MOST_SWEEPS = 1000
_TOLERANCE = 1e-6


def neighbor_weights(
    index: NearestNeighbors, X: FloatArray, queries: FloatArray | None
) -> tuple[IntArray, FloatArray]:
    """The nearest of the rows X for each query, (q, k), and their weights, (q, k).

    Without queries, for the rows of X themselves, none its own neighbour.
    """
    rows = index.kneighbors(queries, return_distance=False)
    targets = X if queries is None else queries
    return rows, nonnegative_combinations(X[rows], targets)


def nonnegative_combinations(parts: FloatArray, targets: FloatArray) -> FloatArray:
    """w of least ``|targets[i] - sum_j w[i, j] parts[i, j]|²``, ``w >= 0``, (q, k).

    Parameters
    ----------
    parts : (q, k, d)
    targets : (q, d)
    """
    grams = parts @ parts.transpose(0, 2, 1)
    slopes = np.einsum("qkd,qd->qk", parts, targets)
    return np.asarray(_descended(grams, slopes, np.sqrt((targets**2).sum(axis=1))))


@kernel
def _descended(grams: FloatArray, slopes: FloatArray, sizes: FloatArray) -> FloatArray:
    # One coordinate after the other, each to its minimum with the others as they are, until no
    # step moves what is rebuilt by more than a tiny part of its target.
    n, k = slopes.shape
    weights = np.zeros((n, k))
    for i in range(n):
        w = weights[i]
        for _ in range(_MOST_SWEEPS):
            largest = 0.0
            for j in range(k):
                curvature = grams[i, j, j]
                if curvature <= 0.0:
                    continue
                rest = slopes[i, j]
                for m in range(k):
                    rest -= grams[i, j, m] * w[m]
                updated = max(w[j] + rest / curvature, 0.0)
                largest = max(largest, abs(updated - w[j]) * np.sqrt(curvature))
                w[j] = updated
            if largest <= _TOLERANCE * sizes[i]:
                break
    return weights
