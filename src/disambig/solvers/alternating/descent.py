"""Alternating minimisation as a `Process`: predictions for targets, then targets for predictions.

Each half step is exact, so the objective never rises from the first target step on. Where vertices
tie, a row stays at the barycentre of all tied vertices. `RowDescent` goes through the same states
where the loss offers row steps.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from disambig.losses.protocol import Faces
from disambig.notation import FloatArray, IntArray
from disambig.problem import Problem, inner


@dataclass(frozen=True, eq=False)
class DescentState:
    """Predictions, and the best targets for these predictions.

    Parameters
    ----------
    targets, predictions : Faces
    objective : float
    fixed_point_scores : float array (n, p), optional
        ``A @ targets.embedded`` if a step leaves this state as it is; None if a step may change it.
    """

    targets: Faces
    predictions: Faces
    objective: float
    fixed_point_scores: FloatArray | None = None

    @property
    def undecided(self) -> int:
        """The number of rows whose target is not a single vertex."""
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
        decoding). By default a row is at the barycentre of its tied vertices.
    """

    problem: Problem
    pinned_rows: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    pinned_targets: Faces | None = None
    at_vertices: bool = False

    def begin(self, predictions: Faces) -> DescentState:
        """The first target step, from predictions alone."""
        targets, objective = self.problem.best_targets(predictions.embedded)
        return DescentState(targets, predictions, objective)

    def step(self, state: DescentState) -> DescentState:
        """One prediction step, then one target step."""
        if state.fixed_point_scores is not None:
            return state
        predictions, scores = self._predictions(state.targets, state)
        if not predictions.differing(state.predictions).any():
            return replace(state, fixed_point_scores=scores)
        return self._targets(state, predictions)

    def resume(self, targets: Faces, state: DescentState) -> DescentState:
        """A full step from changed targets; its objective is no higher than that of `state`.

        `targets` are those of `state`, which are optimal for its predictions, with some rows pinned
        or moved to vertices of their faces.
        """
        predictions, scores = self._predictions(targets, state)
        if not (self.at_vertices or predictions.differing(state.predictions).any()):
            # The predictions are those of the state, so the best targets are known: those of the
            # state, with the pinned rows.
            return DescentState(targets, predictions, inner(predictions.embedded, scores), scores)
        return self._targets(DescentState(targets, predictions, state.objective), predictions)

    def has_converged(self, before: DescentState, after: DescentState) -> bool:
        """Did the step leave predictions and targets as they were?"""
        return after.fixed_point_scores is not None

    def _predictions(self, targets: Faces, state: DescentState) -> tuple[Faces, FloatArray]:
        """The best predictions for targets, joined to tied ones of the state; and the scores."""
        problem, older = self.problem, state.predictions
        scores = problem.scores_of_predictions(targets.embedded)
        tolerance = problem.rtol * problem.prediction_scale
        if state.fixed_point_scores is not None:
            # Rows whose scores did not change keep their prediction.
            rows = np.flatnonzero((scores != state.fixed_point_scores).any(axis=1))
            if rows.size < len(scores):
                changed = scores[rows], tolerance[rows]
                newer = problem.loss.best_prediction(*changed)
                joined = _join_tied(older.take(rows), newer, *changed)
                return older.replace(rows, joined), scores
        return _join_tied(older, problem.choose_predictions(scores), scores, tolerance), scores

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
            faces = _join_tied(state.targets, faces, scores, tolerance)
        return DescentState(faces, predictions, inner(faces.embedded, scores))


def _join_tied(older: Faces, newer: Faces, scores: FloatArray, tolerance: FloatArray) -> Faces:
    """The newer faces, joined to the older ones in rows that gain nothing from the change.

    The gain is judged row by row: for a row with small votes, a gain that is rounding beside the
    whole objective can be large.
    """
    before = np.einsum("ip,ip->i", older.embedded, scores)
    after = np.einsum("ip,ip->i", newer.embedded, scores)
    rows = np.flatnonzero(before - after > tolerance)
    joined = older.union(newer).replace(rows, newer.take(rows))
    # In exact arithmetic the newer faces contain the older ones. If so, return the newer ones,
    # whose embedding is already computed.
    return joined if joined.differing(newer).any() else newer
