from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.exceptions import MissingOracleError
from disambig.orderings import (
    linear_extensions,
    order_decoder,
    order_values,
    tied_orders,
    tied_position_orders,
)
from tests.orderings.enumeration import (
    allowed_orders,
    law_of,
    pair_values,
    position_values,
    random_before,
    random_costs,
    respects,
)

shares = st.sampled_from([0.0, 0.2, 0.5, 0.9])


def check(law, r, orders):
    pairs, places = law_of(orders)
    assert law.counts[r] == len(orders)
    assert_allclose(law.pairs[r], pairs, rtol=0, atol=1e-12)
    assert_allclose(law.places[r], places, rtol=0, atol=1e-12)
    assert_allclose(law.mean_ranks[r], orders.mean(axis=0), rtol=0, atol=1e-12)
    assert_array_equal(law.undecided[r], (pairs > 0) & (pairs.T > 0))
    # Where all agree it is exactly 0 or 1: a face that is a vertex must be seen to be one.
    assert_array_equal(law.pairs[r][~law.undecided[r]], pairs[~law.undecided[r]])
    assert (orders == law.ranks[r]).all(axis=1).any()
    assert law.complete[r]


@given(seed=st.integers(0, 10_000), m=st.integers(1, 5), high=st.integers(1, 4), share=shares)
def test_optimal_orders_against_all_orders(seed, m, high, share):
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, high, (4, m, m)).astype(float)
    before = random_before(rng, 4, m, share)
    law = tied_orders(costs, before)
    for r in range(4):
        orders = allowed_orders(before[r])
        values = pair_values(costs[r], orders)
        check(law, r, orders[values == values.min()])


def test_optimal_orders_of_seven_items():
    rng = np.random.default_rng(7)
    costs, before = random_costs(rng, 6, 7, "ties"), random_before(rng, 6, 7, 0.1)
    law = tied_orders(costs, before)
    for r in range(6):
        orders = allowed_orders(before[r])
        values = pair_values(costs[r], orders)
        check(law, r, orders[values == values.min()])
    assert (law.counts > 1).any()


@given(seed=st.integers(0, 10_000), m=st.integers(2, 5))
def test_sums_that_tie_up_to_rounding_tie(seed, m):
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, 3, (3, m, m)).astype(float)
    noisy = 0.1 * (costs + 1) + rng.normal(scale=1e-14, size=costs.shape)
    assert_array_equal(tied_orders(noisy).counts, tied_orders(costs).counts)


@given(seed=st.integers(0, 10_000), m=st.integers(2, 5), tolerance=st.sampled_from([0.3, 1.0]))
def test_a_wide_tolerance_takes_in_what_it_says(seed, m, tolerance):
    """All orders within the tolerance, and none m times as far off."""
    rng = np.random.default_rng(seed)
    costs = rng.normal(size=(2, m, m))
    law = tied_orders(costs, tolerance=np.full(2, tolerance))
    for r in range(2):
        orders = allowed_orders(np.zeros((m, m), dtype=bool))
        values = pair_values(costs[r], orders)
        excess = values - values.min()
        assert (excess <= tolerance).sum() <= law.counts[r] <= (excess <= m * tolerance).sum()


@given(seed=st.integers(0, 10_000), m=st.integers(1, 5), high=st.integers(1, 3), share=shares)
def test_optimal_positions_against_all_orders(seed, m, high, share):
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, high, (3, m, m)).astype(float)
    before = random_before(rng, 3, m, share)
    law = tied_position_orders(costs, before)
    for r in range(3):
        orders = allowed_orders(before[r])
        values = position_values(costs[r], orders)
        check(law, r, orders[values == values.min()])


@given(seed=st.integers(0, 10_000), m=st.integers(1, 6), share=shares)
def test_linear_extensions_against_all_orders(seed, m, share):
    rng = np.random.default_rng(seed)
    before = random_before(rng, 3, m, share)
    law = linear_extensions(before)
    for r in range(3):
        check(law, r, allowed_orders(before[r]))


def test_free_items_have_closed_forms():
    law = linear_extensions(np.zeros((25, 25), dtype=bool))
    assert law.counts[0] == float(factorial(25))
    assert_array_equal(law.pairs[0], (1 - np.eye(25)) / 2)
    assert_allclose(law.mean_ranks[0], np.full(25, 12.0))


@pytest.mark.needs_jit
def test_counts_of_known_orders():
    # Two chains of nine side by side: choose the places of one of them.
    before = np.zeros((18, 18), dtype=bool)
    before[:9, :9] = before[9:, 9:] = np.triu(np.ones((9, 9), dtype=bool), 1)
    law = linear_extensions(before)
    assert law.counts[0] == 48620
    assert law.pairs[0, 0, 9] == 0.5
    # One pair among twenty: half of all orders, which is beyond 2 ** 53.
    before = np.zeros((20, 20), dtype=bool)
    before[3, 5] = True
    law = linear_extensions(before)
    assert law.counts[0] == factorial(20) / 2
    assert_allclose(law.pairs[0, 3, 0], 2 / 3, rtol=1e-15)


def test_series_of_blocks_may_be_longer_than_the_lattice():
    """Ten blocks of three, each "0 before 1, 2 anywhere", one block after another."""
    block = np.repeat(np.arange(10), 3)
    before = block[:, None] < block
    before[np.arange(0, 30, 3), np.arange(1, 30, 3)] = True
    law = linear_extensions(before)
    assert law.counts[0] == 3.0**10
    assert_allclose(law.places[0, 29, 27:], np.full(3, 1 / 3))
    assert respects(before[None], law.ranks)


def test_too_large_a_tie_is_refused_or_handed_over():
    m = 24
    before = np.zeros((m, m), dtype=bool)
    before[0, 1] = True
    with pytest.raises(MissingOracleError, match=r"24 items.*at most 20.*Give a decoder"):
        linear_extensions(before)
    costs = np.zeros((2, m, m))
    costs[1] = np.tril(np.ones((m, m)), -1)
    law = tied_orders(costs, before, decoder=order_decoder("local", n_iterations=1))
    assert_array_equal(law.complete, [False, True])
    assert_array_equal(law.counts, [1, 1])
    assert_array_equal(law.ranks[1], np.arange(m))
    assert_allclose(order_values(costs, law.ranks), [0, 0])
    assert not law.undecided.any()
