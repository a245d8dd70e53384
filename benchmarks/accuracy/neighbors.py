"""PL-kNN: neighbours vote for all their candidates (Hüllermeier and Beringer, 2006).

Learning from ambiguously labeled examples, Intelligent Data Analysis 10(5). Neighbour i, of those
of a query, votes with weight ``1 - d_i / sum_j d_j``; the class with most votes wins. Public
programs and the papers that compare with it have these weights and k = 10.

Ours: of classes with equal votes, the one that is a candidate most often wins; elsewhere any may
win. k is chosen.
"""

import numpy as np
from sklearn.neighbors import NearestNeighbors

from benchmarks.accuracy.method import Fitted, Method, best_candidates, grid
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["NEIGHBORS", "fit_neighbors"]


def fit_neighbors(X: FloatArray, mask: BoolArray, *, seed: int, k: int) -> Fitted:
    index = NearestNeighbors(n_neighbors=min(k, len(X) - 1)).fit(X)
    # Breaks ties: smaller than any difference between votes that is not rounding.
    tie_break = 1e-9 * mask.mean(axis=0)

    def scores(queries: FloatArray | None) -> FloatArray:
        distances, rows = index.kneighbors(queries)
        return np.asarray(np.einsum("qk,qkc->qc", _weights(distances), mask[rows]) + tie_break)

    def predict(queries: FloatArray) -> IntArray:
        return np.asarray(scores(queries).argmax(axis=1), dtype=np.intp)

    # Without queries, the index returns the neighbours of its own rows, without the rows
    # themselves.
    return Fitted(predict, best_candidates(scores(None), mask))


def _weights(distances: FloatArray) -> FloatArray:
    totals = distances.sum(axis=1, keepdims=True)
    if distances.shape[1] == 1:
        return np.ones_like(distances)
    return np.asarray(1.0 - distances / np.where(totals > 0, totals, 1.0))


NEIGHBORS = Method("PL-kNN", fit_neighbors, grid(k=(10, 3, 5, 15, 20, 30)), version="2")
