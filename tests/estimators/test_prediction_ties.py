"""Ties in `predict` and in rows of weight zero: rounding is one, a larger difference is not.

The tolerance of ties is 1e-10. A difference of 1e-6 decides, one of 1e-13 does not.
"""

import numpy as np
import pytest

from disambig import PartialLabelClassifier, StructuredPredictor
from disambig.weights import PrecomputedWeights

# Three rows of "a", two of "b": every row votes for itself, so that all keep their label.
LABELS = np.array(["a", "a", "a", "b", "b"])


def query(advantage):
    """Votes of one query: one half for "a", one half and `advantage` for "b"."""
    return np.array([[0.5, 0.0, 0.0, 0.5 + advantage, 0.0]])


@pytest.mark.parametrize(("advantage", "expected"), [(1e-6, "b"), (1e-13, "a"), (-1e-6, "a")])
def test_a_small_difference_decides_and_rounding_goes_by_frequency(advantage, expected):
    model = PartialLabelClassifier(PrecomputedWeights(), solver="alternating")
    model.fit(np.eye(5), LABELS)
    assert model.predict(query(advantage)).tolist() == [expected]


@pytest.mark.parametrize(("advantage", "expected"), [(1e-6, "b"), (1e-13, "a"), (-1e-6, "a")])
def test_the_same_for_structures(advantage, expected):
    model = StructuredPredictor("zero_one", weights=PrecomputedWeights()).fit(np.eye(5), LABELS)
    assert model.predict(query(advantage)).tolist() == [expected]


@pytest.mark.parametrize(
    ("advantage", "label", "resolved"), [(1e-6, "b", True), (1e-13, "a", False)]
)
def test_a_row_of_weight_zero_is_decided_by_the_same_rule(advantage, label, resolved):
    votes = np.eye(6)
    votes[5] = [*query(advantage)[0], 0.0]
    y = [{label} for label in LABELS] + [{"a", "b"}]
    model = PartialLabelClassifier(PrecomputedWeights(), solver="alternating")
    model.fit(votes, y, sample_weight=[1, 1, 1, 1, 1, 0])
    assert model.labels_[5] == label
    assert model.resolved_[5] == resolved


def test_the_infimum_loss_has_the_same_tolerance():
    model = StructuredPredictor("zero_one", weights=PrecomputedWeights(), method="infimum")
    model.fit(np.eye(5), LABELS)
    found = [model.predict(query(advantage))[0] for advantage in (1e-6, 1e-13, -1e-6)]
    assert found == ["b", "a", "a"]


@pytest.mark.parametrize("method", ["disambiguation", "infimum", "average"])
def test_without_votes_frequencies_that_differ_by_rounding_tie(method):
    # 0.1 + 0.2 > 0.3 in floating point: of two classes of equal weight the first is predicted.
    model = PartialLabelClassifier(PrecomputedWeights(), method=method, solver="alternating")
    model.fit(np.eye(3), ["b", "b", "a"], sample_weight=[0.1, 0.2, 0.3])
    with pytest.warns(UserWarning, match="get no vote"):
        assert model.predict(np.zeros((1, 3))).tolist() == ["a"]
