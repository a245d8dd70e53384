"""Segments of sets, and the uniform law on them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.candidates import Intervals, IntervalUnions
from disambig.exceptions import MissingOracleError
from disambig.losses.numbers.curves import column_segments, uniform_law
from tests.oracles.number_lines import random_sets


@given(seed=st.integers(0, 10_000), unions=st.booleans(), whole_numbers=st.booleans())
def test_the_law_has_the_mean_that_sets_call_their_center(seed, unions, whole_numbers):
    rng = np.random.default_rng(seed)
    sets = random_sets(rng, 8, unions=unions, whole_numbers=whole_numbers)
    law = uniform_law(column_segments(sets, 0))
    assert (law.mass > 0).all()
    mass = np.bincount(law.owner, law.mass, minlength=8)
    assert_allclose(mass, np.isfinite(sets.centers[:, 0]))
    mean = np.bincount(law.owner, law.mass * (law.lower + law.upper) / 2, minlength=8)
    assert_allclose(mean, np.nan_to_num(sets.centers[:, 0]), atol=1e-12)


def test_half_lines_stand_for_their_ends():
    sets = IntervalUnions.from_any([[(-np.inf, 0), (1, 2), (4, np.inf)], [(-np.inf, np.inf)]])
    law = uniform_law(column_segments(sets, 0))
    assert_array_equal(law.owner, [0, 0])
    assert_array_equal(law.lower, [0, 4])
    assert_array_equal(law.upper, [0, 4])
    assert_array_equal(law.mass, [0.5, 0.5])


def test_huge_lengths_do_not_overflow():
    sets = IntervalUnions.from_any([[(-1e150, -9e149), (9e149, 1e150)]])
    assert_array_equal(uniform_law(column_segments(sets, 0)).mass, [0.5, 0.5])


def test_a_column_of_boxes():
    boxes = Intervals(np.array([[0.0, 5.0]]), np.array([[1.0, 6.0]]), flat=False)
    assert_array_equal(column_segments(boxes, 1).upper, [6.0])


def test_sets_without_pieces_are_refused():
    with pytest.raises(MissingOracleError, match="which list does not have"):
        column_segments([(0, 1)], 0)
