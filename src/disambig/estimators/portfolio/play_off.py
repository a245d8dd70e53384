"""Landmarks or neighbours: settled on many rows, as few do not tell."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from disambig.candidates import LabelSets
from disambig.estimators.inputs import take_inputs
from disambig.estimators.portfolio.hidden_sets import HiddenSets, Score
from disambig.estimators.portfolio.pieces import sort_of
from disambig.estimators.portfolio.sampling import sample_rows
from disambig.estimators.portfolio.settings import Portfolio
from disambig.estimators.portfolio.trials import Trial, heard_votes, trial_of
from disambig.losses import FiniteLoss
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.votes import Votes
from disambig.weights import Weights

__all__ = ["play_off", "rivals_of"]

# At least so many rows that say something are heard for each that is hidden.
_LEAST_HEARD = 5


def rivals_of(trials: Sequence[Trial]) -> list[Trial]:
    """The best trial of every sort if some go through landmarks, else none; best first."""
    firsts = {sort_of(trial.weights): trial for trial in reversed(trials)}
    if "landmarks" not in firsts or len(firsts) == 1:
        return []
    return sorted(firsts.values(), key=lambda trial: trial.score)


def play_off(
    portfolio: Portfolio,
    rivals: Sequence[Trial],
    X: Any,
    sets: LabelSets,
    loss: FiniteLoss,
    masses: FloatArray,
    kinds: IntArray,
    method: str,
) -> list[Trial]:
    """The rivals with their scores on many rows, of which a few are hidden; best first.

    Neighbours get better with every row, landmarks are as many as they are, and scales that were
    learned from few rows may do less for neighbours that are near anyway: who is ahead on a sample
    of a thousand rows can be behind on all of them. None, where too few rows say something.
    """
    rows, numbers = sample_rows(kinds, sets, masses, portfolio.n_play_off_rows(sets.n_classes))
    X, sets, masses = take_inputs(X, rows, None), sets[rows], masses[rows]
    asked = _asked(sets.informative, numbers, *portfolio.play_off_hidden)
    if not asked.any():
        return []
    hidden = HiddenSets(sets, loss, np.where(asked, 0, -1), masses)
    weights = None if (masses == 1).all() else masses
    found = []
    for rival in rivals:
        fitted: Weights = clone(rival.weights).fit(X, weights)
        score = _score(hidden, heard_votes(fitted, masses), rival, method)
        found.append(trial_of(rival.weights, rival.solver, score))
    return sorted(found, key=lambda trial: trial.score)


def _asked(informative: BoolArray, numbers: IntArray, least: int, most: int) -> BoolArray:
    """Rows to be hidden, whole kinds: the last ones, as the first have chosen the rivals."""
    told = np.sort(numbers[informative])
    count = min(most, told.size // (1 + _LEAST_HEARD))
    cut = told[told.size - count - 1] if count else told.max()
    asked: BoolArray = informative & (numbers > cut)
    return asked if np.count_nonzero(asked) >= least else np.zeros_like(informative)


def _score(hidden: HiddenSets, votes: Votes, rival: Trial, method: str) -> Score:
    if rival.solver is not None:
        return hidden.of(votes, rival.solver)
    return hidden.of_average(votes) if method == "average" else hidden.of_infimum(votes)
