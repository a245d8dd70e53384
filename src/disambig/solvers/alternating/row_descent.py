"""Alternating minimisation that looks only at rows which have heard news."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from disambig.losses.protocol import Faces, RowSteps, Sweep
from disambig.notation import BoolArray, IntArray
from disambig.problem import Problem


@dataclass(frozen=True, eq=False)
class RowState:
    """Predictions, and the targets that answer them.

    Parameters
    ----------
    sweep : Sweep
        The targets, what each row pays, and which of them moved after the predictions were made.
    predictions : Faces
    objective : float
    settled : bool
        Have the predictions heard the targets, so that a step would leave both as they are?
    """

    sweep: Sweep[Any]
    predictions: Any
    objective: float
    settled: bool = False

    @property
    def targets(self) -> Any:
        """The targets."""
        return self.sweep.faces

    @property
    def undecided(self) -> int:
        """Rows whose target is not a single vertex."""
        return int(len(self.targets) - np.count_nonzero(self.targets.is_vertex))


@dataclass(frozen=True, eq=False)
class RowDescent:
    """`Descent` through the `RowSteps` of a problem: the same states, found faster.

    Who hears what he heard answers as he answered. So a prediction is looked at again if a target
    that it hears has moved, and a target if a prediction that listens to it has.

    Parameters
    ----------
    problem : Problem
        One that has row steps.
    pinned_rows : int array, optional
        Rows whose targets stay as they are (for decoding).
    at_vertices : bool, default False
        Targets stay single vertices, and a row moves only to a strictly better one (for the end of
        decoding).
    """

    problem: Problem
    pinned_rows: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    at_vertices: bool = False

    def begin(self, predictions: Faces) -> RowState:
        """The first target step: nothing to compare with yet."""
        steps = self._steps
        coded = steps.coded(predictions)
        sweep = steps.best_targets(coded, self.problem.target_tolerance)
        return self._state(sweep._replace(moved=np.ones(len(coded), dtype=np.bool_)), coded)

    def step(self, state: RowState) -> RowState:
        """One prediction step, then one target step."""
        if state.settled:
            return state
        heard = self._predictions(state.targets, state, state.sweep.moved)
        if not heard.moved.any():
            return _settled(state)
        return self._targets(
            state.sweep, heard, self._steps.rows_affected_by_predictions(heard.moved)
        )

    def resume(self, targets: Any, state: RowState) -> RowState:
        """A full step from other targets, of an objective no higher than that of `state`.

        The other targets are those of `state`, which answer its predictions, with rows pinned or
        at vertices.
        """
        changed = state.targets.differing(targets)
        unheard = changed | state.sweep.moved
        heard = self._predictions(targets, state, unheard)
        older = state.sweep._replace(faces=targets)
        if self.at_vertices:
            return self._targets(older, heard, np.ones_like(changed))
        if heard.moved.any():
            return self._targets(
                older, heard, self._steps.rows_affected_by_predictions(heard.moved) | changed
            )
        # What answers these predictions is known: the targets of the state, and the pins.
        sweep = self._steps.move_targets(
            state.predictions, older, self.problem.target_tolerance, changed, kept=changed
        )
        return _settled(self._state(sweep, state.predictions))

    def has_converged(self, before: RowState, after: RowState) -> bool:
        """Did the step find nothing to change?"""
        return after.settled

    @property
    def _steps(self) -> RowSteps:
        steps = self.problem.row_steps
        assert steps is not None
        return steps

    def _predictions(self, targets: Any, state: RowState, moved: BoolArray) -> Sweep[Any]:
        return self._steps.move_predictions(
            targets,
            state.predictions,
            self.problem.prediction_tolerance,
            self._steps.rows_affected_by_targets(moved),
        )

    def _targets(self, older: Sweep[Any], heard: Sweep[Any], visited: BoolArray) -> RowState:
        kept = None
        if self.pinned_rows.size:
            kept = np.zeros(len(visited), dtype=np.bool_)
            kept[self.pinned_rows] = True
        sweep = self._steps.move_targets(
            heard.faces,
            older,
            self.problem.target_tolerance,
            visited,
            kept=kept,
            at_vertices=self.at_vertices,
        )
        return self._state(sweep, heard.faces)

    def _state(self, sweep: Sweep[Any], predictions: Any) -> RowState:
        return RowState(sweep, predictions, float(sweep.paid.sum()))


def _settled(state: RowState) -> RowState:
    nobody = np.zeros_like(state.sweep.moved)
    return replace(state, sweep=state.sweep._replace(moved=nobody), settled=True)
