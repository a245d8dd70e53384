"""Means of bags: what is read, what is refused, and the exact projection."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disambig.candidates import Candidates, Intervals, IntervalUnions, MeanBounds, bag_means
from disambig.candidates.numbers.mean_projection import nearest_with_sums
from disambig.exceptions import CandidateError
from tests.oracles.mean_problems import random_means, slow_minimum

BAGS = ["u", "u", "v", "v"]
SETS = [(0, 1), (0, 4), (2, 3), (0, np.inf)]


def test_numbers_pairs_and_unknown_means_are_read():
    found = bag_means(None, BAGS, {"u": (1, 3), "v": None, "w": 7.0})
    assert isinstance(found, Candidates)
    assert found.couples_rows
    np.testing.assert_array_equal(found.bounds, [[1, 3], [-np.inf, np.inf]])
    np.testing.assert_array_equal(found.bags, [0, 0, 1, 1])
    np.testing.assert_array_equal(found.centers.ravel(), [2, 2, np.nan, np.nan])


def test_a_series_is_a_mapping():
    pd = pytest.importorskip("pandas")
    found = bag_means(SETS, BAGS, pd.Series({"u": 1.0, "v": 3.0}))
    np.testing.assert_array_equal(found.bounds, [[1, 1], [3, 3]])


@pytest.mark.parametrize(
    ("y", "bags", "means", "message"),
    [
        (SETS, BAGS, {"u": 1.0}, r"bag 'v' .row 2. is not among the bags .'u'."),
        (SETS, ["u", None, "v", "v"], {"u": 1.0, "v": 3.0}, "row 1 has no bag"),
        (SETS, BAGS[:3], {"u": 1.0, "v": 3.0}, "one entry for each of the 4 rows; got 3"),
        (SETS, BAGS, {"u": 2.6, "v": 3.0}, "bag 'u' is 2.6, and the intervals .* from 0 to 2.5"),
        (SETS, BAGS, {"u": 1.0, "v": 0.5}, "bag 'v' is 0.5, and the intervals .* from 1 to inf"),
        (SETS, BAGS, {"u": np.nan, "v": 3.0}, "bag 'u' has nan; expected a number"),
        (SETS, BAGS, {"u": (1, np.nan), "v": 3.0}, "bag 'u' has .1, nan.; expected"),
        (SETS, BAGS, {"u": np.inf, "v": 3.0}, "bag 'u' has inf; expected"),
        (SETS, BAGS, {"u": "1", "v": 3.0}, "bag 'u' has '1'; expected a number"),
        (SETS, BAGS, {"u": True, "v": 3.0}, "bag 'u' has True; expected a number"),
        (SETS, BAGS, {"u": (2, 1), "v": 3.0}, "2 to 1, and expected smallest <= largest"),
        (SETS, BAGS, None, "bags need means"),
        (SETS, None, {"u": 1.0}, "means need bags"),
        (SETS, BAGS, [1.0, 2.0], "means must be a mapping"),
        (SETS, [1, 1, 2, 2], {"1": 1.0, "2": 3.0}, "same text and another type than int"),
        (np.zeros((4, 2, 2)), BAGS, {"u": 0.0, "v": 0.0}, "plain numbers; got boxes"),
    ],
)
def test_bad_input_is_named(y, bags, means, message):
    with pytest.raises(CandidateError, match=message):
        bag_means(y, bags, means)


def test_unions_bags_without_rows_and_means_twice_are_refused():
    unions = IntervalUnions([0.0, 2.0, 0.0], [1.0, 3.0, 1.0], [0, 2, 3])
    with pytest.raises(CandidateError, match="plain numbers; got IntervalUnions"):
        bag_means(unions, ["u", "u"], {"u": 1.0})
    with pytest.raises(CandidateError, match="bag 1 has no rows"):
        MeanBounds(Intervals.from_any(SETS), [[1, 1], [0, 9]], [0, 0, 0, 0])
    with pytest.raises(CandidateError, match="has means of bags already"):
        bag_means(bag_means(SETS, BAGS, {"u": 1, "v": 3}), BAGS, {"u": 1, "v": 3})


def test_rows_are_selected_by_whole_bags():
    means = bag_means(SETS, BAGS, {"u": 1.0, "v": 3.0})
    part = means[[3, 2]]
    assert part == MeanBounds(means.sets[[3, 2]], [[3.0, 3.0]], [0, 0], ("v",))
    assert means[0] == (0.0, 1.0)
    assert pickle.loads(pickle.dumps(means)) == means
    with pytest.raises(CandidateError, match="1 of 2 rows in bag 'u' are selected"):
        means[[0, 2, 3]]


def test_means_that_points_reach_up_to_rounding_are_accepted():
    y = [0.1, 0.2, 0.3]
    means = bag_means(y, [0, 0, 0], {0: 0.2})
    np.testing.assert_array_equal(means.nearest([5.0, 5.0, 5.0]).ravel(), y)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_the_projection_is_exact(seed):
    rng = np.random.default_rng(seed)
    means = random_means(rng, n=40, n_bags=5)
    values, weights = rng.normal(0, 3, 40), rng.uniform(0.1, 4, 40)
    y = means.nearest_column(values, weights)
    lower, upper = means.lower[:, 0], means.upper[:, 0]
    assert ((y >= lower) & (y <= upper)).all()
    found = np.bincount(means.bags, y) / means.sizes
    np.testing.assert_allclose(found, np.clip(found, *means.bounds.T), atol=1e-12)
    # Optimality: one multiplier for each bag, of the sign of the bound that is reached.
    slopes = weights * (y - values)
    for b in range(len(means.bounds)):
        rows = means.bags == b
        least = slopes[rows & (y > lower)].max(initial=-np.inf)
        most = slopes[rows & (y < upper)].min(initial=np.inf)
        assert least <= most + 1e-9
        if least > 1e-9:
            assert found[b] <= means.bounds[b, 0] + 1e-9
        if most < -1e-9:
            assert found[b] >= means.bounds[b, 1] - 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_the_projection_equals_another_solver(seed):
    rng = np.random.default_rng(seed)
    means, values = random_means(rng), rng.normal(0, 2, 12)
    slow, _ = slow_minimum(np.eye(12), means, values)
    np.testing.assert_allclose(means.nearest(values)[:, 0], slow, atol=1e-6)


def test_rows_without_ends_move_together():
    values, none = np.array([1.0, 2.0, 6.0]), np.full(3, np.inf)
    found = nearest_with_sums(values, -none, none, np.zeros(3, int), np.array([[0.0, 3.0]]))
    np.testing.assert_allclose(found, [-1.0, 0.0, 4.0])
