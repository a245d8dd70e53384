"""Projected Newton on a stack of convex quadratics over boxes."""

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st

from disambig.solvers.boxes import projected_newton, scaled_kkt
from disambig.solvers.boxes.newton import best_on_projected_path, best_on_projected_paths
from reproduce.batch.boxes import stacked_newton

# Nothing here is compiled, so these tests need not run a second time without the compiler.
pytestmark = pytest.mark.needs_jit


def problems(seed, n_problems=12, n=6, *, ridge=1e-2, unbounded=False):
    """Forms, bounds and starts of random problems."""
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(n_problems, n, n))
    Q = roots @ roots.transpose(0, 2, 1) / n + ridge * np.eye(n)
    lower = rng.normal(size=(n_problems, n))
    upper = lower + rng.uniform(0.0, 2.0, size=lower.shape) * (rng.random(lower.shape) < 0.8)
    start = (lower + upper) / 2
    if unbounded:
        lower = np.where(rng.random(lower.shape) < 0.3, -np.inf, lower)
        upper = np.where(rng.random(lower.shape) < 0.3, np.inf, upper)
    return Q, lower, upper, start


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 12),
    ridge=st.sampled_from([1.0, 1e-2, 1e-5]),
    unbounded=st.booleans(),
)
def test_each_problem_has_the_solution_of_projected_newton(seed, n, ridge, unbounded):
    Q, lower, upper, start = problems(seed, n=n, ridge=ridge, unbounded=unbounded)
    found = stacked_newton(Q, lower, upper, start)
    for b in range(len(Q)):
        alone = projected_newton(Q[b], lower[b], upper[b], start[b])
        np.testing.assert_allclose(found.y[b], alone.y, atol=1e-8)
        assert found.kkt[b] <= 1e-10
    assert ((lower <= found.y) & (found.y <= upper)).all()


@pytest.mark.parametrize("seed", range(3))
def test_scipy_finds_nothing_lower(seed):
    Q, lower, upper, start = problems(seed, 5)
    found = stacked_newton(Q, lower, upper, start)
    for b in range(len(Q)):
        form, bounds = Q[b], np.stack([lower[b], upper[b]], axis=1)
        other = scipy.optimize.minimize(
            lambda y, form=form: (y @ form @ y, 2 * form @ y),
            start[b],
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"ftol": 1e-15, "gtol": 1e-12, "maxiter": 2000},
        )
        np.testing.assert_allclose(found.y[b] @ form @ found.y[b], other.fun, rtol=1e-8, atol=1e-8)


def test_the_certificate_is_that_of_a_single_problem():
    Q, lower, upper, start = problems(3)
    found = stacked_newton(Q, lower, upper, start, max_iter=1)
    assert (found.kkt > 1e-10).any(), (
        "one step must not be enough for all, or this test cannot fail"
    )
    for b in range(len(Q)):
        y = found.y[b]
        size = max(np.abs(np.clip(start[b], lower[b], upper[b])).max(), np.abs(y).max())
        kkt = scaled_kkt(
            Q[b] @ y, y, lower[b], upper[b], curvature=np.diagonal(Q[b]), size=float(size)
        )
        assert found.kkt[b] == pytest.approx(kkt, rel=1e-9, abs=1e-15)
        np.testing.assert_allclose(found.gradient[b], Q[b] @ y, atol=1e-12)


def test_a_problem_does_not_depend_on_the_rest_of_the_stack():
    Q, lower, upper, start = problems(7, 9)
    together = stacked_newton(Q, lower, upper, start)
    for part in (slice(0, 4), slice(4, 9)):
        alone = stacked_newton(Q[part], lower[part], upper[part], start[part])
        np.testing.assert_allclose(alone.y, together.y[part], atol=1e-12)
        np.testing.assert_array_equal(alone.n_iter, together.n_iter[part])


@given(seed=st.integers(0, 10_000), unbounded=st.booleans())
def test_many_paths_are_no_worse_than_single_ones(seed, unbounded):
    Q, lower, upper, start = problems(seed, unbounded=unbounded)
    y = np.clip(start, lower, upper)
    gradient = np.einsum("bij,bj->bi", Q, y)
    direction = -gradient * np.random.default_rng(seed).uniform(0.5, 20, size=y.shape)
    found = best_on_projected_paths(Q, y, gradient, direction, lower, upper)
    for b in range(len(Q)):
        alone = best_on_projected_path(Q[b], y[b], gradient[b], direction[b], lower[b], upper[b])
        value, least = found[b] @ Q[b] @ found[b], alone @ Q[b] @ alone
        assert value <= least + 1e-9 * max(1.0, abs(least))


def test_an_empty_stack():
    Q, lower, upper, start = problems(0, 0)
    assert stacked_newton(Q, lower, upper, start).y.shape == (0, 6)


def test_a_form_with_a_singular_shift_is_refused():
    # The form plus the diagonal shift of 1e-13 is singular.
    Q = np.array([[[-1e-13]]])
    with pytest.raises(ValueError, match="not convex"):
        stacked_newton(Q, np.array([[0.0]]), np.array([[2.0]]), np.array([[1.0]]))
