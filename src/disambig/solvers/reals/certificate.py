"""How far targets are from the optimality conditions of their problem."""

from disambig.candidates import Intervals
from disambig.notation import FloatArray
from disambig.real_problem import RealProblem
from disambig.solvers.boxes.quadratic import box_quadratic
from disambig.solvers.reals.columns import box_columns
from disambig.solvers.reals.solution import CERTIFIED

__all__ = ["optimality_residual"]


def optimality_residual(
    problem: RealProblem, targets: FloatArray, start: FloatArray
) -> float | None:
    """`scaled_kkt` of the worst column; None if the problem is no quadratic one on intervals.

    The start gives the unit, as in the convex solvers: targets that all can be zero would
    themselves be none.
    """
    form = problem.quadratic
    if form is None or not isinstance(problem.sets, Intervals):
        return None
    diagonal = form.diagonal()
    residuals = []
    for k, column in enumerate(box_columns(problem, problem.sets, form)):
        y = targets[:, k] - column.shift
        first = start[:, k] - column.shift
        box = box_quadratic(form, diagonal, column.lower, column.upper, first, CERTIFIED)
        residuals.append(box.at(box.clip(y)).kkt)
    return max(residuals)
