"""Sorting with ties of items and of positions, against dynamic programming and all orders."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disambig.orderings.places import sorted_orders
from disambig.orderings.ties import tied_position_orders


@given(
    st.lists(st.integers(-2, 2), min_size=1, max_size=6),
    st.integers(0, 10_000),
    st.sampled_from([-1.0, 1.0]),
)
def test_same_distribution_as_dynamic_programming(scores, seed, sign):
    m = len(scores)
    weights = sign * np.sort(np.random.default_rng(seed).integers(0, 4, m)).astype(float)
    scores = np.array([scores], dtype=float)
    found = sorted_orders(scores, weights, np.zeros(1))
    reference = tied_position_orders(scores[:, :, None] * weights, tolerance=1e-9)
    np.testing.assert_allclose(found.pairs, reference.pairs, atol=1e-12)
    np.testing.assert_allclose(found.places, reference.places, atol=1e-12)
    # Probabilities of 0 and 1 are exact.
    np.testing.assert_array_equal(found.pairs == 0, reference.pairs == 0)
    np.testing.assert_array_equal(found.pairs == 1, reference.pairs == 1)
    every = np.array(list(itertools.permutations(range(m))))
    assert weights[found.ranks[0]] @ scores[0] == (weights[every] @ scores[0]).min()


def test_rounding_does_not_break_ties():
    scores = np.array([[0.3, 0.1 + 0.2, 0.3]])
    found = sorted_orders(scores, np.array([-3.0, -2.0, -1.0]), np.full(1, 1e-12))
    np.testing.assert_array_equal(found.ranks, [[0, 1, 2]])
    np.testing.assert_allclose(found.places, 1 / 3)
    apart = sorted_orders(scores, np.array([-3.0, -2.0, -1.0]), np.zeros(1))
    np.testing.assert_array_equal(apart.ranks, [[1, 0, 2]])
