"""The squared loss: means, and ends of the span where there is no minimum."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize_scalar

from disambig.candidates import Intervals, IntervalUnions
from disambig.losses import SquaredLoss
from disambig.votes import as_votes
from tests.oracles.number_lines import infimum_value, random_sets

LOSS = SquaredLoss()
SPAN = np.array([[-1.0, 3.0]])


def test_predictions_are_means():
    rng = np.random.default_rng(0)
    A, y = rng.random((4, 6)), rng.uniform(-1, 3, (6, 2))
    found = LOSS.best_prediction(as_votes(A), y, np.repeat(SPAN, 2, axis=0))
    assert_allclose(found, A @ y / A.sum(axis=1, keepdims=True), rtol=1e-14)


def test_targets_are_means_clipped_to_the_set():
    rng = np.random.default_rng(1)
    A, z = rng.random((4, 6)), rng.uniform(-1, 3, (4, 1))
    sets = Intervals(np.full(6, 0.5), np.array([0.6, 0.8, 1.0, 2.0, np.inf, np.inf]))
    found = LOSS.best_target(as_votes(A).T, z, sets, SPAN)
    mean = A.T @ z / A.sum(axis=0)[:, None]
    assert_allclose(found, np.clip(mean, sets.lower, sets.upper), rtol=1e-14)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([1.0, -1.0], -1.0),  # linear, rising
        ([-1.0, 1.0], 3.0),  # linear, falling
        ([0.1 + 0.2, -0.3], -1.0),  # linear, although rounding keeps the votes from cancelling
        ([-1.0, -1.0], -1.0),  # concave: as far as possible from the mean, 1.5
        ([-3.0, -1.0], 3.0),  # concave, from .75
        ([-1.0, 2.0], 6.0),  # convex, its mean beyond the span
        ([0.0, 0.0], 1.0),  # no votes: the middle
    ],
)
def test_votes_that_do_not_sum_to_a_positive_number(row, expected, form):
    y = np.array([[0.0], [3.0]])
    found = LOSS.best_prediction(as_votes(form(np.array([row]))), y, SPAN)
    assert_array_equal(found, [[expected]])


def test_of_equally_good_ends_the_nearest_to_the_current_value():
    y = np.array([[1.0]])
    negative = as_votes(np.full((4, 1), -1.0))
    current = np.array([[2.0], [0.0], [1.0], [np.nan]])
    assert_array_equal(LOSS.best_prediction(negative, y, SPAN, current), [[3.0], [-1], [-1], [-1]])
    assert_array_equal(LOSS.best_prediction(negative, y, SPAN), [[-1.0]] * 4)


def test_votes_that_cancel_count_as_no_votes():
    """Curvature and moment are zero up to rounding."""
    y = np.array([[0.7], [0.7], [0.7]])
    votes = as_votes(np.array([[0.1, 0.2, -0.3]]))
    assert_array_equal(LOSS.best_prediction(votes, y, SPAN), [[1.0]])
    assert_array_equal(LOSS.best_prediction(votes, y, SPAN, np.array([[0.25]])), [[0.25]])
    sets = IntervalUnions.from_any([[(-1, 0), (2, 3)]])
    assert_array_equal(LOSS.best_target(votes, y, sets, SPAN), [[-0.5]])
    assert_array_equal(LOSS.best_target(votes, y, sets, SPAN, np.array([[2.5]])), [[2.5]])


def test_best_target_takes_the_nearest_segment_of_a_union():
    sets = IntervalUnions.from_any([[(-1, 0), (2, 3)]] * 4)
    z = np.array([[0.9], [1.1], [1.0]])
    votes = as_votes(np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1]]))
    current = np.array([[3.0], [0.0], [1.2], [3.0]])
    assert_array_equal(LOSS.best_target(votes, z, sets, SPAN, current), [[0.0], [2], [2], [3]])
    assert_array_equal(LOSS.best_target(votes, z, sets, SPAN), [[0.0], [2], [0], [-1]])


@given(seed=st.integers(0, 10_000))
def test_convex_infimum_agrees_with_scipy(seed):
    rng = np.random.default_rng(seed)
    sets = random_sets(rng, 6, unions=False)
    row = rng.random(6) + 0.1
    span = np.array([[-4.0, 4.0]])
    found = LOSS.infimum_prediction(as_votes(row[None, :]), sets, span)[0, 0]
    other = minimize_scalar(
        lambda z: float(infimum_value(LOSS, row, np.array(z), sets, span)),
        bounds=(-4.0, 4.0),
        method="bounded",
        options={"xatol": 1e-11},
    )
    assert infimum_value(LOSS, row, np.array(found), sets, span) <= other.fun + 1e-13


def test_average_prediction_is_the_mean_of_the_centers():
    rng = np.random.default_rng(2)
    sets = random_sets(rng, 30)
    A = rng.random((5, 30))
    finite = np.isfinite(sets.centers[:, 0])
    assert 0 < finite.sum() < 30
    expected = A[:, finite] @ sets.centers[finite] / A[:, finite].sum(axis=1, keepdims=True)
    assert_allclose(LOSS.average_prediction(as_votes(A), sets, sets.span), expected, rtol=1e-13)


def test_the_total_of_close_numbers_far_from_zero():
    z, y = np.array([[1e6], [1e6 + 1e-3]]), np.array([[1e6 + 5e-4], [1e6]])
    A = np.array([[1.0, 2.0], [-1.0, 0.5]])
    expected = sum(A[i, j] * (z[i, 0] - y[j, 0]) ** 2 for i in range(2) for j in range(2))
    assert_allclose(LOSS.total(as_votes(A), z, y), expected, rtol=1e-12)


@given(seed=st.integers(0, 10_000))
def test_infimum_minima_beyond_the_span(seed):
    """If the sum of losses has a minimum on the whole line, no point of the line is lower."""
    rng = np.random.default_rng(seed)
    sets = random_sets(rng, 6)
    row = rng.normal(0.4, 1.0, 6)
    found = LOSS.infimum_prediction(as_votes(row[None, :]), sets, sets.span)[0, 0]
    low, high = sets.span[0]
    bounded = np.array([np.isfinite([np.min(row_set), np.max(row_set)]) for row_set in sets])
    # On either side a positive vote pays only for sets that have an end there.
    curvatures = [(np.where(row > 0, ends, True) * row).sum() for ends in bounded.T]
    width = high - low + 1.0
    points = np.linspace(low, high, 500)
    if curvatures[0] > 1e-3:
        points = np.append(points, np.linspace(low - 50 * width, low, 2000))
    if curvatures[1] > 1e-3:
        points = np.append(points, np.linspace(high, high + 50 * width, 2000))
    values = infimum_value(LOSS, row, points, sets, sets.span)
    best = infimum_value(LOSS, row, np.array(found), sets, sets.span)
    assert best <= values.min() + 1e-9 * (1 + np.abs(values).max())


def test_a_mean_far_beyond_the_span_does_not_affect_other_rows():
    sets = Intervals(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0]))
    far = np.array([[1.0, 1.0, -2.0 + 1e-7], [0.2, 0.3, 0.5]])
    found = LOSS.infimum_prediction(as_votes(far), sets, sets.span)[:, 0]
    assert_allclose(found, far @ sets.lower[:, 0] / far.sum(axis=1), rtol=1e-8)
    assert_allclose(found[1], 1.3, rtol=1e-14)
