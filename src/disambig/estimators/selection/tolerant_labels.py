"""The selection for labels that may leave their sets at a price.

Where sets miss the truth, the weighting that predicts hidden sets best is often so by chance, and
frequent classes absorb rare ones. So the best weightings are averaged, class shares are held near
those of average candidates, and only the last temperature is selected.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import clone

from disambig.candidates.labels.tolerance import tolerant_sets
from disambig.estimators.selection.hidden_sets import HiddenSets
from disambig.estimators.selection.labels import LabelSelection, weighted_votes
from disambig.estimators.selection.protocol import HeldOutTrial, SelectionSample, Trial
from disambig.estimators.selection.space import SearchSpace
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.solvers import AnnealedMinimization, Solver
from disambig.weights import MixedWeights, Weights

# How many of the best weightings are averaged.
MAX_MEMBERS = 10
_TEMPERATURES = (1.0, 0.6, 0.36, 0.2, 0.1, 0.05, 0.025)
# At higher ones the weights of the candidates decide, not the votes.
_MAX_LAST_TEMPERATURE = 0.36
# Wrong sets make scores uncertain: fewer folds would hide too many sets at once.
_MIN_FOLDS = 5


@dataclass(frozen=True, eq=False)
class TolerantSelection:
    """Labels that may leave their sets as a `SelectionKind`.

    Parameters
    ----------
    strict : LabelSelection
        The selection for labels that may not.
    members : tuple of Weights
        Unfitted, best first.
    price : float
    """

    strict: LabelSelection
    members: tuple[Weights, ...]
    price: float

    exclusion = "exclude a class"
    together = None

    @property
    def informative(self) -> BoolArray:
        return self.strict.informative

    @property
    def width(self) -> int:
        return self.strict.width

    def take(self, rows: IntArray) -> "TolerantSelection":
        return replace(self, strict=self.strict.take(rows))

    def keys(self) -> list[AnyArray]:
        return self.strict.keys()

    def table(self) -> FloatArray:
        return self.strict.table()

    def entries(self, space: SearchSpace, has_scales: bool) -> list[str]:
        return ["mean"]

    def run_trials(
        self,
        space: SearchSpace,
        sample: SelectionSample,
        scales: FloatArray | None,
        entries: Iterable[Hashable],
    ) -> Iterator[HeldOutTrial]:
        sets, weight = self.strict.sets, sample.sample_weight
        folds = sample.fold_numbers % max(_MIN_FOLDS, space.n_folds(len(sets)))
        hidden = HiddenSets(sets, self.strict.loss, folds, weight, tolerant_sets(sets, self.price))
        weights = self.mean()
        fitted = clone(weights).fit(sample.X, None if (weight == 1).all() else weight)
        votes = weighted_votes(fitted, weight)
        run = self._annealing(_TEMPERATURES[-1]).set_params(sweeps=space.sweeps)
        for entry in entries:
            for temperature, score in hidden.path_scores(votes, run):
                if temperature <= _MAX_LAST_TEMPERATURE:
                    solver = self._annealing(temperature)
                    trial = Trial(weights, solver, score.loss, score.value)
                    yield HeldOutTrial(entry, trial)

    def family_of(self, held_out: HeldOutTrial) -> str:
        # One family: nothing is compared again on more rows.
        return "mean"

    def compare(
        self, trials: Iterable[HeldOutTrial], X: Any, sample_weight: FloatArray, hidden: BoolArray
    ) -> list[HeldOutTrial]:
        return list(trials)

    def are_better(self, trials: Sequence[Trial], sample_weight: FloatArray) -> list[bool]:
        return self.strict.are_better(trials, sample_weight)

    def outside(
        self, X: Any, sample_weight: FloatArray, groups: IntArray, best: Trial
    ) -> Trial | None:
        return None

    def fallback(
        self, X: Any, sample_weight: FloatArray, groups: IntArray
    ) -> tuple[Weights, Solver, str]:
        solver = self._annealing(_MAX_LAST_TEMPERATURE)
        return self.mean(), solver, "the last temperature of annealing is a fixed one"

    def _annealing(self, temperature: float) -> AnnealedMinimization:
        """`tolerant_annealing`, with the class shares of the user if there are any."""
        shares = {} if self.strict.shares is None else self.strict.shares.parameters
        annealing = tolerant_annealing(temperature)
        annealing.set_params(**shares)
        return annealing

    def mean(self) -> Weights:
        """The mean of the members, unfitted."""
        return self.members[0] if len(self.members) == 1 else MixedWeights(list(self.members))


def tolerant_annealing(temperature: float) -> AnnealedMinimization:
    """Annealing down to a temperature, with the class shares of average candidates."""
    schedule = tuple(one for one in _TEMPERATURES if one >= temperature)
    return AnnealedMinimization(temperatures=schedule, class_shares="average")


def best_weightings(trials: Sequence[Trial], most: int = MAX_MEMBERS) -> tuple[Weights, ...]:
    """The first distinct weightings of trials that are sorted, best first."""
    found: dict[str, Weights] = {}
    for trial in trials:
        if len(found) == most:
            break
        # The trials of a weighting differ in the solver; the best comes first.
        found.setdefault(repr(trial.weights), trial.weights)
    return tuple(found.values())
