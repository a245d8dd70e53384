"""The global optimum for the absolute and the pinball loss by a linear program."""

from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from disambig.candidates import Intervals
from disambig.exceptions import ConvergenceWarning, MissingOracleError, warn
from disambig.number_problem import NumberProblem, VotedProblem
from disambig.parameters import check_integer
from disambig.solvers.boxes.linear import LinearSolution, linear_program
from disambig.solvers.loop import Callback, Progress, Status
from disambig.solvers.numbers.solution import check_numbers, earlier_targets, number_solution
from disambig.solvers.solution import Solution
from disambig.votes.entries import tie_tolerance

# The gap is relative to the objective, or to this share of the loss over the whole span if that is
# larger: an optimum of zero has a gap of rounding errors, and must be certified too.
_MIN_OBJECTIVE_SHARE = 1e-7


class LinearProgramRegression(BaseEstimator):
    """The optimum of ``sum_ij A[i, j] loss(z_i, y_j)`` for non-negative votes, by HiGHS.

    Alternation nearly always ends above the optimum of these losses: it moves half of the variables
    at a time, and at a kink neither half can move alone. The program has one variable per vote:
    half a million votes take seconds, four million minutes and 4 GB. Its optimum is seldom unique.

    Parameters
    ----------
    max_iter : int, optional
        Maximum number of iterations of the linear program; by default unlimited.

    Examples
    --------
    >>> from disambig import IntervalRegressor
    >>> X, y = [[0.0], [1.0], [2.0]], [[0, 1], [0.5, 4], [2, 2]]
    >>> from disambig.weights import NeighborWeights
    >>> model = IntervalRegressor(NeighborWeights(2), loss="absolute", solver="linear_program")
    >>> model.fit(X, y).certified_
    True
    """

    def __init__(self, *, max_iter: int | None = None) -> None:
        self.max_iter = max_iter

    def solve(
        self,
        problem: NumberProblem,
        *,
        start: Solution | None = None,
        callback: Callback | None = None,
    ) -> Solution:
        """Disambiguate; see `disambig.solvers.Solver`. `callback` is called after every column.

        If it returns True, the targets of the columns that follow are near the middle of the span.
        The program cannot start from an earlier solution. Its optimum is seldom unique, and of
        several optima the earlier targets are kept.
        """
        name = type(self).__name__
        check_numbers(problem, name)
        if self.max_iter is not None:
            check_integer(name, "max_iter", self.max_iter, least=1)
        if not isinstance(problem.sets, Intervals):
            raise MissingOracleError(
                "LinearProgramRegression: unions of intervals make the problem combinatorial. Use "
                "solver='auto' or 'unions'."
            )
        if not isinstance(problem, VotedProblem) or not problem.is_convex:
            raise MissingOracleError(
                "LinearProgramRegression: needs formulation='votes' and votes that are not "
                "negative, such as those of NeighborWeights. Use solver='auto'."
            )
        slopes, sets = problem.loss.slopes, problem.sets
        if slopes is None:
            raise MissingOracleError(
                f"{name}: {problem.loss!r} is not piecewise linear. Use solver='auto'."
            )
        votes = problem.votes.rows(0, problem.votes.shape[0])
        # Negative votes are rounding errors here.
        votes = votes.maximum(0) if sp.issparse(votes) else np.maximum(votes, 0)
        middle = problem.span.mean(axis=1)
        found: list[LinearSolution] = []
        trace: list[Progress] = []
        stopped = False
        for k in range(sets.n_columns):
            ends = sets.lower[:, k] - middle[k], sets.upper[:, k] - middle[k]
            limit = 1 if stopped else self.max_iter
            found.append(linear_program(votes, *ends, slopes=slopes, max_iter=limit))
            trace.append(Progress("linear program", found[-1].n_iter, found[-1].value, 0))
            stopped = stopped or (callback is not None and bool(callback(trace[-1])))
        targets = np.column_stack([solution.y for solution in found]) + middle
        targets = np.clip(targets, sets.lower, sets.upper)
        predictions = np.column_stack([solution.z for solution in found]) + middle
        solved = partial(
            number_solution,
            problem,
            status=Status.STOPPED if stopped else _status(found),
            n_iter=max(solution.n_iter for solution in found),
            trace=tuple(trace),
            residual=_relative_gap(problem, found, slopes),
            is_convex=True,
        )
        solution = solved(targets, start="linear program", predictions=predictions)
        if start is None:
            return solution
        kept = solved(earlier_targets(problem, start, name), start="warm", predictions=predictions)
        tolerance = tie_tolerance(np.float64) * abs(solution.objective)
        return kept if kept.objective <= solution.objective + tolerance else solution


def _relative_gap(
    problem: VotedProblem, found: list[LinearSolution], slopes: tuple[float, float]
) -> float:
    sizes = float(problem.votes.absolute_row_sums().sum()) * np.ptp(problem.span, axis=1)
    units = [
        max(solution.value, _MIN_OBJECTIVE_SHARE * max(slopes) * float(size))
        for solution, size in zip(found, sizes, strict=True)
    ]
    # A unit of zero: all ends are equal, or there are no votes, or a loss of this size is below the
    # smallest number. The objective is then zero.
    return max(
        solution.gap / unit if unit > 0 else 0.0
        for solution, unit in zip(found, units, strict=True)
    )


def _status(found: list[LinearSolution]) -> Status:
    if all(solution.converged for solution in found):
        return Status.CONVERGED
    warn(
        "LinearProgramRegression: the linear program ran out of iterations; the targets are not "
        "optimal. Use a larger max_iter.",
        ConvergenceWarning,
    )
    return Status.MAX_ITER
