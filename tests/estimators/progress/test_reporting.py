"""Who follows the steps of a fit: callbacks, the log, fits around it; and nobody else."""

import logging
import threading

import numpy as np
import pytest

from disambig import DisambiguatedClassifier, PartialLabelClassifier
from disambig.estimators.progress.reporting import (
    Phase,
    current_callback,
    reporting,
    unreported,
)
from disambig.weights import NeighborWeights

X = np.arange(6.0)[:, None]
SETS = [{"a"}, {"a", "b"}, {"a"}, {"b"}, {"a", "b"}, {"b"}]


def model(**options):
    return PartialLabelClassifier(NeighborWeights(2), **options)


def test_all_who_follow_are_called_and_one_of_them_can_end_a_phase():
    first, second = [], []

    def stop(progress):
        second.append(progress.iteration)
        return progress.iteration == 2

    with reporting("outer", first.append), reporting("inner", stop):
        phase = Phase("judgement", 3)
        assert list(phase.over("abc")) == ["a", "b"]
    assert [progress.iteration for progress in first] == second == [0, 1, 2]
    assert phase.stopped
    assert phase.is_cut
    assert current_callback() is None


def test_the_first_step_is_done_in_any_case_and_the_last_one_is_no_cut():
    with reporting("test", lambda progress: True):
        assert list(Phase("judgement", 3).over("abc")) == ["a"]
        phase = Phase("judgement", 1)
        assert list(phase.over("a")) == ["a"]
    assert phase.stopped
    assert not phase.is_cut


def test_a_phase_that_ends_by_itself_reports_its_last_step_once():
    seen = []
    with reporting("test", seen.append):
        phase = Phase("tolerance", 3)
        phase.done()
        assert not phase.finish(0.5)
        phase.finish()
        Phase("selection").finish()
    found = [(progress.phase, progress.iteration, progress.left) for progress in seen]
    assert found == [
        ("tolerance", 0, 3),
        ("tolerance", 1, 2),
        ("tolerance", 3, 0),
        ("selection", 0, None),
    ]
    assert seen[2].objective == 0.5


def test_a_fit_inside_of_another_one_reports_to_both_unless_it_is_unreported():
    outer, own = [], []
    with reporting("outer", outer.append):
        model(callback=own.append).fit(X, SETS)
        assert outer == own != []
        count = len(outer)
        with unreported():
            model(callback=own.append).fit(X, SETS)
    assert len(outer) == count < len(own)


def test_an_error_in_a_callback_leaves_nobody_behind():
    def broken(progress):
        assert current_callback() is broken
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model(callback=broken).fit(X, SETS)
    assert current_callback() is None


def test_fits_in_other_threads_report_to_their_own_callback_only():
    own, other = [], []

    def callback(progress):
        own.append(progress)
        thread = threading.Thread(target=model(callback=other.append).fit, args=(X, SETS))
        thread.start()
        thread.join()

    fitted = model(callback=callback).fit(X, SETS)
    assert len(own) == fitted.n_iter_ > 0
    assert len(other) == len(own) ** 2


def test_the_log_has_every_step_once(caplog):
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(45, 2))
    mask = np.eye(3, dtype=bool)[np.sum(inputs > 0, axis=1)] | (rng.uniform(size=(45, 3)) < 0.3)
    seen = []
    # Votes inside of an alternation: the log has the name of what the user fits.
    classifier = DisambiguatedClassifier(callback=seen.append, verbose=1)
    with caplog.at_level(logging.INFO, logger="disambig"):
        classifier.fit(inputs, mask)
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == len(seen)
    assert all(message.startswith("DisambiguatedClassifier: ") for message in messages)
    assert messages[0] == "DisambiguatedClassifier: selection (screen) begins, 42 steps"
    assert messages[1].startswith("DisambiguatedClassifier: selection (screen), step 1 of 42, obj")
    assert "DisambiguatedClassifier: hard, iteration 0, objective" in caplog.text
