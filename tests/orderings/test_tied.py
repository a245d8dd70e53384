"""All optimal orders at once, against all orders."""

from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.exceptions import MissingOracleError
from disambig.orderings.decode import order_decoder
from disambig.orderings.distributions import linear_extensions
from disambig.orderings.problems import order_values
from disambig.orderings.ties import tied_orders, tied_position_orders
from tests.orderings.enumeration import (
    allowed_orders,
    frequencies_of,
    pair_values,
    position_values,
    random_before,
    random_costs,
    respects,
)

shares = st.sampled_from([0.0, 0.2, 0.5, 0.9])


def check(found, r, orders):
    pairs, places = frequencies_of(orders)
    assert found.counts[r] == len(orders)
    assert_allclose(found.pairs[r], pairs, rtol=0, atol=1e-12)
    assert_allclose(found.places[r], places, rtol=0, atol=1e-12)
    assert_allclose(found.mean_ranks[r], orders.mean(axis=0), rtol=0, atol=1e-12)
    assert_array_equal(found.undecided[r], (pairs > 0) & (pairs.T > 0))
    # Exactly 0 or 1 where all orders agree, so that a face with one vertex is recognised.
    assert_array_equal(found.pairs[r][~found.undecided[r]], pairs[~found.undecided[r]])
    assert (orders == found.ranks[r]).all(axis=1).any()
    assert found.complete[r]


@given(seed=st.integers(0, 10_000), m=st.integers(1, 5), high=st.integers(1, 4), share=shares)
def test_optimal_orders_against_all_orders(seed, m, high, share):
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, high, (4, m, m)).astype(float)
    before = random_before(rng, 4, m, share)
    found = tied_orders(costs, before)
    for r in range(4):
        orders = allowed_orders(before[r])
        values = pair_values(costs[r], orders)
        check(found, r, orders[values == values.min()])


def test_optimal_orders_of_seven_items():
    rng = np.random.default_rng(7)
    costs, before = random_costs(rng, 6, 7, "ties"), random_before(rng, 6, 7, 0.1)
    found = tied_orders(costs, before)
    for r in range(6):
        orders = allowed_orders(before[r])
        values = pair_values(costs[r], orders)
        check(found, r, orders[values == values.min()])
    assert (found.counts > 1).any()


@given(seed=st.integers(0, 10_000), m=st.integers(2, 5))
def test_sums_that_tie_up_to_rounding_tie(seed, m):
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, 3, (3, m, m)).astype(float)
    noisy = 0.1 * (costs + 1) + rng.normal(scale=1e-14, size=costs.shape)
    assert_array_equal(tied_orders(noisy).counts, tied_orders(costs).counts)


@given(seed=st.integers(0, 10_000), m=st.integers(2, 5), tolerance=st.sampled_from([0.3, 1.0]))
def test_a_wide_tolerance_includes_all_orders_within_it(seed, m, tolerance):
    """All orders within the tolerance are included, and none beyond m times the tolerance."""
    rng = np.random.default_rng(seed)
    costs = rng.normal(size=(2, m, m))
    found = tied_orders(costs, tolerance=np.full(2, tolerance))
    for r in range(2):
        orders = allowed_orders(np.zeros((m, m), dtype=bool))
        values = pair_values(costs[r], orders)
        excess = values - values.min()
        assert (excess <= tolerance).sum() <= found.counts[r] <= (excess <= m * tolerance).sum()


@given(seed=st.integers(0, 10_000), m=st.integers(1, 5), high=st.integers(1, 3), share=shares)
def test_optimal_positions_against_all_orders(seed, m, high, share):
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, high, (3, m, m)).astype(float)
    before = random_before(rng, 3, m, share)
    found = tied_position_orders(costs, before)
    for r in range(3):
        orders = allowed_orders(before[r])
        values = position_values(costs[r], orders)
        check(found, r, orders[values == values.min()])


@given(seed=st.integers(0, 10_000), m=st.integers(1, 6), share=shares)
def test_linear_extensions_against_all_orders(seed, m, share):
    rng = np.random.default_rng(seed)
    before = random_before(rng, 3, m, share)
    found = linear_extensions(before)
    for r in range(3):
        check(found, r, allowed_orders(before[r]))


def test_free_items_have_closed_forms():
    found = linear_extensions(np.zeros((25, 25), dtype=bool))
    assert found.counts[0] == float(factorial(25))
    assert_array_equal(found.pairs[0], (1 - np.eye(25)) / 2)
    assert_allclose(found.mean_ranks[0], np.full(25, 12.0))


@pytest.mark.needs_jit
def test_counts_of_known_orders():
    # Two chains of nine side by side: choose the positions of one of them.
    before = np.zeros((18, 18), dtype=bool)
    before[:9, :9] = before[9:, 9:] = np.triu(np.ones((9, 9), dtype=bool), 1)
    found = linear_extensions(before)
    assert found.counts[0] == 48620
    assert found.pairs[0, 0, 9] == 0.5
    # One pair among twenty: half of all orders, which is beyond 2 ** 53.
    before = np.zeros((20, 20), dtype=bool)
    before[3, 5] = True
    found = linear_extensions(before)
    assert found.counts[0] == factorial(20) / 2
    assert_allclose(found.pairs[0, 3, 0], 2 / 3, rtol=1e-15)


def test_parts_in_series_may_have_many_items_in_all():
    """Ten parts of three items, each "0 before 1, 2 anywhere", one part after another."""
    block = np.repeat(np.arange(10), 3)
    before = block[:, None] < block
    before[np.arange(0, 30, 3), np.arange(1, 30, 3)] = True
    found = linear_extensions(before)
    assert found.counts[0] == 3.0**10
    assert_allclose(found.places[0, 29, 27:], np.full(3, 1 / 3))
    assert respects(before[None], found.ranks)


def test_too_large_a_part_raises_or_is_decoded():
    m = 24
    before = np.zeros((m, m), dtype=bool)
    before[0, 1] = True
    with pytest.raises(MissingOracleError, match=r"24 items.*at most 20.*Pass a decoder"):
        linear_extensions(before)
    costs = np.zeros((2, m, m))
    costs[1] = np.tril(np.ones((m, m)), -1)
    found = tied_orders(costs, before, decoder=order_decoder("local", n_iterations=1))
    assert_array_equal(found.complete, [False, True])
    assert_array_equal(found.counts, [1, 1])
    assert_array_equal(found.ranks[1], np.arange(m))
    assert_allclose(order_values(costs, found.ranks), [0, 0])
    assert not found.undecided.any()
