"""The parts of ordering problems, and the problems that they solve."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from disambig.orderings.problems import first_look, order_parts, order_values
from tests.orderings.enumeration import (
    allowed_orders,
    pair_values,
    random_before,
    random_costs,
    respects,
)

cost_kinds = st.sampled_from(["ties", "normal"])
shares = st.sampled_from([0.0, 0.3, 0.8])


def closure(relation):
    reach = relation.copy()
    for k in range(len(reach)):
        reach |= reach[:, k, None] & reach[None, k, :]
    return reach


def relation_of(costs, before, join):
    free = ~(before | before.T)
    np.fill_diagonal(free, False)
    cheaper = costs <= costs.T if join else costs < costs.T
    return before | (free & cheaper)


@given(seed=st.integers(0, 10_000), m=st.integers(1, 6), kind=cost_kinds, share=shares)
def test_orders_of_solved_problems_are_optimal(seed, m, kind, share):
    rng = np.random.default_rng(seed)
    costs, before = random_costs(rng, 6, m, kind), random_before(rng, 6, m, share)
    look = first_look(costs, before)
    for r in np.flatnonzero(look.solved):
        ranks = look.parts[r]
        assert sorted(ranks) == list(range(m))
        best = pair_values(costs[r], allowed_orders(before[r])).min()
        assert order_values(costs[r : r + 1], ranks[None])[0] == pytest.approx(best, abs=1e-12)
    assert respects(before[look.solved], look.parts[look.solved])


@given(
    seed=st.integers(0, 10_000),
    m=st.integers(1, 8),
    kind=cost_kinds,
    share=shares,
    join=st.booleans(),
)
def test_parts_are_strongly_connected_and_ordered(seed, m, kind, share, join):
    rng = np.random.default_rng(seed)
    costs, before = random_costs(rng, 4, m, kind), random_before(rng, 4, m, share)
    found = order_parts(costs, before, ties="join" if join else "split")
    for r in range(4):
        relation = relation_of(costs[r], before[r], join)
        reach = closure(relation) | np.eye(m, dtype=bool)
        parts = found.parts[r]
        assert_array_equal(parts[:, None] == parts, reach & reach.T)
        assert (parts[:, None] <= parts)[relation].all()
        assert_array_equal(np.unique(parts), np.arange(parts.max() + 1))
        assert found.solved[r] == (parts.max() + 1 == m)
        assert_array_equal(found.starts[r], [(parts < part).sum() for part in parts])


def test_problems_are_solved_if_there_is_no_cycle():
    rng = np.random.default_rng(0)
    costs = rng.normal(size=(200, 4, 4))
    solved = first_look(costs).solved
    acyclic = [not np.diag(closure(c < c.T)).any() for c in costs]
    assert_array_equal(solved, acyclic)
    assert 0 < solved.sum() < 200


def test_ties_are_broken_by_the_smallest_index():
    assert_array_equal(first_look(np.zeros((1, 5, 5))).parts, [[0, 1, 2, 3, 4]])
    before = np.zeros((4, 4), dtype=bool)
    before[3, 0] = True
    assert_array_equal(first_look(np.zeros((1, 4, 4)), before).parts, [[3, 0, 1, 2]])


def test_a_forced_pair_holds_whatever_it_costs():
    costs = np.zeros((1, 2, 2))
    costs[0, 1, 0] = 100
    before = np.array([[False, False], [True, False]])
    assert_array_equal(first_look(costs, before).parts, [[1, 0]])


def test_groups_cover_the_larger_parts_once():
    rng = np.random.default_rng(1)
    found = order_parts(rng.integers(0, 4, (50, 7, 7)))
    seen = np.zeros((50, 7), dtype=int)
    for group in found.groups():
        parts = found.parts[group.rows, group.items]
        assert (parts == parts[:, :1]).all()
        assert_array_equal(found.starts[group.rows, group.items][:, 0], group.starts)
        seen[group.rows, group.items] += 1
    sizes = (found.parts[:, :, None] == found.parts[:, None, :]).sum(axis=2)
    assert_array_equal(seen, sizes > 1)


@pytest.mark.parametrize(
    ("costs", "before", "words"),
    [
        (np.zeros((3, 3)), None, r"\(problems, items, items\), got \(3, 3\)"),
        (np.zeros((1, 3, 2)), None, "got"),
        (np.full((2, 2, 2), np.nan), None, r"problem 0 \(2 such problems\) are not finite"),
        (np.zeros((1, 2, 2)), np.zeros((2, 2)), "boolean"),
        (np.zeros((2, 2, 2)), np.zeros((3, 2, 2), dtype=bool), r"got \(3, 2, 2\)"),
        (np.zeros((1, 2, 2)), ~np.eye(2, dtype=bool), r"problem 0 \(1 such problem\).*cycle"),
        (np.zeros((1, 2, 2)), np.eye(2, dtype=bool), "cycle"),
    ],
)
def test_invalid_problems_raise(costs, before, words):
    with pytest.raises(ValueError, match=words):
        first_look(costs, before)


def test_the_diagonal_is_ignored():
    costs = np.full((1, 3, 3), np.nan)
    costs[0][~np.eye(3, dtype=bool)] = 1.0
    assert first_look(costs).solved.all()
    assert np.isnan(costs[0, 0, 0])
