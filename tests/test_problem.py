"""Tests of `Problem`: the objective, its two half steps, and the tolerances of ties."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import LabelSets
from disambig.exceptions import VotesError
from disambig.losses import ZeroOneLoss
from disambig.problem import Problem, inner
from disambig.solvers import AlternatingMinimization
from disambig.votes import as_votes
from tests.oracles.brute_force import double_loop_objective, labellings
from tests.oracles.generated_problems import problems
from tests.oracles.tiny_problems import FORMS, tiny_problem


def random_points(tiny, seed):
    """Points inside the hulls: relaxed targets and relaxed predictions."""
    rng = np.random.default_rng(seed)
    shares = tiny.sets.mask * rng.uniform(0.1, 1.0, size=tiny.sets.shape)
    xi = (shares / shares.sum(axis=1, keepdims=True)) @ tiny.loss.matrix.T
    zeta = rng.dirichlet(np.ones(len(tiny.loss.matrix)), size=len(tiny.sets))
    return xi, zeta


@given(tiny=problems(), seed=st.integers(0, 1000))
def test_half_step_objectives_equal_the_double_sum(tiny, seed):
    problem = tiny.problem
    xi, zeta = random_points(tiny, seed)
    margin = 10 * problem.objective_tolerance
    faces, value, _ = problem.best_predictions(xi)
    assert value == pytest.approx(
        double_loop_objective(tiny.A, xi, faces.embedded), rel=0, abs=margin
    )
    assert problem.objective(xi) == value
    faces, value, _ = problem.best_targets(zeta)
    assert value == pytest.approx(
        double_loop_objective(tiny.A, faces.embedded, zeta), rel=0, abs=margin
    )


@given(tiny=problems(largest=5), seed=st.integers(0, 1000))
def test_each_half_step_is_a_minimum(tiny, seed):
    problem = tiny.problem
    xi, zeta = random_points(tiny, seed)
    n, P = len(tiny.sets), len(tiny.loss.matrix)
    margin = 10 * problem.objective_tolerance
    here = double_loop_objective(tiny.A, xi, zeta)
    assert problem.best_predictions(xi).objective <= here + margin
    assert problem.best_targets(zeta).objective <= here + margin
    # Row by row over every prediction; jointly over every labelling.
    rowwise = sum(min((tiny.A[i] @ xi) @ np.eye(P)[z] for z in range(P)) for i in range(n))
    assert problem.best_predictions(xi).objective == pytest.approx(rowwise, rel=0, abs=margin)
    costs = (tiny.A.T @ zeta) @ tiny.loss.matrix
    joint = costs[np.arange(n), labellings(tiny.sets)].sum(axis=1).min()
    assert problem.best_targets(zeta).objective == pytest.approx(joint, rel=0, abs=margin)


@given(tiny=problems(forms=("dense",)), seed=st.integers(0, 1000))
def test_every_form_of_votes_gives_the_same_problem(tiny, seed):
    xi, zeta = random_points(tiny, seed)
    first = tiny.problem
    for form in FORMS:
        other = Problem(FORMS[form](tiny.A), tiny.loss, tiny.sets)
        np.testing.assert_allclose(
            other.scores_of_predictions(xi), first.scores_of_predictions(xi), atol=1e-9
        )
        np.testing.assert_allclose(
            other.scores_of_targets(zeta), first.scores_of_targets(zeta), atol=1e-9
        )
        np.testing.assert_allclose(other.target_scale, first.target_scale)
        assert other.objective_tolerance == pytest.approx(first.objective_tolerance)


def test_scales_bound_the_scores():
    for seed in range(50):
        tiny = tiny_problem(seed)
        problem = tiny.problem
        xi, zeta = random_points(tiny, seed)
        scores = np.abs(problem.scores_of_predictions(xi))
        assert (scores <= problem.prediction_scale[:, None] * (1 + 1e-12)).all()
        costs = np.abs(problem.scores_of_targets(zeta) @ tiny.loss.matrix)
        assert (costs <= problem.target_scale[:, None] * (1 + 1e-12)).all()


def test_the_transpose_is_computed_once():
    problem = tiny_problem(1).problem
    assert problem.transposed is problem.transposed


@pytest.mark.parametrize(
    ("wrap", "dtype", "expected"),
    [
        (np.asarray, np.float64, 1e-10),
        (np.asarray, np.float32, 1e-5),
        (np.asarray, np.float16, 1e-10),
        (np.asarray, np.longdouble, 1e-10),
        (np.asarray, int, 1e-10),
        (np.asarray, bool, 1e-10),
        (sp.csr_array, np.float64, 1e-10),
        (sp.csr_array, np.float32, 1e-5),
        (sp.csr_array, np.longdouble, 1e-10),
        (sp.csr_array, int, 1e-10),
        (sp.csr_array, bool, 1e-10),
    ],
)
def test_tie_tolerance_depends_on_the_precision_of_votes(wrap, dtype, expected):
    """Compiled functions accept float32 and float64; all other types are converted to float64."""
    sets = LabelSets.from_sets([{0}, {0, 1}, {1}])
    A = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1]], dtype=dtype)
    problem = Problem(as_votes(wrap(A)), ZeroOneLoss().bind(sets.classes), sets)
    assert problem.rtol == expected
    assert AlternatingMinimization().solve(problem).decoded.outputs.tolist() == [0, 0, 1]


def test_a_sparse_vector_is_rejected_as_votes():
    vector = sp.coo_array(np.arange(3.0))
    if vector.ndim != 1:
        pytest.skip("this scipy has no sparse vectors")
    with pytest.raises(VotesError, match=r"two-dimensional \(q, n\); got shape \(3,\)"):
        as_votes(vector)


def test_float32_votes_give_the_same_labels():
    for seed in range(60):
        tiny = tiny_problem(seed, "neighbours", "zero-one")
        double = AlternatingMinimization().solve(Problem(as_votes(tiny.A), tiny.loss, tiny.sets))
        votes = as_votes(tiny.A.astype(np.float32))
        single = AlternatingMinimization().solve(Problem(votes, tiny.loss, tiny.sets))
        assert np.array_equal(single.targets.mask, double.targets.mask)
        assert single.objective == pytest.approx(double.objective, rel=1e-5, abs=1e-5)


def test_tie_tolerance_can_be_set():
    tiny = tiny_problem(0)
    problem = Problem(as_votes(tiny.A), tiny.loss, tiny.sets, tie_tolerance=0.25)
    assert problem.rtol == 0.25
    assert problem.objective_tolerance == pytest.approx(
        0.25 * np.linalg.norm(problem.prediction_scale)
    )


@pytest.mark.parametrize("bad", [-1e-3, np.nan, np.inf])
def test_invalid_tie_tolerance_raises(bad):
    tiny = tiny_problem(0)
    with pytest.raises(ValueError, match=r"tie_tolerance must be a finite number >= 0"):
        Problem(as_votes(tiny.A), tiny.loss, tiny.sets, tie_tolerance=bad)


def test_inner_is_the_sum_of_products():
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(4, 3)), rng.normal(size=(3, 4)).T
    assert inner(left, right) == pytest.approx((left * right).sum())
    assert isinstance(inner(left, right), float)
