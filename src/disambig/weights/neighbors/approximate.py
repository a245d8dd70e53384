"""An index that looks only into the cells next to a query, by way of faiss.

How many of the true neighbours an approximate search finds, estimated on a sample.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.weights.neighbors.euclidean import EuclideanIndex, pair_distances
from disambig.weights.neighbors.search import NeighborIndex, nearest_lists
from disambig.weights.threads import thread_count

# Cells for the square root of the number of rows, and rows of the sample for each cell.
_CELLS = 4
_SAMPLE = 64
# Rows whose neighbours are searched exactly: the standard error of a recall of .99 is below .0015
# for k = 10.
SAMPLE_SIZE = 500
_FIRST_PROBES = 8
# With more of the cells looked into, the exact search is as quick (measured on noise).
_LARGEST_PART = 0.125


def load_faiss() -> Any:
    """The package, or an `ImportError` that says how to get it."""
    try:
        import faiss
    except ImportError as error:
        raise ImportError(
            "NeighborWeights: algorithm='approximate' needs the package faiss, which is not "
            "installed. Install it by `pip install faiss-cpu` or `pip install "
            "'disambig[approximate]'`, or use algorithm='auto'."
        ) from error
    return faiss


@dataclass(frozen=True, eq=False)
class ApproximateIndex:
    """Training rows of which only those in cells near the query are compared with it.

    The cells are those of k-means (an inverted file of faiss, in single precision). What they hold
    is compared again by differences in double precision, so that distances and their order are
    exact and only the choice of candidates is not. A training row is always a candidate for itself.

    Parameters
    ----------
    X : float64 or float32 array, (n, d)
    cells : faiss.IndexIVFFlat
        Of the rows less `center`.
    center : float64, (d,)
    n_cells : int
    n_probes : int
        How many cells are looked into for each query.
    n_jobs : int or None
    """

    X: AnyArray
    cells: Any
    center: FloatArray
    n_cells: int
    n_probes: int
    n_jobs: int | None

    @classmethod
    def build(cls, X: AnyArray, *, seed: int, n_jobs: int | None) -> "ApproximateIndex":
        """Index the rows of X, which must be dense; it starts with one probe."""
        faiss = load_faiss()
        n, d = X.shape
        count = max(1, min(int(_CELLS * np.sqrt(n)), n // _SAMPLE))
        center = X.mean(axis=0, dtype=np.float64)
        cells = faiss.IndexIVFFlat(faiss.IndexFlatL2(d), d, count)
        cells.cp.seed = seed
        cells.cp.max_points_per_centroid = _SAMPLE
        cells.cp.min_points_per_centroid = 1
        moved = (X - center).astype(np.float32)
        with threadpool_limits(thread_count(n_jobs)):
            cells.train(moved)
            cells.add(moved)
        return cls(X, cells, center, count, 1, n_jobs)

    def with_probes(self, n_probes: int) -> "ApproximateIndex":
        """The same index looking into as many cells."""
        return replace(self, n_probes=min(n_probes, self.n_cells))

    def candidates(
        self, queries: Any, width: int, own: AnyArray
    ) -> tuple[AnyArray, AnyArray, FloatArray, FloatArray]:
        """At most `width` rows near each query, and itself; the bound of the others is not kept."""
        faiss = load_faiss()
        moved = (queries - self.center).astype(np.float32)
        probing = faiss.SearchParametersIVF(nprobe=self.n_probes)
        with threadpool_limits(thread_count(self.n_jobs)):
            _, found = self.cells.search(moved, width, params=probing)
        missing = ~(found == own[:, None]).any(axis=1) & (own >= 0)
        listed = np.column_stack([found, np.where(missing, own, -1)])
        # faiss fills up with -1 where the cells hold too few.
        real = listed >= 0
        indptr = np.concatenate([[0], np.cumsum(real.sum(axis=1))]).astype(np.int64)
        flat = listed[real].astype(np.int64)
        distances = pair_distances(queries, self.X, indptr, flat)
        return indptr, flat, distances, np.full(queries.shape[0], np.inf)

    def exhaust(self, queries: Any, sample_weight: FloatArray, wanted: float, own: AnyArray) -> Any:
        """Select among all rows; returns as `nearest_in_lists` does."""
        index = EuclideanIndex(self.X, None, self.center, 0.0, self.X.shape[1])
        return index.exhaust(queries, sample_weight, wanted, own)


def search_with_recall(
    X: AnyArray,
    sample_weight: FloatArray,
    wanted: float,
    *,
    min_recall: float,
    random_state: Any,
    n_jobs: int | None,
) -> tuple[NeighborIndex, float]:
    """An index that finds `min_recall` of the neighbours of a sample, and what it finds of them.

    The number of cells looked into is doubled until that is so. If an eighth of them is not
    enough, there is a warning and the search is exact.

    Parameters
    ----------
    X : float64 or float32 array, (n, d)
    masses : (n,)
    wanted : float
        Mass of the neighbours.
    min_recall : float
    random_state : int, RandomState or None
    n_jobs : int or None
    """
    random = check_random_state(random_state)
    n = X.shape[0]
    index = ApproximateIndex.build(X, seed=int(random.randint(2**31 - 1)), n_jobs=n_jobs)
    exact = EuclideanIndex.build(X, algorithm="brute", n_jobs=n_jobs)
    sample = np.sort(random.permutation(n)[:SAMPLE_SIZE])
    truth = _pairs(exact, X, sample, sample_weight, wanted)
    probes, recall = _FIRST_PROBES, 0.0
    while probes <= max(_FIRST_PROBES, _LARGEST_PART * index.n_cells):
        index = index.with_probes(probes)
        recall = float(np.isin(truth, _pairs(index, X, sample, sample_weight, wanted)).mean())
        if recall >= min_recall:
            return index, recall
        probes *= 2
    warnings.warn(
        f"NeighborWeights: algorithm='approximate' finds {recall:.3f} of the neighbours of "
        f"{sample.size} sampled rows, less than min_recall={min_recall:g}, with {index.n_probes} "
        f"of {index.n_cells} cells. The search is exact instead. Lower min_recall to accept it, or "
        "set algorithm='auto'.",
        UserWarning,
        stacklevel=5,
    )
    return exact, 1.0


def _pairs(
    index: NeighborIndex, X: AnyArray, sample: IntArray, sample_weight: FloatArray, wanted: float
) -> IntArray:
    """(input, neighbour) as one number; the row itself left out, which is always found."""
    lists = nearest_lists(index, X[sample], sample_weight, wanted, sample.astype(np.int64))
    rows = lists.rows()
    others = lists.indices != sample[rows]
    pairs: IntArray = rows[others] * lists.n + lists.indices[others]
    return pairs
