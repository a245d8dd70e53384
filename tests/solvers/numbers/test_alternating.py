"""Alternation between predictions and real targets."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from disambig.candidates import Intervals
from disambig.exceptions import ConvergenceWarning
from disambig.losses import AbsoluteLoss, PinballLoss, SquaredLoss
from disambig.number_problem import VotedProblem, first_targets
from disambig.solvers import AlternatingRegression, NewtonRegression, Status
from disambig.votes import as_votes
from tests.oracles.number_problems import FORMS, risk_problem, voted_problem

LOSSES = [SquaredLoss(), AbsoluteLoss(), PinballLoss(quantile=0.2)]
STARTS = ["average", "infimum"]
seeds = st.integers(0, 10**6)


def some_problem(seed, form, loss, **options):
    if form == "risk":
        return risk_problem(seed, ridge=1e-2, **options)[0]
    return voted_problem(seed, form, loss=loss, **options)


def rounding(problem):
    """A tolerance: 1e-11 of the loss if every vote paid for the largest number."""
    largest = np.abs(problem.span).max()
    power = 2 if isinstance(problem.loss, SquaredLoss) else 1
    return 1e-11 * float(problem.votes.absolute_row_sums().sum()) * largest**power


@given(
    seed=seeds,
    form=st.sampled_from([*FORMS, "risk"]),
    loss=st.sampled_from(LOSSES),
    start=st.sampled_from(STARTS),
    shape=st.sampled_from([{}, {"d": 2}, {"unions": True}]),
)
def test_the_objective_never_rises(seed, form, loss, start, shape):
    problem = some_problem(seed, form, loss, **shape)
    found = AlternatingRegression(start, steps=15).solve(problem)
    objectives = np.array([progress.objective for progress in found.trace])
    assert (np.diff(objectives) <= rounding(problem)).all()
    assert found.objective <= objectives[-1] + rounding(problem)
    assert problem.sets.contains(found.targets.values).all()
    assert np.isfinite(problem.predictions(found.targets.values)).all()
    assert found.certificate.is_convex == problem.is_convex
    if form == "signed":
        assert not found.certified


@settings(max_examples=25)
@given(seed=seeds, form=st.sampled_from([*FORMS, "risk"]), start=st.sampled_from(STARTS))
def test_at_convergence_a_target_step_changes_nothing(seed, form, start):
    problem = some_problem(seed, form, SquaredLoss())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = AlternatingRegression(start, max_iter=20_000).solve(problem)
    # With many constraints that nearly hold, alternation may need more steps.
    assume(found.converged)
    margin = 1e-6 * np.ptp(problem.span)
    moved = problem.targets(problem.predictions(found.targets.values), found.targets.values)
    np.testing.assert_allclose(moved, found.targets.values, atol=margin)


@settings(max_examples=15)
@given(seed=seeds, form=st.sampled_from(["dense", "sparse", "risk"]), start=st.sampled_from(STARTS))
def test_convex_problems_have_one_optimum(seed, form, start):
    problem = some_problem(seed, form, SquaredLoss(), n=5)
    optimum = NewtonRegression().solve(problem)
    solver = AlternatingRegression(start, max_iter=100_000, tol=1e-12)
    found = solver.solve(problem)
    margin = rounding(problem)
    assert found.objective >= optimum.objective * (1 - 1e-9) - margin
    assert found.objective == pytest.approx(optimum.objective, rel=1e-5, abs=1e3 * margin)
    if found.certified:
        assert found.certificate.residual <= 1e-8


def test_steps_stops_early():
    problem, _ = risk_problem(2, n=9, ridge=1e-4)
    middles = first_targets(problem, "average")
    moved = []
    for steps in (1, 3, 10):
        found = AlternatingRegression(steps=steps).solve(problem)
        assert found.n_iter == steps
        assert len(found.trace) == steps + 1
        assert found.status is Status.MAX_ITER
        assert not found.certified
        moved.append(np.abs(found.targets.values - middles).max())
    assert 0 < moved[0] < moved[1] < moved[2]
    # All steps are made even if nothing moves any more.
    points = problem.with_sets(Intervals.from_points(np.arange(9.0)))
    assert AlternatingRegression(steps=4).solve(points).n_iter == 4


def test_max_iter_warns():
    problem, _ = risk_problem(2, n=9, ridge=1e-4)
    with pytest.warns(ConvergenceWarning, match="not converged after max_iter=2 steps"):
        found = AlternatingRegression(max_iter=2).solve(problem)
    assert found.status is Status.MAX_ITER


def test_the_advice_of_the_warning():
    problem, _ = risk_problem(2, n=9, ridge=1e-4)
    with pytest.warns(ConvergenceWarning, match="Use solver='auto' for the optimum"):
        AlternatingRegression(max_iter=2).solve(problem)
    absolute = voted_problem(0, n=9, loss=AbsoluteLoss())
    with pytest.warns(ConvergenceWarning, match="Use solver='linear_program' for the optimum"):
        AlternatingRegression(max_iter=1, tol=0.0).solve(absolute)
    not_convex = next(p for p in _signed_problems() if not p.is_convex)
    with pytest.warns(ConvergenceWarning, match="not convex: use weights without negative votes"):
        AlternatingRegression(max_iter=1, tol=0.0).solve(not_convex)


def _signed_problems():
    for seed in range(50):
        yield voted_problem(seed, "signed", loss=SquaredLoss())


def test_callback():
    problem, _ = risk_problem(2, n=9, ridge=1e-4)
    calls = []

    def stop_at_third(progress):
        calls.append(progress)
        return progress.iteration == 3

    found = AlternatingRegression("infimum").solve(problem, callback=stop_at_third)
    assert [progress.iteration for progress in calls] == [1, 2, 3]
    assert {progress.stage for progress in calls} == {"infimum"}
    assert found.status is Status.STOPPED
    assert found.n_iter == 3
    assert found.start == "infimum"


@given(seed=seeds, loss=st.sampled_from(LOSSES), form=st.sampled_from(FORMS))
def test_descent_from_given_targets_does_not_raise_the_objective(seed, loss, form):
    problem = voted_problem(seed, form, loss=loss)
    hull = problem.sets.within(problem.span)
    rng = np.random.default_rng(seed)
    given_targets = rng.uniform(hull.lower, hull.upper)
    found = AlternatingRegression(steps=5).descend(
        problem, problem.predictions(given_targets), "given"
    )
    before = problem.objective(given_targets, problem.predictions(given_targets))
    assert found.trace[0].objective <= before + rounding(problem)
    assert found.objective <= before + rounding(problem)


def test_half_lines_with_a_common_end():
    problem, _ = risk_problem(0, n=2, intercept=False, ridge=1.0)
    inf = np.inf
    sets = Intervals(np.array([1.0, -inf]), np.array([inf, 1.0]))
    problem = type(problem)(problem.votes, problem.form, False, sets, sets.span)
    found = AlternatingRegression().solve(problem)
    assert found.converged
    optimum = NewtonRegression().solve(problem)
    assert found.objective == pytest.approx(optimum.objective, rel=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": "magic"}, "start must be one of 'average', 'infimum'; got 'magic'"),
        ({"steps": 0}, "steps must be an integer >= 1; got 0"),
        ({"max_iter": 0}, "max_iter must be an integer >= 1; got 0"),
        ({"tol": -1.0}, "tol must be a finite number >= 0; got -1.0"),
        ({"tol": np.nan}, "tol must be a finite number >= 0; got nan"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        AlternatingRegression(**options).solve(voted_problem(0))


def test_predictions_of_signed_votes_stay_in_the_span():
    # The two rows repel each other: without the span predictions would be infinite.
    alpha = np.array([[1.0, -2.0], [-2.0, 1.0]])
    sets = Intervals.from_any([(0, 1), (0, 4)])
    problem = VotedProblem(as_votes(alpha), SquaredLoss(), sets, sets.span)
    found = AlternatingRegression().solve(problem)
    assert not found.certificate.is_convex
    assert found.certificate.residual is None
    assert (
        (problem.predictions(found.targets.values) >= 0)
        & (problem.predictions(found.targets.values) <= 4)
    ).all()
    assert sets.contains(found.targets.values).all()


def test_targets_that_are_all_zero_are_certified():
    """The start gives the unit of the residual: relative to the targets it would be about one."""
    problem, _ = risk_problem(0, n=5, intercept=False, ridge=1.0)
    sets = Intervals.from_bounds(-np.ones(5), np.full(5, 3.0))
    problem = type(problem)(problem.votes, problem.form, False, sets, sets.span)
    found = AlternatingRegression().solve(problem)
    np.testing.assert_allclose(found.targets.values, 0, atol=1e-8)
    assert found.certified
