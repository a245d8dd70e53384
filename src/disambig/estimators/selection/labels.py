"""The selection for labels: weightings with annealing, scored by the votes of the other rows.

One annealing scores all its temperatures, and all ridges of a bandwidth share its kernel matrix.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from sklearn.base import clone

from disambig.candidates import LabelSets
from disambig.estimators.balance.class_shares import ClassShares
from disambig.estimators.selection.few_labels import (
    MAX_GRAPH_ROWS,
    MAX_GRAPH_SHARE,
    GraphVotes,
    few_rows,
    graph_votes,
)
from disambig.estimators.selection.hidden_sets import HiddenSets, used_classes
from disambig.estimators.selection.protocol import (
    MIN_INFORMATIVE_ROWS,
    HeldOutTrial,
    Score,
    SelectionSample,
    Trial,
)
from disambig.estimators.selection.scales import unit_scales
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
from disambig.weights import ScaledWeights, Weights


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
    couples_rows : bool
        Whether the problem has constraints over several rows.
    shares : ClassShares or None
        Class shares that all solvers keep.
    """

    sets: LabelSets
    loss: FiniteLoss
    method: str
    solver: Solver | None
    couples_rows: bool = False
    shares: ClassShares | None = None

    exclusion = "exclude a class"

    @classmethod
    def of(
        cls,
        sets: LabelSets,
        loss: FiniteLoss,
        method: str,
        solver: Solver | None,
        couples_rows: bool = False,
        shares: ClassShares | None = None,
    ) -> "LabelSelection":
        """On the classes that are a candidate of some row; see `used_classes`."""
        kept, kept_loss = used_classes(sets, loss)
        if shares is not None and kept.n_classes < sets.n_classes:
            shares = shares.on(np.asarray(sets.mask.any(axis=0)))
        if shares is not None and solver is not None:
            solver = shares.kept_by(solver)
        return cls(kept, kept_loss, method, solver, couples_rows, shares)

    @property
    def informative(self) -> BoolArray:
        return self.sets.informative

    @property
    def together(self) -> IntArray | None:
        return None

    @property
    def width(self) -> int:
        return self.sets.n_classes

    def take(self, rows: IntArray) -> "LabelSelection":
        return replace(self, sets=self.sets[rows])

    def keys(self) -> list[AnyArray]:
        masks: AnyArray = self.sets.mask.view(np.uint8)
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
        folds = self._folds(sample.fold_numbers, space)
        hidden = self._hidden_sets(folds, sample.sample_weight)
        weightings = EntryWeightings(
            sample.X,
            sample.sample_weight,
            scales,
            sample.n_landmarks,
            standardize=space.standardizes,
            most_landmarks=space.landmarks,
        )
        for fitted in fitted_entries(cast("Iterable[Entry]", entries), weightings):
            votes = weighted_votes(fitted.fitted, sample.sample_weight)
            for solver, score in self._scores(space, hidden, votes, fitted):
                yield HeldOutTrial(fitted.entry, trial_of(fitted.for_all, solver, score))

    def _folds(self, numbers: IntArray, space: SearchSpace) -> IntArray:
        """The fold in which each row of a sample is hidden."""
        return numbers % space.n_folds(len(self.sets))

    def _hidden_sets(self, folds: IntArray, sample_weight: FloatArray) -> HiddenSets:
        return HiddenSets(self.sets, self.loss, folds, sample_weight)

    def family_of(self, held_out: HeldOutTrial) -> str:
        return family_of(held_out.trial.weights)

    def compare(
        self, trials: Iterable[HeldOutTrial], X: Any, sample_weight: FloatArray, hidden: BoolArray
    ) -> list[HeldOutTrial]:
        scored = self._hidden_sets(np.where(hidden, 0, -1), sample_weight)
        weights = None if (sample_weight == 1).all() else sample_weight
        found = []
        for entry, trial, _ in trials:
            fitted: Weights = clone(trial.weights).fit(X, weights)
            score = self._score(scored, weighted_votes(fitted, sample_weight), trial.solver)
            found.append(HeldOutTrial(entry, trial_of(trial.weights, trial.solver, score)))
        return found

    def are_better(self, trials: Sequence[Trial], sample_weight: FloatArray) -> list[bool]:
        folds = np.zeros(len(self.sets), dtype=np.intp)
        constant = self._hidden_sets(folds, sample_weight).constant_score()
        return [trial.score < constant.value for trial in trials]

    def fallback(
        self, X: Any, sample_weight: FloatArray, groups: IntArray
    ) -> tuple[Weights, Solver, str]:
        weights, solver, described = self._fallback(X, sample_weight, groups)
        return weights, self.solver or self._keeping(solver, weights), described

    def _fallback(
        self, X: Any, sample_weight: FloatArray, groups: IntArray
    ) -> tuple[Weights, Solver, str]:
        """Weights and solver by rules, and their description."""
        is_few, n_informative = self._has_few_labels, np.count_nonzero(self.informative)
        if is_few and 2 * n_informative >= len(self.sets) and unit_scales(X, sample_weight).any():
            weights, solver = few_rows(X, sample_weight)
            described = "kernel ridge is used, on features of unit variance, annealed"
            return weights, solver, described
        found = self._graph_votes(X, sample_weight, groups) if is_few else None
        if found is not None:
            return found.weights, AnnealedMinimization(), _described(found)
        described = "the 10 nearest neighbours are used, on features of unit variance"
        keeps = AnnealedMinimization() if self.shares is not None else AlternatingMinimization()
        return unit_neighbors(X, sample_weight), keeps, described

    def outside(
        self, X: Any, sample_weight: FloatArray, groups: IntArray, best: Trial
    ) -> Trial | None:
        n_informative = np.count_nonzero(self.informative)
        is_sparse = n_informative <= MAX_GRAPH_SHARE * len(self.sets)
        if not is_sparse or n_informative > MAX_GRAPH_ROWS or not self._is_plain:
            return None
        found = self._graph_votes(X, sample_weight, groups)
        if found is None or found.missed is None:
            return None
        gain = best.held_out_loss - found.missed * self.loss.largest
        if gain <= 0.0:
            return None
        solver = self.solver or self._keeping(AnnealedMinimization(), found.weights)
        # Its log loss and its loss by chance are not computed: those of the best trial are taken.
        score = best.score - gain / self.loss.largest
        return Trial(found.weights, solver, best.held_out_loss - gain, score)

    def _graph_votes(
        self, X: Any, sample_weight: FloatArray, groups: IntArray
    ) -> GraphVotes | None:
        return graph_votes(X, self.sets, self.loss, sample_weight, groups, self.shares)

    def _keeping(self, solver: Solver, weights: Any) -> Solver:
        """The solver with the class shares."""
        return solver if self.shares is None else self.shares.kept_by(solver, weights)

    @property
    def _is_plain(self) -> bool:
        """Whether open rows have no information, and need no votes.

        Soft weights of open rows are information. Counts of classes need votes of all rows.
        """
        return not self.couples_rows and self.sets.weights is None

    @property
    def _has_few_labels(self) -> bool:
        """Whether the rules for few informative rows apply."""
        n_informative = int(np.count_nonzero(self.informative))
        return self._is_plain and 0 < n_informative < MIN_INFORMATIVE_ROWS

    def _scores(
        self, space: SearchSpace, hidden: HiddenSets, votes: Votes, fitted: FittedEntry
    ) -> Iterator[tuple[Solver | None, Score]]:
        if self.method != "disambiguation" or self.solver is not None:
            solver = self.solver if self.method == "disambiguation" else None
            yield solver, self._score(hidden, votes, solver)
            return
        warm, cool = space.temperatures, space.cool_temperatures
        shares = {} if self.shares is None else self.shares.parameters
        for formulation in space.formulations:
            run = AnnealedMinimization(formulation, temperatures=warm, **shares)
            yield from _path_scores(run, hidden, votes, space.sweeps)
            if self.loss.is_zero_one and fitted.has_signs and cool:
                run = AnnealedMinimization(
                    formulation, start="infimum", temperatures=cool, **shares
                )
                yield from _path_scores(run, hidden, votes, space.sweeps)

    def _score(self, hidden: HiddenSets, votes: Votes, solver: Solver | None) -> Score:
        if self.method == "average":
            return hidden.average_score(votes)
        if self.method == "infimum":
            return hidden.infimum_score(votes)
        assert solver is not None
        return hidden.solver_score(votes, solver)


def _described(found: GraphVotes) -> str:
    """What was chosen for few labels, for a warning."""
    scaled = isinstance(found.weights, ScaledWeights)
    weighting = found.weights.weights if isinstance(found.weights, ScaledWeights) else found.weights
    how = f"{found.cut:.0%} of the links of its graph are between different labels"
    if found.missed is not None:
        how = f"it misses {found.missed:.0%} of hidden sets, and {how}"
    return (
        f"only these rows vote, by {type(weighting).__name__} on "
        f"{'features of unit variance' if scaled else 'the features as they are'}, the best of "
        f"{found.n_tried} weightings: {how}"
    )


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
    path = hidden.path_scores(votes, clone(run).set_params(sweeps=sweeps))
    for temperature, score in path:
        until = tuple(t for t in temperatures if t >= temperature)
        yield clone(run).set_params(temperatures=until), score
