"""The linear program against the one with slacks, and its lower bound against random points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

from disambig.solvers.boxes import linear_program
from disambig.solvers.loop import Status
from tests.oracles.box_programs import best_slacks, random_bounds, random_votes

# These solvers call no compiled function: nothing is gained by a run without the compiler.
pytestmark = pytest.mark.needs_jit

seeds = st.integers(0, 2**32 - 1)
SLOPES = [(1.0, 1.0), (0.5, 0.5), (0.9, 0.1), (0.25, 0.75), (1.0, 0.0)]


def objective(votes, y, z, slopes):
    """The objective by its definition."""
    residuals = y[None, :] - z[:, None]
    losses = slopes[0] * np.maximum(residuals, 0) + slopes[1] * np.maximum(-residuals, 0)
    return (votes * losses).sum()


def random_problem(seed, q, n):
    rng = np.random.default_rng(seed)
    votes = rng.exponential(size=(q, n)) * (rng.uniform(size=(q, n)) < 0.6)
    return votes, *random_bounds(rng, n), rng


@pytest.mark.parametrize("slopes", SLOPES)
@given(seed=seeds, q=st.integers(1, 6), n=st.integers(1, 7))
def test_same_value_as_the_program_with_slacks(slopes, seed, q, n):
    votes, lower, upper, _ = random_problem(seed, q, n)
    solution = linear_program(csr_array(votes), lower, upper, slopes=slopes)
    margin = 1e-9 * votes.sum()
    best = best_slacks(votes, lower, upper, slopes)
    assert solution.converged
    assert solution.value == pytest.approx(best, rel=1e-8, abs=margin)
    assert solution.value == pytest.approx(
        objective(votes, solution.y, solution.z, slopes), rel=1e-9, abs=1e-12
    )
    assert np.all((lower <= solution.y) & (solution.y <= upper))
    assert 0 <= solution.gap <= 1e-10 * solution.value + 1e-12 * max(1.0, votes.sum())


@given(seed=seeds, q=st.integers(1, 6), n=st.integers(1, 7))
def test_no_objective_is_below_the_bound(seed, q, n):
    votes, lower, upper, rng = random_problem(seed, q, n)
    solution = linear_program(votes, lower, upper, slopes=(0.3, 0.7))
    for _ in range(20):
        y, z = np.clip(rng.normal(size=n), lower, upper), rng.normal(size=q)
        assert objective(votes, y, z, (0.3, 0.7)) >= solution.value - solution.gap - 1e-12


@given(seed=seeds, unit=st.sampled_from([1e-6, 1e6]), offset=st.sampled_from([0.0, 100.0]))
def test_units_and_offsets_do_not_matter(seed, unit, offset):
    votes, lower, upper, _ = random_problem(seed, 5, 6)
    plain = linear_program(votes, lower, upper)
    other = linear_program(votes, unit * (lower + offset), unit * (upper + offset))
    assert other.value / unit == pytest.approx(plain.value, rel=1e-8, abs=1e-9)


def test_votes_of_neighbours_with_many_rows():
    rng = np.random.default_rng(0)
    votes = random_votes(rng, 400, 5)
    lower, upper = random_bounds(rng, 400)
    solution = linear_program(votes, lower, upper)
    assert solution.gap <= 1e-12 * solution.value
    assert solution.n_iter > 0


def test_sparse_votes_with_duplicates_and_zeros():
    votes = np.array([[1.0, 2.0], [0.5, 0.0]])
    lower, upper = np.array([0.0, 3.0]), np.array([1.0, 5.0])
    expected = linear_program(votes, lower, upper).value
    entries = ([0, 0, 0, 1, 1], [0, 1, 1, 0, 1])
    duplicated = coo_array(([1.0, 1.5, 0.5, 0.5, 0.0], entries), shape=(2, 2))
    assert linear_program(duplicated, lower, upper).value == pytest.approx(expected, rel=1e-12)


def test_predictions_and_targets_without_votes():
    votes = np.array([[0.0, 1.0], [0.0, 0.0]])
    lower, upper = np.array([2.0, 0.0]), np.array([4.0, 1.0])
    solution = linear_program(votes, lower, upper)
    assert solution.y[0] == 3.0
    assert solution.z[1] == 2.0  # the middle of 0 and 4
    assert solution.value == 0.0


def test_whole_lines_have_objective_zero():
    infinite = np.full(3, np.inf)
    solution = linear_program(np.ones((2, 3)), -infinite, infinite)
    np.testing.assert_array_equal(solution.y, 0.0)
    assert (solution.value, solution.gap) == (0.0, 0.0)


def test_points_are_predicted_by_their_median():
    y = np.array([0.0, 1.0, 10.0])
    solution = linear_program(np.ones((1, 3)), y, y)
    assert solution.z == pytest.approx([1.0])
    assert solution.value == pytest.approx(10.0)


def test_at_the_iteration_limit_the_bound_still_holds():
    rng = np.random.default_rng(1)
    votes = random_votes(rng, 100, 5)
    lower, upper = random_bounds(rng, 100)
    early = linear_program(votes, lower, upper, max_iter=3)
    assert (early.status, early.converged) == (Status.MAX_ITER, False)
    assert np.all((lower <= early.y) & (early.y <= upper))
    best = linear_program(votes, lower, upper).value
    assert early.value - early.gap <= best < early.value
    y, z = early.y, early.z
    assert early.value == pytest.approx(objective(votes.toarray(), y, z, (1, 1)), rel=1e-9)


def test_negative_votes_are_refused():
    votes = np.array([[1.0, -0.5]])
    with pytest.raises(ValueError, match="1 of 2 are not"):
        linear_program(votes, np.zeros(2), np.ones(2))


def test_a_solution_is_read_only():
    solution = linear_program(np.ones((1, 2)), np.zeros(2), np.ones(2))
    assert not solution.y.flags.writeable
    assert not solution.z.flags.writeable


@pytest.mark.parametrize("scale", [1e-300, 1e-100, 1e-9, 1e9, 1e100, 1e300])
def test_the_scale_of_the_votes_does_not_matter(scale):
    rng = np.random.default_rng(3)
    # Votes between 1e-20 and 1, as a kernel of small bandwidth gives.
    votes = 10.0 ** rng.uniform(-20, 0, size=(12, 12))
    votes /= votes.sum(axis=1, keepdims=True)
    lower, upper = random_bounds(rng, 12)
    usual = linear_program(votes, lower, upper)
    scaled = linear_program(scale * votes, lower, upper)
    assert scaled.converged
    assert scaled.value == pytest.approx(scale * usual.value, rel=1e-9)
    assert scaled.gap <= 1e-9 * scaled.value


def test_votes_of_ordinary_size_are_not_rescaled():
    rng = np.random.default_rng(4)
    votes = rng.exponential(size=(9, 9))
    lower, upper = random_bounds(rng, 9)
    once, twice = (linear_program(factor * votes, lower, upper) for factor in (1.0, 2.0))
    np.testing.assert_array_equal(once.y, twice.y)
    assert twice.value == pytest.approx(2 * once.value, rel=1e-12)
