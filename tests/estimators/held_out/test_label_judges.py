"""Judgements by hidden sets: against leave-one-out votes, and nothing leaks from a hidden set."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import roc_auc_score

from disambig import LabelSets, PartialLabelClassifier
from disambig.datasets import UniformCorruption
from disambig.estimators.held_out.hidden_votes import Judge
from disambig.estimators.held_out.label_judges import (
    deal,
    hidden_scores,
    hiding_of,
    judged,
    restricted,
)
from disambig.losses import ZeroOneLoss
from disambig.metrics import expected_calibration_error
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization, AnnealedMinimization, FrankWolfeMinimization
from disambig.weights import (
    KernelRidgeWeights,
    NadarayaWatsonWeights,
    NeighborWeights,
    NystromWeights,
    PathWeights,
)

SOLVERS = [AlternatingMinimization(), AnnealedMinimization()]


@pytest.fixture(scope="module")
def blobs():
    X, truth = make_blobs(120, 2, centers=4, cluster_std=1.5, random_state=0)
    sets = UniformCorruption(0.4)(truth, random_state=0)
    return X, sets, truth


def scores_of(X, sets, weights, solver, folds, method="disambiguation"):
    loss = ZeroOneLoss().bind(sets.classes)
    ones, equal = np.ones(len(sets)), np.arange(len(sets))
    judge = Judge(weights.fit(X), solver)
    return hidden_scores(judge, sets, loss, method, ones, equal, folds)


@pytest.mark.parametrize(
    "weights", [KernelRidgeWeights(regularization=1e-2), NadarayaWatsonWeights()]
)
def test_scores_are_leave_one_out_votes_of_the_opened_problem(blobs, weights):
    X, sets, _ = blobs
    folds = np.arange(len(sets)) % 4
    solver = AlternatingMinimization()
    found = scores_of(X, sets, weights, solver, folds)
    others = weights.fit(X).leave_one_out_votes()
    loss = ZeroOneLoss().bind(sets.classes)
    for fold in range(4):
        hidden = folds == fold
        opened = LabelSets(sets.mask | hidden[:, None], sets.classes)
        solution = solver.solve(Problem(weights.training_votes(), loss, opened))
        expected = others @ solution.targets.distribution
        assert_allclose(found[hidden], expected[hidden], atol=1e-9)


def test_all_folds_together_are_the_folds_one_by_one(blobs, monkeypatch):
    X, sets, _ = blobs
    folds = np.arange(len(sets)) % 5
    solver = AnnealedMinimization(temperatures=(1.0, 0.5, 0.2), sweeps=2)
    weights = KernelRidgeWeights(regularization=1e-2)
    together = scores_of(X, sets, weights, solver, folds)
    monkeypatch.setattr("disambig.estimators.held_out.label_judges._MAX_ENTRIES", 0)
    assert_allclose(scores_of(X, sets, weights, solver, folds), together, atol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "weights",
    [KernelRidgeWeights(), NeighborWeights(7), NystromWeights(n_landmarks=30), PathWeights(8)],
)
def test_a_hidden_set_does_not_change_its_own_scores(blobs, weights, solver):
    X, sets, _ = blobs
    folds = np.arange(len(sets)) % 5
    before = scores_of(X, sets, weights, solver, folds)
    mask = sets.mask.copy()
    for row in np.flatnonzero(folds == 2):
        mask[row] = False
        mask[row, row % 4] = True
    after = scores_of(X, LabelSets(mask, sets.classes), weights, solver, folds)
    assert_allclose(after[folds == 2], before[folds == 2], atol=1e-12)
    assert (after[folds != 2] != before[folds != 2]).any()


@pytest.mark.parametrize("method", ["average", "infimum"])
def test_the_baselines_are_judged_too(blobs, method):
    X, sets, truth = blobs
    model = PartialLabelClassifier("neighbors", method=method).fit(X, sets)
    assert model.confidence_kind_ == "hidden sets"
    right = model.labels_ == truth
    assert roc_auc_score(right, model.confidence_) > 0.6


def test_units_stay_together_and_informative_ones_are_spread():
    rng = np.random.default_rng(0)
    units = rng.integers(0, 60, 200)
    units = np.unique(units, return_inverse=True)[1]
    informative = np.isin(units, np.arange(0, 60, 2))
    folds = deal(units, informative, 5, number=3)
    for unit in range(units.max() + 1):
        assert len(set(folds[units == unit])) == 1
    first = np.unique(units, return_index=True)[1]
    counts = np.bincount(folds[first][informative[first]], minlength=5)
    assert np.ptp(counts) <= 1
    assert (deal(units, informative, 5, number=4) != folds).any()


def test_the_order_of_the_rows_does_not_matter(blobs):
    X, sets, _ = blobs
    order = np.random.default_rng(0).permutation(len(sets))
    for weights in ("auto", "kernel_ridge"):
        model = PartialLabelClassifier(weights).fit(X, sets)
        shuffled = PartialLabelClassifier(weights).fit(X[order], sets[order])
        assert_allclose(shuffled.confidence_, model.confidence_[order], atol=1e-8)


def test_groups_are_hidden_together():
    """Near equal in a group reveal the set of a row unless the group is hidden."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(60, 3)), 3, axis=0) + 1e-3 * rng.normal(size=(180, 3))
    truth = np.repeat(rng.integers(0, 3, 60), 3)
    groups = np.repeat(np.arange(60), 3)
    y = [{label, (label + 1) % 3} if row % 2 else {label} for row, label in enumerate(truth)]
    near = PartialLabelClassifier(NeighborWeights(3)).fit(X, y)
    apart = PartialLabelClassifier(NeighborWeights(3)).fit(X, y, groups=groups)
    assert near.calibration_.log_likelihood > -0.3
    assert apart.calibration_.log_likelihood < near.calibration_.log_likelihood - 0.2


def test_several_judges_are_averaged(blobs):
    X, sets, _ = blobs
    loss = ZeroOneLoss().bind(sets.classes)
    ones, hiding = np.ones(len(sets)), hiding_of(sets, np.arange(len(sets)), None)
    judges = [
        Judge(weights.fit(X), AlternatingMinimization())
        for weights in (KernelRidgeWeights(), NeighborWeights(9))
    ]
    folds = [np.arange(len(sets)) % 5, np.arange(len(sets)) % 6]

    def judge(some, deals):
        return judged(some, sets, loss, "disambiguation", ones, hiding, lambda j: [deals[j]])

    both = judge(judges, folds)
    alone = [judge([one], [deals]) for one, deals in zip(judges, folds, strict=True)]
    mean = (alone[0].distributions + alone[1].distributions) / 2
    sharpened = mean ** (1 / both.calibration.temperature)
    assert_allclose(both.distributions, sharpened / sharpened.sum(axis=1, keepdims=True), atol=1e-6)
    assert both.n_judges == 2
    assert both.first_calibration == alone[0].calibration


def test_restricted_distributions():
    distributions = np.array([[0.5, 0.3, 0.2], [1.0, 0.0, 0.0]])
    mask = np.array([[False, True, True], [False, True, True]])
    assert_allclose(restricted(distributions, mask), [[0, 0.6, 0.4], [0, 0.5, 0.5]])


def test_few_informative_rows_and_other_solvers_leave_one_out(blobs):
    X, sets, _ = blobs
    few = PartialLabelClassifier("neighbors").fit(X[:25], sets[:25])
    assert few.confidence_kind_ == "leave-one-out"
    assert few.calibration_ is None
    slow = PartialLabelClassifier("neighbors", solver=FrankWolfeMinimization()).fit(X, sets)
    assert slow.confidence_kind_ == "leave-one-out"
    with pytest.raises(ValueError, match="judged by hidden sets"):
        slow.predict_set(X)


def test_resolved_rows_are_decided_and_confident(blobs):
    X, sets, _ = blobs
    for resolve_at in (0.5, 0.99):
        model = PartialLabelClassifier("neighbors", resolve_at=resolve_at).fit(X, sets)
        assert_array_equal(model.resolved_, model.decided_ & (model.confidence_ >= resolve_at))
    with pytest.raises(ValueError, match="resolve_at must be a number from 0 to 1"):
        PartialLabelClassifier("neighbors", resolve_at=1.5).fit(X, sets)


def test_probabilities_of_overlapping_classes_are_calibrated():
    """Plain labels of three classes that overlap: a softmax of fixed temperature says .83."""
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [1.6, 0], [0.8, 1.4]])
    truth = rng.integers(0, 3, 1200)
    X = centres[truth] + rng.normal(size=(1200, 2))
    for weights in ("auto", NeighborWeights(10)):
        model = PartialLabelClassifier(weights).fit(X[:600], truth[:600])
        probabilities = model.predict_proba(X[600:])
        right = probabilities.argmax(axis=1) == truth[600:]
        assert abs(probabilities.max(axis=1).mean() - right.mean()) < 0.05
        assert expected_calibration_error(probabilities.max(axis=1), right) < 0.08


def test_confidence_tells_right_from_wrong_labels():
    X, truth = load_iris(return_X_y=True)
    X = X[:, :2]
    sets = UniformCorruption(0.5)(truth, random_state=1)
    model = PartialLabelClassifier().fit(X, sets)
    right = model.labels_ == truth
    assert not right.all()
    assert roc_auc_score(right, model.confidence_) > 0.7
    assert expected_calibration_error(model.confidence_, right) < 0.12


def test_prediction_sets_meet_new_sets(blobs):
    X, truth = make_blobs(900, 2, centers=4, cluster_std=2.5, random_state=1)
    sets = UniformCorruption(0.4)(truth, random_state=0)
    model = PartialLabelClassifier(NeighborWeights(15)).fit(X[:300], sets[:300])
    informative = sets.informative[300:]
    for coverage in (0.7, 0.9):
        found = model.predict_set(X[300:], coverage)
        meets = (found.mask & sets.mask[300:]).any(axis=1)[informative]
        assert meets.mean() > coverage - 0.05
        contains = model.predict_set(X[300:], coverage, meaning="contains")
        whole = (contains.mask | ~sets.mask[300:]).all(axis=1)[informative]
        assert whole.mean() > coverage - 0.05
        assert (found.mask <= contains.mask).all()
    for wrong in (0.0, 1.0, "much"):
        with pytest.raises(ValueError, match="coverage must be"):
            model.predict_set(X, wrong)
    with pytest.raises(ValueError, match="meaning='truth' needs true labels"):
        model.predict_set(X, meaning="truth")
    with pytest.raises(ValueError, match="meaning must be one of"):
        model.predict_set(X, meaning="touches")
