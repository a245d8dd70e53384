"""The selection for bits, orders and numbers: members are refitted without the hidden rows.

A member is an estimator of the kind, or any model that reads the same candidate sets. Its held-out
predictions are those of a clone that was fitted on the other folds. The best members of several
families are then mixed: their shares minimise the held-out loss of the mixture.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, Protocol, Self, TypeVar

import numpy as np
from sklearn import config_context

from disambig.estimators.mixture import Mixture, held_out_predictions, mixing_shares
from disambig.estimators.selection.protocol import (
    HeldOutTrial,
    Score,
    SelectionSample,
    Trial,
    effective_count,
)
from disambig.estimators.selection.search import Selection
from disambig.estimators.selection.space import EntryWeightings, SearchSpace
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray


class Members(Protocol):
    """What a kind of target provides to `MemberSelection`, for the rows of `candidates`."""

    @property
    def candidates(self) -> Any:
        """The candidate sets."""
        ...

    @property
    def width(self) -> int:
        """Numbers per row, see `SelectionKind`."""
        ...

    @property
    def exclusion(self) -> str:
        """What an informative row does, for messages."""
        ...

    def take(self, rows: IntArray) -> Self:
        """The same for some rows."""
        ...

    def keys(self) -> list[AnyArray]:
        """Byte tables ``(n, b)``: rows with equal inputs and equal keys are copies."""
        ...

    def table(self) -> FloatArray:
        """Numbers ``(n, k)`` that summarise the sets."""
        ...

    def entries(self, space: SearchSpace, has_scales: bool) -> Sequence[Hashable]:
        """What is tried."""
        ...

    def family_of(self, entry: Hashable, member: Any) -> str:
        """The family of an entry and its member; "landmarks" for kernels that use landmarks.

        Of every family one member enters the mixture.
        """
        ...

    def member(self, entry: Hashable, weightings: EntryWeightings) -> tuple[Any, Any] | None:
        """The estimator of an entry on a sample, and the one that it becomes on all rows.

        Both are unfitted and read inputs as they are. None: it cannot be tried on this sample.
        """
        ...

    def predict(self, fitted: Any, X: Any) -> FloatArray:
        """What is scored and mixed, first axis q, without warnings."""
        ...

    def score(self, predictions: FloatArray, sample_weight: FloatArray) -> Score:
        """The held-out loss of predictions at the rows of `candidates`."""
        ...

    def mixing_objective(
        self, predictions: FloatArray, sample_weight: FloatArray
    ) -> Callable[[FloatArray], tuple[float, FloatArray]] | None:
        """Held-out loss of a mixture and its gradient in the shares; None: nothing is mixed.

        `predictions` are those of M members at the rows of `candidates`, ``(M, n, ...)``.
        """
        ...

    def constant_loss(self, sample_weight: FloatArray) -> float:
        """Held-out loss of the best constant prediction."""
        ...

    def fallback(self, X: Any, sample_weight: FloatArray) -> tuple[Any, Any, str]:
        """Weights (a weighting or a `Mixture`), solver, and their description."""
        ...


M = TypeVar("M", bound=Members)


@dataclass(frozen=True, eq=False)
class MemberSelection(Generic[M]):
    """Bits, orders or numbers as a `SelectionKind`."""

    members: M

    @property
    def informative(self) -> BoolArray:
        informative: BoolArray = self.members.candidates.informative
        return informative

    @property
    def width(self) -> int:
        return self.members.width

    @property
    def exclusion(self) -> str:
        return self.members.exclusion

    @property
    def together(self) -> IntArray | None:
        return None

    def take(self, rows: IntArray) -> Self:
        return replace(self, members=self.members.take(rows))

    def keys(self) -> list[AnyArray]:
        return self.members.keys()

    def table(self) -> FloatArray:
        return self.members.table()

    def entries(self, space: SearchSpace, has_scales: bool) -> Sequence[Hashable]:
        return self.members.entries(space, has_scales)

    def run_trials(
        self,
        space: SearchSpace,
        sample: SelectionSample,
        scales: FloatArray | None,
        entries: Iterable[Hashable],
    ) -> Iterator[HeldOutTrial]:
        weightings = EntryWeightings(
            sample.X,
            sample.sample_weight,
            scales,
            sample.n_landmarks,
            standardize=space.standardizes,
            most_landmarks=space.landmarks,
        )
        folds = sample.fold_numbers % space.n_folds(len(sample.fold_numbers))
        weights = weightings.sample_weight
        scored = np.flatnonzero(self.informative)
        for entry in entries:
            made = self.members.member(entry, weightings)
            if made is None:
                continue
            on_sample, for_all = made
            with config_context(assume_finite=True):
                predictions = held_out_predictions(
                    on_sample,
                    sample.X,
                    self.members.candidates,
                    weights,
                    folds,
                    self.members.predict,
                )[scored]
            yield self._scored(entry, for_all, predictions, scored, sample.sample_weight)

    def family_of(self, held_out: HeldOutTrial) -> str:
        return self.members.family_of(held_out.entry, held_out.trial.weights)

    def compare(
        self, trials: Iterable[HeldOutTrial], X: Any, sample_weight: FloatArray, hidden: BoolArray
    ) -> list[HeldOutTrial]:
        folds = np.where(hidden, 0, -1)
        weights = None if (sample_weight == 1).all() else sample_weight
        scored = np.flatnonzero(hidden)
        found = []
        for entry, trial, _ in trials:
            with config_context(assume_finite=True):
                predictions = held_out_predictions(
                    trial.weights,
                    X,
                    self.members.candidates,
                    weights,
                    folds,
                    self.members.predict,
                )[scored]
            found.append(self._scored(entry, trial.weights, predictions, scored, sample_weight))
        return found

    def are_better(self, trials: Sequence[Trial], sample_weight: FloatArray) -> list[bool]:
        constant = self.members.constant_loss(sample_weight)
        return [trial.held_out_loss < constant for trial in trials]

    def outside(
        self, X: Any, sample_weight: FloatArray, groups: IntArray, best: Trial
    ) -> Trial | None:
        return None

    def fallback(self, X: Any, sample_weight: FloatArray, groups: IntArray) -> tuple[Any, Any, str]:
        return self.members.fallback(X, sample_weight)

    def _scored(
        self,
        entry: Hashable,
        for_all: Any,
        predictions: FloatArray,
        rows: IntArray,
        sample_weight: FloatArray,
    ) -> HeldOutTrial:
        score = self.members.take(rows).score(predictions, sample_weight[rows])
        return HeldOutTrial(entry, Trial(for_all, None, score.loss, score.value), predictions)


def mixture_of(
    selection: Selection, *, most: int, pull: float, unit: Literal["even", "best"] = "even"
) -> Mixture:
    """The mixture of the best members of the families, with shares fitted on held-out rows.

    Parameters
    ----------
    selection : Selection
        Of a `MemberSelection`, and not a fallback.
    most : int
        Members at most.
    pull : float
        Draws shares to equal ones: ``pull`` rows that say nothing else. Its weight in the held-out
        loss is ``pull / n`` times the loss of equal shares, for n scored rows.
    unit : {"even", "best"}
        "best" multiplies by the loss of the best member instead, where that is less: a member that
        is far worse than the others then raises the loss of equal shares, but not the pull.
    """
    assert selection.scored is not None
    kind, sample_weight = selection.scored
    assert isinstance(kind, MemberSelection)
    trials = selection.trials[: selection.compared] if selection.compared else selection.trials
    best: dict[str, HeldOutTrial] = {}
    for one in trials[: selection.n_better]:
        best.setdefault(kind.family_of(one), one)
    chosen = list(best.values())[:most]
    rows = np.flatnonzero(kind.informative)
    predictions = np.stack([one.predictions for one in chosen if one.predictions is not None])
    members = kind.members.take(rows)
    objective = members.mixing_objective(predictions, sample_weight[rows])
    if objective is None or len(chosen) == 1:
        return Mixture([chosen[0].trial.weights], [1.0])
    even = np.full(len(chosen), 1.0 / len(chosen))
    scale = objective(even)[0]
    if unit == "best":
        scale = min(scale, *(objective(one)[0] for one in np.eye(len(chosen))))
    weight = pull / effective_count(sample_weight[rows]) * scale
    shares = mixing_shares(objective, len(chosen), weight)
    kept = np.flatnonzero(shares > 0)
    return Mixture([chosen[k].trial.weights for k in kept], shares[kept].tolist())
