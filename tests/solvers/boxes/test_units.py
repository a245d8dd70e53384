"""Bounds whose squares leave the range of floats: the same optima, in another unit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig import IntervalRegressor
from disambig.solvers.boxes import accelerated, projected_newton
from disambig.solvers.boxes.units import unit_of
from tests.oracles.box_programs import midpoints, random_bounds, random_form

# These solvers call no compiled function: nothing is gained by a run without the compiler.
pytestmark = pytest.mark.needs_jit

# Powers of two, which change no digit.
SCALES = [2.0**-1000, 2.0**-700, 2.0**-400, 2.0**400, 2.0**1000]


@pytest.mark.parametrize("solve", [projected_newton, accelerated])
@pytest.mark.parametrize("scale", SCALES)
@given(seed=st.integers(0, 2**32 - 1))
def test_extreme_bounds_have_the_same_optimum(solve, scale, seed):
    rng = np.random.default_rng(seed)
    n = 8
    # Singular, as the forms of votes that sum to one are.
    form = random_form("low rank", rng, n)
    lower, upper = random_bounds(rng, n)
    lower[0], upper[0] = 1.0, 2.0
    start = midpoints(lower, upper)
    anchor = np.where(rng.uniform(size=n) < 0.5, start, np.nan)
    usual = solve(form, lower, upper, start, anchor=anchor)
    seen = []
    found = solve(
        form,
        scale * lower,
        scale * upper,
        scale * start,
        anchor=scale * anchor,
        callback=seen.append,
    )
    assert found.status is usual.status
    np.testing.assert_allclose(found.y / scale, usual.y, rtol=1e-6, atol=1e-7)
    assert np.all((found.y >= scale * lower) & (found.y <= scale * upper))
    assert found.kkt <= 1e-9
    # Values and progress are in the given unit, where they can be zero or infinite.
    if 0.0 < scale * scale < np.inf:
        assert found.value / scale / scale == pytest.approx(usual.value, rel=1e-6, abs=1e-9)
    assert tuple(seen) == tuple(one for one in found.trace if one.iteration > 0)


def test_ordinary_bounds_are_not_rescaled():
    assert unit_of(np.array([-1e99]), np.array([np.inf]), np.zeros(1)) == 1.0
    assert unit_of(np.full(1, -np.inf), np.full(1, np.inf), np.zeros(1)) == 1.0


@pytest.mark.parametrize("largest", [5e-324, 1e-310, 1e-101, 1e101, 1.7e308])
def test_the_unit_is_a_power_of_two_near_the_largest_bound(largest):
    unit = unit_of(np.array([-largest]), np.array([np.inf]), np.zeros(1))
    assert np.frexp(unit)[0] == 0.5
    assert 1.0 <= largest / unit < 2.0


@pytest.mark.parametrize("weights", ["neighbors", "kernel_ridge", "random_features"])
def test_tiny_intervals_are_regressed_as_others_are(weights):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    ends = X[:, :1] + np.array([-0.5, 0.5])
    usual = IntervalRegressor(weights).fit(X, ends)
    tiny = IntervalRegressor(weights).fit(X, ends * 2.0**-1000)
    assert tiny.certified_
    np.testing.assert_allclose(tiny.labels_ * 2.0**1000, usual.labels_, atol=1e-9)
