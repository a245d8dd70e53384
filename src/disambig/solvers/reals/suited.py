"""Which solver suits a problem on intervals."""

from disambig.losses import SquaredLoss
from disambig.real_problem import RealProblem
from disambig.solvers.reals.accelerated import AcceleratedRegression
from disambig.solvers.reals.alternating import AlternatingRegression
from disambig.solvers.reals.linear import LinearProgramRegression
from disambig.solvers.reals.newton import NewtonRegression
from disambig.solvers.reals.solution import RealSolver

__all__ = ["suited_solver"]


def suited_solver(problem: RealProblem) -> RealSolver:
    """The one that finds the global optimum, or alternation where there is none to be had."""
    if not problem.is_convex:
        return AlternatingRegression()
    if not isinstance(problem.loss, SquaredLoss):
        return LinearProgramRegression()
    form = problem.quadratic
    small = form is not None and form.array is not None
    return NewtonRegression() if small else AcceleratedRegression()
