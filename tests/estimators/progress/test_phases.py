"""Every phase of every estimator reports its steps, can be ended, and changes no result."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import clone

from disambig import (
    DisambiguatedClassifier,
    DisambiguatedRegressor,
    IntervalRegressor,
    Mixture,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
)
from disambig.estimators.selection.search import Deadline
from disambig.persistence.graph import check_can_be_saved
from disambig.solvers.loop import Status
from disambig.weights import KernelRidgeWeights, NeighborWeights

N = 45
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 2))
CODES = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
LABELS = np.eye(3, dtype=bool)[CODES] | (RNG.uniform(size=(N, 3)) < 0.3)
ENDS = X[:, :1] + RNG.uniform(0.1, 1, size=(N, 2)) * [-1, 1]
RANKS = np.argsort(np.argsort(np.column_stack([X, X.mean(axis=1)]), axis=1), axis=1).astype(float)
RANKS[::3, 0] = np.nan
BITS = (X > 0).astype(float)
BITS[::3, 0] = np.nan

NEAR, RIDGE = NeighborWeights(8), KernelRidgeWeights(intercept=True)
PHASES = {
    "labels": ["selection", "fit", "judgement"],
    "numbers": ["selection", "members", "judgement", "calibration"],
    "orders": ["selection", "members", "judgement"],
    "bits": ["selection", "members", "judgement"],
    "classifier": ["selection", "fit", "judgement", "alternation"],
    "regressor": ["fit", "judgement", "alternation"],
}
MODELS = {
    "labels": (PartialLabelClassifier(), LABELS),
    "numbers": (IntervalRegressor(cv=2), ENDS),
    "orders": (PartialRanker(), RANKS),
    "bits": (PartialMultilabelClassifier(), BITS),
    "classifier": (DisambiguatedClassifier(), LABELS),
    "regressor": (DisambiguatedRegressor(weights=RIDGE), ENDS),
}
TWO = Mixture([IntervalRegressor(NEAR), IntervalRegressor(RIDGE)], [0.25, 0.75])


def followed(model, y, stops=lambda progress: False):
    """A fit with a callback, and what was reported."""
    seen = []

    def callback(progress):
        seen.append(progress)
        return stops(progress)

    return clone(model).set_params(callback=callback).fit(X, y), seen


def stages_of(seen):
    """The reports of each stage whose number of steps is known, one list for each time it runs."""
    found, open_stages = [], {}
    for progress in seen:
        if progress.total is None:
            continue
        if progress.iteration == 0:
            open_stages[progress.phase] = []
            found.append(open_stages[progress.phase])
        open_stages[progress.phase].append(progress)
    return found


@pytest.mark.parametrize("kind", MODELS)
def test_every_phase_reports_all_steps_and_changes_nothing(kind):
    model, y = MODELS[kind]
    found, seen = followed(model, y)
    phases = list(dict.fromkeys(progress.phase for progress in seen))
    # Members that have a solver report its iterations, too.
    has_members = "members" in phases
    assert [name for name in phases if name != "fit" or not has_members] == PHASES[kind]
    for reports in stages_of(seen):
        iterations = [progress.iteration for progress in reports]
        assert iterations[0] == 0
        assert all(before < after for before, after in pairwise(iterations))
        assert len({progress.total for progress in reports}) == 1
        if reports[0].phase == "alternation":
            assert reports[-1].left >= 0
        else:
            assert reports[-1].left == 0
        if reports[0].phase == "selection":
            scores = [progress.objective for progress in reports[1:]]
            assert scores == sorted(scores, reverse=True)
    plain = clone(model).fit(X, y)
    for name in ("labels_", "confidence_", "decided_", "objective_", "n_iter_"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(found, name), err_msg=name)
    assert repr(plain.trials_) == repr(found.trials_)
    if kind != "numbers":
        # Nothing that is kept holds the callback. (The folds of a mixture cannot be saved.)
        check_can_be_saved(found.set_params(callback=None))
    np.testing.assert_array_equal(plain.predict(X), found.predict(X))


@pytest.mark.parametrize("kind", MODELS)
def test_a_callback_that_always_says_stop_leaves_a_model_after_few_steps(kind):
    model, y = MODELS[kind]
    if kind in ("classifier", "regressor"):
        model = clone(model).set_params(undecided="include")
    with warnings.catch_warnings():
        # Rows that are not decided, and weights that predict no better than a constant.
        warnings.simplefilter("ignore", UserWarning)
        found, seen = followed(model, y, lambda progress: True)
    # The announcement and one step, of two rounds of the selection and of three phases at most.
    assert len(seen) <= 10
    assert max(progress.iteration for progress in seen) == 1
    assert found.predict(X).shape == found.labels_.shape


def test_the_selection_ends_as_if_its_time_were_over():
    def stops(progress):
        return progress.stage == "screen" and progress.iteration == 3

    found, seen = followed(PartialLabelClassifier(), LABELS, stops)
    rounds = [reports for reports in stages_of(seen) if reports[0].phase == "selection"]
    assert [reports[-1].iteration for reports in rounds] == [3, 1]
    # Of the three that were tried, the best is tried once more.
    assert rounds[1][0].total == 3
    assert len({repr(trial.weights) for trial in found.trials_}) == 1
    whole = PartialLabelClassifier().fit(X, LABELS)
    assert len({repr(trial.weights) for trial in whole.trials_}) == 10


def test_a_deadline_that_passes_now_lets_the_first_entry_begin():
    deadline = Deadline()
    entries = deadline.limit("abc")
    assert next(entries) == "a"
    deadline.pass_now()
    assert list(entries) == []
    assert deadline.is_limited
    assert list(deadline.limit("xyz")) == ["x"]


def test_members_that_are_not_fitted_are_left_out():
    found, seen = followed(
        IntervalRegressor(TWO), ENDS, lambda progress: progress.phase == "members"
    )
    assert len(found.members_) == len(found.weights_.members) == 1
    assert found.shares_.tolist() == [1.0]
    assert repr(found.weights_.members[0]) == repr(TWO.members[0])
    assert not found.converged_
    assert [progress.total for progress in seen if progress.phase == "judgement"] == [3] * 4
    alone = IntervalRegressor(Mixture([IntervalRegressor(NEAR)])).fit(X, ENDS)
    np.testing.assert_array_equal(found.labels_, alone.labels_)
    whole, _ = followed(IntervalRegressor(TWO), ENDS)
    assert whole.shares_.tolist() == [0.25, 0.75]


def in_judgement(progress):
    return progress.phase == "judgement" and progress.iteration == 1


def test_a_judgement_that_is_ended_uses_what_it_has():
    # Labels: one judge instead of several.
    one, seen = followed(PartialLabelClassifier(), LABELS, in_judgement)
    whole = PartialLabelClassifier().fit(X, LABELS)
    assert seen[-1].left > 0
    assert one.confidence_kind_ == whole.confidence_kind_ == "hidden sets"
    np.testing.assert_array_equal(one.labels_, whole.labels_)
    assert (one.confidence_ != whole.confidence_).any()
    # Numbers: the other rows, with their targets as they are.
    one, seen = followed(IntervalRegressor(RIDGE), ENDS, in_judgement)
    assert IntervalRegressor(RIDGE).fit(X, ENDS).confidence_kind_ == "hidden sets"
    assert one.confidence_kind_ == "leave-one-out"
    assert seen[-1].left == 4
    # A mixture: its members, which saw the sets.
    one, _ = followed(IntervalRegressor(TWO), ENDS, in_judgement)
    assert one.confidence_kind_ == "in-sample"
    inside = one._mixed_predictions(X, lambda member, Q: member.predict(Q)[:, None])[:, 0]
    # Products of matrices of other sizes differ in the last digits on some processors.
    np.testing.assert_allclose(one.labels_, np.clip(inside, ENDS[:, 0], ENDS[:, 1]), rtol=1e-12)


def test_at_the_last_step_nothing_is_missing():
    whole = IntervalRegressor(RIDGE).fit(X, ENDS)
    last, _ = followed(
        IntervalRegressor(RIDGE), ENDS, lambda p: p.phase == "judgement" and p.left == 0
    )
    assert last.confidence_kind_ == "hidden sets"
    np.testing.assert_array_equal(last.confidence_, whole.confidence_)


@pytest.mark.parametrize("kind", ["labels", "numbers", "orders", "bits"])
def test_tolerance_reports_its_rounds(kind):
    model, y = MODELS[kind]
    weights = "neighbors" if kind == "labels" else NEAR
    model = clone(model).set_params(weights=weights, tolerance=0.3)
    if kind == "numbers":
        model.set_params(cv=None)
        # Some are shifted.
        y = y + 3.0 * (np.arange(N) % 9 == 0)[:, None]
    found, seen = followed(model, y)
    rounds = [progress for progress in seen if progress.phase == "tolerance"]
    assert rounds[0].iteration == 0
    assert rounds[-1].left == 0
    assert found.outside_.any()
    # Each round fits anew.
    between = seen[seen.index(rounds[0]) : seen.index(rounds[1])]
    assert {progress.phase for progress in between} >= {"fit", "judgement"}
    plain = clone(model).set_params(callback=None).fit(X, y)
    np.testing.assert_array_equal(plain.labels_, found.labels_)
    first, seen = followed(model, y, lambda progress: progress.phase == "tolerance")
    assert [p.iteration for p in seen if p.phase == "tolerance"] == [0, 1]
    assert first.tolerance_ == 0.3


def test_folds_that_calibrate_are_steps():
    model = IntervalRegressor(NEAR, cv=4)
    found, seen = followed(model, ENDS)
    folds = [progress.iteration for progress in seen if progress.phase == "calibration"]
    assert folds == [0, 1, 2, 3, 4]
    check_can_be_saved(found.set_params(callback=None))
    with parallel_config(backend="threading", n_jobs=2):
        _, seen = followed(model, ENDS)
    # Nobody knows when one of several is done.
    folds = [progress.iteration for progress in seen if progress.phase == "calibration"]
    assert folds == [0, 4]
    ended, _ = followed(
        model, ENDS, lambda progress: progress.phase == "calibration" and progress.iteration == 2
    )
    held_out = ended._held_out_
    assert len(held_out.models) == 2
    assert set(held_out.folds) == {0, 1}
    assert np.isfinite(ended.predict_interval(X, 0.8)).all()


def test_few_labels_report_the_graphs_that_are_tried():
    y = np.ones((N, 3), dtype=bool)
    y[:6] = np.eye(3, dtype=bool)[CODES[:6]]
    with pytest.warns(UserWarning, match="too few to choose"):
        _, seen = followed(PartialLabelClassifier(), y)
    graphs = [progress for progress in seen if progress.stage == "graphs"]
    assert [progress.iteration for progress in graphs] == list(range(len(graphs)))
    assert len(graphs) > 2
    with pytest.warns(UserWarning, match="the best of 1 weightings"):
        followed(PartialLabelClassifier(), y, lambda progress: progress.stage == "graphs")


def test_stopped_votes_that_decide_nothing_are_trained_on():
    model = DisambiguatedRegressor(weights=RIDGE)
    with pytest.warns(UserWarning, match="45 of 45 rows are not decided"):
        found, _ = followed(model, ENDS, lambda progress: progress.phase == "fit")
    assert found.solution_.status is Status.STOPPED
    assert len(found.training_rows_) == N
