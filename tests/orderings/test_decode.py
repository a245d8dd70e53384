"""The decoders of orders: values, bounds, and the methods that they choose."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.exceptions import MissingOracleError
from disambig.orderings.decode import OrderDecoder, order_decoder
from disambig.orderings.dynamic import dynamic_orders
from tests.orderings.enumeration import (
    allowed_orders,
    pair_values,
    random_before,
    random_costs,
    respects,
    three_fence,
)

NAMES = ["auto", "dynamic", "exact", "local"]


@given(
    seed=st.integers(0, 10_000),
    m=st.integers(1, 5),
    kind=st.sampled_from(["ties", "normal"]),
    share=st.sampled_from([0.0, 0.2, 0.6]),
)
def test_auto_is_optimal_among_all_orders(seed, m, kind, share):
    rng = np.random.default_rng(seed)
    costs, before = random_costs(rng, 5, m, kind), random_before(rng, 5, m, share)
    found = order_decoder().decode(costs, before)
    best = [pair_values(c, allowed_orders(f)).min() for c, f in zip(costs, before, strict=True)]
    assert_allclose(found.values, best, rtol=0, atol=1e-12)
    assert found.exact.all()
    assert respects(before, found.ranks)


@pytest.mark.parametrize("name", NAMES)
def test_every_decoder_is_optimal_for_six_items(name):
    rng = np.random.default_rng(0)
    costs, before = random_costs(rng, 8, 6, "normal"), random_before(rng, 8, 6, 0.1)
    found = order_decoder(name, n_iterations=20).decode(costs, before)
    best = [pair_values(c, allowed_orders(f)).min() for c, f in zip(costs, before, strict=True)]
    assert_allclose(found.values, best, rtol=0, atol=1e-9)
    assert (found.bounds <= np.array(best) + 1e-9).all()
    if name != "local":
        assert found.exact.all()


def test_the_result_names_the_method():
    costs = np.zeros((3, 8, 8))
    costs[:, :6, :6] = -three_fence()
    costs[0] = np.tril(np.ones((8, 8)), -1)
    costs[2, 6:, :6] = 1  # The last two items form a part after the fence.
    methods = {
        "auto": "dynamic",
        "dynamic": "dynamic",
        "exact": "cuts",
        "local": "local",
    }
    for name, method in methods.items():
        found = order_decoder(name).decode(costs)
        assert_array_equal(found.methods, ["first look", method, method])
        assert_allclose(found.values, [0, -7, -7])
        assert_array_equal(found.exact, [True, name != "local", name != "local"])
    assert order_decoder("local").decode(costs).gaps[1] > 0


def chain_of_cycles(n):
    """n cycles of three items, one after another: all parts have three items."""
    m = 3 * n
    costs = np.tril(np.ones((m, m)), -1)
    for start in range(0, m, 3):
        costs[start : start + 3, start : start + 3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    return costs[None]


def test_small_parts_of_many_items_are_solved_by_dynamic_programming():
    found = order_decoder("dynamic").decode(chain_of_cycles(12))
    assert_allclose(found.values, [12])
    assert found.exact.all()


def cycle(m):
    """Each item is cheaper before the next one, and the last before the first."""
    costs = np.zeros((1, m, m))
    costs[0, np.roll(np.arange(m), -1), np.arange(m)] = 1
    return costs


def test_dynamic_raises_at_a_part_that_is_too_large():
    with pytest.raises(MissingOracleError, match=r"21 items.*at most 20.*'exact'"):
        order_decoder("dynamic").decode(cycle(21))


@pytest.mark.parametrize(("largest_cuts", "method"), [(60, "cuts"), (20, "local")])
def test_auto_has_methods_for_larger_parts(largest_cuts, method):
    found = order_decoder("auto", largest_cuts=largest_cuts, time_limit=None).decode(cycle(21))
    assert_array_equal(found.methods, [method])
    assert_allclose(found.values, [1])
    assert_array_equal(found.exact, [method == "cuts"])
    assert_array_equal(found.gaps, [0 if method == "cuts" else 1])


def test_a_time_limit_leaves_a_gap():
    rng = np.random.default_rng(3)
    costs = rng.normal(size=(1, 7, 7))
    decoder = order_decoder("exact", time_limit=0.0, n_iterations=0)
    found = decoder.decode(costs)
    assert not found.exact.any()
    assert found.gaps[0] > 0
    assert found.bounds[0] <= dynamic_orders(costs).values[0] + 1e-12


def test_exact_has_no_time_limit_by_default():
    assert order_decoder("exact").time_limit is None
    assert order_decoder("exact", time_limit=2.0).time_limit == 2.0
    assert order_decoder() == OrderDecoder()


def test_invalid_parameters_raise():
    with pytest.raises(ValueError, match=r"name must be one of .*; got 'fast'"):
        order_decoder("fast")
    with pytest.raises(ValueError, match="largest_lattice=30 must be at most 20"):
        order_decoder(largest_lattice=30)


def test_no_problems():
    assert len(order_decoder().decode(np.zeros((0, 5, 5)))) == 0
