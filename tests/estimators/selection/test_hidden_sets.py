"""Scores of hidden sets, compared with a loop over rows."""

import numpy as np
import pytest

from disambig.candidates import LabelSets
from disambig.estimators.selection.hidden_sets import HiddenSets
from disambig.losses import MatrixLoss, OrdinalLoss, ZeroOneLoss
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization, AnnealedMinimization
from disambig.votes import as_votes

# Two groups of three rows; in WRONG one row contradicts its group.
A = np.kron(np.eye(2), np.full((3, 3), 1 / 3))
MASK = np.array([[1, 0], [1, 1], [1, 0], [0, 1], [0, 1], [0, 1]], dtype=np.bool_)
WRONG = np.array([[1, 0], [1, 1], [0, 1], [0, 1], [0, 1], [0, 1]], dtype=np.bool_)
FOLDS = np.array([0, 1, 2, 0, 1, 2])
WEIGHTS = np.array([1.0, 2.0, 1.0, 1.0, 3.0, 1.0])


def expected_loss(mask, loss, solve):
    """Row by row: votes of the other rows, times distributions found without the row's set."""
    losses = []
    for i in range(6):
        distribution = solve(LabelSets(mask | (FOLDS[i] == FOLDS)[:, None], np.arange(2)))
        others = np.delete(np.arange(6), i)
        costs = loss.matrix @ (A[i, others] @ distribution[others])
        losses.append(loss.matrix[costs.argmin()][mask[i]].min())
    informative = ~mask.all(axis=1)
    return np.average(np.array(losses)[informative], weights=WEIGHTS[informative])


@pytest.mark.parametrize("mask", [MASK, WRONG], ids=["agreed", "contradicted"])
def test_solver_score(mask):
    loss = MatrixLoss([[0.0, 5.0], [2.0, 0.0]]).bind(np.arange(2))
    solver = AlternatingMinimization()

    def solve(sets):
        return solver.solve(Problem(as_votes(A), loss, sets)).targets.distribution

    hidden = HiddenSets(LabelSets(mask, np.arange(2)), loss, FOLDS, WEIGHTS)
    found = hidden.solver_score(as_votes(A), solver)
    assert found.loss == pytest.approx(expected_loss(mask, loss, solve))
    assert (found.loss > 0) == (mask is WRONG)


@pytest.mark.parametrize("mask", [MASK, WRONG], ids=["agreed", "contradicted"])
def test_all_folds_of_an_annealing_are_one_run(mask):
    """The two groups have no votes for each other, so that a step of all folds is one of each."""
    loss = ZeroOneLoss().bind(np.arange(2))
    hidden = HiddenSets(LabelSets(mask, np.arange(2)), loss, FOLDS, WEIGHTS)
    temperatures = (1.0, 0.3, 0.1)
    path = dict(hidden.path_scores(as_votes(A), AnnealedMinimization(temperatures=temperatures)))
    assert list(path) == list(temperatures)
    for last in temperatures:
        solver = AnnealedMinimization(temperatures=[t for t in temperatures if t >= last])

        def solve(sets, solver=solver):
            return solver.solve(Problem(as_votes(A), loss, sets)).targets.distribution

        assert path[last].loss == pytest.approx(expected_loss(mask, loss, solve))


def test_scores_of_the_baselines():
    loss = ZeroOneLoss().bind(np.arange(2))
    hidden = HiddenSets(LabelSets(WRONG, np.arange(2)), loss, FOLDS, WEIGHTS)
    expected = expected_loss(WRONG, loss, lambda sets: sets.distribution())
    assert hidden.average_score(as_votes(A)).loss == pytest.approx(expected)
    # Rows 0 and 2 have different labels and predict each other; the others are predicted right.
    found = hidden.infimum_score(as_votes(A))
    assert found.loss == pytest.approx(2.0 / (WEIGHTS.sum() - 2.0))


@pytest.mark.parametrize("skewed", [False, True])
def test_half_of_the_loss_by_chance_is_subtracted_if_a_class_is_frequent(skewed):
    """Against the definition: every prediction at the set of every row, by the weights of both."""
    rng = np.random.default_rng(0)
    mask = rng.random((12, 3)) < ([1.0, 0.1, 0.1] if skewed else [0.5, 0.5, 0.5])
    mask[np.arange(12), rng.integers(0, 3, 12)] = True
    sets, weight = LabelSets(mask, np.arange(3)), rng.integers(1, 4, 12).astype(float)
    scored = sets.informative
    for loss in (ZeroOneLoss(), OrdinalLoss()):
        bound = loss.bind(sets.classes)
        hidden = HiddenSets(sets, bound, np.arange(12) % 3, weight)
        costs, shares = rng.random((12, 3)), rng.dirichlet(np.ones(3), 12)
        found = hidden._loss_score(costs, shares)
        predicted = costs.argmin(axis=1)
        pairs = np.array(
            [
                [min(bound.matrix[z, y] for y in np.flatnonzero(row)) for z in predicted]
                for row in mask
            ]
        )[np.ix_(scored, scored)]
        w = weight[scored] / weight[scored].sum()
        inside = np.where(mask, shares, 0.0).sum(axis=1)[scored]
        assert found.loss == pytest.approx(w @ pairs.diagonal())
        by_chance = w @ pairs @ w
        counts = w @ mask[scored]
        weight_of_chance = 0.5 if counts.max() >= 1.5 * counts.mean() else 0.0
        assert (weight_of_chance > 0) == skewed
        expected = (found.loss - weight_of_chance * by_chance) / bound.largest - 0.1 * w @ np.log(
            inside + 1e-3
        )
        assert found.value == pytest.approx(expected)


def test_a_class_in_nearly_every_set_is_no_evidence():
    """To predict it everywhere misses fewer sets than right labels with errors, but by chance."""
    truth = np.repeat([0, 1, 2], 10)
    mask = np.eye(3, dtype=np.bool_)[truth]
    mask[np.arange(30) % 10 != 3, 0] = True
    sets = LabelSets(mask, np.arange(3))
    hidden = HiddenSets(sets, ZeroOneLoss().bind(sets.classes), np.arange(30) % 5, np.ones(30))
    learned = np.where(np.arange(30) % 5 == 0, (truth + 1) % 3, truth)
    scores = {
        name: hidden._loss_score(1.0 - np.eye(3)[output], np.full((30, 3), 1 / 3))
        for name, output in (("learned", learned), ("constant", np.zeros(30, dtype=int)))
    }
    assert scores["constant"].loss < scores["learned"].loss
    assert scores["learned"].value < scores["constant"].value


def test_the_score_of_a_constant():
    sets = LabelSets(MASK, np.arange(2))
    hidden = HiddenSets(sets, ZeroOneLoss().bind(sets.classes), FOLDS, np.ones(6))
    found = hidden.constant_score()
    scored = sets.informative
    assert found.loss == pytest.approx((~MASK[scored]).mean(axis=0).min())
    inside = np.where(MASK, sets.distribution().mean(axis=0), 0.0).sum(axis=1)[scored]
    assert found.value == pytest.approx(found.loss - 0.1 * np.log(inside + 1e-3).mean())


def test_larger_probabilities_score_better_at_equal_losses():
    loss = ZeroOneLoss().bind(np.arange(2))
    hidden = HiddenSets(LabelSets(MASK, np.arange(2)), loss, FOLDS, np.ones(6))
    # A quarter of each vote goes to the other group.
    mixed = 0.75 * A + 0.25 * np.kron(np.ones((2, 2)) - np.eye(2), np.full((3, 3), 1 / 3))
    solver = AlternatingMinimization()
    clear = hidden.solver_score(as_votes(A), solver)
    blurred = hidden.solver_score(as_votes(mixed), solver)
    assert clear.loss == blurred.loss == 0.0
    assert clear.value < blurred.value


def test_soft_weights_change_the_average():
    loss = ZeroOneLoss().bind(np.arange(2))
    mask = np.array([[1, 1], [1, 0], [1, 1], [0, 1], [0, 1], [1, 1]], dtype=np.bool_)
    weights = mask / mask.sum(axis=1, keepdims=True)
    weights[[0, 2]] = [0.05, 0.95]
    plain = HiddenSets(LabelSets(mask, np.arange(2)), loss, FOLDS, np.ones(6))
    soft = HiddenSets(LabelSets(mask, np.arange(2), weights), loss, FOLDS, np.ones(6))
    # The other rows of its group vote for the other class of row 1, so that its set is missed.
    assert plain.average_score(as_votes(A)).loss == 0.0
    assert soft.average_score(as_votes(A)).loss > 0.0


def test_the_standard_error_depends_on_the_spread_of_the_weights():
    loss = ZeroOneLoss().bind(np.arange(2))
    sets = LabelSets(WRONG, np.arange(2))
    error = {
        name: HiddenSets(sets, loss, FOLDS, weight).average_score(as_votes(A)).error
        for name, weight in (
            ("equal", np.ones(6)),
            ("larger", np.full(6, 7.0)),
            ("unequal", np.array([1.0, 1.0, 1.0, 1e-9, 1e-9, 1e-9])),
        )
    }
    # Five rows are informative and two of them are missed.
    assert error["equal"] == pytest.approx(np.sqrt(0.4 * 0.6 / 5))
    assert error["larger"] == pytest.approx(error["equal"])
    # Only two rows count: both are missed.
    assert error["unequal"] == pytest.approx(0.0, abs=1e-4)
