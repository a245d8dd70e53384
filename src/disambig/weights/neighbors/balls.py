"""Centres of balls: a few rounds of k-means on a sample of the rows.

Rows in balls: near ones are found by matrix products, ball by ball, and far balls skipped.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.extmath import row_norms

from disambig.compiled.distances import block_distances
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.weights.threads import run_in_threads, thread_count

# Rows in a ball, about: smaller ones are skipped more often, larger ones multiplied faster.
_ROWS = 256
# Rows of the sample for each centre.
_SAMPLE = 16
_ROUNDS = 3
# Distances to centres computed together.
_BLOCK = 2**20
# Queries searched together, and at most so many rows in a ball: their products fill 2 MiB.
_QUERIES = 512
_LARGEST = 1024
# Beyond so many radii, squares in single precision overflow.
_FAR = 1e15
# Products below the smallest normal number of single precision are lost: never more than that.
_LOST = 1e-36


def ball_centers(X: AnyArray, origin: FloatArray) -> tuple[FloatArray, IntArray]:
    """Centres ``(B, d)`` in double precision, and which is next to each row of X, ``(n,)``.

    The choice decides how quick a search is and nothing else, so it is the same in every run.
    """
    n = X.shape[0]
    count = max(1, n // _ROWS)
    if count == 1:
        return origin[None], np.zeros(n, dtype=np.intp)
    chosen = np.random.default_rng(0).permutation(n)[: _SAMPLE * count]
    sample = X[chosen] - origin
    centers = sample[:count].copy()
    for _ in range(_ROUNDS):
        label = _nearest(sample, centers)
        order = np.argsort(label, kind="stable")
        found, begins = np.unique(label[order], return_index=True)
        sums = np.add.reduceat(sample[order], begins, axis=0)
        centers[found] = sums / np.diff(np.append(begins, label.size))[:, None]
    step = max(1, _BLOCK // count)
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


# Unit roundings of single and double precision.
_SINGLE, _DOUBLE = 2.0**-24, 2.0**-53


@dataclass(frozen=True, eq=False)
class Balls:
    """Dense rows, each in the ball of a near centre, searched by squared euclidean distance.

    The products of queries and rows are computed in single precision, both relative to the centre
    of the ball. What is compared are not these distances but lower bounds of the true ones: less
    everything that rounding may have added. So every row that is not proposed is at least as far
    as the largest bound proposed, whatever the precision. A ball whose nearest point is farther
    than that is not looked at; data in separate groups are thus quick, and on noise in many
    dimensions the search is one through all rows.

    Parameters
    ----------
    order : int64, (n,)
        The rows ball by ball.
    starts : (B + 1,)
    centers : float64, (B, d)
    radii : float64, (B,)
        At least the distance of every row of a ball to its centre, over `scale`.
    moved : float32, (n, d + 1)
        Rows less their centre over `scale`, and their squared norms.
    origin : float64, (d,)
        The mean of all rows.
    scale : float
        The power of two next to the largest distance to a centre.
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
        pieces = -(-counts // _LARGEST)
        centers = np.repeat(centers, pieces, axis=0)
        begins = np.repeat(np.cumsum(counts) - counts, pieces)
        place = np.arange(pieces.sum()) - np.repeat(np.cumsum(pieces) - pieces, pieces)
        starts = np.append(begins + place * _LARGEST, X.shape[0])
        radii = np.zeros(centers.shape[0])
        moved = np.empty((X.shape[0], X.shape[1] + 1), dtype=np.float32)
        for ball, center in enumerate(centers):
            norms = row_norms(X[order[starts[ball] : starts[ball + 1]]] - center)
            radii[ball] = norms.max() * (1.0 + (X.shape[1] + 4) * 2.0 * _DOUBLE)
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
        """`width` near rows a query, and a squared distance below which no other row lies.

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
        # Queries that lie together look at the same balls.
        order = np.argsort(self._nearest_ball(queries), kind="stable")

        def work(start: int) -> None:
            rows = order[start : start + _QUERIES]
            indices[rows], floor[rows] = self._search(queries[rows].astype(np.float64), width)

        run_in_threads(work, range(0, q, _QUERIES), thread_count(n_jobs))
        return indices, floor

    def _nearest_ball(self, queries: AnyArray) -> IntArray:
        if queries.shape[0] <= _QUERIES:
            return np.zeros(queries.shape[0], dtype=np.intp)
        centers = self.centers - self.origin
        nearest = np.empty(queries.shape[0], dtype=np.intp)
        for start in range(0, queries.shape[0], _QUERIES):
            block = queries[start : start + _QUERIES] - self.origin
            nearest[start : start + _QUERIES] = squared_to_centers(block, centers).argmin(axis=1)
        return nearest

    def _search(self, queries: FloatArray, width: int) -> tuple[IntArray, FloatArray]:
        """One block of queries."""
        q, d = queries.shape
        keys = np.full((q, width), np.inf)
        members = np.zeros((q, width), dtype=np.int64)
        to_center, least = self._bounds(queries)
        reached = to_center.max(axis=1) < _FAR
        scratch = np.empty(q * _LARGEST, dtype=np.float32)
        factors = np.ones((q, d + 1), dtype=np.float32)
        scaled, centers = queries / self.scale, self.centers / self.scale
        for ball in np.argsort(to_center.min(axis=0), kind="stable"):
            active = np.flatnonzero(reached & (least[:, ball] < keys[:, 0]))
            if active.size == 0:
                continue
            rows = slice(self.starts[ball], self.starts[ball + 1])
            apart = (scaled if active.size == q else scaled[active]) - centers[ball]
            np.multiply(apart, -2.0, out=factors[: active.size, :-1], casting="same_kind")
            size = active.size * (rows.stop - rows.start)
            values = scratch[:size].reshape(active.size, -1)
            np.dot(factors[: active.size], self.moved[rows].T, out=values)
            base = _base(row_norms(apart, squared=True), self.radii[ball], d)
            block_distances(values, base, active, self.order[rows], keys, members)
        floor = np.where(reached, keys.max(axis=1) * self.scale**2, -np.inf)
        return members, floor

    def _bounds(self, queries: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Distances to the centres, and squared ones that no row of each ball falls below."""
        moved, centers = queries - self.origin, self.centers - self.origin
        squared = squared_to_centers(moved, centers)
        sizes = row_norms(moved)[:, None] + row_norms(centers)
        sloppy = (queries.shape[1] + 8) * 4.0 * _DOUBLE
        to_center = np.sqrt(np.maximum(squared - sloppy * sizes**2, 0.0)) / self.scale
        least = np.maximum(to_center - self.radii, 0.0) ** 2 * (1.0 - sloppy)
        return to_center, least


def _base(squared: FloatArray, radius: Any, d: int) -> FloatArray:
    """What to add to ``|x|^2 - 2 <q, x>`` for a lower bound of ``|q - x|^2``, with ``|x| <= r``.

    In single precision: each coordinate of q and x is off by a unit rounding, the stored
    ``|x|^2`` by three, and the sum of d + 1 products by d + 1, of ``2 |q| |x| + |x|^2`` in all. In
    double precision: ``|q|^2`` and the distance that it is compared with.
    """
    size = np.sqrt(squared)
    single = 1.25 * (d + 8) * _SINGLE * (2.0 * size * radius + radius**2)
    double = (d + 8) * 4.0 * _DOUBLE * (size + radius) ** 2
    base: FloatArray = squared - single - double - (d + 1) * (1.0 + size) * _LOST
    return base
