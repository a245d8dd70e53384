"""The path of ridges, against the exact solver and against copies of rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from disambig.candidates import Intervals
from disambig.number_problem import RiskProblem
from disambig.solvers import NewtonRegression
from disambig.solvers.numbers.ridge_path import ridge_path
from disambig.weights import KernelRidgeWeights

RIDGES = (1e-1, 1e-3, 1e-5)


def problem(seed, n=25):
    """Points, intervals and half-lines around a wave."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 2))
    y = np.sin(5 * X[:, 0]) + X[:, 1]
    kind = rng.integers(4, size=n)
    kind[:2] = 0
    lower = np.where(kind == 2, -np.inf, y - rng.exponential(0.3, n) * (kind > 0))
    upper = np.where(kind == 3, np.inf, y + rng.exponential(0.3, n) * (kind > 0))
    return X, lower, upper, rng.integers(1, 4, size=n).astype(float)


def fitted(X, lower, upper, weights, ridges=RIDGES):
    gram = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 2)
    return [
        gram @ fit.coefficients + fit.intercept
        for fit in ridge_path(gram, lower, upper, weights, ridges)
    ]


@given(st.integers(0, 10_000))
def test_every_ridge_is_the_optimum_that_the_certified_solver_finds(seed):
    X, lower, upper, weights = problem(seed)
    found = fitted(X, lower, upper, weights)
    sets = Intervals(lower, upper)
    for ridge, values in zip(RIDGES, found, strict=True):
        kernel = KernelRidgeWeights(bandwidth=1.0, regularization=ridge, intercept=True)
        kernel.fit(X, weights)
        votes = kernel.training_votes()
        exact = NewtonRegression().solve(
            RiskProblem(votes, kernel.residual_form(), True, sets, sets.span)
        )
        assert exact.certified
        assert_allclose(values, (votes @ exact.decoded.outputs)[:, 0], atol=1e-5)


def test_a_weight_is_so_many_copies():
    X, lower, upper, weights = problem(1)
    copies = np.repeat(np.arange(len(X)), weights.astype(int))
    repeated = fitted(X[copies], lower[copies], upper[copies], np.ones(len(copies)))
    for ours, theirs in zip(fitted(X, lower, upper, weights), repeated, strict=True):
        assert_allclose(ours[copies], theirs, atol=1e-6)


def test_sets_that_a_constant_meets_get_a_constant():
    X, *_ = problem(2)
    lower, upper = np.full(len(X), -1.0), np.full(len(X), np.inf)
    for values in fitted(X, lower, upper, np.ones(len(X))):
        assert np.ptp(values) < 1e-12
        assert values[0] >= -1.0
