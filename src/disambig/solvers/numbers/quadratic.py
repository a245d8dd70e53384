"""The global optimum for the squared loss: by Newton steps, or by products with the votes."""

from sklearn.base import BaseEstimator

from disambig.candidates.numbers.mean_bounds import MeanBounds
from disambig.exceptions import MissingOracleError
from disambig.notation import FloatArray
from disambig.number_problem import NumberProblem
from disambig.parameters import check_integer, check_number
from disambig.solvers.boxes import BoxSolution, accelerated, projected_newton
from disambig.solvers.loop import Callback
from disambig.solvers.numbers.columns import BoxColumn, convex_form, persistent_stop, solve_columns
from disambig.solvers.numbers.means import solve_with_means
from disambig.solvers.numbers.solution import check_numbers, earlier_targets
from disambig.solvers.solution import Solution

# Steps of alternation from an earlier solution, before Newton steps.
_WARM_ALTERNATIONS = 2


class AcceleratedRegression(BaseEstimator):
    """The optimum of ``y' Q y`` over the intervals by products with the votes alone.

    It is meant for so many rows that the quadratic form does not fit into a dense array. Optima can
    differ by a constant in each group of rows that votes connect: the one nearest to the middles of
    the intervals is returned. Known means of bags are kept by projected gradients, with an exact
    projection; of several optima it is the one that these reach.

    Parameters
    ----------
    max_iter : int, default 20000
        Maximum number of steps, of one or two products each.
    tol : float, default 1e-9
        The run ends at this scaled residual of the optimality conditions.

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

    def solve(
        self,
        problem: NumberProblem,
        *,
        start: Solution | None = None,
        callback: Callback | None = None,
    ) -> Solution:
        """Disambiguate; see `disambig.solvers.Solver`."""
        first = _checked(self, problem, start)
        form, sets = convex_form(problem, type(self).__name__)
        if isinstance(sets, MeanBounds):
            return solve_with_means(problem, sets, form, first, self.tol, self.max_iter, callback)
        components = form.components if form.shift_invariant else None

        column_callback = persistent_stop(callback)

        diagonal = form.diagonal()

        def solve_column(
            column: BoxColumn, start: FloatArray, reference: FloatArray
        ) -> BoxSolution:
            return accelerated(
                form,
                column.lower,
                column.upper,
                start,
                reference=reference,
                diagonal=diagonal,
                anchor=column.anchor,
                null_space=components,
                tol=self.tol,
                max_iter=self.max_iter,
                callback=column_callback,
            )

        return solve_columns(problem, sets, form, solve_column, first)


class NewtonRegression(BaseEstimator):
    """The optimum of ``y' Q y`` over the intervals by Newton steps on the free targets.

    It takes a few steps, each with one factorisation of the rows of ``Q`` whose target is not at an
    end. If the optimum is not unique, for example up to a constant, the one nearest to the middles
    of the intervals is returned.

    Parameters
    ----------
    max_iter : int, default 200
        Maximum number of steps.
    tol : float, default 1e-10
        The run ends at this scaled residual of the optimality conditions.

    Examples
    --------
    >>> from disambig import IntervalRegressor
    >>> X, y = [[0.0], [1.0], [2.0]], [[0, 1], [0.5, 4], [2, 2]]
    >>> model = IntervalRegressor("kernel_ridge", solver="newton").fit(X, y)
    >>> model.certified_, model.residual_ < 1e-8
    (True, True)
    """

    def __init__(self, *, max_iter: int = 200, tol: float = 1e-10) -> None:
        self.max_iter = max_iter
        self.tol = tol

    def solve(
        self,
        problem: NumberProblem,
        *,
        start: Solution | None = None,
        callback: Callback | None = None,
    ) -> Solution:
        """Disambiguate; see `disambig.solvers.Solver`.

        A warm start makes two steps of alternation first, which the trace does not count: they
        cost a product with the votes each, a Newton step a factorisation.
        """
        first = _checked(self, problem, start)
        form, sets = convex_form(problem, type(self).__name__)
        if first is not None:
            first = _alternated(problem, first)
        if form.array is None:
            raise MissingOracleError(
                f"NewtonRegression: the quadratic form of {form.shape[0]} rows is too large for a "
                "dense array. Use solver='accelerated'."
            )
        matrix = form.array

        column_callback = persistent_stop(callback)

        def solve_column(
            column: BoxColumn, start: FloatArray, reference: FloatArray
        ) -> BoxSolution:
            return projected_newton(
                matrix,
                column.lower,
                column.upper,
                start,
                reference=reference,
                anchor=column.anchor,
                tol=self.tol,
                max_iter=self.max_iter,
                callback=column_callback,
            )

        return solve_columns(problem, sets, form, solve_column, first)


def _alternated(problem: NumberProblem, targets: FloatArray) -> FloatArray:
    """Targets after a few steps of alternation, which find out which ends of new sets are reached.

    The targets of an earlier optimum move only near rows whose set is another one. Newton steps
    alone took twice as many from there.
    """
    for _ in range(_WARM_ALTERNATIONS):
        targets = problem.targets(problem.predictions(targets), targets)
    return targets


def _checked(
    solver: AcceleratedRegression | NewtonRegression, problem: NumberProblem, start: Solution | None
) -> FloatArray | None:
    """Check parameters and problem; the targets of an earlier solution, or None."""
    name = type(solver).__name__
    check_numbers(problem, name, keeps_means=isinstance(solver, AcceleratedRegression))
    check_integer(name, "max_iter", solver.max_iter, least=1)
    check_number(name, "tol", solver.tol, positive=False)
    return None if start is None else earlier_targets(problem, start, name)
