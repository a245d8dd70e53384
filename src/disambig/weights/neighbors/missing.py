"""Distances that skip what is missing, by three matrix products, and neighbours by them."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from disambig.notation import AnyArray, FloatArray
from disambig.weights.neighbors.lists import NeighborLists
from disambig.weights.neighbors.metric import listed_neighbors

# Distances between so many pairs of rows at a time.
_BLOCK_PAIRS = 2**21
# Sums of products that differ by this share of their terms are rounding.
_ROUNDING = 1e-13


def squared_distances(Q: FloatArray, X: FloatArray) -> FloatArray:
    """Squared euclidean distances over the columns that both rows have, ``(q, n)``.

    ``d / c * sum_c (q_c - x_c)^2`` over the c of d columns in which neither cell is NaN, as
    `sklearn.metrics.pairwise.nan_euclidean_distances`; infinite if there is none. Centre the
    columns first, or large offsets are rounded away.

    Parameters
    ----------
    Q : float array (q, d)
    X : float array (n, d)

    Examples
    --------
    >>> squared_distances(np.array([[0.0, np.nan]]), np.array([[3.0, 1.0], [np.nan, 2.0]]))
    array([[18., inf]])
    """
    in_q, in_x = ~np.isnan(Q), ~np.isnan(X)
    q, x = np.where(in_q, Q, 0.0), np.where(in_x, X, 0.0)
    in_q, in_x = in_q.astype(np.float64), in_x.astype(np.float64)
    sizes = (q**2) @ in_x.T + in_q @ (x**2).T
    squares = sizes - 2.0 * (q @ x.T)
    squares[squares < _ROUNDING * sizes] = 0.0
    common = in_q @ in_x.T
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = squares * (Q.shape[1] / common)
    scaled[common == 0] = np.inf
    return np.asarray(scaled)


@dataclass(frozen=True, eq=False)
class MissingIndex:
    """Neighbours among rows with holes.

    Attributes
    ----------
    X : float array (n, d)
        NaN where missing.
    center : float array (d,)
    """

    X: FloatArray
    center: FloatArray

    @classmethod
    def of(cls, X: FloatArray) -> "MissingIndex":
        """The index of some rows."""
        known = ~np.isnan(X)
        counts = np.maximum(known.sum(axis=0), 1)
        return cls(X, np.where(known, X, 0.0).sum(axis=0) / counts)

    def lists(
        self, queries: FloatArray, sample_weight: FloatArray, wanted: float, own: AnyArray
    ) -> NeighborLists:
        """The nearest rows of each query until the weight of the others is `wanted`.

        Rows without a column in common with the query are no neighbours.
        """
        n = len(self.X)
        rows = self.X - self.center
        step = max(1, _BLOCK_PAIRS // n)
        found = []
        for start in range(0, len(queries), step):
            squares = squared_distances(queries[start : start + step] - self.center, rows)
            own_rows = own[start : start + step]
            near = np.isfinite(squares)
            # A row is at distance 0 of itself, whatever is missing.
            itself = np.flatnonzero(own_rows >= 0)
            squares[itself, own_rows[itself]], near[itself, own_rows[itself]] = 0.0, True
            indptr = np.concatenate([[0], np.cumsum(near.sum(axis=1))])
            graph = sp.csr_array(
                (np.sqrt(squares[near]), np.nonzero(near)[1], indptr), shape=squares.shape
            )
            found.append(listed_neighbors(graph, sample_weight, wanted, own_rows))
        if not found:
            return listed_neighbors(sp.csr_array((0, n)), sample_weight, wanted, own)
        ends = np.cumsum([0, *(part.indptr[-1] for part in found)])
        indptr = np.concatenate(
            [[0], *(part.indptr[1:] + end for part, end in zip(found, ends, strict=False))]
        )
        return NeighborLists(
            indptr.astype(np.int64),
            np.concatenate([part.indices for part in found]),
            np.concatenate([part.distances for part in found]),
            n,
        )
