"""Tests of labels that leave their sets at a price."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from disambig import PartialLabelClassifier
from disambig.candidates import ClassCounts, LabelSets
from disambig.candidates.labels.tolerance import tolerant_sets
from disambig.datasets import UniformCorruption, remove_truths
from disambig.estimators.held_out.wrong_sets import WrongSets
from disambig.estimators.selection.hidden_sets import HiddenSets
from disambig.estimators.tolerance.labels import price_of
from disambig.estimators.tolerance.leaving import Leaving, tolerant_shares
from disambig.losses import ZeroOneLoss
from disambig.solvers import AnnealedMinimization
from disambig.trust import cross_examine
from disambig.votes import as_votes
from disambig.votes.mixture import MixtureVotes, mixture_of
from disambig.weights import NeighborWeights

N_CLASSES = 5


@pytest.fixture(scope="module")
def clusters():
    """Five clusters; sets of the truth and .3 of the others, a fifth of them without the truth."""
    rng = np.random.default_rng(0)
    truth = rng.integers(N_CLASSES, size=300)
    X = rng.normal(size=(300, 2)) + 6.0 * np.c_[np.cos(truth * 1.3), np.sin(truth * 1.3)]
    clean = UniformCorruption(0.3)(truth, classes=np.arange(N_CLASSES), random_state=0)
    wrong, is_wrong = remove_truths(clean, truth, 0.2, random_state=0)
    return X, truth, clean, wrong, is_wrong


@pytest.fixture(scope="module")
def tolerant(clusters):
    X, _, _, wrong, _ = clusters
    return PartialLabelClassifier("neighbors", tolerance="auto").fit(X, wrong)


def test_labels_leave_wrong_sets_and_are_right_there(clusters, tolerant):
    _, truth, _, _, is_wrong = clusters
    right = tolerant.labels_ == truth
    assert np.isfinite(tolerant.tolerance_)
    assert is_wrong[tolerant.outside_].mean() > 0.9
    assert tolerant.outside_[is_wrong].mean() > 0.7
    assert right[is_wrong].mean() > 0.7
    assert right[~is_wrong].mean() > 0.98


def test_outside_marks_exactly_the_labels_outside(clusters, tolerant):
    _, _, _, wrong, _ = clusters
    assert_array_equal(tolerant.outside_, ~wrong.contains(tolerant.labels_))


def test_confidence_is_that_of_the_label_and_sums_to_one(tolerant):
    shares = tolerant.label_distributions_
    assert_allclose(shares.sum(axis=1), 1.0)
    rows = np.arange(len(shares))
    assert_allclose(tolerant.confidence_, shares[rows, tolerant.labels_])
    # Labels that leave are the most probable ones, with the price paid.
    outside = np.flatnonzero(tolerant.outside_)
    assert_array_equal(shares[outside].argmax(axis=1), tolerant.labels_[outside])


def test_labels_leave_wrong_sets_of_few_classes():
    """With three classes wrong sets soften what the others say more than the price allows for."""
    rng = np.random.default_rng(2)
    truth = np.arange(150) % 3
    X = rng.normal(size=(150, 2)) + 5.0 * np.eye(3, 2)[truth]
    clean = UniformCorruption(0.4)(truth, random_state=2)
    wrong, is_wrong = remove_truths(clean, truth, 0.2, random_state=2)
    solver = AnnealedMinimization(temperatures=(1.0, 0.36))
    model = PartialLabelClassifier(NeighborWeights(15), solver=solver, tolerance="auto")
    model.fit(X, wrong)
    left = model.outside_
    assert is_wrong[left].mean() > 0.85
    assert left[is_wrong].mean() > 0.6
    assert (model.labels_ == truth).mean() > 0.9
    # As suspects, which are named by the same posterior.
    suspects = cross_examine(model, X, wrong).suspects().rows
    assert np.isin(np.flatnonzero(left), suspects).mean() > 0.9


def test_clean_sets_change_nothing(clusters):
    X, _, clean, _, _ = clusters
    strict = PartialLabelClassifier("neighbors").fit(X, clean)
    tolerant = PartialLabelClassifier("neighbors", tolerance="auto").fit(X, clean)
    assert np.isinf(tolerant.tolerance_)
    assert not tolerant.outside_.any()
    assert_array_equal(tolerant.labels_, strict.labels_)
    assert_array_equal(tolerant.confidence_, strict.confidence_)
    assert_array_equal(tolerant.predict_proba(X), strict.predict_proba(X))
    assert "_held_out_" not in vars(tolerant)


def test_a_high_price_keeps_all_labels_inside(clusters):
    X, _, _, wrong, _ = clusters
    found = PartialLabelClassifier("neighbors", tolerance=50.0).fit(X, wrong)
    assert found.tolerance_ == 50.0
    assert not found.outside_.any()
    assert wrong.contains(found.labels_).all()


def test_lower_prices_let_more_labels_leave(clusters):
    X, _, _, wrong, _ = clusters
    solver = AnnealedMinimization(temperatures=(1.0, 0.36))
    counts = [
        PartialLabelClassifier(NeighborWeights(15), solver=solver, tolerance=price)
        .fit(X, wrong)
        .outside_.sum()
        for price in (0.1, 2.0, 8.0)
    ]
    assert counts[0] >= counts[1] >= counts[2]


def test_a_row_does_not_vote_itself_out(clusters):
    """A lone row far away: nobody else votes there, so its label stays in its set."""
    X, _, _, wrong, _ = clusters
    X, mask = X.copy(), wrong.mask.copy()
    X[0], mask[0] = 1e3, np.eye(N_CLASSES, dtype=bool)[2]
    found = PartialLabelClassifier("nadaraya_watson", tolerance=0.5).fit(X, mask)
    assert found.labels_[0] == 2
    assert not found.outside_[0]


def test_the_default_selects_the_mean_of_weightings(clusters):
    X, truth, _, wrong, is_wrong = clusters
    found = PartialLabelClassifier(tolerance="auto").fit(X[:150], wrong[:150])
    assert found.solver_.class_shares == "average"
    assert (found.labels_ == truth[:150])[~is_wrong[:150]].mean() > 0.95


def test_weight_zero_pipelines_and_clones(clusters):
    X, truth, _, wrong, _ = clusters
    weights = np.ones(len(truth))
    weights[::7] = 0.0
    model = make_pipeline(StandardScaler(), PartialLabelClassifier("neighbors", tolerance=2.0))
    fitted = clone(model).fit(X, wrong, partiallabelclassifier__sample_weight=weights)[-1]
    assert wrong[np.arange(0, len(truth), 7)].contains(fitted.labels_[::7]).all()
    assert_array_equal(fitted.outside_, ~wrong.contains(fitted.labels_))


def test_examinations_judge_tolerant_labels(clusters, tolerant):
    X, truth, _, wrong, _ = clusters
    exam = cross_examine(PartialLabelClassifier("neighbors", tolerance="auto"), X, wrong)
    assert_array_equal(exam.labels, tolerant.labels_)
    outside = tolerant.outside_
    # Other folds judge, so that single rows differ.
    assert abs(exam.confidence[outside].mean() - (exam.labels == truth)[outside].mean()) < 0.1


@pytest.mark.parametrize("price", [-1, np.nan, np.inf, True, [1.0]])
def test_bad_prices_are_refused(clusters, price):
    X, _, clean, _, _ = clusters
    with pytest.raises(ValueError, match="tolerance must be a finite number >= 0"):
        PartialLabelClassifier("neighbors", tolerance=price).fit(X, clean)


def test_a_price_of_zero_is_refused(clusters):
    X, _, clean, _, _ = clusters
    with pytest.raises(ValueError, match="at tolerance=0 classes outside of a set count as much"):
        PartialLabelClassifier("neighbors", tolerance=0).fit(X, clean)


def test_unknown_words_baselines_and_other_solvers_are_refused(clusters):
    X, _, clean, _, _ = clusters
    with pytest.raises(ValueError, match="tolerance must be None, 'auto' or a price"):
        PartialLabelClassifier("neighbors", tolerance="some").fit(X, clean)
    with pytest.raises(ValueError, match="method='average' recovers none"):
        PartialLabelClassifier("neighbors", tolerance=1.0, method="average").fit(X, clean)
    with pytest.raises(ValueError, match=r"needs probabilities of labels.*annealed"):
        PartialLabelClassifier("neighbors", tolerance=1.0, solver="alternating").fit(X, clean)


def test_what_cannot_be_judged_is_said(clusters):
    X, _, clean, _, _ = clusters
    counts = ClassCounts.balanced(clean)
    with pytest.raises(ValueError, match="cannot be combined with class counts"):
        PartialLabelClassifier("neighbors", tolerance=1.0).fit(X, counts)
    model = PartialLabelClassifier("neighbors", tolerance="auto")
    with pytest.warns(UserWarning, match="lets no label leave its set: fewer than 30"):
        assert np.isinf(model.fit(X[:20], clean[:20]).tolerance_)


def test_so_many_wrong_sets_that_nothing_tells_them():
    """Labels are learned at a price, and stay in their sets: better than without tolerance."""
    X, codes = make_blobs(240, 4, centers=4, cluster_std=4.0, random_state=0)
    clean = UniformCorruption(0.5)(codes, random_state=0)
    wrong, is_wrong = remove_truths(clean, codes, 0.3, random_state=0)
    strict = PartialLabelClassifier("neighbors").fit(X, wrong)
    model = PartialLabelClassifier("neighbors", tolerance="auto")
    with pytest.warns(UserWarning, match="no label leave its set: the other rows are wrong too"):
        model.fit(X, wrong)
    assert model.tolerance_ == pytest.approx(price_of(0.2, wrong.mask))
    assert not model.outside_.any()
    assert wrong.contains(model.labels_).all()
    assert_allclose(model.label_distributions_.sum(axis=1), 1.0)
    right = [(one.labels_ == codes)[~is_wrong].mean() for one in (strict, model)]
    assert right[1] > right[0] + 0.05


# ---------------------------------------------------------------- parts


def test_price_is_the_odds_of_the_model():
    """With every other class in the set with probability p: the odds of the two explanations."""
    rng = np.random.default_rng(0)
    mask = np.c_[np.ones(4000, dtype=bool), rng.random((4000, 9)) < 0.3]
    expected = np.log(0.9 / 0.1) + np.log(0.7 / 0.3)
    assert price_of(0.1, mask) == pytest.approx(expected, abs=0.05)
    assert price_of(0.0, mask) == np.inf
    assert price_of(0.9, ~mask | np.eye(1, 10, dtype=bool)) == np.inf


def test_tolerant_sets_weigh_classes_by_the_price():
    sets = LabelSets.from_any([{0, 1}, {2}], classes=range(4))
    found = tolerant_sets(sets, np.log(2.0))
    assert_allclose(found.weights, [[0.4, 0.4, 0.2, 0.0], [0.25, 0.25, 0.5, 0.0]])
    soft = LabelSets.from_weights([[0.9, 0.1, 0.0], [0.0, 0.0, 1.0]])
    assert_allclose(tolerant_sets(soft, np.log(2.0)).weights[0], [0.72, 0.08, 0.2])


def test_tolerant_shares_are_bayes_rule():
    sets = LabelSets.from_any([{0}, {1, 2}], classes=range(3))
    P = np.array([[0.1, 0.8, 0.1], [0.9, 0.05, 0.05]])
    found = tolerant_shares(P, sets, np.log(4.0))
    assert_allclose(found[0], np.array([0.1, 0.2, 0.025]) / 0.325)
    assert_allclose(tolerant_shares(P, sets, np.inf), [[1, 0, 0], [0, 0.5, 0.5]])


def test_shares_of_wrong_sets_are_bayes_rule():
    """Inside and outside of a set, classes share its posterior in proportion to ``P^power``."""
    mask = np.array([[1, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, 1]], dtype=bool)
    sets = LabelSets(mask, np.arange(4))
    P = np.array([[0.1, 0.2, 0.3, 0.4], [0.97, 0.03, 0.0, 0.0], [0.4, 0.3, 0.2, 0.1]])
    wrong_sets = WrongSets(0.1, True, 2.0, np.array([0.0, 2.0, 1.0, 0.5, 0.0]))
    leaving = Leaving(1.0, wrong_sets)
    shares = leaving.shares(P, sets)
    posterior = wrong_sets.posterior(P, mask)
    for row in range(3):
        for inside, total in ((mask[row], 1 - posterior[row]), (~mask[row], posterior[row])):
            weights = np.where(inside, P[row] ** 2, 0.0)
            expected = total * weights / weights.sum() if weights.any() else 0.0 * weights
            assert_allclose(np.where(inside, shares[row], 0.0), expected, atol=1e-15)
    assert_allclose(shares.sum(axis=1), 1.0)
    codes, leaves = leaving.codes(np.array([1, 2, 0]), shares, mask)
    assert_array_equal(leaves, posterior > 0.9)
    assert_array_equal(leaves, [False, True, False])
    assert_array_equal(codes, [1, 0, 0])


def test_hidden_sets_are_solved_in_one_form_and_scored_in_the_other():
    rng = np.random.default_rng(1)
    mask = rng.random((30, 3)) < 0.5
    mask[:, 0] |= ~mask.any(axis=1)
    sets = LabelSets(mask, np.arange(3))
    votes, loss = as_votes(rng.random((30, 30))), ZeroOneLoss().bind(sets.classes)
    folds = np.arange(30) % 3
    plain, tolerant = (
        HiddenSets(sets, loss, folds, np.ones(30), solved).average_score(votes)
        for solved in (None, tolerant_sets(sets, 200.0))
    )
    # At a price nobody pays, both are the same.
    assert tolerant.loss == pytest.approx(plain.loss, abs=1e-12)


def test_joined_votes_equal_the_sum_of_their_products():
    rng = np.random.default_rng(2)
    dense, thin = rng.random((6, 6)), np.diag(rng.random(6))
    parts = [as_votes(dense), NeighborWeights(2).fit(thin).training_votes(), as_votes(thin)]
    joined, apart = mixture_of(parts, [0.5, 0.3, 0.2]), MixtureVotes(tuple(parts), (0.5, 0.3, 0.2))
    values = rng.random((6, 2))
    assert_allclose(joined @ values, apart @ values)
    assert_allclose(joined.T @ values, apart.T @ values)
    assert_allclose(joined.row_sums(), apart.row_sums())
