"""The constant of least squared hinge, over all rows or over the k nearest rows of a query."""

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.intervals.hinge import minimum
from benchmarks.intervals.method import MARGINS, Method, Predict, grid
from disambig.compiled.jit import compiled
from disambig.notation import AnyArray, FloatArray

__all__ = ["CONSTANT", "NEIGHBORS"]


def fit_constant(X: FloatArray, lower: FloatArray, upper: FloatArray, *, seed: int) -> Predict:
    best, _ = minimum(lower, upper, 0.0)
    return lambda queries: np.full(len(queries), best)


def fit_neighbors(
    X: FloatArray, lower: FloatArray, upper: FloatArray, *, seed: int, k: int, margin: float
) -> Predict:
    index = NearestNeighbors(n_neighbors=min(k, len(X))).fit(X)

    def predict(queries: FloatArray) -> FloatArray:
        found = index.kneighbors(queries, return_distance=False)
        return minima(found, lower, upper, margin)

    return predict


@compiled
def minima(neighbors: AnyArray, lower: FloatArray, upper: FloatArray, margin: float) -> FloatArray:
    found = np.empty(len(neighbors))
    for i in range(len(neighbors)):
        rows = neighbors[i]
        found[i], _ = minimum(lower[rows], upper[rows], margin)
    return found


CONSTANT = Method("constant", fit_constant)
NEIGHBORS = Method("k-NN", fit_neighbors, grid(k=(60, 25, 10, 4), margin=MARGINS))
