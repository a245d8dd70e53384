"""Segments of sets, and the uniform distributions on them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.candidates import Intervals, IntervalUnions
from disambig.exceptions import MissingOracleError
from disambig.losses.numbers.curves import column_segments, uniform_distributions
from tests.oracles.number_lines import random_sets


@given(seed=st.integers(0, 10_000), unions=st.booleans(), whole_numbers=st.booleans())
def test_the_mean_of_the_uniform_distribution_is_the_center_of_the_set(seed, unions, whole_numbers):
    rng = np.random.default_rng(seed)
    sets = random_sets(rng, 8, unions=unions, whole_numbers=whole_numbers)
    uniform = uniform_distributions(column_segments(sets, 0))
    assert (uniform.probability > 0).all()
    total = np.bincount(uniform.owner, uniform.probability, minlength=8)
    assert_allclose(total, np.isfinite(sets.centers[:, 0]))
    mean = np.bincount(
        uniform.owner, uniform.probability * (uniform.lower + uniform.upper) / 2, minlength=8
    )
    assert_allclose(mean, np.nan_to_num(sets.centers[:, 0]), atol=1e-12)


def test_half_lines_are_replaced_by_their_ends():
    sets = IntervalUnions.from_any([[(-np.inf, 0), (1, 2), (4, np.inf)], [(-np.inf, np.inf)]])
    uniform = uniform_distributions(column_segments(sets, 0))
    assert_array_equal(uniform.owner, [0, 0])
    assert_array_equal(uniform.lower, [0, 4])
    assert_array_equal(uniform.upper, [0, 4])
    assert_array_equal(uniform.probability, [0.5, 0.5])


def test_huge_lengths_do_not_overflow():
    sets = IntervalUnions.from_any([[(-1e150, -9e149), (9e149, 1e150)]])
    assert_array_equal(uniform_distributions(column_segments(sets, 0)).probability, [0.5, 0.5])


def test_a_column_of_boxes():
    boxes = Intervals(np.array([[0.0, 5.0]]), np.array([[1.0, 6.0]]), flat=False)
    assert_array_equal(column_segments(boxes, 1).upper, [6.0])


def test_sets_without_segments_are_refused():
    with pytest.raises(MissingOracleError, match="which list does not have"):
        column_segments([(0, 1)], 0)
