"""The matrix-free method: the same optima as the dense one, with products alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from disambig.solvers.boxes import accelerated, projected_newton
from disambig.solvers.loop import Status
from tests.oracles.box_programs import (
    FORMS,
    VotesForm,
    best_face,
    components,
    midpoints,
    random_bounds,
    random_form,
    random_votes,
)

# These solvers call no compiled function: nothing is gained by a run without the compiler.
pytestmark = pytest.mark.needs_jit

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("form", FORMS)
@given(seed=seeds, n=st.integers(1, 5))
def test_no_face_has_a_better_point(form, seed, n):
    rng = np.random.default_rng(seed)
    Q = random_form(form, rng, n)
    lower, upper = random_bounds(rng, n)
    solution = accelerated(Q, lower, upper, midpoints(lower, upper))
    assert solution.converged
    assert solution.kkt <= 1e-9
    assert np.all((lower <= solution.y) & (solution.y <= upper))
    margin = 1e-12 * np.abs(Q).sum()
    assert solution.value == pytest.approx(best_face(Q, lower, upper), rel=1e-8, abs=margin)


@given(seed=seeds, n=st.integers(20, 120), k=st.integers(2, 6))
def test_operator_and_dense_array_agree(seed, n, k):
    rng = np.random.default_rng(seed)
    form = VotesForm(random_votes(rng, n, k))
    lower, upper = random_bounds(rng, n)
    start = midpoints(lower, upper)
    by_products = accelerated(form, lower, upper, start)
    dense = projected_newton(form.toarray(), lower, upper, start)
    assert by_products.converged
    assert by_products.value == pytest.approx(dense.value, rel=1e-8, abs=1e-12 * n)


def test_ten_thousand_rows_take_a_few_dozen_products():
    rng = np.random.default_rng(0)
    form = VotesForm(random_votes(rng, 10_000, 10))
    lower, upper = random_bounds(rng, 10_000)
    solution = accelerated(form, lower, upper, midpoints(lower, upper), tol=1e-8)
    assert solution.converged
    assert form.n_products < 200


def test_an_ill_conditioned_chain():
    n = 300
    steps = np.arange(n - 1)
    differences = np.zeros((n - 1, n))
    differences[steps, steps], differences[steps, steps + 1] = -1.0, 1.0
    Q = csr_array(differences.T @ differences)
    rng = np.random.default_rng(1)
    center = np.sin(np.arange(n) / 20)
    radius = rng.exponential(size=n)
    lower, upper = center - radius, center + radius
    solution = accelerated(Q, lower, upper, center)
    assert solution.kkt <= 1e-9
    exact = projected_newton(Q.toarray(), lower, upper, center)
    assert solution.value == pytest.approx(exact.value, rel=1e-8)


def test_the_objective_never_rises():
    rng = np.random.default_rng(2)
    form = VotesForm(random_votes(rng, 400, 4))
    lower, upper = random_bounds(rng, 400)
    trace = accelerated(form, lower, upper, midpoints(lower, upper)).trace
    objectives = np.array([progress.objective for progress in trace])
    assert len(objectives) > 5
    assert (np.diff(objectives) <= 1e-13 * objectives[0]).all()


@given(seed=seeds, n=st.integers(4, 14))
def test_nearest_optimum_with_labels_of_components(seed, n):
    rng = np.random.default_rng(seed)
    Q = random_form("components", rng, n)
    lower, upper = random_bounds(rng, n)
    start, anchor = midpoints(lower, upper), midpoints(lower, upper, missing=np.nan)
    labels = components(Q)
    by_products = accelerated(Q, lower, upper, start, anchor=anchor, null_space=labels, tol=1e-12)
    dense = projected_newton(Q, lower, upper, start, anchor=anchor)
    has_preference = np.isfinite(anchor)
    distances = [((one.y - anchor)[has_preference] ** 2).sum() for one in (by_products, dense)]
    assert distances[0] == pytest.approx(distances[1], rel=1e-6, abs=1e-9)
    columns = np.eye(labels.max() + 1)[labels]
    again = accelerated(Q, lower, upper, start, anchor=anchor, null_space=columns, tol=1e-12)
    np.testing.assert_allclose(again.y, by_products.y, rtol=1e-9, atol=1e-9)


def test_the_diagonal_can_be_passed():
    class WithoutDiagonal:
        shape = (2, 2)

        def __matmul__(self, y):
            return np.array([y[0] - y[1], y[1] - y[0]])

    lower, upper = np.array([0.0, 2.0]), np.array([1.0, 4.0])
    solution = accelerated(
        WithoutDiagonal(), lower, upper, np.array([0.0, 4.0]), diagonal=np.ones(2)
    )
    np.testing.assert_allclose(solution.y, [1.0, 2.0])


def test_max_iter_and_callback():
    rng = np.random.default_rng(3)
    form = VotesForm(random_votes(rng, 200, 4))
    lower, upper = random_bounds(rng, 200)
    start = midpoints(lower, upper)
    early = accelerated(form, lower, upper, start, max_iter=2)
    assert (early.status, early.n_iter, early.converged) == (Status.MAX_ITER, 2, False)
    stopped = accelerated(form, lower, upper, start, callback=lambda progress: True)
    assert (stopped.status, stopped.n_iter) == (Status.STOPPED, 1)


@given(seed=seeds, n=st.integers(3, 7))
def test_nearest_optimum_with_any_basis_of_the_null_space(seed, n):
    rng = np.random.default_rng(seed)
    Q = random_form("low rank", rng, n)
    lower, upper = random_bounds(rng, n)
    start, anchor = midpoints(lower, upper), rng.normal(size=n)
    values, vectors = np.linalg.eigh(Q)
    basis = vectors[:, values < 1e-10 * values[-1]]
    by_products = accelerated(Q, lower, upper, start, anchor=anchor, null_space=basis, tol=1e-12)
    dense = projected_newton(Q, lower, upper, start, anchor=anchor)
    distances = [((one.y - anchor) ** 2).sum() for one in (by_products, dense)]
    assert distances[0] == pytest.approx(distances[1], rel=1e-6, abs=1e-8)
