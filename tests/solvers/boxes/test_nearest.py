"""The optimum nearest to an anchor: against SLSQP, and in cases with a known answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from disambig.solvers.boxes import projected_newton
from tests.oracles.box_programs import FORMS, midpoints, random_bounds, random_form

# These solvers call no compiled function: nothing is gained by a run without the compiler.
pytestmark = pytest.mark.needs_jit

seeds = st.integers(0, 2**32 - 1)


def nearest_by_slsqp(Q, y, lower, upper, anchor):
    """Least squared distance to `anchor` over all optima, given one of them."""
    values, vectors = np.linalg.eigh(Q)
    rows = vectors[:, values > 1e-10 * max(values.max(), 1e-300)].T
    has_gradient = np.abs(Q @ y) > 1e-8 * max(np.abs(Q).max(), 1e-300)
    low, high = np.where(has_gradient, y, lower), np.where(has_gradient, y, upper)
    constraints = [{"type": "eq", "fun": lambda x: rows @ (x - y), "jac": lambda x: rows}]
    return minimize(
        lambda x: ((x - anchor) ** 2).sum(),
        y,
        jac=lambda x: 2 * (x - anchor),
        bounds=list(zip(low, high, strict=True)),
        constraints=constraints if len(rows) else [],
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )


# Old versions of SLSQP leave the box by a rounding error, and warn.
@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")
@pytest.mark.parametrize("form", FORMS)
@given(seed=seeds, n=st.integers(2, 8))
def test_no_optimum_is_nearer(form, seed, n):
    rng = np.random.default_rng(seed)
    Q = random_form(form, rng, n)
    lower, upper = random_bounds(rng, n)
    anchor = rng.normal(size=n)
    start = midpoints(lower, upper)
    plain = projected_newton(Q, lower, upper, start)
    solution = projected_newton(Q, lower, upper, start, anchor=anchor)
    margin = 1e-12 * np.abs(Q).sum()
    assert solution.converged
    assert solution.value == pytest.approx(plain.value, rel=1e-8, abs=margin)
    assert np.all((lower <= solution.y) & (solution.y <= upper))
    found = nearest_by_slsqp(Q, plain.y, lower, upper, anchor)
    distance = ((solution.y - anchor) ** 2).sum()
    assert distance <= ((plain.y - anchor) ** 2).sum() * (1 + 1e-9)
    if found.success:
        assert distance <= found.fun * (1 + 1e-6) + 1e-8


@given(seed=seeds, n=st.integers(2, 8))
def test_it_does_not_depend_on_the_start(seed, n):
    rng = np.random.default_rng(seed)
    Q = random_form("components", rng, n)
    lower, upper = random_bounds(rng, n)
    anchor = rng.normal(size=n)
    one, two = (
        projected_newton(Q, lower, upper, rng.normal(size=n), anchor=anchor).y for _ in range(2)
    )
    np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-6)


def test_a_zero_form_gives_the_clipped_anchor():
    lower, upper = np.array([0.0, 0.0, -np.inf]), np.array([1.0, 1.0, np.inf])
    anchor = np.array([0.25, 7.0, -3.0])
    solution = projected_newton(np.zeros((3, 3)), lower, upper, np.zeros(3), anchor=anchor)
    np.testing.assert_array_equal(solution.y, [0.25, 1.0, -3.0])


def test_entries_without_a_preference_follow_the_others():
    Q = np.array([[1.0, -1.0], [-1.0, 1.0]])
    lower, upper = np.array([0.0, -np.inf]), np.array([4.0, np.inf])
    anchor = np.array([3.0, np.nan])
    solution = projected_newton(Q, lower, upper, np.array([1.0, 0.0]), anchor=anchor)
    np.testing.assert_allclose(solution.y, [3.0, 3.0])


def test_entries_without_a_preference_in_directions_that_share_entries():
    Q = np.outer([1.0, 1.0, 1.0], [1.0, 1.0, 1.0])
    lower, upper = np.array([-5.0, -5.0, -np.inf]), np.array([5.0, 5.0, np.inf])
    anchor = np.array([2.0, 9.0, np.nan])
    solution = projected_newton(Q, lower, upper, np.ones(3), anchor=anchor)
    np.testing.assert_allclose(solution.y, [2.0, 5.0, -7.0], atol=1e-6)


def test_an_anchor_of_nan_changes_nothing():
    Q = np.array([[1.0, -1.0], [-1.0, 1.0]])
    lower, upper = np.full(2, -np.inf), np.full(2, np.inf)
    start = np.array([1.0, 3.0])
    plain = projected_newton(Q, lower, upper, start)
    without_preference = projected_newton(Q, lower, upper, start, anchor=np.full(2, np.nan))
    np.testing.assert_array_equal(without_preference.y, plain.y)


def test_a_unique_optimum_does_not_depend_on_the_anchor():
    rng = np.random.default_rng(0)
    Q = random_form("full", rng, 6)
    lower, upper = random_bounds(rng, 6)
    plain = projected_newton(Q, lower, upper, np.zeros(6))
    anchored = projected_newton(Q, lower, upper, np.zeros(6), anchor=np.full(6, 100.0))
    np.testing.assert_array_equal(anchored.y, plain.y)


def test_an_optimum_that_is_the_anchor_stays():
    # All directions whose sum is zero are free, and they share entries.
    Q, ends = np.ones((3, 3)), np.full(3, 10.0)
    solution = projected_newton(Q, -ends, ends, np.zeros(3), anchor=np.zeros(3))
    np.testing.assert_array_equal(solution.y, np.zeros(3))
