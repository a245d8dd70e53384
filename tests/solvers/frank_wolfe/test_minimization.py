"""The solver as a piece: what it leaves alone, what it refuses, and how it ends."""

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
from disambig.solvers import (
    AlternatingMinimization,
    FrankWolfeMinimization,
    Solver,
    Status,
    resolve_solver,
)
from disambig.votes import as_votes
from disambig.weights import NeighborWeights
from tests.oracles.generated_problems import problems
from tests.oracles.quadratic_programs import SYMMETRIC
from tests.oracles.tiny_problems import FORMS, tiny_problem, wrapped

TINY = problems(losses=SYMMETRIC, largest=5)
STEPS = ["pairwise", "away", "block"]


def of(tiny, form="dense"):
    return Problem(wrapped(tiny.A, form), tiny.loss, tiny.sets)


def close(tiny):
    return 1e-5 * (float(np.abs(tiny.A).sum()) * tiny.loss.largest + 1e-30)


# ---------------------------------------------------------------- what changes nothing


@given(tiny=TINY, steps=st.sampled_from(STEPS))
def test_settled_rows_stay(tiny, steps):
    solution = FrankWolfeMinimization(steps).solve(tiny.problem)
    single = tiny.sets.mask.sum(axis=1) == 1
    assert_array_equal(solution.decoded.mask[single], tiny.sets.mask[single])
    for law in (solution.targets.distribution, solution.quadratic.relaxed.distribution):
        assert_array_equal(law[single], tiny.sets.mask[single])
        assert (law[~tiny.sets.mask] == 0.0).all()
        assert_allclose(law.sum(axis=1), 1.0)


@given(tiny=TINY, seed=st.integers(0, 99))
def test_the_order_of_samples_is_no_matter(tiny, seed):
    order = np.random.default_rng(seed).permutation(len(tiny.A))
    solver = FrankWolfeMinimization(tol=1e-6, max_iter=5000)
    here = solver.solve(of(tiny)).quadratic
    votes = as_votes(tiny.A[np.ix_(order, order)])
    there = solver.solve(Problem(votes, tiny.loss, tiny.sets[order])).quadratic
    assert there.relaxed_objective == pytest.approx(here.relaxed_objective, abs=close(tiny))
    assert there.bound == pytest.approx(here.bound, abs=close(tiny))


@given(tiny=TINY)
def test_the_transpose_is_the_same_problem(tiny):
    """``sum_ij A[i, j] loss(y_i, y_j)`` of a symmetric loss does not know who listens to whom."""
    solver = FrankWolfeMinimization(tol=1e-6, max_iter=5000)
    here = solver.solve(of(tiny)).quadratic
    votes = as_votes(np.ascontiguousarray(tiny.A.T))
    there = solver.solve(Problem(votes, tiny.loss, tiny.sets)).quadratic
    assert there.relaxed_objective == pytest.approx(here.relaxed_objective, abs=close(tiny))
    assert there.bound == pytest.approx(here.bound, abs=close(tiny))


# A bare operator does not say what rows say to themselves, and has other shifts.
@pytest.mark.parametrize("form", sorted(set(FORMS) - {"operator"}))
@pytest.mark.parametrize("steps", STEPS)
def test_the_form_of_votes_is_no_matter(form, steps):
    for seed in range(12):
        tiny = tiny_problem(seed, None, SYMMETRIC[seed % 4])
        solver = FrankWolfeMinimization(steps, tol=1e-6, max_iter=5000)
        here, there = solver.solve(of(tiny)), solver.solve(of(tiny, form))
        assert there.quadratic.bound == pytest.approx(here.quadratic.bound, abs=close(tiny))


def test_undecided_rows_stay_in_the_middle():
    """Nobody tells the first two rows from each other's labels, and nobody guesses."""
    sets = LabelSets.from_sets([{"a", "b"}, {"a", "b"}, {"a"}], classes=["a", "b"])
    A = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    problem = Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets)
    solution = FrankWolfeMinimization().solve(problem)
    assert_allclose(solution.targets.distribution[:2], 0.5)
    assert_allclose(solution.quadratic.relaxed.distribution[:2], 0.5)
    assert solution.resolved.tolist() == [False, False, True]


# ---------------------------------------------------------------- endings


@given(tiny=TINY, seed=st.integers(0, 99))
def test_sampling_is_no_worse_than_the_nearest_and_repeats_itself(tiny, seed):
    nearest = FrankWolfeMinimization().solve(tiny.problem)
    drawn = [
        FrankWolfeMinimization(rounding="sampling", n_samples=5, random_state=seed)
        for _ in range(2)
    ]
    one, two = (solver.solve(tiny.problem) for solver in drawn)
    assert one.quadratic.objective <= nearest.quadratic.objective + close(tiny)
    assert_array_equal(one.decoded.mask, two.decoded.mask)
    assert not (one.decoded.mask & ~tiny.sets.mask).any()


def test_sampling_finds_what_the_nearest_misses():
    gains = []
    for seed in range(60):
        tiny = tiny_problem(seed, "signed", SYMMETRIC[seed % 4])
        nearest = FrankWolfeMinimization().solve(tiny.problem).quadratic
        drawn = FrankWolfeMinimization(rounding="sampling").solve(tiny.problem).quadratic
        gains.append(nearest.objective - drawn.objective)
    assert min(gains) > -1e-9
    assert np.count_nonzero(np.array(gains) > 1e-9) >= 3


@given(tiny=TINY)
def test_polishing_never_raises_the_paper_s_objective(tiny):
    plain = FrankWolfeMinimization().solve(tiny.problem)
    polished = FrankWolfeMinimization(polish=True).solve(tiny.problem)
    assert polished.objective <= plain.objective + tiny.problem.objective_tolerance
    assert polished.quadratic.bound == plain.quadratic.bound
    again = AlternatingMinimization(polished.decoded.embedded).solve(tiny.problem)
    assert again.objective >= polished.objective - 10 * tiny.problem.objective_tolerance


def test_too_few_steps_are_told_and_the_bound_holds():
    tiny = tiny_problem(9, "signed", "squared")
    with pytest.warns(ConvergenceWarning, match="not converged after max_iter=1 steps; the gap"):
        solution = FrankWolfeMinimization(max_iter=1, tol=1e-9).solve(tiny.problem)
    assert solution.status is Status.MAX_ITER
    full = FrankWolfeMinimization(tol=1e-9).solve(tiny.problem)
    assert solution.quadratic.bound <= full.quadratic.bound + close(tiny)


def test_a_callback_hears_of_every_step_and_ends_the_run():
    tiny, heard = tiny_problem(9, "signed", "squared"), []

    def stop(progress):
        heard.append(progress)
        return len(heard) == 2

    solution = FrankWolfeMinimization(tol=1e-9, polish=True).solve(tiny.problem, callback=stop)
    assert solution.status is Status.STOPPED
    assert [progress.iteration for progress in heard] == [1, 2]
    assert len(solution.trace) == 3


def test_block_steps_repeat_themselves():
    tiny = tiny_problem(15, "signed", "squared")
    one, two = (
        FrankWolfeMinimization("block", random_state=3).solve(tiny.problem) for _ in range(2)
    )
    laws = [solution.quadratic.relaxed.distribution for solution in (one, two)]
    assert_array_equal(*laws)


# ---------------------------------------------------------------- doors


def test_it_has_a_name_and_is_a_piece():
    solver = resolve_solver("frank_wolfe")
    assert isinstance(solver, FrankWolfeMinimization)
    assert isinstance(solver, Solver)
    assert clone(FrankWolfeMinimization("block", tol=0.1)).get_params()["tol"] == 0.1


@pytest.mark.parametrize("loss", ["zero_one", "absolute"])
def test_through_the_estimators(loss):
    X, truth = make_blobs(90, centers=3, cluster_std=0.6, random_state=0)
    rng = np.random.default_rng(0)
    mask = rng.random((90, 3)) < 0.4
    mask[np.arange(90), truth] = True
    sets = LabelSets(mask, np.arange(3))
    weights = NeighborWeights(8)
    found = disambiguate(X, sets, weights=weights, loss=loss, solver="frank_wolfe")
    assert np.mean(found.labels == truth) > 0.95
    assert found.solution.quadratic.bound <= found.solution.quadratic.objective
    model = PartialLabelClassifier(weights=weights, loss=loss, solver="frank_wolfe").fit(X, sets)
    assert_array_equal(model.labels_, found.labels)
    assert np.mean(model.predict(X) == truth) > 0.95


def test_other_solvers_prove_nothing():
    assert AlternatingMinimization().solve(tiny_problem(3).problem).quadratic is None


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1], [5, 0]], r"loss\[0, 1\] is 1 and .* 5; expected a symmetric loss"),
        ([[1, 1], [1, 0]], r"loss\[0, 0\] is 1; expected 0"),
    ],
)
def test_a_loss_that_is_not_symmetric_is_refused(matrix, message):
    sets = LabelSets.from_sets([{0, 1}, {1}])
    problem = Problem(as_votes(np.eye(2)), MatrixLoss(matrix).bind(sets.classes), sets)
    with pytest.raises(MissingOracleError, match=message):
        FrankWolfeMinimization().solve(problem)


def test_predictions_that_are_no_classes_are_refused():
    tiny = tiny_problem(0, "signed", "abstain")
    with pytest.raises(MissingOracleError, match="some are no classes"):
        FrankWolfeMinimization().solve(tiny.problem)


def test_a_loss_without_an_exact_form_is_refused():
    loss = DCGLoss().bind(np.array(["a", "b"]))
    with pytest.raises(MissingOracleError, match="the DCG loss is not symmetric"):
        FrankWolfeMinimization().solve(Problem(as_votes(np.eye(1)), loss, None))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"steps": "newton"}, "steps='newton' is not known"),
        ({"shift": 3}, "shift=3 is not known"),
        ({"rounding": "up"}, "rounding='up' is not known"),
        ({"max_iter": 0}, "max_iter=0; expected at least 1"),
        ({"n_samples": 2.5}, "n_samples=2.5; expected at least 1"),
        ({"tol": -1.0}, "tol=-1.0; expected a number >= 0"),
    ],
)
def test_wrong_parameters(wrong, message):
    with pytest.raises(ValueError, match=message):
        FrankWolfeMinimization(**wrong).solve(tiny_problem(0, "signed", "zero-one").problem)
