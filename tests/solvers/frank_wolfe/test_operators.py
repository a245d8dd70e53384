"""Tests of Frank-Wolfe with operators that have products, but maybe no absolute row sums."""

import numpy as np
import pytest
from scipy.sparse.linalg import ArpackNoConvergence

from disambig import PartialLabelClassifier
from disambig.candidates import LabelSets
from disambig.exceptions import ConvergenceWarning, MissingOracleError
from disambig.losses import ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import FrankWolfeMinimization
from disambig.solvers.frank_wolfe import shifts as shifts_module
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.frank_wolfe.label_hulls import LabelHulls
from disambig.solvers.frank_wolfe.losses import quadratic_loss
from disambig.solvers.frank_wolfe.shifts import Shifts, spectrum
from disambig.votes import as_votes
from disambig.votes.mixture import MixtureVotes
from disambig.votes.repeated import RepeatedVotes
from disambig.weights import KernelRidgeWeights, NystromWeights

N = 420


class ProductOperator:
    """An operator with ``@``, ``T`` and ``shape``, and nothing else."""

    def __init__(self, array):
        self.array, self.shape = array, array.shape

    @property
    def T(self):
        return type(self)(self.array.T)

    def __matmul__(self, values):
        return self.array @ values


class OperatorWithSums(ProductOperator):
    """An operator with absolute row sums."""

    def absolute_row_sums(self):
        return np.abs(self.array).sum(axis=1)


class OperatorWithWrongSums(ProductOperator):
    """An operator whose absolute row sums are wrong."""

    def absolute_row_sums(self):
        return np.abs(self.array.sum(axis=1))


def centred(n=N):
    """Votes whose rows sum to zero."""
    B = np.random.default_rng(0).normal(size=(n, 3))
    B -= B.mean(axis=0)
    return B @ B.T / n


def problem_of(votes):
    mask = np.ones((votes.shape[0], 2), dtype=bool)
    # Ten rows with one candidate; without them the first point would be a minimum.
    mask[np.arange(10), np.arange(10) % 2] = False
    sets = LabelSets(mask, np.arange(2))
    return Problem(as_votes(votes), ZeroOneLoss().bind(sets.classes), sets)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("operator_class", [ProductOperator, OperatorWithSums])
def test_bound_of_signed_votes_is_below_known_labels(operator_class, sign):
    A = sign * centred()
    solver = FrankWolfeMinimization(max_iter=2, tol=1e-12)
    with pytest.warns(
        ConvergenceWarning, match=r"up to the margin of eigenvalues\. Increase max_iter"
    ):
        found = solver.solve(problem_of(operator_class(A))).certificate
    # Labels by the signs of an extreme eigenvector, except for rows with one candidate.
    sides = np.linalg.eigh(A)[1][:, [0, -1]] > 0
    sides[:10] = (np.arange(10) % 2 == 0)[:, None]
    known = [float((A * (side[:, None] != side)).sum()) for side in sides.T]
    assert found.bound <= min(*known, found.objective)
    assert found.bound >= -np.abs(A).sum()


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_eigenvalue_bounds_do_not_use_sums_that_cancel(sign):
    A = sign * centred()
    bounds = spectrum(problem_of(ProductOperator(A)), np.arange(N), np.zeros(N), np.ones(N))
    values = np.linalg.eigvalsh(A)
    width = values[-1] - values[0]
    assert values[0] - 0.01 * width <= bounds.lowest <= values[0]
    assert values[-1] <= bounds.highest <= values[-1] + 0.01 * width


def test_rounding_is_relative_to_absolute_votes_not_to_their_sums():
    n = 40
    roundings, largest = [], []
    for operator_class in (ProductOperator, OperatorWithSums):
        problem = problem_of(operator_class(centred(n)))
        hulls = LabelHulls(problem.loss, problem.candidates)
        zeros = Shifts(np.zeros(n), np.zeros(n))
        form = ConvexForm(problem, quadratic_loss(problem), hulls.open_rows, zeros)
        roundings.append(form.rounding)
        largest.append(form.largest_objective)
    assert roundings[1] <= roundings[0] <= 3 * roundings[1]
    assert 0.1 * largest[1] <= largest[0] <= largest[1]


def test_solver_converges_although_sums_cancel():
    solution = FrankWolfeMinimization(tol=1e-3).solve(problem_of(ProductOperator(centred())))
    assert solution.converged


def test_a_bound_above_the_objective_of_labels_raises():
    problem = problem_of(OperatorWithWrongSums(centred()))
    with pytest.raises(MissingOracleError, match=r"so that it is wrong.*absolute_row_sums\(\)"):
        FrankWolfeMinimization().solve(problem)


def test_if_lanczos_fails_absolute_row_sums_are_required(monkeypatch):
    def fails(*args, **kwargs):
        raise ArpackNoConvergence("%s", np.zeros(0), np.zeros((N, 0)))

    monkeypatch.setattr(shifts_module, "eigsh", fails)
    A = centred()
    rows, ones = np.arange(N), np.ones(N)
    with pytest.raises(MissingOracleError, match=r"Add absolute_row_sums\(\) to the operator"):
        spectrum(problem_of(ProductOperator(A)), rows, 0 * ones, ones)
    largest = np.abs(A).sum(axis=1).max()
    bounds = spectrum(problem_of(OperatorWithSums(A)), rows, 0 * ones, ones)
    assert bounds == pytest.approx((-largest, largest))


def test_sums_are_bounds_of_composed_votes():
    plain, sized = as_votes(ProductOperator(np.eye(3))), as_votes(OperatorWithSums(np.eye(3)))
    assert not plain.absolute_sums_are_bounds
    assert sized.absolute_sums_are_bounds
    assert not MixtureVotes((sized, plain), (0.5, 0.5)).absolute_sums_are_bounds
    assert MixtureVotes((sized, sized), (0.5, 0.5)).absolute_sums_are_bounds
    assert not RepeatedVotes(plain, 2).absolute_sums_are_bounds


def test_for_few_rows_the_bound_is_proven_without_convergence():
    solver = FrankWolfeMinimization(max_iter=1, tol=1e-12)
    with pytest.warns(
        ConvergenceWarning, match=r"The bound is proven all the same\. Increase max_iter"
    ):
        solver.solve(problem_of(OperatorWithSums(centred(30))))


@pytest.mark.filterwarnings("ignore::disambig.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("solver", "smallest"), [("direct", -10), ("iterative", -8)])
def test_the_error_of_an_operator_is_part_of_the_rounding(solver, smallest):
    """Leave-one-out votes at a tiny ridge are differences of far larger numbers."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(12, 2))
        ridge = 10.0 ** rng.integers(smallest, -6)
        weights = NystromWeights(
            regularization=ridge, intercept=True, solver=solver, leave_one_out=True
        )
        # With two open rows the relaxation is tight: the bound is the objective, up to rounding.
        mask = np.eye(2, dtype=bool)[rng.integers(2, size=12)]
        mask[:2] = True
        sets = LabelSets(mask, np.arange(2))
        votes = weights.fit(X).training_votes()
        problem = Problem(votes, ZeroOneLoss().bind(sets.classes), sets)
        certificate = FrankWolfeMinimization(tol=0.0, max_iter=200).solve(problem).certificate
        assert certificate.bound <= certificate.objective


def test_a_wrong_transpose_is_no_rounding():
    class WrongTranspose(OperatorWithSums):
        @property
        def T(self):
            return self

    array = np.random.default_rng(0).normal(size=(20, 20))
    for operator, is_rounding in [(OperatorWithSums, True), (WrongTranspose, False)]:
        problem = problem_of(operator(array))
        hulls = LabelHulls(problem.loss, problem.candidates)
        shifts = Shifts(np.zeros(20), np.zeros(20))
        form = ConvexForm(problem, quadratic_loss(problem), hulls.open_rows, shifts)
        assert (form._operator_error > 0) is is_rounding
        assert form.rounding <= 1e-9 * form.largest_objective


@pytest.mark.parametrize("weight", [1e-50, 1e50])
def test_the_bound_of_extreme_sample_weights(weight):
    X = np.random.default_rng(0).normal(size=(12, 2))
    sets = [{0, 1}] * 8 + [{0}, {1}, {2}, {1, 2}]
    model = PartialLabelClassifier(KernelRidgeWeights(), solver="frank_wolfe")
    certificate = model.fit(X, sets, np.full(12, weight)).solution_.certificate
    assert 0 < certificate.bound <= certificate.objective


def test_larger_sample_weights_are_refused():
    X, sets = np.arange(6.0)[:, None], [{0, 1}] * 4 + [{0}, {1}]
    model = PartialLabelClassifier(KernelRidgeWeights(), solver="frank_wolfe")
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit(X, sets, np.full(6, 1e160))
