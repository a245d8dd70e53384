"""Starts of alternating minimisation: from a name or an array to the first predictions."""

from typing import Any

import numpy as np

from disambig.compiled.sets import growing_intersection
from disambig.exceptions import MissingOracleError
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.orders.protocol import BoundOrderLoss
from disambig.losses.protocol import Faces, RowSteps
from disambig.problem import Problem
from disambig.solvers.solution import Solution, check_start

# The largest number of neighbours whose sets are intersected. In a non-ambiguous problem the
# probability that a few dozen sets share more than one class is exponentially small.
_MAX_NEIGHBORS = 100


def start_names(start: Any) -> list[tuple[str, Any]]:
    """``(name, start)`` of one start, or of each in a list or tuple of them."""
    starts = list(start) if isinstance(start, (list, tuple)) else [start]
    if not starts:
        raise ValueError("start is empty; give at least one of 'average', 'infimum', ...")
    return [(s if isinstance(s, str) else f"array {k}", s) for k, s in enumerate(starts)]


def automatic_start(problem: Problem) -> str:
    """``"average"`` under the 0-1 loss, as in the paper; ``"infimum"`` for other losses.

    The mean of a set can favour a prediction that suits none of its members: an abstention, or
    the middle of an ordinal scale. The loss to the nearest member cannot. A loss that does not
    offer ``"infimum"`` starts from ``"average"``.
    """
    if isinstance(problem.loss, FiniteLoss):
        return "average" if problem.loss.is_zero_one else "infimum"
    try:
        problem.loss.start(problem.candidates, "infimum")
    except MissingOracleError:
        return "average"
    return "infimum"


def first_predictions(problem: Problem, start: Any) -> Faces:
    """The best predictions for a start.

    Parameters
    ----------
    problem : Problem
    start : str, array (n, p) or Solution
        ``"average"`` and ``"infimum"`` are score matrices ``V`` of the loss, and so is an array;
        the first predictions minimise the scores ``A @ V``. ``"measure"`` (finite losses) is the
        score matrix of the signed measures of Definition 5. ``"intersection"`` (finite losses)
        takes at each row the classes common to a growing neighbourhood, appendix B.1 of the paper.
        An earlier solution is the score matrix of its targets.
    """
    if isinstance(start, Solution):
        expected = _start_shape(problem)
        return _from_scores(problem, check_start(start, expected, "AlternatingMinimization"))
    if isinstance(start, str):
        if start == "intersection":
            return _intersection(problem)
        return _from_scores(problem, problem.loss.start(problem.candidates, start))
    scores = np.asarray(start, dtype=np.float64)
    expected = _start_shape(problem)
    if scores.shape != expected:
        raise ValueError(
            f"start has shape {scores.shape}; expected {expected}: one row per sample, one column "
            "per prediction, the smaller the better."
        )
    if not np.isfinite(scores).all():
        row = int(np.argwhere(~np.isfinite(scores))[0, 0])
        raise ValueError(f"start has NaN or infinity, first in row {row}; expected finite numbers.")
    return _from_scores(problem, scores)


def _start_shape(problem: Problem) -> tuple[int, int]:
    """``(n, p)``, the shape of a start."""
    loss = problem.loss
    if isinstance(loss, BoundOrderLoss):
        # The mean over the orders of a set can be slow, or too large to compute.
        return len(problem.candidates), loss.phi(np.arange(loss.n_items)[None]).shape[1]
    n, p = loss.start(problem.candidates, "average").shape
    return n, p


def first_row_predictions(problem: Problem, steps: RowSteps, start: Any) -> Faces:
    """`first_predictions`, by row steps if they offer this start."""
    found: Faces | None = None
    if isinstance(start, str):
        found = steps.first_predictions(start, problem.rtol)
    return first_predictions(problem, start) if found is None else found


def _from_scores(problem: Problem, scores: Any) -> Faces:
    # The tolerance follows the size of the start, not that of the loss: a start may lie outside the
    # hulls. Unlabeled rows, whose scores are zero, add nothing to it, so that they do not hide a
    # small vote of an informative row.
    tolerance = problem.rtol * problem.votes.absolute_row_sums(np.abs(scores).max(axis=1))
    return problem.loss.best_prediction(problem.votes @ scores, tolerance)


def _intersection(problem: Problem) -> Faces:
    if not isinstance(problem.loss, FiniteLoss):
        raise MissingOracleError(
            f"start='intersection' needs a finite loss; got {type(problem.loss).__name__}. "
            "Use start='average'."
        )
    order = problem.votes.strongest(min(_MAX_NEIGHBORS, problem.votes.shape[1]))
    common = growing_intersection(order, problem.candidates.mask)
    return problem.loss.compatible_predictions(common)
