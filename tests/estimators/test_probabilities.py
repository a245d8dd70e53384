"""Probabilities from votes: a softmax keeps the order of signed votes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import softmax

from disambig import PartialLabelClassifier
from disambig.estimators.prediction import Probabilities, probabilities_of
from disambig.votes import as_votes
from disambig.weights import KernelRidgeWeights, NeighborWeights

PRIOR, BOTH = np.full(2, 0.5), np.array([True, True])


def test_order_is_kept_and_inputs_without_votes_get_the_prior():
    prior = np.array([0.5, 0.5, 0.0])
    probabilities = Probabilities(prior, prior > 0, 0.3)(
        np.array([[1.4, -0.4, 9.0], [1.2, -0.2, 0.0], [0.0, 0.0, 0.0]])
    )
    assert_allclose(probabilities.sum(axis=1), 1.0)
    assert_array_equal(probabilities[:, 2], 0.0)
    # Both votes are above one; positive parts divided by their sum would be equal.
    assert probabilities[0, 0] > probabilities[1, 0] > 0.9
    assert_array_equal(probabilities[2], prior)


def test_which_votes_are_signed():
    labels = np.array([[1.0, 0.0], [0.0, 1.0]])
    positive = as_votes([[0.5, 0.5], [0.0, 0.0]])
    plain = probabilities_of(positive, labels, np.ones(2), PRIOR, BOTH)
    assert plain.temperature is None
    signed = as_votes([[0.6, 0.4], [2.0, -1.0]])
    # A fifth of the weighted mean of the largest votes of the rows, .6 and 2.
    found = probabilities_of(signed, labels, np.array([3.0, 1.0]), PRIOR, BOTH)
    assert found.temperature == pytest.approx(0.2 * (3 * 0.6 + 2.0) / 4)
    cancelled = as_votes([[1.0, -1.0], [1.0, -1.0]])
    assert probabilities_of(cancelled, labels * 0, np.ones(2), PRIOR, BOTH).temperature == 1.0


def test_a_class_of_undecided_rows_has_a_probability():
    """Rows are known to be "c" or "d", and nothing decides which."""
    X = np.repeat([0.0, 5.0], 40)[:, None] + np.linspace(0, 0.1, 80)[:, None]
    y = [{"a"}] * 40 + [{"c", "d"}] * 40
    model = PartialLabelClassifier("kernel_ridge").fit(X, y)
    assert not model.decided_[40:].any()
    probabilities = model.predict_proba([[5.05]])[0]
    assert probabilities[0] < 0.1
    assert probabilities[1] == pytest.approx(probabilities[2])


def test_probabilities_of_a_classifier():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    truth = (X[:, 0] > 0).astype(int)
    ridge = PartialLabelClassifier(KernelRidgeWeights(regularization=1e-5)).fit(X, truth)
    far = rng.normal(size=(40, 2))
    second = ridge.predict_proba(far)[:, 1]
    assert_array_equal(np.argsort(second), np.argsort(ridge.decision_function(far)))
    assert ((second > 0) & (second < 1)).all()
    near = PartialLabelClassifier(NeighborWeights(5)).fit(X, truth)
    shares = near.weights_.votes(far) @ np.eye(2)[truth]
    assert_allclose(
        near.predict_proba(far), softmax(shares / near.calibration_.temperature, axis=1)
    )
    # The votes of prediction determine the probabilities, not those of training.
    both = PartialLabelClassifier(NeighborWeights(5), predict_weights=KernelRidgeWeights())
    assert (both.fit(X, truth).predict_proba(far) > 0).all()
