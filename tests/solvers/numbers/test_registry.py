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
    LinearProgramRegression,
    NewtonRegression,
    Solver,
    UnionRegression,
)
from disambig.solvers.numbers.automatic import suited_solver
from disambig.solvers.registry import resolve_solver
from disambig.weights import ForestWeights, LaplacianWeights
from tests.oracles.number_problems import risk_problem, voted_problem

SOLVERS = {
    "accelerated": AcceleratedRegression,
    "alternating": AlternatingRegression,
    "linear_program": LinearProgramRegression,
    "newton": NewtonRegression,
    "unions": UnionRegression,
}


@pytest.mark.parametrize("name", SOLVERS)
def test_names_and_instances(name):
    solver = resolve_solver(name, numbers=True)
    assert isinstance(solver, SOLVERS[name])
    assert isinstance(solver, Solver)
    assert clone(solver).get_params() == solver.get_params()
    # A new instance every time: neither the user's object nor the registered one is changed.
    assert resolve_solver(solver, numbers=True) is not solver
    assert resolve_solver(name, numbers=True) is not solver


def test_invalid_solvers_are_refused():
    with pytest.raises(ValueError, match=r"solver must be one of 'auto', .*; got 'magic'"):
        resolve_solver("magic", numbers=True)
    with pytest.raises(TypeError, match="AlternatingMinimization is for labels, bits and orders"):
        resolve_solver(AlternatingMinimization(), numbers=True)
    with pytest.raises(TypeError, match="NewtonRegression is for numbers"):
        resolve_solver(NewtonRegression())
    with pytest.raises(TypeError, match="got NewtonRegression"):
        resolve_solver(NewtonRegression, numbers=True)
    with pytest.raises(TypeError, match="got NoneType"):
        resolve_solver(None, numbers=True)


def test_auto_is_left_to_the_problem():
    assert resolve_solver("auto", numbers=True) is None
    assert isinstance(suited_solver(voted_problem(0, unions=True)), UnionRegression)


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
