"""Weights ``w >= 0`` that rebuild rows from their neighbours: ``min |x - sum_j w_j x_j|²``."""

import numpy as np
from sklearn.neighbors import NearestNeighbors

from disambig.compiled.jit import compiled
from disambig.notation import FloatArray, IntArray

__all__ = ["neighbor_weights", "nonnegative_combinations"]

_MAX_SWEEPS = 1000
_MOVE_TOLERANCE = 1e-6


def neighbor_weights(
    index: NearestNeighbors, X: FloatArray, queries: FloatArray | None
) -> tuple[IntArray, FloatArray]:
    """The nearest of the rows X for each query, (q, k), and their weights, (q, k).

    Without queries, for the rows of X themselves; no row is its own neighbour.
    """
    rows = index.kneighbors(queries, return_distance=False)
    targets = X if queries is None else queries
    return rows, nonnegative_combinations(X[rows], targets)


def nonnegative_combinations(parts: FloatArray, targets: FloatArray) -> FloatArray:
    """The ``w >= 0`` that minimise ``|targets[i] - sum_j w[i, j] parts[i, j]|²``, (q, k).

    Parameters
    ----------
    parts : (q, k, d)
    targets : (q, d)
    """
    grams = parts @ parts.transpose(0, 2, 1)
    linear_terms = np.einsum("qkd,qd->qk", parts, targets)
    return np.asarray(_coordinate_descent(grams, linear_terms, np.sqrt((targets**2).sum(axis=1))))


@compiled
def _coordinate_descent(
    grams: FloatArray, linear_terms: FloatArray, sizes: FloatArray
) -> FloatArray:
    # Each coordinate in turn takes its minimum with the others fixed, until no step moves the
    # combination by more than a small share of the size of its target.
    n, k = linear_terms.shape
    weights = np.zeros((n, k))
    for i in range(n):
        w = weights[i]
        for _ in range(_MAX_SWEEPS):
            largest = 0.0
            for j in range(k):
                curvature = grams[i, j, j]
                if curvature <= 0.0:
                    continue
                rest = linear_terms[i, j]
                for m in range(k):
                    rest -= grams[i, j, m] * w[m]
                updated = max(w[j] + rest / curvature, 0.0)
                largest = max(largest, abs(updated - w[j]) * np.sqrt(curvature))
                w[j] = updated
            if largest <= _MOVE_TOLERANCE * sizes[i]:
                break
    return weights
