"""IPAL: candidates propagate along neighbours that rebuild each other (Zhang and Yu, 2015).

Solving the partial label learning problem: an instance-based approach, IJCAI. Weights w[i, j] >= 0
rebuild row i from its k nearest rows (`reconstruction.py`); H has them scaled to sum one. From
confidences F = P, uniform on each set, ::

    F <- a H F + (1 - a) P, then 0 outside the sets and scaled to sum one,

100 times. Row i gets the candidate of largest ``F[i, c] n_c / m_c``, with n and m the column sums
of P and F. A query is rebuilt from its k nearest rows; it gets the label whose rows alone rebuild
it best. The paper recommends k = 10 and a = .95. The authors' program scales every row to length
one first, so neighbours are those of the smallest angle.

Ours: a = .95; k, and whether rows are scaled after they were standardised, are chosen. A query can
only get the label of a neighbour.
"""

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize

from benchmarks.accuracy.method import Fitted, Method, best_candidates, grid
from benchmarks.accuracy.reconstruction import neighbor_weights
from benchmarks.accuracy.shared_work import WORK
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["INSTANCE_BASED", "fit_instance_based", "propagated"]

_N_ROUNDS = 100
_PROPAGATED_SHARE = 0.95


def fit_instance_based(
    X: FloatArray, mask: BoolArray, *, seed: int, k: int, length_one: bool
) -> Fitted:
    X = normalize(X) if length_one else X
    index = NearestNeighbors(n_neighbors=min(k, len(X) - 1)).fit(X)
    rows, weights = WORK.get(f"IPAL, k={k}", X, lambda: neighbor_weights(index, X, None))
    labels = best_candidates(propagated(rows, weights, mask), mask)

    def predict(queries: FloatArray) -> IntArray:
        seen = normalize(queries) if length_one else queries
        return _nearest_rebuilt(seen, X, labels, mask.shape[1], index)

    return Fitted(predict, labels)


def propagated(rows: IntArray, weights: FloatArray, mask: BoolArray) -> FloatArray:
    """``F[i, c] n_c / m_c``, (n, K), from the neighbours of each row and their weights, (n, k)."""
    n, k = rows.shape
    totals = weights.sum(axis=1, keepdims=True)
    scaled = weights / np.where(totals > 0, totals, 1.0)
    indptr = np.arange(0, n * k + 1, k)
    H = sp.csr_array((scaled.ravel(), rows.ravel(), indptr), shape=(n, n))
    uniform = mask / mask.sum(axis=1, keepdims=True)
    found = uniform
    for _ in range(_N_ROUNDS):
        found = np.where(
            mask, _PROPAGATED_SHARE * (H @ found) + (1.0 - _PROPAGATED_SHARE) * uniform, 0.0
        )
        found = found / found.sum(axis=1, keepdims=True)
    class_totals = found.sum(axis=0)
    return np.asarray(found * (uniform.sum(axis=0) / np.where(class_totals > 0, class_totals, 1.0)))


def _nearest_rebuilt(
    queries: FloatArray, X: FloatArray, labels: IntArray, n_classes: int, index: NearestNeighbors
) -> IntArray:
    rows, weights = neighbor_weights(index, X, queries)
    members = labels[rows][:, :, np.newaxis] == np.arange(n_classes)
    rebuilt = np.einsum("qkc,qk,qkd->qcd", members, weights, X[rows], optimize=True)
    distances = ((queries[:, np.newaxis, :] - rebuilt) ** 2).sum(axis=2)
    # A class without a neighbour would rebuild the origin, which may be near.
    distances[~members.any(axis=1)] = np.inf
    return np.asarray(distances.argmin(axis=1), dtype=np.intp)


INSTANCE_BASED = Method(
    "IPAL", fit_instance_based, grid(length_one=(True, False), k=(10, 5, 15)), version="2"
)
