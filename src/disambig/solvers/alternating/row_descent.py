"""Alternating minimisation that visits only the rows whose scores may have changed.

`RowDescent` goes through the same states as `Descent`, by the `RowSteps` of the loss. It is faster
where votes are sparse and most faces are single vertices.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from disambig.losses.protocol import Faces, RowSteps, Sweep
from disambig.notation import AnyArray, BoolArray, IntArray
from disambig.problem import Problem


@dataclass(frozen=True, eq=False)
class RowState:
    """Predictions, and the best targets for these predictions.

    Parameters
    ----------
    sweep : Sweep
        The targets, the cost of each row, and which targets moved after the predictions were made.
    predictions : Faces
    objective : float
    is_fixed_point : bool
        Are the predictions optimal for the targets, so that a step leaves both as they are?
    """

    sweep: Sweep[Any]
    predictions: Any
    objective: float
    is_fixed_point: bool = False

    @property
    def targets(self) -> Any:
        """The targets."""
        return self.sweep.faces

    @property
    def undecided(self) -> int:
        """The number of rows whose target is not a single vertex."""
        return int(len(self.targets) - np.count_nonzero(self.targets.is_vertex))


@dataclass(frozen=True, eq=False)
class RowDescent:
    """`Descent` through the `RowSteps` of a problem: the same states, found faster.

    A row whose scores did not change keeps its face. A prediction is therefore visited again only
    if a target with a vote for it moved, and a target only if a prediction that it votes for moved.

    Parameters
    ----------
    problem : Problem
        A problem with row steps.
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
        """The first target step, from predictions alone."""
        steps = self._steps
        coded = steps.coded(predictions)
        sweep = steps.best_targets(coded, self.problem.target_tolerance)
        return self._state(sweep._replace(moved=np.ones(len(coded), dtype=np.bool_)), coded)

    def step(self, state: RowState) -> RowState:
        """One prediction step, then one target step."""
        if state.is_fixed_point:
            return state
        predictions = self._predictions(state.targets, state, state.sweep.moved)
        if not predictions.moved.any():
            return _fixed_point(state)
        return self._targets(
            state.sweep, predictions, self._steps.rows_affected_by_predictions(predictions.moved)
        )

    def resume(self, targets: Any, state: RowState) -> RowState:
        """A full step from changed targets; its objective is no higher than that of `state`.

        `targets` are those of `state`, which are optimal for its predictions, with some rows pinned
        or moved to vertices of their faces.
        """
        changed = state.targets.differing(targets)
        moved = changed | state.sweep.moved
        predictions = self._predictions(targets, state, moved)
        older = state.sweep._replace(faces=targets)
        if self.at_vertices:
            return self._targets(older, predictions, np.ones_like(changed))
        if predictions.moved.any():
            return self._targets(
                older,
                predictions,
                self._steps.rows_affected_by_predictions(predictions.moved) | changed,
            )
        # The predictions are those of the state, so the best targets are known: those of the state,
        # with the pinned rows.
        sweep = self._steps.move_targets(
            state.predictions, older, self.problem.target_tolerance, changed, kept=changed
        )
        return _fixed_point(self._state(sweep, state.predictions))

    def has_converged(self, before: RowState, after: RowState) -> bool:
        """Did the step leave predictions and targets as they were?"""
        return after.is_fixed_point

    def packed(self, state: RowState) -> dict[str, AnyArray]:
        """A state as arrays, for a checkpoint."""
        steps = self._steps
        return {
            **{f"targets_{k}": v for k, v in steps.packed(state.targets).items()},
            **{f"predictions_{k}": v for k, v in steps.packed(state.predictions).items()},
            "costs": state.sweep.costs,
            "moved": state.sweep.moved,
            "objective": np.array(state.objective),
            "is_fixed_point": np.array(state.is_fixed_point),
        }

    def unpacked(self, arrays: dict[str, AnyArray]) -> RowState:
        """The state of these arrays."""
        targets, predictions = (
            {k.removeprefix(side): v for k, v in arrays.items() if k.startswith(side)}
            for side in ("targets_", "predictions_")
        )
        found = self._steps.unpacked(targets, predictions)
        return RowState(
            Sweep(found[0], arrays["costs"], arrays["moved"]),
            found[1],
            float(arrays["objective"]),
            bool(arrays["is_fixed_point"]),
        )

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

    def _targets(self, older: Sweep[Any], predictions: Sweep[Any], visited: BoolArray) -> RowState:
        kept = None
        if self.pinned_rows.size:
            kept = np.zeros(len(visited), dtype=np.bool_)
            kept[self.pinned_rows] = True
        sweep = self._steps.move_targets(
            predictions.faces,
            older,
            self.problem.target_tolerance,
            visited,
            kept=kept,
            at_vertices=self.at_vertices,
        )
        return self._state(sweep, predictions.faces)

    def _state(self, sweep: Sweep[Any], predictions: Any) -> RowState:
        return RowState(sweep, predictions, float(sweep.costs.sum()))


def _fixed_point(state: RowState) -> RowState:
    """The same state, marked as one that a step leaves as it is."""
    none_moved = np.zeros_like(state.sweep.moved)
    return replace(state, sweep=state.sweep._replace(moved=none_moved), is_fixed_point=True)
