"""Promises where they are hard to keep: wrong sets, copies, weights, singletons, odd inputs."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import Pipeline

from disambig import IntervalRegressor, PartialLabelClassifier
from disambig.model_selection import CandidateKFold
from disambig.trust import cross_examine
from disambig.weights import NeighborWeights


def labelled(n=200, n_classes=3, seed=0, separation=3.0, maybe=0.4):
    """Classes on a circle, and sets in which each wrong class is with chance `maybe`."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=n)
    angle = 2 * np.pi * truth / n_classes
    X = rng.normal(size=(n, 2)) + separation * np.column_stack([np.cos(angle), np.sin(angle)])
    mask = (truth[:, None] == np.arange(n_classes)) | (rng.uniform(size=(n, n_classes)) < maybe)
    return X, truth, mask, rng


def test_numbers_outside_of_their_sets_are_not_covered_by_parts_of_them():
    rng = np.random.default_rng(0)
    n = 1500
    X = rng.uniform(-2, 2, (n, 1))
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=n)
    width = rng.uniform(0.3, 2, n)
    low = y - rng.uniform(size=n) * width
    wrong = rng.uniform(size=n) < 0.09
    low[wrong] = y[wrong] + 0.05
    exam = cross_examine(
        IntervalRegressor(NeighborWeights(20)), X, np.column_stack([low, low + width])
    )
    drawn = rng.choice(n, 500, replace=False)
    found = exam.with_answers(drawn, y[drawn]).predict_set(None, 0.8, meaning="truth")
    rest = np.setdiff1d(np.arange(n), drawn)
    covered = (found[:, 0] <= y) & (y <= found[:, 1])
    assert covered[rest].mean() > 0.76


def test_the_weighting_of_prediction_is_what_is_calibrated():
    X, truth, mask, rng = labelled(300, separation=1.0, maybe=0.3)
    new, new_truth, _, _ = labelled(2000, seed=7, separation=1.0, maybe=0.3)
    model = PartialLabelClassifier("kernel_ridge", predict_weights=NeighborWeights(1))
    drawn = rng.choice(300, 200, replace=False)
    exam = cross_examine(model, X, mask).with_answers(drawn, truth[drawn])
    found = exam.predict_set(new, 0.8, meaning="truth").mask
    assert found[np.arange(2000), new_truth].mean() > 0.75
    with pytest.raises(ValueError, match="predict_weights did not"):
        model.fit(X, mask).predict_set(new)


def test_copies_of_unequal_weights():
    X, _, mask, _ = labelled(100, separation=1.5)
    whole = PartialLabelClassifier("kernel_ridge").fit(X, mask, sample_weight=np.full(100, 10.0))
    parts = PartialLabelClassifier("kernel_ridge").fit(
        np.vstack([X, X]),
        np.vstack([mask, mask]),
        sample_weight=np.repeat([9.0, 1.0], 100),
    )
    assert_allclose(parts.confidence_[:100], whole.confidence_, atol=1e-8)
    assert_allclose(parts.confidence_[100:], whole.confidence_, atol=1e-8)


def test_equal_rows_of_votes_are_not_equal_inputs():
    cell = np.repeat(np.arange(30), 10)
    votes = (cell[:, None] == cell) / 10.0
    rng = np.random.default_rng(1)
    truth = np.repeat(rng.integers(3, size=30), 10)
    mask = (truth[:, None] == np.arange(3)) | (rng.uniform(size=(300, 3)) < 0.4)
    model = PartialLabelClassifier("precomputed").fit(votes, mask)
    assert (model.labels_ == truth).all()
    assert model.confidence_.mean() > 0.95
    exam = cross_examine(PartialLabelClassifier("precomputed"), votes, mask)
    assert exam.confidence.mean() > 0.95


def test_checked_singletons_do_not_stand_for_open_rows():
    X, truth, mask, rng = labelled(1500, n_classes=4, separation=1.2, maybe=0.35)
    exam = cross_examine(PartialLabelClassifier("neighbors"), X, mask)
    is_open = mask.sum(axis=1) > 1
    covered = []
    for _ in range(5):
        drawn = rng.choice(1500, 80, replace=False)
        answered = exam.with_answers(drawn, truth[drawn], singletons=True)
        found = answered.predict_set(None, 0.9, meaning="truth").mask
        covered.append(found[np.arange(1500), truth].mean())
    assert np.mean(covered) > 0.88
    assert answered.wrong_share_of_answers == 0
    assert (answered.answers.weights[is_open[answered.answers.rows]] > 1).all()
    assert answered.accept(risk=0.5).threshold is not None


def test_weights_are_copies_in_the_coverage():
    def drawn(n, seed):
        rng = np.random.default_rng(seed)
        truth = rng.choice(3, p=[0.45, 0.45, 0.1], size=n)
        centres = np.array([[-4, 0], [4, 0], [0, 0.0]])
        X = rng.normal(size=(n, 2)) * np.where(truth == 2, 4, 0.7)[:, None] + centres[truth]
        mask = (truth[:, None] == np.arange(3)) | (rng.uniform(size=(n, 3)) < 0.2)
        return X, mask, np.where(truth == 2, 10.0, 1.0)

    X, mask, weight = drawn(500, 0)
    new, new_mask, new_weight = drawn(4000, 1)
    rows = np.repeat(np.arange(500), weight.astype(int))
    weighted = PartialLabelClassifier("kernel_ridge").fit(X, mask, sample_weight=weight)
    repeated = PartialLabelClassifier("kernel_ridge").fit(X[rows], mask[rows])
    informative = ~new_mask.all(axis=1)
    found = [
        np.average(
            (model.predict_set(new, 0.9).mask & new_mask).any(axis=1)[informative],
            weights=new_weight[informative],
        )
        for model in (weighted, repeated)
    ]
    assert_allclose(found[0], found[1], atol=0.01)
    exam = cross_examine(
        PartialLabelClassifier("kernel_ridge"), X, mask, sample_weight=weight, cv=10
    )
    met = (exam.predict_set(new, 0.9).mask & new_mask).any(axis=1)[informative]
    assert np.average(met, weights=new_weight[informative]) > 0.87


def test_normalised_weights_do_not_change_the_calibration():
    X, _, mask, _ = labelled(150, separation=1.5)
    one = PartialLabelClassifier("kernel_ridge").fit(X, mask)
    small = PartialLabelClassifier("kernel_ridge").fit(
        X, mask, sample_weight=np.full(150, 1.0 / 150)
    )
    assert_allclose(small.confidence_, one.confidence_, atol=1e-6)


def test_nothing_is_open():
    X, truth, _, _ = labelled()
    exam = cross_examine(PartialLabelClassifier("neighbors"), X, truth)
    found = exam.with_answers(np.arange(50), truth[:50]).accept()
    assert found.rows.all()
    assert "No row has several candidates" in found.promise
    numbers = X[:, 0]
    ends = np.column_stack([numbers - 0.3, numbers + 0.3])
    ends[:150] = numbers[:150, None]
    answered = cross_examine(IntervalRegressor("neighbors"), X, ends).with_answers(
        np.arange(20), numbers[:20]
    )
    assert answered.recalibration.n_answers == 0


def test_splitters_get_sets_and_groups():
    X, _, mask, _ = labelled()
    model = PartialLabelClassifier("neighbors")
    assert cross_examine(model, X, mask, cv=CandidateKFold(4)).confidence.mean() > 0.9
    groups = np.arange(200) % 20
    assert cross_examine(model, X, mask, cv=GroupKFold(4), groups=groups).confidence.mean() > 0.9


def test_folds_that_hide_everything_are_refused():
    X, _, mask, _ = labelled(300, separation=1.5)
    model = PartialLabelClassifier("neighbors")
    with pytest.raises(ValueError, match="at least 2 folds; got True"):
        cross_examine(model, X, mask, cv=True)
    is_open = mask.all(axis=1)
    rows, rest = np.flatnonzero(is_open), np.flatnonzero(~is_open)
    with pytest.raises(ValueError, match="no row is left that excludes"):
        cross_examine(model, X, mask, cv=[(rows, rest), (rest, rows)])


def test_a_pipeline_of_one_step_and_sparse_formats():
    X, _, mask, _ = labelled(120)
    model = PartialLabelClassifier("neighbors")
    plain = cross_examine(model, sp.csr_array(X), mask, cv=3)
    chain = Pipeline([("only", PartialLabelClassifier("neighbors"))])
    assert cross_examine(chain, X, mask, cv=3).confidence.mean() > 0.8
    sparse = cross_examine(model, sp.coo_matrix(X), mask, cv=3)
    assert_allclose(sparse.confidence, plain.confidence, atol=1e-6)
    assert cross_examine(chain, sp.coo_matrix(X), mask, cv=3).confidence.mean() > 0.8
