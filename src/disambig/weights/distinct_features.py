"""Training rows with features, equal ones as one input."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.weights.affinities import Listing
from disambig.weights.equal_rows import EqualRows
from disambig.weights.euclidean import EuclideanIndex, pair_distances
from disambig.weights.nearest import nearest_shares

__all__ = ["DistinctFeatures"]


@dataclass(frozen=True, eq=False)
class DistinctFeatures:
    """The N distinct inputs among n rows of features, searched by euclidean distance.

    Parameters
    ----------
    rows : EqualRows
    index : EuclideanIndex of N rows
    """

    rows: EqualRows
    index: EuclideanIndex

    @classmethod
    def build(cls, X: Any, *, n_jobs: int | None) -> "DistinctFeatures":
        """Index the distinct rows of X, a float64 array or canonical ``csr_array``."""
        rows = EqualRows.build(X)
        distinct = X if rows.first.size == X.shape[0] else X[rows.first]
        return cls(rows, EuclideanIndex.build(distinct, n_jobs=n_jobs))

    @property
    def node(self) -> IntArray:
        """Which distinct input each training row is, ``(n,)``."""
        return self.rows.kind

    def among_themselves(self, masses: FloatArray, wanted: float) -> Listing:
        """For each distinct input the nearest others until their mass is `wanted`."""
        return self._listing(self.index.X, masses, wanted, np.arange(masses.size, dtype=np.int64))

    def find(self, X: Any) -> IntArray:
        """Which distinct input each query is, -1 for a new one."""
        return self.rows.find(X)

    def from_queries(self, X: Any, masses: FloatArray, wanted: float) -> Listing:
        """For each query the nearest distinct inputs until their mass is `wanted`."""
        return self._listing(X, masses, wanted, np.full(X.shape[0], -1, dtype=np.int64))

    def _listing(self, X: Any, masses: FloatArray, wanted: float, own: AnyArray) -> Listing:
        shares = nearest_shares(self.index, X, masses, wanted, own)
        indptr, indices = shares.indptr.astype(np.int64), shares.indices.astype(np.int64)
        return Listing(shares, np.sqrt(pair_distances(X, self.index.X, indptr, indices)))
