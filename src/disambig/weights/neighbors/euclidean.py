"""An index of training rows under the euclidean distance, exact for ties and near ties."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import row_norms

from disambig.compiled.nearest import (
    dense_pair_distances,
    nearest_by_scan,
    nearest_in_lists,
    sparse_pair_distances,
)
from disambig.notation import AnyArray, FloatArray
from disambig.weights.inputs import small_indices
from disambig.weights.neighbors.balls import Balls
from disambig.weights.neighbors.box_tree import BoxTree

MAX_BOX_FEATURES = 8
"""Above this many features matrix products (`Balls`) are faster than boxes on noise: measured on
one Gaussian, 200,000 rows, 110 and 150 us a query for d = 8, 420 and 210 for d = 10."""
# Up to so many features a tree finds all rows within a radius faster than products do.
_MAX_TREE_FEATURES = 5


@dataclass(frozen=True, eq=False)
class EuclideanIndex:
    """Training rows that can be searched by *squared* euclidean distance.

    Boxes are searched by the distances themselves. Other searches find candidates; their distances
    are then computed again, by differences in double precision. Fast distances have rounding
    errors, so the index also bounds from below the distances of rows that are *not* candidates.
    The search subtracts the mean of the rows, or the centre of their ball, which makes the rounding
    errors small.

    Parameters
    ----------
    X : float64 or float32 array, or csr_array, (n, d)
    searcher : BoxTree, Balls or NearestNeighbors
        Index of the rows of X; in the last case, minus `center`.
    center : float64, (d,), or None
        None for sparse X, which is not centred.
    largest_norm : float
        The largest norm of a centred row.
    terms : int
        Largest number of products in the sum of a distance.
    n_jobs : int or None
    """

    X: Any
    searcher: Any
    center: FloatArray | None
    largest_norm: float
    terms: int
    n_jobs: int | None = None

    @classmethod
    def build(
        cls, X: Any, *, algorithm: str = "auto", n_jobs: int | None = None
    ) -> "EuclideanIndex":
        """Index the rows of X, a C-ordered array of floats or a canonical ``csr_array``."""
        if sp.issparse(X):
            terms = 2 * int(np.diff(X.indptr).max(initial=0))
            searcher = NearestNeighbors(algorithm="brute", metric="euclidean", n_jobs=n_jobs).fit(X)
            return cls(X, searcher, None, _largest_norm(X), terms, n_jobs)
        d = X.shape[1]
        if algorithm == "auto" and 0 < d <= MAX_BOX_FEATURES:
            boxes, center = BoxTree.build(X), X.mean(axis=0, dtype=np.float64)
            farthest = np.maximum(center - boxes.lower[0], boxes.upper[0] - center)
            return cls(X, boxes, center, _largest_norm(farthest[None]), d, n_jobs)
        if algorithm in ("auto", "brute"):
            balls = Balls.build(X)
            norm_bound = float(
                (row_norms(balls.centers - balls.origin) + balls.radii * balls.scale).max()
            )
            return cls(X, balls, balls.origin, norm_bound, d, n_jobs)
        center = X.mean(axis=0, dtype=np.float64)
        searcher = NearestNeighbors(algorithm=algorithm, metric="euclidean", n_jobs=n_jobs)
        centered = X - center
        return cls(X, searcher.fit(centered), center, _largest_norm(centered), d, n_jobs)

    def __getstate__(self) -> dict[str, Any]:
        # The search structure is built again: that is fast, exact, and needs no trust in a file.
        if isinstance(self.searcher, BoxTree):
            algorithm = "auto"
        else:
            is_balls = isinstance(self.searcher, Balls)
            algorithm = "brute" if is_balls else self.searcher.algorithm
        return {"X": self.X, "algorithm": algorithm, "n_jobs": self.n_jobs}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(vars(EuclideanIndex.build(**state)))

    def candidates(
        self, queries: Any, width: int, own: AnyArray
    ) -> tuple[AnyArray, AnyArray, FloatArray, FloatArray]:
        """`width` rows near each query, and a lower bound of the distances of all others.

        Returns
        -------
        indptr, indices, distances : (q + 1,), (q * width,), (q * width,)
            Squared distances.
        floor : (q,)
            Squared distance that rows which are not listed exceed or equal; if it is next to the
            largest one listed, those that equal this come after the listed ones.
        """
        indptr = np.arange(0, width * queries.shape[0] + 1, width, dtype=np.int64)
        if isinstance(self.searcher, BoxTree):
            distances, indices = self.searcher.search(queries, width, n_jobs=self.n_jobs)
            # Of rows at the last distance the earlier ones are listed, so none that is left out
            # comes before them.
            floor = np.nextafter(distances[:, -1], np.inf)
            return indptr, indices.ravel(), distances.ravel(), floor
        if isinstance(self.searcher, Balls):
            indices, floor = self.searcher.search(queries, width, self.n_jobs)
        else:
            centered = self._centered(queries)
            found, indices = self.searcher.kneighbors(centered, n_neighbors=width)
            slack, last = self._slack(centered), found[:, -1]
            if self.searcher.algorithm == "brute":
                floor = last**2 - slack * (row_norms(centered) + self.largest_norm)
            else:
                floor = np.maximum(last - slack, 0.0) ** 2
        flat = np.ascontiguousarray(indices, dtype=np.int64).ravel()
        return indptr, flat, pair_distances(queries, self.X, indptr, flat), floor

    def exhaust(self, queries: Any, sample_weight: FloatArray, wanted: float, own: AnyArray) -> Any:
        """Select among all rows; returns the same as `nearest_in_lists`."""
        n = self.X.shape[0]
        if not sp.issparse(self.X):
            return nearest_by_scan(queries, self.X, sample_weight, wanted, own)
        indptr = np.arange(0, n * queries.shape[0] + 1, n, dtype=np.int64)
        indices = np.tile(np.arange(n, dtype=np.int64), queries.shape[0])
        distances = pair_distances(queries, self.X, indptr, indices)
        return nearest_in_lists(indptr, indices, distances, sample_weight, wanted, own)

    def within(self, queries: Any, radius: float) -> sp.csr_array:
        """Distances (not squared) to all rows at most `radius` away; a missing entry is farther."""
        centered = self._centered(queries)
        slack = float(self._slack(centered).max(initial=0.0))
        searcher = self._radius_searcher
        if searcher.algorithm == "brute":
            longest = float(row_norms(centered).max(initial=0.0)) + self.largest_norm
            search_radius = np.sqrt(radius**2 + slack * longest)
        else:
            search_radius = radius + slack
        graph = searcher.radius_neighbors_graph(
            centered, radius=search_radius * (1.0 + 1e-12), mode="connectivity"
        )
        indptr, indices = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
        distances = np.sqrt(pair_distances(queries, self.X, indptr, indices))
        near = distances <= radius
        before = np.concatenate([[0], np.cumsum(near)])
        kept = (distances[near], indices[near], before[indptr])
        found = sp.csr_array(kept, shape=(queries.shape[0], self.X.shape[0]))
        found.sort_indices()
        return small_indices(found)

    @cached_property
    def _radius_searcher(self) -> NearestNeighbors:
        """What finds all rows within a radius: built when it is first asked for."""
        if isinstance(self.searcher, NearestNeighbors):
            return self.searcher
        algorithm = "kd_tree" if self.X.shape[1] <= _MAX_TREE_FEATURES else "brute"
        searcher = NearestNeighbors(algorithm=algorithm, n_jobs=self.n_jobs)
        return searcher.fit(self._centered(self.X))

    def _centered(self, queries: Any) -> Any:
        return queries if self.center is None else queries - self.center

    def _slack(self, centered: Any) -> FloatArray:
        # Rounding errors of |x|^2 - 2 <x, y> + |y|^2, of the centring and of our own sum: each at
        # most (terms + 8) eps (|x| + |y|)^2. The caller multiplies by one factor (|x| + |y|).
        factor = 2.0 * (self.terms + 8) * float(np.finfo(np.float64).eps)
        slack: FloatArray = factor * (row_norms(centered) + self.largest_norm)
        return slack


def _largest_norm(X: Any) -> float:
    return float(row_norms(X).max(initial=0.0))


def pair_distances(queries: Any, X: Any, indptr: AnyArray, indices: AnyArray) -> FloatArray:
    """Squared distances of the listed pairs, both inputs dense or both in compressed rows."""
    if not sp.issparse(X):
        return dense_pair_distances(queries, X, indptr, indices)
    return sparse_pair_distances(
        *_compressed_arrays(queries), *_compressed_arrays(X), indptr, indices
    )


def _compressed_arrays(matrix: Any) -> tuple[AnyArray, AnyArray, AnyArray]:
    indptr = matrix.indptr.astype(np.int64, copy=False)
    return indptr, matrix.indices.astype(np.int64, copy=False), matrix.data
