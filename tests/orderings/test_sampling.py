"""Random linear extensions: uniform, reproducible, and allowed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from disambig.compiled.relations import swap_neighbours
from disambig.orderings.distributions import (
    linear_extensions,
    mixing_steps,
    sample_linear_extensions,
)
from tests.orderings.enumeration import allowed_orders, random_before, respects


def chi_square(drawn, orders):
    """Pearson's statistic of draws (d, m) against the uniform distribution on orders (c, m)."""
    index = {tuple(order): k for k, order in enumerate(orders.tolist())}
    counts = np.bincount([index[tuple(ranks)] for ranks in drawn.tolist()], minlength=len(orders))
    expected = len(drawn) / len(orders)
    return ((counts - expected) ** 2 / expected).sum()


def limit(n_orders):
    """Mean plus five standard deviations of chi-square."""
    return n_orders - 1 + 5 * np.sqrt(2 * max(n_orders - 1, 1))


@pytest.mark.parametrize("seed", range(6))
def test_draws_are_uniform(seed):
    rng = np.random.default_rng(seed)
    before = random_before(rng, 3, 5, 0.25)
    drawn = sample_linear_extensions(before, 1500, random_state=seed)
    assert drawn.exact.all()
    assert not drawn.steps.any()
    for r in range(3):
        orders = allowed_orders(before[r])
        assert chi_square(drawn.ranks[r], orders) < limit(len(orders))


@pytest.mark.parametrize("pairs", [[], [(0, 1), (2, 3)]])
def test_the_markov_chain_is_uniform(pairs):
    """On few items, for which all orders can be listed; all chains start from the same order."""
    m, n = 4, 1500
    before = np.zeros((1, m, m), dtype=bool)
    for first, second in pairs:
        before[0, first, second] = True
    order = np.tile(np.arange(m), (n, 1))
    p = np.arange(1, m)
    steps = mixing_steps(m, 0.001)
    choices = np.random.default_rng(0).integers(0, 2 * (p * (m - p)).sum(), (n, steps))
    swap_neighbours(order, np.zeros(n, dtype=np.intp), before, np.cumsum(p * (m - p)), choices)
    orders = allowed_orders(before[0])
    assert chi_square(np.argsort(order, axis=1), orders) < limit(len(orders))


@pytest.mark.needs_jit
def test_many_items_are_drawn_by_a_markov_chain():
    # Two chains of eleven: the positions of one of them are a random choice of 11 out of 22.
    m = 22
    before = np.zeros((2, m, m), dtype=bool)
    chain = np.triu(np.ones((11, 11), dtype=bool), 1)
    before[0, :11, :11] = before[0, 11:, 11:] = chain
    drawn = sample_linear_extensions(before, 400, random_state=3)
    assert_array_equal(drawn.exact, [False, True])
    assert_array_equal(drawn.steps, [mixing_steps(m, 0.01), 0])
    assert respects(before[0], drawn.ranks[0])
    # The first item of a chain is at position k with probability C(21 - k, 10) / C(22, 11).
    mean = (m + 1) / 12 - 1
    spread = np.sqrt(11 * 23 * 11 / (12**2 * 13))
    assert abs(drawn.ranks[0, :, 0].mean() - mean) < 5 * spread / np.sqrt(400)


@pytest.mark.needs_jit
def test_pairs_of_larger_orders_have_their_exact_frequencies():
    rng = np.random.default_rng(5)
    before = random_before(rng, 1, 12, 0.1)
    drawn = sample_linear_extensions(before, 4000).ranks[0]
    pairs = (drawn[:, :, None] < drawn[:, None, :]).mean(axis=0)
    exact = linear_extensions(before).pairs[0]
    assert_allclose(pairs, exact, rtol=0, atol=5 * 0.5 / np.sqrt(4000))
    assert respects(np.repeat(before, 4000, axis=0), drawn)


def test_parts_in_series_are_drawn_separately():
    block = np.repeat(np.arange(8), 3)
    before = block[:, None] < block
    before[np.arange(0, 24, 3), np.arange(1, 24, 3)] = True
    drawn = sample_linear_extensions(before, 300)
    assert drawn.exact.all()
    assert respects(before, drawn.ranks[0])
    assert len(np.unique(drawn.ranks[0, :, 23])) == 3


def test_draws_depend_on_the_seed():
    before = np.zeros((6, 6), dtype=bool)
    before[0, 1] = True
    first = sample_linear_extensions(before, 20, random_state=1).ranks
    assert_array_equal(first, sample_linear_extensions(before, 20, random_state=1).ranks)
    assert (first != sample_linear_extensions(before, 20, random_state=2).ranks).any()


def test_a_cycle_raises():
    with pytest.raises(ValueError, match="cycle"):
        sample_linear_extensions(~np.eye(2, dtype=bool))
