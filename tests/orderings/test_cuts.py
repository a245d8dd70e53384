"""Branch and cut: against all orders, against dynamic programming, and its bounds."""

import importlib.util
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog

from disambig.compiled.relations import violated_dicycles
from disambig.orderings.cuts import _Search, cut_orders, solve_by_cuts
from disambig.orderings.dynamic import dynamic_orders
from disambig.orderings.relaxations import open_relaxation
from tests.orderings.enumeration import (
    allowed_orders,
    pair_values,
    random_before,
    random_costs,
    respects,
    three_fence,
)

HAS_HIGHSPY = importlib.util.find_spec("highspy") is not None
needs_highspy = pytest.mark.skipif(not HAS_HIGHSPY, reason="highspy is not installed")
BACKENDS = ["scipy", pytest.param("highspy", marks=needs_highspy)]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize("kind", ["ties", "normal"])
def test_optimal_among_all_orders(kind, share, backend):
    rng = np.random.default_rng(0)
    for m in range(1, 7):
        costs, before = random_costs(rng, 3, m, kind), random_before(rng, 3, m, share)
        # No kicks: the optimum is left for the cuts to find.
        found = cut_orders(costs, before, backend=backend, n_iterations=0)
        best = [pair_values(c, allowed_orders(f)).min() for c, f in zip(costs, before, strict=True)]
        assert_allclose(found.values, best, rtol=0, atol=1e-12)
        assert found.exact.all()
        assert respects(before, found.ranks)


@pytest.mark.needs_jit
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("m", [8, 11, 14, 16])
def test_cuts_agree_with_dynamic_programming(m, backend):
    rng = np.random.default_rng(m)
    costs = np.concatenate([rng.integers(0, 50, (2, m, m)), rng.normal(size=(2, m, m))])
    before = random_before(rng, 4, m, 0.03)
    before[::2] = False
    cut = cut_orders(costs, before, backend=backend, n_iterations=0)
    assert_allclose(cut.values, dynamic_orders(costs, before).values, rtol=1e-12)
    assert cut.exact.all()
    assert (cut.gaps <= 1e-9 * np.abs(costs).sum(axis=(1, 2))).all()


def relaxed_value(gains):
    """Maximum over all points without 3-cycles, with all rows from the start."""
    m = len(gains)
    first, second = np.triu_indices(m, 1)
    column = np.zeros((m, m), dtype=int)
    column[first, second] = np.arange(first.size)
    rows, limits = [], []
    for i, j, k in combinations(range(m), 3):
        row = np.zeros(first.size)
        row[[column[i, j], column[j, k], column[i, k]]] = [1, 1, -1]
        rows += [row, -row]
        limits += [1, 0]
    solution = linprog(
        gains[second, first] - gains[first, second], A_ub=rows, b_ub=limits, bounds=(0, 1)
    )
    return gains[second, first].sum() - solution.fun


def test_the_three_fence_needs_branching():
    gains = three_fence()
    assert relaxed_value(gains) == pytest.approx(7.5)
    assert pair_values(gains, allowed_orders(np.zeros((6, 6), dtype=bool))).max() == 7
    found = cut_orders(-gains[None], n_iterations=0)
    assert found.values == [-7]
    assert found.exact.all()
    # Without integers to round to, only branching can close the gap.
    scaled = cut_orders(-np.pi * gains[None], n_iterations=0)
    assert scaled.exact.all()
    assert_allclose(scaled.values, [-7 * np.pi])


@pytest.mark.parametrize("integral", [True, False])
def test_branching_finds_the_order_without_rounding(monkeypatch, integral):
    """Without rounding of fractional points, from the worst order, under many numberings.

    The costs of the fence are perturbed, so that one order only is optimal.
    """
    try_order = _Search.try_order
    monkeypatch.setattr(
        _Search,
        "try_order",
        lambda self, x: try_order(self, x) if (x == np.round(x)).all() else None,
    )
    rng = np.random.default_rng(0)
    free = np.zeros((6, 6), dtype=bool)
    orders = allowed_orders(free)
    for _ in range(12):
        names = rng.permutation(6)
        costs = -20.0 * three_fence()[np.ix_(names, names)] + rng.integers(0, 4, (6, 6))
        np.fill_diagonal(costs, 0)
        costs *= 1.0 if integral else np.pi
        values = pair_values(costs, orders)
        ranks, gap, proven = solve_by_cuts(costs, free, orders[values.argmax()], None, "scipy")
        assert pair_values(costs, ranks[None])[0] == pytest.approx(values.min(), rel=1e-12)
        assert proven
        assert gap <= 1e-9 * np.abs(costs).sum()


@pytest.mark.parametrize("kind", ["integral", "normal"])
def test_fixing_pairs_does_not_exclude_the_optimum(kind):
    """From the optimum the search has to prove it; from other orders also to find it."""
    rng = np.random.default_rng(1)
    for m in (6, 7):
        free = np.zeros((m, m), dtype=bool)
        orders = allowed_orders(free)
        for _ in range(6):
            costs = rng.normal(size=(m, m))
            if kind == "integral":
                costs = np.round(10 * costs)
            np.fill_diagonal(costs, 0)
            values = pair_values(costs, orders)
            for start in (values.argmin(), values.argmax(), 0):
                ranks, _, proven = solve_by_cuts(costs, free, orders[start], None, "scipy")
                assert pair_values(costs, ranks[None])[0] == pytest.approx(values.min())
                assert proven


def test_bounds_hold_when_time_is_over():
    rng = np.random.default_rng(1)
    costs = rng.normal(size=(2, 6, 6))
    best = [pair_values(c, allowed_orders(np.zeros((6, 6), dtype=bool))).min() for c in costs]
    found = cut_orders(costs, time_limit=0.0, n_iterations=0)
    assert (found.bounds <= np.array(best) + 1e-12).all()
    assert (found.values >= np.array(best) - 1e-12).all()
    assert np.isfinite(found.gaps).all()
    assert not found.exact.all()


@given(seed=st.integers(0, 1000), m=st.integers(3, 6))
def test_violated_3_cycles_are_found(seed, m):
    rng = np.random.default_rng(seed)
    x = np.triu(rng.random((m, m)), 1)
    x += np.tril(1 - x.T, -1)
    triples, excess = violated_dicycles(x, 0.05)
    expected = {
        (i, j, k): x[i, j] + x[j, k] + x[k, i] - 2
        for i, a, b in combinations(range(m), 3)
        for j, k in ((a, b), (b, a))
        if x[i, j] + x[j, k] + x[k, i] - 2 > 0.05
    }
    assert {tuple(t) for t in triples.tolist()} == set(expected)
    assert_allclose(excess, [expected[tuple(t)] for t in triples.tolist()], atol=1e-12)


def test_an_unknown_backend_raises():
    with pytest.raises(ValueError, match=r"backend must be one of .*; got 'cplex'"):
        open_relaxation(np.zeros(3), "cplex")


def test_a_missing_backend_raises(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"Install disambig\[highs\]"):
        open_relaxation(np.zeros(3), "highspy")
    assert type(open_relaxation(np.zeros(3), "auto")).__name__ == "_ScipyRelaxation"


def test_all_orders_tie():
    found = cut_orders(np.ones((1, 5, 5)))
    assert found.exact.all()
    assert_array_equal(np.sort(found.ranks), [np.arange(5)])
