"""A convex quadratic problem column by column, in coordinates that keep their digits.

What the solvers of box-constrained convex quadratics share: the way in and the way out.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from disambig.candidates import Intervals
from disambig.exceptions import ConvergenceWarning, MissingOracleError
from disambig.notation import FloatArray
from disambig.number_problem import NumberProblem
from disambig.quadratic_forms import QuadraticForm
from disambig.solvers.boxes import BoxSolution
from disambig.solvers.loop import Callback, Progress, Status
from disambig.solvers.numbers.solution import CERTIFIED, NumberSolution


@dataclass(frozen=True, eq=False)
class BoxColumn:
    """One column: bounds, what to be near to, and the shift that was taken off all of them."""

    lower: FloatArray
    upper: FloatArray
    anchor: FloatArray
    shift: float


def box_columns(
    problem: NumberProblem, sets: Intervals, form: QuadraticForm
) -> Iterator[BoxColumn]:
    """The columns of a problem on intervals."""
    # Where a constant costs nothing, the middle of the span becomes zero: targets around 1e6 that
    # differ by 1 would lose six digits in y' Q y.
    middles = problem.span.mean(axis=1) if form.shift_invariant else np.zeros(sets.n_columns)
    centers = sets.centers
    for column, shift in enumerate(middles):
        yield BoxColumn(
            sets.lower[:, column] - shift,
            sets.upper[:, column] - shift,
            centers[:, column] - shift,
            float(shift),
        )


def convex_form(problem: NumberProblem, solver: str) -> tuple[QuadraticForm, Intervals]:
    """The form and the intervals of a convex quadratic problem; refuse any other."""
    form = problem.quadratic
    if form is None or not form.is_convex or not isinstance(problem.sets, Intervals):
        if not isinstance(problem.sets, Intervals):
            why = "unions of intervals make it combinatorial. Use solver='auto' or 'unions'"
        elif form is None:
            why = (
                "its loss is not the squared one, or a row of votes sums to nothing positive, or "
                "its votes are too many to be looked at. Use solver='auto' or 'alternating', or "
                "KernelRidgeWeights(intercept=True)"
            )
        else:
            why = (
                "votes of both signs bend it the other way. Use solver='auto' or 'alternating', "
                "KernelRidgeWeights(intercept=True), or formulation='risk'"
            )
        raise MissingOracleError(f"{solver}: the problem is no convex quadratic one: {why}.")
    return form, problem.sets


def lasting(callback: Callback | None) -> Callback | None:
    """The callback, whose word to stop holds for all columns that follow."""
    if callback is None:
        return None
    stopped = False

    def hears(progress: Progress) -> bool:
        nonlocal stopped
        stopped = stopped or bool(callback(progress))
        return stopped

    return hears


def solve_columns(
    problem: NumberProblem,
    sets: Intervals,
    form: QuadraticForm,
    keep_unless_better: Callable[[BoxColumn, FloatArray], BoxSolution],
) -> NumberSolution:
    """Settle every column, and put the columns together."""
    start = problem.first_targets("average")
    targets = np.empty_like(start)
    found: list[BoxSolution] = []
    for k, column in enumerate(box_columns(problem, sets, form)):
        found.append(keep_unless_better(column, start[:, k] - column.shift))
        targets[:, k] = found[-1].y + column.shift
    # The shift rounds: a target at an end must be that end.
    targets = np.clip(targets, sets.lower, sets.upper)
    predictions = problem.predictions(targets)
    trace: tuple[Progress, ...] = sum((one.trace for one in found), ())
    statuses = [one.status for one in found]
    worst = next((s for s in (Status.STOPPED, Status.MAX_ITER) if s in statuses), Status.CONVERGED)
    residual = max(one.kkt for one in found)
    if worst is Status.MAX_ITER and residual <= CERTIFIED:
        # Short of the tolerance that was asked for, by rounding; not of an optimum.
        worst = Status.CONVERGED
    elif worst is Status.MAX_ITER:
        warnings.warn(
            f"The optimality conditions are met only to a scaled residual of {residual:.1e}; the "
            "targets are usable and may improve with a larger max_iter.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return NumberSolution(
        targets=targets,
        predictions=predictions,
        objective=problem.objective(targets, predictions),
        residual=residual,
        is_convex=True,
        start="average",
        status=worst,
        n_iter=max(one.n_iter for one in found),
        trace=trace,
    )
