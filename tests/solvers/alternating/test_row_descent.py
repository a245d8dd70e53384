"""Row by row or by products: the same states, hence the same solution."""

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
from disambig.losses.labels import row_steps as label_steps
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization
from disambig.solvers.alternating.descent import Descent
from disambig.solvers.alternating.row_descent import RowDescent
from disambig.solvers.alternating.starts import first_predictions, first_row_predictions
from disambig.votes import DenseVotes, SparseVotes

LOSSES = {
    "zero_one": ZeroOneLoss(),
    "ordinal": OrdinalLoss(),
    "abstain": AbstainLoss(0.4),
}
VOTES = ("equal", "counts", "signed", "real")


def graph(rng, n, votes, degree):
    """Votes on few places; small integers tie often."""
    places = rng.uniform(size=(n, n)) < degree / n
    values = {
        "equal": np.full((n, n), 0.1),
        "counts": rng.integers(1, 4, (n, n)) * 1.0,
        "signed": rng.integers(-3, 4, (n, n)) * 1.0,
        "real": rng.normal(size=(n, n)),
    }[votes]
    return SparseVotes(sp.csr_array(np.where(places, values, 0.0)))


def candidates(rng, n, n_classes, share, unlabelled):
    mask = rng.uniform(size=(n, n_classes)) < share
    mask[np.arange(n), rng.integers(0, n_classes, n)] = True
    mask[rng.uniform(size=n) < unlabelled] = True
    return LabelSets(mask, np.arange(n_classes))


@st.composite
def twins(draw, losses=tuple(LOSSES)):
    """A problem on sparse votes, and the same one that must go the general way."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 30))
    # Above 13 classes counts no longer fit into one register, above 32 bits into one word.
    n_classes = draw(st.sampled_from([1, 2, 3, 5, 13, 14, 40]))
    votes = graph(rng, n, draw(st.sampled_from(VOTES)), draw(st.sampled_from([2, 5, 25])))
    share, unlabelled = draw(st.sampled_from([0.1, 0.4, 0.9])), draw(st.sampled_from([0.0, 0.6]))
    sets = candidates(rng, n, n_classes, share, unlabelled)
    loss = LOSSES[draw(st.sampled_from(losses))].bind(sets.classes)
    return Problem(votes, loss, sets), by_products(Problem(votes, loss, sets))


def by_products(problem):
    problem.__dict__["row_steps"] = None
    return problem


def assert_same_trace(ours, general, problem):
    assert [(p.stage, p.iteration, p.undecided) for p in ours] == [
        (p.stage, p.iteration, p.undecided) for p in general
    ]
    margin = 10 * problem.objective_tolerance
    assert_allclose(
        [p.objective for p in ours], [p.objective for p in general], rtol=0, atol=margin
    )


# Everybody is looked at after every step, or only whom the news concern, however many that are.
LOOKED_AT = st.sampled_from([0.0, 1.0])


@given(
    pair=twins(),
    start=st.sampled_from(["auto", "average", "infimum", "intersection"]),
    many=LOOKED_AT,
)
def test_the_same_solution(pair, start, many):
    problem, plain = pair
    assert problem.row_steps is not None
    with mock.patch.object(label_steps, "_MANY", many):
        ours = AlternatingMinimization(start).solve(problem)
    general = AlternatingMinimization(start).solve(plain)
    assert_array_equal(ours.targets.mask, general.targets.mask)
    assert_array_equal(ours.decoded.mask, general.decoded.mask)
    assert_array_equal(ours.decoded.outputs, general.decoded.outputs)
    assert_array_equal(ours.resolved, general.resolved)
    assert_allclose(ours.targets.embedded, general.targets.embedded, rtol=0, atol=1e-12)
    assert (ours.status, ours.n_iter, ours.start) == (
        general.status,
        general.n_iter,
        general.start,
    )
    margin = 10 * problem.objective_tolerance
    assert ours.objective == pytest.approx(general.objective, rel=0, abs=margin)
    assert_same_trace(ours.trace, general.trace, problem)


@given(pair=twins(), start=st.sampled_from(["average", "infimum"]))
def test_the_same_states(pair, start):
    """Predictions too, which a solution does not show."""
    problem, plain = pair
    rows, general = RowDescent(problem), Descent(plain)
    first = first_row_predictions(problem, problem.row_steps, start)
    expected = first_predictions(plain, start)
    ours, theirs = rows.begin(first), general.begin(expected)
    for _ in range(60):
        assert_array_equal(ours.predictions.mask, theirs.predictions.mask)
        assert_array_equal(ours.targets.mask, theirs.targets.mask)
        before, ours = ours, rows.step(ours)
        theirs = general.step(theirs)
        assert rows.has_converged(before, ours) == general.has_converged(theirs, theirs)
        if ours.settled:
            assert rows.step(ours) is ours
            return
    pytest.fail("no convergence in 60 steps")


@given(pair=twins(losses=("zero_one",)), seed=st.integers(0, 99))
def test_an_array_as_a_start(pair, seed):
    problem, plain = pair
    n, size = problem.candidates.shape
    start = np.random.default_rng(seed).integers(0, 3, (n, size)) * 1.0
    ours = AlternatingMinimization(start).solve(problem)
    general = AlternatingMinimization(start).solve(plain)
    assert_array_equal(ours.decoded.outputs, general.decoded.outputs)
    assert_same_trace(ours.trace, general.trace, problem)


@given(pair=twins(), many=LOOKED_AT)
def test_a_run_that_ends_early_is_decoded_alike(pair, many):
    """Its predictions have not heard its last targets."""
    problem, plain = pair
    solver = AlternatingMinimization(max_iter=1, max_rounds=2)
    with warnings.catch_warnings(), mock.patch.object(label_steps, "_MANY", many):
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours, general = solver.solve(problem), solver.solve(plain)
    assert_array_equal(ours.decoded.outputs, general.decoded.outputs)
    assert_same_trace(ours.trace, general.trace, problem)


def test_soft_weights_guide_the_average_start():
    weights = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    sets = LabelSets.from_weights(weights)
    votes = SparseVotes(sp.csr_array([[0.0, 0, 1], [1, 0, 0], [1, 1, 0]]))
    problem = Problem(votes, ZeroOneLoss().bind(sets.classes), sets)
    first = first_row_predictions(problem, problem.row_steps, "average")
    assert_array_equal(first.mask, first_predictions(problem, "average").mask)
    assert first.outputs[1] == 0


def test_single_precision_ties_as_it_does_in_products():
    rng = np.random.default_rng(3)
    votes = graph(rng, 40, "real", 6)
    votes = SparseVotes(votes.matrix.astype(np.float32))
    sets = candidates(rng, 40, 4, 0.5, 0.3)
    loss = ZeroOneLoss().bind(sets.classes)
    problem, plain = Problem(votes, loss, sets), by_products(Problem(votes, loss, sets))
    assert problem.rtol == 1e-5
    ours, general = (AlternatingMinimization().solve(p) for p in (problem, plain))
    assert_array_equal(ours.targets.mask, general.targets.mask)
    assert_array_equal(ours.decoded.outputs, general.decoded.outputs)


def test_other_votes_have_no_row_steps():
    sets = LabelSets.from_sets([{0}, {0, 1}])
    loss = ZeroOneLoss().bind(sets.classes)
    assert Problem(DenseVotes(np.eye(2)), loss, sets).row_steps is None


def test_entries_of_one_place_are_merged_for_kernels_alone():
    """scipy merges them in place when it likes; what kernels read must not change under them."""
    twice = sp.csr_array((np.ones(3), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    votes = SparseVotes(twice)
    rows = votes.compressed
    assert twice.nnz == 3
    assert_array_equal(rows.indices, [1, 0])
    assert_array_equal(rows.data, [2.0, 1.0])


@pytest.mark.parametrize("n", [1, 7])
def test_nobody_votes(n):
    sets = LabelSets(np.ones((n, 3), dtype=bool), np.arange(3))
    votes = SparseVotes(sp.csr_array((n, n)))
    loss = ZeroOneLoss().bind(sets.classes)
    found = AlternatingMinimization().solve(Problem(votes, loss, sets))
    assert not found.resolved.any()
    assert_array_equal(found.decoded.outputs, np.zeros(n))
    assert found.objective == 0.0
