"""The contract of solvers for real targets, each on problems that it accepts."""

import numpy as np
import pytest
from sklearn.base import clone

from disambig.losses import AbsoluteLoss, PinballLoss, SquaredLoss
from disambig.solvers import (
    AcceleratedRegression,
    AlternatingRegression,
    LinearProgramRegression,
    NewtonRegression,
    Progress,
    Solver,
    Status,
    UnionRegression,
)
from disambig.solvers.numbers.automatic import suited_solver
from tests.oracles.number_problems import risk_problem, voted_problem

PROBLEMS = {
    "votes": lambda seed: voted_problem(seed, d=2),
    "sparse": lambda seed: voted_problem(seed, "sparse"),
    "risk": lambda seed: risk_problem(seed, d=2)[0],
    "signed": lambda seed: voted_problem(seed, "signed"),
    "absolute": lambda seed: voted_problem(seed, "sparse", loss=AbsoluteLoss()),
    "pinball": lambda seed: voted_problem(seed, d=2, loss=PinballLoss(0.7)),
    "signed absolute": lambda seed: voted_problem(seed, "signed", loss=AbsoluteLoss()),
    "unions": lambda seed: voted_problem(seed, unions=True),
    "risk of unions": lambda seed: risk_problem(seed, unions=True)[0],
    "absolute of unions": lambda seed: voted_problem(seed, unions=True, loss=AbsoluteLoss()),
    "signed unions": lambda seed: voted_problem(seed, "signed", unions=True),
}
QUADRATIC = ["votes", "sparse", "risk"]
SOLVERS = {
    "newton": (NewtonRegression(), QUADRATIC),
    "accelerated": (AcceleratedRegression(), QUADRATIC),
    "linear program": (LinearProgramRegression(), ["absolute", "pinball"]),
    "alternating": (AlternatingRegression(max_iter=100_000), list(PROBLEMS)),
    "early": (AlternatingRegression("infimum", steps=2), list(PROBLEMS)),
    "unions": (UnionRegression(n_starts=3), list(PROBLEMS)),
}
CASES = [(solver, problem) for solver, (_, names) in SOLVERS.items() for problem in names]
each_case = pytest.mark.parametrize(("solver", "name"), CASES)


@each_case
@pytest.mark.parametrize("seed", range(3))
def test_attributes_of_a_solution(solver, name, seed):
    instance, problem = SOLVERS[solver][0], PROBLEMS[name](seed)
    assert isinstance(instance, Solver)
    before = instance.get_params()
    found = instance.solve(problem)
    assert instance.get_params() == before

    predictions = problem.predictions(found.targets.values)
    n, d = len(problem.sets), problem.sets.n_columns
    assert found.targets.values.shape == predictions.shape == (n, d)
    assert problem.sets.contains(found.targets.values).all()
    assert np.isfinite(problem.predictions(found.targets.values)).all()
    assert np.isfinite(found.objective)
    points = problem.sets.is_point
    np.testing.assert_array_equal(found.targets.values[points], problem.sets.hull.lower[points])

    # The predictions are the best ones for the targets, and the objective is that of both.
    power = 2 if isinstance(problem.loss, SquaredLoss) else 1
    size = float(problem.votes.absolute_row_sums().sum()) * np.abs(predictions).max() ** power
    best = problem.objective(found.targets.values, predictions)
    assert found.objective == pytest.approx(best, abs=1e-10 * size)

    assert isinstance(found.status, Status)
    assert found.converged == (solver != "early")
    assert found.n_iter >= 0
    assert found.trace
    assert all(isinstance(progress, Progress) for progress in found.trace)
    assert found.certified <= found.certificate.is_convex
    if found.certified:
        assert found.certificate.residual <= 1e-8
    if isinstance(suited_solver(problem), type(instance)) and problem.is_convex:
        assert found.certified == (solver != "unions")


@each_case
def test_results_are_reproducible(solver, name):
    instance, problem = SOLVERS[solver][0], PROBLEMS[name](5)
    first = instance.solve(problem)
    for again in (
        instance.solve(problem),
        clone(instance).solve(PROBLEMS[name](5)),
    ):
        np.testing.assert_array_equal(again.targets.values, first.targets.values)
        assert again.objective == first.objective
        assert again.trace == first.trace


@each_case
def test_callback(solver, name):
    instance, problem = SOLVERS[solver][0], PROBLEMS[name](1)
    calls = []

    def stop(progress):
        calls.append(progress)
        return True

    found = instance.solve(problem, callback=stop)
    if not calls:
        # The start is the optimum: there was no iteration.
        assert found.n_iter == 0
        return
    assert all(isinstance(progress, Progress) for progress in calls)
    assert found.status is Status.STOPPED
    assert not found.converged
    assert problem.sets.contains(found.targets.values).all()
    assert np.isfinite(problem.predictions(found.targets.values)).all()
