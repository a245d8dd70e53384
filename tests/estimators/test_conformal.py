"""Conformal thresholds: exact coverage over all choices of the new row, and loops as oracles."""

from fractions import Fraction
from math import ceil, inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.estimators.conformal import (
    classwise_thresholds,
    conformal_threshold,
    label_scores,
    least_rows,
    prediction_mask,
    set_scores,
)

# Coverages as exact fractions, so that the oracle has no rounding.
COVERAGES = st.builds(Fraction, st.integers(1, 19), st.just(20))
SCORES = st.lists(st.integers(0, 50), min_size=1, max_size=12)


def shares_covered(scores: list[int], coverage: Fraction) -> Fraction:
    """Over the choice of the row that is new, how often its score is up to the threshold."""
    covered = 0
    for new, score in enumerate(scores):
        others = scores[:new] + scores[new + 1 :]
        covered += score <= conformal_threshold(others, float(coverage))
    return Fraction(covered, len(scores))


@given(st.lists(st.integers(0, 50), min_size=1, max_size=12, unique=True), COVERAGES)
def test_distinct_scores_are_covered_exactly(scores: list[int], coverage: Fraction) -> None:
    n = len(scores)
    assert shares_covered(scores, coverage) == Fraction(ceil(coverage * n), n)


@given(SCORES, COVERAGES)
def test_tied_scores_are_covered_at_least(scores: list[int], coverage: Fraction) -> None:
    assert shares_covered(scores, coverage) >= coverage


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 6)), min_size=1, max_size=10), COVERAGES
)
def test_weighted_scores_are_covered_with_the_weight_of_the_new_row(
    rows: list[tuple[int, int]], coverage: Fraction
) -> None:
    """The new row is each of the rows with a probability in proportion to its weight."""
    total = sum(weight for _, weight in rows)
    covered = conservative = 0
    for new, (score, weight) in enumerate(rows):
        others = rows[:new] + rows[new + 1 :]
        scores, weights = [s for s, _ in others], [w for _, w in others]
        covered += weight * (score <= conformal_threshold(scores, float(coverage), weights, weight))
        most = max(w for _, w in rows)
        conservative += weight * (
            score <= conformal_threshold(scores, float(coverage), weights, most)
        )
    assert coverage <= Fraction(covered, total) <= Fraction(conservative, total)
    if len({score for score, _ in rows}) == len(rows):
        heaviest = Fraction(max(weight for _, weight in rows), total)
        assert Fraction(covered, total) < coverage + heaviest


@given(SCORES, COVERAGES, st.floats(1e-3, 1e3))
def test_equal_weights_change_nothing(scores: list[int], coverage: Fraction, weight: float) -> None:
    plain = conformal_threshold(scores, float(coverage))
    equal = [weight] * len(scores)
    assert conformal_threshold(scores, float(coverage), equal) == plain
    # Not recognised as equal: the weighted sum must agree as well.
    nearly = [weight * (1 + 1e-15 * (j % 2)) for j in range(len(scores))]
    assert conformal_threshold(scores, float(coverage), nearly, weight) == plain


@given(SCORES, COVERAGES, COVERAGES, st.integers(0, 99))
def test_the_threshold_grows_with_coverage_and_with_the_weight_of_the_new_row(
    scores: list[int], one: Fraction, other: Fraction, seed: int
) -> None:
    low, high = sorted([float(one), float(other)])
    weights = np.random.default_rng(seed).uniform(0.1, 3, len(scores))
    assert conformal_threshold(scores, low) <= conformal_threshold(scores, high)
    found = [conformal_threshold(scores, c, weights, w) for c in (low, high) for w in (0.1, 2, 9)]
    assert found[0] <= found[1] <= found[2]
    assert found[0] <= found[3]
    assert conformal_threshold(scores, low, weights) == conformal_threshold(
        scores, low, weights, weights.max()
    )


@given(COVERAGES)
def test_least_rows_is_the_first_finite_threshold(coverage: Fraction) -> None:
    n = least_rows(float(coverage))
    assert n == ceil(coverage / (1 - coverage))
    assert conformal_threshold(np.arange(n), float(coverage)) < inf
    assert n == 1 or conformal_threshold(np.arange(n - 1), float(coverage)) == inf


def test_extreme_coverages() -> None:
    assert least_rows(0.999) == 999
    assert least_rows(1e-12) == 1
    assert conformal_threshold([3.0, 1.0, 2.0], 1e-12) == 1.0
    assert conformal_threshold([], 0.5) == inf
    assert conformal_threshold([], 0.5, []) == inf
    assert conformal_threshold([inf, 1.0, 2.0], 0.5) == 2.0


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 999))
def test_scores_of_sets_are_those_of_their_best_and_worst_members(
    n: int, K: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.ones(K), n)
    mask = rng.uniform(size=(n, K)) < 0.5
    mask[np.arange(n), rng.integers(K, size=n)] = True
    scores = label_scores(probabilities)
    np.testing.assert_array_equal(scores, 1 - probabilities)
    members = [scores[j][mask[j]] for j in range(n)]
    assert set_scores(scores, mask, "meets").tolist() == [one.min() for one in members]
    assert set_scores(scores, mask, "contains").tolist() == [one.max() for one in members]
    # What the two meanings say about prediction sets.
    threshold = float(rng.uniform())
    inside = scores <= threshold
    meets = set_scores(scores, mask, "meets") <= threshold
    contains = set_scores(scores, mask, "contains") <= threshold
    np.testing.assert_array_equal(meets, (inside & mask).any(axis=1))
    np.testing.assert_array_equal(contains, (inside | ~mask).all(axis=1))


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 2)), max_size=40), COVERAGES)
def test_each_class_has_the_threshold_of_its_rows(
    rows: list[tuple[int, int]], coverage: Fraction
) -> None:
    scores, codes = [s for s, _ in rows], [c for _, c in rows]
    found = classwise_thresholds(scores, codes, 4, float(coverage))
    own = [[s for s, c in rows if c == k] for k in range(4)]
    assert found.tolist() == [conformal_threshold(one, float(coverage)) for one in own]
    assert found[3] == inf
    weights = [1.0 + s % 3 for s in scores]
    weighted = classwise_thresholds(scores, codes, 4, float(coverage), weights)
    for k in range(4):
        of_class = [w for w, c in zip(weights, codes, strict=True) if c == k]
        most = max(weights, default=1.0)
        assert weighted[k] == conformal_threshold(own[k], float(coverage), of_class, most)


def test_prediction_sets_have_the_best_classes_and_all_up_to_the_threshold() -> None:
    scores = np.array([[0.1, 0.4, 0.8], [0.7, 0.6, 0.7], [0.7, 0.6, 0.6]])
    assert prediction_mask(scores, 0.5).tolist() == [[1, 1, 0], [0, 1, 0], [0, 1, 1]]
    assert prediction_mask(scores, 0.4).tolist()[0] == [1, 1, 0]
    assert prediction_mask(scores, inf).all()
    classwise = prediction_mask(scores, np.array([0.0, 0.4, inf]))
    assert classwise.tolist() == [[1, 1, 1], [0, 1, 1], [0, 1, 1]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: conformal_threshold([1.0], 1.0), "coverage must be .*> 0 and < 1"),
        (lambda: conformal_threshold([1.0, np.nan], 0.5), "with 1 NaN"),
        (lambda: conformal_threshold([1.0], 0.5, [0.0]), "positive finite number"),
        (lambda: conformal_threshold([1.0], 0.5, [1.0, 2.0]), "each of the 1 calibration rows"),
        (lambda: conformal_threshold([1.0], 0.5, None, 2.0), "test_weight=2.0 needs weights"),
        (lambda: least_rows(0.0), "coverage must be"),
        (lambda: label_scores([0.5, 0.5]), "must be a table"),
        (lambda: label_scores([[0.5, 0.5], [1.5, -0.5]]), "row 1 has probabilities outside"),
        (lambda: set_scores(np.zeros((1, 2)), np.zeros((1, 2), bool), "meets"), "row 0 has an emp"),
        (lambda: set_scores(np.zeros((1, 2)), np.ones((1, 3), bool), "meets"), "same shape"),
        (lambda: set_scores(np.zeros((1, 2)), np.ones((1, 2), bool), "truth"), "meaning must be"),
        (lambda: classwise_thresholds([1.0], [2], 2, 0.5), "a class from 0 to 1"),
        (lambda: prediction_mask(np.zeros((1, 2)), np.zeros(3)), "each of the 2 classes"),
        (lambda: prediction_mask(np.zeros((1, 2)), np.nan), "not NaN"),
    ],
)
def test_errors_in_words(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
