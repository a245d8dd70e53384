"""Approximate nearest neighbours by faiss, with a recall that is estimated on a sample.

The index compares a query only with rows in cells near it. `search_with_recall` visits more cells
until the index finds enough of the true neighbours, or falls back to the exact search.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from disambig.exceptions import warn
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.threads import thread_count
from disambig.votes.entries import largest_entry
from disambig.weights.neighbors.euclidean import EuclideanIndex, pair_distances
from disambig.weights.neighbors.lists import NeighborIndex, nearest_lists

# The number of cells is this many times the square root of the number of rows.
_CELLS_PER_ROOT = 4
# Rows of the sample for each cell that k-means is fitted on, and the fewest rows for a cell.
_ROWS_PER_CELL = 64
# Rows whose neighbours are searched exactly to estimate the recall. The standard error of a recall
# of 0.99 is below 0.0015 for k = 10.
SAMPLE_SIZE = 500
_FIRST_N_PROBES = 8
# Largest part of the cells that is visited; beyond, the exact search is as fast (measured on
# noise).
_MAX_PROBED_PART = 0.125
# Largest entry of a query in units of `scale`: squares overflow in single precision soon after.
_MAX_DISTANCE = 1e15


def load_faiss() -> Any:
    """Import faiss, or raise an `ImportError` that says how to install it."""
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
    """Training rows in cells; a query is compared only with the rows of cells near it.

    The cells are those of k-means (an inverted file of faiss, in single precision). Distances of
    the candidates are computed again by differences in double precision. So distances and their
    order are exact; only the choice of candidates is approximate. A training row is always a
    candidate for itself.

    Parameters
    ----------
    X : float64 or float32 array, (n, d)
    cells : faiss.IndexIVFFlat
        Index of the rows minus `center`, divided by `scale`.
    center : float64, (d,)
    scale : float
        The power of two above the largest entry of a centred row: squares stay in the range of
        single precision.
    n_cells : int
    n_probes : int
        Number of cells that are visited for each query.
    n_jobs : int or None
    """

    X: AnyArray
    cells: Any
    center: FloatArray
    scale: float
    n_cells: int
    n_probes: int
    n_jobs: int | None

    @classmethod
    def build(cls, X: AnyArray, *, seed: int, n_jobs: int | None) -> "ApproximateIndex":
        """Index the rows of a dense X, with one probe."""
        faiss = load_faiss()
        n, d = X.shape
        count = max(1, min(int(_CELLS_PER_ROOT * np.sqrt(n)), n // _ROWS_PER_CELL))
        center = X.mean(axis=0, dtype=np.float64)
        cells = faiss.IndexIVFFlat(faiss.IndexFlatL2(d), d, count)
        cells.cp.seed = seed
        cells.cp.max_points_per_centroid = _ROWS_PER_CELL
        cells.cp.min_points_per_centroid = 1
        moved = X - center
        scale = float(2.0 ** np.frexp(largest_entry(moved))[1])
        centered = (moved / scale).astype(np.float32)
        with threadpool_limits(thread_count(n_jobs)):
            cells.train(centered)
            cells.add(centered)
        return cls(X, cells, center, scale, count, 1, n_jobs)

    def __getstate__(self) -> dict[str, Any]:
        # faiss's own format is not checked when it is read; the centres decide everything.
        centers = self.cells.quantizer.reconstruct_n(0, self.n_cells)
        return {**self.__dict__, "cells": centers}

    def __setstate__(self, state: dict[str, Any]) -> None:
        faiss = load_faiss()
        centers = np.ascontiguousarray(state["cells"], dtype=np.float32)
        n_cells, d = centers.shape
        near = faiss.IndexFlatL2(d)
        near.add(centers)
        cells = faiss.IndexIVFFlat(near, d, n_cells)
        cells.is_trained = True
        with threadpool_limits(thread_count(state["n_jobs"])):
            cells.add(((state["X"] - state["center"]) / state["scale"]).astype(np.float32))
        self.__dict__.update(state, cells=cells, n_cells=n_cells)

    def with_probes(self, n_probes: int) -> "ApproximateIndex":
        """The same index with another number of visited cells."""
        return replace(self, n_probes=min(n_probes, self.n_cells))

    def candidates(
        self, queries: Any, width: int, own: AnyArray
    ) -> tuple[AnyArray, AnyArray, FloatArray, FloatArray]:
        """At most `width` rows near each query, and the query itself; no bound for the others."""
        faiss = load_faiss()
        moved = (queries - self.center) / self.scale
        # Beyond, all training rows are at nearly the same distance: any candidates will do.
        centered = np.clip(moved, -_MAX_DISTANCE, _MAX_DISTANCE).astype(np.float32)
        parameters = faiss.SearchParametersIVF(nprobe=self.n_probes)
        with threadpool_limits(thread_count(self.n_jobs)):
            _, found = self.cells.search(centered, width, params=parameters)
        missing = ~(found == own[:, None]).any(axis=1) & (own >= 0)
        listed = np.column_stack([found, np.where(missing, own, -1)])
        # faiss returns -1 where the cells hold too few rows.
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
    """An index whose recall on a sample of rows is at least `min_recall`, and that recall.

    The number of visited cells is doubled until the recall suffices. If an eighth of the cells is
    not enough, the index is exact, with a warning.

    Parameters
    ----------
    X : float64 or float32 array, (n, d)
    sample_weight : (n,)
    wanted : float
        Total weight of the neighbours.
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
    n_probes, recall = _FIRST_N_PROBES, 0.0
    while n_probes <= max(_FIRST_N_PROBES, _MAX_PROBED_PART * index.n_cells):
        index = index.with_probes(n_probes)
        recall = float(np.isin(truth, _pairs(index, X, sample, sample_weight, wanted)).mean())
        if recall >= min_recall:
            return index, recall
        n_probes *= 2
    warn(
        f"NeighborWeights: algorithm='approximate' finds {recall:.3f} of the neighbours of "
        f"{sample.size} sampled rows, less than min_recall={min_recall:g}, with {index.n_probes} "
        f"of {index.n_cells} cells. The search is exact instead. Lower min_recall to accept this "
        "recall, or set algorithm='auto'.",
        UserWarning,
    )
    return exact, 1.0


def _pairs(
    index: NeighborIndex, X: AnyArray, sample: IntArray, sample_weight: FloatArray, wanted: float
) -> IntArray:
    """Pairs (input, neighbour) as one number, without the row itself, which is always found."""
    lists = nearest_lists(index, X[sample], sample_weight, wanted, sample.astype(np.int64))
    rows = lists.rows()
    others = lists.indices != sample[rows]
    pairs: IntArray = rows[others] * lists.n + lists.indices[others]
    return pairs
