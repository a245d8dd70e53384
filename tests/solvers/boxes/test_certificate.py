"""The residual: zero at an optimum, positive elsewhere, independent of units."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.solvers.boxes import projected_newton, scaled_kkt
from disambig.solvers.boxes.quadratic import coordinate_moves, curvature
from tests.oracles.box_programs import midpoints, random_bounds, random_form

seeds = st.integers(0, 2**32 - 1)


def residual(Q, y, lower, upper, size=None):
    size = np.abs(y).max() if size is None else size
    return scaled_kkt(Q @ y, y, lower, upper, curvature=curvature(np.diagonal(Q)), size=size)


def random_point(seed, n):
    rng = np.random.default_rng(seed)
    Q = random_form("full", rng, n)
    lower, upper = random_bounds(rng, n)
    return Q, np.clip(rng.normal(size=n), lower, upper), lower, upper


@given(seed=seeds, n=st.integers(2, 10), of_y=st.floats(1e-3, 1e3), of_q=st.floats(1e-3, 1e3))
def test_the_residual_does_not_depend_on_units(seed, n, of_y, of_q):
    Q, y, lower, upper = random_point(seed, n)
    expected = residual(Q, y, lower, upper)
    assert residual(of_q * Q, y, lower, upper) == pytest.approx(expected, rel=1e-9, abs=1e-14)
    other = residual(Q, of_y * y, of_y * lower, of_y * upper)
    assert other == pytest.approx(expected, rel=1e-9, abs=1e-14)


@given(seed=seeds, n=st.integers(1, 10))
def test_coordinate_moves_are_optimal_for_their_entry(seed, n):
    Q, y, lower, upper = random_point(seed, n)
    moves = coordinate_moves(Q @ y, y, lower, upper, np.diagonal(Q))
    for j, move in enumerate(moves):
        best = y + move * (np.arange(n) == j)
        assert lower[j] - 1e-12 <= best[j] <= upper[j] + 1e-12
        for nudge in (-1e-3, 1e-3):
            other = best + nudge * (np.arange(n) == j)
            if lower[j] <= other[j] <= upper[j]:
                assert other @ Q @ other >= best @ Q @ best


@given(seed=seeds, n=st.integers(2, 8))
def test_the_residual_is_zero_only_at_the_optimum(seed, n):
    Q, y, lower, upper = random_point(seed, n)
    best = projected_newton(Q, lower, upper, midpoints(lower, upper)).y
    assert residual(Q, best, lower, upper, size=1.0) <= 1e-9
    if y @ Q @ y > best @ Q @ best + 1e-6:
        assert residual(Q, y, lower, upper, size=1.0) > 1e-9


def test_curvature_is_positive_for_small_or_zero_diagonals():
    diagonal = np.array([0.0, 1e-30, 4.0])
    np.testing.assert_array_equal(curvature(diagonal), [4e-8, 4e-8, 4.0])
    np.testing.assert_array_equal(curvature(np.zeros(2)), [1.0, 1.0])


def test_size_zero_without_moves_gives_residual_zero():
    zero = np.zeros(3)
    residual = scaled_kkt(zero, zero, zero - 1, zero + 1, curvature=np.ones(3), size=0.0)
    assert residual == 0.0
