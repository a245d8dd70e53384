"""`cross_examine` and `refit` report their steps, and end in words if a callback ends them."""

import logging

import numpy as np
import pytest

from disambig import (
    DisambiguatedClassifier,
    IntervalRegressor,
    Mixture,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
)
from disambig.estimators.rankers.logistic_ranker import LogisticRanker
from disambig.exceptions import StoppedError
from disambig.trust import cross_examine
from disambig.weights import NeighborWeights

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
CODES = np.sum(X > 0, axis=1)
LABELS = np.eye(3, dtype=bool)[CODES] | (RNG.uniform(size=(40, 3)) < 0.3)
ENDS = X[:, :1] + RNG.uniform(0.1, 1, size=(40, 2)) * [-1, 1]
RANKS = np.argsort(np.argsort(np.column_stack([X, RNG.normal(size=40)]), axis=1), axis=1) * 1.0
RANKS[::3, 0] = np.nan
BITS = (X > 0).astype(float)
NEAR = NeighborWeights(8)
RANKERS = Mixture([LogisticRanker(), PartialRanker(NEAR)])
# Estimators, sets, and the steps of a cross-examination in three folds.
KINDS = {
    "labels": (PartialLabelClassifier(NEAR), LABELS, 1),
    "numbers": (IntervalRegressor(NEAR), ENDS, 3),
    "orders": (PartialRanker(RANKERS), RANKS, 6),
    "bits": (PartialMultilabelClassifier(weights=NEAR), BITS, 3),
    "classifier": (DisambiguatedClassifier(weights=NEAR, undecided="include"), CODES, 3),
}


def examined(seen, stops=lambda progress: False):
    return lambda progress: seen.append(progress) or stops(progress)


def steps_of(seen):
    return [progress for progress in seen if progress.phase == "cross-examination"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_callback_sees_the_fit_and_every_fold_and_changes_nothing(kind):
    estimator, y, n_steps = KINDS[kind]
    plain = cross_examine(estimator, X, y, cv=3)
    seen = []
    exam = cross_examine(estimator, X, y, cv=3, callback=examined(seen))
    assert [progress.iteration for progress in steps_of(seen)] == list(range(n_steps + 1))
    assert {progress.total for progress in steps_of(seen)} == {n_steps}
    before = seen[: seen.index(steps_of(seen)[0])]
    assert "fit" in {progress.phase for progress in before}
    assert exam.estimator.callback is None
    np.testing.assert_array_equal(plain.confidence, exam.confidence)
    np.testing.assert_array_equal(plain.suspicion, exam.suspicion)
    seen.clear()
    rows = [0, 3]
    again = exam.refit(rows, exam.labels[rows], callback=examined(seen))
    assert steps_of(seen)[-1].left == 0
    assert {"fit", "cross-examination"} <= {progress.phase for progress in seen}
    np.testing.assert_array_equal(exam.refit(rows, exam.labels[rows]).confidence, again.confidence)


def test_judges_that_are_missing_are_left_out():
    seen = []

    def stops(progress):
        return progress.phase == "cross-examination" and progress.iteration == 1

    exam = cross_examine(PartialLabelClassifier(), X, LABELS, callback=examined(seen, stops))
    assert steps_of(seen)[-1].left > 0
    model = exam.estimator
    first = cross_examine(PartialLabelClassifier(model.weights_, solver=model.solver_), X, LABELS)
    np.testing.assert_allclose(exam.distributions, first.distributions)
    whole = cross_examine(PartialLabelClassifier(), X, LABELS)
    assert (exam.distributions != whole.distributions).any()


@pytest.mark.parametrize("kind", ["numbers", "orders"])
def test_without_a_judgement_of_all_rows_there_is_no_examination(kind):
    estimator, y, n_steps = KINDS[kind]

    def after(step):
        return lambda progress: progress.phase == "cross-examination" and progress.iteration == step

    with pytest.raises(StoppedError, match=r"cross_examine: .* all rows need one"):
        cross_examine(estimator, X, y, cv=3, callback=after(n_steps - 1))
    # The first deal is complete, and judges alone.
    one = cross_examine(estimator, X, y, cv=3)
    for step in (n_steps, n_steps + 1):
        ended = cross_examine(estimator, X, y, cv=3, repeats=2, callback=after(step))
        np.testing.assert_array_equal(ended.suspicion, one.suspicion)
    both = cross_examine(estimator, X, y, cv=3, repeats=2)
    last = cross_examine(estimator, X, y, cv=3, repeats=2, callback=after(2 * n_steps))
    np.testing.assert_array_equal(last.suspicion, both.suspicion)
    assert (both.suspicion != one.suspicion).any()


def test_the_log_and_what_is_refused(caplog):
    estimator, y, _ = KINDS["labels"]
    with caplog.at_level(logging.INFO, logger="disambig"):
        exam = cross_examine(estimator.set_params(verbose=1), X, y, verbose=1)
        messages = [record.getMessage() for record in caplog.records]
        # Once, although the estimator would log, too.
        assert len(messages) == len(set(messages))
        assert messages[-1] == "cross_examine: cross-examination (NeighborWeights), step 1 of 1"
        exam.refit([0], exam.labels[[0]], verbose=1)
    estimator.set_params(verbose=0)
    assert caplog.records[-1].getMessage().startswith("refit: cross-examination")
    with pytest.raises(ValueError, match="cross_examine: callback must be None or a function"):
        cross_examine(estimator, X, y, callback=1)
    with pytest.raises(ValueError, match="refit: verbose must be an integer >= 0"):
        exam.refit([0], exam.labels[[0]], verbose=-1)
