"""Local search: allowed orders, valid bounds, and local optima."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.orderings.decode import local_orders
from tests.orderings.enumeration import (
    allowed_orders,
    pair_values,
    random_before,
    random_costs,
    respects,
)


@given(
    seed=st.integers(0, 10_000),
    m=st.integers(1, 5),
    kind=st.sampled_from(["ties", "normal"]),
    share=st.sampled_from([0.0, 0.3, 0.8]),
)
def test_orders_are_allowed_and_bounds_hold(seed, m, kind, share):
    rng = np.random.default_rng(seed)
    costs, before = random_costs(rng, 3, m, kind), random_before(rng, 3, m, share)
    found = local_orders(costs, before, n_iterations=3)
    assert respects(before, found.ranks)
    assert_array_equal(np.sort(found.ranks, axis=1), np.tile(np.arange(m), (3, 1)))
    for r in range(3):
        best = pair_values(costs[r], allowed_orders(before[r])).min()
        assert found.bounds[r] <= best + 1e-12
        assert found.values[r] >= best - 1e-12
        assert not found.exact[r] or abs(found.values[r] - best) < 1e-12


def test_no_single_insertion_gains():
    rng = np.random.default_rng(0)
    costs, before = rng.normal(size=(3, 9, 9)), random_before(rng, 3, 9, 0.1)
    found = local_orders(costs, before, n_iterations=0)
    for r in range(3):
        order = np.argsort(found.ranks[r])
        others = []
        for source in range(9):
            for target in range(9):
                moved = np.insert(np.delete(order, source), target, order[source])
                others.append(np.argsort(moved))
        others = np.array(others)
        wrong = (before[r] & (others[:, :, None] > others[:, None, :])).any(axis=(1, 2))
        assert found.values[r] <= pair_values(costs[r], others[~wrong]).min() + 1e-12


def test_kicks_find_the_optimum_of_few_items():
    rng = np.random.default_rng(1)
    costs = rng.normal(size=(10, 6, 6))
    best = [pair_values(c, allowed_orders(np.zeros((6, 6), dtype=bool))).min() for c in costs]
    assert_allclose(local_orders(costs, n_iterations=30).values, best, rtol=0, atol=1e-12)


def test_more_kicks_are_never_worse():
    rng = np.random.default_rng(2)
    costs = rng.normal(size=(4, 15, 15))
    few = local_orders(costs, n_iterations=2).values
    more = local_orders(costs, n_iterations=20).values
    assert (more <= few + 1e-12).all()
    assert (more < few).any()


def test_orders_do_not_depend_on_other_problems():
    rng = np.random.default_rng(3)
    costs = rng.normal(size=(4, 10, 10))
    together = local_orders(costs, n_iterations=5).ranks
    alone = np.concatenate([local_orders(cost[None], n_iterations=5).ranks for cost in costs])
    assert_array_equal(together, alone)


def test_a_problem_without_a_cycle_is_exact():
    costs = np.tril(np.ones((1, 30, 30)), -1)
    found = local_orders(costs, n_iterations=0)
    assert found.exact.all()
    assert_array_equal(found.ranks, [np.arange(30)])
