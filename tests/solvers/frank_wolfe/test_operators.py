"""Operators of the user's own that know neither their size nor their eigenvalues."""

import numpy as np
import pytest
from scipy.sparse.linalg import ArpackNoConvergence

from disambig.candidates import LabelSets
from disambig.exceptions import ConvergenceWarning, MissingOracleError
from disambig.losses import ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import FrankWolfeMinimization
from disambig.solvers.frank_wolfe import shifts as room
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.frank_wolfe.label_hulls import LabelHulls
from disambig.solvers.frank_wolfe.losses import quadratic_loss
from disambig.solvers.frank_wolfe.shifts import Shifts, spectrum, sums_are_bounds
from disambig.votes import MixtureVotes, RepeatedVotes, as_votes

N = 420


class Products:
    """``@``, ``T`` and ``shape``, and nothing else."""

    def __init__(self, array):
        self.array, self.shape = array, array.shape

    @property
    def T(self):
        return type(self)(self.array.T)

    def __matmul__(self, values):
        return self.array @ values


class Sized(Products):
    """With the size of its rows."""

    def absolute_row_sums(self):
        return np.abs(self.array).sum(axis=1)


class Mistaken(Products):
    """With something else under that name."""

    def absolute_row_sums(self):
        return np.abs(self.array.sum(axis=1))


def centred(n=N):
    """Votes whose rows sum to nothing."""
    B = np.random.default_rng(0).normal(size=(n, 3))
    B -= B.mean(axis=0)
    return B @ B.T / n


def problem_of(votes):
    mask = np.ones((votes.shape[0], 2), dtype=bool)
    # Without settled rows the middle of all sets would be as good as any step.
    mask[np.arange(10), np.arange(10) % 2] = False
    sets = LabelSets(mask, np.arange(2))
    return Problem(as_votes(votes), ZeroOneLoss().bind(sets.classes), sets)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("kind", [Products, Sized])
def test_the_bound_of_signed_votes_is_below_known_labels(kind, sign):
    A = sign * centred()
    solver = FrankWolfeMinimization(max_iter=2, tol=1e-12)
    with pytest.warns(ConvergenceWarning, match="up to the margin of eigenvalues; a larger max"):
        found = solver.solve(problem_of(kind(A))).quadratic
    # Labels by the sign of an extreme eigenvector, but for settled rows.
    sides = np.linalg.eigh(A)[1][:, [0, -1]] > 0
    sides[:10] = (np.arange(10) % 2 == 0)[:, None]
    known = [float((A * (side[:, None] != side)).sum()) for side in sides.T]
    assert found.bound <= min(*known, found.objective)
    assert found.bound >= -np.abs(A).sum()


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_eigenvalues_are_not_cut_at_sums_that_cancel(sign):
    A = sign * centred()
    ends = spectrum(problem_of(Products(A)), np.arange(N), np.zeros(N), np.ones(N))
    values = np.linalg.eigvalsh(A)
    width = values[-1] - values[0]
    assert values[0] - 0.01 * width <= ends.lowest <= values[0]
    assert values[-1] <= ends.highest <= values[-1] + 0.01 * width


def test_rounding_is_that_of_the_votes_and_not_of_their_sums():
    n = 40
    roundings, largest = [], []
    for kind in (Products, Sized):
        problem = problem_of(kind(centred(n)))
        hulls = LabelHulls(problem.loss, problem.candidates)
        none = Shifts(np.zeros(n), np.zeros(n))
        form = ConvexForm(problem, quadratic_loss(problem), hulls.open_rows, none)
        roundings.append(form.rounding)
        largest.append(form.largest)
    assert roundings[1] <= roundings[0] <= 3 * roundings[1]
    assert 0.1 * largest[1] <= largest[0] <= largest[1]


def test_steps_end_though_sums_cancel():
    solution = FrankWolfeMinimization(tol=1e-3).solve(problem_of(Products(centred())))
    assert solution.converged


def test_a_bound_that_labels_refute_is_never_reported():
    problem = problem_of(Mistaken(centred()))
    with pytest.raises(MissingOracleError, match=r"so that it is none.*absolute_row_sums\(\)"):
        FrankWolfeMinimization().solve(problem)


def test_eigenvalues_that_are_not_found_ask_for_sums(monkeypatch):
    def fails(*args, **kwargs):
        raise ArpackNoConvergence("%s", np.zeros(0), np.zeros((N, 0)))

    monkeypatch.setattr(room, "eigsh", fails)
    A = centred()
    rows, ones = np.arange(N), np.ones(N)
    with pytest.raises(MissingOracleError, match=r"Add absolute_row_sums\(\) to the operator"):
        spectrum(problem_of(Products(A)), rows, 0 * ones, ones)
    largest = np.abs(A).sum(axis=1).max()
    ends = spectrum(problem_of(Sized(A)), rows, 0 * ones, ones)
    assert ends == pytest.approx((-largest, largest))


def test_what_is_made_of_such_operators_has_no_bounds_either():
    plain, sized = as_votes(Products(np.eye(3))), as_votes(Sized(np.eye(3)))
    assert not sums_are_bounds(plain)
    assert sums_are_bounds(sized)
    assert not sums_are_bounds(MixtureVotes((sized, plain), (0.5, 0.5)))
    assert sums_are_bounds(MixtureVotes((sized, sized), (0.5, 0.5)))
    assert not sums_are_bounds(RepeatedVotes(plain, 2))


def test_few_rows_are_proven_however_the_steps_end():
    solver = FrankWolfeMinimization(max_iter=1, tol=1e-12)
    with pytest.warns(ConvergenceWarning, match="The bound is proven all the same; a larger"):
        solver.solve(problem_of(Sized(centred(30))))
