"""The choice of a solver: by name, by instance, and by the problem."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from disambig.losses import AbsoluteLoss
from disambig.solvers import (
    AcceleratedRegression,
    AlternatingMinimization,
    AlternatingRegression,
    AutomaticRegression,
    LinearProgramRegression,
    NewtonRegression,
    NumberSolver,
    UnionRegression,
    resolve_number_solver,
)
from disambig.solvers.numbers.automatic import suited_solver
from disambig.weights import ForestWeights, LaplacianWeights
from tests.oracles.number_problems import risk_problem, voted_problem

SOLVERS = {
    "accelerated": AcceleratedRegression,
    "alternating": AlternatingRegression,
    "auto": AutomaticRegression,
    "linear_program": LinearProgramRegression,
    "newton": NewtonRegression,
    "unions": UnionRegression,
}


@pytest.mark.parametrize("name", SOLVERS)
def test_names_and_instances(name):
    solver = resolve_number_solver(name)
    assert isinstance(solver, SOLVERS[name])
    assert isinstance(solver, NumberSolver)
    assert clone(solver).get_params() == solver.get_params()
    # A new instance every time: neither the user's object nor the registered one is changed.
    assert resolve_number_solver(solver) is not solver
    assert resolve_number_solver(name) is not solver


def test_invalid_solvers_are_refused():
    with pytest.raises(ValueError, match="solver='magic' is not known; choose one of"):
        resolve_number_solver("magic")
    with pytest.raises(TypeError, match=r"solve_numbers.*got AlternatingMinimization"):
        resolve_number_solver(AlternatingMinimization())
    with pytest.raises(TypeError, match="got NewtonRegression"):
        resolve_number_solver(NewtonRegression)
    with pytest.raises(TypeError, match="got NoneType"):
        resolve_number_solver(None)


def test_suited_solver(monkeypatch):
    assert isinstance(suited_solver(voted_problem(0)), NewtonRegression)
    assert isinstance(suited_solver(risk_problem(0)[0]), NewtonRegression)
    assert isinstance(suited_solver(voted_problem(0, "signed")), AlternatingRegression)
    signed = voted_problem(0, "signed", loss=AbsoluteLoss())
    assert isinstance(suited_solver(signed), AlternatingRegression)
    absolute = voted_problem(0, "sparse", loss=AbsoluteLoss())
    assert isinstance(suited_solver(absolute), LinearProgramRegression)
    monkeypatch.setattr("disambig.quadratic_forms._MAX_DENSE_ROWS", 3)
    assert isinstance(suited_solver(voted_problem(0, "sparse")), AcceleratedRegression)


@pytest.mark.parametrize(
    ("weights", "solver"),
    [(ForestWeights(), LinearProgramRegression), (LaplacianWeights(3), AlternatingRegression)],
    ids=str,
)
def test_a_linear_program_lists_no_votes_of_all_pairs_of_many_rows(weights, solver, monkeypatch):
    problem = voted_problem(0, loss=AbsoluteLoss())
    n = len(problem.sets)
    votes = weights.fit(np.random.default_rng(0).normal(size=(n, 2))).training_votes()
    problem = replace(problem, votes=votes)
    assert problem.is_convex
    assert isinstance(suited_solver(problem), LinearProgramRegression)
    monkeypatch.setattr("disambig.solvers.numbers.automatic._MAX_FULL_ROWS", n - 1)
    assert isinstance(suited_solver(problem), solver)


def test_automatic_uses_the_suited_solver():
    found = AutomaticRegression().solve_numbers(voted_problem(0))
    assert found.certified
    np.testing.assert_array_equal(
        found.targets, NewtonRegression().solve_numbers(voted_problem(0)).targets
    )
    found = AutomaticRegression().solve_numbers(voted_problem(0, "signed"))
    assert not found.is_convex
    assert not found.certified
    unions = voted_problem(0, unions=True)
    found = AutomaticRegression().solve_numbers(unions)
    assert {progress.stage for progress in found.trace} >= {"average", "infimum", "random 1"}
    assert unions.sets.contains(found.targets).all()
