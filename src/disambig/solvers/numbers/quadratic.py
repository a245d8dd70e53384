"""The global optimum under the squared loss by products with the votes.

The global optimum under the squared loss by Newton steps.
"""

from sklearn.base import BaseEstimator

from disambig.exceptions import MissingOracleError
from disambig.notation import FloatArray
from disambig.number_problem import NumberProblem
from disambig.solvers.boxes import BoxSolution, accelerated, projected_newton
from disambig.solvers.loop import Callback
from disambig.solvers.numbers.columns import BoxColumn, convex_form, lasting, solve_columns
from disambig.solvers.numbers.solution import NumberSolution


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

    def solve_numbers(
        self, problem: NumberProblem, *, callback: Callback | None = None
    ) -> NumberSolution:
        """Disambiguate."""
        form, sets = convex_form(problem, type(self).__name__)
        groups = form.components if form.shift_invariant else None

        hears = lasting(callback)

        diagonal = form.diagonal()

        def keep_unless_better(column: BoxColumn, start: FloatArray) -> BoxSolution:
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

        return solve_columns(problem, sets, form, keep_unless_better)


class NewtonRegression(BaseEstimator):
    """The optimum of ``y' Q y`` over the intervals by Newton steps on the free targets.

    A handful of steps, each one factorisation of the rows of ``Q`` whose target is at no end.
    Where a constant (or any other direction) costs nothing the optimum is not unique: the one
    nearest to the middles of the intervals is returned.

    Parameters
    ----------
    max_iter : int, default 200
        Steps.
    tol : float, default 1e-10
        Scaled residual of the optimality conditions at which the run ends.

    Examples
    --------
    >>> from disambig import IntervalRegressor
    >>> X, y = [[0.0], [1.0], [2.0]], [[0, 1], [0.5, 4], [2, 2]]
    >>> model = IntervalRegressor(solver="newton").fit(X, y)
    >>> model.certified_, model.residual_ < 1e-8
    (True, True)
    """

    def __init__(self, *, max_iter: int = 200, tol: float = 1e-10) -> None:
        self.max_iter = max_iter
        self.tol = tol

    def solve_numbers(
        self, problem: NumberProblem, *, callback: Callback | None = None
    ) -> NumberSolution:
        """Disambiguate."""
        form, sets = convex_form(problem, type(self).__name__)
        if form.array is None:
            raise MissingOracleError(
                f"NewtonRegression: {form.shape[0]} rows of sparse votes are too many to write the "
                "quadratic form out. Use solver='accelerated'."
            )
        matrix = form.array

        hears = lasting(callback)

        def keep_unless_better(column: BoxColumn, start: FloatArray) -> BoxSolution:
            return projected_newton(
                matrix,
                column.lower,
                column.upper,
                start,
                anchor=column.anchor,
                tol=self.tol,
                max_iter=self.max_iter,
                callback=hears,
            )

        return solve_columns(problem, sets, form, keep_unless_better)
