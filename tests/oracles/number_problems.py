"""Random problems with numbers as targets, and their optima by bounded least squares."""

from itertools import product

import numpy as np
import scipy.sparse as sp
from numpy.random import Generator
from scipy.optimize import lsq_linear

from disambig.candidates import Intervals, IntervalUnions
from disambig.losses import NumberLoss, SquaredLoss
from disambig.notation import FloatArray
from disambig.number_problem import RiskProblem, VotedProblem
from disambig.votes import as_votes
from disambig.weights import KernelRidgeWeights
from tests.oracles.number_lines import random_sets

__all__ = [
    "FORMS",
    "bounded_least_squares",
    "double_sum",
    "informative_sets",
    "random_votes",
    "risk_optimum",
    "risk_problem",
    "segment_choices",
    "voted_optimum",
    "voted_problem",
]

FORMS = ("dense", "sparse", "signed")


def informative_sets(
    rng: Generator, n: int, *, d: int = 1, unions: bool = False
) -> Intervals | IntervalUnions:
    """Points, intervals, half-lines and whole lines; at least one finite end in every column."""
    while True:
        if unions:
            sets: Intervals | IntervalUnions = random_sets(rng, n)
        else:
            columns = [random_sets(rng, n, unions=False) for _ in range(d)]
            lower = np.hstack([column.lower for column in columns])
            upper = np.hstack([column.upper for column in columns])
            sets = Intervals(lower, upper, flat=d == 1)
        if np.isfinite(sets.centers).any(axis=0).all():
            return sets


def random_votes(rng: Generator, n: int, form: str) -> FloatArray | sp.csr_array:
    """Non-negative, sparse with empty rows and columns, or of both signs with sums of any sign."""
    if form == "signed":
        return rng.normal(0.3, 1.0, size=(n, n))
    alpha = rng.uniform(size=(n, n)) ** 3
    if form == "dense":
        return alpha
    return sp.csr_array(np.where(rng.random((n, n)) < 0.4, alpha, 0.0))


def voted_problem(
    seed: int,
    form: str = "dense",
    *,
    n: int = 7,
    d: int = 1,
    unions: bool = False,
    loss: NumberLoss | None = None,
) -> VotedProblem:
    """The paper's objective with random votes and sets."""
    rng = np.random.default_rng(seed)
    sets = informative_sets(rng, n, d=d, unions=unions)
    votes = as_votes(random_votes(rng, n, form))
    return VotedProblem(votes, SquaredLoss() if loss is None else loss, sets, sets.span)


def risk_problem(
    seed: int,
    *,
    n: int = 7,
    d: int = 1,
    unions: bool = False,
    intercept: bool = True,
    ridge: float = 1e-2,
) -> tuple[RiskProblem, KernelRidgeWeights]:
    """The empirical risk of kernel ridge regression on random inputs."""
    rng = np.random.default_rng(seed)
    sets = informative_sets(rng, n, d=d, unions=unions)
    weights = KernelRidgeWeights(bandwidth=1.0, regularization=ridge, intercept=intercept)
    weights.fit(rng.normal(size=(n, 2)))
    form = weights.residual_form()
    return RiskProblem(weights.training_votes(), form, intercept, sets, sets.span), weights


def double_sum(problem: VotedProblem, targets: FloatArray, predictions: FloatArray) -> float:
    """``sum_ij A[i, j] loss(z_i, y_j)``, term by term."""
    alpha = problem.votes @ np.eye(len(problem.sets))
    terms = problem.loss.pointwise(predictions[:, None, :], targets[None, :, :]).sum(axis=2)
    return float((alpha * terms).sum())


def bounded_least_squares(
    free: FloatArray, boxed: FloatArray, lower: FloatArray, upper: FloatArray
) -> float:
    """``min |free z + boxed y|^2`` over all z and over y between its bounds, by scipy."""
    point = lower == upper
    system = np.hstack([free, boxed[:, ~point]])
    k = free.shape[1]
    bounds = (
        np.append(np.full(k, -np.inf), lower[~point]),
        np.append(np.full(k, np.inf), upper[~point]),
    )
    goal = -boxed[:, point] @ lower[point]
    if not system.shape[1]:
        return float(goal @ goal)
    found = lsq_linear(system, goal, bounds, method="bvls", tol=1e-14, max_iter=1000)
    residual = system @ np.clip(found.x, *bounds) - goal
    return float(residual @ residual)


def voted_optimum(alpha: FloatArray, lower: FloatArray, upper: FloatArray) -> float:
    """``min sum_ij A[i, j] (z_i - y_j)^2`` for non-negative votes: one equation for each vote."""
    n = len(alpha)
    row, sample = np.nonzero(alpha)
    root = np.sqrt(alpha[row, sample])[:, None]
    return bounded_least_squares(root * np.eye(n)[row], -root * np.eye(n)[sample], lower, upper)


def risk_optimum(
    weights: KernelRidgeWeights, K: FloatArray, lower: FloatArray, upper: FloatArray
) -> float:
    """``min sum_j (y_j - (K a)_j - b)^2 + n lam a' K a`` over a, b and y."""
    n = len(K)
    values, vectors = np.linalg.eigh(K)
    half = vectors * np.sqrt(np.maximum(values, 0.0))
    # With c = half' a: K a = half c, and a' K a = |c|^2.
    fit = np.hstack([-half, -np.ones((n, 1))] if weights.intercept else [-half])
    ridge = np.zeros((n, fit.shape[1]))
    ridge[:, :n] = np.sqrt(weights.ridge_) * np.eye(n)
    return bounded_least_squares(
        np.vstack([fit, ridge]), np.vstack([np.eye(n), np.zeros((n, n))]), lower, upper
    )


def segment_choices(sets: IntervalUnions) -> list[Intervals]:
    """Every choice of one segment per row."""
    ranges = [range(sets.indptr[j], sets.indptr[j + 1]) for j in range(len(sets))]
    rows = [np.array(choice) for choice in product(*ranges)]
    return [Intervals(sets.lower[choice], sets.upper[choice]) for choice in rows]
