"""Suspects of every kind: who is named and why, false alarms with and without answers, refusals."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import false_discovery_control
from sklearn.datasets import make_blobs

from disambig import (
    IntervalRegressor,
    PartialBits,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialOrders,
    PartialRanker,
)
from disambig.datasets import UniformCorruption, remove_truths
from disambig.trust import Suspects, cross_examine
from disambig.trust.suspects import (
    benjamini_hochberg,
    choose_by_answers,
    choose_by_posterior,
    conformal_p_values,
    suspect_ranks,
)
from disambig.weights import KernelRidgeWeights, NadarayaWatsonWeights, NeighborWeights

ANIMALS = np.array(["cat", "cow", "dog", "emu"])


def blobs(share, n=400, seed=0):
    """Inputs, sets of which a share misses the truth, the truth, and which sets are wrong."""
    X, codes = make_blobs(n, 2, centers=4, cluster_std=1.2, random_state=1)
    truth = ANIMALS[codes]
    sets = UniformCorruption(0.3)(truth, random_state=seed)
    return X, *remove_truths(sets, truth, share, random_state=seed), truth


@pytest.fixture(scope="module")
def labels():
    X, y, is_wrong, truth = blobs(0.15)
    return cross_examine(PartialLabelClassifier(NeighborWeights(15)), X, y), is_wrong, truth


def test_suspect_labels_are_named_with_the_reason(labels):
    exam, is_wrong, truth = labels
    assert_allclose(exam.wrong_share, 0.15, atol=0.05)
    found = exam.suspects()
    assert isinstance(found, Suspects)
    assert len(found) > 0.7 * is_wrong.sum()
    assert is_wrong[found.rows].mean() > 0.8
    frame = found.frame()
    assert frame["row"].tolist() == found.rows.tolist()
    posterior = exam.wrong_set_probability[found.rows]
    assert (np.diff(posterior) <= 0).all()
    assert_allclose(frame["posterior"], posterior)
    assert_allclose(frame["score"], exam.suspicion[found.rows])
    assert (np.array(found.instead) == truth[found.rows]).mean() > 0.8
    row = int(found.rows[0])
    members = " | ".join(ANIMALS[exam.candidates.mask[row]])
    top = exam.distributions[row].max()
    assert found.why[0] == (
        f"the other rows say {truth[row]} ({top:.2f}); the set is {members}, to which they give "
        f"{1 - exam.suspicion[row]:.2f}"
    )
    assert_allclose(found.instead_probability[0], top)


def test_without_answers_false_alarms_are_estimated(labels):
    exam, is_wrong, _ = labels
    sizes = []
    for level in (0.02, 0.1, 0.3):
        found = exam.suspects(level)
        assert found.estimated_false_alarms <= level
        assert "Estimated under the model" in found.statement
        assert not found.is_controlled
        sizes.append(len(found))
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    wide = exam.suspects(0.3)
    true = 1 - is_wrong[wide.rows].mean()
    assert wide.estimated_false_alarms / 2 <= true + 0.02
    assert true <= 2 * wide.estimated_false_alarms + 0.02


def test_clean_sets_have_no_suspects():
    X, y, _, _ = blobs(0.0)
    exam = cross_examine(PartialLabelClassifier(NeighborWeights(15)), X, y)
    assert exam.wrong_share < 0.01
    found = exam.suspects()
    assert len(found) == 0
    assert found.frame().empty
    assert found.estimated_false_alarms == 0
    assert "No set is suspect" in found.statement


def test_inputs_that_say_nothing_accuse_nobody():
    rng = np.random.default_rng(0)
    y = UniformCorruption(0.5)(rng.choice(ANIMALS, 300), random_state=0)
    exam = cross_examine(PartialLabelClassifier(NeighborWeights(10)), rng.normal(size=(300, 2)), y)
    assert not exam.wrong_sets.is_known
    found = exam.suspects()
    assert len(found) == 0
    assert "The other rows are wrong too often" in found.statement


def test_answers_bound_false_alarms(labels):
    """The share of false alarms, mean over draws of answers, is at most the level."""
    exam, is_wrong, truth = labels
    rng = np.random.default_rng(0)
    shares, sizes = [], []
    for _ in range(30):
        rows = rng.choice(len(truth), 150, replace=False)
        found = exam.with_answers(rows, truth[rows]).suspects(0.2)
        tested = found.rows[~np.isin(found.rows, rows)]
        shares.append(1 - is_wrong[tested].mean() if tested.size else 0.0)
        sizes.append(tested.size)
        assert found.is_controlled
    assert np.mean(shares) <= 0.2
    assert np.mean(sizes) > 15
    assert "at most 20%" in found.statement
    assert "folds" in found.statement


def test_answered_rows_are_known(labels):
    exam, is_wrong, truth = labels
    rows = np.random.default_rng(1).choice(len(truth), 150, replace=False)
    answered = exam.with_answers(rows, truth[rows])
    found = answered.suspects(0.2)
    known = np.sort(rows[is_wrong[rows]])
    assert_array_equal(found.rows[: len(known)], known)
    assert list(found.instead[: len(known)]) == truth[known].tolist()
    assert found.why[0] == "the answer is outside of the set"
    assert not np.isin(found.rows, rows[~is_wrong[rows]]).any()
    assert_array_equal(answered.wrong_set_probability[rows], is_wrong[rows])


def test_too_few_answers_say_how_many_are_needed(labels):
    exam, is_wrong, truth = labels
    rows = np.flatnonzero(~is_wrong)[:40:4]
    found = exam.with_answers(rows, truth[rows]).suspects(0.05)
    assert len(found) == 0
    assert "10 clean answers are too few" in found.statement
    needed = int(found.statement.split("and ")[1].split(" clean")[0])
    # With so many answers below them, the same rows would be called suspect.
    ranks = suspect_ranks(exam._wrong_probability(), exam.suspicion)
    clean = ranks[rows]
    rest = np.setdiff1d(np.flatnonzero(exam.candidates.informative), rows)
    low = np.full(needed - len(clean), clean.min())
    assert choose_by_answers(ranks[rest], np.append(clean, low), 0.05).rows.size > 0
    assert choose_by_answers(ranks[rest], np.append(clean, low[1:]), 0.05).rows.size == 0


def test_answers_that_bound_nothing():
    assert "No answer is in its set" in choose_by_answers(np.arange(5), np.arange(0), 0.1).statement
    assert "No row is more suspect" in choose_by_answers(np.arange(5), np.arange(9), 0.1).statement


@pytest.mark.parametrize("level", [0, 1, -0.1, 1.5, "some", None, np.nan])
def test_levels_that_are_no_shares_are_refused(labels, level):
    with pytest.raises(ValueError, match="suspects: false_alarms must be"):
        labels[0].suspects(level)


def test_answers_of_unequal_probabilities_are_refused(labels):
    exam, _, truth = labels
    answered = exam.with_answers([0, 1, 2], truth[:3], inclusion=[0.5, 0.5, 0.1])
    with pytest.raises(ValueError, match="drawn with equal probabilities"):
        answered.suspects()


def test_suspects_cannot_be_changed(labels):
    found = labels[0].suspects()
    with pytest.raises(ValueError, match="read-only"):
        found.rows[0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.statement = "none"
    assert repr(found).startswith(f"Suspects({len(found)} rows, false_alarms=0.1): Estimated")


def test_intervals_that_nobody_near_supports():
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, size=(300, 2))
    truth = 2 * np.sin(X[:, 0]) + X[:, 1]
    is_wrong = rng.random(300) < 0.1
    middle = truth + np.where(is_wrong, 4 * np.sign(rng.normal(size=300)), 0.0)
    width = rng.uniform(0.2, 1.0, 300)
    lower = middle - width * rng.random(300)
    y = np.column_stack([lower, lower + width])
    weights = KernelRidgeWeights(intercept=True, regularization=1e-2)
    exam = cross_examine(IntervalRegressor(weights), X, y)
    found = exam.suspects()
    assert len(found) > 0.6 * is_wrong.sum()
    # The share of false alarms is estimated as 0.1: within a factor of two.
    assert is_wrong[found.rows].mean() > 0.8
    assert_allclose(found.instead, exam.predictions[found.rows])
    row = found.rows[0]
    assert f"the set is [{y[row, 0]:.4g}, {y[row, 1]:.4g}]" in found.why[0]
    assert f"the other rows say {exam.predictions[row]:.4g} (" in found.why[0]


@pytest.mark.parametrize("shift", [10.0, 30.0])
def test_gross_errors_do_not_hide_behind_heavy_tails(shift):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 2))
    truth = X @ [5.0, 10.0] + rng.normal(size=300) * 0.3
    y = truth[:, None] + rng.exponential(size=(300, 2)) * [-1.0, 1.0]
    wrong = rng.permutation(300)[:20]
    y[wrong] += shift
    found = cross_examine(IntervalRegressor("kernel_ridge"), X, y).suspects()
    assert set(wrong) <= set(found.rows)
    assert len(found) < 30


def test_gross_errors_are_found_where_inputs_say_little():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    truth = 0.7 * X[:, 0] + rng.normal(size=200)
    y = truth[:, None] + 0.4 * rng.exponential(size=(200, 2)) * [-1.0, 1.0]
    weights = KernelRidgeWeights(intercept=True)
    assert not len(cross_examine(IntervalRegressor(weights), X, y).suspects())
    wrong = rng.permutation(200)[:10]
    y[wrong] += 8.0
    exam = cross_examine(IntervalRegressor(weights), X, y)
    found = exam.suspects()
    assert set(wrong) <= set(found.rows)
    assert len(found) <= 12
    assert 0.03 < exam.wrong_share < 0.1


def test_predictions_spoilt_by_far_numbers_accuse_nobody():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (300, 2))
    y = (X @ [5.0, 10.0])[:, None] + [-1.0, 1.0]
    y[:20] += 100.0
    exam = cross_examine(IntervalRegressor("neighbors"), X, y)
    found = exam.suspects()
    assert not len(found)
    assert "cannot be distinguished" in found.statement
    assert exam.wrong_share == 0
    assert not exam.wrong_set_probability.any()
    # The rows are still ranked.
    assert np.argsort(-exam.suspicion)[:15].max() < 20


def test_pairs_against_all_neighbours():
    rng = np.random.default_rng(3)
    items = list("abcd")
    X = rng.normal(size=(300, 2))
    utilities = X @ np.random.default_rng(99).normal(size=(2, 4)) + 0.1 * rng.gumbel(size=(300, 4))
    ranks = np.argsort(np.argsort(-utilities, axis=1), axis=1)
    is_wrong = rng.random(300) < 0.1
    shown = np.where(is_wrong[:, None], 3 - ranks, ranks)
    y = PartialOrders.from_ranks(np.where(rng.random((300, 4)) < 0.3, np.nan, shown), items=items)
    exam = cross_examine(PartialRanker(NadarayaWatsonWeights(bandwidth=0.5), items=items), X, y)
    found = exam.suspects(0.2)
    assert len(found) > 0.5 * is_wrong.sum()
    assert is_wrong[found.rows].mean() > 0.75
    for row, instead, why in zip(found.rows, found.instead, found.why, strict=True):
        for pair in instead.split(", "):
            first, second = (items.index(item) for item in pair.split(">"))
            assert y.before[row, second, first]
        assert f"the row has {instead.split(', ')[0][::-1]}" in why


def test_bits_that_are_contradicted():
    rng = np.random.default_rng(5)
    tags = ["red", "blue", "green", "big"]
    X = 1.5 * rng.normal(size=(300, 2))
    bits = (X @ np.random.default_rng(99).normal(size=(2, 4)) > 0).astype(int)
    flipped = rng.random(bits.shape) < 0.1
    known = rng.random(bits.shape) < 0.6
    shown = np.where(known, np.where(flipped, 1 - bits, bits), np.nan)
    predictor = PartialMultilabelClassifier(weights=NadarayaWatsonWeights(bandwidth=0.5))
    exam = cross_examine(predictor, X, PartialBits.from_any(shown, tags=tags))
    assert_allclose(exam.wrong_share, flipped[known].mean(), atol=0.05)
    found = exam.suspects()
    is_wrong = (flipped & known).any(axis=1)
    assert len(found) > 0.4 * is_wrong.sum()
    assert is_wrong[found.rows].mean() > 0.75
    for row, instead in zip(found.rows, found.instead, strict=True):
        for text in instead.split(", "):
            tag, bit = text.split("=")
            assert shown[row, tags.index(tag)] == 1 - int(bit)


@settings(max_examples=100)
@given(st.lists(st.floats(0.001, 1.0), min_size=1, max_size=30), st.floats(0.01, 0.6))
def test_benjamini_hochberg_is_that_of_scipy(p_values, level):
    adjusted = false_discovery_control(p_values, method="bh")
    clear = np.abs(adjusted - level) > 1e-9
    assert_array_equal(benjamini_hochberg(p_values, level)[clear], (adjusted <= level)[clear])


@settings(max_examples=100)
@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=20), st.lists(st.integers(0, 9), max_size=20)
)
def test_p_values_count_clean_scores(scores, clean):
    expected = [(1 + sum(c >= s for c in clean)) / (1 + len(clean)) for s in scores]
    assert_allclose(conformal_p_values(scores, clean), expected)


@settings(max_examples=100)
@given(st.lists(st.sampled_from([0.0, 0.3, 0.7, 0.9, 1.0]), min_size=1), st.floats(0.05, 0.9))
def test_no_longer_list_has_so_few_expected_false_alarms(posterior, level):
    values = np.array(posterior)
    found = choose_by_posterior(values, suspect_ranks(values, np.zeros(len(values))), level)
    best = np.sort(values)[::-1]
    allowed = [k for k in range(1, len(best) + 1) if np.mean(1 - best[:k]) <= level + 1e-12]
    assert len(found) == max(allowed, default=0)
    assert_array_equal(values[found], best[: len(found)])
