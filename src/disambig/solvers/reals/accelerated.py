"""The global optimum under the squared loss by products with the votes."""

from sklearn.base import BaseEstimator

from disambig.notation import FloatArray
from disambig.real_problem import RealProblem
from disambig.solvers.boxes import BoxSolution, accelerated
from disambig.solvers.loop import Callback
from disambig.solvers.reals.columns import BoxColumn
from disambig.solvers.reals.convex import convex_form, lasting, solve_columns
from disambig.solvers.reals.solution import RealSolution

__all__ = ["AcceleratedRegression"]


class AcceleratedRegression(BaseEstimator):
    """The optimum of ``y' Q y`` over the intervals by products with the votes alone.

    For votes that are too many to write the quadratic form out. Of several optima the one nearest
    to the middles of the intervals among those that differ by a constant in every group of rows
    that the votes connect.

    Parameters
    ----------
    max_iter : int, default 20000
        Steps, of one or two products each.
    tol : float, default 1e-9
        Scaled residual of the optimality conditions at which the run ends.

    Examples
    --------
    >>> from disambig import IntervalRegressor
    >>> from disambig.weights import NeighborWeights
    >>> X, y = [[0.0], [1.0], [2.0]], [[0, 1], [0.5, 4], [2, 2]]
    >>> model = IntervalRegressor(NeighborWeights(2), solver="accelerated").fit(X, y)
    >>> model.certified_
    True
    """

    def __init__(self, *, max_iter: int = 20_000, tol: float = 1e-9) -> None:
        self.max_iter = max_iter
        self.tol = tol

    def solve_reals(
        self, problem: RealProblem, *, callback: Callback | None = None
    ) -> RealSolution:
        """Disambiguate."""
        form, sets = convex_form(problem, type(self).__name__)
        groups = form.components if form.shift_invariant else None

        hears = lasting(callback)

        diagonal = form.diagonal()

        def settle(column: BoxColumn, start: FloatArray) -> BoxSolution:
            return accelerated(
                form,
                column.lower,
                column.upper,
                start,
                diagonal=diagonal,
                anchor=column.anchor,
                null_space=groups,
                tol=self.tol,
                max_iter=self.max_iter,
                callback=hears,
            )

        return solve_columns(problem, sets, form, settle)
