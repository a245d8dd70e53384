"""Optimal orders with weights of positions, against all orders."""

from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.exceptions import MissingOracleError
from disambig.orderings.ties import tied_orders
from disambig.orderings.weighted import tied_weighted_orders
from tests.orderings.enumeration import (
    all_orders,
    allowed_orders,
    frequencies_of,
    random_before,
    random_costs,
    respects,
)

shares = st.sampled_from([0.0, 0.2, 0.5, 0.9])


def charges_of(weights, orders):
    """The definition: the weight of the position of i if i stands before j, (c, m, m)."""
    return weights[orders][:, :, None] * (orders[:, :, None] < orders[:, None, :])


def weighted_values(costs, weights, orders):
    off_diagonal = np.where(np.eye(len(costs), dtype=bool), 0.0, costs)
    return (off_diagonal * charges_of(weights, orders)).sum(axis=(1, 2))


def check(found, r, costs, weights, orders, margin):
    values = weighted_values(costs, weights, orders)
    tied = orders[values <= values.min() + margin]
    pairs, places = frequencies_of(tied)
    assert found.orders.counts[r] == len(tied)
    assert_allclose(found.orders.pairs[r], pairs, rtol=0, atol=1e-12)
    assert_allclose(found.orders.places[r], places, rtol=0, atol=1e-12)
    charges = charges_of(weights, tied)
    assert_allclose(found.charges[r], charges.mean(axis=0), rtol=0, atol=1e-12)
    # Charges on which all orders agree are exact.
    same = (charges == charges[0]).all(axis=0)
    assert_allclose(found.charges[r][same], charges[0][same], rtol=1e-13, atol=0)
    assert (tied == found.orders.ranks[r]).all(axis=1).any()
    assert found.orders.complete[r]


@given(
    seed=st.integers(0, 10_000),
    m=st.integers(1, 5),
    high=st.integers(1, 4),
    share=shares,
    falling=st.booleans(),
)
def test_optimal_orders_with_ties_against_all_orders(seed, m, high, share, falling):
    rng = np.random.default_rng(seed)
    costs = rng.integers(-1, high, (4, m, m)).astype(float)
    weights = rng.integers(0, 3, m).astype(float)
    if falling:
        weights = np.sort(weights)[::-1]
    before = random_before(rng, 4, m, share)
    found = tied_weighted_orders(costs, weights, before)
    for r in range(4):
        check(found, r, costs[r], weights, allowed_orders(before[r]), 0.0)
    assert respects(before, found.orders.ranks)


@pytest.mark.parametrize("kind", ["ties", "normal"])
@pytest.mark.parametrize("share", [0.0, 0.15])
def test_optimal_orders_of_six_items(kind, share):
    rng = np.random.default_rng(6)
    costs, before = random_costs(rng, 4, 6, kind), random_before(rng, 4, 6, share)
    for weights in (1.0 / np.arange(1, 7), np.array([1.0, 1.0, 0.0, 0.0, 2.0, 0.0])):
        found = tied_weighted_orders(costs, weights, before)
        for r in range(4):
            check(found, r, costs[r], weights, allowed_orders(before[r]), 1e-9)


@given(seed=st.integers(0, 10_000), m=st.integers(1, 5), share=shares)
def test_equal_weights_are_the_same_as_none(seed, m, share):
    rng = np.random.default_rng(seed)
    costs = rng.integers(0, 3, (3, m, m)).astype(float)
    before = random_before(rng, 3, m, share)
    found, plain = tied_weighted_orders(costs, np.ones(m), before), tied_orders(costs, before)
    assert_array_equal(found.orders.counts, plain.counts)
    assert_allclose(found.charges, plain.pairs, rtol=0, atol=1e-12)


def test_an_order_that_the_majority_would_not_choose():
    """A strict majority for 0 before 1 before 2, and weights under which it costs more."""
    costs = np.zeros((1, 3, 3))
    costs[0, [0, 1], [1, 0]] = 5, 5.5
    costs[0, [1, 2], [2, 1]] = 0, 1
    costs[0, [0, 2], [2, 0]] = 0, 1
    assert_array_equal(tied_orders(costs).ranks, [[0, 1, 2]])
    found = tied_weighted_orders(costs, [1.0, 0.1, 0.0])
    assert_array_equal(found.orders.ranks, [[1, 2, 0]])
    assert found.orders.counts[0] == 1


def test_free_items_have_closed_forms():
    weights = 1.0 / np.arange(1, 7)
    found = tied_weighted_orders(np.full((2, 6, 6), 3.0), weights)
    assert_array_equal(found.orders.counts, np.full(2, float(factorial(6))))
    assert_allclose(found.charges[1], charges_of(weights, all_orders(6)).mean(axis=0), atol=1e-14)
    # The same by counting: these costs differ, but tie within the tolerance.
    counted = tied_weighted_orders(
        3.0 + 1e-6 * np.random.default_rng(0).random((1, 6, 6)), weights, tolerance=1e-5
    )
    assert counted.orders.counts[0] == factorial(6)
    assert_allclose(counted.charges[0], found.charges[0], atol=1e-14)


def test_sums_that_tie_up_to_rounding_tie():
    rng = np.random.default_rng(0)
    costs = rng.integers(0, 3, (20, 5, 5)).astype(float)
    weights = np.array([4.0, 2.0, 1.0, 1.0, 0.0])
    noisy = 0.1 * costs + rng.normal(scale=1e-14, size=costs.shape)
    assert_array_equal(
        tied_weighted_orders(noisy, weights / 3).orders.counts,
        tied_weighted_orders(costs, weights).orders.counts,
    )


def test_no_problems_and_one_item():
    found = tied_weighted_orders(np.zeros((0, 3, 3)), np.ones(3))
    assert found.charges.shape == (0, 3, 3)
    assert_array_equal(tied_weighted_orders(np.zeros((2, 1, 1)), [1.0]).orders.ranks, [[0], [0]])


@pytest.mark.needs_jit
def test_the_largest_lattice():
    """Twenty items with one optimal order; then with weight on the first two positions only."""
    optimum = np.random.default_rng(0).permutation(20)
    costs = (optimum[:, None] > optimum).astype(float)[None]
    found = tied_weighted_orders(costs, 1.0 / np.arange(1, 21))
    assert_array_equal(found.orders.ranks[0], optimum)
    assert found.orders.counts[0] == 1
    top = tied_weighted_orders(costs, np.where(np.arange(20) < 2, 1.0, 0.0))
    assert top.orders.counts[0] == factorial(18)
    assert_array_equal(top.orders.places[0, optimum < 2, :2], np.eye(2)[optimum[optimum < 2]])


def test_invalid_arguments_raise():
    with pytest.raises(MissingOracleError, match=r"21 items.*at most 20"):
        tied_weighted_orders(np.zeros((1, 21, 21)), np.ones(21))
    with pytest.raises(ValueError, match=r"3 finite numbers, one per position; got shape \(2,\)"):
        tied_weighted_orders(np.zeros((1, 3, 3)), [1.0, 2.0])
    with pytest.raises(ValueError, match="not all finite"):
        tied_weighted_orders(np.zeros((1, 3, 3)), [1.0, np.nan, 0.0])
