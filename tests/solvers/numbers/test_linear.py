"""The optimum for absolute and pinball loss, against brute force and a simple linear program."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from disambig import IntervalRegressor
from disambig.candidates import Intervals
from disambig.exceptions import ConvergenceWarning, MissingOracleError
from disambig.losses import AbsoluteLoss, PinballLoss
from disambig.number_problem import VotedProblem
from disambig.solvers import AlternatingRegression, LinearProgramRegression, Status
from disambig.votes import as_votes
from disambig.weights import NadarayaWatsonWeights
from tests.oracles.number_problems import risk_problem, voted_problem

LOSSES = [AbsoluteLoss(), PinballLoss(quantile=0.5), PinballLoss(quantile=0.9)]
seeds = st.integers(0, 10**6)
forms = st.sampled_from(["dense", "sparse"])


def rounding(problem):
    votes = float(problem.votes.absolute_row_sums().sum())
    return 1e-12 * votes * np.abs(problem.span).max()


def lowest_at_ends(problem):
    """The optimum by brute force: some optimum has all targets at ends of intervals."""
    low, high = (end[:, 0] for end in (problem.sets.lower, problem.sets.upper))
    ends = np.unique(np.concatenate([low, high]))
    ends = ends[np.isfinite(ends)]
    choices = [ends[(ends >= a) & (ends <= b)] for a, b in zip(low, high, strict=True)]
    every = np.array(list(product(*choices)))[:, :, None]
    return min(problem.objective(y, problem.predictions(y)) for y in every)


def program_with_slacks(problem, below, above):
    """The linear program with one slack per vote."""
    alpha = problem.votes @ np.eye(len(problem.sets))
    q, n = alpha.shape
    costs, rows, limits = np.zeros(q + n + q * n), [], []
    for i, j in np.ndindex(q, n):
        slack = q + n + i * n + j
        costs[slack] = alpha[i, j]
        for slope, sign in ((below, 1.0), (above, -1.0)):
            row = np.zeros(len(costs))
            row[q + j], row[i], row[slack] = sign * slope, -sign * slope, -1.0
            rows.append(row)
            limits.append(0.0)
    ends = zip(problem.sets.lower[:, 0], problem.sets.upper[:, 0], strict=True)
    bounds = [(None, None)] * q + list(ends) + [(0, None)] * (q * n)
    return linprog(costs, np.array(rows), limits, bounds=bounds, method="highs-ipm").fun


def check_solution(problem, found):
    assert problem.sets.contains(found.targets.values).all()
    points = problem.sets.lower == problem.sets.upper
    np.testing.assert_array_equal(found.targets.values[points], problem.sets.lower[points])
    assert found.certified
    assert found.certificate.residual <= 1e-8
    assert found.converged
    assert found.objective == problem.objective(
        found.targets.values, problem.predictions(found.targets.values)
    )
    again = problem.objective(found.targets.values, problem.predictions(found.targets.values))
    assert found.objective == pytest.approx(again, abs=rounding(problem))


@given(seed=seeds, form=forms, n=st.integers(1, 4), loss=st.sampled_from(LOSSES))
def test_against_every_choice_of_ends(seed, form, n, loss):
    problem = voted_problem(seed, form, n=n, loss=loss)
    found = LinearProgramRegression().solve(problem)
    check_solution(problem, found)
    lowest = lowest_at_ends(problem)
    assert found.objective == pytest.approx(lowest, rel=1e-8, abs=rounding(problem))


@given(seed=seeds, form=forms, loss=st.sampled_from(LOSSES))
def test_against_a_program_with_slacks(seed, form, loss):
    problem = voted_problem(seed, form, n=6, loss=loss)
    found = LinearProgramRegression().solve(problem)
    check_solution(problem, found)
    tau = 0.5 if isinstance(loss, AbsoluteLoss) else loss.quantile
    unit = 2.0 if isinstance(loss, AbsoluteLoss) else 1.0
    lowest = program_with_slacks(problem, unit * tau, unit * (1 - tau))
    assert found.objective == pytest.approx(lowest, rel=1e-7, abs=1e4 * rounding(problem))


@given(seed=seeds, loss=st.sampled_from(LOSSES))
def test_alternation_is_not_better(seed, loss):
    problem = voted_problem(seed, loss=loss)
    found = LinearProgramRegression().solve(problem)
    for start in ("average", "infimum"):
        other = AlternatingRegression(start).solve(problem)
        assert found.objective <= other.objective + rounding(problem)
        # Alternation gives no certificate for these losses.
        assert other.certificate.residual is None
        assert not other.certified


@given(seed=seeds, form=forms)
def test_the_objective_does_not_depend_on_the_order_of_rows(seed, form):
    problem = voted_problem(seed, form, loss=AbsoluteLoss())
    order = np.random.default_rng(seed).permutation(7)
    alpha = (problem.votes @ np.eye(7))[np.ix_(order, order)]
    other = VotedProblem(as_votes(alpha), problem.loss, problem.sets[order], problem.span)
    here, there = (LinearProgramRegression().solve(one) for one in (problem, other))
    assert there.objective == pytest.approx(here.objective, rel=1e-9, abs=rounding(problem))


def test_columns_are_separate_problems():
    problem = voted_problem(5, "sparse", d=2, loss=AbsoluteLoss())
    found = LinearProgramRegression().solve(problem)
    check_solution(problem, found)
    separate = [
        replace(
            problem,
            sets=Intervals(problem.sets.lower[:, k], problem.sets.upper[:, k]),
            span=problem.span[k : k + 1],
        )
        for k in range(2)
    ]
    total = sum(LinearProgramRegression().solve(one).objective for one in separate)
    assert found.objective == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize(("shift", "unit"), [(1e6, 1.0), (0.0, 1e-9), (0.0, 1e100)])
def test_offset_and_unit_do_not_matter(shift, unit):
    problem = voted_problem(5, loss=AbsoluteLoss())
    sets = problem.sets
    other = Intervals(unit * sets.lower + shift, unit * sets.upper + shift)
    moved = replace(problem, sets=other, span=other.span)
    here, there = (LinearProgramRegression().solve(one) for one in (problem, moved))
    assert there.certified
    assert there.objective / unit == pytest.approx(here.objective, rel=1e-8)


def test_an_objective_of_zero_is_certified():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 1))
    for y in (np.full(12, 3.0), [">= 3"] * 12, [(3, 4)] * 12):
        model = IntervalRegressor(NadarayaWatsonWeights(), loss="absolute").fit(X, y)
        assert model.certified_
        np.testing.assert_allclose(model.objective_, 0, atol=1e-12)


def test_a_loss_below_the_smallest_number_is_certified():
    """A share of it, in which the gap is measured, is zero."""
    sets = Intervals(np.array([0.0, 0.5]), np.array([1.0, 2.0]))
    problem = VotedProblem(as_votes(np.full((2, 2), 1e-320)), AbsoluteLoss(), sets, sets.span)
    found = LinearProgramRegression().solve(problem)
    assert found.certified
    assert found.objective == 0.0


def test_an_earlier_optimum_is_kept_with_what_is_known_about_it():
    """Rows 0 and 1 agree on any number in [0, 1]; row 2 is known."""
    sets = Intervals(np.array([0.0, 0.0, 5.0]), np.array([1.0, 3.0, 5.0]))
    votes = as_votes(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    problem = VotedProblem(votes, AbsoluteLoss(), sets, sets.span)
    cold = LinearProgramRegression().solve(problem)
    for value in (0.25, 0.75):
        targets = np.array([[value], [value], [5.0]])
        points = replace(cold.targets, values=targets)
        earlier = replace(cold, targets=points, decoded=points)
        found = LinearProgramRegression().solve(problem, start=earlier)
        assert found.start == "warm"
        np.testing.assert_array_equal(found.targets.values, targets)
        assert found.objective == problem.objective(targets, problem.predictions(targets)) == 0.0
        assert found.certified
    worse = np.array([[0.25], [0.75], [5.0]])
    points = replace(cold.targets, values=worse)
    found = LinearProgramRegression().solve(
        problem, start=replace(cold, targets=points, decoded=points)
    )
    np.testing.assert_array_equal(found.targets.values, cold.targets.values)


def test_votes_that_are_negative_by_rounding_count_as_zero():
    problem = voted_problem(5, loss=AbsoluteLoss())
    alpha = problem.votes.array.copy()
    alpha[2, 1] = -1e-17
    found = LinearProgramRegression().solve(replace(problem, votes=as_votes(alpha)))
    assert found.certified


def test_problems_that_are_refused():
    solver = LinearProgramRegression()
    with pytest.raises(MissingOracleError, match="unions of intervals"):
        solver.solve(voted_problem(0, unions=True, loss=AbsoluteLoss()))
    with pytest.raises(MissingOracleError, match="votes that are not negative"):
        solver.solve(voted_problem(0, "signed", loss=AbsoluteLoss()))
    with pytest.raises(MissingOracleError, match=r"SquaredLoss\(\) is not piecewise linear"):
        solver.solve(voted_problem(0))
    with pytest.raises(MissingOracleError, match="formulation='votes'"):
        solver.solve(risk_problem(0)[0])


def test_callback_and_max_iter():
    problem = voted_problem(5, d=2, loss=AbsoluteLoss(), n=12)
    calls = []
    found = LinearProgramRegression().solve(problem, callback=calls.append)
    assert len(calls) == 2
    assert found.converged
    calls.clear()
    found = LinearProgramRegression().solve(
        problem, callback=lambda progress: calls.append(progress) or True
    )
    assert found.status is Status.STOPPED
    # The first column is solved, the second one is not.
    assert len(calls) == 1
    assert len(found.trace) == 2
    assert not found.certified
    assert problem.sets.contains(found.targets.values).all()
    with pytest.warns(ConvergenceWarning, match="ran out of iterations"):
        found = LinearProgramRegression(max_iter=1).solve(problem)
    assert not found.certified
    assert problem.sets.contains(found.targets.values).all()


def test_a_warm_start_that_is_better_brings_its_objective():
    problem = voted_problem(5, loss=AbsoluteLoss(), n=12)
    best = LinearProgramRegression().solve(problem)
    with pytest.warns(ConvergenceWarning, match="ran out of iterations"):
        cold = LinearProgramRegression(max_iter=1).solve(problem)
    with pytest.warns(ConvergenceWarning, match="ran out of iterations"):
        warm = LinearProgramRegression(max_iter=1).solve(problem, start=best)
    assert cold.objective > best.objective
    np.testing.assert_allclose(warm.objective, best.objective, rtol=1e-12)
    np.testing.assert_allclose(warm.relaxed_objective, best.objective, rtol=1e-12)


@pytest.mark.parametrize("solver", [AlternatingRegression(), LinearProgramRegression()])
def test_a_start_that_is_no_solution_is_refused(solver):
    with pytest.raises(
        TypeError, match="start of solve must be an earlier Solution; got 'average'"
    ):
        solver.solve(voted_problem(5, loss=AbsoluteLoss(), n=6), start="average")
