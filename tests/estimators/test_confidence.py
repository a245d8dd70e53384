"""`confidence_` of every kind: how far the other rows support the recovered target."""

import numpy as np
import pytest

from disambig import IntervalRegressor, PartialLabelClassifier, PartialRanker, StructuredPredictor
from disambig.candidates import PartialBits
from disambig.losses import HammingLoss
from disambig.weights import NeighborWeights

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
    model = StructuredPredictor(HammingLoss(), weights="precomputed").fit(X, bits)
    assert model.labels_[3].tolist() == [1, 0]
    # All votes for the first tag, two of three against the second.
    np.testing.assert_allclose(model.confidence_[3], 1 - (0 + 1 / 3) / 2)


def test_numbers_have_the_distance_to_what_the_others_predict():
    y = [(0, 0), (0, 0), (3, 3), (2, 9)]
    model = IntervalRegressor("precomputed", formulation="votes").fit(X, y)
    assert model.labels_.tolist() == [0, 0, 3, 2]
    # The others of the last row predict 1, which is 1 from its label; ends span 9.
    np.testing.assert_allclose(model.confidence_, [1, 1, 1, 1 - 1 / 9])
    half = IntervalRegressor(NeighborWeights(2), formulation="votes")
    half.fit(np.array([[0.0], [1.0], [2.0], [3.0]]), [(0, 0), (4, 4), (0, 8), (8, 8)])
    # Row 2 alone is open; without it, its two nearest rows, 1 and 3, predict 6.
    expected = 1 - abs(half.labels_[2] - 6) / 8
    np.testing.assert_allclose(half.confidence_, [1, 1, expected, 1])


@pytest.mark.parametrize("sample_weight", [None, [1, 2, 0, 1]])
def test_confidence_is_a_share(sample_weight):
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(4, 2))
    cases = {
        PartialLabelClassifier("kernel_ridge"): [{"a"}, {"a", "b"}, {"b"}, {"a", "b"}],
        PartialRanker("kernel_ridge"): ["a>b", "b>c", "c>a", "b>a"],
        IntervalRegressor("kernel_ridge"): [(0, 1), (0.5, 4), (1, 1), (-np.inf, 3)],
        StructuredPredictor(HammingLoss(), weights="kernel_ridge"): PartialBits.from_any(
            np.array([[1, 0], [np.nan, 0], [0, np.nan], [1, 1]], dtype=float)
        ),
    }
    for model, y in cases.items():
        confidence = model.fit(inputs, y, sample_weight=sample_weight).confidence_
        assert confidence.shape == (4,)
        assert ((confidence >= 0) & (confidence <= 1)).all()


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
