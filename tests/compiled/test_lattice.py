"""The dynamic program over prefixes: transition costs, and two ways to solve it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from disambig.compiled import lattice, lattice_costs
from disambig.compiled.lattice_costs import empty_costs, transition_cost
from tests.compiled.parts import callable_part

fill_pair_costs = callable_part(lattice_costs.fill_pair_costs)
fill_position_costs = callable_part(lattice_costs.fill_position_costs)
fill_weighted_costs = callable_part(lattice_costs.fill_weighted_costs)
solve_all_sets = callable_part(lattice._solve_all_sets)
solve_reached_sets = callable_part(lattice._solve_reached_sets)
few_down_sets = callable_part(lattice._few_down_sets)

COST_KINDS = ["pairs", "positions", "weighted"]


def random_relation(rng, m, share):
    ranks = rng.permutation(m)
    before = (ranks[:, None] < ranks) & (rng.random((m, m)) < share)
    for k in range(m):
        before |= before[:, k, None] & before[None, k, :]
    return before


def some_weights(m):
    """Weights by position, one of them 0: forbidden transitions must stay infinite there too."""
    return np.array([2.0, 0.0, 5.0, 1.0, 3.0, 1.0, 4.0, 0.5, 1.0, 6.0])[:m]


def filled(costs, before, kind):
    tables = empty_costs(len(costs), kind == "positions", kind == "weighted")
    if kind == "weighted":
        fill_weighted_costs(costs, before, before.any(), some_weights(len(costs)), tables)
        return tables
    fill = fill_position_costs if kind == "positions" else fill_pair_costs
    fill(costs, before, before.any(), tables)
    return tables


@given(
    seed=st.integers(0, 1000),
    m=st.integers(3, 6),
    share=st.sampled_from([0.0, 0.3]),
    kind=st.sampled_from(COST_KINDS),
)
def test_transition_costs_match_their_definition(seed, m, share, kind):
    rng = np.random.default_rng(seed)
    costs, before = rng.integers(0, 9, (m, m)).astype(float), random_relation(rng, m, share)
    tables = filled(costs, before, kind)
    for s in range(1 << m):
        members = [j for j in range(m) if s >> j & 1]
        for i in set(range(m)) - set(members):
            later = sorted(set(range(m)) - set(members) - {i})
            expected = {
                "pairs": costs[members, i].sum(),
                "positions": costs[i, len(members)],
                "weighted": some_weights(m)[len(members)] * costs[i, later].sum(),
            }[kind]
            missing = set(np.flatnonzero(before[:, i])) - set(members)
            assert transition_cost(tables, s, i) == (np.inf if missing else expected)


@given(
    seed=st.integers(0, 1000),
    m=st.integers(1, 7),
    share=st.sampled_from([0.0, 0.2, 0.6]),
    kind=st.sampled_from(COST_KINDS),
)
def test_all_sets_and_reached_sets_give_the_same_numbers(seed, m, share, kind):
    rng = np.random.default_rng(seed)
    costs, before = rng.normal(size=(m, m)), random_relation(rng, m, share)
    tables = filled(costs, before, kind)
    of_all_sets = np.full(1 << max(m, 3), np.inf)
    of_reached_sets = of_all_sets.copy()
    reached = np.empty(of_all_sets.size, dtype=np.int32)
    solve_all_sets(tables, of_all_sets)
    count = solve_reached_sets(tables, of_reached_sets, reached)
    assert_array_equal(of_all_sets, of_reached_sets)
    # Finite values belong to down-sets; items that pad to three add one set each.
    down = sum(
        all(s >> i & 1 for j in range(m) if s >> j & 1 for i in np.flatnonzero(before[:, j]))
        for s in range(1 << m)
    )
    assert count == np.isfinite(of_all_sets).sum() == down + max(3 - m, 0)


@pytest.mark.parametrize("kind", COST_KINDS)
def test_rows_of_several_lengths(kind):
    """With ten items the low half has six bits: rows of 8, 16 and 32 sets."""
    rng = np.random.default_rng(0)
    costs, before = rng.normal(size=(10, 10)), random_relation(rng, 10, 0.05)
    tables = filled(costs, before, kind)
    of_all_sets = np.full(1 << 10, np.inf)
    of_reached_sets = of_all_sets.copy()
    solve_all_sets(tables, of_all_sets)
    solve_reached_sets(tables, of_reached_sets, np.empty(1 << 10, dtype=np.int32))
    assert_array_equal(of_all_sets, of_reached_sets)


@given(seed=st.integers(0, 1000), m=st.integers(1, 8), share=st.sampled_from([0.0, 0.3, 0.9]))
def test_sets_are_listed_only_if_they_are_few(seed, m, share):
    rng = np.random.default_rng(seed)
    before = random_relation(rng, m, share)
    if few_down_sets(before):
        down = sum(
            all(s >> i & 1 for j in range(m) if s >> j & 1 for i in np.flatnonzero(before[:, j]))
            for s in range(1 << m)
        )
        assert down < lattice.MAX_LISTED_SHARE * (1 << m)


def test_a_chain_is_listed_and_a_free_order_is_not():
    assert few_down_sets(np.triu(np.ones((8, 8), dtype=bool), 1))
    assert not few_down_sets(np.zeros((8, 8), dtype=bool))


@pytest.mark.needs_jit
def test_scratch_is_cleared_between_problems():
    """Chains (reached sets) and free orders (all sets) in one batch, against one by one."""
    rng = np.random.default_rng(0)
    costs = rng.normal(size=(12, 9, 9))
    before = np.zeros((12, 9, 9), dtype=bool)
    before[::3] = [random_relation(rng, 9, 0.9) for _ in range(4)]
    none = np.empty((1, 0, 2), dtype=np.int64)
    together = lattice.cheapest_orders(costs, before, none, False)
    alone = [
        lattice.cheapest_orders(costs[r : r + 1], before[r : r + 1], none, False)[0]
        for r in range(12)
    ]
    assert_array_equal(together, alone)
