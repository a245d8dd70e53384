"""Exact search for near rows by matrix products, in balls of rows.

Balls that are too far from a query are skipped. The centres of the balls are found by a few
iterations of k-means on a sample of the rows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.extmath import row_norms

from disambig.compiled.distances import block_distances
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.threads import run_in_threads, thread_count

# Mean number of rows in a ball: smaller balls are skipped more often, larger ones multiplied
# faster.
_MEAN_ROWS_PER_BALL = 256
# Rows of the sample for each centre.
_SAMPLE_ROWS_PER_CENTER = 16
_N_ITERATIONS = 3
# Distances to centres that are computed together: 8 MiB.
_DISTANCES_PER_BLOCK = 2**20
# Queries that are searched together, and the most rows of a ball: their products fill 2 MiB.
_QUERIES_PER_BLOCK = 512
_MAX_ROWS_PER_BALL = 1024
# Largest distance of a query to a centre, in units of `scale`: squares overflow in single precision
# soon after.
_MAX_DISTANCE = 1e15
# Products below the smallest normal number of single precision underflow; the loss is below this.
_MAX_UNDERFLOW = 1e-36


def ball_centers(X: AnyArray, origin: FloatArray) -> tuple[FloatArray, IntArray]:
    """Centres ``(B, d)`` in double precision, and the nearest centre of each row of X, ``(n,)``.

    The centres affect the speed of a search and nothing else, so their seed is fixed.
    """
    n = X.shape[0]
    count = max(1, n // _MEAN_ROWS_PER_BALL)
    if count == 1:
        return origin[None], np.zeros(n, dtype=np.intp)
    chosen = np.random.default_rng(0).permutation(n)[: _SAMPLE_ROWS_PER_CENTER * count]
    sample = X[chosen] - origin
    centers = sample[:count].copy()
    for _ in range(_N_ITERATIONS):
        label = _nearest(sample, centers)
        order = np.argsort(label, kind="stable")
        found, begins = np.unique(label[order], return_index=True)
        sums = np.add.reduceat(sample[order], begins, axis=0)
        centers[found] = sums / np.diff(np.append(begins, label.size))[:, None]
    step = max(1, _DISTANCES_PER_BLOCK // count)
    label = np.concatenate(
        [_nearest(X[start : start + step] - origin, centers) for start in range(0, n, step)]
    )
    used, label = np.unique(label, return_inverse=True)
    return centers[used] + origin, label


def squared_to_centers(X: FloatArray, centers: FloatArray) -> FloatArray:
    """``|x|^2 - 2 <x, c> + |c|^2`` by one matrix product, ``(q, B)``."""
    squared = (-2.0 * X) @ centers.T
    squared += np.einsum("ij,ij->i", X, X)[:, None]
    squared += np.einsum("ij,ij->i", centers, centers)
    return squared


def _nearest(X: FloatArray, centers: FloatArray) -> IntArray:
    nearest: IntArray = squared_to_centers(X, centers).argmin(axis=1)
    return nearest


# Unit roundoff of single and double precision.
_UNIT_FLOAT32, _UNIT_FLOAT64 = 2.0**-24, 2.0**-53


@dataclass(frozen=True, eq=False)
class Balls:
    """Dense rows, each in the ball of a near centre, searched by squared euclidean distance.

    The products of queries and rows are computed in single precision, both relative to the centre
    of the ball. Rows are compared by lower bounds of their distances: the computed distance minus
    the largest possible rounding error. So every row that is not returned is at least as far as the
    largest bound returned, in exact arithmetic. A ball whose nearest point is farther than that is
    skipped. The search is therefore fast on data in separate groups; on noise in many dimensions it
    visits all rows.

    Parameters
    ----------
    order : int64, (n,)
        The rows, sorted by ball.
    starts : (B + 1,)
    centers : float64, (B, d)
    radii : float64, (B,)
        Upper bounds of the distances of the rows of a ball to its centre, divided by `scale`.
    moved : float32, (n, d + 1)
        Rows minus their centre, divided by `scale`, and their squared norms.
    origin : float64, (d,)
        The mean of all rows.
    scale : float
        The power of two above the largest distance to a centre.
    """

    order: IntArray
    starts: IntArray
    centers: FloatArray
    radii: FloatArray
    moved: AnyArray
    origin: FloatArray
    scale: float

    @classmethod
    def build(cls, X: AnyArray) -> "Balls":
        """Put the rows of X, a C-ordered float64 or float32 array, into balls."""
        origin = X.mean(axis=0, dtype=np.float64)
        centers, label = ball_centers(X, origin)
        order = np.argsort(label, kind="stable").astype(np.int64)
        counts = np.bincount(label, minlength=centers.shape[0])
        # A centre with too many rows gets several balls.
        n_balls = -(-counts // _MAX_ROWS_PER_BALL)
        centers = np.repeat(centers, n_balls, axis=0)
        begins = np.repeat(np.cumsum(counts) - counts, n_balls)
        place = np.arange(n_balls.sum()) - np.repeat(np.cumsum(n_balls) - n_balls, n_balls)
        starts = np.append(begins + place * _MAX_ROWS_PER_BALL, X.shape[0])
        radii = np.zeros(centers.shape[0])
        moved = np.empty((X.shape[0], X.shape[1] + 1), dtype=np.float32)
        for ball, center in enumerate(centers):
            norms = row_norms(X[order[starts[ball] : starts[ball + 1]]] - center)
            radii[ball] = norms.max() * (1.0 + (X.shape[1] + 4) * 2.0 * _UNIT_FLOAT64)
        scale = float(2.0 ** np.frexp(radii.max())[1])
        for ball, center in enumerate(centers):
            part = slice(starts[ball], starts[ball + 1])
            rows = (X[order[part]] - center) / scale
            moved[part, :-1] = rows
            moved[part, -1] = row_norms(moved[part, :-1].astype(np.float64), squared=True)
        return cls(order, starts, centers, radii / scale, moved, origin, scale)

    def search(
        self, queries: AnyArray, width: int, n_jobs: int | None
    ) -> tuple[IntArray, FloatArray]:
        """`width` near rows for each query, and a squared distance that all others exceed or equal.

        Parameters
        ----------
        queries : float64 or float32, (q, d)
        width : int <= n
        n_jobs : int or None

        Returns
        -------
        indices : int64, (q, width)
        floor : float64, (q,)
        """
        q = queries.shape[0]
        indices = np.empty((q, width), dtype=np.int64)
        floor = np.empty(q)
        # Queries near the same centre visit the same balls.
        order = np.argsort(self._nearest_ball(queries), kind="stable")

        def work(start: int) -> None:
            rows = order[start : start + _QUERIES_PER_BLOCK]
            indices[rows], floor[rows] = self._search(queries[rows].astype(np.float64), width)

        run_in_threads(work, range(0, q, _QUERIES_PER_BLOCK), thread_count(n_jobs))
        return indices, floor

    def _nearest_ball(self, queries: AnyArray) -> IntArray:
        if queries.shape[0] <= _QUERIES_PER_BLOCK:
            return np.zeros(queries.shape[0], dtype=np.intp)
        centers = self.centers - self.origin
        nearest = np.empty(queries.shape[0], dtype=np.intp)
        for start in range(0, queries.shape[0], _QUERIES_PER_BLOCK):
            rows = slice(start, start + _QUERIES_PER_BLOCK)
            nearest[rows] = squared_to_centers(queries[rows] - self.origin, centers).argmin(axis=1)
        return nearest

    def _search(self, queries: FloatArray, width: int) -> tuple[IntArray, FloatArray]:
        """`search` for one block of queries."""
        q, d = queries.shape
        keys = np.full((q, width), np.inf)
        members = np.zeros((q, width), dtype=np.int64)
        to_center, least = self._bounds(queries)
        in_range = to_center.max(axis=1) < _MAX_DISTANCE
        scratch = np.empty(q * _MAX_ROWS_PER_BALL, dtype=np.float32)
        factors = np.ones((q, d + 1), dtype=np.float32)
        scaled, centers = queries / self.scale, self.centers / self.scale
        for ball in np.argsort(to_center.min(axis=0), kind="stable"):
            active = np.flatnonzero(in_range & (least[:, ball] < keys[:, 0]))
            if active.size == 0:
                continue
            rows = slice(self.starts[ball], self.starts[ball + 1])
            differences = (scaled if active.size == q else scaled[active]) - centers[ball]
            np.multiply(differences, -2.0, out=factors[: active.size, :-1], casting="same_kind")
            size = active.size * (rows.stop - rows.start)
            values = scratch[:size].reshape(active.size, -1)
            np.dot(factors[: active.size], self.moved[rows].T, out=values)
            base = _base(row_norms(differences, squared=True), self.radii[ball], d)
            block_distances(values, base, active, self.order[rows], keys, members)
        floor = np.where(in_range, keys.max(axis=1) * self.scale**2, -np.inf)
        return members, floor

    def _bounds(self, queries: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Distances to the centres, and lower bounds of squared distances to the rows of balls."""
        moved, centers = queries - self.origin, self.centers - self.origin
        squared = squared_to_centers(moved, centers)
        sizes = row_norms(moved)[:, None] + row_norms(centers)
        relative_error = (queries.shape[1] + 8) * 4.0 * _UNIT_FLOAT64
        to_center = np.sqrt(np.maximum(squared - relative_error * sizes**2, 0.0)) / self.scale
        least = np.maximum(to_center - self.radii, 0.0) ** 2 * (1.0 - relative_error)
        return to_center, least


def _base(squared: FloatArray, radius: Any, d: int) -> FloatArray:
    """What to add to ``|x|^2 - 2 <q, x>`` for a lower bound of ``|q - x|^2``, with ``|x| <= r``.

    Errors in single precision, in unit roundoffs of ``2 |q| |x| + |x|^2``: one for each coordinate
    of q and x, three for the stored ``|x|^2``, and d + 1 for the sum of d + 1 products. Errors in
    double precision: those of ``|q|^2`` and of the distance that the bound is compared with.
    """
    size = np.sqrt(squared)
    single = 1.25 * (d + 8) * _UNIT_FLOAT32 * (2.0 * size * radius + radius**2)
    double = (d + 8) * 4.0 * _UNIT_FLOAT64 * (size + radius) ** 2
    base: FloatArray = squared - single - double - (d + 1) * (1.0 + size) * _MAX_UNDERFLOW
    return base
