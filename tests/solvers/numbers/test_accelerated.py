"""The optimum by products with the votes alone, against independent solvers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig import IntervalRegressor, Intervals
from disambig.exceptions import ConvergenceWarning, MissingOracleError
from disambig.losses import AbsoluteLoss
from disambig.solvers import AcceleratedRegression, NewtonRegression, Status
from disambig.weights import NeighborWeights
from tests.oracles.number_problems import risk_problem, voted_optimum, voted_problem

seeds = st.integers(0, 10**6)


def problem_without_dense_form(seed, **options):
    """A problem whose form is not a dense array."""
    problem = voted_problem(seed, "sparse", **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("disambig.quadratic_forms._MAX_DENSE_ROWS", 0)
        assert problem.quadratic.array is None
    return problem


@given(seed=seeds, n=st.integers(1, 9), d=st.integers(1, 2))
def test_against_bounded_least_squares(seed, n, d):
    problem = problem_without_dense_form(seed, n=n, d=d)
    found = AcceleratedRegression().solve(problem)
    assert found.certified
    assert found.certificate.residual <= 1e-8
    assert problem.sets.contains(found.targets.values).all()
    points = problem.sets.lower == problem.sets.upper
    np.testing.assert_array_equal(found.targets.values[points], problem.sets.lower[points])
    alpha = problem.votes @ np.eye(n)
    optimum = sum(
        voted_optimum(alpha, low, high)
        for low, high in zip(problem.sets.lower.T, problem.sets.upper.T, strict=True)
    )
    scale = alpha.sum() * np.abs(problem.span).max() ** 2
    assert found.objective == pytest.approx(optimum, rel=1e-8, abs=1e-12 * scale)


@given(seed=seeds, intercept=st.booleans())
def test_dense_forms(seed, intercept):
    problem, _ = risk_problem(seed, intercept=intercept)
    found = AcceleratedRegression().solve(problem)
    best = NewtonRegression().solve(problem)
    assert found.certified
    scale = np.abs(problem.span).max() ** 2
    assert found.objective == pytest.approx(best.objective, rel=1e-8, abs=1e-12 * scale)
    np.testing.assert_allclose(
        found.targets.values, best.targets.values, atol=1e-4 * np.sqrt(scale)
    )


def test_of_several_optima_the_nearest_to_the_middles():
    # Two groups that no vote connects; in each of them all intervals have a common number.
    X = np.array([[0.0], [0.1], [0.2], [10.0], [10.1], [10.2]])
    y = [(0, 4), (2, 3), (1, 5), (0, 1), (0, 3), (-1, 9)]
    models = [
        IntervalRegressor(NeighborWeights(3), solver=solver).fit(X, y)
        for solver in ("newton", "accelerated")
    ]
    for model in models:
        assert model.certified_
        # The means of the middles 2, 2.5, 3 and of 0.5, 1.5, 4, clipped to the intersections.
        np.testing.assert_allclose(model.labels_, [2.5] * 3 + [1.0] * 3, atol=1e-7)


def test_many_rows_through_the_estimator():
    n = 2500
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(n, 2))
    truth = np.sin(4 * X[:, 0]) + X[:, 1]
    y = truth[:, None] + rng.uniform(0, 0.5, size=(n, 2)) * [-1, 1]
    y[::10, 0], y[1::10, 1] = -np.inf, np.inf
    y[2::50] = [-np.inf, np.inf]
    model = IntervalRegressor(NeighborWeights(10)).fit(X, y)
    assert {progress.stage for progress in model.trace_} == {"gradients"}
    assert model.certified_
    assert model.residual_ <= 1e-8
    assert Intervals.from_any(y).contains(model.labels_).all()
    assert np.sqrt(np.mean((model.predict(X) - truth) ** 2)) < 0.15
    with pytest.raises(MissingOracleError, match="2500 rows is too large for a dense array"):
        IntervalRegressor(NeighborWeights(10), solver="newton").fit(X, y)


def test_problems_that_are_refused():
    with pytest.raises(MissingOracleError, match=r"AcceleratedRegression.*the squared one"):
        AcceleratedRegression().solve(voted_problem(0, loss=AbsoluteLoss()))
    with pytest.raises(MissingOracleError, match="unions"):
        AcceleratedRegression().solve(voted_problem(0, unions=True))


def test_callback_and_max_iter():
    problem = problem_without_dense_form(3, n=30, d=2)
    calls = []

    def stop(progress):
        calls.append(progress)
        return True

    found = AcceleratedRegression().solve(problem, callback=stop)
    assert len(calls) == 1
    assert found.status is Status.STOPPED
    with pytest.warns(ConvergenceWarning, match="met only to a scaled residual of"):
        found = AcceleratedRegression(max_iter=1).solve(problem)
    assert found.status is Status.MAX_ITER
    assert not found.certified
    assert problem.sets.contains(found.targets.values).all()
