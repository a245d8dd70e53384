"""Judgements of rows in bags: against oracles, without leaks, and better than leave-one-out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.datasets import make_blobs
from sklearn.metrics import roc_auc_score

from disambig import LabelSets, PartialLabelClassifier
from disambig.candidates import ClassCounts, bag_counts
from disambig.estimators.held_out.bag_judges import (
    _of_copies,
    hiding_of,
    judged_in_bags,
    within_bags,
)
from disambig.estimators.held_out.bag_likelihood import fit_bag_calibration
from disambig.estimators.held_out.hidden_votes import Judge, own_votes
from disambig.exceptions import CandidateError
from disambig.losses import ZeroOneLoss
from disambig.metrics import expected_calibration_error
from disambig.solvers import AnnealedMinimization
from disambig.trust import cross_examine
from disambig.weights import KernelRidgeWeights

N_CLASSES = 4


def rows_in_bags(seed, share_of_sets, bag_size, n=300):
    """Overlapping clusters; shares differ between bags, and some rows have sets."""
    rng = np.random.default_rng(seed)
    X, y = make_blobs(n, centers=N_CLASSES, cluster_std=3.0, random_state=seed)
    n_bags = n // bag_size
    shares = rng.dirichlet(np.ones(n_bags), size=N_CLASSES)
    bags = np.array([rng.choice(n_bags, p=shares[label]) for label in y])
    mask = rng.random((n, N_CLASSES)) < 0.5
    mask[rng.random(n) >= share_of_sets] = True
    mask[np.arange(n), y] = True
    counts = {b: {k: int(np.sum(y[bags == b] == k)) for k in range(N_CLASSES)} for b in set(bags)}
    return X, bag_counts(LabelSets.from_mask(mask), bags, counts), y


def counts_of(rng, n=9):
    """Random sets and bounds that truth keeps."""
    truth, bags = rng.integers(3, size=n), np.sort(np.arange(n) % 2)
    mask = rng.random((n, 3)) < 0.6
    mask[np.arange(n), truth] = True
    exact = np.zeros((2, 3), dtype=int)
    np.add.at(exact, (bags, truth), 1)
    slack = rng.integers(2, size=(2, 2, 3))
    bounds = np.stack([np.maximum(exact - slack[0], 0), exact + slack[1]], axis=2)
    return ClassCounts(LabelSets.from_mask(mask), bounds, bags)


@pytest.mark.parametrize("seed", range(4))
def test_within_bags_are_the_nearest_distributions_that_keep_the_counts(seed):
    rng = np.random.default_rng(seed)
    counts = counts_of(rng)
    p = rng.dirichlet(np.ones(3), size=len(counts))
    found = within_bags(p, counts)
    inside = counts.mask
    members = counts.bag_of_row == np.arange(2)[:, None]

    def divergence(values):
        q = np.zeros(p.shape)
        q[inside] = values
        return np.sum(q[inside] * np.log(np.maximum(q[inside], 1e-12) / p[inside]))

    def sums(values):
        q = np.zeros(p.shape)
        q[inside] = values
        return np.concatenate(
            [
                (members @ q - counts.bounds[..., 0]).ravel(),
                (counts.bounds[..., 1] - members @ q).ravel(),
            ]
        )

    def totals(values):
        q = np.zeros(p.shape)
        q[inside] = values
        return q.sum(axis=1) - 1.0

    start = (inside / inside.sum(axis=1, keepdims=True))[inside]
    best = minimize(
        divergence,
        start,
        bounds=[(0.0, 1.0)] * len(start),
        constraints=[{"type": "ineq", "fun": sums}, {"type": "eq", "fun": totals}],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert best.success
    # The divergence is strictly convex, and the solver of the oracle may stop early.
    assert divergence(found[inside]) <= best.fun + 1e-7
    assert sums(found[inside]).min() >= -1e-6
    assert (found[~inside] == 0.0).all()


@pytest.mark.parametrize("temperature", [0.3, 1.0])
def test_the_temperature_of_bags_is_found(temperature):
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(3000, 3))
    truth = [rng.choice(3, p=p) for p in softmax(scores / temperature, axis=1)]
    bags = np.arange(3000) // 10
    exact = np.zeros((300, 3), dtype=int)
    np.add.at(exact, (bags, truth), 1)
    whole = LabelSets.from_mask(np.ones((3000, 3)))
    counts = ClassCounts(whole, np.stack([exact, exact], axis=2), bags)
    found = fit_bag_calibration(scores, counts, np.ones(3, dtype=bool))
    assert found.temperature == pytest.approx(temperature, rel=0.2)
    # Bounds that hold in any case say nothing: any temperature is as good.
    free = ClassCounts(whole, np.tile([0, 10], (300, 3, 1)), bags)
    assert fit_bag_calibration(scores, free, np.ones(3, dtype=bool)).log_likelihood == 0.0


@pytest.mark.parametrize(("share_of_sets", "hides_bags"), [(0.6, False), (0.0, True)])
def test_what_is_hidden_of_a_row_does_not_change_its_scores(share_of_sets, hides_bags):
    X, counts, y = rows_in_bags(0, share_of_sets, 5, n=120)
    hiding = hiding_of(counts, np.arange(120), None)
    assert hiding.hides_bags is hides_bags is (not counts.informative.any())
    folds = hiding.units % 5
    loss, ones = ZeroOneLoss().bind(counts.classes), np.ones(120)
    judge = Judge(KernelRidgeWeights().fit(X), AnnealedMinimization())

    def scores_of(one):
        return judged_in_bags([judge], one, loss, ones, hiding, [folds]).first_scores

    bounds, mask, hidden = counts.bounds.copy(), counts.mask.copy(), folds == 2
    if hides_bags:
        # Other counts of the hidden bags: the two first classes exchange their rows.
        of_fold = np.unique(counts.bags[hidden])
        bounds[of_fold] = bounds[of_fold][:, [1, 0, 2, 3]]
    else:
        mask[hidden] = np.arange(N_CLASSES) == y[hidden, None]
    other = ClassCounts(LabelSets(mask, counts.classes), bounds, counts.bags)
    before, after = scores_of(counts), scores_of(other)
    assert_array_equal(before[hidden], after[hidden])
    assert not np.allclose(before[~hidden], after[~hidden])


def test_copies_in_other_bags_lose_their_own_votes():
    """Of two copies with different targets both votes go, as if both rows were left out."""
    rng = np.random.default_rng(0)
    equal = np.repeat(np.arange(15), 2)
    weights = KernelRidgeWeights(regularization=1e-2).fit(rng.normal(size=(15, 2))[equal])
    votes, targets = weights.training_votes(), rng.dirichlet(np.ones(3), size=30)
    found = own_votes(weights, votes, equal).removed(
        votes @ targets, _of_copies(targets, votes, equal)
    )
    smoother = votes @ np.eye(30)
    for unit in range(15):
        rows = np.flatnonzero(equal == unit)
        residuals = (targets - smoother @ targets)[rows]
        without = np.linalg.solve(np.eye(2) - smoother[np.ix_(rows, rows)], residuals)
        assert_allclose(found[rows], targets[rows] - without, atol=1e-8)


@pytest.mark.parametrize(
    ("seed", "share_of_sets", "bag_size", "kind"),
    [(0, 0.6, 20, "hidden sets"), (1, 0.0, 10, "hidden bags")],
)
def test_confidence_beats_leave_one_out(seed, share_of_sets, bag_size, kind, monkeypatch):
    X, counts, y = rows_in_bags(seed, share_of_sets, bag_size)
    model = PartialLabelClassifier("kernel_ridge").fit(X, counts)
    right, is_open = model.labels_ == y, ~counts.is_single
    assert model.confidence_kind_ == kind
    exam = cross_examine(PartialLabelClassifier("kernel_ridge"), X, counts, cv=10)
    assert_array_equal(exam.confidence, model.confidence_)
    assert exam.hides_bags is (kind == "hidden bags")
    with monkeypatch.context() as patch:
        patch.setattr("disambig.estimators.partial_label_classifier.judge_fit", lambda *given: None)
        before = PartialLabelClassifier("kernel_ridge").fit(X, counts)
    assert before.confidence_kind_ == "leave-one-out"
    assert_array_equal(before.labels_, model.labels_)
    found = [
        (
            roc_auc_score(right[is_open], confidence[is_open]),
            expected_calibration_error(confidence[is_open], right[is_open]),
        )
        for confidence in (before.confidence_, model.confidence_)
    ]
    assert found[1][0] > found[0][0] + 0.03
    assert found[1][1] < 0.6 * found[0][1]
    # New rows, too: the shares of votes are too low.
    new, truth = X + 1e-3, y
    losses = [
        -np.mean(np.log(np.maximum(one.predict_proba(new)[np.arange(len(y)), truth], 1e-6)))
        for one in (before, model)
    ]
    assert losses[1] < losses[0]


def test_answers_keep_the_bags():
    X, counts, y = rows_in_bags(2, 0.6, 20, n=200)
    exam = cross_examine(PartialLabelClassifier("kernel_ridge"), X, counts)
    rows = exam.ask(10).rows
    after = exam.refit(rows, y[rows])
    assert (after.labels[rows] == y[rows]).all()
    found = np.zeros(counts.bounds.shape[:2], dtype=int)
    np.add.at(found, (counts.bags, after.codes), 1)
    assert_array_equal(found, counts.bounds[..., 0])
    assert np.mean(after.labels == y) > np.mean(exam.labels == y)
    assert len(exam.with_answers(rows, y[rows]).answers) == 10
    # A bag without rows of a class contradicts an answer of this class.
    bag, code = np.argwhere(counts.bounds[..., 1] == 0)[0]
    row = int(np.flatnonzero(counts.bags == bag)[0])
    with pytest.raises(CandidateError, match=f"keep the counts .* of bag {counts.names[bag]!r}"):
        exam.refit([row], [code])


def test_wrong_sets_are_suspicious_to_rows_of_other_folds():
    rng = np.random.default_rng(0)
    X, y = make_blobs(200, centers=np.array([[0, 0], [6, 0], [0, 6]]), random_state=0)
    bags = (rng.random(200) * (2 + 3 * y)).astype(int)
    mask = np.zeros((200, 3), dtype=bool)
    mask[np.arange(200), y] = mask[np.arange(200), (y + 1) % 3] = True
    wrong = rng.choice(200, 12, replace=False)
    mask[wrong, y[wrong]], mask[wrong, (y[wrong] + 2) % 3] = False, True
    shares = {b: {k: float(np.mean(y[bags == b] == k)) for k in range(3)} for b in range(8)}
    shares = {
        b: {k: (max(s - 0.2, 0.0), min(s + 0.2, 1.0)) for k, s in one.items()}
        for b, one in shares.items()
    }
    exam = cross_examine(
        PartialLabelClassifier("kernel_ridge"),
        X,
        bag_counts(LabelSets.from_mask(mask), bags, shares),
    )
    assert roc_auc_score(np.isin(np.arange(200), wrong), exam.suspicion) > 0.97
