"""Sorting with ties of items and of positions, against the programme over sets and enumeration."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disambig.orderings import sorted_orders, tied_position_orders


@given(
    st.lists(st.integers(-2, 2), min_size=1, max_size=6),
    st.integers(0, 10_000),
    st.sampled_from([-1.0, 1.0]),
)
def test_the_law_is_that_of_the_programme(scores, seed, sign):
    m = len(scores)
    prices = sign * np.sort(np.random.default_rng(seed).integers(0, 4, m)).astype(float)
    scores = np.array([scores], dtype=float)
    law = sorted_orders(scores, prices, np.zeros(1))
    reference = tied_position_orders(scores[:, :, None] * prices, tolerance=1e-9)
    np.testing.assert_allclose(law.pairs, reference.pairs, atol=1e-12)
    np.testing.assert_allclose(law.places, reference.places, atol=1e-12)
    # What all agree on is exact.
    np.testing.assert_array_equal(law.pairs == 0, reference.pairs == 0)
    np.testing.assert_array_equal(law.pairs == 1, reference.pairs == 1)
    every = np.array(list(itertools.permutations(range(m))))
    assert prices[law.ranks[0]] @ scores[0] == (prices[every] @ scores[0]).min()


def test_rounding_does_not_choose():
    scores = np.array([[0.3, 0.1 + 0.2, 0.3]])
    law = sorted_orders(scores, np.array([-3.0, -2.0, -1.0]), np.full(1, 1e-12))
    np.testing.assert_array_equal(law.ranks, [[0, 1, 2]])
    np.testing.assert_allclose(law.places, 1 / 3)
    apart = sorted_orders(scores, np.array([-3.0, -2.0, -1.0]), np.zeros(1))
    np.testing.assert_array_equal(apart.ranks, [[1, 0, 2]])
