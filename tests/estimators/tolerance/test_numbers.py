import numpy as np
from scipy.stats import norm

from disambig.candidates import Intervals
from disambig.estimators.held_out.residuals import Residuals
from disambig.estimators.tolerance.numbers import NumberVerdict, judge_numbers

RESIDUALS = Residuals("normal", np.array([1.0]), 0.1, np.array([0.0]), np.array([5.0]))


def test_a_number_leaves_where_its_interval_is_more_probable_for_any_row():
    lower, upper = np.array([-1.0, 3.0, 2.0, -np.inf]), np.array([1.0, 4.0, np.inf, np.inf])
    sets = Intervals(lower, upper)
    verdict = NumberVerdict(sets, np.zeros((4, 1)), RESIDUALS, np.ones(4))
    own = norm.cdf(upper) - norm.cdf(lower)
    any_row = norm.cdf(upper / 5) - norm.cdf(lower / 5)
    against = np.log(any_row / own)
    for price in (0.0, 1.0, 2.5, 6.0):
        found = verdict.widened(price)
        np.testing.assert_array_equal(np.isinf(found.lower[:3, 0]), against[:3] > price)
        np.testing.assert_array_equal(found.upper[3:], sets.upper[3:])
    mixed = 0.9 * own + 0.1 * any_row
    np.testing.assert_allclose(verdict.log_likelihood, np.log(mixed).sum())


def test_points_have_densities_and_far_ones_leave():
    sets = Intervals.from_points([1.0, 4.0, 1e9])
    verdict = NumberVerdict(sets, np.zeros((3, 1)), RESIDUALS, np.ones(3))
    price = float(np.log(norm.pdf(4 / 5) / 5 / norm.pdf(4.0)))
    assert np.isinf(verdict.widened(price - 0.01).lower).ravel().tolist() == [False, True, True]
    assert np.isinf(verdict.widened(price + 0.01).lower).ravel().tolist() == [False, False, True]


def test_the_columns_of_a_box_leave_one_by_one():
    residuals = Residuals("normal", np.ones(2), 0.1, np.zeros(2), np.full(2, 5.0))
    boxes = Intervals(np.array([[-1.0, 4.0]]), np.array([[1.0, 5.0]]), flat=False)
    found = NumberVerdict(boxes, np.zeros((1, 2)), residuals, np.ones(1)).widened(2.0)
    np.testing.assert_array_equal(found.lower, [[-1.0, -np.inf]])
    np.testing.assert_array_equal(found.upper, [[1.0, np.inf]])


def test_shares_of_wrong_intervals():
    rng = np.random.default_rng(0)
    f = rng.uniform(-10, 10, size=400)
    y = f + 0.5 * rng.normal(size=400)
    wrong = np.arange(400) < 60
    y[wrong] = rng.permutation(y)[:60]
    sets = Intervals.from_centers(y, 0.5)
    found = judge_numbers(f[:, None], sets, np.ones(400))
    assert 0.08 < found.wrong_share < 0.2
    clean = judge_numbers(f[60:, None], sets[np.arange(60, 400)], np.ones(340))
    assert clean.wrong_share == 0.0


def test_a_trial_leaves_a_fifth_of_the_sets():
    rng = np.random.default_rng(0)
    sets = Intervals.from_centers(rng.normal(size=100), 0.5)
    found = judge_numbers(rng.normal(size=(100, 1)), sets, np.ones(100))
    assert np.isinf(found.widened(found.trial_price).lower).sum() == 20


def test_a_share_at_its_bound_is_none():
    # Few rows have residuals of a size that no family explains: no sets are wrong.
    rng = np.random.default_rng(0)
    f = rng.normal(size=300)
    scale = np.where(np.arange(300) < 150, 1e-3, 1.0)
    sets = Intervals.from_centers(f + scale * rng.normal(size=300), 1e-4)
    found = judge_numbers(f[:, None], sets, np.ones(300))
    assert found.residuals.wrong_share > 0.44
    assert found.wrong_share == 0.0
    assert not found.is_known
