"""Problems with real targets: the objective, its half steps and its quadratic form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel

from disambig.candidates import Intervals
from disambig.losses import AbsoluteLoss, PinballLoss, SquaredLoss
from disambig.number_problem import RiskProblem, VotedProblem, first_targets
from disambig.votes import as_votes
from disambig.weights import KernelRidgeWeights
from tests.oracles.number_problems import FORMS, double_sum, risk_problem, voted_problem

LOSSES = [SquaredLoss(), AbsoluteLoss(), PinballLoss(quantile=0.8)]
seeds = st.integers(0, 10**6)


def members(problem, rng):
    """Random targets inside their sets, and inside the span."""
    hull = problem.sets.within(problem.span).hull
    return problem.sets.within(problem.span).nearest(rng.uniform(hull.lower, hull.upper))


def tolerance(problem):
    """A tolerance: 1e-9 of the loss if every vote paid for the whole span."""
    width = np.ptp(problem.span, axis=1).max()
    power = 2 if isinstance(problem.loss, SquaredLoss) else 1
    return 1e-9 * float(problem.votes.absolute_row_sums().sum()) * (width**power + 1e-12)


@given(
    seed=seeds,
    form=st.sampled_from(FORMS),
    loss=st.sampled_from(LOSSES),
    d=st.integers(1, 2),
)
def test_objective_is_the_double_sum_and_half_steps_lower_it(seed, form, loss, d):
    problem = voted_problem(seed, form, d=d, loss=loss)
    rng = np.random.default_rng(seed)
    y = members(problem, rng)
    z = rng.uniform(*problem.span.T, size=y.shape)
    margin = tolerance(problem)
    here = problem.objective(y, z)
    assert here == pytest.approx(double_sum(problem, y, z), rel=1e-9, abs=margin)
    better = problem.predictions(y)
    assert problem.objective(y, better) <= here + margin
    assert problem.objective(problem.targets(z), z) <= here + margin
    # Of several minimisers the nearest to the current one: a second step changes nothing.
    np.testing.assert_array_equal(problem.predictions(y, better), better)
    best = problem.targets(z)
    assert problem.sets.contains(best).all()
    np.testing.assert_array_equal(problem.targets(z, best), best)


@given(seed=seeds, intercept=st.booleans(), ridge=st.sampled_from([1e-4, 1e-1, 10.0]))
def test_risk_is_the_objective_of_kernel_ridge_regression(seed, intercept, ridge):
    problem, weights = risk_problem(seed, intercept=intercept, ridge=ridge, d=2)
    rng = np.random.default_rng(seed)
    y = members(problem, rng)
    f = problem.predictions(y)
    K = rbf_kernel(weights.X_fit_, gamma=0.5)
    # f = K a + b with (K + n lam I) a = y - b.
    a = (y - f) / weights.ridge_
    b = f - K @ a
    size = np.abs(K).max() * np.abs(a).sum()
    np.testing.assert_allclose(b, b.mean(axis=0) * np.ones_like(b) * intercept, atol=1e-9 * size)
    expected = ((y - f) ** 2).sum() + weights.ridge_ * np.einsum("ik,ij,jk->", a, K, a)
    assert problem.objective(y, f) == pytest.approx(expected, rel=1e-7)
    if intercept:
        np.testing.assert_allclose(a.sum(axis=0), 0, atol=1e-8 * np.abs(a).max())
    # The target step takes the nearest members: no member is better for the same f.
    best = problem.targets(f)
    assert ((best - f) ** 2).sum() <= ((y - f) ** 2).sum()
    assert problem.objective(best, problem.predictions(best)) <= expected * (1 + 1e-9)
    np.testing.assert_array_equal(best, problem.sets.nearest(f))


@given(seed=seeds, form=st.sampled_from(["dense", "sparse"]), d=st.integers(1, 2))
def test_the_quadratic_form_is_the_objective(seed, form, d):
    problem = voted_problem(seed, form, d=d)
    y = members(problem, np.random.default_rng(seed))
    value = np.einsum("ik,ik->", y, problem.quadratic @ y)
    assert value == pytest.approx(
        problem.objective(y, problem.predictions(y)), abs=tolerance(problem)
    )


@given(seed=seeds)
def test_the_quadratic_form_is_the_objective_for_signed_votes(seed):
    problem = voted_problem(seed, "signed")
    alpha = problem.votes.array
    sums = alpha.sum(axis=1)
    positive = alpha * np.where(sums > 0.1, 1.0, 0.0)[:, None]
    problem = VotedProblem(as_votes(positive), problem.loss, problem.sets, problem.span)
    y = members(problem, np.random.default_rng(seed))
    form = problem.quadratic
    assert form is not None
    value = np.einsum("ik,ik->", y, form @ y)
    # Where votes nearly cancel, predictions are large.
    size = 1 + np.abs(problem.predictions(y)).max() ** 2
    assert value == pytest.approx(
        problem.objective(y, problem.predictions(y)), abs=size * tolerance(problem)
    )


def test_no_form_for_other_losses_or_row_sums_that_are_not_positive():
    assert voted_problem(0, loss=AbsoluteLoss()).quadratic is None
    problem = voted_problem(0)
    bad = np.array(problem.votes.array)
    bad[2] *= -1
    other = VotedProblem(as_votes(bad), SquaredLoss(), problem.sets, problem.span)
    assert other.quadratic is None
    assert not other.is_convex


@pytest.mark.parametrize("loss", LOSSES)
def test_convexity(loss):
    assert voted_problem(0, "dense", loss=loss).is_convex
    assert voted_problem(0, "sparse", loss=loss).is_convex
    assert not voted_problem(0, "signed", loss=loss).is_convex
    assert risk_problem(0)[0].is_convex


@given(seed=seeds, form=st.sampled_from([*FORMS, "risk"]), loss=st.sampled_from(LOSSES))
def test_first_targets_are_inside_their_sets(seed, form, loss):
    if form == "risk":
        problem, _ = risk_problem(seed, unions=seed % 2 == 0)
    else:
        problem = voted_problem(seed, form, loss=loss, unions=seed % 2 == 0)
    for start in ("average", "infimum"):
        first = first_targets(problem, start)
        assert np.isfinite(first).all()
        assert problem.sets.contains(first).all()


@pytest.mark.parametrize("make", [lambda: voted_problem(3), lambda: risk_problem(3)[0]])
def test_with_sets_keeps_votes_and_form(make):
    problem = make()
    form, convex = problem.quadratic, problem.is_convex
    points = Intervals.from_points(np.arange(7.0))
    other = problem.with_sets(points)
    assert type(other) is type(problem)
    assert other.sets is points
    assert other.votes is problem.votes
    assert other.is_convex == convex
    np.testing.assert_array_equal(other.span, problem.span)
    np.testing.assert_array_equal(other.quadratic.array, form.array)
    np.testing.assert_array_equal(first_targets(other, "average")[:, 0], np.arange(7.0))


def test_a_common_offset_loses_no_digits():
    problem, _ = risk_problem(1)
    shifted = RiskProblem(problem.votes, problem.form, True, problem.sets, problem.span + 1e9)
    y = members(problem, np.random.default_rng(0))
    # Numbers of size 1e9 have an error of 1e-7; the value must not have a larger one.
    assert shifted.objective(y + 1e9, shifted.predictions(y + 1e9)) == pytest.approx(
        problem.objective(y, problem.predictions(y)), rel=1e-5
    )


def test_has_votes():
    alpha = np.array(
        [
            [1.0, 0.0, 0.0, 0.0],  # only its own vote, and row 2 votes for it
            [0.0, 2.0, 0.0, 0.0],  # only its own vote, and no other row votes for it
            [0.5, 0.0, 0.5, 0.0],  # votes for itself and for row 0
            [1.0, 0.0, 0.0, 0.0],  # no row votes for it
        ]
    )
    sets = Intervals.from_bounds(np.zeros(4), np.ones(4))
    problem = VotedProblem(as_votes(alpha), SquaredLoss(), sets, sets.span)
    np.testing.assert_array_equal(problem.has_votes, [True, False, True, False])
    # The form is zero at the other rows.
    np.testing.assert_array_equal(problem.has_votes, problem.quadratic.diagonal() > 0)
    # Kernel ridge shrinks every target to zero; with an intercept a single target is arbitrary.
    for intercept, has_votes in ((False, True), (True, False)):
        weights = KernelRidgeWeights("linear", intercept=intercept).fit(np.zeros((1, 1)))
        form, one = weights.residual_form(), sets[:1]
        alone = RiskProblem(weights.training_votes(), form, intercept, one, one.span)
        np.testing.assert_array_equal(alone.has_votes, [has_votes])
