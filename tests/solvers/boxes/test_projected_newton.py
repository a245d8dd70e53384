"""Projected Newton against independent solvers, on well- and ill-conditioned problems."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.solvers.boxes import BoxSolution, projected_newton, scaled_kkt
from disambig.solvers.loop import Status
from tests.oracles.box_programs import (
    FORMS,
    best_face,
    bounded_least_squares,
    midpoints,
    random_bounds,
    random_form,
)

# These solvers call no compiled function: nothing is gained by a run without the compiler.
pytestmark = pytest.mark.needs_jit

seeds = st.integers(0, 2**32 - 1)


def conditioned(rng: np.random.Generator, n: int, condition: float) -> np.ndarray:
    """Eigenvalues from one down to one over `condition`, random eigenvectors."""
    vectors = np.linalg.qr(rng.normal(size=(n, n)))[0]
    Q = (vectors * np.logspace(0, -np.log10(condition), n)) @ vectors.T
    return (Q + Q.T) / 2


def paper_problem(seed: int, ridge: float, form: str):
    """Ten targets ``sin(10 x)`` in skewed intervals, gaussian kernel of width 0.1."""
    rng = np.random.default_rng(seed)
    n = 10
    x = rng.uniform(size=n)
    f = np.sin(10 * x)
    radius = rng.exponential(size=n)
    center = f + np.sign(f) * rng.uniform(size=n) * radius
    K = np.exp(-((x[:, None] - x) ** 2) / (2 * 0.1**2))
    M = np.linalg.inv(K + n * ridge * np.eye(n))
    if form == "risk":
        Q = n * ridge * M
    elif form == "risk with intercept":
        sums = M.sum(axis=1)
        Q = n * ridge * (M - np.outer(sums, sums) / sums.sum())
    else:
        A = K @ M
        if form == "votes that sum to one":
            A /= A.sum(axis=1, keepdims=True)
        Q = np.diag(A.sum(axis=0)) - A.T @ (A / A.sum(axis=1, keepdims=True))
    return (Q + Q.T) / 2, center - radius, center + radius


def solved(Q, lower, upper, **options) -> BoxSolution:
    """A solution whose attributes are checked."""
    solution = projected_newton(Q, lower, upper, midpoints(lower, upper), **options)
    y = solution.y
    assert solution.converged
    assert np.all((lower <= y) & (y <= upper))
    rounding = 1e-14 * np.abs(Q).sum() * max(1e-300, np.abs(y).max()) ** 2
    assert solution.value == pytest.approx(y @ Q @ y, rel=1e-9, abs=rounding)
    diagonal = np.diagonal(Q)
    if diagonal.max() > 0:
        floor = np.maximum(diagonal, 1e-8 * diagonal.max())
        size = max(np.abs(y).max(), np.abs(np.clip(midpoints(lower, upper), lower, upper)).max())
        again = scaled_kkt(Q @ y, y, lower, upper, curvature=floor, size=size or 1.0)
        assert again <= 1e-10
    return solution


@pytest.mark.parametrize("form", FORMS)
@given(seed=seeds, n=st.integers(1, 5))
def test_no_face_has_a_better_point(form, seed, n):
    rng = np.random.default_rng(seed)
    Q = random_form(form, rng, n)
    lower, upper = random_bounds(rng, n)
    margin = 1e-12 * np.abs(Q).sum()
    best = best_face(Q, lower, upper)
    assert solved(Q, lower, upper).value == pytest.approx(best, rel=1e-8, abs=margin)


@pytest.mark.parametrize("form", FORMS)
@given(seed=seeds, n=st.integers(10, 40))
def test_same_value_as_scipy(form, seed, n):
    rng = np.random.default_rng(seed)
    Q = random_form(form, rng, n)
    lower, upper = random_bounds(rng, n)
    margin = 1e-12 * np.abs(Q).sum()
    best = bounded_least_squares(Q, lower, upper)
    assert solved(Q, lower, upper).value == pytest.approx(best, rel=1e-8, abs=margin)


@given(seed=seeds, n=st.integers(2, 12))
def test_the_order_of_rows_does_not_matter(seed, n):
    rng = np.random.default_rng(seed)
    Q = random_form("full", rng, n)
    lower, upper = random_bounds(rng, n)
    order = rng.permutation(n)
    direct = solved(Q, lower, upper).y[order]
    permuted = solved(Q[np.ix_(order, order)], lower[order], upper[order]).y
    np.testing.assert_allclose(permuted, direct, rtol=1e-8, atol=1e-8)


@given(seed=seeds, n=st.integers(2, 12), unit=st.sampled_from([1e-6, 0.5, 1e6]))
def test_units_do_not_matter(seed, n, unit):
    rng = np.random.default_rng(seed)
    Q = random_form("votes", rng, n)
    lower, upper = random_bounds(rng, n)
    expected = solved(Q, lower, upper)
    other = solved(Q, unit * lower, unit * upper)
    margin = 1e-12 * np.abs(Q).sum()
    assert other.value / unit**2 == pytest.approx(expected.value, rel=1e-8, abs=margin)
    scaled = projected_newton(unit * Q, lower, upper, midpoints(lower, upper))
    assert scaled.converged
    assert scaled.value / unit == pytest.approx(expected.value, rel=1e-8, abs=margin)


@pytest.mark.parametrize("form", ["votes", "votes that sum to one", "risk", "risk with intercept"])
@pytest.mark.parametrize("ridge", [1e-1, 1e-3, 1e-6])
def test_the_setting_of_the_paper_takes_at_most_fifteen_steps(form, ridge):
    for seed in range(30):
        Q, lower, upper = paper_problem(seed, ridge, form)
        if np.linalg.eigvalsh(Q)[0] < -1e-12 * np.abs(Q).max():
            continue  # signed votes are not always convex
        solution = solved(Q, lower, upper)
        assert solution.n_iter <= 15
        best = bounded_least_squares(Q, lower, upper)
        assert solution.value <= best * (1 + 1e-8) + 1e-15 * np.abs(Q).max()


@pytest.mark.parametrize("condition", [1e6, 1e12])
def test_ill_conditioned_problems(condition):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        Q = conditioned(rng, 60, condition)
        center, radius = rng.normal(size=60), rng.exponential(size=60)
        lower, upper = center - radius, center + radius
        lower[:5], upper[3:8] = -np.inf, np.inf
        solution = solved(Q, lower, upper)
        best = bounded_least_squares(Q, lower, upper)
        assert solution.value == pytest.approx(best, rel=1e-8)


def test_the_interior_point_method_takes_over_after_many_newton_steps():
    rng = np.random.default_rng(0)
    Q = conditioned(rng, 60, 1e12)
    center, radius = rng.normal(size=60), rng.exponential(size=60)
    solution = solved(Q, center - radius, center + radius)
    stages = [progress.stage for progress in solution.trace]
    assert set(stages) == {"newton", "interior point", "last newton"}
    assert solution.n_iter == sum(progress.iteration > 0 for progress in solution.trace)
    assert solution.trace[-1].objective == solution.value
    assert solution.trace[-1].undecided == 0


def test_newton_never_raises_the_objective():
    rng = np.random.default_rng(1)
    Q = random_form("votes", rng, 60)
    solution = solved(Q, *random_bounds(rng, 60))
    objectives = np.array([progress.objective for progress in solution.trace])
    assert {progress.stage for progress in solution.trace} == {"newton"}
    assert (np.diff(objectives) <= 1e-12 * objectives[0]).all()


def test_equal_bounds_everywhere():
    rng = np.random.default_rng(2)
    Q, y = random_form("full", rng, 6), rng.normal(size=6)
    solution = projected_newton(Q, y, y, np.zeros(6))
    np.testing.assert_array_equal(solution.y, y)
    assert (solution.kkt, solution.n_iter, solution.converged) == (0.0, 1, True)


def test_a_single_free_entry_is_minimised_exactly():
    rng = np.random.default_rng(3)
    Q, y = random_form("full", rng, 6), rng.normal(size=6)
    lower, upper = y.copy(), y.copy()
    lower[2], upper[2] = -np.inf, np.inf
    expected = -(Q[2] @ y - Q[2, 2] * y[2]) / Q[2, 2]
    assert projected_newton(Q, lower, upper, y).y[2] == pytest.approx(expected, rel=1e-12)


def test_zero_is_the_optimum_if_it_is_in_the_box():
    Q = random_form("full", np.random.default_rng(4), 5)
    solution = projected_newton(Q, np.full(5, -1.0), np.full(5, 2.0), np.zeros(5))
    np.testing.assert_array_equal(solution.y, 0.0)
    assert solution.converged


def test_components_are_independent():
    rng = np.random.default_rng(5)
    one, two = random_form("votes", rng, 7), random_form("votes", rng, 5)
    Q = np.zeros((12, 12))
    Q[:7, :7], Q[7:, 7:] = one, two
    lower, upper = random_bounds(rng, 12)
    together = solved(Q, lower, upper).value
    separately = solved(one, lower[:7], upper[:7]).value + solved(two, lower[7:], upper[7:]).value
    assert together == pytest.approx(separately, rel=1e-10)


def test_a_problem_that_is_not_convex_is_refused():
    Q = np.diag([1.0, -1.0, 1.0])
    with pytest.raises(ValueError, match="not convex"):
        projected_newton(Q, np.full(3, -np.inf), np.full(3, np.inf), np.ones(3))


def test_max_iter_and_callback():
    rng = np.random.default_rng(6)
    Q = random_form("votes", rng, 80)
    lower, upper = random_bounds(rng, 80)
    start = midpoints(lower, upper)
    early = projected_newton(Q, lower, upper, start, max_iter=1)
    assert (early.status, early.n_iter, early.converged) == (Status.MAX_ITER, 1, False)
    assert early.kkt > 1e-10
    calls = []
    stopped = projected_newton(
        Q, lower, upper, start, callback=lambda progress: calls.append(progress) or len(calls) == 2
    )
    assert (stopped.status, stopped.n_iter) == (Status.STOPPED, 2)
    assert calls == list(stopped.trace[1:])


def test_the_solution_is_read_only_and_the_start_is_not():
    Q = random_form("full", np.random.default_rng(7), 4)
    start = np.ones(4)
    solution = projected_newton(Q, np.zeros(4), np.full(4, 3.0), start)
    assert not solution.y.flags.writeable
    assert start.flags.writeable
