"""The one loop: iteration, trace, budget, callback and status live here and nowhere else."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar


class Progress(NamedTuple):
    """One line of a trace: where a run stands after an iteration."""

    stage: str
    iteration: int
    objective: float
    undecided: int


Callback: TypeAlias = Callable[[Progress], bool | None]
"""Called after every iteration; returning True stops the run there."""


class Status(Enum):
    """How a run ended."""

    CONVERGED = "converged"
    MAX_ITER = "ran out of iterations"
    STOPPED = "stopped by the callback"


class State(Protocol):
    """What every state can say of itself."""

    @property
    def objective(self) -> float:
        """The objective now."""
        ...

    @property
    def undecided(self) -> int:
        """Rows whose target is not a single vertex now."""
        ...


S = TypeVar("S", bound=State)


class Process(Protocol[S]):
    """What a solver gives the loop: a step from state to state, and when to stop.

    States are immutable, so that a run can be stored, resumed or compared.
    """

    def step(self, state: S) -> S:
        """The next state."""
        ...

    def has_converged(self, before: S, after: S) -> bool:
        """Would a further step change nothing that matters?"""
        ...


@dataclass(frozen=True)
class Run(Generic[S]):
    """Where a run ended, how, and how it got there."""

    state: S
    status: Status
    trace: tuple[Progress, ...]

    @property
    def n_iter(self) -> int:
        """Iterations made."""
        return self.trace[-1].iteration


def iterate(
    process: Process[S],
    state: S,
    *,
    max_iter: int,
    stage: str = "",
    callback: Callback | None = None,
) -> Run[S]:
    """Step from `state` until convergence, the end of the budget, or the callback's word.

    Parameters
    ----------
    process : Process
    state : State
        Recorded as iteration 0.
    max_iter : int
        At most so many steps.
    stage : str
        What this run is called in the trace.
    callback : callable, optional
        See `Callback`.
    """
    trace = [Progress(stage, 0, state.objective, state.undecided)]
    status = Status.MAX_ITER
    for iteration in range(1, max_iter + 1):
        before, state = state, process.step(state)
        trace.append(Progress(stage, iteration, state.objective, state.undecided))
        # The callback's word goes first: it also ends what would follow a converged run.
        if callback is not None and callback(trace[-1]):
            status = Status.STOPPED
        elif process.has_converged(before, state):
            status = Status.CONVERGED
        if status is not Status.MAX_ITER:
            break
    return Run(state, status, tuple(trace))
