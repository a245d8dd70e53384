"""What is tried on which rows, and how well each trial predicts hidden sets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from disambig.candidates import LabelSets
from disambig.estimators.fitting import take_inputs
from disambig.estimators.selection.hidden_sets import HiddenSets, Score
from disambig.estimators.selection.space import Entry, SearchSpace, Tried, fitted_entries, sort_of
from disambig.losses import FiniteLoss
from disambig.notation import FloatArray, IntArray
from disambig.solvers import AnnealedMinimization, Solver
from disambig.votes import Votes
from disambig.weights import Weights


class Trial(NamedTuple):
    """One way to settle the sets, and the mean loss of its predictions to hidden sets.

    Attributes
    ----------
    weights : Weights
    solver : Solver or None
        None: a baseline, which has nothing to settle.
    held_out_loss : float
        To the nearest members of the hidden sets.
    score : float
        What was chosen by: `held_out_loss`, with how surely sets were missed in second place, and
        a standard error against trials that start from the infimum loss.
    """

    weights: Weights
    solver: Solver | None
    held_out_loss: float
    score: float


@dataclass(frozen=True, eq=False)
class SelectionSample:
    """The rows on which trials are run; `numbers` deal them into folds."""

    X: Any
    sets: LabelSets
    loss: FiniteLoss
    sample_weight: FloatArray
    numbers: IntArray
    n_landmarks: int | None

    def first(self, limit: int) -> "SelectionSample":
        rows = np.arange(min(limit, len(self.sets)))
        return SelectionSample(
            take_inputs(self.X, rows, None),
            self.sets[rows],
            self.loss,
            self.sample_weight[rows],
            self.numbers[rows],
            self.n_landmarks,
        )


def screen(
    space: SearchSpace,
    course: SelectionSample,
    scales: FloatArray | None,
    entries: Sequence[Entry],
    solver: Solver | None,
    method: str,
) -> list[Entry]:
    """The entries whose best trials on the first rows are the best, in the order of the list.

    Where some go through landmarks, the best of every sort is among them, for the play-off.
    """
    short = course.first(space.n_rows(course.sets.n_classes))
    best: dict[Entry, float] = {}
    sorts: dict[Entry, str] = {}
    for entry, trial in run_trials(space, short, scales, entries, solver, method):
        best[entry] = min(best.get(entry, np.inf), trial.score)
        sorts[entry] = sort_of(trial.weights)
    order = sorted(best, key=best.__getitem__)
    through = set(order[: space.finalists])
    if "landmarks" in sorts.values():
        through.update({sorts[entry]: entry for entry in reversed(order)}.values())
    return [entry for entry in entries if entry in through]


def run_trials(
    space: SearchSpace,
    course: SelectionSample,
    scales: FloatArray | None,
    entries: Sequence[Entry],
    solver: Solver | None,
    method: str,
) -> Iterator[tuple[Entry, Trial]]:
    """All trials of all entries, in the order of the list."""
    folds = course.numbers % space.n_folds(len(course.sets))
    hidden = HiddenSets(course.sets, course.loss, folds, course.sample_weight)
    for piece in fitted_entries(
        entries, course.X, course.sample_weight, scales, course.n_landmarks
    ):
        votes = heard_votes(piece.fitted, course.sample_weight)
        for how, score in _scores(space, hidden, votes, piece, solver, method):
            yield piece.entry, trial_of(piece.for_all, how, score)


def trial_of(weights: Weights, solver: Solver | None, score: Score) -> Trial:
    """With a handicap for the infimum start, which all but minimises what is scored."""
    seeks = isinstance(solver, AnnealedMinimization) and solver.start == "infimum"
    return Trial(weights, solver, score.loss, score.value + (score.error if seeks else 0.0))


def heard_votes(fitted: Weights, sample_weight: FloatArray) -> Votes:
    """Votes of the training rows; w copies of a row listen w times."""
    votes = fitted.training_votes()
    return votes.scale_rows(sample_weight) if (sample_weight != 1).any() else votes


def _scores(
    space: SearchSpace,
    hidden: HiddenSets,
    votes: Votes,
    piece: Tried,
    solver: Solver | None,
    method: str,
) -> Iterator[tuple[Solver | None, Score]]:
    if method == "average":
        yield None, hidden.of_average(votes)
    elif method == "infimum":
        yield None, hidden.of_infimum(votes)
    elif solver is not None:
        yield solver, hidden.of(votes, solver)
    else:
        warm, cool = space.temperatures, space.cool_temperatures
        for formulation in space.formulations:
            run = AnnealedMinimization(formulation, temperatures=warm)
            yield from _along(run, hidden, votes, space.sweeps)
            if hidden.loss.is_zero_one and piece.has_signs and cool:
                run = AnnealedMinimization(formulation, start="infimum", temperatures=cool)
                yield from _along(run, hidden, votes, space.sweeps)


def _along(
    run: AnnealedMinimization, hidden: HiddenSets, votes: Votes, sweeps: int
) -> Iterator[tuple[AnnealedMinimization, Score]]:
    """One run, scored at every temperature that it passes: each time a solver that ends there."""
    temperatures = run.temperatures
    begin = partial(AnnealedMinimization, run.formulation, start=run.start)
    for temperature, score in hidden.along(votes, begin(temperatures=temperatures, sweeps=sweeps)):
        yield begin(temperatures=tuple(t for t in temperatures if t >= temperature)), score
