"""Alternating minimisation as a `Process`: predictions for targets, then targets for predictions.

Each half step is exact, so the objective never rises from the first target step on. A problem of
any kind provides the half steps: labels, bits, orders and structures (`disambig.problem`), numbers
(`disambig.number_problem`), and the members of all sets at a query (`disambig.solvers.baselines`).
`RowDescent` goes through the same states where the loss offers row steps.
"""

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from disambig.notation import IntArray
from disambig.problem import HalfStep, Scores, inner


class HalfSteps(Protocol):
    """What alternation needs of a problem; targets and predictions are of any one kind."""

    def improve_predictions(
        self, targets: Any, older: Any, older_scores: Scores | None = None
    ) -> tuple[Any, Scores | None]:
        """The best predictions for given targets, `older` where they gain nothing; their scores.

        `older_scores` are the scores that `older` minimises, if they are known. Only `Problem` has
        scores.
        """
        ...

    def improve_targets(self, predictions: Any, older: Any = None) -> HalfStep[Any]:
        """The best targets for given predictions; `older`, if given, where they gain nothing.

        If a step returned scores, the next one is passed them as ``older_scores``. Decoding also
        passes ``pinned`` and ``at_vertices``, see `disambig.problem.Problem`.
        """
        ...


@dataclass(frozen=True, eq=False)
class DescentState:
    """Predictions, and the best targets for these predictions.

    Parameters
    ----------
    targets, predictions : Faces, or numbers
    objective : float
        At both.
    is_fixed_point : bool
        Are the predictions optimal for the targets, so that a step leaves both as they are?
    scores : Scores, optional
        What the predictions minimise: at a fixed point, and where a product can start from it.
    target_scores : Scores, optional
        What the targets minimise, where a product can start from it.
    """

    targets: Any
    predictions: Any
    objective: float
    is_fixed_point: bool = False
    scores: Scores | None = None
    target_scores: Scores | None = None

    @property
    def undecided(self) -> int:
        """The number of rows whose target is not a single vertex."""
        return int(len(self.targets) - np.count_nonzero(self.targets.is_vertex))


@dataclass(frozen=True, eq=False)
class Descent:
    """Both half steps in turn; the objective never rises from the first target step on.

    Parameters
    ----------
    problem : HalfSteps
    pinned : (int array, Faces), optional
        Rows whose targets stay as they are, and these targets (for decoding).
    at_vertices : bool, default False
        Targets stay single vertices, and a row moves only to a strictly better one (for the end of
        decoding). By default a row is at the barycentre of its tied vertices.
    tol : float, optional
        A run has converged if no target moved by more, measured by ``targets.distance`` (for
        numbers, which move a little in every step). By default: if a step changes nothing.
    """

    problem: HalfSteps
    pinned: tuple[IntArray, Any] | None = None
    at_vertices: bool = False
    tol: float | None = None

    def begin(self, predictions: Any) -> DescentState:
        """The first target step, from predictions alone."""
        found = self.problem.improve_targets(predictions)
        return DescentState(found.faces, predictions, found.objective, target_scores=found.scores)

    def step(self, state: DescentState) -> DescentState:
        """One prediction step, then one target step."""
        if state.is_fixed_point:
            return state
        predictions, scores = self.problem.improve_predictions(
            state.targets, state.predictions, state.scores
        )
        if not predictions.differing(state.predictions).any():
            return replace(state, is_fixed_point=True, scores=scores)
        return self._targets(state.targets, predictions, scores, state.target_scores)

    def resume(self, targets: Any, state: DescentState) -> DescentState:
        """A full step from changed targets; its objective is no higher than that of `state`.

        `targets` are those of `state`, which are optimal for its predictions, with some rows pinned
        or moved to vertices of their faces.
        """
        predictions, scores = self.problem.improve_predictions(
            targets, state.predictions, state.scores
        )
        same = not (self.at_vertices or predictions.differing(state.predictions).any())
        if same and scores is not None:
            # The predictions are those of the state, so the best targets are known: those of the
            # state, with the pinned rows.
            objective = inner(predictions.embedded, scores.values)
            return DescentState(targets, predictions, objective, True, scores, state.target_scores)
        return self._targets(targets, predictions, scores, state.target_scores)

    def has_converged(self, before: DescentState, after: DescentState) -> bool:
        """Did the step leave predictions and targets as they were?"""
        if self.tol is None:
            return after.is_fixed_point
        return bool(after.targets.distance(before.targets) <= self.tol)

    def _targets(
        self,
        older: Any,
        predictions: Any,
        scores: Scores | None = None,
        target_scores: Scores | None = None,
    ) -> DescentState:
        options: dict[str, Any] = {}
        if target_scores is not None:
            options["older_scores"] = target_scores
        if self.pinned is not None or self.at_vertices:
            options |= {"pinned": self.pinned, "at_vertices": self.at_vertices}
        found = self.problem.improve_targets(predictions, older, **options)
        kept = scores if scores is not None and scores.budget else None
        return DescentState(found.faces, predictions, found.objective, False, kept, found.scores)
