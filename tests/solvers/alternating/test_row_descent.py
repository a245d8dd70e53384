"""Tests of `RowDescent`: the same states as `Descent`, hence the same solution."""

import warnings
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.candidates import LabelSets
from disambig.exceptions import ConvergenceWarning
from disambig.losses import AbstainLoss, OrdinalLoss, ZeroOneLoss
from disambig.losses.labels import sweeps as label_steps
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization
from disambig.solvers.alternating.descent import Descent
from disambig.solvers.alternating.row_descent import RowDescent
from disambig.solvers.alternating.starts import first_predictions, first_row_predictions
from disambig.votes.dense import DenseVotes
from disambig.votes.sparse import SparseVotes

LOSSES = {
    "zero_one": ZeroOneLoss(),
    "ordinal": OrdinalLoss(),
    "abstain": AbstainLoss(0.4),
}
VOTES = ("equal", "counts", "signed", "real")


def graph(rng, n, votes, degree):
    """Sparse votes; small integers tie often."""
    linked = rng.uniform(size=(n, n)) < degree / n
    values = {
        "equal": np.full((n, n), 0.1),
        "counts": rng.integers(1, 4, (n, n)) * 1.0,
        "signed": rng.integers(-3, 4, (n, n)) * 1.0,
        "real": rng.normal(size=(n, n)),
    }[votes]
    return SparseVotes(sp.csr_array(np.where(linked, values, 0.0)))


def candidates(rng, n, n_classes, share, unlabelled):
    mask = rng.uniform(size=(n, n_classes)) < share
    mask[np.arange(n), rng.integers(0, n_classes, n)] = True
    mask[rng.uniform(size=n) < unlabelled] = True
    return LabelSets(mask, np.arange(n_classes))


@st.composite
def problem_pairs(draw, losses=tuple(LOSSES)):
    """A problem with row steps, and the same problem without them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 30))
    # Above 13 classes counts no longer fit into one register, above 32 bits into one word.
    n_classes = draw(st.sampled_from([1, 2, 3, 5, 13, 14, 40]))
    votes = graph(rng, n, draw(st.sampled_from(VOTES)), draw(st.sampled_from([2, 5, 25])))
    share, unlabelled = draw(st.sampled_from([0.1, 0.4, 0.9])), draw(st.sampled_from([0.0, 0.6]))
    sets = candidates(rng, n, n_classes, share, unlabelled)
    loss = LOSSES[draw(st.sampled_from(losses))].bind(sets.classes)
    return Problem(votes, loss, sets), without_row_steps(Problem(votes, loss, sets))


def without_row_steps(problem):
    problem.__dict__["row_steps"] = None
    return problem


def assert_same_trace(by_rows, by_products, problem):
    assert [(p.stage, p.iteration, p.undecided) for p in by_rows] == [
        (p.stage, p.iteration, p.undecided) for p in by_products
    ]
    margin = 10 * problem.objective_tolerance
    assert_allclose(
        [p.objective for p in by_rows], [p.objective for p in by_products], rtol=0, atol=margin
    )


# The share of moved rows above which a step visits all rows: 0 visits all rows after every step, 1
# only the affected ones.
MAX_SHARES_MOVED = st.sampled_from([0.0, 1.0])


@given(
    pair=problem_pairs(),
    start=st.sampled_from(["auto", "average", "infimum", "intersection"]),
    max_share=MAX_SHARES_MOVED,
)
def test_solution_is_that_of_descent(pair, start, max_share):
    problem, plain = pair
    assert problem.row_steps is not None
    with mock.patch.object(label_steps, "_MAX_SHARE_MOVED", max_share):
        by_rows = AlternatingMinimization(start).solve(problem)
    by_products = AlternatingMinimization(start).solve(plain)
    assert_array_equal(by_rows.targets.mask, by_products.targets.mask)
    assert_array_equal(by_rows.decoded.mask, by_products.decoded.mask)
    assert_array_equal(by_rows.decoded.outputs, by_products.decoded.outputs)
    assert_array_equal(by_rows.decided, by_products.decided)
    assert_allclose(by_rows.targets.embedded, by_products.targets.embedded, rtol=0, atol=1e-12)
    assert (by_rows.status, by_rows.n_iter, by_rows.start) == (
        by_products.status,
        by_products.n_iter,
        by_products.start,
    )
    margin = 10 * problem.objective_tolerance
    assert by_rows.objective == pytest.approx(by_products.objective, rel=0, abs=margin)
    assert_same_trace(by_rows.trace, by_products.trace, problem)


@given(pair=problem_pairs(), start=st.sampled_from(["average", "infimum"]))
def test_states_are_those_of_descent(pair, start):
    """Compares predictions as well, which a solution does not have."""
    problem, plain = pair
    row_descent, descent = RowDescent(problem), Descent(plain)
    state = row_descent.begin(first_row_predictions(problem, problem.row_steps, start))
    expected = descent.begin(first_predictions(plain, start))
    for _ in range(60):
        assert_array_equal(state.predictions.mask, expected.predictions.mask)
        assert_array_equal(state.targets.mask, expected.targets.mask)
        before, state = state, row_descent.step(state)
        expected = descent.step(expected)
        converged = row_descent.has_converged(before, state)
        assert converged == descent.has_converged(expected, expected)
        if state.is_fixed_point:
            assert row_descent.step(state) is state
            return
    pytest.fail("no convergence in 60 steps")


@given(pair=problem_pairs(losses=("zero_one",)), seed=st.integers(0, 99))
def test_solution_from_an_array_start_is_that_of_descent(pair, seed):
    problem, plain = pair
    n, size = problem.candidates.shape
    start = np.random.default_rng(seed).integers(0, 3, (n, size)) * 1.0
    by_rows = AlternatingMinimization(start).solve(problem)
    by_products = AlternatingMinimization(start).solve(plain)
    assert_array_equal(by_rows.decoded.outputs, by_products.decoded.outputs)
    assert_same_trace(by_rows.trace, by_products.trace, problem)


@given(pair=problem_pairs(), max_share=MAX_SHARES_MOVED)
def test_a_run_that_ends_early_is_decoded_as_by_descent(pair, max_share):
    """In such a run the predictions are not optimal for the last targets."""
    problem, plain = pair
    solver = AlternatingMinimization(max_iter=1, max_rounds=2)
    with warnings.catch_warnings(), mock.patch.object(label_steps, "_MAX_SHARE_MOVED", max_share):
        warnings.simplefilter("ignore", ConvergenceWarning)
        by_rows, by_products = solver.solve(problem), solver.solve(plain)
    assert_array_equal(by_rows.decoded.outputs, by_products.decoded.outputs)
    assert_same_trace(by_rows.trace, by_products.trace, problem)


def test_average_start_uses_candidate_weights():
    weights = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    sets = LabelSets.from_weights(weights)
    votes = SparseVotes(sp.csr_array([[0.0, 0, 1], [1, 0, 0], [1, 1, 0]]))
    problem = Problem(votes, ZeroOneLoss().bind(sets.classes), sets)
    first = first_row_predictions(problem, problem.row_steps, "average")
    assert_array_equal(first.mask, first_predictions(problem, "average").mask)
    assert first.outputs[1] == 0


def test_float32_votes_tie_as_in_descent():
    rng = np.random.default_rng(3)
    votes = graph(rng, 40, "real", 6)
    votes = SparseVotes(votes.matrix.astype(np.float32))
    sets = candidates(rng, 40, 4, 0.5, 0.3)
    loss = ZeroOneLoss().bind(sets.classes)
    problem, plain = Problem(votes, loss, sets), without_row_steps(Problem(votes, loss, sets))
    assert problem.rtol == 1e-5
    by_rows, by_products = (AlternatingMinimization().solve(p) for p in (problem, plain))
    assert_array_equal(by_rows.targets.mask, by_products.targets.mask)
    assert_array_equal(by_rows.decoded.outputs, by_products.decoded.outputs)


def test_dense_votes_have_no_row_steps():
    sets = LabelSets.from_sets([{0}, {0, 1}])
    loss = ZeroOneLoss().bind(sets.classes)
    assert Problem(DenseVotes(np.eye(2)), loss, sets).row_steps is None


def test_duplicate_entries_are_merged_in_a_copy():
    """scipy may merge them in place; the arrays that compiled functions read must not change."""
    twice = sp.csr_array((np.ones(3), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    votes = SparseVotes(twice)
    rows = votes.compressed
    assert twice.nnz == 3
    assert_array_equal(rows.indices, [1, 0])
    assert_array_equal(rows.data, [2.0, 1.0])


@pytest.mark.parametrize("n", [1, 7])
def test_without_votes_all_rows_are_undecided(n):
    sets = LabelSets(np.ones((n, 3), dtype=bool), np.arange(3))
    votes = SparseVotes(sp.csr_array((n, n)))
    loss = ZeroOneLoss().bind(sets.classes)
    found = AlternatingMinimization().solve(Problem(votes, loss, sets))
    assert not found.decided.any()
    assert_array_equal(found.decoded.outputs, np.zeros(n))
    assert found.objective == 0.0
