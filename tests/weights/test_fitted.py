"""`FittedWeights` uses a fitted weighting, for the rows that it was fitted on only."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from disambig import PartialLabelClassifier
from disambig.exceptions import VotesError
from disambig.threads import single_threaded
from disambig.weights import (
    FittedWeights,
    HistogramWeights,
    KernelRidgeWeights,
    NeighborWeights,
    Weights,
)
from disambig.weights.registry import is_pairwise, resolve_weights

RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(30, 3)), RNG.normal(size=(8, 3))
SAMPLE_WEIGHT = RNG.integers(1, 5, 30).astype(float)
TRUTH = (X[:, 0] > 0).astype(int)
SETS = [{int(t)} if k % 3 else {0, 1} for k, t in enumerate(TRUTH)]


@pytest.mark.parametrize("sample_weight", [None, SAMPLE_WEIGHT])
@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
def test_an_estimator_finds_the_same(sample_weight, wrap):
    # On as many threads as the estimator's own fit: sums in another order differ by rounding.
    with single_threaded():
        weighting = KernelRidgeWeights(bandwidth=1.0).fit(wrap(X), sample_weight)
        path = weighting.at_regularization(0.1)
    plain = PartialLabelClassifier(weights=clone(path)).fit(wrap(X), SETS, sample_weight)
    fitted = PartialLabelClassifier(weights=FittedWeights(path)).fit(wrap(X), SETS, sample_weight)
    assert_array_equal(plain.labels_, fitted.labels_)
    assert_array_equal(plain.predict(wrap(Q)), fitted.predict(wrap(Q)))
    assert_array_equal(plain.predict_proba(wrap(Q)), fitted.predict_proba(wrap(Q)))
    assert fitted.weights_.weights is path


def test_single_precision():
    weighting = KernelRidgeWeights(bandwidth=1.0).fit(X.astype(np.float32))
    FittedWeights(weighting).fit(X.astype(np.float32))
    with pytest.raises(VotesError, match="other rows"):
        FittedWeights(weighting).fit(X)


def test_a_fold():
    fold = KernelRidgeWeights(bandwidth=1.0).fit(X).without(np.arange(5))
    clf = PartialLabelClassifier(weights=FittedWeights(fold)).fit(X[5:], SETS[5:])
    again = PartialLabelClassifier(weights=clone(fold)).fit(X[5:], SETS[5:])
    assert_array_equal(clf.labels_, again.labels_)
    assert_array_equal(clf.predict(Q), again.predict(Q))


def test_other_rows_are_refused():
    weighting = FittedWeights(KernelRidgeWeights(bandwidth=1.0).fit(X, SAMPLE_WEIGHT))
    with pytest.raises(VotesError, match=r"fitted on other rows \(shape \(30, 3\)\) than these"):
        weighting.fit(X[:29], SAMPLE_WEIGHT[:29])
    moved = X.copy()
    moved[3, 1] += 1e-9
    with pytest.raises(VotesError, match="fitted on other rows"):
        weighting.fit(moved, SAMPLE_WEIGHT)
    with pytest.raises(VotesError, match="other rows"):
        weighting.fit(sp.csr_array(moved), SAMPLE_WEIGHT)
    assert weighting.fit(sp.csr_array(X), SAMPLE_WEIGHT) is weighting
    with pytest.raises(VotesError, match=r"row \d+ was \d and is now 1\."):
        weighting.fit(X)
    with pytest.raises(VotesError, match="other rows"):
        PartialLabelClassifier(weights=weighting).fit(X[::-1], SETS, SAMPLE_WEIGHT)


def test_it_is_a_weighting_that_is_shared():
    weighting = FittedWeights(NeighborWeights(3).fit(X))
    assert isinstance(weighting, Weights)
    assert clone(weighting) is weighting
    assert resolve_weights(weighting) is weighting
    assert not is_pairwise(weighting)
    check_is_fitted(weighting)
    votes = weighting.fit(X).votes(Q) @ np.eye(30)
    assert_array_equal(votes, weighting.weights.votes(Q) @ np.eye(30))
    found = weighting.leave_one_out_votes() @ np.eye(30)
    assert_array_equal(found, weighting.weights.leave_one_out_votes() @ np.eye(30))


def test_pairs():
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=-1))
    weighting = FittedWeights(KernelRidgeWeights("precomputed").fit(K))
    assert is_pairwise(weighting)
    PartialLabelClassifier(weights=weighting).fit(K, SETS)


def test_what_cannot_be_taken():
    with pytest.raises(NotFittedError):
        FittedWeights(KernelRidgeWeights()).fit(X)
    with pytest.raises(NotFittedError):
        check_is_fitted(FittedWeights(KernelRidgeWeights()))
    with pytest.raises(TypeError, match="HistogramWeights does not keep the rows"):
        FittedWeights(HistogramWeights().fit(X)).fit(X)
    with pytest.raises(TypeError, match="must be a fitted weighting; got str"):
        FittedWeights("kernel_ridge").fit(X)


def test_a_frame_is_a_frame():
    frame, queries = (pd.DataFrame(rows, columns=list("abc")) for rows in (X, Q))
    weighting = KernelRidgeWeights().fit(frame)
    model = PartialLabelClassifier(FittedWeights(weighting)).fit(frame, SETS)
    plain = PartialLabelClassifier(KernelRidgeWeights()).fit(X, SETS)
    # Warnings are errors here: there must be none about missing feature names.
    assert_array_equal(model.predict(queries), plain.predict(Q))
    assert weighting.feature_names_in_.tolist() == ["a", "b", "c"]
