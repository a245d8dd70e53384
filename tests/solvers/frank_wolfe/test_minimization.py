"""Tests of `FrankWolfeMinimization`: invariances, rounding, status, and errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs

from disambig import PartialLabelClassifier, disambiguate
from disambig.candidates import LabelSets
from disambig.exceptions import ConvergenceWarning, MissingOracleError
from disambig.losses import DCGLoss, MatrixLoss, ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization, FrankWolfeMinimization, Solver, Status
from disambig.solvers.registry import resolve_solver
from disambig.votes import as_votes
from disambig.weights import NeighborWeights
from tests.oracles.generated_problems import problems
from tests.oracles.quadratic_programs import SYMMETRIC
from tests.oracles.tiny_problems import FORMS, tiny_problem, wrapped

TINY = problems(losses=SYMMETRIC, largest=5)
STEPS = ["pairwise", "away", "block"]


def problem_of(tiny, form="dense"):
    return Problem(wrapped(tiny.A, form), tiny.loss, tiny.sets)


def margin(tiny):
    return 1e-5 * (float(np.abs(tiny.A).sum()) * tiny.loss.largest + 1e-30)


# ---------------------------------------------------------------- invariances


@given(tiny=TINY, steps=st.sampled_from(STEPS))
def test_rows_with_one_candidate_stay(tiny, steps):
    solution = FrankWolfeMinimization(steps).solve(tiny.problem)
    single = tiny.sets.mask.sum(axis=1) == 1
    assert_array_equal(solution.decoded.mask[single], tiny.sets.mask[single])
    for found in (solution.targets.distribution, solution.certificate.relaxed.distribution):
        assert_array_equal(found[single], tiny.sets.mask[single])
        assert (found[~tiny.sets.mask] == 0.0).all()
        assert_allclose(found.sum(axis=1), 1.0)


@given(tiny=TINY, seed=st.integers(0, 99))
def test_bound_does_not_depend_on_the_order_of_rows(tiny, seed):
    order = np.random.default_rng(seed).permutation(len(tiny.A))
    solver = FrankWolfeMinimization(tol=1e-6, max_iter=5000)
    here = solver.solve(problem_of(tiny)).certificate
    votes = as_votes(tiny.A[np.ix_(order, order)])
    there = solver.solve(Problem(votes, tiny.loss, tiny.sets[order])).certificate
    assert there.relaxed_objective == pytest.approx(here.relaxed_objective, abs=margin(tiny))
    assert there.bound == pytest.approx(here.bound, abs=margin(tiny))


@given(tiny=TINY)
def test_transposed_votes_give_the_same_bound(tiny):
    """``sum_ij A[i, j] loss(y_i, y_j)`` of a symmetric loss is the same for ``A`` and ``A.T``."""
    solver = FrankWolfeMinimization(tol=1e-6, max_iter=5000)
    here = solver.solve(problem_of(tiny)).certificate
    votes = as_votes(np.ascontiguousarray(tiny.A.T))
    there = solver.solve(Problem(votes, tiny.loss, tiny.sets)).certificate
    assert there.relaxed_objective == pytest.approx(here.relaxed_objective, abs=margin(tiny))
    assert there.bound == pytest.approx(here.bound, abs=margin(tiny))


# An operator without entries has no diagonal, hence other shifts.
@pytest.mark.parametrize("form", sorted(set(FORMS) - {"operator"}))
@pytest.mark.parametrize("steps", STEPS)
def test_bound_does_not_depend_on_the_form_of_votes(form, steps):
    for seed in range(12):
        tiny = tiny_problem(seed, None, SYMMETRIC[seed % 4])
        solver = FrankWolfeMinimization(steps, tol=1e-6, max_iter=5000)
        here, there = solver.solve(problem_of(tiny)), solver.solve(problem_of(tiny, form))
        assert there.certificate.bound == pytest.approx(here.certificate.bound, abs=margin(tiny))


def test_undecided_rows_keep_equal_probabilities():
    """The first two rows have only votes of each other, and both labels tie."""
    sets = LabelSets.from_sets([{"a", "b"}, {"a", "b"}, {"a"}], classes=["a", "b"])
    A = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    problem = Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets)
    solution = FrankWolfeMinimization().solve(problem)
    assert_allclose(solution.targets.distribution[:2], 0.5)
    assert_allclose(solution.certificate.relaxed.distribution[:2], 0.5)
    assert solution.decided.tolist() == [False, False, True]


# ---------------------------------------------------------------- rounding and status


@given(tiny=TINY, seed=st.integers(0, 99))
def test_sampling_is_no_worse_than_nearest_and_reproducible(tiny, seed):
    nearest = FrankWolfeMinimization().solve(tiny.problem)
    drawn = [
        FrankWolfeMinimization(rounding="sampling", n_samples=5, random_state=seed)
        for _ in range(2)
    ]
    one, two = (solver.solve(tiny.problem) for solver in drawn)
    assert one.certificate.objective <= nearest.certificate.objective + margin(tiny)
    assert_array_equal(one.decoded.mask, two.decoded.mask)
    assert not (one.decoded.mask & ~tiny.sets.mask).any()


def test_sampling_sometimes_beats_nearest():
    gains = []
    for seed in range(60):
        tiny = tiny_problem(seed, "signed", SYMMETRIC[seed % 4])
        nearest = FrankWolfeMinimization().solve(tiny.problem).certificate
        drawn = FrankWolfeMinimization(rounding="sampling").solve(tiny.problem).certificate
        gains.append(nearest.objective - drawn.objective)
    assert min(gains) > -1e-9
    assert np.count_nonzero(np.array(gains) > 1e-9) >= 3


@given(tiny=TINY)
def test_polishing_never_raises_the_paper_s_objective(tiny):
    plain = FrankWolfeMinimization().solve(tiny.problem)
    polished = FrankWolfeMinimization(polish=True).solve(tiny.problem)
    assert polished.objective <= plain.objective + tiny.problem.objective_tolerance
    assert polished.certificate.bound == plain.certificate.bound
    again = AlternatingMinimization(polished.decoded.embedded).solve(tiny.problem)
    assert again.objective >= polished.objective - 10 * tiny.problem.objective_tolerance


def test_polishing_from_tied_vertices_is_no_worse_than_from_the_labels():
    """The mean of the tied vertices alone leads from 5/6 to 4/3 here."""
    third = 1 / 3
    A = np.array(
        [
            [0.5, 0, 0.5, 0, 0],
            [0, 0.5, 0, 0, 0.5],
            [0.5, 0, 0.5, 0, 0],
            [0, 0, 0, 0.5, 0.5],
            [0, third, 0, third, third],
        ]
    )
    mask = np.ones((5, 4), dtype=bool)
    mask[1] = [False, False, True, False]
    mask[4, 2] = False
    sets = LabelSets(mask, np.arange(4))
    problem = Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets)
    assert FrankWolfeMinimization().solve(problem).objective == pytest.approx(5 / 6)
    assert FrankWolfeMinimization(polish=True).solve(problem).objective <= 5 / 6 + 1e-12


def test_reaching_max_iter_warns_and_the_bound_holds():
    tiny = tiny_problem(9, "signed", "squared")
    with pytest.warns(ConvergenceWarning, match="not converged after max_iter=1 steps; the gap"):
        solution = FrankWolfeMinimization(max_iter=1, tol=1e-9).solve(tiny.problem)
    assert solution.status is Status.MAX_ITER
    full = FrankWolfeMinimization(tol=1e-9).solve(tiny.problem)
    assert solution.certificate.bound <= full.certificate.bound + margin(tiny)


def test_callback_is_called_after_every_step_and_stops_the_run():
    tiny, seen = tiny_problem(9, "signed", "squared"), []

    def stop(progress):
        seen.append(progress)
        return len(seen) == 2

    solution = FrankWolfeMinimization(tol=1e-9, polish=True).solve(tiny.problem, callback=stop)
    assert solution.status is Status.STOPPED
    assert [progress.iteration for progress in seen] == [1, 2]
    assert len(solution.trace) == 3


def test_block_steps_are_reproducible():
    tiny = tiny_problem(15, "signed", "squared")
    one, two = (
        FrankWolfeMinimization("block", random_state=3).solve(tiny.problem) for _ in range(2)
    )
    assert_array_equal(one.certificate.relaxed.distribution, two.certificate.relaxed.distribution)


# ---------------------------------------------------------------- the public interface


def test_solver_has_a_name_and_can_be_cloned():
    solver = resolve_solver("frank_wolfe")
    assert isinstance(solver, FrankWolfeMinimization)
    assert isinstance(solver, Solver)
    assert clone(FrankWolfeMinimization("block", tol=0.1)).get_params()["tol"] == 0.1


@pytest.mark.parametrize("loss", ["zero_one", "absolute"])
def test_solver_in_estimators(loss):
    X, truth = make_blobs(90, centers=3, cluster_std=0.6, random_state=0)
    rng = np.random.default_rng(0)
    mask = rng.random((90, 3)) < 0.4
    mask[np.arange(90), truth] = True
    sets = LabelSets(mask, np.arange(3))
    weights = NeighborWeights(8)
    found = disambiguate(X, sets, weights=weights, loss=loss, solver="frank_wolfe")
    assert np.mean(found.labels_ == truth) > 0.95
    assert found.solution_.certificate.bound <= found.solution_.certificate.objective
    model = PartialLabelClassifier(weights=weights, loss=loss, solver="frank_wolfe").fit(X, sets)
    assert_array_equal(model.labels_, found.labels_)
    assert np.mean(model.predict(X) == truth) > 0.95


def test_alternating_minimisation_has_no_quadratic_bound():
    assert AlternatingMinimization().solve(tiny_problem(3).problem).certificate is None


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1], [5, 0]], r"loss\[0, 1\] is 1 and .* 5; expected a symmetric loss"),
        ([[1, 1], [1, 0]], r"loss\[0, 0\] is 1; expected 0"),
    ],
)
def test_loss_that_is_not_symmetric_raises(matrix, message):
    sets = LabelSets.from_sets([{0, 1}, {1}])
    problem = Problem(as_votes(np.eye(2)), MatrixLoss(matrix).bind(sets.classes), sets)
    with pytest.raises(MissingOracleError, match=message):
        FrankWolfeMinimization().solve(problem)


def test_predictions_that_are_not_classes_raise():
    tiny = tiny_problem(0, "signed", "abstain")
    with pytest.raises(MissingOracleError, match="some of which are not classes"):
        FrankWolfeMinimization().solve(tiny.problem)


def test_loss_without_a_quadratic_form_raises():
    loss = DCGLoss().bind(np.array(["a", "b"]))
    with pytest.raises(MissingOracleError, match="the DCG loss is not symmetric"):
        FrankWolfeMinimization().solve(Problem(as_votes(np.eye(1)), loss, None))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"steps": "newton"}, "steps must be one of .*; got 'newton'"),
        ({"shift": 3}, "shift must be one of .*; got 3"),
        ({"rounding": "up"}, "rounding must be one of .*; got 'up'"),
        ({"max_iter": 0}, "max_iter must be an integer >= 1; got 0"),
        ({"n_samples": 2.5}, "n_samples must be an integer >= 1; got 2.5"),
        ({"tol": -1.0}, "tol must be a finite number >= 0; got -1.0"),
    ],
)
def test_invalid_parameters_raise(wrong, message):
    with pytest.raises(ValueError, match=message):
        FrankWolfeMinimization(**wrong).solve(tiny_problem(0, "signed", "zero-one").problem)
