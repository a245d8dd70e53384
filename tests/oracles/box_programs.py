"""Quadratic programs over boxes: random problems, and slow independent solvers."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import linprog, lsq_linear
from scipy.sparse import csr_array

from disambig.notation import FloatArray, IntArray

__all__ = [
    "FORMS",
    "VotesForm",
    "best_face",
    "best_slacks",
    "bounded_least_squares",
    "components",
    "midpoints",
    "random_bounds",
    "random_form",
    "random_votes",
]

Generator = np.random.Generator

FORMS = ("full", "low rank", "votes", "components", "rank one", "zero")


def random_form(kind: str, rng: Generator, n: int) -> FloatArray:
    """A positive semi-definite ``(n, n)`` array."""
    if kind == "votes":
        return VotesForm(random_votes(rng, n, min(n, 3))).toarray()
    if kind == "components":
        half = (n + 1) // 2
        Q = np.zeros((n, n))
        Q[:half, :half] = random_form("votes", rng, half)
        if n > half:
            Q[half:, half:] = random_form("votes", rng, n - half)
        shuffled = rng.permutation(n)
        return Q[np.ix_(shuffled, shuffled)]
    rank = {"full": 2 * n, "low rank": max(1, n // 2), "rank one": 1, "zero": 0}[kind]
    factor = rng.normal(size=(rank, n))
    return factor.T @ factor


def random_votes(rng: Generator, n: int, k: int) -> csr_array:
    """At most `k` votes per row that sum to one, ``(n, n)``."""
    columns = np.argsort(rng.uniform(size=(n, n)), axis=1)[:, :k] if n <= 500 else None
    if columns is None:
        columns = rng.integers(n, size=(n, k))
    weights = rng.dirichlet(np.ones(k), size=n)
    votes = csr_array((weights.ravel(), columns.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    votes.sum_duplicates()
    return votes


def random_bounds(rng: Generator, n: int) -> tuple[FloatArray, FloatArray]:
    """Lower and upper bounds of intervals, points, half-lines and lines, ``(n,)`` each."""
    center, radius = rng.normal(size=n), rng.exponential(size=n)
    lower, upper = center - radius, center + radius
    kind = rng.integers(6, size=n)
    upper[kind == 1] = lower[kind == 1]
    lower[(kind == 2) | (kind == 4)] = -np.inf
    upper[(kind == 3) | (kind == 4)] = np.inf
    return lower, upper


def midpoints(lower: FloatArray, upper: FloatArray, missing: float = 0.0) -> FloatArray:
    """The midpoint of an interval, the end of a half-line, `missing` for a line, ``(n,)``."""
    low, high = np.isfinite(lower), np.isfinite(upper)
    ends = np.where(low, lower, np.where(high, upper, missing))
    both = low & high
    ends[both] = (lower[both] + upper[both]) / 2
    return ends


@dataclass
class VotesForm:
    """``Q = diag(A' 1) - A' diag(1 / A 1) A`` by products with the votes, which it counts."""

    votes: csr_array
    n_products: int = 0

    def __post_init__(self) -> None:
        self.transposed = self.votes.T.tocsr()
        self.row_sums = np.asarray(self.votes.sum(axis=1)).ravel()
        self.column_sums = np.asarray(self.votes.sum(axis=0)).ravel()
        self.shape = (self.votes.shape[1],) * 2

    def __matmul__(self, y: FloatArray) -> FloatArray:
        self.n_products += 1
        predictions = (self.votes @ y) / self.row_sums
        return self.column_sums * y - self.transposed @ predictions

    def diagonal(self) -> FloatArray:
        return self.column_sums - self.transposed.power(2) @ (1 / self.row_sums)

    def toarray(self) -> FloatArray:
        A = self.votes.toarray()
        Q = np.diag(self.column_sums) - A.T @ (A / self.row_sums[:, None])
        return (Q + Q.T) / 2


def best_face(Q: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
    """The minimum of ``y' Q y`` over the box, by enumeration of its faces.

    On a face every entry is at its lower end, at its upper end, or free. Some optimum has a
    nonsingular block of free entries (unless an entry has no bounds), so that the shortest solution
    on every face is enough.
    """
    n = len(lower)
    ends = [
        (low,) if low == high else tuple(e for e in (low, high, np.nan) if not np.isinf(e))
        for low, high in zip(lower, upper, strict=True)
    ]
    best = np.inf
    for choice in product(*ends):
        y = np.array(choice)
        free = np.isnan(y)
        y[free] = 0.0
        if free.any():
            right = -(Q @ y)[free]
            y[free] = np.linalg.lstsq(Q[np.ix_(free, free)], right, rcond=1e-12)[0]
        if np.all(y >= lower - 1e-9) and np.all(y <= upper + 1e-9):
            best = min(best, float(y @ Q @ y))
    assert np.isfinite(best), f"no face of {n} entries contains its own optimum"
    return best


def bounded_least_squares(Q: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
    """The same minimum as ``min |F y|^2`` with ``Q = F' F``, by scipy's bounded least squares.

    Entries with equal bounds are removed, because that solver does not accept them. A small ridge
    prevents solutions of size 1e15 in the null space; the value returned is without it.
    """
    values, vectors = np.linalg.eigh(Q)
    ridge = 1e-7 * np.sqrt(max(values[-1], 1e-300))
    factor = np.concatenate(
        [np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T, ridge * np.eye(len(Q))]
    )
    y, wide = lower.copy(), lower < upper
    if wide.any():
        y[wide] = lsq_linear(
            factor[:, wide],
            -factor[:, ~wide] @ lower[~wide],
            (lower[wide], upper[wide]),
            method="bvls",
            tol=1e-15,
            max_iter=1000,
        ).x
    return float(y @ Q @ y)


def best_slacks(
    votes: FloatArray, lower: FloatArray, upper: FloatArray, slopes: tuple[float, float]
) -> float:
    """``min sum_ij A_ij (a (y_j - z_i)_+ + b (z_i - y_j)_+)``, with two slacks for each vote."""
    q, n = votes.shape
    rows, columns = np.nonzero(votes)
    weights = votes[rows, columns]
    m = len(weights)
    equal = np.zeros((m, q + n + 2 * m))
    each = np.arange(m)
    equal[each, q + columns] = 1.0
    equal[each, rows] = -1.0
    equal[each, q + n + each] = -1.0
    equal[each, q + n + m + each] = 1.0
    cost = np.concatenate([np.zeros(q + n), slopes[0] * weights, slopes[1] * weights])
    bounds = [(None, None)] * q + list(zip(lower, upper, strict=True)) + [(0, None)] * (2 * m)
    answer = linprog(cost, A_eq=equal, b_eq=np.zeros(m), bounds=bounds, method="highs-ipm")
    assert answer.status == 0, answer.message
    return float(answer.fun)


def components(Q: FloatArray) -> IntArray:
    """The connected component of each row, by growing one component at a time, ``(n,)``."""
    labels = np.full(len(Q), -1, dtype=np.intp)
    for first in range(len(Q)):
        if labels[first] >= 0:
            continue
        reached = np.arange(len(Q)) == first
        while True:
            wider = reached | (np.abs(Q[reached]).max(axis=0) > 1e-12)
            if (wider == reached).all():
                break
            reached = wider
        labels[reached] = labels.max() + 1
    return labels
