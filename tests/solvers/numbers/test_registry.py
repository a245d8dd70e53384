"""Which solver: by name, by piece, and by what suits the problem."""

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
from tests.oracles.number_problems import risk_problem, voted_problem

PIECES = {
    "accelerated": AcceleratedRegression,
    "alternating": AlternatingRegression,
    "auto": AutomaticRegression,
    "linear_program": LinearProgramRegression,
    "newton": NewtonRegression,
    "unions": UnionRegression,
}


@pytest.mark.parametrize("name", PIECES)
def test_names_and_pieces(name):
    piece = resolve_number_solver(name)
    assert isinstance(piece, PIECES[name])
    assert isinstance(piece, NumberSolver)
    assert clone(piece).get_params() == piece.get_params()
    # The user's object is never touched, nor the one behind the name.
    assert resolve_number_solver(piece) is not piece
    assert resolve_number_solver(name) is not piece


def test_what_is_refused():
    with pytest.raises(ValueError, match="solver='magic' is not known; choose one of"):
        resolve_number_solver("magic")
    with pytest.raises(TypeError, match=r"solve_numbers.*got AlternatingMinimization"):
        resolve_number_solver(AlternatingMinimization())
    with pytest.raises(TypeError, match="got NewtonRegression"):
        resolve_number_solver(NewtonRegression)
    with pytest.raises(TypeError, match="got NoneType"):
        resolve_number_solver(None)


def test_what_suits(monkeypatch):
    assert isinstance(suited_solver(voted_problem(0)), NewtonRegression)
    assert isinstance(suited_solver(risk_problem(0)[0]), NewtonRegression)
    assert isinstance(suited_solver(voted_problem(0, "signed")), AlternatingRegression)
    signed = voted_problem(0, "signed", loss=AbsoluteLoss())
    assert isinstance(suited_solver(signed), AlternatingRegression)
    absolute = voted_problem(0, "sparse", loss=AbsoluteLoss())
    assert isinstance(suited_solver(absolute), LinearProgramRegression)
    monkeypatch.setattr("disambig.quadratic_forms._SMALL", 3)
    assert isinstance(suited_solver(voted_problem(0, "sparse")), AcceleratedRegression)


def test_automatic_takes_what_suits_and_says_what_is_known():
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
