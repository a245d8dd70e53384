"""Tests of `resolve_solver`: from a name or an object to a solver."""

import pytest

from disambig.solvers import AlternatingMinimization, Solver
from disambig.solvers.registry import resolve_solver


def test_name_gives_a_solver():
    solver = resolve_solver("alternating")
    assert isinstance(solver, AlternatingMinimization)
    assert isinstance(solver, Solver)


def test_name_gives_a_new_solver_each_time():
    resolve_solver("alternating").set_params(max_iter=3)
    assert resolve_solver("alternating").max_iter == 300


def test_solver_object_is_cloned():
    given = AlternatingMinimization("infimum", max_iter=5)
    solver = resolve_solver(given)
    assert solver is not given
    assert solver.get_params() == given.get_params()


def test_unknown_name_raises_and_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"solver must be one of .*alternating.*; got 'newton'"):
        resolve_solver("newton")


@pytest.mark.parametrize("wrong", [None, 3, object()])
def test_other_types_raise(wrong):
    with pytest.raises(TypeError, match=f"solver must be .*; got {type(wrong).__name__}"):
        resolve_solver(wrong)
