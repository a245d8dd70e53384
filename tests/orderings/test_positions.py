"""Orders by costs of positions, against all orders."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.exceptions import MissingOracleError
from disambig.orderings.dynamic import position_orders
from tests.orderings.enumeration import (
    allowed_orders,
    position_values,
    random_before,
    random_costs,
    respects,
)


@given(
    seed=st.integers(0, 10_000),
    m=st.integers(1, 5),
    kind=st.sampled_from(["ties", "normal"]),
    share=st.sampled_from([0.0, 0.2, 0.5, 0.9]),
)
def test_optimal_among_all_orders(seed, m, kind, share):
    rng = np.random.default_rng(seed)
    costs, before = random_costs(rng, 4, m, kind), random_before(rng, 4, m, share)
    found = position_orders(costs, before)
    best = [position_values(c, allowed_orders(f)).min() for c, f in zip(costs, before, strict=True)]
    assert_allclose(found.values, best, rtol=0, atol=1e-12)
    assert respects(before, found.ranks)
    assert found.exact.all()


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_seven_items(share):
    rng = np.random.default_rng(0)
    costs, before = random_costs(rng, 3, 7, "normal"), random_before(rng, 3, 7, share)
    best = [position_values(c, allowed_orders(f)).min() for c, f in zip(costs, before, strict=True)]
    assert_allclose(position_orders(costs, before).values, best, rtol=0, atol=1e-12)


@pytest.mark.needs_jit
def test_the_assignment_solver_agrees_with_the_lattice():
    """A forced pair that the optimum respects does not change the optimal value."""
    rng = np.random.default_rng(1)
    costs = rng.normal(size=(5, 12, 12))
    assigned = position_orders(costs)
    assert set(assigned.methods) == {"assignment"}
    # A forced pair requires the dynamic program.
    before = np.zeros((5, 12, 12), dtype=bool)
    first, last = assigned.ranks.argmin(axis=1), assigned.ranks.argmax(axis=1)
    before[np.arange(5), first, last] = True
    forced = position_orders(costs, before)
    assert set(forced.methods) == {"dynamic"}
    assert_allclose(forced.values, assigned.values, rtol=1e-12)


def test_each_problem_has_its_own_method():
    rng = np.random.default_rng(2)
    costs = rng.normal(size=(2, 11, 11))
    before = np.zeros((2, 11, 11), dtype=bool)
    order = rng.permutation(11)
    before[1] = order[:, None] < order
    found = position_orders(costs, before)
    assert_array_equal(found.methods, ["assignment", "dynamic"])
    assert_array_equal(found.ranks[1], order)


def test_forced_pairs_of_many_items_raise():
    costs = (np.arange(30)[:, None] - np.arange(30)[None, :]) ** 2.0
    assert_array_equal(position_orders(costs[None]).ranks, [np.arange(30)])
    before = np.zeros((30, 30), dtype=bool)
    before[1, 0] = True
    with pytest.raises(MissingOracleError, match="30 items"):
        position_orders(costs[None], before)
