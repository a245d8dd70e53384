"""Margins that only show at their edge: cancelling votes, long neighbourhoods, equal objectives."""

from dataclasses import replace

import numpy as np
import pytest

from disambig.candidates import LabelSets
from disambig.losses import ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization, AnnealedMinimization
from disambig.solvers.alternating.starts import first_predictions
from disambig.votes import as_votes


def problem_of(A, sets):
    sets = LabelSets.from_sets(sets)
    return Problem(as_votes(np.asarray(A, dtype=float)), ZeroOneLoss().bind(sets.classes), sets)


def test_votes_that_cancel_stay_soft_at_a_high_temperature():
    """Votes +1 for a and -1 for b sum to zero; the entropy has 2 % of their absolute sum instead.

    By hand: scores of the first row are (-2, 0) up to a constant, the entropy weighs 100 * .04, so
    that a has 1 / (1 + exp(-2 / 4)).
    """
    A = [[0, 1, -1], [1, 0, 0], [-1, 0, 0]]
    problem = problem_of(A, [{"a", "b"}, {"a"}, {"b"}])
    solver = AnnealedMinimization("one_block", temperatures=[100.0], sweeps=50, tol=1e-12)
    found = solver.solve(problem).targets.distribution[0]
    np.testing.assert_allclose(found, [1 / (1 + np.exp(-0.5)), 1 / (1 + np.exp(0.5))], atol=1e-9)


def test_the_intersection_start_reads_more_than_a_few_neighbours():
    """The sets {a, b}, {a, b}, ..., {a, c}: only the fortieth excludes b."""
    sets = [{"a", "b"}] * 39 + [{"a", "c"}]
    A = np.tile(np.linspace(2, 1, 40), (40, 1))
    faces = first_predictions(problem_of(A, sets), "intersection")
    assert faces.mask.tolist() == [[True, False, False]] * 40


@pytest.mark.parametrize(("gain", "winner"), [(1e-15, "average"), (1e-3, "infimum")])
def test_a_later_start_must_be_better_by_more_than_rounding(monkeypatch, gain, winner):
    problem = problem_of(np.eye(2), [{"a"}, {"b"}])
    solution = AlternatingMinimization("average").solve(problem)
    objectives = {"average": 1.0, "infimum": 1.0 - gain}

    def solve_from(self, problem, name, start, callback):
        return replace(solution, start=name, objective=objectives[name])

    monkeypatch.setattr(AlternatingMinimization, "_solve_from", solve_from)
    assert AlternatingMinimization(["average", "infimum"]).solve(problem).start == winner
