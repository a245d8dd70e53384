"""Alternating minimisation as a process: predictions for targets, targets for predictions."""

from dataclasses import dataclass, field, replace

import numpy as np

from disambig.losses.protocol import Faces
from disambig.notation import FloatArray, IntArray
from disambig.problem import Problem, inner


@dataclass(frozen=True, eq=False)
class DescentState:
    """Predictions, and the targets that answer them.

    Parameters
    ----------
    targets, predictions : Faces
    objective : float
    heard : float array (n, p), optional
        ``A @ targets.embedded`` of a state that a step would leave as it is; None if a step may
        change it.
    """

    targets: Faces
    predictions: Faces
    objective: float
    heard: FloatArray | None = None

    @property
    def undecided(self) -> int:
        """Rows whose target is not a single vertex."""
        return int(len(self.targets) - np.count_nonzero(self.targets.is_vertex))


@dataclass(frozen=True, eq=False)
class Descent:
    """Both half steps in turn; the objective never rises from the first target step on.

    Parameters
    ----------
    problem : Problem
    pinned_rows, pinned_targets : int array and Faces, optional
        Rows whose targets stay as they are (for decoding).
    at_vertices : bool, default False
        Targets stay single vertices, and a row moves only to a strictly better one (for the end of
        decoding). By default a row rests on the barycentre of its tied vertices.
    """

    problem: Problem
    pinned_rows: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    pinned_targets: Faces | None = None
    at_vertices: bool = False

    def begin(self, predictions: Faces) -> DescentState:
        """The first target step: nothing to compare with yet."""
        targets, objective = self.problem.best_targets(predictions.embedded)
        return DescentState(targets, predictions, objective)

    def step(self, state: DescentState) -> DescentState:
        """One prediction step, then one target step."""
        if state.heard is not None:
            return state
        predictions, scores = self._predictions(state.targets, state)
        if not predictions.differing(state.predictions).any():
            return replace(state, heard=scores)
        return self._targets(state, predictions)

    def resume(self, targets: Faces, state: DescentState) -> DescentState:
        """A full step from other targets, of an objective no higher than that of `state`.

        The other targets are those of `state`, which answer its predictions, with rows pinned or
        at vertices.
        """
        predictions, scores = self._predictions(targets, state)
        if not (self.at_vertices or predictions.differing(state.predictions).any()):
            # What answers these predictions is known: the targets of the state, and the pins.
            return DescentState(targets, predictions, inner(predictions.embedded, scores), scores)
        return self._targets(DescentState(targets, predictions, state.objective), predictions)

    def has_converged(self, before: DescentState, after: DescentState) -> bool:
        """Did the step find nothing to change?"""
        return after.heard is not None

    def _predictions(self, targets: Faces, state: DescentState) -> tuple[Faces, FloatArray]:
        """Those that targets call for, grown from those of the state; and the scores."""
        problem, older = self.problem, state.predictions
        scores = problem.scores_of_predictions(targets.embedded)
        tolerance = problem.rtol * problem.prediction_scale
        if state.heard is not None:
            # Who hears what he heard predicts what he predicted.
            rows = np.flatnonzero((scores != state.heard).any(axis=1))
            if rows.size < len(scores):
                heard = scores[rows], tolerance[rows]
                newer = problem.loss.best_prediction(*heard)
                return older.replace(rows, _grown(older.take(rows), newer, *heard)), scores
        return _grown(older, problem.choose_predictions(scores), scores, tolerance), scores

    def _targets(self, state: DescentState, predictions: Faces) -> DescentState:
        problem = self.problem
        scores = problem.scores_of_targets(predictions.embedded)
        tolerance = problem.rtol * problem.target_scale
        faces = problem.choose_targets(scores)
        if self.pinned_targets is not None:
            faces = faces.replace(self.pinned_rows, self.pinned_targets)
        if self.at_vertices:
            faces = faces.keep_unless_better(state.targets, scores, tolerance)
        else:
            faces = _grown(state.targets, faces, scores, tolerance)
        return DescentState(faces, predictions, inner(faces.embedded, scores))


def _grown(older: Faces, newer: Faces, scores: FloatArray, tolerance: FloatArray) -> Faces:
    """The newer faces, joined to the older ones in rows that gain nothing from the change.

    Row by row: a gain that is rounding beside the whole objective can be all that a faint row has.
    """
    before = np.einsum("ip,ip->i", older.embedded, scores)
    after = np.einsum("ip,ip->i", newer.embedded, scores)
    rows = np.flatnonzero(before - after > tolerance)
    grown = older.union(newer).replace(rows, newer.take(rows))
    # In exact arithmetic the newer faces hold the older ones; theirs is the embedding at hand.
    return grown if grown.differing(newer).any() else newer
