"""Weights chosen without truth: by how often held-out sets are missed.

Some rows are hidden (their sets allow everything), all are disambiguated with the votes at hand,
and the others' votes predict the hidden rows; what the predictions cost at the nearest member of
the hidden sets is the score of the votes. The kernel matrix of a bandwidth serves all its ridges.
"""

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import numpy as np
from sklearn.base import clone

from disambig.candidates import LabelSets
from disambig.estimators.inputs import Kept, take_inputs
from disambig.losses import FiniteLoss, SoftFaces
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers import AnnealedMinimization, Solver, resolve_solver
from disambig.votes import Votes
from disambig.weights import (
    KernelRidgeWeights,
    NadarayaWatsonWeights,
    NeighborWeights,
    NystromWeights,
    Weights,
    is_affordable,
    row_kinds,
)

__all__ = ["Trial", "automatic_weights", "choose_weights"]

# Kernels with their bandwidths, in units of the median distance.
_KERNELS = {"gaussian": (0.35, 0.7, 1.4), "laplacian": (0.25, 0.5, 1.0)}
_RIDGES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
_NEIGHBORS = (5, 15, 40)
# The choice is made on so many rows at most: it costs the same whatever n is.
_LARGEST_SAMPLE = 1500
_FOLDS = 3
_LANDMARKS = 1000
# From fewer informative rows a choice between 33 is chance.
_FEWEST = 30
# Enough to tell votes from each other; the fit itself takes the solver's own schedule.
_SHORT = {"temperatures": tuple(np.geomspace(1.0, 0.02, 6).tolist()), "sweeps": 2}


class Trial(NamedTuple):
    """One weighting, and the mean loss of its predictions to the nearest member of hidden sets."""

    weights: Weights
    held_out_loss: float


def automatic_weights(
    weights: Any, X: Any, kept: Kept, sets: LabelSets, loss: FiniteLoss, solver: Any, method: str
) -> tuple[Any, tuple[Trial, ...]]:
    """What the user asked for, or if that is "auto" what `choose_weights` finds; and its trials."""
    if not isinstance(weights, str) or weights != "auto":
        return weights, ()
    if method != "disambiguation":
        raise ValueError(
            f"weights='auto' chooses for method='disambiguation'; got method={method!r}. Name the "
            "weights: 'poisson' or 'laplacian' for few labels, 'kernel_ridge' for many sets."
        )
    inputs = X if kept.everything else take_inputs(X, kept.rows, None)
    return choose_weights(inputs, sets[kept.rows], loss, resolve_solver(solver), kept.masses)


def choose_weights(
    X: Any,
    sets: LabelSets,
    loss: FiniteLoss,
    solver: Solver,
    masses: FloatArray,
) -> tuple[Weights, tuple[Trial, ...]]:
    """The weighting, unfitted, whose votes miss the fewest hidden sets; and all trials, best first.

    Kernel ridge of two kernels at three bandwidths and five ridges, and three numbers of
    neighbours. The earlier one wins a tie. Where few rows exclude a class, or nothing predicts
    better than a constant, the 10 nearest neighbours vote, and a warning says so. Nothing here is
    random: the sample of rows and the folds go by a hash of the inputs, so that the order of the
    rows is no matter.

    Parameters
    ----------
    X : (n, d)
    sets : LabelSets of n rows
    loss : FiniteLoss
    solver : Solver
        A piece whose targets are laws on the classes.
    masses : float (n,)
    """
    n = len(sets)
    if not sets.informative.any():
        # There is nothing to choose by, which is an error of its own further on.
        return NeighborWeights(), ()
    # Copies of a row stay together: the others would tell what is hidden.
    kinds = row_kinds(X)
    rows = np.flatnonzero(kinds < _LARGEST_SAMPLE)
    folds = kinds[rows] % _FOLDS
    sample = X if rows.size == n else take_inputs(X, rows, None)
    if isinstance(solver, AnnealedMinimization) and solver.temperatures is None:
        solver = cast(Solver, clone(solver).set_params(**_SHORT))
    trials = [
        Trial(
            _for_all_rows(piece, n),
            # w copies of a row listen w times.
            held_out_loss(
                piece.training_votes().scale_rows(masses[rows]),
                sets[rows],
                loss,
                solver,
                folds,
                masses[rows],
            ),
        )
        for piece in _fitted_pieces(sample, masses[rows])
    ]
    trials.sort(key=lambda trial: trial.held_out_loss)
    told = sets[rows].informative
    constant = _constant_loss(sets[rows][np.flatnonzero(told)], loss, masses[rows][told])
    if np.count_nonzero(told) < _FEWEST or trials[0].held_out_loss >= constant:
        warnings.warn(
            f"weights='auto': {np.count_nonzero(told)} rows exclude a class, and that is too "
            "little to choose weights by; the 10 nearest neighbours vote. For few labels use "
            "'poisson' or 'laplacian' with method='average'.",
            UserWarning,
            stacklevel=4,
        )
        return NeighborWeights(), tuple(trials)
    return trials[0].weights, tuple(trials)


def _constant_loss(sets: LabelSets, loss: FiniteLoss, masses: FloatArray) -> float:
    """What the best single prediction for all rows costs at the nearest members of their sets."""
    paid = [np.where(sets.mask, row, np.inf).min(axis=1) for row in loss.matrix]
    return float(min(np.average(losses, weights=masses) for losses in paid))


def held_out_loss(
    votes: Votes,
    sets: LabelSets,
    loss: FiniteLoss,
    solver: Solver,
    folds: IntArray,
    masses: FloatArray,
) -> float:
    """The mean of ``min_{y in s_i} loss(z_i, y)`` over rows whose sets were hidden."""
    own = votes.diagonal()[:, None]
    paid = np.zeros(len(sets))
    for fold in range(int(folds.max()) + 1):
        hidden = folds == fold
        law = _laws(votes, _without(sets, hidden), loss, solver)
        # The row's own vote repeats what it was given, which is nothing.
        heard = (votes @ law - own * law)[hidden]
        predicted = (heard @ loss.matrix.T).argmin(axis=1)
        losses = np.where(sets.mask[hidden], loss.matrix[predicted], np.inf)
        paid[hidden] = losses.min(axis=1)
    counted = sets.informative
    return float(np.average(paid[counted], weights=masses[counted]))


def _laws(votes: Votes, sets: LabelSets, loss: FiniteLoss, solver: Solver) -> FloatArray:
    targets = cast(SoftFaces, solver.solve(Problem(votes, loss, sets)).targets)
    return targets.distribution


def _without(sets: LabelSets, hidden: BoolArray) -> LabelSets:
    return LabelSets(sets.mask | hidden[:, None], sets.classes)


def _fitted_pieces(X: Any, masses: FloatArray) -> Iterator[Weights]:
    weights = None if (masses == 1).all() else masses
    for kernel, factors in _KERNELS.items():
        # What this weighting does first is all that is wanted of it: the median distance.
        median = float(cast(float, NadarayaWatsonWeights(kernel).fit(X, weights).bandwidth_))
        for factor in factors:
            first = KernelRidgeWeights(
                kernel, bandwidth=factor * median, regularization=_RIDGES[0]
            ).fit(X, weights)
            yield first
            for ridge in _RIDGES[1:]:
                yield first.at_regularization(ridge)
    for k in _NEIGHBORS:
        if k < X.shape[0]:
            yield NeighborWeights(k).fit(X, weights)


def _for_all_rows(piece: Weights, n: int) -> Weights:
    """The same, unfitted: through landmarks where the kernel matrix of all rows is too large."""
    if isinstance(piece, KernelRidgeWeights) and not is_affordable(n):
        return NystromWeights(
            piece.kernel,
            n_landmarks=_LANDMARKS,
            bandwidth=piece.bandwidth,
            regularization=piece.regularization,
        )
    return cast(Weights, clone(piece))
