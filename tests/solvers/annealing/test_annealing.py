"""Tests of annealing of labels: objectives never rise, limits, and targets inside the sets."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

from disambig import PartialLabelClassifier
from disambig.candidates import LabelSets
from disambig.exceptions import MissingOracleError
from disambig.losses import MatrixLoss, ZeroOneLoss
from disambig.losses.labels.soft import gibbs, relative_entropies
from disambig.problem import Problem
from disambig.solvers import AnnealedMinimization, Status
from disambig.solvers.annealing.processes import OneBlock, TwoBlocks
from disambig.votes import as_votes
from disambig.weights import KernelRidgeWeights
from tests.oracles.generated_problems import problems

FORMULATIONS = st.sampled_from(["auto", "two_blocks"])
WITH_DIAGONAL = ("dense", "sparse", "product")
TEMPERATURES = st.sampled_from([1.0, 0.1, 0.01])


def objectives(process, targets, steps=8):
    """The objective after every step, and the last state."""
    state = process.begin(targets)
    values = [state.objective]
    for _ in range(steps):
        state = process.step(state)
        values.append(state.objective)
    return np.array(values), state


def process_at(process_class, tiny, temperature):
    """A process at a temperature in units of the largest loss."""
    softening = tiny.loss.softened(tiny.sets)
    return process_class(tiny.problem, softening, temperature * tiny.loss.largest, 0.0)


def is_symmetric(loss):
    return loss.matrix.shape[0] == loss.matrix.shape[1] and (loss.matrix == loss.matrix.T).all()


# ---------------------------------------------------------------- distributions


@given(seed=st.integers(0, 10_000))
def test_gibbs_distribution_is_the_minimum(seed):
    rng = np.random.default_rng(seed)
    prior = rng.random((4, 3)) * (rng.random((4, 3)) < 0.7) + np.eye(3)[[0, 1, 2, 0]]
    prior /= prior.sum(axis=1, keepdims=True)
    costs, scales = rng.normal(size=(4, 3)), rng.random(4) + 0.1

    def objective(distribution):
        divergences = relative_entropies(distribution, prior)
        return (distribution * costs).sum(axis=1) + scales * divergences

    found = gibbs(costs, scales, prior)
    assert_allclose(found.sum(axis=1), 1.0)
    assert (found[prior == 0] == 0).all()
    for _ in range(5):
        other = prior * rng.random((4, 3))
        other /= other.sum(axis=1, keepdims=True)
        assert (objective(found) <= objective(other) + 1e-12).all()


def test_a_row_without_votes_has_its_prior():
    prior = np.array([[0.25, 0.75, 0.0]])
    assert_array_equal(gibbs(np.zeros((1, 3)), np.zeros(1), prior), prior)


def test_large_costs_outside_of_a_set_have_no_effect():
    prior = np.array([[0.5, 0.5, 0.0]])
    found = gibbs(np.array([[1e6, 0.0, -1e9]]), np.array([1e-3]), prior)
    assert_array_equal(found, [[0.0, 1.0, 0.0]])


# ---------------------------------------------------------------- descent


@given(tiny=problems(forms=WITH_DIAGONAL), formulation=FORMULATIONS)
def test_the_objective_never_rises(tiny, formulation):
    solution = AnnealedMinimization(formulation, tol=0.0).solve(tiny.problem)
    values = np.array([progress.objective for progress in solution.trace])
    rounding = 1e-11 * float(tiny.problem.prediction_scale.sum())
    assert (np.diff(values) <= rounding).all()


@given(tiny=problems(forms=WITH_DIAGONAL), temperature=TEMPERATURES, seed=st.integers(0, 999))
def test_no_step_raises_the_objective_from_any_distributions(tiny, temperature, seed):
    distribution = np.random.default_rng(seed).random(tiny.sets.mask.shape) * tiny.sets.mask
    assume((distribution.sum(axis=1) > 0).all())
    distribution /= distribution.sum(axis=1, keepdims=True)
    rounding = 1e-11 * float(tiny.problem.prediction_scale.sum())
    processes = [TwoBlocks, OneBlock] if is_symmetric(tiny.loss) else [TwoBlocks]
    for process_class in processes:
        process = process_at(process_class, tiny, temperature)
        targets = replace(process.softening.prior(), distribution=distribution)
        values, _ = objectives(process, targets)
        assert (np.diff(values) <= rounding).all()


@given(tiny=problems(forms=("dense",)), temperature=TEMPERATURES)
def test_one_block_objective_is_the_double_sum(tiny, temperature):
    assume(is_symmetric(tiny.loss))
    process = process_at(OneBlock, tiny, temperature)
    _, state = objectives(process, process.softening.prior(), steps=2)
    S = (tiny.A + tiny.A.T) / 2
    np.fill_diagonal(S, 0.0)
    found = state.targets.distribution
    loss = 0.5 * np.einsum("ij,iy,yz,jz->", S, found, tiny.loss.matrix, found)
    divergence = process.degrees @ relative_entropies(found, tiny.sets.distribution())
    expected = loss + process.temperature * divergence
    assert state.objective == pytest.approx(
        expected, abs=1e-9 * tiny.problem.prediction_scale.sum()
    )


# ---------------------------------------------------------------- sample weights


@given(
    tiny=problems(forms=("dense",)),
    counts=st.lists(st.integers(1, 5), min_size=12, max_size=12),
    temperature=TEMPERATURES,
)
def test_a_row_of_weight_w_is_w_copies(tiny, counts, temperature):
    assume(is_symmetric(tiny.loss))
    n = len(tiny.sets)
    weight = np.resize(np.array(counts, dtype=float), n)
    copies = np.repeat(np.arange(n), weight.astype(int))
    # One vote of a copy for a copy; a row and a column of the weighted problem sum over them.
    repeated = Problem(as_votes(tiny.A[np.ix_(copies, copies)]), tiny.loss, tiny.sets[copies])
    votes = as_votes(weight[:, None] * tiny.A * weight)
    weighted = Problem(votes, tiny.loss, tiny.sets, sample_weight=weight)
    runs = []
    for problem in (weighted, repeated):
        softening = tiny.loss.softened(problem.candidates)
        process = OneBlock(problem, softening, temperature * tiny.loss.largest, 0.0)
        # One step: after many, rounding can decide between targets that tie.
        values, state = objectives(process, softening.prior(), steps=1)
        runs.append((values, process.degrees, state.targets.distribution))
    scale = float(repeated.prediction_scale.sum())
    assert_allclose(runs[0][0], runs[1][0], atol=1e-10 * scale)
    assert_allclose((runs[0][1] / weight)[copies], runs[1][1], atol=1e-10 * scale)
    assert_allclose(runs[0][2][copies], runs[1][2], atol=1e-6)


@given(tiny=problems(forms=WITH_DIAGONAL))
def test_a_row_of_weight_one_or_less_leaves_its_own_vote_out(tiny):
    solver = AnnealedMinimization(temperatures=(1.0, 0.1))
    plain = solver.solve(tiny.problem).targets.distribution
    for weight in (1.0, 0.3):
        weighted = replace(tiny.problem, sample_weight=np.full(len(tiny.sets), weight))
        assert_array_equal(solver.solve(weighted).targets.distribution, plain)


@given(tiny=problems(forms=WITH_DIAGONAL), temperature=TEMPERATURES, weight=st.floats(0.1, 1e3))
def test_no_step_raises_the_objective_with_sample_weights(tiny, temperature, weight):
    assume(is_symmetric(tiny.loss))
    sample_weight = np.where(np.arange(len(tiny.sets)) % 2, weight, 1.0)
    problem = replace(tiny.problem, sample_weight=sample_weight)
    softening = tiny.loss.softened(tiny.sets)
    process = OneBlock(problem, softening, temperature * tiny.loss.largest, 0.0)
    values, _ = objectives(process, softening.prior())
    assert (np.diff(values) <= 1e-11 * float(problem.prediction_scale.sum())).all()


# ---------------------------------------------------------------- limits


@given(tiny=problems(forms=WITH_DIAGONAL))
def test_at_temperature_zero_a_step_is_that_of_alternating_minimisation(tiny):
    problem = tiny.problem
    process = process_at(TwoBlocks, tiny, 1e-13)
    first = process.begin(process.softening.prior())
    found = process.step(first).targets.distribution
    faces = problem.best_predictions(first.targets.embedded).faces
    scores = problem.scores_of_targets(faces.embedded)
    expected = problem.choose_targets(scores).distribution
    # Costs that differ by less than the temperature are neither tied nor separated.
    costs = process.softening.embedding.costs(scores)
    gaps = np.where(
        tiny.sets.mask, costs - np.where(tiny.sets.mask, costs, np.inf).min(1)[:, None], 0
    )
    tolerance = 1e-10 * tiny.loss.largest * np.maximum(1.0, np.abs(tiny.A).sum())
    assume(not ((gaps > 0) & (gaps < tolerance)).any())
    scores = problem.scores_of_predictions(first.targets.embedded)
    gaps = scores - scores.min(axis=1, keepdims=True)
    assume(not ((gaps > 0) & (gaps < tolerance)).any())
    assert_allclose(found, expected, atol=1e-6)


@given(tiny=problems(forms=WITH_DIAGONAL), formulation=FORMULATIONS)
def test_at_a_high_temperature_targets_are_the_prior(tiny, formulation):
    hot = AnnealedMinimization(formulation, temperatures=[1e9]).solve(tiny.problem)
    assert_allclose(hot.targets.distribution, tiny.sets.distribution(), atol=1e-6)


def test_one_block_scores_are_leave_one_out_predictions():
    X = np.random.default_rng(0).normal(size=(12, 2))
    weights = KernelRidgeWeights(regularization=1e-2, intercept=True).fit(X)
    mask = np.random.default_rng(1).random((12, 3)) < 0.5
    mask[np.arange(12), np.arange(12) % 3] = True
    sets = LabelSets(mask, np.arange(3))
    problem = Problem(weights.training_votes(), ZeroOneLoss().bind(sets.classes), sets)
    embedding = problem.loss.target_faces(mask).embedding
    softening = problem.loss.softened(sets)
    process = OneBlock(problem, softening, 1.0, 0.0)
    state = process.begin(softening.prior())
    expected = weights.leave_one_out_votes() @ embedding.embed(sets.distribution())
    assert_allclose(state.scores / process.degrees[:, None], expected, atol=1e-9)


# ---------------------------------------------------------------- solutions


@given(tiny=problems(forms=WITH_DIAGONAL), formulation=FORMULATIONS)
def test_targets_are_inside_the_sets_and_single_candidates_are_kept(tiny, formulation):
    solution = AnnealedMinimization(formulation).solve(tiny.problem)
    n, mask = len(tiny.sets), tiny.sets.mask
    found = solution.targets.distribution
    assert_allclose(found.sum(axis=1), 1.0)
    assert (found[~mask] == 0).all()
    assert mask[np.arange(n), solution.decoded.outputs].all()
    assert solution.decoded.is_vertex.all()
    single = mask.sum(axis=1) == 1
    assert_array_equal(found[single], mask[single])
    assert solution.decided[single].all()


@given(seed=st.integers(0, 10_000), formulation=FORMULATIONS)
def test_permuting_rows_permutes_distributions(seed, formulation):
    # Votes are non-negative and so different that no two outcomes are equally good: at a saddle
    # point rounding would decide.
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    A, mask = rng.gamma(0.5, size=(n, n)), rng.random((n, 3)) < 0.6
    mask[np.arange(n), rng.integers(0, 3, n)] = True
    sets, order = LabelSets(mask, np.arange(3)), rng.permutation(n)
    solver, loss = AnnealedMinimization(formulation), ZeroOneLoss().bind(np.arange(3))
    found = solver.solve(Problem(as_votes(A), loss, sets)).targets.distribution
    moved = Problem(as_votes(A[np.ix_(order, order)]), loss, sets[order])
    assert_allclose(solver.solve(moved).targets.distribution, found[order], atol=1e-7)


def test_annealing_is_more_accurate_than_alternating_minimisation():
    """In the latter a row's own vote confirms its first choice."""
    X, truth = load_digits(return_X_y=True)
    X, truth = X[:200] / 16.0, truth[:200]
    mask = np.random.default_rng(0).random((200, 10)) < 0.5
    mask[np.arange(200), truth] = True
    sets = LabelSets(mask, np.arange(10))
    clf = PartialLabelClassifier(KernelRidgeWeights(bandwidth=2.0, regularization=1e-5))
    plain = (clf.fit(X, sets).labels_ == truth).mean()
    annealed = (clf.set_params(solver="annealed").fit(X, sets).labels_ == truth).mean()
    assert plain < 0.7
    assert annealed > 0.9


def test_undecided_rows_are_not_resolved():
    sets = LabelSets(np.array([[True, False], [True, True], [True, True]]), np.arange(2))
    A = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    for formulation in ("one_block", "two_blocks"):
        problem = Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets)
        found = AnnealedMinimization(formulation).solve(problem)
        assert_array_equal(found.decided, [True, False, False])
        assert_array_equal(found.targets.distribution[1:], np.full((2, 2), 0.5))


def test_callback_receives_temperatures_and_stops_the_run():
    sets = LabelSets(np.array([[True, False], [True, True]]), np.arange(2))
    problem = Problem(as_votes(np.full((2, 2), 0.5)), ZeroOneLoss().bind(sets.classes), sets)
    stages = []

    def stop_at_third(progress):
        stages.append(progress.stage)
        return len(stages) == 3

    solution = AnnealedMinimization(temperatures=[1.0, 0.5], sweeps=2, tol=0.0).solve(
        problem, callback=stop_at_third
    )
    assert stages == ["temperature 1", "temperature 1", "temperature 0.5"]
    assert solution.status is Status.STOPPED
    assert all(type(progress.objective) is float for progress in solution.trace)


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"formulation": "three"}, "formulation must be one of 'auto'.*; got 'three'"),
        ({"temperatures": []}, "expected positive numbers that do not rise"),
        ({"temperatures": [0.1, 1.0]}, "expected positive numbers that do not rise"),
        ({"temperatures": [1.0, 0.0]}, "expected positive numbers that do not rise"),
        ({"temperatures": [np.nan]}, "expected positive numbers that do not rise"),
        ({"temperatures": "cold"}, "expected positive numbers that do not rise"),
        ({"sweeps": 0}, "sweeps must be an integer >= 1; got 0"),
        ({"sweeps": 2.7}, "sweeps must be an integer >= 1; got 2.7"),
        ({"sweeps": None}, "sweeps must be an integer >= 1; got None"),
        ({"tol": "small"}, "tol must be a finite number >= 0; got 'small'"),
        ({"tol": -1.0}, "tol must be a finite number >= 0; got -1.0"),
    ],
)
def test_invalid_parameters_raise(parameters, message):
    sets = LabelSets(np.eye(2, dtype=np.bool_), np.arange(2))
    problem = Problem(as_votes(np.eye(2)), ZeroOneLoss().bind(sets.classes), sets)
    with pytest.raises(ValueError, match=message):
        AnnealedMinimization(**parameters).solve(problem)


def test_one_block_needs_a_symmetric_loss():
    sets = LabelSets(np.eye(2, dtype=np.bool_), np.arange(2))
    loss = MatrixLoss([[0.0, 1.0], [5.0, 0.0]]).bind(sets.classes)
    problem = Problem(as_votes(np.eye(2)), loss, sets)
    with pytest.raises(MissingOracleError, match="needs a symmetric loss"):
        AnnealedMinimization("one_block").solve(problem)
    AnnealedMinimization("auto").solve(problem)


@pytest.mark.parametrize("noise", [0.0, 1e-17])
def test_votes_at_the_level_of_rounding_decide_no_row(noise):
    # Two rows that vote for each other, and two with their own votes and those of rounding.
    votes = np.full((4, 4), noise) * np.random.default_rng(0).normal(size=(4, 4))
    votes[:2, :2] = 0.5
    votes[[2, 3], [2, 3]] = 0.9
    sets = LabelSets.from_mask(np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool))
    problem = Problem(as_votes(votes), ZeroOneLoss().bind(sets.classes), sets)
    found = AnnealedMinimization("one_block").solve(problem)
    assert_array_equal(found.decided, [True, True, False, False])
    assert_allclose(found.targets.distribution[2:], [[1 / 3] * 3, [0.0, 0.5, 0.5]])
