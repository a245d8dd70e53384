"""Tests of the certificates of Frank-Wolfe: the bound and the gap are valid and tight."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disambig.problem import Problem
from disambig.solvers import FrankWolfeMinimization, quadratic_objective
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.frank_wolfe.losses import quadratic_loss
from disambig.solvers.frank_wolfe.shifts import Shifts, tight_shifts
from disambig.votes import as_votes
from tests.oracles.brute_force import labellings
from tests.oracles.generated_problems import problems
from tests.oracles.quadratic_programs import (
    SYMMETRIC,
    convex_minimum,
    paper_bound,
    quadratic_optimum,
    quadratic_values,
    relaxation,
)
from tests.oracles.tiny_problems import tiny_problem

STEPS = ["pairwise", "away", "plain", "block"]
TINY = problems(losses=SYMMETRIC, largest=5)


def largest_objective(tiny):
    """An upper bound on the absolute objective of labels."""
    return float(np.abs(tiny.A).sum()) * tiny.loss.largest


def convex_form(problem, tiny):
    """The convex function of a problem with tight shifts."""
    loss = quadratic_loss(problem)
    open_rows = tiny.sets.mask.sum(axis=1) > 1
    variances = loss.variances(tiny.sets.distribution())
    return ConvexForm(problem, loss, open_rows, tight_shifts(problem, open_rows, variances))


# The bound must hold for every form of votes, every kind of step, and at every tolerance.
@settings(max_examples=200)
@given(tiny=TINY, steps=st.sampled_from(STEPS), tol=st.sampled_from([1e-1, 1e-3, 1e-6]))
def test_bound_is_below_all_labels_and_the_gap_is_not_negative(tiny, steps, tol):
    solver = FrankWolfeMinimization(steps, tol=tol, max_iter=200)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "FrankWolfeMinimization: not converged")
        solution = solver.solve(tiny.problem)
    found = solution.certificate
    optimum = quadratic_optimum(tiny.A, tiny.loss.matrix, tiny.sets)
    rounding = 1e-11 * largest_objective(tiny)
    assert found.bound <= optimum
    assert found.gap >= 0.0
    assert found.relaxed_objective <= optimum + found.gap + rounding
    assert found.objective >= optimum - rounding
    labels = solution.decoded.outputs
    direct = quadratic_values(tiny.A, tiny.loss.matrix, labels[None])[0]
    assert found.objective == pytest.approx(direct, rel=0, abs=rounding)
    assert solution.objective <= found.objective + rounding
    assert tiny.sets.mask[np.arange(len(labels)), labels].all()


@given(tiny=TINY, steps=st.sampled_from(STEPS[:2]))
def test_relaxed_objective_never_rises(tiny, steps):
    solution = FrankWolfeMinimization(steps).solve(tiny.problem)
    values = [progress.objective for progress in solution.trace]
    assert (np.diff(values) <= 0.0).all()
    assert solution.converged


@given(tiny=TINY, seed=st.integers(0, 999))
def test_convex_form_is_the_objective_at_labels_and_convex(tiny, seed):
    form, rng = convex_form(tiny.problem, tiny), np.random.default_rng(seed)
    n, K = tiny.sets.mask.shape

    def value(distribution):
        return form.value(distribution, form.scores(distribution))

    choices = labellings(tiny.sets)
    labels = choices[rng.integers(len(choices), size=3)]
    expected = quadratic_values(tiny.A, tiny.loss.matrix, labels)
    found = [value(np.eye(K)[row]) for row in labels]
    assert np.allclose(found, expected, rtol=0, atol=1e-10 * (largest_objective(tiny) + 1e-30))
    points = rng.random((2, n, K)) * tiny.sets.mask + 1e-9 * tiny.sets.mask
    points /= points.sum(axis=2, keepdims=True)
    at_midpoint = value(points.mean(axis=0))
    mean_value = (value(points[0]) + value(points[1])) / 2
    assert at_midpoint <= mean_value + 1e-10 * largest_objective(tiny)


@pytest.mark.parametrize("steps", [*STEPS[:2], "block"])
def test_relaxed_optimum_is_that_of_an_independent_solver(steps):
    for seed in range(36):
        tiny = tiny_problem(seed, None, SYMMETRIC[seed % 4])
        problem = Problem(as_votes(tiny.A), tiny.loss, tiny.sets)
        form = convex_form(problem, tiny)
        shifts = np.stack([form.shifts.plus, form.shifts.minus])
        loss = form.loss
        program = relaxation(tiny.A, tiny.loss.matrix, loss.plus, loss.minus, shifts)
        # The relaxation of a row with one candidate is exact for any shift.
        expected = convex_minimum(*program, tiny.sets)
        found = FrankWolfeMinimization(steps, tol=1e-8, max_iter=20_000).solve(problem).certificate
        margin = 1e-6 * largest_objective(tiny)
        assert found.relaxed_objective == pytest.approx(expected, rel=0, abs=margin)
        assert found.bound == pytest.approx(expected, rel=0, abs=margin)


def test_bound_is_tighter_than_that_of_the_shifts_of_the_paper():
    bounds, paper_bounds, optima = [], [], []
    for seed in range(48):
        tiny = tiny_problem(seed, None, SYMMETRIC[(seed // 6) % 4])
        scale = largest_objective(tiny)
        if not scale:
            continue
        problem = Problem(as_votes(tiny.A), tiny.loss, tiny.sets)
        found = FrankWolfeMinimization(tol=1e-7, max_iter=5000).solve(problem).certificate
        expected = paper_bound(tiny.A, tiny.loss.matrix, tiny.sets)
        assert found.bound >= expected - 1e-6 * scale
        optima.append(quadratic_optimum(tiny.A, tiny.loss.matrix, tiny.sets) / scale)
        bounds.append(found.bound / scale)
        paper_bounds.append(expected / scale)
    # Mean distances from the optimum, relative to the largest objective: .004 against .73.
    assert np.subtract(optima, bounds).mean() < 0.01
    assert np.subtract(optima, paper_bounds).mean() > 0.5


def test_adding_a_multiple_of_the_identity_to_votes_changes_nothing():
    """A row pays nothing for its own vote. This needs shifts that may be negative."""
    tiny = tiny_problem(7, "kernel ridge", "squared")
    found = [
        FrankWolfeMinimization(tol=1e-9)
        .solve(Problem(as_votes(tiny.A + diagonal * np.eye(len(tiny.A))), tiny.loss, tiny.sets))
        .certificate
        for diagonal in (0.0, 5.0, -5.0)
    ]
    for other in found[1:]:
        assert other.relaxed_objective == pytest.approx(found[0].relaxed_objective, abs=1e-6)
        assert other.objective == pytest.approx(found[0].objective, abs=1e-9)


@given(tiny=TINY)
def test_both_objectives_equal_their_definitions(tiny):
    solution = FrankWolfeMinimization().solve(tiny.problem)
    assert solution.certificate.objective == quadratic_objective(tiny.problem, solution.decoded)
    expected = tiny.A @ tiny.loss.matrix[:, solution.decoded.outputs].T
    direct = float(expected.min(axis=1).sum())
    assert solution.objective == pytest.approx(
        direct, rel=0, abs=1e-10 * (largest_objective(tiny) + 1e-30)
    )


def test_larger_shifts_lower_the_convex_form():
    tiny = tiny_problem(12, "signed", "absolute")
    problem = Problem(as_votes(tiny.A), tiny.loss, tiny.sets)
    form = convex_form(problem, tiny)
    means = tiny.sets.distribution()
    shifts = Shifts(form.shifts.plus + 1.0, form.shifts.minus + 1.0)
    larger = ConvexForm(problem, form.loss, form.open_rows, shifts)
    assert larger.value(means, form.scores(means)) < form.value(means, form.scores(means))
