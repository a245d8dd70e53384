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
from disambig.votes.dense import DenseVotes
from disambig.votes.operator import OperatorVotes
from disambig.weights import (
    ForestWeights,
    LaplacianWeights,
    NadarayaWatsonWeights,
    NeighborWeights,
)
from tests.oracles.number_problems import risk_problem, voted_problem
from tests.oracles.tiny_problems import BareOperator

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
    ("weights", "lists_all_pairs"),
    [
        (NeighborWeights(2), False),
        (ForestWeights(), False),
        (NadarayaWatsonWeights(), True),
        (LaplacianWeights(3), True),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_linear_program_lists_up_to_a_limit_of_votes(weights, lists_all_pairs, monkeypatch):
    problem = voted_problem(0, n=40, loss=AbsoluteLoss())
    X = np.random.default_rng(0).normal(size=(40, 2))
    votes = weights.fit(X).training_votes()
    problem = replace(problem, votes=votes)
    assert problem.is_convex
    count = int(np.count_nonzero(votes @ np.eye(40)))
    assert (count == 40 * 40) is lists_all_pairs
    limit = "disambig.solvers.numbers.automatic._MAX_LISTED_VOTES"
    # Several blocks, where votes are counted in blocks.
    monkeypatch.setattr("disambig.solvers.numbers.automatic._VOTES_PER_BLOCK", 100)
    for size, solver in [
        (500_000, LinearProgramRegression),
        (count, LinearProgramRegression),
        (count - 1, AlternatingRegression),
    ]:
        monkeypatch.setattr(limit, size)
        assert isinstance(suited_solver(problem), solver)


def test_the_limit_counts_the_votes_of_a_dense_array_that_are_not_zero():
    n = 800
    array = np.zeros((n, n))
    array[np.arange(n), np.arange(n) - 1] = 1.0
    problem = voted_problem(0, n=n, loss=AbsoluteLoss())
    few = replace(problem, votes=DenseVotes(array))
    assert isinstance(suited_solver(few), LinearProgramRegression)
    many = replace(problem, votes=DenseVotes(array + 1.0))
    assert isinstance(suited_solver(many), AlternatingRegression)


class WithoutTranspose:
    """An operator that cannot compute its rows."""

    def __init__(self, array):
        self._array, self.shape = array, array.shape

    def __matmul__(self, values):
        return self._array @ values

    def absolute_row_sums(self):
        return self._array.sum(axis=1)


@pytest.mark.parametrize("operator", [BareOperator, WithoutTranspose])
def test_votes_of_an_operator_are_those_of_all_pairs(operator, monkeypatch):
    problem = voted_problem(0, loss=AbsoluteLoss())
    array = problem.votes.entries
    problem = replace(problem, votes=OperatorVotes(operator(array)))
    # So that the signs of the operator are not needed.
    problem.__dict__["is_convex"] = True
    assert isinstance(suited_solver(problem), LinearProgramRegression)
    monkeypatch.setattr("disambig.solvers.numbers.automatic._MAX_LISTED_VOTES", array.size - 1)
    assert isinstance(suited_solver(problem), AlternatingRegression)


def test_a_loss_that_is_not_piecewise_linear_is_left_to_alternation():
    class Curved(AbsoluteLoss):
        slopes = None

    assert isinstance(suited_solver(voted_problem(0, loss=Curved())), AlternatingRegression)
