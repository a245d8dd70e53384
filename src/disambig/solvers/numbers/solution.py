"""Solutions with real targets: which of them are unique, and which problems have them."""

from typing import Any

import numpy as np

from disambig.candidates.numbers.mean_bounds import MeanBounds
from disambig.exceptions import MissingOracleError
from disambig.losses.numbers.points import Points
from disambig.notation import BoolArray, FloatArray
from disambig.number_problem import NumberProblem
from disambig.solvers.loop import Progress, Status
from disambig.solvers.solution import Certificate, Solution, check_start
from disambig.votes.entries import tie_tolerance


def check_numbers(problem: Any, solver: str, *, keeps_means: bool = False) -> None:
    """Raise `MissingOracleError` unless the targets are numbers, and the solver keeps their means.

    `MeanBounds` couple rows; a solver that chooses each target on its own would lose them.
    """
    if not isinstance(problem, NumberProblem):
        raise MissingOracleError(
            f"{solver} solves problems whose targets are numbers; got {type(problem).__name__}. "
            "Use 'alternating', 'annealed' or 'frank_wolfe' for labels, bits and orders."
        )
    if isinstance(problem.sets, MeanBounds) and not keeps_means:
        raise MissingOracleError(
            f"{solver} would lose the means of bags, a constraint over rows. Use solver='auto' "
            "or 'accelerated' with the squared loss and weights without negative votes, or "
            "kernel ridge."
        )


def earlier_targets(problem: NumberProblem, start: Solution, solver: str) -> FloatArray:
    """The targets of an earlier solution, moved into the sets of this problem, ``(n, d)``."""
    expected = len(problem.sets), problem.sets.n_columns
    return problem.sets.nearest(check_start(start, expected, solver))


def number_solution(
    problem: NumberProblem,
    targets: FloatArray,
    *,
    start: str,
    status: Status,
    n_iter: int,
    trace: tuple[Progress, ...],
    residual: float | None = None,
    is_convex: bool | None = None,
    single: BoolArray | None = None,
    predictions: FloatArray | None = None,
) -> Solution:
    """A solution with the best predictions for its targets.

    Parameters
    ----------
    problem : NumberProblem
    targets : float array (n, d)
    start, status, n_iter, trace
        See `Solution`.
    residual : float, optional
        See `Certificate`.
    is_convex : bool, optional
        By default that of the problem.
    single : bool array (n,), optional
        Rows whose target is known to be the only optimal one; by default those that `cannot_move`.
    predictions : float array (n, d), optional
        Of several best predictions, those nearest to these are used.
    """
    predictions = problem.predictions(targets, predictions)
    if single is None:
        single = cannot_move(problem, predictions)
    points = Points(targets, single=problem.sets.is_point | (single & problem.has_votes))
    objective = problem.objective(targets, predictions)
    return Solution(
        targets=points,
        decoded=points,
        relaxed_objective=objective,
        objective=objective,
        start=start,
        status=status,
        n_iter=n_iter,
        trace=trace,
        tie_tolerance=tie_tolerance(problem.votes.absolute_row_sums().dtype),
        certificate=Certificate(problem.is_convex if is_convex is None else is_convex, residual),
    )


def cannot_move(problem: NumberProblem, predictions: FloatArray) -> BoolArray:
    """Rows of which only one target is optimal for the predictions, ``(n,)``.

    Rows that could move together with predictions or with each other are among them: without a
    proof of the optimum these are not known.
    """
    # Of several optimal targets a step takes the nearest to a given one: those from both ends of
    # the set agree if there is one only.
    ends = problem.sets.within(problem.span).hull
    lowest = problem.targets(predictions, ends.lower)
    highest = problem.targets(predictions, ends.upper)
    width = np.ptp(problem.span, axis=1)
    tolerance = tie_tolerance(problem.votes.absolute_row_sums().dtype)
    return np.asarray((np.abs(highest - lowest) <= tolerance * width).all(axis=1))
