"""Ties in `predict` and in rows of weight zero: rounding is one, a larger difference is not.

The tolerance of ties is 1e-10, and 1e-5 for votes in float32. A difference of 1e-6 decides in
float64, one of 1e-13 does not.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig import (
    IntervalRegressor,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
    StructuredPredictor,
)
from disambig.solvers import AlternatingMinimization
from disambig.weights import NeighborWeights, PrecomputedWeights

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
    ("advantage", "label", "decided"), [(1e-6, "b", True), (1e-13, "a", False)]
)
def test_a_row_of_weight_zero_is_decided_by_the_same_rule(advantage, label, decided):
    votes = np.eye(6)
    votes[5] = [*query(advantage)[0], 0.0]
    y = [{label} for label in LABELS] + [{"a", "b"}]
    model = PartialLabelClassifier(PrecomputedWeights(), solver="alternating")
    model.fit(votes, y, sample_weight=[1, 1, 1, 1, 1, 0])
    assert model.labels_[5] == label
    assert model.decided_[5] == decided


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


def test_a_row_of_weight_zero_without_votes_takes_the_more_frequent_candidate():
    # "c" is the prediction of a row without votes, and not a candidate there.
    votes = np.eye(7)
    votes[6, 6] = 0.0
    y = [{"a"}, {"b"}, {"b"}, {"c"}, {"c"}, {"c"}, {"a", "b"}]
    for model in (
        PartialLabelClassifier(PrecomputedWeights(), solver="alternating"),
        StructuredPredictor("zero_one", weights=PrecomputedWeights()),
    ):
        model.fit(votes, y, sample_weight=[1, 1, 1, 1, 1, 1, 0])
        assert model.labels_[6] == "b"
        assert not model.decided_[6]


# ------------------------------------------------------------------ one tolerance, two precisions


def tables(n):
    """Targets of every kind for n rows, and the model that reads them."""
    steps = AlternatingMinimization()
    codes = np.arange(n) % 3
    sets = [{"abc"[k]} if j % 2 else {"abc"[k], "abc"[(k + 1) % 3]} for j, k in enumerate(codes)]
    bits = np.where(np.arange(n)[:, None] % 4 == 3, np.nan, codes[:, None] >= [1, 2])
    ranks = np.array([[0, 1, 2], [2, 0, 1], [1, 2, 0]])[codes]
    ends = np.column_stack([codes, codes + np.arange(n) % 2]).astype(float)
    return {
        "labels": (lambda weights: PartialLabelClassifier(weights, solver=steps), sets),
        "bits": (lambda weights: PartialMultilabelClassifier(weights=weights), bits),
        "orders": (PartialRanker, ranks),
        "numbers": (IntervalRegressor, ends),
        # The absolute loss has several optimal targets in many sets: here all are known.
        "medians": (lambda weights: IntervalRegressor(weights, loss="absolute"), ends[:, 0]),
    }


@given(kind=st.sampled_from(list(tables(1))), seed=st.integers(0, 10**6), precomputed=st.booleans())
def test_votes_in_both_precisions_predict_the_same(kind, seed, precomputed):
    rng = np.random.default_rng(seed)
    n = 9
    make, y = tables(n)[kind]
    if precomputed:
        # Thirds are rounded in both precisions, and differently; sums of them tie often.
        X = rng.integers(0, 4, size=(n, n)) / 3.0
        X[np.arange(n), np.arange(n)] += 1.0
        queries, weights = rng.integers(0, 4, size=(4, n)) / 3.0, PrecomputedWeights()
        queries[:, 0] += 1.0
    else:
        # Small integers are exact in both precisions, so that the neighbours are the same.
        X = rng.permutation(n)[:, None].astype(float)
        queries, weights = rng.integers(0, n, size=(4, 1)) + 0.25, NeighborWeights(3)
    found = []
    for precision in (np.float64, np.float32):
        model = make(weights).fit(X.astype(precision), y)
        found.append((model.labels_, model.predict(queries.astype(precision))))
    (labels, predictions), (others, other_predictions) = found
    if kind == "orders" and precomputed:
        # Orders that tie by votes and by frequency have no first one that both precisions find.
        assert others.tolist() == labels.tolist()
        psi = model.loss_.psi(predictions) - model.loss_.psi(other_predictions)
        targets = model.solution_.targets.embedded
        assert np.abs((psi * (queries @ targets)).sum(axis=1)).max() < 1e-5
        assert np.abs(psi @ targets.mean(axis=0)).max() < 1e-5
    elif kind in ("numbers", "medians"):
        # Means of float32 votes have their rounding; ends and medians tie within the tolerance.
        assert np.allclose(others, labels, rtol=0, atol=1e-4)
        assert np.allclose(other_predictions, predictions, rtol=0, atol=1e-4)
    else:
        assert np.asarray(others).tolist() == np.asarray(labels).tolist()
        assert np.asarray(other_predictions).tolist() == np.asarray(predictions).tolist()


@pytest.mark.parametrize("tolerance", [None, 1e-3])
def test_the_tolerance_of_the_solver_is_that_of_predict(tolerance):
    solver = AlternatingMinimization(tie_tolerance=tolerance)
    # "b" has an advantage of 1e-4: more than the usual tolerance, less than a thousandth.
    expected = "b" if tolerance is None else "a"
    classifier = PartialLabelClassifier(PrecomputedWeights(), solver=solver)
    structures = StructuredPredictor("zero_one", weights=PrecomputedWeights(), solver=solver)
    for model in (classifier, structures):
        model.fit(np.eye(5), LABELS)
        assert model.predict(query(1e-4)).tolist() == [expected]
        assert model.solution_.tie_tolerance == (tolerance or 1e-10)
    bits = PartialMultilabelClassifier(weights=PrecomputedWeights(), solver=solver)
    bits.fit(np.eye(5), (LABELS == "b")[:, None].astype(float))
    assert bits.predict(query(1e-4)).tolist() == [[int(expected == "b")]]
    ranker = PartialRanker(PrecomputedWeights(), solver=solver)
    ranker.fit(np.eye(5), np.column_stack([LABELS == "b", LABELS == "a"]).astype(int))
    assert ranker.predict(query(1e-4))[0, 0] == int(expected == "b")
