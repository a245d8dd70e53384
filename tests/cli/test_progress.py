"""The bar of commands: on a terminal only, one for each phase, gone at the end."""

import io
import sys

import numpy as np
import pytest

from disambig import PartialLabelClassifier
from disambig.cli.progress import progress_bar
from disambig.solvers import Progress

pytest.importorskip("rich")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal as standard error; called in the test, because pytest sets its own before."""
    found = Terminal()
    monkeypatch.setattr(sys, "stderr", found)
    for name, value in (("TERM", "xterm"), ("COLUMNS", "120")):
        monkeypatch.setenv(name, value)
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    return found


def shown(callback) -> list[tuple[str, str, str]]:
    """Description, steps and state of the bars that are visible."""
    return [
        (task.description, task.fields["steps"], task.fields["state"])
        for task in callback._bars.tasks
        if task.visible
    ]


def test_phases_that_are_over_disappear_and_those_around_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = terminal(monkeypatch)
    with progress_bar() as callback:
        callback(Progress("screen", 40, 0.25, 0, "selection", 42))
        assert shown(callback) == [("selection: screen", "40/42", "objective 0.25")]
        callback(Progress("", 0, np.nan, 0, "members", 2))
        callback(Progress("average", 3, 1.5, 7))
        assert shown(callback) == [
            ("members", "0/2", ""),
            ("fit: average", "3", "objective 1.5, 7 undecided"),
        ]
        callback(Progress("PartialRanker", 1, np.nan, 0, "members", 2))
        assert shown(callback) == [("members: PartialRanker", "1/2", "")]
        callback(Progress("LogisticRanker", 2, np.nan, 0, "members", 2))
        callback(Progress("", 0, np.nan, 0, "judgement", 5))
        assert shown(callback) == [("judgement", "0/5", "")]
    assert "selection: screen" in screen.getvalue()


def test_a_fit_drives_it_and_nothing_else_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = terminal(monkeypatch)
    X = np.random.default_rng(0).normal(size=(40, 2))
    sets = np.eye(2, dtype=bool)[(X[:, 0] > 0).astype(int)]
    with progress_bar() as callback:
        model = PartialLabelClassifier("neighbors", callback=callback).fit(X, sets)
        assert shown(callback) == [("judgement: NeighborWeights", "1/1", "")]
    assert model.converged_
    # Lines are erased, and the cursor comes back.
    assert screen.getvalue().rstrip().endswith("\x1b[2K")


def test_nothing_is_shown_without_a_terminal_or_if_it_is_not_wanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    screen = terminal(monkeypatch)
    with progress_bar(quiet=True) as callback:
        callback(Progress("screen", 1, 0.5, 0, "selection", 2))
    assert screen.getvalue() == ""
    plain = io.StringIO()
    monkeypatch.setattr(sys, "stderr", plain)
    with progress_bar() as callback:
        callback(Progress("screen", 1, 0.5, 0, "selection", 2))
    assert plain.getvalue() == ""
