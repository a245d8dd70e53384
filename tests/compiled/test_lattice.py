import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from disambig.compiled import lattice as prefix_lattice
from disambig.compiled.lattice_costs import (
    empty_costs,
    fill_pair_costs,
    fill_position_costs,
    fill_weighted_costs,
    price,
)

KINDS = ["pairs", "positions", "weighted"]


def random_relation(rng, m, share):
    ranks = rng.permutation(m)
    before = (ranks[:, None] < ranks) & (rng.random((m, m)) < share)
    for k in range(m):
        before |= before[:, k, None] & before[None, k, :]
    return before


def some_weights(m):
    """By position, one of them 0: what must not happen must not happen for nothing either."""
    return np.array([2.0, 0.0, 5.0, 1.0, 3.0, 1.0, 4.0, 0.5, 1.0, 6.0])[:m]


def filled(costs, before, kind):
    prices = empty_costs(len(costs), kind == "positions", kind == "weighted")
    if kind == "weighted":
        fill_weighted_costs(costs, before, before.any(), some_weights(len(costs)), prices)
        return prices
    fill = fill_position_costs if kind == "positions" else fill_pair_costs
    fill(costs, before, before.any(), prices)
    return prices


@given(
    seed=st.integers(0, 1000),
    m=st.integers(3, 6),
    share=st.sampled_from([0.0, 0.3]),
    kind=st.sampled_from(KINDS),
)
def test_prices_are_what_they_say(seed, m, share, kind):
    rng = np.random.default_rng(seed)
    costs, before = rng.integers(0, 9, (m, m)).astype(float), random_relation(rng, m, share)
    prices = filled(costs, before, kind)
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
            assert price(prices, s, i) == (np.inf if missing else expected)


@given(
    seed=st.integers(0, 1000),
    m=st.integers(1, 7),
    share=st.sampled_from([0.0, 0.2, 0.6]),
    kind=st.sampled_from(KINDS),
)
def test_rows_and_lists_give_the_same_bits(seed, m, share, kind):
    rng = np.random.default_rng(seed)
    costs, before = rng.normal(size=(m, m)), random_relation(rng, m, share)
    prices = filled(costs, before, kind)
    by_rows = np.full(1 << max(m, 3), np.inf)
    by_lists = by_rows.copy()
    reached = np.empty(by_rows.size, dtype=np.int32)
    prefix_lattice._through_all_sets(prices, by_rows)
    count = prefix_lattice._through_reached_sets(prices, by_lists, reached)
    assert_array_equal(by_rows, by_lists)
    # The finite ones are the down-sets; those of items that pad to three come on top.
    down = sum(
        all(s >> i & 1 for j in range(m) if s >> j & 1 for i in np.flatnonzero(before[:, j]))
        for s in range(1 << m)
    )
    assert count == np.isfinite(by_rows).sum() == down + max(3 - m, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_several_lengths(kind):
    """With ten items the low half has six bits: rows of 8, 16 and 32 sets."""
    rng = np.random.default_rng(0)
    costs, before = rng.normal(size=(10, 10)), random_relation(rng, 10, 0.05)
    prices = filled(costs, before, kind)
    by_rows = np.full(1 << 10, np.inf)
    by_lists = by_rows.copy()
    prefix_lattice._through_all_sets(prices, by_rows)
    prefix_lattice._through_reached_sets(prices, by_lists, np.empty(1 << 10, dtype=np.int32))
    assert_array_equal(by_rows, by_lists)


@given(seed=st.integers(0, 1000), m=st.integers(1, 8), share=st.sampled_from([0.0, 0.3, 0.9]))
def test_lists_are_chosen_only_if_they_are_short(seed, m, share):
    rng = np.random.default_rng(seed)
    before = random_relation(rng, m, share)
    if prefix_lattice._few_down_sets(before):
        down = sum(
            all(s >> i & 1 for j in range(m) if s >> j & 1 for i in np.flatnonzero(before[:, j]))
            for s in range(1 << m)
        )
        assert down < prefix_lattice.LISTED * (1 << m)


def test_a_chain_is_listed_and_a_free_order_is_not():
    assert prefix_lattice._few_down_sets(np.triu(np.ones((8, 8), dtype=bool), 1))
    assert not prefix_lattice._few_down_sets(np.zeros((8, 8), dtype=bool))


@pytest.mark.needs_jit
def test_scratch_is_clean_from_problem_to_problem():
    """Chains (listed) and free orders (in rows) one after another, against each on its own."""
    rng = np.random.default_rng(0)
    costs = rng.normal(size=(12, 9, 9))
    before = np.zeros((12, 9, 9), dtype=bool)
    before[::3] = [random_relation(rng, 9, 0.9) for _ in range(4)]
    together = prefix_lattice.cheapest_orders(costs, before, False)
    alone = [
        prefix_lattice.cheapest_orders(costs[r : r + 1], before[r : r + 1], False)[0]
        for r in range(12)
    ]
    assert_array_equal(together, alone)
