"""Gibbs distributions of orders, against the sum over all orders."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from disambig.exceptions import MissingOracleError
from disambig.orderings.distributions import gibbs_orders, linear_extensions
from disambig.orderings.dynamic import dynamic_orders
from disambig.orderings.signs import pair_costs, signs_of_pairs, signs_of_ranks
from tests.orderings.enumeration import allowed_orders, random_before


def by_enumeration(scores, before, scale):
    signs = signs_of_ranks(allowed_orders(before))
    exponents = -(signs @ scores) / scale
    weights = np.exp(exponents - exponents.max())
    total = weights.sum()
    return weights @ signs / total, np.log(total) + exponents.max()


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("scale", [1e3, 1.0, 0.02, 1e-6])
def test_equal_to_the_sum_over_all_orders(m, share, scale):
    rng = np.random.default_rng(m)
    b = 4
    scores = rng.normal(size=(b, m * (m - 1) // 2 + 1))
    before = random_before(rng, b, m, share)
    found = gibbs_orders(scores, m, before, scales=np.full(b, scale))
    for r in range(b):
        signs, log_sum = by_enumeration(scores[r, :-1], before[r], scale)
        assert_allclose(found.signs[r], signs, atol=1e-9)
        assert_allclose(found.log_sums[r], log_sum, rtol=1e-12, atol=1e-12)


def test_without_costs_it_counts_linear_extensions():
    before = random_before(np.random.default_rng(0), 3, 7, 0.4)
    found = gibbs_orders(np.zeros((3, 21)), 7, before, scales=np.ones(3))
    counted = linear_extensions(before)
    assert_allclose(np.exp(found.log_sums), counted.counts)
    assert_allclose(found.signs, signs_of_pairs(counted.pairs), atol=1e-12)


def test_a_scale_of_zero_is_uniform():
    found = gibbs_orders(np.array([[5.0, 1.0, -2.0]]), 3, scales=np.zeros(1))
    assert_allclose(found.signs, np.zeros((1, 3)), atol=1e-12)
    assert_allclose(found.log_sums, np.log(6.0))


def test_enormous_costs_give_the_cheapest_order():
    scores = np.array([[1e12, -3e12, 2e12]])
    found = gibbs_orders(scores, 3, scales=np.array([1e-3]))
    cheapest = dynamic_orders(pair_costs(scores, 3))
    assert_array_equal(found.signs, signs_of_ranks(cheapest.ranks))
    assert np.isfinite(found.log_sums).all()


def test_forced_pairs_are_exact():
    before = random_before(np.random.default_rng(1), 5, 6, 0.5)
    found = gibbs_orders(np.full((5, 15), 0.1), 6, before, scales=np.ones(5))
    i, j = np.triu_indices(6, 1)
    assert (found.signs[before[:, i, j]] == 1.0).all()
    assert (found.signs[before[:, j, i]] == -1.0).all()


def test_too_many_items_and_nan_raise():
    with pytest.raises(MissingOracleError, match=r"21 items.*at most 20.*alternating"):
        gibbs_orders(np.zeros((1, 210)), 21, scales=np.ones(1))
    with pytest.raises(ValueError, match="problem 0"):
        gibbs_orders(np.array([[np.nan]]), 2, scales=np.ones(1))
