"""`confidence_` of every kind: how far the other rows support the recovered target."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor

from disambig import (
    DisambiguatedRegressor,
    IntervalRegressor,
    Mixture,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
)
from disambig.candidates import PartialBits, number_sets
from disambig.estimators.held_out.residual_fit import fit_residuals
from disambig.estimators.mixture import only_predicts
from disambig.weights import KernelRidgeWeights, NeighborWeights
from tests.estimators.small_search import small_search

# Four rows; each gets one vote of every other row, and none of its own.
OTHERS = (np.ones((4, 4)) - np.eye(4)) / 3.0
X = OTHERS


def test_labels_have_the_share_of_the_votes_inside_their_set():
    y = [{"a"}, {"a"}, {"b"}, {"a", "b"}]
    model = PartialLabelClassifier("precomputed").fit(X, y)
    assert model.labels_.tolist() == ["a", "a", "b", "a"]
    # The votes at the last row are a, a, b; a set of one leaves no choice.
    np.testing.assert_allclose(model.confidence_, [1, 1, 1, 2 / 3])


def test_orders_have_the_mean_over_pairs():
    # Two rows say a before b before c, the third a before c before b, and the last nothing.
    y = ["a>b>c", "a>b>c", "a>c>b", "a>b"]
    model = PartialRanker("precomputed", items=["a", "b", "c"]).fit(X, y)
    assert model.labels_[3].tolist() == [0, 1, 2]
    np.testing.assert_allclose(model.confidence_[:3], 1.0)
    # a before b is observed, a before c has all votes, b before c two of three.
    np.testing.assert_allclose(model.confidence_[3], (1 + 1 + 2 / 3) / 3)


def test_bits_have_one_minus_the_expected_loss():
    nan = np.nan
    bits = PartialBits.from_any(np.array([[1, 1], [1, 0], [1, 0], [nan, nan]], dtype=float))
    model = PartialMultilabelClassifier(weights="precomputed").fit(X, bits)
    assert model.labels_[3].tolist() == [1, 0]
    # All votes for the first tag, two of three against the second.
    np.testing.assert_allclose(model.confidence_[3], 1 - (0 + 1 / 3) / 2)


def test_numbers_have_the_probability_to_be_within_a_distance():
    y = [(0, 0), (0, 0), (3, 3), (2, 9)]
    model = IntervalRegressor("precomputed", formulation="votes").fit(X, y)
    assert model.labels_.tolist() == [0, 0, 3, 2]
    # A tenth of the range of the labels. The others of the last row predict 1.
    np.testing.assert_allclose(model.confidence_distance_, 0.3)
    sets = number_sets(y)
    others = np.array([[5 / 3], [5 / 3], [2 / 3], [1.0]])
    residuals = fit_residuals(others, sets)
    expected = residuals.within([0, 0, 3, 2], others, sets, 0.3)
    np.testing.assert_allclose(model.confidence_, expected)
    assert model.confidence_[:3].tolist() == [1, 1, 1]
    assert model.confidence_kind_ == "leave-one-out"


def test_hidden_sets_judge_numbers_that_would_follow_their_own_set():
    """Without a ridge the function meets every set, so that leave-one-out sees no error at all."""
    rng = np.random.default_rng(0)
    inputs = rng.uniform(-3, 3, size=(150, 3))
    truth = inputs.sum(axis=1) + rng.normal(size=150)
    # On which side of a threshold the number is.
    threshold = rng.permutation(truth)
    y = np.where(
        (truth < threshold)[:, None],
        np.column_stack([np.full(150, -np.inf), threshold]),
        np.column_stack([threshold, np.full(150, np.inf)]),
    )
    flexible = KernelRidgeWeights(kernel="laplacian", bandwidth=3.0, regularization=1e-8)
    model = IntervalRegressor(flexible).fit(inputs, y)
    assert model.confidence_kind_ == "hidden sets"
    right = np.abs(model.labels_ - truth) <= model.confidence_distance_
    assert abs(model.confidence_.mean() - right.mean()) < 0.1
    with only_predicts():
        member = IntervalRegressor(flexible).fit(inputs, y)
    assert member.confidence_kind_ == "leave-one-out"
    assert member.confidence_.mean() > right.mean() + 0.1
    np.testing.assert_array_equal(member.labels_, model.labels_)


@pytest.mark.parametrize("kind", ["votes", "mixture", "alternation"])
def test_the_confidence_of_numbers_is_calibrated(kind):
    rng = np.random.default_rng(2)
    n = 400
    inputs = rng.uniform(-2, 2, size=(n, 2))
    truth = 3 * np.sin(inputs[:, 0]) + inputs[:, 1] + 0.5 * rng.normal(size=n)
    width = rng.exponential(3.0, n)
    lower = truth - width * rng.random(n)
    ridge = IntervalRegressor(KernelRidgeWeights(intercept=True, regularization=1e-3))
    near = IntervalRegressor("neighbors")
    model = {
        "votes": ridge,
        "mixture": IntervalRegressor(Mixture([ridge, near])),
        "alternation": DisambiguatedRegressor(
            KNeighborsRegressor(10), start="average", max_iter=2, cv=3
        ),
    }[kind]
    model.fit(inputs, np.column_stack([lower, lower + width]))
    right = np.abs(model.labels_ - truth) <= model.confidence_distance_
    order = np.argsort(model.confidence_)
    gaps = [
        abs(model.confidence_[part].mean() - right[part].mean())
        for part in np.array_split(order, 8)
    ]
    # With 50 rows in a part, half of the standard errors are above .04.
    assert np.mean(gaps) < 0.07
    assert model.confidence_kind_ == ("leave-one-out" if kind == "alternation" else "hidden sets")


@pytest.mark.parametrize("sample_weight", [None, [1, 2, 0, 1]])
def test_confidence_is_a_share(sample_weight):
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(4, 2))
    cases = {
        PartialLabelClassifier("kernel_ridge"): [{"a"}, {"a", "b"}, {"b"}, {"a", "b"}],
        PartialRanker("kernel_ridge"): ["a>b", "b>c", "c>a", "b>a"],
        IntervalRegressor("kernel_ridge"): [(0, 1), (0.5, 4), (1, 1), (-np.inf, 3)],
        PartialMultilabelClassifier(weights="kernel_ridge"): PartialBits.from_any(
            np.array([[1, 0], [np.nan, 0], [0, np.nan], [1, 1]], dtype=float)
        ),
    }
    for model, y in cases.items():
        confidence = model.fit(inputs, y, sample_weight=sample_weight).confidence_
        assert confidence.shape == (4,)
        assert ((confidence >= 0) & (confidence <= 1)).all()


@small_search()
def test_an_interval_far_from_all_others_has_the_least_confidence():
    rng = np.random.default_rng(1)
    inputs = rng.uniform(-2, 2, size=(60, 1))
    middle = np.sin(inputs[:, 0])
    y = np.column_stack([middle - 0.3, middle + 0.3])
    y[7] += 5.0
    for model in (IntervalRegressor(), IntervalRegressor(NeighborWeights(5))):
        confidence = model.fit(inputs, y).confidence_
        assert confidence.argmin() == 7
        assert confidence[7] < 0.6 < np.median(confidence)
