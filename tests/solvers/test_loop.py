"""Tests of the loop that solvers share: budget, callback, trace and status."""

from dataclasses import dataclass

import numpy as np
import pytest

from disambig.solvers.loop import Progress, Status, iterate


@dataclass(frozen=True)
class Counter:
    """A state that only counts."""

    value: int

    @property
    def objective(self):
        return float(-self.value)

    @property
    def undecided(self):
        return 10 - self.value


@dataclass
class Counting:
    """Counts up to `last`, and counts its own steps."""

    last: int
    steps: int = 0

    def step(self, state):
        self.steps += 1
        return state if state.value == self.last else Counter(state.value + 1)

    def has_converged(self, before, after):
        return after is before


def test_run_stops_when_nothing_changes():
    process = Counting(last=3)
    run = iterate(process, Counter(0), max_iter=100, stage="count")
    assert run.status is Status.CONVERGED
    assert run.state.value == 3
    # Three steps that change the state, and one that does not.
    assert run.n_iter == process.steps == 4


def test_trace_has_the_first_state_and_every_iteration():
    run = iterate(Counting(last=2), Counter(0), max_iter=100, stage="count")
    assert run.trace == (
        Progress("count", 0, 0.0, 10),
        Progress("count", 1, -1.0, 9),
        Progress("count", 2, -2.0, 8),
        Progress("count", 3, -2.0, 8),
    )


@pytest.mark.parametrize("budget", [0, 1, 3])
def test_run_makes_at_most_max_iter_steps(budget):
    process = Counting(last=1000)
    run = iterate(process, Counter(0), max_iter=budget)
    assert run.status is Status.MAX_ITER
    assert run.n_iter == process.steps == run.state.value == budget
    assert len(run.trace) == budget + 1


def test_convergence_in_the_last_allowed_step_counts():
    assert iterate(Counting(last=3), Counter(0), max_iter=4).status is Status.CONVERGED
    assert iterate(Counting(last=3), Counter(0), max_iter=3).status is Status.MAX_ITER


def test_callback_is_called_after_every_iteration():
    seen = []
    run = iterate(Counting(last=2), Counter(0), max_iter=100, stage="x", callback=seen.append)
    assert tuple(seen) == run.trace[1:]
    assert run.status is Status.CONVERGED


@pytest.mark.parametrize("true_value", [True, np.True_, np.float64(1.0) > np.float64(0.0), 1])
def test_callback_that_returns_true_stops_the_run(true_value):
    run = iterate(
        Counting(last=1000),
        Counter(0),
        max_iter=100,
        callback=lambda p: p.iteration == 5 and true_value,
    )
    assert run.status is Status.STOPPED
    assert run.state.value == run.n_iter == 5


@pytest.mark.parametrize("false_value", [None, False, np.False_])
def test_callback_that_returns_false_or_none_does_not_stop_the_run(false_value):
    run = iterate(Counting(last=3), Counter(0), max_iter=100, callback=lambda p: false_value)
    assert run.status is Status.CONVERGED


def test_callback_takes_precedence_over_convergence():
    """A solver with further runs must know that it has to stop."""
    run = iterate(Counting(last=3), Counter(0), max_iter=100, callback=lambda p: p.iteration == 4)
    assert run.status is Status.STOPPED


def test_an_error_in_the_callback_is_not_caught():
    def broken(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        iterate(Counting(last=3), Counter(0), max_iter=100, callback=broken)
