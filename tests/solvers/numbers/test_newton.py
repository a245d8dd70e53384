"""The optimum of convex quadratic problems, against bounded least squares of scipy."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel

from disambig.candidates import Intervals
from disambig.datasets import make_sine_intervals
from disambig.exceptions import ConvergenceWarning, MissingOracleError
from disambig.losses import AbsoluteLoss, SquaredLoss
from disambig.number_problem import RiskProblem, VotedProblem, first_targets
from disambig.solvers import NewtonRegression, Status
from disambig.solvers.numbers.alternating import optimality_residual
from disambig.votes import as_votes
from disambig.weights import KernelRidgeWeights
from tests.oracles.number_problems import (
    bounded_least_squares,
    risk_optimum,
    risk_problem,
    voted_optimum,
    voted_problem,
)

seeds = st.integers(0, 10**6)


def check_solution(problem, found):
    """Check what holds for every solution of a convex problem."""
    assert problem.sets.contains(found.targets.values).all()
    points = problem.sets.lower == problem.sets.upper
    np.testing.assert_array_equal(found.targets.values[points], problem.sets.lower[points])
    assert found.certified
    assert found.certificate.residual <= 1e-8
    assert found.converged
    # The certificate holds for these targets, not only for the shifted ones of the solver.
    start = first_targets(problem, "average")
    assert optimality_residual(problem, found.targets.values, start) <= 1e-8
    np.testing.assert_array_equal(
        problem.predictions(found.targets.values), problem.predictions(found.targets.values)
    )
    assert found.objective == problem.objective(
        found.targets.values, problem.predictions(found.targets.values)
    )


@given(
    seed=seeds, form=st.sampled_from(["dense", "sparse"]), n=st.integers(1, 9), d=st.integers(1, 2)
)
def test_votes_against_bounded_least_squares(seed, form, n, d):
    problem = voted_problem(seed, form, n=n, d=d)
    found = NewtonRegression().solve(problem)
    check_solution(problem, found)
    alpha = problem.votes @ np.eye(n)
    optima = [
        voted_optimum(alpha, low, high)
        for low, high in zip(problem.sets.lower.T, problem.sets.upper.T, strict=True)
    ]
    scale = alpha.sum() * np.abs(problem.span).max() ** 2
    assert found.objective == pytest.approx(sum(optima), rel=1e-8, abs=1e-13 * scale)


@given(
    seed=seeds,
    n=st.integers(1, 9),
    intercept=st.booleans(),
    ridge=st.sampled_from([1e-6, 1e-3, 1.0]),
)
def test_risk_against_bounded_least_squares(seed, n, intercept, ridge):
    problem, weights = risk_problem(seed, n=n, intercept=intercept, ridge=ridge)
    found = NewtonRegression().solve(problem)
    check_solution(problem, found)
    K = rbf_kernel(weights.X_fit_, gamma=0.5)
    optimum = risk_optimum(weights, K, problem.sets.lower[:, 0], problem.sets.upper[:, 0])
    scale = np.abs(problem.span).max() ** 2
    assert found.objective == pytest.approx(optimum, rel=1e-8, abs=1e-12 * scale)


@given(seed=seeds, n=st.integers(2, 7))
def test_signed_votes_that_are_convex(seed, n):
    rng = np.random.default_rng(seed)
    problem = voted_problem(seed, n=n)
    alpha = rng.uniform(size=(n, n)) - 0.1
    alpha = alpha + alpha.T + 2 * np.eye(n)
    problem = VotedProblem(as_votes(alpha), SquaredLoss(), problem.sets, problem.span)
    if not problem.is_convex:
        with pytest.raises(MissingOracleError, match="negative votes make it non-convex"):
            NewtonRegression().solve(problem)
        return
    found = NewtonRegression().solve(problem)
    check_solution(problem, found)
    values, vectors = np.linalg.eigh(problem.quadratic.array)
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    optimum = bounded_least_squares(
        np.zeros((n, 0)), root, problem.sets.lower[:, 0], problem.sets.upper[:, 0]
    )
    scale = alpha.sum() * np.abs(problem.span).max() ** 2
    assert found.objective == pytest.approx(optimum, rel=1e-8, abs=1e-12 * scale)


@given(seed=seeds, form=st.sampled_from(["dense", "sparse"]))
def test_permuting_rows_permutes_targets(seed, form):
    problem = voted_problem(seed, form)
    order = np.random.default_rng(seed).permutation(7)
    alpha = (problem.votes @ np.eye(7))[np.ix_(order, order)]
    other = VotedProblem(as_votes(alpha), problem.loss, problem.sets[order], problem.span)
    here, there = (NewtonRegression().solve(one) for one in (problem, other))
    width = np.ptp(problem.span)
    assert there.objective == pytest.approx(here.objective, rel=1e-9, abs=1e-12 * width**2)
    np.testing.assert_allclose(there.targets.values, here.targets.values[order], atol=1e-6 * width)


def test_of_several_optima_the_nearest_to_the_middles():
    # All intervals contain [2, 3]; their middles are 2, 2.5, 3 and 3.5.
    sets = Intervals.from_any([(0, 4), (2, 3), (1, 5), (2, 5)])
    problem = VotedProblem(as_votes(np.ones((4, 4))), SquaredLoss(), sets, sets.span)
    found = NewtonRegression().solve(problem)
    assert found.objective == pytest.approx(0, abs=1e-20)
    np.testing.assert_allclose(found.targets.values, 2.75)


def test_the_setting_of_the_paper_takes_at_most_twenty_steps():
    for seed in range(20):
        X, sets, _ = make_sine_intervals(random_state=seed)
        weights = KernelRidgeWeights(bandwidth=0.1, regularization=1e-6).fit(X)
        problem = RiskProblem(
            weights.training_votes(), weights.residual_form(), False, sets, sets.span
        )
        found = NewtonRegression().solve(problem)
        assert found.certified
        assert found.n_iter <= 20


def test_problems_that_are_refused():
    solver = NewtonRegression()
    with pytest.raises(MissingOracleError, match="loss is not the squared one"):
        solver.solve(voted_problem(0, loss=AbsoluteLoss()))
    with pytest.raises(MissingOracleError, match="unions of intervals make it combinatorial"):
        solver.solve(voted_problem(0, unions=True))
    problem = voted_problem(0)
    negative = replace(problem, votes=problem.votes.scale_rows(-np.ones(7)))
    with pytest.raises(MissingOracleError, match="do not sum to a positive number"):
        solver.solve(negative)
    alpha = np.array([[1.0, 1.0, -0.9], [1.0, 1.0, 1.0], [-0.9, 1.0, 1.0]])
    sets = Intervals.from_any([(0, 1), (2, 3), (4, 5)])
    with pytest.raises(MissingOracleError, match="negative votes make it non-convex"):
        solver.solve(VotedProblem(as_votes(alpha), SquaredLoss(), sets, sets.span))


def test_a_form_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr("disambig.quadratic_forms._MAX_DENSE_ROWS", 3)
    with pytest.raises(MissingOracleError, match="7 rows is too large for a dense array"):
        NewtonRegression().solve(voted_problem(0, "sparse"))


def test_a_callback_stops_all_columns():
    problem, _ = risk_problem(4, n=9, d=3, ridge=1e-6)
    assert NewtonRegression().solve(problem).n_iter > 1
    calls = []

    def stop(progress):
        calls.append(progress)
        return len(calls) == 1

    found = NewtonRegression().solve(problem, callback=stop)
    assert len(calls) == 1
    assert found.status is Status.STOPPED
    assert not found.converged
    assert problem.sets.contains(found.targets.values).all()
    np.testing.assert_array_equal(
        problem.predictions(found.targets.values), problem.predictions(found.targets.values)
    )


def test_max_iter_warns():
    problem, _ = risk_problem(4, n=9, ridge=1e-6)
    with pytest.warns(ConvergenceWarning, match="met only to a scaled residual of"):
        found = NewtonRegression(max_iter=1).solve(problem)
    assert found.status is Status.MAX_ITER
    assert not found.certified
