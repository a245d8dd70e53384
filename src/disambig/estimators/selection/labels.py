"""The selection for labels: weightings with annealing, scored by the votes of the other rows.

One annealing scores all its temperatures, and all ridges of a bandwidth share its kernel matrix.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np
from sklearn.base import clone

from disambig.candidates import LabelSets
from disambig.estimators.selection.hidden_sets import HiddenSets, used_classes
from disambig.estimators.selection.protocol import HeldOutTrial, Score, SelectionSample, Trial
from disambig.estimators.selection.space import (
    Entry,
    EntryWeightings,
    FittedEntry,
    SearchSpace,
    entries_of,
    family_of,
    fitted_entries,
    unit_neighbors,
)
from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.solvers import AlternatingMinimization, AnnealedMinimization, Solver
from disambig.votes import Votes
from disambig.weights import Weights


@dataclass(frozen=True, eq=False)
class LabelSelection:
    """Labels as a `SelectionKind`.

    Parameters
    ----------
    sets : LabelSets
    loss : FiniteLoss
    method : {"disambiguation", "infimum", "average"}
    solver : Solver or None
        None: annealing, whose start and last temperature are selected, too.
    """

    sets: LabelSets
    loss: FiniteLoss
    method: str
    solver: Solver | None

    exclusion = "exclude a class"

    @classmethod
    def of(
        cls, sets: LabelSets, loss: FiniteLoss, method: str, solver: Solver | None
    ) -> "LabelSelection":
        """On the classes that are a candidate of some row; see `used_classes`."""
        return cls(*used_classes(sets, loss), method, solver)

    @property
    def informative(self) -> BoolArray:
        return self.sets.informative

    @property
    def width(self) -> int:
        return self.sets.n_classes

    def take(self, rows: IntArray) -> "LabelSelection":
        return replace(self, sets=self.sets[rows])

    def keys(self) -> list[AnyArray]:
        masks: AnyArray = np.packbits(self.sets.mask, axis=1)
        if self.sets.weights is None:
            return [masks]
        return [masks, np.ascontiguousarray(self.sets.weights).view(np.uint8)]

    def table(self) -> FloatArray:
        return self.sets.distribution()

    def entries(self, space: SearchSpace, has_scales: bool) -> list[Entry]:
        return entries_of(space, has_scales)

    def run_trials(
        self,
        space: SearchSpace,
        sample: SelectionSample,
        scales: FloatArray | None,
        entries: Iterable[Hashable],
    ) -> Iterator[HeldOutTrial]:
        folds = sample.fold_numbers % space.n_folds(len(self.sets))
        hidden = HiddenSets(self.sets, self.loss, folds, sample.sample_weight)
        weightings = EntryWeightings(
            sample.X,
            sample.sample_weight,
            scales,
            sample.n_landmarks,
            standardize=space.standardizes,
        )
        for fitted in fitted_entries(cast("Iterable[Entry]", entries), weightings):
            votes = weighted_votes(fitted.fitted, sample.sample_weight)
            for solver, score in self._scores(space, hidden, votes, fitted):
                yield HeldOutTrial(fitted.entry, trial_of(fitted.for_all, solver, score))

    def family_of(self, held_out: HeldOutTrial) -> str:
        return family_of(held_out.trial.weights)

    def compare(
        self, trials: Sequence[HeldOutTrial], X: Any, sample_weight: FloatArray, hidden: BoolArray
    ) -> list[HeldOutTrial]:
        scored = HiddenSets(self.sets, self.loss, np.where(hidden, 0, -1), sample_weight)
        weights = None if (sample_weight == 1).all() else sample_weight
        found = []
        for entry, trial, _ in trials:
            fitted: Weights = clone(trial.weights).fit(X, weights)
            score = self._score(scored, weighted_votes(fitted, sample_weight), trial.solver)
            found.append(HeldOutTrial(entry, trial_of(trial.weights, trial.solver, score)))
        return found

    def constant_loss(self, sample_weight: FloatArray) -> float:
        informative = self.sets.informative
        losses = np.ascontiguousarray(self.loss.set_losses(self.sets.mask[informative]).T)
        return float(np.average(losses, axis=1, weights=sample_weight[informative]).min())

    def fallback(self, X: Any, sample_weight: FloatArray) -> tuple[Weights, Solver, str]:
        described = "the 10 nearest neighbours are used, on features of unit variance"
        return (
            unit_neighbors(X, sample_weight),
            self.solver or AlternatingMinimization(),
            described,
        )

    def _scores(
        self, space: SearchSpace, hidden: HiddenSets, votes: Votes, fitted: FittedEntry
    ) -> Iterator[tuple[Solver | None, Score]]:
        if self.method != "disambiguation" or self.solver is not None:
            solver = self.solver if self.method == "disambiguation" else None
            yield solver, self._score(hidden, votes, solver)
            return
        warm, cool = space.temperatures, space.cool_temperatures
        for formulation in space.formulations:
            run = AnnealedMinimization(formulation, temperatures=warm)
            yield from _path_scores(run, hidden, votes, space.sweeps)
            if self.loss.is_zero_one and fitted.has_signs and cool:
                run = AnnealedMinimization(formulation, start="infimum", temperatures=cool)
                yield from _path_scores(run, hidden, votes, space.sweeps)

    def _score(self, hidden: HiddenSets, votes: Votes, solver: Solver | None) -> Score:
        if self.method == "average":
            return hidden.average_score(votes)
        if self.method == "infimum":
            return hidden.infimum_score(votes)
        assert solver is not None
        return hidden.solver_score(votes, solver)


def trial_of(weights: Weights, solver: Solver | None, score: Score) -> Trial:
    """A trial; one standard error is added to the score of runs from the infimum start.

    That start nearly minimises the held-out loss itself, so that its scores are too optimistic.
    """
    is_infimum = isinstance(solver, AnnealedMinimization) and solver.start == "infimum"
    return Trial(weights, solver, score.loss, score.value + (score.error if is_infimum else 0.0))


def weighted_votes(fitted: Weights, sample_weight: FloatArray) -> Votes:
    """Votes between the training rows, row i scaled by the weight of sample i."""
    votes = fitted.training_votes()
    return votes.scale_rows(sample_weight) if (sample_weight != 1).any() else votes


def _path_scores(
    run: AnnealedMinimization, hidden: HiddenSets, votes: Votes, sweeps: int
) -> Iterator[tuple[AnnealedMinimization, Score]]:
    """For every temperature of a run, the solver whose last temperature it is, and its score."""
    temperatures = run.temperatures
    solver = partial(AnnealedMinimization, run.formulation, start=run.start)
    path = hidden.path_scores(votes, solver(temperatures=temperatures, sweeps=sweeps))
    for temperature, score in path:
        yield solver(temperatures=tuple(t for t in temperatures if t >= temperature)), score
