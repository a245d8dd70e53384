"""Annealing: energies never rise, the limits are the paper's, nobody leaves his set."""

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
from disambig.losses.softening import gibbs, relative_entropies
from disambig.problem import Problem
from disambig.solvers import AnnealedMinimization, Status
from disambig.solvers.annealing.processes import OneBlock, TwoBlocks
from disambig.votes import as_votes
from disambig.weights import KernelRidgeWeights
from tests.oracles.generated_problems import problems

FORMULATIONS = st.sampled_from(["auto", "two_blocks"])
WITH_DIAGONAL = ("dense", "sparse", "product")
TEMPERATURES = st.sampled_from([1.0, 0.1, 0.01])


def energies(process, targets, steps=8):
    state = process.begin(targets)
    values = [state.objective]
    for _ in range(steps):
        state = process.step(state)
        values.append(state.objective)
    return np.array(values), state


def blocks(kind, tiny, temperature):
    softening = tiny.loss.softened(tiny.sets)
    return kind(tiny.problem, softening, temperature * tiny.loss.largest, 0.0)


def is_symmetric(loss):
    return loss.matrix.shape[0] == loss.matrix.shape[1] and (loss.matrix == loss.matrix.T).all()


# ---------------------------------------------------------------- laws


@given(seed=st.integers(0, 10_000))
def test_a_gibbs_law_is_the_minimum(seed):
    rng = np.random.default_rng(seed)
    base = rng.random((4, 3)) * (rng.random((4, 3)) < 0.7) + np.eye(3)[[0, 1, 2, 0]]
    base /= base.sum(axis=1, keepdims=True)
    costs, scales = rng.normal(size=(4, 3)), rng.random(4) + 0.1

    def paid(law):
        return (law * costs).sum(axis=1) + scales * relative_entropies(law, base)

    law = gibbs(costs, scales, base)
    assert_allclose(law.sum(axis=1), 1.0)
    assert (law[base == 0] == 0).all()
    for _ in range(5):
        other = base * rng.random((4, 3))
        other /= other.sum(axis=1, keepdims=True)
        assert (paid(law) <= paid(other) + 1e-12).all()


def test_a_row_that_nobody_speaks_to_keeps_its_law():
    base = np.array([[0.25, 0.75, 0.0]])
    assert_array_equal(gibbs(np.zeros((1, 3)), np.zeros(1), base), base)


def test_enormous_costs_outside_of_a_set_are_no_matter():
    base = np.array([[0.5, 0.5, 0.0]])
    law = gibbs(np.array([[1e6, 0.0, -1e9]]), np.array([1e-3]), base)
    assert_array_equal(law, [[0.0, 1.0, 0.0]])


# ---------------------------------------------------------------- descent


@given(tiny=problems(forms=WITH_DIAGONAL), formulation=FORMULATIONS)
def test_the_objective_never_rises(tiny, formulation):
    solution = AnnealedMinimization(formulation, tol=0.0).solve(tiny.problem)
    values = np.array([progress.objective for progress in solution.trace])
    rounding = 1e-11 * float(tiny.problem.prediction_scale.sum())
    assert (np.diff(values) <= rounding).all()


@given(tiny=problems(forms=WITH_DIAGONAL), temperature=TEMPERATURES, seed=st.integers(0, 999))
def test_no_step_raises_the_energy_from_any_laws(tiny, temperature, seed):
    law = np.random.default_rng(seed).random(tiny.sets.mask.shape) * tiny.sets.mask
    assume((law.sum(axis=1) > 0).all())
    law /= law.sum(axis=1, keepdims=True)
    rounding = 1e-11 * float(tiny.problem.prediction_scale.sum())
    kinds = [TwoBlocks, OneBlock] if is_symmetric(tiny.loss) else [TwoBlocks]
    for kind in kinds:
        process = blocks(kind, tiny, temperature)
        values, _ = energies(process, replace(process.softening.base(), distribution=law))
        assert (np.diff(values) <= rounding).all()


@given(tiny=problems(forms=("dense",)), temperature=TEMPERATURES)
def test_the_energy_is_the_double_sum(tiny, temperature):
    assume(is_symmetric(tiny.loss))
    process = blocks(OneBlock, tiny, temperature)
    _, state = energies(process, process.softening.base(), steps=2)
    S = (tiny.A + tiny.A.T) / 2
    np.fill_diagonal(S, 0.0)
    law = state.targets.distribution
    paid = 0.5 * np.einsum("ij,iy,yz,jz->", S, law, tiny.loss.matrix, law)
    spread = process.masses @ relative_entropies(law, tiny.sets.distribution())
    expected = paid + process.temperature * spread
    assert state.objective == pytest.approx(
        expected, abs=1e-9 * tiny.problem.prediction_scale.sum()
    )


# ---------------------------------------------------------------- limits


@given(tiny=problems(forms=WITH_DIAGONAL))
def test_at_temperature_zero_a_step_is_the_paper_s(tiny):
    problem = tiny.problem
    process = blocks(TwoBlocks, tiny, 1e-13)
    first = process.begin(process.softening.base())
    found = process.step(first).targets.distribution
    faces = problem.best_predictions(first.targets.embedded).faces
    scores = problem.scores_of_targets(faces.embedded)
    wanted = problem.choose_targets(scores).distribution
    # Costs apart by less than the temperature are neither tied nor told apart.
    costs = process.softening.embedding.costs(scores)
    gaps = np.where(
        tiny.sets.mask, costs - np.where(tiny.sets.mask, costs, np.inf).min(1)[:, None], 0
    )
    tolerance = 1e-10 * tiny.loss.largest * np.maximum(1.0, np.abs(tiny.A).sum())
    assume(not ((gaps > 0) & (gaps < tolerance)).any())
    own = problem.scores_of_predictions(first.targets.embedded)
    steps = own - own.min(axis=1, keepdims=True)
    assume(not ((steps > 0) & (steps < tolerance)).any())
    assert_allclose(found, wanted, atol=1e-6)


@given(tiny=problems(forms=WITH_DIAGONAL), formulation=FORMULATIONS)
def test_at_a_high_temperature_nothing_moves(tiny, formulation):
    hot = AnnealedMinimization(formulation, temperatures=[1e9]).solve(tiny.problem)
    assert_allclose(hot.targets.distribution, tiny.sets.distribution(), atol=1e-6)


def test_others_are_heard_as_leave_one_out_votes_say():
    X = np.random.default_rng(0).normal(size=(12, 2))
    weights = KernelRidgeWeights(regularization=1e-2, intercept=True).fit(X)
    mask = np.random.default_rng(1).random((12, 3)) < 0.5
    mask[np.arange(12), np.arange(12) % 3] = True
    sets = LabelSets(mask, np.arange(3))
    problem = Problem(weights.training_votes(), ZeroOneLoss().bind(sets.classes), sets)
    base = sets.distribution()
    embedding = problem.loss.target_faces(mask).embedding
    softening = problem.loss.softened(sets)
    process = OneBlock(problem, softening, 1.0, 0.0)
    state = process.begin(softening.base())
    expected = weights.leave_one_out_votes() @ embedding.embed(base)
    assert_allclose(state.heard / process.masses[:, None], expected, atol=1e-9)


# ---------------------------------------------------------------- solutions


@given(tiny=problems(forms=WITH_DIAGONAL), formulation=FORMULATIONS)
def test_it_ends_inside_the_sets_and_leaves_single_labels_alone(tiny, formulation):
    solution = AnnealedMinimization(formulation).solve(tiny.problem)
    n, mask = len(tiny.sets), tiny.sets.mask
    law = solution.targets.distribution
    assert_allclose(law.sum(axis=1), 1.0)
    assert (law[~mask] == 0).all()
    assert mask[np.arange(n), solution.decoded.outputs].all()
    assert solution.decoded.is_vertex.all()
    single = mask.sum(axis=1) == 1
    assert_array_equal(law[single], mask[single])
    assert solution.resolved[single].all()


@given(seed=st.integers(0, 10_000), formulation=FORMULATIONS)
def test_permuting_rows_permutes_laws(seed, formulation):
    # Votes that are not negative, and so different that no two outcomes hang in the balance: a
    # saddle would be left to the side that rounding says.
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    A, mask = rng.gamma(0.5, size=(n, n)), rng.random((n, 3)) < 0.6
    mask[np.arange(n), rng.integers(0, 3, n)] = True
    sets, order = LabelSets(mask, np.arange(3)), rng.permutation(n)
    solver, loss = AnnealedMinimization(formulation), ZeroOneLoss().bind(np.arange(3))
    found = solver.solve(Problem(as_votes(A), loss, sets)).targets.distribution
    moved = Problem(as_votes(A[np.ix_(order, order)]), loss, sets[order])
    assert_allclose(solver.solve(moved).targets.distribution, found[order], atol=1e-7)


def test_it_finds_what_the_plain_method_loses():
    """A row's own vote confirms its first choice; without it the others decide."""
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


def test_undecided_rows_are_said_to_be():
    sets = LabelSets(np.array([[True, False], [True, True], [True, True]]), np.arange(2))
    A = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    for formulation in ("one_block", "two_blocks"):
        problem = Problem(as_votes(A), ZeroOneLoss().bind(sets.classes), sets)
        found = AnnealedMinimization(formulation).solve(problem)
        assert_array_equal(found.resolved, [True, False, False])
        assert_array_equal(found.targets.distribution[1:], np.full((2, 2), 0.5))


def test_a_callback_hears_temperatures_and_stops():
    sets = LabelSets(np.array([[True, False], [True, True]]), np.arange(2))
    problem = Problem(as_votes(np.full((2, 2), 0.5)), ZeroOneLoss().bind(sets.classes), sets)
    heard = []

    def third(progress):
        heard.append(progress.stage)
        return len(heard) == 3

    solution = AnnealedMinimization(temperatures=[1.0, 0.5], sweeps=2, tol=0.0).solve(
        problem, callback=third
    )
    assert heard == ["temperature 1", "temperature 1", "temperature 0.5"]
    assert solution.status is Status.STOPPED
    assert all(type(progress.objective) is float for progress in solution.trace)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"formulation": "three"}, "formulation='three' is not known; choose 'auto'"),
        ({"temperatures": []}, "expected positive numbers that do not rise"),
        ({"temperatures": [0.1, 1.0]}, "expected positive numbers that do not rise"),
        ({"temperatures": [1.0, 0.0]}, "expected positive numbers that do not rise"),
        ({"temperatures": [np.nan]}, "expected positive numbers that do not rise"),
        ({"temperatures": "cold"}, "expected positive numbers that do not rise"),
        ({"sweeps": 0}, "sweeps=0; expected at least 1"),
        ({"sweeps": 2.7}, "sweeps=2.7; expected at least 1, an integer"),
        ({"sweeps": None}, "sweeps=None; expected at least 1"),
        ({"tol": "small"}, "tol='small'; expected a number >= 0"),
        ({"tol": -1.0}, "tol=-1.0; expected a number >= 0"),
    ],
)
def test_parameters_are_checked(parameters, message):
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
def test_rounding_labels_nobody(noise):
    # Two rows that hear each other, and two that hear themselves and what rounding leaves.
    votes = np.full((4, 4), noise) * np.random.default_rng(0).normal(size=(4, 4))
    votes[:2, :2] = 0.5
    votes[[2, 3], [2, 3]] = 0.9
    sets = LabelSets.from_mask(np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool))
    problem = Problem(as_votes(votes), ZeroOneLoss().bind(sets.classes), sets)
    found = AnnealedMinimization("one_block").solve(problem)
    assert_array_equal(found.resolved, [True, True, False, False])
    assert_allclose(found.targets.distribution[2:], [[1 / 3] * 3, [0.0, 0.5, 0.5]])
