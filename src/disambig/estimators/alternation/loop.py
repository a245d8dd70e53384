"""The alternation itself, for targets of any kind.

One round trains models on the targets, predicts every row by a model that was trained without it,
and moves every target to the member of its set of least loss at that prediction:
``y_i <- argmin over y in s_i of loss(f_{-i}(x_i), y)``. A `Task` knows the kind of target, and the
caller which rows a model is trained without.

The two steps of a cross-fitted round minimise different sums, so that rounds can cycle: two rows
with the same set, in two folds, can exchange their labels for ever. The loop therefore ends when
targets repeat, and keeps the targets whose models have the lowest held-out infimum loss; these may
be those of the start. In sample the two steps minimise one sum, which never rises if the estimator
minimises it exactly.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.loop import Callback, Progress, Status


@dataclass(frozen=True, eq=False)
class Iterate:
    """Targets to train on.

    Attributes
    ----------
    targets : float array (n, p)
        For labels the weight of every class in every row, at most one in sum (p = K); for numbers
        the numbers themselves (p = d).
    known : bool array (n,)
        Rows that have a target. The others, of which nothing is known yet, are not trained on.
    stage : str
        "soft" (labels: distributions over the sets), "hard" (one label in a row) or "numbers".
    """

    targets: FloatArray
    known: BoolArray
    stage: str


class Task(Protocol):
    """What the alternation needs to know about a kind of target."""

    def fit(self, iterate: Iterate, rows: IntArray | None = None) -> Any:
        """A new model, trained on the targets of these rows (None: of all that have one)."""
        ...

    def predict(self, model: Any, rows: IntArray | None = None) -> FloatArray:
        """What a model predicts at some rows, ``(q, p)``."""
        ...

    def out_of_bag(self, model: Any, iterate: Iterate, units: IntArray) -> FloatArray:
        """Predictions by the members of a bagged model that were trained without the row's unit.

        NaN where there is no such member.
        """
        ...

    def move(self, predictions: FloatArray, iterate: Iterate) -> Iterate:
        """The next targets; rows whose prediction is NaN or says nothing keep theirs."""
        ...

    def harden(self, iterate: Iterate, predictions: FloatArray) -> Iterate | None:
        """The same targets as single members; None if they already are."""
        ...

    def repeats(self, iterate: Iterate, earlier: Iterate) -> bool:
        """Are two targets the same, of the same stage?"""
        ...

    def objective(self, predictions: FloatArray) -> float:
        """The mean infimum loss at the rows that have a prediction."""
        ...

    def tie_break(self, predictions: FloatArray) -> float:
        """What decides between rounds of the same objective: the lower one is better."""
        ...

    def undecided(self, iterate: Iterate) -> int:
        """Rows that have no single target."""
        ...


HeldOut = Callable[[Iterate], FloatArray]
"""Predictions of all rows, ``(n, p)``, by models that are trained on an iterate."""


@dataclass(frozen=True, eq=False, repr=False)
class Alternation:
    """The result of an alternation.

    Attributes
    ----------
    iterate : Iterate
        The kept targets.
    predictions : float array (n, p)
        What models that are trained on these targets predict, each without the row (in sample:
        with it): class probabilities or numbers. NaN where there is none.
    objective : float
        The mean infimum loss of these predictions.
    best : int
        The round that chose the kept targets; 0 is the start.
    n_iter : int
        How many rounds chose targets.
    status : Status
        How the run ended: converged, at earlier targets (a cycle), out of rounds, or by the
        callback.
    trace : tuple of Progress
        One entry for the targets of the start (iteration 0) and of every round: the mean infimum
        loss of the models that are trained on them.
    """

    iterate: Iterate
    predictions: FloatArray
    objective: float
    best: int
    n_iter: int
    status: Status
    trace: tuple[Progress, ...]

    def __repr__(self) -> str:
        return (
            f"Alternation({len(self.predictions)} rows, objective {self.objective:.6g}, "
            f"{self.status.value}, targets of round {self.best} of {self.n_iter})"
        )

    @property
    def targets(self) -> FloatArray:
        """The kept targets, ``(n, p)``: weights of the classes, or numbers."""
        return self.iterate.targets

    @property
    def converged(self) -> bool:
        """Did the last round leave the targets as they were?"""
        return self.status is Status.CONVERGED


def alternate(
    task: Task,
    start: Iterate,
    held_out: HeldOut,
    *,
    max_iter: int,
    soft_rounds: int | None = None,
    keep_last: bool = False,
    callback: Callback | None = None,
) -> Alternation:
    """Run rounds from a start until targets repeat, `max_iter` rounds, or a callback says True.

    Soft targets are followed by hard ones: as soon as their labels repeat, and at the latest after
    `soft_rounds`.

    Parameters
    ----------
    task : Task
    start : Iterate
    held_out : callable
        Predictions of all rows for an iterate.
    max_iter : int
        The largest number of rounds. Models are trained once more: on the targets of the last.
    soft_rounds : int, optional
        The largest number of rounds with soft targets; by default half of all.
    keep_last : bool
        Keep the last targets instead of the best: in sample the estimator decreases a criterion of
        its own, such as one with a penalty, of which the infimum loss is only a part.
    callback : callable, optional
        Called with every entry of the trace.
    """
    last_soft = max_iter / 2 if soft_rounds is None else soft_rounds
    iterate, earlier = start, [start]
    kept: tuple[Iterate, FloatArray] | None = None
    trace: list[Progress] = []
    best, n_iter, lowest, status = 0, 0, (np.inf, np.inf), Status.MAX_ITER
    while True:
        predictions = held_out(iterate)
        score = task.objective(predictions), task.tie_break(predictions)
        if kept is None or keep_last or score < lowest:
            best, lowest, kept = n_iter, score, (iterate, predictions)
        undecided = task.undecided(iterate)
        trace.append(Progress(iterate.stage, n_iter, score[0], undecided, "alternation", max_iter))
        if callback is not None and callback(trace[-1]):
            status = Status.STOPPED
            break
        if n_iter == max_iter:
            break
        n_iter += 1
        following = task.move(predictions, iterate)
        repeated = _place(task, following, earlier)
        if repeated is not None or n_iter >= last_soft:
            hardened = task.harden(following, predictions)
            if hardened is not None:
                following, earlier, repeated = hardened, [], None
        if repeated is not None:
            # The last of the earlier targets are those that this round was trained on.
            status = Status.CONVERGED if repeated == len(earlier) - 1 else Status.CYCLED
            break
        iterate = following
        earlier.append(following)
    return Alternation(*kept, lowest[0], best, n_iter, status, tuple(trace))


def _place(task: Task, iterate: Iterate, earlier: Sequence[Iterate]) -> int | None:
    """The last of the earlier iterates that an iterate repeats; None if it is new."""
    places = range(len(earlier) - 1, -1, -1)
    return next((place for place in places if task.repeats(iterate, earlier[place])), None)
