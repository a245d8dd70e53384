"""The one loop: budget, callback, trace and status."""

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
    """Counts up to `last`, and notes how often it was asked."""

    last: int
    steps: int = 0

    def step(self, state):
        self.steps += 1
        return state if state.value == self.last else Counter(state.value + 1)

    def has_converged(self, before, after):
        return after is before


def test_it_stops_when_nothing_changes():
    process = Counting(last=3)
    run = iterate(process, Counter(0), max_iter=100, stage="count")
    assert run.status is Status.CONVERGED
    assert run.state.value == 3
    # Three steps that move, and the one that finds nothing to do.
    assert run.n_iter == process.steps == 4


def test_the_trace_has_every_iteration_and_the_beginning():
    run = iterate(Counting(last=2), Counter(0), max_iter=100, stage="count")
    assert run.trace == (
        Progress("count", 0, 0.0, 10),
        Progress("count", 1, -1.0, 9),
        Progress("count", 2, -2.0, 8),
        Progress("count", 3, -2.0, 8),
    )


@pytest.mark.parametrize("budget", [0, 1, 3])
def test_the_budget_is_kept(budget):
    process = Counting(last=1000)
    run = iterate(process, Counter(0), max_iter=budget)
    assert run.status is Status.MAX_ITER
    assert run.n_iter == process.steps == run.state.value == budget
    assert len(run.trace) == budget + 1


def test_a_budget_that_just_suffices_is_convergence():
    assert iterate(Counting(last=3), Counter(0), max_iter=4).status is Status.CONVERGED
    assert iterate(Counting(last=3), Counter(0), max_iter=3).status is Status.MAX_ITER


def test_the_callback_hears_of_every_iteration():
    heard = []
    run = iterate(Counting(last=2), Counter(0), max_iter=100, stage="x", callback=heard.append)
    assert tuple(heard) == run.trace[1:]
    assert run.status is Status.CONVERGED


@pytest.mark.parametrize("yes", [True, np.True_, np.float64(1.0) > np.float64(0.0), 1])
def test_the_callback_stops_the_run_there(yes):
    run = iterate(
        Counting(last=1000), Counter(0), max_iter=100, callback=lambda p: p.iteration == 5 and yes
    )
    assert run.status is Status.STOPPED
    assert run.state.value == run.n_iter == 5


@pytest.mark.parametrize("no", [None, False, np.False_])
def test_anything_that_is_not_yes_goes_on(no):
    run = iterate(Counting(last=3), Counter(0), max_iter=100, callback=lambda p: no)
    assert run.status is Status.CONVERGED


def test_the_word_of_the_callback_goes_before_convergence():
    """A solver with more runs to come must learn that it is to stop."""
    run = iterate(Counting(last=3), Counter(0), max_iter=100, callback=lambda p: p.iteration == 4)
    assert run.status is Status.STOPPED


def test_an_error_of_the_callback_is_the_users_to_see():
    def broken(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        iterate(Counting(last=3), Counter(0), max_iter=100, callback=broken)
