"""Tests of the infimum loss at queries: exact for finite losses, a local search for others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import LabelSets, PartialOrders
from disambig.losses import KendallLoss, ZeroOneLoss
from disambig.losses.structured import StructuredLoss
from disambig.solvers import baselines
from disambig.solvers.baselines import infimum_prediction
from disambig.votes import as_votes
from tests.oracles.brute_force import labellings
from tests.oracles.generated_problems import problems
from tests.oracles.labels_as_task import LabelTask, MeanLabelTask
from tests.oracles.tiny_problems import FORMS, LOSSES, tiny_problem
from tests.orderings.enumeration import all_orders

WITH_ENTRIES = ("dense", "sparse", "product")


def infimum_losses(A, loss, sets):
    """``min_y sum_j A[i, j] loss(z, y_j)`` over all choices of members, ``(q, P)``."""
    return np.stack([(loss.matrix[:, labellings(sets)] @ row).min(axis=1) for row in A])


def margin(A, loss):
    return 1e-9 * (1.0 + np.abs(A).sum(axis=1)) * (1.0 + np.abs(loss.matrix).max())


@given(tiny=problems(forms=WITH_ENTRIES, largest=5))
def test_finite_losses_are_exact(tiny):
    found = infimum_prediction(tiny.loss, FORMS[tiny.form](tiny.A), tiny.sets)
    assert found.exact
    losses = infimum_losses(tiny.A, tiny.loss, tiny.sets)
    tied = losses <= (losses.min(axis=1) + margin(tiny.A, tiny.loss))[:, None]
    assert np.array_equal(found.predictions.mask, tied)


@given(tiny=problems(forms=("dense",)), q=st.integers(0, 4))
def test_sparse_and_dense_votes_agree_at_any_number_of_queries(tiny, q):
    A = np.resize(tiny.A, (q, len(tiny.sets)))
    dense = infimum_prediction(tiny.loss, as_votes(A), tiny.sets)
    sparse = infimum_prediction(tiny.loss, FORMS["sparse"](A), tiny.sets)
    assert len(dense.predictions) == q
    assert np.array_equal(dense.predictions.mask, sparse.predictions.mask)


def assert_local_search_descends(tiny, task):
    """Each query ends no higher than its average-candidates prediction, nor below the minimum."""
    loss = StructuredLoss(task(tiny.loss))
    found = infimum_prediction(loss, FORMS[tiny.form](tiny.A), tiny.sets)
    assert not found.exact
    losses = infimum_losses(tiny.A, tiny.loss, tiny.sets)
    rows = np.arange(len(tiny.sets))
    reached = losses[rows, found.predictions.outputs]
    tolerance = margin(tiny.A, tiny.loss)
    scores = tiny.A @ loss.start(tiny.sets, "average")
    near = scores <= scores.min(axis=1, keepdims=True) + tolerance[:, None]
    # The search may start at any of the tied predictions.
    assert (reached <= np.where(near, losses, -np.inf).max(axis=1) + tolerance).all()
    assert (reached >= losses.min(axis=1) - tolerance).all()


@pytest.mark.parametrize("task", [LabelTask, MeanLabelTask])
@given(tiny=problems(largest=5))
def test_local_search_descends_from_average_candidates(task, tiny):
    assert_local_search_descends(tiny, task)


@pytest.mark.parametrize("loss", LOSSES)
def test_local_search_takes_the_worst_member_for_negative_votes(loss):
    for seed in range(40):
        assert_local_search_descends(tiny_problem(seed, "signed", loss), LabelTask)


def test_local_search_often_finds_the_minimum():
    """A search that stops at its start would fail this test."""
    rng = np.random.default_rng(0)
    hits = better = 0
    for _ in range(100):
        A = rng.random((4, 6))
        mask = rng.random((6, 4)) < 0.5
        mask[np.arange(6), rng.integers(0, 4, size=6)] = True
        sets = LabelSets(mask, np.arange(4))
        finite = ZeroOneLoss().bind(sets.classes)
        loss = StructuredLoss(LabelTask(finite))
        losses = infimum_losses(A, finite, sets)
        found = infimum_prediction(loss, as_votes(A), sets).predictions.outputs
        first = (A @ loss.start(sets, "average")).argmin(axis=1)
        rows = np.arange(4)
        hits += int((losses[rows, found] <= losses.min(axis=1) + 1e-9).sum())
        better += int((losses[rows, found] < losses[rows, first] - 1e-9).sum())
    assert hits >= 300
    assert better >= 1


@given(tiny=problems(forms=("dense",), largest=5))
def test_local_search_does_not_depend_on_batches_or_form(tiny):
    loss = StructuredLoss(LabelTask(tiny.loss))
    whole = infimum_prediction(loss, as_votes(tiny.A), tiny.sets).predictions
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(baselines, "_MAX_BATCH_CASES", 3)
        parts = infimum_prediction(loss, as_votes(tiny.A), tiny.sets).predictions
    sparse = infimum_prediction(loss, FORMS["sparse"](tiny.A), tiny.sets).predictions
    assert np.array_equal(parts.outputs, whole.outputs)
    assert np.array_equal(sparse.outputs, whole.outputs)


@given(st.integers(0, 10_000))
def test_each_case_of_prediction_set_and_sign_is_minimised_once(seed):
    rng = np.random.default_rng(seed)
    n, m = 12, 4
    ranks = np.where(rng.random((n, m)) < 0.5, np.nan, rng.integers(0, 2, (n, m)))
    orders = PartialOrders.from_ranks(ranks)
    loss = KendallLoss().bind(orders.items)

    class WatchedLoss:
        """The loss; fails if a batch has the same scores and set twice."""

        def __getattr__(self, name):
            return getattr(loss, name)

        def best_candidate(self, scores, candidates, tolerance):
            cases = np.column_stack([scores, candidates.before.reshape(len(scores), -1)])
            assert len(np.unique(cases, axis=0)) == len(cases)
            return loss.best_candidate(scores, candidates, tolerance)

    votes = as_votes(rng.normal(size=(5, n)))
    found = infimum_prediction(WatchedLoss(), votes, orders).predictions
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(baselines, "_distinct_sets", lambda sets: (np.arange(n), np.arange(n)))
        each = infimum_prediction(loss, votes, orders).predictions
    assert np.array_equal(found.outputs, each.outputs)


@pytest.mark.parametrize("seed", range(6))
def test_known_places_restrict_the_infimum(seed):
    """The value at each prediction is the infimum over the rankings with the known places."""
    rng = np.random.default_rng(seed)
    table = np.where(rng.random((5, 4)) < 0.5, np.nan, [rng.permutation(4) for _ in range(5)])
    orders, ranks = PartialOrders.from_places(table), all_orders(4)
    loss = KendallLoss().bind(orders.items)
    A = rng.random((6, 5))
    found = infimum_prediction(loss, as_votes(A), orders).predictions
    losses = loss.psi(ranks) @ loss.phi(ranks).T
    fits = ((ranks == table[:, None]) | np.isnan(table)[:, None]).all(axis=2)
    infima = np.stack([losses[:, row].min(axis=1) for row in fits])
    values = A @ infima
    at = np.array([np.flatnonzero((ranks == z).all(axis=1))[0] for z in found.outputs])
    reached = values[np.arange(6), at]
    assert (reached >= values.min(axis=1)).all()
    # From the mean of the sets, descent ends at a local minimum, here often the global one.
    average = A @ loss.start(orders, "average") @ loss.psi(ranks).T
    assert reached.sum() <= values[np.arange(6), average.argmin(axis=1)].sum() + 1e-9


def test_different_rows_with_equal_weighted_sums_are_distinguished():
    factors = np.cos(np.arange(3.0))
    rows = np.array([[factors[1], 0.0, 0.0], [0.0, factors[0], 0.0], [0.0, factors[0], 0.0]])
    assert len(set((rows * factors).sum(axis=1))) == 1
    first, group = baselines._distinct_rows(rows)
    assert len(first) == 2
    assert np.array_equal(rows[first][group], rows)


def test_a_task_can_offer_an_exact_infimum_prediction():
    class ExactTask(LabelTask):
        def infimum_prediction(self, votes, candidates, rtol):
            return self.loss.infimum_prediction(votes, candidates, rtol).outputs

    sets = LabelSets.from_sets([{0, 1}, {1, 2}, {0, 1, 2}])
    finite = ZeroOneLoss().bind(sets.classes)
    votes = as_votes(np.eye(3) + 0.1)
    found = infimum_prediction(StructuredLoss(ExactTask(finite)), votes, sets)
    assert found.exact
    expected = infimum_prediction(finite, votes, sets).predictions.outputs
    assert np.array_equal(found.predictions.outputs, expected)


def test_at_a_query_without_votes_all_predictions_tie():
    sets = LabelSets.from_sets([{0}, {1, 2}])
    found = infimum_prediction(ZeroOneLoss().bind(sets.classes), as_votes(np.zeros((1, 2))), sets)
    assert found.predictions.mask.all()


def test_local_search_ends_for_a_task_that_breaks_ties_differently_in_each_call():
    class InconsistentTask(LabelTask):
        """Returns the first and the last of tied predictions in turn."""

        calls = 0

        def best_prediction(self, scores):
            self.calls += 1
            if self.calls % 2:
                return scores.argmin(axis=1)
            return scores.shape[1] - 1 - scores[:, ::-1].argmin(axis=1)

    sets = LabelSets.from_sets([{0, 1}, {0, 1}, {0, 1}])
    task = InconsistentTask(ZeroOneLoss().bind(sets.classes))
    # The first query has no votes: both classes always tie.
    votes = as_votes([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    infimum_prediction(StructuredLoss(task), votes, sets, max_iter=50)
    assert task.calls < 10
