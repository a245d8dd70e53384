"""The solver that suits a problem: the global optimum wherever it can be had."""

from sklearn.base import BaseEstimator

from disambig.candidates import Intervals
from disambig.real_problem import RealProblem
from disambig.solvers.loop import Callback
from disambig.solvers.reals.solution import RealSolution
from disambig.solvers.reals.suited import suited_solver
from disambig.solvers.reals.unions import UnionRegression

__all__ = ["AutomaticRegression"]


class AutomaticRegression(BaseEstimator):
    """The solver that suits the problem.

    Convex problems are solved to the global optimum: by `NewtonRegression` where the quadratic
    form can be written out, by `AcceleratedRegression` where it cannot, by
    `LinearProgramRegression` under the absolute and the pinball loss. Votes of both signs can make
    a problem that is not convex: `AlternatingRegression` then finds a local optimum, and
    `UnionRegression` where the sets are unions of intervals.

    Examples
    --------
    >>> from disambig import IntervalRegressor
    >>> X, y = [[0.0], [1.0], [2.0]], [[0, 1], [0.5, 4], [2, 2]]
    >>> IntervalRegressor(solver="auto").fit(X, y).certified_
    True
    """

    def solve_reals(
        self, problem: RealProblem, *, callback: Callback | None = None
    ) -> RealSolution:
        """Disambiguate."""
        on_intervals = isinstance(problem.sets, Intervals)
        solver = suited_solver(problem) if on_intervals else UnionRegression()
        return solver.solve_reals(problem, callback=callback)
