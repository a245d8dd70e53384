"""An index of training rows under any metric that scikit-learn knows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

from disambig.exceptions import VotesError
from disambig.kernels.nearest import nearest_in_lists
from disambig.notation import AnyArray, FloatArray

__all__ = ["MetricIndex"]

_FROM_DATA = {"seuclidean": "V", "mahalanobis": "VI"}


@dataclass(frozen=True, eq=False)
class MetricIndex:
    """Training rows that can be searched by a metric, its distances taken as they come.

    Parameters
    ----------
    X : array or csr_array, (n, d)
    searcher : NearestNeighbors
        Fitted on X.
    """

    X: Any
    searcher: NearestNeighbors

    @classmethod
    def build(
        cls, X: Any, *, metric: Any, metric_params: Any, algorithm: str, n_jobs: int | None
    ) -> "MetricIndex":
        """Index the rows of X; scikit-learn refuses what metric and algorithm cannot do."""
        params = dict(metric_params or {})
        needed = _FROM_DATA.get(metric) if isinstance(metric, str) else None
        if needed is not None and needed not in params:
            raise ValueError(
                f"NeighborWeights: metric={metric!r} needs metric_params={{{needed!r}: ...}}; "
                "estimated anew from the rows compared together, it would change from query to "
                "query."
            )
        # Among the other parameters scikit-learn takes p with a warning.
        p = params.pop("p", 2)
        searcher = NearestNeighbors(
            algorithm=algorithm, metric=metric, p=p, metric_params=params or None, n_jobs=n_jobs
        )
        return cls(X, searcher.fit(X))

    def candidates(
        self, queries: Any, width: int, own: AnyArray
    ) -> tuple[AnyArray, AnyArray, FloatArray, FloatArray]:
        """`width` rows near each query, and the distance that no other row falls below."""
        found, indices = self.searcher.kneighbors(queries, n_neighbors=width)
        _check_distances(found)
        indptr = np.arange(0, indices.size + 1, width, dtype=np.int64)
        flat = np.ascontiguousarray(indices, dtype=np.int64).ravel()
        distances = np.ascontiguousarray(found, dtype=np.float64).ravel()
        return indptr, flat, distances, found[:, -1]

    def exhaust(self, queries: Any, masses: FloatArray, wanted: float, own: AnyArray) -> Any:
        """Select among all rows; returns as `nearest_in_lists` does."""
        n = self.X.shape[0]
        params = self.searcher.effective_metric_params_
        found = pairwise_distances(
            queries, self.X, metric=self.searcher.effective_metric_, **params
        )
        _check_distances(found)
        indptr = np.arange(0, found.size + 1, n, dtype=np.int64)
        indices = np.tile(np.arange(n, dtype=np.int64), queries.shape[0])
        distances = np.ascontiguousarray(found, dtype=np.float64).ravel()
        return nearest_in_lists(indptr, indices, distances, masses, wanted, own)


def _check_distances(found: AnyArray) -> None:
    if np.isnan(found).any():
        row = int(np.argwhere(np.isnan(found))[0, 0])
        raise VotesError(
            f"NeighborWeights: the metric gives NaN, first for row {row} of those compared "
            "together. A metric must give a number for every pair of rows."
        )
