"""Votes, start and temperature chosen without truth: by how well hidden sets are predicted.

Some rows are hidden (their sets allow everything), all are disambiguated with the votes at hand,
and the others' votes predict the hidden rows; what the predictions cost at the nearest member of
the hidden sets is the score. One annealing passes through all temperatures, and the kernel matrix
of a bandwidth serves all its ridges, so that the whole costs a few times one fit.
"""

import warnings
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from disambig.candidates import LabelSets
from disambig.estimators.inputs import Kept, take_inputs
from disambig.estimators.portfolio.feature_scales import feature_scales, unit_scales
from disambig.estimators.portfolio.hidden_sets import HiddenSets, Score
from disambig.estimators.portfolio.pieces import Tried, pieces_to_try
from disambig.estimators.portfolio.settings import PORTFOLIO, Portfolio
from disambig.losses import FiniteLoss
from disambig.notation import FloatArray, IntArray
from disambig.solvers import AlternatingMinimization, AnnealedMinimization, Solver, resolve_solver
from disambig.votes import Votes
from disambig.weights import NeighborWeights, ScaledWeights, Weights, row_kinds

__all__ = ["Trial", "automatic_pieces", "choose_pieces"]

# From fewer informative rows a choice between so many is chance.
_FEWEST = 30


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


def automatic_pieces(
    weights: Any,
    solver: Any,
    X: Any,
    kept: Kept,
    sets: LabelSets,
    loss: FiniteLoss,
    method: str,
) -> tuple[Any, Solver, tuple[Trial, ...]]:
    """Weights and solver: what the user asked for, or what `choose_pieces` finds; and its trials.

    ``solver="auto"`` is chosen together with ``weights="auto"``; beside other weights it is the
    paper's, "alternating".
    """
    chosen = isinstance(solver, str) and solver == "auto"
    if not isinstance(weights, str) or weights != "auto":
        return weights, resolve_solver("alternating" if chosen else solver), ()
    inputs = X if kept.everything else take_inputs(X, kept.rows, None)
    return choose_pieces(
        inputs,
        sets[kept.rows],
        loss,
        None if chosen else resolve_solver(solver),
        kept.masses,
        method,
    )


def choose_pieces(
    X: Any,
    sets: LabelSets,
    loss: FiniteLoss,
    solver: Solver | None,
    masses: FloatArray,
    method: str = "disambiguation",
    portfolio: Portfolio = PORTFOLIO,
) -> tuple[Weights, Solver, tuple[Trial, ...]]:
    """The weights, unfitted, and the solver that predict hidden sets best; all trials, best first.

    The earlier one wins a tie. Where few rows exclude a class, or nothing predicts better than a
    constant, the 10 nearest neighbours vote, on features of unit variance. Nothing here is random:
    the sample of rows and the folds go by a hash of the inputs, so that the order of the rows is no
    matter.

    Parameters
    ----------
    X : (n, d)
    sets : LabelSets of n rows
    loss : FiniteLoss
    solver : Solver or None
        None: annealing, whose start and last temperature are chosen, too.
    masses : float (n,)
    method : {"disambiguation", "infimum", "average"}
    portfolio : Portfolio
        What is tried.
    """
    told = np.count_nonzero(sets.informative)
    if told < _FEWEST:
        # None at all is an error of its own further on, but for weights that say something.
        if told or sets.weights is not None:
            _warn(
                f"only {told} of {len(sets)} rows exclude a class, too few to choose weights by",
                "Name the weights; for few labels compare 'poisson' and 'laplacian' with "
                "method='average'.",
            )
        return _neighbors(X, masses), solver or AlternatingMinimization(), ()
    rows, kinds = _sample(X, portfolio.n_rows(sets.n_classes))
    sample = take_inputs(X, rows, None)
    folds = kinds % portfolio.n_folds(rows.size)
    hidden = HiddenSets(sets[rows], loss, folds, masses[rows])
    scales = None
    if portfolio.learns_scales:
        scales = feature_scales(sample, sets[rows].distribution(), masses[rows])
    trials = []
    for piece in pieces_to_try(portfolio, sample, masses[rows], scales, len(sets)):
        votes = piece.fitted.training_votes()
        if (masses[rows] != 1).any():
            # w copies of a row listen w times.
            votes = votes.scale_rows(masses[rows])
        for how, score in _scores(portfolio, hidden, votes, piece, solver, method):
            # The infimum start all but minimises what is scored here, and must be better by more.
            seeks = isinstance(how, AnnealedMinimization) and how.start == "infimum"
            handicap = score.error if seeks else 0.0
            trials.append(Trial(piece.for_all, how, score.loss, score.value + handicap))
    trials.sort(key=lambda trial: trial.score)
    constant = _constant_loss(sets[rows], loss, masses[rows])
    best = next((trial for trial in trials if trial.held_out_loss < constant), None)
    if best is None:
        _warn(
            "no weights predict hidden sets better than one answer for all rows does",
            "Is a mark of unlabelled rows taken for a class (unlabeled=...)?",
        )
        return _neighbors(X, masses), solver or AlternatingMinimization(), tuple(trials)
    return best.weights, best.solver or solver or AlternatingMinimization(), tuple(trials)


def _sample(X: Any, limit: int) -> tuple[IntArray, IntArray]:
    """Rows to choose by, at most `limit`, and the kind of each: equal rows are of one.

    Copies of a row stay together in a fold, as the others would tell what is hidden.
    """
    kinds = row_kinds(X)
    rows = np.flatnonzero(kinds < limit)
    rows = rows[np.argsort(kinds[rows], kind="stable")]
    taken = kinds[rows]
    if rows.size > limit:
        # The first copies of each kind, as many as there is room for.
        copy = np.arange(rows.size) - np.searchsorted(taken, taken)
        most = np.searchsorted(np.cumsum(np.bincount(copy)), limit, side="right")
        rows, taken = rows[copy < most], taken[copy < most]
    return rows, taken


def _scores(
    portfolio: Portfolio,
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
        yield from _along(portfolio, hidden, votes, "average", portfolio.temperatures)
        if hidden.loss.is_zero_one and piece.has_signs and portfolio.cool_temperatures:
            yield from _along(portfolio, hidden, votes, "infimum", portfolio.cool_temperatures)


def _along(
    portfolio: Portfolio,
    hidden: HiddenSets,
    votes: Votes,
    start: Literal["average", "infimum"],
    temperatures: tuple[float, ...],
) -> Iterator[tuple[AnnealedMinimization, Score]]:
    """One run from a start, scored at every temperature that it passes."""
    run = AnnealedMinimization(start=start, temperatures=temperatures, sweeps=portfolio.sweeps)
    for temperature, score in hidden.along(votes, run):
        passed = tuple(t for t in temperatures if t >= temperature)
        yield AnnealedMinimization(start=start, temperatures=passed), score


def _neighbors(X: Any, masses: FloatArray) -> Weights:
    """The 10 nearest, in units of the standard deviations of the features."""
    scales = unit_scales(X, masses)
    return ScaledWeights(NeighborWeights(), scales) if scales.any() else NeighborWeights()


def _constant_loss(sets: LabelSets, loss: FiniteLoss, masses: FloatArray) -> float:
    """What the best single prediction for all rows costs at the nearest members of their sets."""
    told = sets.informative
    mask = sets.mask[told]
    paid = [np.where(mask, row, np.inf).min(axis=1) for row in loss.matrix]
    return float(min(np.average(losses, weights=masses[told]) for losses in paid))


def _warn(reason: str, advice: str) -> None:
    warnings.warn(
        f"weights='auto': {reason}; the 10 nearest neighbours vote, on features of unit variance. "
        f"{advice}",
        UserWarning,
        stacklevel=5,
    )
