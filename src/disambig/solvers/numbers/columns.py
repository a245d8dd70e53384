"""What the solvers of convex quadratic problems share: they solve column by column.

`convex_form` checks the problem, `box_columns` gives its columns, centred so that digits are not
lost, and `solve_columns` solves them and joins the results.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from disambig.candidates import Intervals
from disambig.candidates.numbers.mean_bounds import MeanBounds
from disambig.exceptions import ConvergenceWarning, MissingOracleError, warn
from disambig.notation import FloatArray
from disambig.number_problem import NumberProblem, first_targets
from disambig.quadratic_forms import QuadraticForm
from disambig.solvers.boxes import BoxSolution
from disambig.solvers.loop import Callback, Progress, Status
from disambig.solvers.numbers.solution import number_solution
from disambig.solvers.solution import CERTIFIED, Solution


@dataclass(frozen=True, eq=False)
class BoxColumn:
    """One column: bounds, the anchor among several optima, and the shift subtracted from them."""

    lower: FloatArray
    upper: FloatArray
    anchor: FloatArray
    shift: float


def box_columns(
    problem: NumberProblem, sets: Intervals | MeanBounds, form: QuadraticForm
) -> Iterator[BoxColumn]:
    """The columns of a problem whose sets are intervals."""
    # If adding a constant changes nothing, the middle of the span is moved to zero: y' Q y would
    # lose six digits for targets around 1e6 that differ by 1.
    middles = problem.span.mean(axis=1) if form.shift_invariant else np.zeros(sets.n_columns)
    centers = sets.centers
    for column, shift in enumerate(middles):
        yield BoxColumn(
            sets.lower[:, column] - shift,
            sets.upper[:, column] - shift,
            centers[:, column] - shift,
            float(shift),
        )


def convex_form(
    problem: NumberProblem, solver: str
) -> tuple[QuadraticForm, Intervals | MeanBounds]:
    """The form and the sets of a convex quadratic problem on intervals; raises for any other."""
    form = problem.quadratic
    if form is None or not form.is_convex or not isinstance(problem.sets, (Intervals, MeanBounds)):
        if isinstance(problem.sets, MeanBounds):
            reason = (
                "means of bags are kept where the loss is squared and the problem is convex. Use "
                "loss='squared', and kernel ridge or weights without negative votes"
            )
        elif not isinstance(problem.sets, Intervals):
            reason = "unions of intervals make it combinatorial. Use solver='auto' or 'unions'"
        elif form is None:
            reason = (
                "its loss is not the squared one, or the votes of a row do not sum to a positive "
                "number, or there are too many votes to check convexity. Use solver='auto' or "
                "'alternating', or KernelRidgeWeights(intercept=True)"
            )
        else:
            reason = (
                "negative votes make it non-convex. Use solver='auto' or 'alternating', "
                "KernelRidgeWeights(intercept=True), or formulation='risk'"
            )
        raise MissingOracleError(f"{solver}: the problem is no convex quadratic one: {reason}.")
    return form, problem.sets


def persistent_stop(callback: Callback | None) -> Callback | None:
    """The callback; once it has returned True, it stops all following columns too."""
    if callback is None:
        return None
    stopped = False

    def persistent(progress: Progress) -> bool:
        nonlocal stopped
        stopped = stopped or bool(callback(progress))
        return stopped

    return persistent


def solve_columns(
    problem: NumberProblem,
    sets: Intervals | MeanBounds,
    form: QuadraticForm,
    solve_column: Callable[[BoxColumn, FloatArray, FloatArray], BoxSolution],
    first: FloatArray | None,
) -> Solution:
    """Solve every column with `solve_column`, and join the results.

    `solve_column` gets a column, the point to start from and one that gives the unit of residuals.
    `first` are the targets ``(n, d)`` to start from; None: those of the average loss, which also
    give the unit.
    """
    if isinstance(sets, MeanBounds):
        unit = sets.nearest(problem.first_predictions("average"))
    else:
        unit = first_targets(problem, "average")
    start = unit if first is None else first
    targets = np.empty_like(unit)
    found: list[BoxSolution] = []
    for k, column in enumerate(box_columns(problem, sets, form)):
        found.append(solve_column(column, start[:, k] - column.shift, unit[:, k] - column.shift))
        targets[:, k] = found[-1].y + column.shift
    # Adding the shift rounds: a target at an end must be exactly that end.
    targets = np.clip(targets, sets.lower, sets.upper)
    trace: tuple[Progress, ...] = sum((solution.trace for solution in found), ())
    statuses = [solution.status for solution in found]
    worst = next((s for s in (Status.STOPPED, Status.MAX_ITER) if s in statuses), Status.CONVERGED)
    residual = max(solution.kkt for solution in found)
    if worst is Status.MAX_ITER and residual <= CERTIFIED:
        # Rounding kept the run from reaching the tolerance, but this is an optimum.
        worst = Status.CONVERGED
    elif worst is Status.MAX_ITER:
        warn(
            f"The optimality conditions are met only to a scaled residual of {residual:.1e}; the "
            "targets are usable and may improve with a larger max_iter.",
            ConvergenceWarning,
        )
    return number_solution(
        problem,
        targets,
        start="average" if first is None else "warm",
        status=worst,
        n_iter=max(solution.n_iter for solution in found),
        trace=trace,
        residual=residual,
        is_convex=True,
        single=np.logical_and.reduce([solution.single for solution in found]),
    )
