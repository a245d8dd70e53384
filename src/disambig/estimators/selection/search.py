"""Landmarks or neighbours: settled on many rows, as few do not tell.

Votes, start and temperature chosen without truth: by how well hidden sets are predicted.

Some rows are hidden (their sets allow everything), all are disambiguated with the votes at hand,
and the others' votes predict the hidden rows; what the predictions cost at the nearest member of
the hidden sets is the score. A heat on few rows leaves ten weightings; one annealing passes through
all temperatures, and the kernel matrix of a bandwidth serves all its ridges.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from disambig.candidates import LabelSets
from disambig.estimators.fitting import Kept, take_inputs
from disambig.estimators.selection.feature_scales import feature_scales, unit_scales
from disambig.estimators.selection.hidden_sets import HiddenSets, Score, sample_rows
from disambig.estimators.selection.space import (
    SEARCH_SPACE,
    SearchSpace,
    entries_of,
    landmarks_for,
    sort_of,
)
from disambig.estimators.selection.trials import (
    SelectionSample,
    Trial,
    heard_votes,
    run_trials,
    screen,
    trial_of,
)
from disambig.losses import FiniteLoss
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers import AlternatingMinimization, Solver, resolve_solver
from disambig.votes import Votes
from disambig.weights import NeighborWeights, ScaledWeights, Weights, hash_rows

# At least so many rows that say something are heard for each that is hidden.
_LEAST_HEARD = 5
# From fewer informative rows a choice between so many is chance.
_FEWEST = 30
_NAME = "Name the weights; for few labels compare 'poisson' and 'laplacian' with method='average'."


def best_of_each_family(trials: Sequence[Trial]) -> list[Trial]:
    """The best trial of every sort if some go through landmarks, else none; best first."""
    firsts = {sort_of(trial.weights): trial for trial in reversed(trials)}
    if "landmarks" not in firsts or len(firsts) == 1:
        return []
    return sorted(firsts.values(), key=lambda trial: trial.score)


def final_comparison(
    space: SearchSpace,
    rivals: Sequence[Trial],
    X: Any,
    sets: LabelSets,
    loss: FiniteLoss,
    sample_weight: FloatArray,
    kinds: IntArray,
    method: str,
) -> list[Trial]:
    """The rivals with their scores on many rows, of which a few are hidden; best first.

    Neighbours get better with every row, landmarks are as many as they are, and scales that were
    learned from few rows may do less for neighbours that are near anyway: who is ahead on a sample
    of a thousand rows can be behind on all of them. None, where too few rows say something.
    """
    rows, numbers = sample_rows(kinds, sets, sample_weight, space.n_comparison_rows(sets.n_classes))
    X, sets, sample_weight = take_inputs(X, rows, None), sets[rows], sample_weight[rows]
    asked = _asked(sets.informative, numbers, *space.comparison_hidden)
    if not asked.any():
        return []
    hidden = HiddenSets(sets, loss, np.where(asked, 0, -1), sample_weight)
    weights = None if (sample_weight == 1).all() else sample_weight
    found = []
    for rival in rivals:
        fitted: Weights = clone(rival.weights).fit(X, weights)
        score = _score(hidden, heard_votes(fitted, sample_weight), rival, method)
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


def resolve_weights_and_solver(
    weights: Any,
    solver: Any,
    X: Any,
    kept: Kept,
    sets: LabelSets,
    loss: FiniteLoss,
    method: str,
) -> tuple[Any, Solver, tuple[Trial, ...]]:
    """Weights, solver and trials: as the user asked, or as `select_weights_and_solver` finds.

    ``solver="auto"`` is chosen together with ``weights="auto"``; beside other weights it is the
    paper's, "alternating".
    """
    chosen = isinstance(solver, str) and solver == "auto"
    if not isinstance(weights, str) or weights != "auto":
        return weights, resolve_solver("alternating" if chosen else solver), ()
    inputs = X if kept.everything else take_inputs(X, kept.rows, None)
    return select_weights_and_solver(
        inputs,
        sets[kept.rows],
        loss,
        None if chosen else resolve_solver(solver),
        kept.sample_weight,
        method,
    )


def select_weights_and_solver(
    X: Any,
    sets: LabelSets,
    loss: FiniteLoss,
    solver: Solver | None,
    sample_weight: FloatArray,
    method: str = "disambiguation",
    space: SearchSpace = SEARCH_SPACE,
) -> tuple[Weights, Solver, tuple[Trial, ...]]:
    """The weights, unfitted, and the solver that predict hidden sets best; trials, best first.

    The trials are those of the weightings that came through the heat; the earlier one wins a tie,
    and those that predict no better than one answer for all rows are last. Where kernels go through
    landmarks, the best of them meets the best neighbours in a play-off on many rows, and these come
    first, with the scores of that. Where few rows exclude a class, or nothing predicts better than
    a constant, the 10 nearest neighbours vote, on features of unit variance. Nothing here is
    random: the sample of rows and the folds go by a hash of the inputs, so that the order of the
    rows is no matter.

    Parameters
    ----------
    X : (n, d)
    sets : LabelSets of n rows
    loss : FiniteLoss
    solver : Solver or None
        None: annealing, whose start and last temperature are chosen, too.
    masses : float (n,)
    method : {"disambiguation", "infimum", "average"}
    portfolio : SearchSpace
        What is tried.
    """
    told = np.count_nonzero(sets.informative)
    if told < _FEWEST:
        # None at all is an error of its own further on, but for weights that say something.
        if told or sets.weights is not None:
            _warn(
                f"only {told} of {len(sets)} rows exclude a class, too few to choose weights by",
                _NAME,
            )
        return _neighbors(X, sample_weight), solver or AlternatingMinimization(), ()
    kinds = hash_rows(X)
    rows, numbers = sample_rows(kinds, sets, sample_weight, space.n_rows(sets.n_classes))
    told = np.count_nonzero(sets.informative[rows])
    if told < _FEWEST:
        _warn(
            f"of {rows.size} rows, as different as there are, only {told} exclude a class, too few "
            "to choose weights by",
            _NAME,
        )
        return _neighbors(X, sample_weight), solver or AlternatingMinimization(), ()
    course = SelectionSample(
        take_inputs(X, rows, None),
        sets[rows],
        loss,
        sample_weight[rows],
        numbers,
        landmarks_for(len(sets)),
    )
    scales = None
    if space.learns_scales:
        scales = feature_scales(course.X, course.sets.distribution(), course.sample_weight)
    entries = entries_of(space, scales is not None)
    if len(entries) > space.finalists:
        entries = screen(space.screening(), course, scales, entries, solver, method)
    found = run_trials(space, course, scales, entries, solver, method)
    trials = sorted((trial for _, trial in found), key=lambda trial: trial.score)
    constant = _constant_loss(course.sets, loss, course.sample_weight)
    able = [trial for trial in trials if trial.held_out_loss < constant]
    if not able:
        _warn(
            "no weights predict hidden sets better than one answer for all rows does",
            "Is a mark of unlabelled rows taken for a class (unlabeled=...)?",
        )
        return _neighbors(X, sample_weight), solver or AlternatingMinimization(), tuple(trials)
    rivals = best_of_each_family(able)
    if rivals:
        last = final_comparison(space, rivals, X, sets, loss, sample_weight, kinds, method)
        if last:
            able = last + [trial for trial in able if trial not in rivals]
    best = able[0]
    unable = [trial for trial in trials if trial.held_out_loss >= constant]
    return best.weights, best.solver or solver or AlternatingMinimization(), (*able, *unable)


def _neighbors(X: Any, sample_weight: FloatArray) -> Weights:
    """The 10 nearest, in units of the standard deviations of the features."""
    scales = unit_scales(X, sample_weight)
    return ScaledWeights(NeighborWeights(), scales) if scales.any() else NeighborWeights()


def _constant_loss(sets: LabelSets, loss: FiniteLoss, sample_weight: FloatArray) -> float:
    """What the best single prediction for all rows costs at the nearest members of their sets."""
    told = sets.informative
    mask = sets.mask[told]
    paid = [np.where(mask, row, np.inf).min(axis=1) for row in loss.matrix]
    return float(min(np.average(losses, weights=sample_weight[told]) for losses in paid))


def _warn(reason: str, advice: str) -> None:
    warnings.warn(
        f"weights='auto': {reason}; the 10 nearest neighbours vote, on features of unit variance. "
        f"{advice}",
        UserWarning,
        stacklevel=5,
    )
