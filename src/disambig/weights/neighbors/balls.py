"""Exact search for near rows by matrix products, in balls of rows.

Balls that are too far from a query are skipped, many at a time if they are too far from all queries
of a block. The centres of the balls are found by a few iterations of k-means on a sample of the
rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
from sklearn.utils.extmath import row_norms

from disambig.compiled.distances import block_distances
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.threads import run_in_threads, thread_count

# Mean number of rows in a ball: smaller balls are skipped more often, larger ones multiplied
# faster.
_MEAN_ROWS_PER_BALL = 256
# Rows of the sample for each centre.
_SAMPLE_ROWS_PER_CENTER = 16
_N_ITERATIONS = 3
# Above so many balls rows are divided into cells first, and cells into balls.
_MAX_FLAT_BALLS = 128
# Balls whose bounds are computed together.
_BALLS_PER_STEP = 64
# Distances to centres that are computed together: 8 MiB.
_DISTANCES_PER_BLOCK = 2**20
# Queries that are searched together, and the most rows of a ball: their products fill 2 MiB.
_QUERIES_PER_BLOCK = 512
_MAX_ROWS_PER_BALL = 1024
# Largest distance of a query to a centre, in units of `scale`: squares overflow in single precision
# soon after.
_MAX_DISTANCE = 1e15
# The least `scale`, in units of the largest distance of a centre to the mean of all rows.
_LEAST_SCALE = 1e-9
# Products below the smallest normal number of single precision underflow; the loss is below this.
_MAX_UNDERFLOW = 1e-36


def ball_centers(X: AnyArray, origin: FloatArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Centres of balls, cell by cell.

    The centres affect the speed of a search and nothing else, so their seed is fixed.

    Returns
    -------
    centers : float64, (B, d)
    label : (n,)
        A near centre of each row of X.
    cells : (B,)
        The cell of each centre, ascending.
    """
    n = X.shape[0]
    count = max(1, n // _MEAN_ROWS_PER_BALL)
    if count <= _MAX_FLAT_BALLS:
        centers, label = _clusters(X, origin, count)
        return centers, label, np.zeros(len(centers), dtype=np.intp)
    _, cell = _clusters(X, origin, isqrt(count))
    order = np.argsort(cell, kind="stable")
    parts, cells, label, found = [], [], np.empty(n, dtype=np.intp), 0
    for number, rows in enumerate(np.split(order, np.cumsum(np.bincount(cell))[:-1])):
        part, within = _clusters(X[rows], origin, max(1, rows.size // _MEAN_ROWS_PER_BALL))
        parts.append(part)
        cells.append(np.full(len(part), number))
        label[rows] = within + found
        found += len(part)
    return np.concatenate(parts), label, np.concatenate(cells)


def _clusters(X: AnyArray, origin: FloatArray, count: int) -> tuple[FloatArray, IntArray]:
    """At most `count` centres in double precision, and the nearest one of each row of X, (n,)."""
    n = X.shape[0]
    if count == 1:
        return X.mean(axis=0, dtype=np.float64)[None], np.zeros(n, dtype=np.intp)
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
    cells : int64, (B,)
        The cell of each ball, ascending: balls of one cell are near each other.
    radii : float64, (B,)
        Upper bounds of the distances of the rows of a ball to its centre, divided by `scale`.
    moved : float32, (n, d + 1)
        Rows minus their centre, divided by `scale`, and their squared norms.
    origin : float64, (d,)
        The mean of all rows.
    scale : float
        A power of two above the largest distance to a centre.
    """

    order: IntArray
    starts: IntArray
    centers: FloatArray
    cells: IntArray
    radii: FloatArray
    moved: AnyArray
    origin: FloatArray
    scale: float

    @classmethod
    def build(cls, X: AnyArray) -> "Balls":
        """Put the rows of X, a C-ordered float64 or float32 array, into balls."""
        origin = X.mean(axis=0, dtype=np.float64)
        centers, label, cells = ball_centers(X, origin)
        order = np.argsort(label, kind="stable").astype(np.int64)
        counts = np.bincount(label, minlength=centers.shape[0])
        # A centre with too many rows gets several balls.
        n_balls = -(-counts // _MAX_ROWS_PER_BALL)
        centers, cells = np.repeat(centers, n_balls, axis=0), np.repeat(cells, n_balls)
        begins = np.repeat(np.cumsum(counts) - counts, n_balls)
        place = np.arange(n_balls.sum()) - np.repeat(np.cumsum(n_balls) - n_balls, n_balls)
        starts = np.append(begins + place * _MAX_ROWS_PER_BALL, X.shape[0])
        radii = np.zeros(centers.shape[0])
        moved = np.empty((X.shape[0], X.shape[1] + 1), dtype=np.float32)
        for ball, center in enumerate(centers):
            norms = row_norms(X[order[starts[ball] : starts[ball + 1]]] - center)
            radii[ball] = norms.max() * (1.0 + (X.shape[1] + 4) * 2.0 * _UNIT_FLOAT64)
        # Rows of a ball may be equal but for rounding; in such a unit all queries would be far.
        size = max(radii.max(), _LEAST_SCALE * row_norms(centers - origin).max())
        scale = float(2.0 ** np.frexp(size)[1])
        for ball, center in enumerate(centers):
            part = slice(starts[ball], starts[ball + 1])
            rows = (X[order[part]] - center) / scale
            moved[part, :-1] = rows
            moved[part, -1] = row_norms(moved[part, :-1].astype(np.float64), squared=True)
        return cls(order, starts, centers, cells, radii / scale, moved, origin, scale)

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
        order = np.argsort(self._near_ball(queries), kind="stable")

        def work(start: int) -> None:
            rows = order[start : start + _QUERIES_PER_BLOCK]
            indices[rows], floor[rows] = self._search(queries[rows].astype(np.float64), width)

        run_in_threads(work, range(0, q, _QUERIES_PER_BLOCK), thread_count(n_jobs))
        return indices, floor

    def _near_ball(self, queries: AnyArray) -> IntArray:
        """A ball near each query: the nearest one of the cell whose mean is nearest."""
        if queries.shape[0] <= _QUERIES_PER_BLOCK:
            return np.zeros(queries.shape[0], dtype=np.intp)
        centers = self.centers - self.origin
        starts = np.flatnonzero(np.diff(self.cells, prepend=-1))
        bounds = np.append(starts, len(centers))
        means = np.add.reduceat(centers, starts, axis=0) / np.diff(bounds)[:, None]
        near = np.empty(queries.shape[0], dtype=np.intp)
        for start in range(0, queries.shape[0], _QUERIES_PER_BLOCK):
            rows = slice(start, start + _QUERIES_PER_BLOCK)
            near[rows] = _nearest(queries[rows] - self.origin, means)
        order = np.argsort(near, kind="stable")
        ends = np.cumsum(np.bincount(near, minlength=len(starts)))
        parts = np.split(order, ends[:-1])
        for members, begin, end in zip(parts, bounds[:-1], bounds[1:], strict=True):
            for start in range(0, members.size, _QUERIES_PER_BLOCK):
                part = members[start : start + _QUERIES_PER_BLOCK]
                near[part] = begin + _nearest(queries[part] - self.origin, centers[begin:end])
        return near

    def _search(self, queries: FloatArray, width: int) -> tuple[IntArray, FloatArray]:
        """`search` for one block of queries."""
        q, d = queries.shape
        keys = np.full((q, width), np.inf)
        members = np.zeros((q, width), dtype=np.int64)
        sizes = row_norms(queries - self.origin)
        farthest = row_norms(self.centers - self.origin).max(initial=0.0)
        in_range = (sizes + farthest) / self.scale < _MAX_DISTANCE
        scratch = np.empty(q * _MAX_ROWS_PER_BALL, dtype=np.float32)
        factors = np.ones((q, d + 1), dtype=np.float32)
        scaled, centers = queries / self.scale, self.centers / self.scale
        for balls, least in self._steps(queries, in_range, keys):
            for ball, bound in zip(balls, least, strict=True):
                active = np.flatnonzero(in_range & (bound < keys[:, 0]))
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

    def _steps(
        self, queries: FloatArray, in_range: BoolArray, keys: FloatArray
    ) -> Iterator[tuple[IntArray, FloatArray]]:
        """Balls, and lower bounds ``(balls, q)`` of squared distances to their rows.

        Nearest balls first. Ends when all other balls are farther from all queries than the rows
        that were found meanwhile, ``keys[:, 0]``.
        """
        if not in_range.any():
            return
        error = (queries.shape[1] + 8) * 4.0 * _UNIT_FLOAT64
        middle = queries[in_range].mean(axis=0)
        spread = row_norms(queries[in_range] - middle).max() / self.scale
        away = row_norms(self.centers - middle) / self.scale
        # No query is nearer to a row of a ball, by the triangle inequality.
        nearest = away * (1.0 - error) - spread * (1.0 + error) - self.radii
        order = np.argsort(nearest, kind="stable")
        for start in range(0, order.size, _BALLS_PER_STEP):
            bound = max(nearest[order[start]], 0.0) ** 2 * (1.0 - error)
            if keys[in_range, 0].max() <= bound < np.inf:
                return
            balls = order[start : start + _BALLS_PER_STEP]
            to_center, least = self._bounds(queries, balls)
            by_distance = np.argsort(to_center.min(axis=1), kind="stable")
            yield balls[by_distance], least[by_distance]

    def _bounds(self, queries: FloatArray, balls: IntArray) -> tuple[FloatArray, FloatArray]:
        """Distances to the centres, and lower bounds of squared distances to the rows of balls."""
        moved, centers = queries - self.origin, self.centers[balls] - self.origin
        squared = squared_to_centers(centers, moved)
        sizes = row_norms(centers)[:, None] + row_norms(moved)
        relative_error = (queries.shape[1] + 8) * 4.0 * _UNIT_FLOAT64
        to_center = np.sqrt(np.maximum(squared - relative_error * sizes**2, 0.0)) / self.scale
        radii = self.radii[balls][:, None]
        least = np.maximum(to_center - radii, 0.0) ** 2 * (1.0 - relative_error)
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
