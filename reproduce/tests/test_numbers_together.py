"""Many small regression problems in one run have the solutions of the solver of one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import Intervals
from disambig.losses import SquaredLoss
from disambig.number_problem import RiskProblem, VotedProblem
from disambig.quadratic_forms import voted_form
from disambig.solvers import NewtonRegression
from disambig.votes.dense import DenseVotes
from disambig.weights import KernelRidgeWeights
from reproduce.batch.boxes import stacked_newton
from reproduce.batch.numbers import regress_together, voted_forms


def intervals(rng, n, *, open_ends=0.0, shift=0.0):
    lower = rng.normal(size=n) + shift
    upper = lower + rng.uniform(0, 2, size=n)
    lower = np.where(rng.random(n) < open_ends, -np.inf, lower)
    upper = np.where(rng.random(n) < open_ends, np.inf, upper)
    return Intervals(lower, upper)


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 10),
    ridge=st.sampled_from([1e-1, 1e-3, 1e-6]),
    intercept=st.booleans(),
    open_ends=st.sampled_from([0.0, 0.3]),
)
def test_empirical_risks_have_the_solutions_of_single_problems(
    seed, n, ridge, intercept, open_ends
):
    rng = np.random.default_rng(seed)
    # On a grid: random inputs may nearly coincide, and then the solvers differ by rounding.
    X = np.arange(n)[:, None] / 10 + rng.uniform(0, 0.05, size=(n, 1))
    weights = KernelRidgeWeights(bandwidth=0.1, regularization=ridge, intercept=intercept).fit(X)
    sets = [intervals(rng, n, open_ends=open_ends) for _ in range(6)]
    form = np.asarray(weights.residual_form())
    found = regress_together(np.array([form] * 6), sets)
    assert found.certified.all()
    for b, one in enumerate(sets):
        problem = RiskProblem(weights.training_votes(), form, intercept, one, one.span)
        alone = NewtonRegression().solve(problem)
        assert one.contains(found.targets[b][:, None]).all()
        assert found.objective[b] == pytest.approx(alone.objective, abs=1e-8)
        np.testing.assert_allclose(found.targets[b], alone.targets.values[:, 0], atol=1e-8)


@given(seed=st.integers(0, 10_000), n=st.integers(2, 9), shift=st.sampled_from([0.0, 1e5]))
def test_normalised_votes_have_the_solutions_of_single_problems(seed, n, shift):
    rng = np.random.default_rng(seed)
    alpha = rng.random((6, n, n)) * (rng.random((6, n, n)) < 0.6) + 0.1 * np.eye(n)
    alpha /= alpha.sum(axis=2, keepdims=True)
    sets = [intervals(rng, n, shift=shift) for _ in alpha]
    forms, convex = voted_forms(alpha)
    assert convex.all()
    found = regress_together(forms, sets, known_convex=True)
    assert found.certified.all()
    for b, one in enumerate(sets):
        problem = VotedProblem(DenseVotes(alpha[b]), SquaredLoss(), one, one.span)
        alone = NewtonRegression().solve(problem)
        assert found.objective[b] == pytest.approx(alone.objective, abs=1e-8)
        # Optima are not unique; both solvers return the nearest to the midpoints.
        np.testing.assert_allclose(found.targets[b], alone.targets.values[:, 0], atol=1e-6)


def test_of_several_optima_the_nearest_to_the_midpoints_is_returned():
    form = np.array([[1.0, -1.0], [-1.0, 1.0]])
    sets = [Intervals([0.0, 2.0], [5.0, 4.0]), Intervals([0.0, 2.0], [1.0, 4.0])]
    found = regress_together(np.array([form, form]), sets)
    np.testing.assert_allclose(found.targets, [[2.75, 2.75], [1.0, 2.0]], atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_forms_of_a_stack_of_votes(seed):
    rng = np.random.default_rng(seed)
    votes = rng.normal(0.3, 0.4, size=(40, 4, 4))
    votes[0] = 0.0
    votes[1] = np.eye(4)
    forms, convex = voted_forms(votes)
    assert 2 <= convex.sum() < 40, "some must be convex and some not, or this test cannot fail"
    for b, alpha in enumerate(votes):
        alone = voted_form(DenseVotes(alpha))
        assert convex[b] == (alone is not None and alone.is_convex)
        if alone is not None:
            np.testing.assert_allclose(forms[b], alone.array, atol=1e-12 * np.abs(forms[b]).max())


def test_an_ill_conditioned_problem_is_solved_alone():
    # Eigenvalues over twelve orders of magnitude: more Newton steps than the stack takes.
    n, rng = 40, np.random.default_rng(2)
    roots = rng.normal(size=(n, n)) * np.logspace(0, -6, n)
    form, sets = roots @ roots.T, intervals(rng, n)
    ends = (end.ravel()[None] for end in (sets.lower, sets.upper, sets.centers))
    assert stacked_newton(form[None], *ends).kkt[0] > 1e-8, (
        "the stack must not solve it, or this test cannot fail"
    )
    found = regress_together(form[None], [sets], max_iter=500)
    assert found.certified.all()


def test_errors_name_the_problem():
    sets = [Intervals([0.0], [1.0])]
    with pytest.raises(ValueError, match=r"form 1 has a negative eigenvalue \(1 such"):
        regress_together(np.array([[[1.0]], [[-1.0]]]), sets * 2)
    with pytest.raises(ValueError, match=r"expected \(B, n, n\) and B"):
        regress_together(np.ones((2, 1, 1)), sets)
    with pytest.raises(ValueError, match="problem 0 has intervals of shape"):
        regress_together(np.ones((1, 1, 1)), [Intervals([[0.0, 0.0]], [[1.0, 1.0]], flat=False)])


def test_an_empty_stack():
    found = regress_together(np.empty((0, 3, 3)), [])
    assert found.targets.shape == (0, 3)
    assert found.certified.shape == (0,)
