"""Neighbours by precomputed distances, and an index for any metric that scikit-learn has.

Precomputed distances are a full array, or a sparse matrix that stores only some of them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

from disambig.compiled.nearest import NEGLIGIBLE_PART, nearest_in_lists
from disambig.exceptions import VotesError
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.weights.neighbors.lists import NeighborLists

# Entries of a block of a full array: 32 MiB, and as much for the index of each distance.
_ENTRIES_PER_BLOCK = 2**22
# Metrics that scikit-learn would estimate a parameter of from the rows that are compared.
_REQUIRED_PARAMETERS = {"seuclidean": "V", "mahalanobis": "VI"}


def check_distances(distances: Any) -> None:
    """Raise if a distance is negative."""
    entries = distances.data if sp.issparse(distances) else distances
    if entries.size and entries.min() < 0:
        raise VotesError(
            "NeighborWeights: X holds precomputed distances, which must not be negative; the "
            f"smallest is {entries.min():g}. Turn similarities into distances first, or use "
            "PrecomputedWeights."
        )


def listed_neighbors(
    distances: Any, sample_weight: FloatArray, wanted: float, own: AnyArray
) -> NeighborLists:
    """The nearest members that each row lists until the weight of the others is `wanted`.

    Parameters
    ----------
    distances : array or csr_array, (q, n)
        In a sparse matrix a missing entry is not listed.
    sample_weight : (n,)
    wanted : float
    own : int64, (q,)
        The member that is the row itself; -1 for none. It is taken if it is nearer than the last of
        the others, and not counted.
    """
    q, n = distances.shape
    if sp.issparse(distances):
        indptr = distances.indptr.astype(np.int64)
        indices = distances.indices.astype(np.int64)
        values = distances.data.astype(np.float64, copy=False)
        found = nearest_in_lists(indptr, indices, values, sample_weight, wanted, own)
        return NeighborLists(*found[:3], n)
    step = max(1, _ENTRIES_PER_BLOCK // n)
    starts: list[AnyArray] = [np.zeros(1, dtype=np.int64)]
    members: list[AnyArray] = [np.zeros(0, dtype=np.int64)]
    values_by_block: list[AnyArray] = [np.zeros(0)]
    for start in range(0, q, step):
        block = distances[start : start + step]
        indptr = np.arange(0, block.size + 1, n, dtype=np.int64)
        indices = np.tile(np.arange(n, dtype=np.int64), block.shape[0])
        values = block.ravel().astype(np.float64, copy=False)
        stop = start + block.shape[0]
        found = nearest_in_lists(indptr, indices, values, sample_weight, wanted, own[start:stop])
        starts.append(found[0][1:] + starts[-1][-1])
        members.append(found[1])
        values_by_block.append(found[2])
    indptr, indices, values = (np.concatenate(a) for a in (starts, members, values_by_block))
    return NeighborLists(indptr, indices, values, n)


def listed_shares(
    distances: Any, sample_weight: FloatArray, wanted: float, own: AnyArray
) -> tuple[sp.csr_array, BoolArray]:
    """The nearest *others* that each row lists, as shares of the weight taken.

    Parameters as in `listed_neighbors`.

    Returns
    -------
    shares : csr_array, (q, n)
    filled : bool, (q,)
        Whether the row listed enough.
    """
    lists = listed_neighbors(distances, sample_weight, wanted, own)
    taken = lists.taken(sample_weight, np.full(lists.q, wanted), own)
    filled = lists.row_sums(taken) >= wanted * (1.0 - 2.0 * NEGLIGIBLE_PART)
    return lists.normalized(taken), filled


@dataclass(frozen=True, eq=False)
class MetricIndex:
    """Training rows that can be searched by a metric; its distances are used as they are.

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
        """Index the rows of X; scikit-learn raises errors about metric and algorithm."""
        if not isinstance(metric_params, dict | None):
            raise ValueError(
                f"NeighborWeights: metric_params must be None or a dict; got {metric_params!r:.80}."
            )
        params = dict(metric_params or {})
        needed = _REQUIRED_PARAMETERS.get(metric) if isinstance(metric, str) else None
        if needed is not None and needed not in params:
            raise ValueError(
                f"NeighborWeights: metric={metric!r} needs metric_params={{{needed!r}: ...}}. "
                "Estimated from the rows that are compared, it would change from query to query."
            )
        # scikit-learn warns about p among metric_params.
        p = params.pop("p", 2)
        searcher = NearestNeighbors(
            algorithm=algorithm, metric=metric, p=p, metric_params=params or None, n_jobs=n_jobs
        )
        try:
            index = cls(X, searcher.fit(X))
            # Without a tree, parameters are not looked at before the first search.
            searcher.kneighbors(X[:1], n_neighbors=1)
            return index
        except (TypeError, ValueError) as error:
            if not isinstance(metric, str):
                # A function of the user, whose errors are his own.
                raise
            raise ValueError(
                f"NeighborWeights: metric={metric!r} cannot be used with "
                f"metric_params={metric_params!r:.80}: {error}"
            ) from error

    def __getstate__(self) -> dict[str, Any]:
        # The search structure is built again, as that of `EuclideanIndex`.
        return {"X": self.X, "parameters": self.searcher.get_params()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        searcher = NearestNeighbors(**state["parameters"]).fit(state["X"])
        self.__dict__.update(X=state["X"], searcher=searcher)

    def candidates(
        self, queries: Any, width: int, own: AnyArray
    ) -> tuple[AnyArray, AnyArray, FloatArray, FloatArray]:
        """`width` rows near each query, and a lower bound of the distances of all others."""
        found, indices = self.searcher.kneighbors(queries, n_neighbors=width)
        _check_not_nan(found)
        indptr = np.arange(0, indices.size + 1, width, dtype=np.int64)
        flat = np.ascontiguousarray(indices, dtype=np.int64).ravel()
        distances = np.ascontiguousarray(found, dtype=np.float64).ravel()
        return indptr, flat, distances, found[:, -1]

    def exhaust(self, queries: Any, sample_weight: FloatArray, wanted: float, own: AnyArray) -> Any:
        """Select among all rows; returns the same as `nearest_in_lists`."""
        n = self.X.shape[0]
        params = self.searcher.effective_metric_params_
        found = pairwise_distances(
            queries, self.X, metric=self.searcher.effective_metric_, **params
        )
        _check_not_nan(found)
        indptr = np.arange(0, found.size + 1, n, dtype=np.int64)
        indices = np.tile(np.arange(n, dtype=np.int64), queries.shape[0])
        distances = np.ascontiguousarray(found, dtype=np.float64).ravel()
        return nearest_in_lists(indptr, indices, distances, sample_weight, wanted, own)


def _check_not_nan(found: AnyArray) -> None:
    if np.isnan(found).any():
        row = int(np.argwhere(np.isnan(found))[0, 0])
        raise VotesError(
            f"NeighborWeights: the metric returned NaN, first for row {row} of a block. It must "
            "return a number for every pair of rows."
        )
