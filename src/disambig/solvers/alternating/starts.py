"""Where to begin: from a name or an array to the first predictions."""

from typing import Any

import numpy as np

from disambig.compiled.sets import growing_intersection
from disambig.exceptions import MissingOracleError
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.protocol import Faces, RowSteps
from disambig.problem import Problem

# Neighbours whose sets are intersected at most; a few dozen sets of a non-ambiguous problem leave
# one class with a probability exponentially close to one.
_NEIGHBORHOOD = 100


def start_names(start: Any) -> list[tuple[str, Any]]:
    """``(name, start)`` of one start or of a list or tuple of them."""
    starts = list(start) if isinstance(start, (list, tuple)) else [start]
    if not starts:
        raise ValueError("start is empty; give at least one of 'average', 'infimum', ...")
    return [(s if isinstance(s, str) else f"array {k}", s) for k, s in enumerate(starts)]


def automatic_start(problem: Problem) -> str:
    """The paper's start: the mean of each set under the 0-1 loss, ``"infimum"`` elsewhere.

    The mean of a set can favour a prediction that suits none of its members: an abstention, or
    the middle of an ordinal scale. The loss to the nearest member cannot; where a loss does not
    offer that start, the mean it is.
    """
    if isinstance(problem.loss, FiniteLoss):
        return "average" if problem.loss.is_zero_one else "infimum"
    try:
        problem.loss.start(problem.candidates, "infimum")
    except MissingOracleError:
        return "average"
    return "infimum"


def first_predictions(problem: Problem, start: Any) -> Faces:
    """The predictions that a start calls for.

    Parameters
    ----------
    problem : Problem
    start : str or array (n, p)
        ``"average"`` and ``"infimum"`` are score matrices ``V`` of the loss, and so is an array;
        the first predictions are those that ``A @ V`` calls for. ``"measure"`` (finite losses) is
        the score matrix of the signed measures of Definition 5. ``"intersection"`` (finite losses)
        takes at each row the classes common to a growing neighbourhood, appendix B.1 of the paper.
    """
    if isinstance(start, str):
        if start == "intersection":
            return _intersection(problem)
        return _from_scores(problem, problem.loss.start(problem.candidates, start))
    scores = np.asarray(start, dtype=np.float64)
    expected = problem.loss.start(problem.candidates, "average").shape
    if scores.shape != expected:
        raise ValueError(
            f"start has shape {scores.shape}; expected {expected}: one row a sample, one column a "
            "prediction, the smaller the better."
        )
    if not np.isfinite(scores).all():
        row = int(np.argwhere(~np.isfinite(scores))[0, 0])
        raise ValueError(f"start holds NaN or infinity, first in row {row}.")
    return _from_scores(problem, scores)


def first_row_predictions(problem: Problem, steps: RowSteps, start: Any) -> Faces:
    """The same predictions by row steps where they know the start."""
    found: Faces | None = None
    if isinstance(start, str):
        found = steps.first_predictions(start, problem.rtol)
    return first_predictions(problem, start) if found is None else found


def _from_scores(problem: Problem, scores: Any) -> Faces:
    # Rounding follows the start, not the loss: it may lie outside the hulls, and a row that says
    # nothing (a whole set) must not hide a faint vote of one that does.
    tolerance = problem.rtol * problem.votes.absolute_row_sums(np.abs(scores).max(axis=1))
    return problem.loss.best_prediction(problem.votes @ scores, tolerance)


def _intersection(problem: Problem) -> Faces:
    if not isinstance(problem.loss, FiniteLoss):
        raise MissingOracleError(
            f"start='intersection' needs a finite loss; {type(problem.loss).__name__} is none. "
            "Use start='average'."
        )
    order = problem.votes.strongest(min(_NEIGHBORHOOD, problem.votes.shape[1]))
    common = growing_intersection(order, problem.candidates.mask)
    return problem.loss.compatible_predictions(common)
