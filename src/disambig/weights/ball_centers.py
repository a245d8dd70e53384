"""Centres of balls: a few rounds of k-means on a sample of the rows."""

import numpy as np

from disambig.notation import AnyArray, FloatArray, IntArray

__all__ = ["ball_centers", "squared_to_centers"]

# Rows in a ball, about: smaller ones are skipped more often, larger ones multiplied faster.
_ROWS = 256
# Rows of the sample for each centre.
_SAMPLE = 16
_ROUNDS = 3
# Distances to centres computed together.
_BLOCK = 2**20


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
