"""Trials: the held-out losses of weightings and solvers on a sample of the rows.

`run_trials` scores every weighting of a list, and `screen` returns the weightings with the best
scores on few rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates import LabelSets
from disambig.estimators.fitting import take_inputs
from disambig.estimators.selection.hidden_sets import HiddenSets, Score
from disambig.estimators.selection.space import (
    Entry,
    FittedEntry,
    SearchSpace,
    family_of,
    fitted_entries,
)
from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import FloatArray, IntArray
from disambig.solvers import AnnealedMinimization, Solver
from disambig.votes import Votes
from disambig.weights import Weights


class Trial(NamedTuple):
    """One weighting and solver with its held-out loss.

    Attributes
    ----------
    weights : Weights
    solver : Solver or None
        None for a baseline, which has no solver.
    held_out_loss : float
        Mean loss of predictions to the nearest members of the hidden sets.
    score : float
        The criterion of the selection, lower is better: `held_out_loss` in units of the largest
        loss, plus a log loss of smaller weight, plus one standard error for trials from the infimum
        start. See `Score` and `trial_of`.
    """

    weights: Weights
    solver: Solver | None
    held_out_loss: float
    score: float


@dataclass(frozen=True, eq=False)
class SelectionSample:
    """The rows on which trials are run; ``fold_numbers % n_folds`` are their folds."""

    X: Any
    sets: LabelSets
    loss: FiniteLoss
    sample_weight: FloatArray
    fold_numbers: IntArray
    n_landmarks: int | None

    def first(self, limit: int) -> "SelectionSample":
        """The first rows, at most `limit`."""
        rows = np.arange(min(limit, len(self.sets)))
        return SelectionSample(
            take_inputs(self.X, rows, None),
            self.sets[rows],
            self.loss,
            self.sample_weight[rows],
            self.fold_numbers[rows],
            self.n_landmarks,
        )


def screen(
    space: SearchSpace,
    sample: SelectionSample,
    scales: FloatArray | None,
    entries: Sequence[Entry],
    solver: Solver | None,
    method: str,
) -> list[Entry]:
    """The entries with the best scores on the first rows, in the order of the list.

    If some of them use landmarks, the best of every family is included for the final comparison.
    """
    first_rows = sample.first(space.n_rows(sample.sets.n_classes))
    best: dict[Entry, float] = {}
    families: dict[Entry, str] = {}
    for entry, trial in run_trials(space, first_rows, scales, entries, solver, method):
        best[entry] = min(best.get(entry, np.inf), trial.score)
        families[entry] = family_of(trial.weights)
    order = sorted(best, key=best.__getitem__)
    selected = set(order[: space.finalists])
    if "landmarks" in families.values():
        selected.update({families[entry]: entry for entry in reversed(order)}.values())
    return [entry for entry in entries if entry in selected]


def run_trials(
    space: SearchSpace,
    sample: SelectionSample,
    scales: FloatArray | None,
    entries: Sequence[Entry],
    solver: Solver | None,
    method: str,
) -> Iterator[tuple[Entry, Trial]]:
    """All trials of all entries, in the order of the list."""
    folds = sample.fold_numbers % space.n_folds(len(sample.sets))
    hidden = HiddenSets(sample.sets, sample.loss, folds, sample.sample_weight)
    for fitted in fitted_entries(
        entries, sample.X, sample.sample_weight, scales, sample.n_landmarks
    ):
        votes = weighted_votes(fitted.fitted, sample.sample_weight)
        for tried_solver, score in _scores(space, hidden, votes, fitted, solver, method):
            yield fitted.entry, trial_of(fitted.for_all, tried_solver, score)


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


def _scores(
    space: SearchSpace,
    hidden: HiddenSets,
    votes: Votes,
    fitted: FittedEntry,
    solver: Solver | None,
    method: str,
) -> Iterator[tuple[Solver | None, Score]]:
    if method == "average":
        yield None, hidden.average_score(votes)
    elif method == "infimum":
        yield None, hidden.infimum_score(votes)
    elif solver is not None:
        yield solver, hidden.solver_score(votes, solver)
    else:
        warm, cool = space.temperatures, space.cool_temperatures
        for formulation in space.formulations:
            run = AnnealedMinimization(formulation, temperatures=warm)
            yield from _path_scores(run, hidden, votes, space.sweeps)
            if hidden.loss.is_zero_one and fitted.has_signs and cool:
                run = AnnealedMinimization(formulation, start="infimum", temperatures=cool)
                yield from _path_scores(run, hidden, votes, space.sweeps)


def _path_scores(
    run: AnnealedMinimization, hidden: HiddenSets, votes: Votes, sweeps: int
) -> Iterator[tuple[AnnealedMinimization, Score]]:
    """For every temperature of a run, the solver whose last temperature it is, and its score."""
    temperatures = run.temperatures
    solver = partial(AnnealedMinimization, run.formulation, start=run.start)
    path = hidden.path_scores(votes, solver(temperatures=temperatures, sweeps=sweeps))
    for temperature, score in path:
        yield solver(temperatures=tuple(t for t in temperatures if t >= temperature)), score
