"""The iteration that all solvers share: steps, trace, budget, callback and status.

A solver provides a `Process` (a step and a test of convergence on immutable states); `iterate` runs
it and records what happened.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from disambig.solvers.checkpoints import KeptRun, StoresStates, current_checkpoints


class Progress(NamedTuple):
    """One report of a run, and one entry of a trace: what is reached after a step.

    Attributes
    ----------
    stage : str
        What runs in the phase: the name of a start, a temperature, a round of the selection, ...
    iteration : int
        The number of the step in its stage, from 1 on. 0 is the start, or announces the steps.
    objective : float
        That of the solver or of the alternation. In the selection the lowest score so far of the
        stage (`Trial.score`); NaN in phases that minimise nothing.
    undecided : int
        Rows whose target is not decided; 0 in phases that decide nothing.
    phase : str
        Steps of a fit are: "selection", what ``weights="auto"`` tries; "fit", iterations of the
        solver; "members" of a mixture; "judgement", judges or folds of hidden sets; "tolerance" and
        "alternation", their rounds; "calibration", folds of `cv`. After it come
        "cross-examination", judges or folds; and "prediction", parts of a table.
    total : int or None
        The steps of the stage, at most; None if their number is not known.

    Examples
    --------
    >>> from disambig import PartialLabelClassifier
    >>> model = PartialLabelClassifier("nadaraya_watson", solver="alternating")
    >>> model.fit([[0.0], [0.1], [0.2]], [{"a"}, {"a", "b"}, {"a"}]).trace_[-1].undecided
    0
    >>> from disambig.solvers import Progress
    >>> Progress("screen", 30, 0.125, 0, "selection", 40).left
    10
    """

    stage: str
    iteration: int
    objective: float
    undecided: int
    # Models that were saved before have entries without these two.
    phase: str = "fit"
    total: int | None = None

    @property
    def left(self) -> int | None:
        """How many steps are left in the stage, at most; None if that is not known."""
        return None if self.total is None else self.total - self.iteration


Callback: TypeAlias = Callable[[Progress], bool | None]
"""Called after every step of a phase; the phase ends there if it returns True."""


class Status(Enum):
    """How a run ended.

    Examples
    --------
    >>> from disambig import IntervalRegressor
    >>> model = IntervalRegressor("kernel_ridge").fit([[0.0], [1.0]], [(0, 1), (0, 3)])
    >>> model.solution_.status
    <Status.CONVERGED: 'converged'>
    """

    CONVERGED = "converged"
    MAX_ITER = "ran out of iterations"
    STOPPED = "stopped by the callback"
    CYCLED = "returned to earlier targets"

    def __reduce__(self) -> tuple[Any, ...]:
        # By its value, so that a saved model can hold it.
        return type(self), (self.value,)


class State(Protocol):
    """What the loop reads from a state."""

    @property
    def objective(self) -> float:
        """The objective at this state."""
        ...

    @property
    def undecided(self) -> int:
        """The number of rows whose target is not a single vertex."""
        ...


S = TypeVar("S", bound=State)


class Process(Protocol[S]):
    """What a solver provides to the loop: a step from state to state, and when to stop.

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
    """The last state of a run, how the run ended, and its trace."""

    state: S
    status: Status
    trace: tuple[Progress, ...]

    @property
    def n_iter(self) -> int:
        """The number of iterations."""
        return self.trace[-1].iteration


def iterate(
    process: Process[S],
    state: S,
    *,
    max_iter: int,
    stage: str = "",
    callback: Callback | None = None,
) -> Run[S]:
    """Step from `state` until convergence, `max_iter` steps, or a callback that returns True.

    Inside `disambig.solvers.checkpoints.checkpoints` the states of a process that stores them are
    kept, and a run of which states are kept goes on from the last one.

    Parameters
    ----------
    process : Process
    state : State
        The first state, recorded as iteration 0.
    max_iter : int
        The largest number of steps.
    stage : str
        The name of this run in the trace.
    callback : callable, optional
        See `Callback`.
    """
    kept = current_checkpoints()
    stores: Any = process if isinstance(process, StoresStates) else None
    trace = [Progress(stage, 0, state.objective, state.undecided)]
    status = Status.MAX_ITER
    if kept is not None and stores is not None:
        earlier = kept.next_run()
        if earlier is not None:
            state = stores.unpacked(earlier.arrays)
            trace = [Progress(*entry) for entry in earlier.trace]
            if earlier.status is not None:
                return Run(state, Status[earlier.status], tuple(trace))

    def keep(ended: Status | None) -> None:
        if kept is None or stores is None:
            return
        if ended is Status.STOPPED:
            # What a callback has stopped goes on in the next solve: what now follows is not kept.
            kept.close()
        else:
            kept.keep(KeptRun(stores.packed(state), trace, ended and ended.name))

    for iteration in range(len(trace), max_iter + 1):
        before, state = state, process.step(state)
        trace.append(Progress(stage, iteration, state.objective, state.undecided))
        # The callback comes before the test of convergence: if it stops the last step of a run that
        # converges, the runs that would follow must stop as well.
        if callback is not None and callback(trace[-1]):
            status = Status.STOPPED
        elif process.has_converged(before, state):
            status = Status.CONVERGED
        if status is not Status.MAX_ITER:
            break
        keep(None)
    keep(status)
    return Run(state, status, tuple(trace))
