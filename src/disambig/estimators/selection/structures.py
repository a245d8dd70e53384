"""The selection for outputs of the user's own: weightings, scored by the task's own loss.

Nothing is mixed: outputs of a `StructuredTask` cannot be averaged.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from disambig.estimators.selection.protocol import Score, mean_score
from disambig.estimators.selection.space import (
    Entry,
    EntryWeightings,
    SearchSpace,
    entries_of,
    family_of,
    unit_neighbors,
)
from disambig.losses.structured import StructuredLoss
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.solvers import Solver

# The decoders of a task may be slow: few weightings, in one round.
TASK_SPACE = SearchSpace(
    kernels={"gaussian": (0.7, 1.4)},
    ridges=(1e-2, 1e-4),
    neighbors=(5, 15),
    standardizes=True,
    largest_sample=500,
    folds=(3, 3),
    finalists=12,
)


@dataclass(frozen=True, eq=False)
class ReadCandidates:
    """Candidate sets that a task has read already; a member takes them as they are."""

    candidates: Any

    def __len__(self) -> int:
        return len(self.candidates)

    def __getitem__(self, rows: Any) -> "ReadCandidates":
        return ReadCandidates(self.candidates[rows])

    @property
    def informative(self) -> BoolArray:
        """All rows: a task does not say which sets exclude something."""
        return np.ones(len(self), dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class TaskMembers:
    """Structured outputs as `Members`.

    Parameters
    ----------
    candidates : ReadCandidates
    loss : StructuredLoss
    solver : Solver or None
    estimator : callable
        ``estimator(weights, solver)`` is an unfitted estimator of the task.
    """

    candidates: ReadCandidates
    loss: StructuredLoss
    solver: Solver | None
    estimator: Callable[[Any, Any], Any]

    exclusion = "have candidates"

    @property
    def width(self) -> int:
        return 1

    def take(self, rows: IntArray) -> "TaskMembers":
        return replace(self, candidates=self.candidates[rows])

    def keys(self) -> list[AnyArray]:
        # Sets of a task cannot be compared, so that no row is a copy of another.
        return [np.arange(len(self.candidates))[:, None].view(np.uint8)]

    def table(self) -> FloatArray:
        return self.loss.start(self.candidates.candidates, "average")

    def entries(self, space: SearchSpace, has_scales: bool) -> Sequence[Entry]:
        return entries_of(space, has_scales)

    def family_of(self, entry: Hashable, member: Any) -> str:
        return family_of(member.weights)

    def member(self, entry: Hashable, weightings: EntryWeightings) -> tuple[Any, Any] | None:
        made = weightings.both(cast(Entry, entry))
        if made is None:
            return None
        on_sample, for_all = made
        return self.estimator(on_sample, self.solver), self.estimator(for_all, self.solver)

    def predict(self, fitted: Any, X: Any) -> FloatArray:
        embedded: FloatArray = self.loss.psi(fitted.predict(X))
        return embedded

    def score(self, predictions: FloatArray, sample_weight: FloatArray) -> Score:
        sets = self.candidates.candidates
        nearest = self.loss.best_candidate(predictions, sets, np.zeros(len(predictions)))
        losses = np.einsum("ip,ip->i", predictions, nearest.embedded)
        return mean_score(losses, sample_weight, max(self.loss.magnitude(sets), 1e-300))

    def mixing_objective(self, predictions: FloatArray, sample_weight: FloatArray) -> None:
        return None

    def constant_loss(self, sample_weight: FloatArray) -> float:
        sets = self.candidates.candidates
        mean = np.average(self.table(), axis=0, weights=sample_weight)[None, :]
        constant = self.loss.best_prediction(mean, np.zeros(1)).first()
        return self.score(np.tile(constant.embedded, (len(sets), 1)), sample_weight).loss

    def fallback(self, X: Any, sample_weight: FloatArray) -> tuple[Any, Any, str]:
        described = "the 10 nearest neighbours are used, on features of unit variance"
        return unit_neighbors(X, sample_weight), self.solver, described
