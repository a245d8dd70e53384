"""Successive halving over weightings, starts and temperatures, scored by hidden sets.

The sets of some rows are hidden (replaced by the set of all classes), all rows are disambiguated,
and the votes of the other rows predict the hidden ones. The score is the loss of these predictions
to the nearest members of the hidden sets; no true label is used.

1. `screen`: all weightings on few rows; ten remain.
2. `run_trials`: these on the whole sample. One annealing scores all its temperatures, and all
   ridges of a bandwidth share its kernel matrix.
3. `final_comparison`: if kernels need landmarks, the best of each family on many rows.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from disambig.candidates import LabelSets
from disambig.estimators.fitting import KeptRows, take_inputs
from disambig.estimators.selection.hidden_sets import (
    HiddenSets,
    Score,
    merge_copies,
    sample_rows,
    used_classes,
)
from disambig.estimators.selection.space import (
    SEARCH_SPACE,
    SearchSpace,
    entries_of,
    family_of,
    feature_scales,
    n_landmarks_for,
    unit_scales,
)
from disambig.estimators.selection.trials import (
    SelectionSample,
    Trial,
    run_trials,
    screen,
    trial_of,
    weighted_votes,
)
from disambig.exceptions import warn
from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers import AlternatingMinimization, Solver
from disambig.solvers.registry import resolve_solver
from disambig.threads import threads_for
from disambig.votes import Votes
from disambig.weights import NeighborWeights, ScaledWeights, Weights

# Informative rows that stay visible for each hidden row of the final comparison, at least.
_MIN_VISIBLE_PER_HIDDEN = 5
# With fewer informative rows the best of so many weightings is found by chance.
_MIN_INFORMATIVE_ROWS = 30
_ADVICE_FOR_FEW_ROWS = (
    "Name the weights; for few labels compare 'poisson' and 'laplacian' with method='average'."
)


def best_of_each_family(trials: Sequence[Trial]) -> list[Trial]:
    """The best trial of each family, best first; empty unless a comparison is needed.

    That is so if some trials use landmarks and others do not. `trials` are sorted, best first.
    """
    best = {family_of(trial.weights): trial for trial in reversed(trials)}
    if "landmarks" not in best or len(best) == 1:
        return []
    return sorted(best.values(), key=lambda trial: trial.score)


def final_comparison(
    space: SearchSpace,
    finalists: Sequence[Trial],
    X: Any,
    sets: LabelSets,
    loss: FiniteLoss,
    sample_weight: FloatArray,
    row_groups: IntArray,
    method: str,
) -> list[Trial]:
    """The finalists with their scores on many rows, of which a few are hidden; best first.

    The best of a thousand rows need not be the best of all. Neighbours improve with every row,
    while the number of landmarks is fixed; and scales that were learned from few rows help less
    when neighbours are close anyway. Empty if too few rows are informative.
    """
    limit = space.n_comparison_rows(sets.n_classes)
    rows, numbers = sample_rows(row_groups, sets, sample_weight, limit)
    X, sets, sample_weight = take_inputs(X, rows, None), sets[rows], sample_weight[rows]
    is_hidden = _rows_to_hide(sets.informative, numbers, *space.comparison_hidden)
    if not is_hidden.any():
        return []
    hidden = HiddenSets(sets, loss, np.where(is_hidden, 0, -1), sample_weight)
    weights = None if (sample_weight == 1).all() else sample_weight
    found = []
    for finalist in finalists:
        fitted: Weights = clone(finalist.weights).fit(X, weights)
        score = _score(hidden, weighted_votes(fitted, sample_weight), finalist, method)
        found.append(trial_of(finalist.weights, finalist.solver, score))
    return sorted(found, key=lambda trial: trial.score)


def _rows_to_hide(informative: BoolArray, numbers: IntArray, least: int, most: int) -> BoolArray:
    """Rows to hide ``(n,)``, whole groups; none if there are fewer than `least`.

    The groups with the largest numbers, since those with the smallest selected the finalists.
    """
    ordered = np.sort(numbers[informative])
    count = min(most, ordered.size // (1 + _MIN_VISIBLE_PER_HIDDEN))
    last_visible = ordered[ordered.size - count - 1] if count else ordered.max()
    is_hidden: BoolArray = informative & (numbers > last_visible)
    return is_hidden if np.count_nonzero(is_hidden) >= least else np.zeros_like(informative)


def _score(hidden: HiddenSets, votes: Votes, finalist: Trial, method: str) -> Score:
    if finalist.solver is not None:
        return hidden.solver_score(votes, finalist.solver)
    return hidden.average_score(votes) if method == "average" else hidden.infimum_score(votes)


def resolve_weights_and_solver(
    weights: Any,
    solver: Any,
    X: Any,
    kept: KeptRows,
    sets: LabelSets,
    loss: FiniteLoss,
    method: str,
) -> tuple[Any, Solver | None, tuple[Trial, ...]]:
    """Weights, solver and trials: those of the user, or those of `select_weights_and_solver`.

    ``solver="auto"`` is selected together with ``weights="auto"``; with other weights it is None.
    `sets` are those of the rows that take part.
    """
    if not isinstance(weights, str) or weights != "auto":
        return weights, resolve_solver(solver), ()
    inputs = X if kept.all_rows else take_inputs(X, kept.rows, None)
    return select_weights_and_solver(
        inputs,
        sets,
        loss,
        resolve_solver(solver),
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

    The trials are those of the weightings that passed the screen. Of equal trials the earlier one
    is better. Trials that predict no better than one constant prediction for all rows come last.
    If kernels need landmarks, the trials of the final comparison come first, with their scores in
    it. If few rows exclude a class, or nothing predicts better than a constant, the result is the
    10 nearest neighbours on features of unit variance. Nothing is random: sample and folds depend
    on a hash of the inputs alone, so that the order of the rows does not matter. Copies of a row
    count as one row of their total weight, and classes that are nowhere a candidate do not matter
    under the 0-1 loss. Only whether kernels need landmarks depends on the number of copies, since
    the fit has a row for each.

    Parameters
    ----------
    X : (n, d)
    sets : LabelSets of n rows
    loss : FiniteLoss
    solver : Solver or None
        None: annealing, whose start and last temperature are selected, too.
    sample_weight : float (n,)
    method : {"disambiguation", "infimum", "average"}
    space : SearchSpace
    """
    n_fitted_rows = len(sets)
    sets, loss = used_classes(sets, loss)
    X, sets, sample_weight, row_groups = merge_copies(X, sets, sample_weight)
    distinct = "distinct " if len(sets) < n_fitted_rows else ""
    n_informative = np.count_nonzero(sets.informative)
    if n_informative < _MIN_INFORMATIVE_ROWS:
        # Without any, `check_information` raises an error later, except for soft weights.
        if n_informative or sets.weights is not None:
            _warn(
                f"only {n_informative} of {len(sets)} {distinct}rows exclude a class, too few to "
                "choose weights by",
                _ADVICE_FOR_FEW_ROWS,
            )
        return _neighbors(X, sample_weight), solver or AlternatingMinimization(), ()
    rows, numbers = sample_rows(row_groups, sets, sample_weight, space.n_rows(sets.n_classes))
    n_informative = np.count_nonzero(sets.informative[rows])
    if n_informative < _MIN_INFORMATIVE_ROWS:
        _warn(
            f"in a sample of {rows.size} rows with as few equal inputs as possible, only "
            f"{n_informative} exclude a class, too few to choose weights by",
            _ADVICE_FOR_FEW_ROWS,
        )
        return _neighbors(X, sample_weight), solver or AlternatingMinimization(), ()
    sample = SelectionSample(
        take_inputs(X, rows, None),
        sets[rows],
        loss,
        sample_weight[rows],
        numbers,
        n_landmarks_for(n_fitted_rows),
    )
    trials = _sample_trials(space, sample, solver, method)
    constant = _constant_loss(sample.sets, loss, sample.sample_weight)
    better = [trial for trial in trials if trial.held_out_loss < constant]
    if not better:
        _warn(
            "no weights predict hidden sets better than one constant prediction for all rows",
            "If y has a marker of unlabeled rows, pass it as unlabeled=..., so that it is not read "
            "as a class.",
        )
        return _neighbors(X, sample_weight), solver or AlternatingMinimization(), tuple(trials)
    finalists = best_of_each_family(better)
    if finalists:
        last = final_comparison(space, finalists, X, sets, loss, sample_weight, row_groups, method)
        if last:
            better = last + [trial for trial in better if trial not in finalists]
    best = better[0]
    rest = [trial for trial in trials if trial.held_out_loss >= constant]
    return best.weights, best.solver or solver or AlternatingMinimization(), (*better, *rest)


def _sample_trials(
    space: SearchSpace, sample: SelectionSample, solver: Solver | None, method: str
) -> list[Trial]:
    """The trials of the weightings that pass the screen, best first."""
    # Hundreds of small fits, also where there are so many rows that the last fit is a large one.
    with threads_for(*sample.X.shape):
        scales = None
        if space.learns_scales:
            scales = feature_scales(sample.X, sample.sets.distribution(), sample.sample_weight)
        entries = entries_of(space, scales is not None)
        if len(entries) > space.finalists:
            entries = screen(space.screening(), sample, scales, entries, solver, method)
        found = run_trials(space, sample, scales, entries, solver, method)
    return sorted((trial for _, trial in found), key=lambda trial: trial.score)


def _neighbors(X: Any, sample_weight: FloatArray) -> Weights:
    """The 10 nearest neighbours on features of unit variance."""
    scales = unit_scales(X, sample_weight)
    return ScaledWeights(NeighborWeights(), scales) if scales.any() else NeighborWeights()


def _constant_loss(sets: LabelSets, loss: FiniteLoss, sample_weight: FloatArray) -> float:
    """Mean loss of the best constant prediction to the nearest members of the informative sets."""
    informative = sets.informative
    losses = np.ascontiguousarray(loss.set_losses(sets.mask[informative]).T)
    return float(np.average(losses, axis=1, weights=sample_weight[informative]).min())


def _warn(reason: str, advice: str) -> None:
    warn(
        f"weights='auto': {reason}; the 10 nearest neighbours are used, on features of unit "
        f"variance. {advice}",
        UserWarning,
    )
