"""Dynamic programming over down-sets, against all orders."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.exceptions import MissingOracleError
from disambig.orderings.dynamic import LARGEST_LATTICE, dynamic_orders
from tests.orderings.enumeration import (
    allowed_orders,
    pair_values,
    random_before,
    random_costs,
    respects,
    three_fence,
)


@given(
    seed=st.integers(0, 10_000),
    m=st.integers(1, 5),
    kind=st.sampled_from(["ties", "normal"]),
    share=st.sampled_from([0.0, 0.2, 0.5, 0.9]),
)
def test_optimal_among_all_orders(seed, m, kind, share):
    rng = np.random.default_rng(seed)
    costs, before = random_costs(rng, 5, m, kind), random_before(rng, 5, m, share)
    found = dynamic_orders(costs, before)
    best = [pair_values(c, allowed_orders(f)).min() for c, f in zip(costs, before, strict=True)]
    assert_allclose(found.values, best, rtol=0, atol=1e-12)
    assert_array_equal(np.sort(found.ranks, axis=1), np.tile(np.arange(m), (5, 1)))
    assert respects(before, found.ranks)
    assert found.exact.all()
    assert not found.gaps.any()


@pytest.mark.parametrize("share", [0.0, 0.2, 0.6])
@pytest.mark.parametrize("m", [6, 7])
def test_optimal_among_all_orders_of_more_items(m, share):
    rng = np.random.default_rng(m)
    costs = np.concatenate([random_costs(rng, 2, m, kind) for kind in ("ties", "normal")])
    before = random_before(rng, 4, m, share)
    found = dynamic_orders(costs, before)
    best = [pair_values(c, allowed_orders(f)).min() for c, f in zip(costs, before, strict=True)]
    assert_allclose(found.values, best, rtol=0, atol=1e-12)
    assert respects(before, found.ranks)


def test_one_relation_may_hold_for_all_problems():
    rng = np.random.default_rng(3)
    costs, before = random_costs(rng, 6, 5, "normal"), random_before(rng, 1, 5, 0.4)
    shared = dynamic_orders(costs, before[0])
    assert_array_equal(shared.ranks, dynamic_orders(costs, np.repeat(before, 6, axis=0)).ranks)


def test_the_three_fence():
    assert dynamic_orders(-three_fence()[None]).values == [-7]


def test_ties_are_broken_independently_of_other_problems():
    rng = np.random.default_rng(4)
    costs = random_costs(rng, 20, 6, "ties")
    together = dynamic_orders(costs).ranks
    alone = np.concatenate([dynamic_orders(cost[None]).ranks for cost in costs])
    assert_array_equal(together, alone)
    assert_array_equal(dynamic_orders(np.zeros((1, 6, 6))).ranks, [np.arange(6)])


def test_results_are_read_only():
    found = dynamic_orders(np.zeros((1, 3, 3)))
    with pytest.raises(ValueError, match="read-only"):
        found.ranks[0, 0] = 2


def test_no_problems():
    assert len(dynamic_orders(np.zeros((0, 4, 4)))) == 0


def test_too_many_items_raise():
    m = LARGEST_LATTICE + 1
    with pytest.raises(MissingOracleError, match=r"21 items.*at most 20.*cut_orders"):
        dynamic_orders(np.zeros((1, m, m)))


@pytest.mark.needs_jit
@pytest.mark.parametrize("m", [15, 20])
def test_a_hidden_order_is_found_among_many_items(m):
    """The noise is too small to make another order cheaper."""
    rng = np.random.default_rng(m)
    hidden = rng.permutation(m)
    costs = (hidden[:, None] > hidden) + rng.normal(scale=0.1, size=(1, m, m))
    assert_array_equal(dynamic_orders(costs).ranks, [hidden])
