"""The choice of a solver for a problem with real targets, and the solver for unions of intervals.

`suited_solver` picks the solver that finds the global optimum, if there is one.
`UnionRegression` alternates between choosing a segment for every row and solving the problem on
these segments.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from disambig.candidates import Intervals
from disambig.exceptions import ConvergenceWarning, warn
from disambig.losses.numbers.points import Points
from disambig.notation import FloatArray
from disambig.number_problem import NumberProblem, VotedProblem, first_targets
from disambig.parameters import check_integer
from disambig.solvers.loop import Callback, Progress, Status, iterate
from disambig.solvers.numbers.alternating import AlternatingRegression
from disambig.solvers.numbers.linear import LinearProgramRegression
from disambig.solvers.numbers.quadratic import AcceleratedRegression, NewtonRegression
from disambig.solvers.numbers.solution import cannot_move, check_numbers, earlier_targets
from disambig.solvers.solution import Certificate, Solution, Solver

# Up to this many rows votes of all pairs are listed for a linear program. It takes a kilobyte for
# each vote: 2,300 rows took 84 seconds and 5.5 GB.
_MAX_FULL_ROWS = 2_000


def suited_solver(problem: NumberProblem) -> Solver:
    """The solver that ``solver="auto"`` means for this problem.

    Convex problems are solved to the global optimum. For the squared loss this is done by
    `NewtonRegression` if the quadratic form is a dense array, else by `AcceleratedRegression`; for
    the absolute and the pinball loss by `LinearProgramRegression`, unless more than 2,000 rows all
    vote for each other through an operator: the program would list all of these votes.
    `AlternatingRegression` is used then, and where negative votes make a problem non-convex. For
    unions of intervals `UnionRegression` finds a local optimum.
    """
    if not isinstance(problem.sets, Intervals):
        return UnionRegression()
    if not problem.is_convex:
        return AlternatingRegression()
    if not problem.loss.is_quadratic:
        return LinearProgramRegression() if _can_list_votes(problem) else AlternatingRegression()
    form = problem.quadratic
    is_dense = form is not None and form.array is not None
    return NewtonRegression() if is_dense else AcceleratedRegression()


def _can_list_votes(problem: NumberProblem) -> bool:
    """Whether votes are stored, have sparse rows, or are few: the linear program lists them all."""
    if not isinstance(problem, VotedProblem) or problem.votes.entries is not None:
        return True
    return problem.votes.shape[0] <= _MAX_FULL_ROWS or issparse(problem.votes.rows(0, 1))


@dataclass(frozen=True, eq=False)
class _SegmentState:
    """A segment for every row, and the optimum on these segments."""

    segments: Intervals
    solution: Solution

    @property
    def objective(self) -> float:
        return self.solution.objective

    @property
    def undecided(self) -> int:
        return 0


@dataclass(frozen=True, eq=False)
class _SegmentDescent:
    """Solve the problem on the segments, then change every row to its best segment."""

    problem: NumberProblem

    def begin(self, targets: FloatArray) -> _SegmentState:
        segments = self.problem.sets.segments_at(targets)
        return _SegmentState(segments, self._solve_on(segments, targets))

    def step(self, state: _SegmentState) -> _SegmentState:
        current = state.solution.targets.embedded
        targets = self.problem.targets(self.problem.predictions(current), current)
        segments = self.problem.sets.segments_at(targets)
        same = np.array_equal(segments.lower, state.segments.lower) and np.array_equal(
            segments.upper, state.segments.upper
        )
        if same:
            return state
        moved = _SegmentState(segments, self._solve_on(segments, targets))
        # The new targets are no worse than the old ones, and the optimum on their segments no worse
        # than they are: only rounding can raise the objective.
        return moved if moved.objective < state.objective else state

    def has_converged(self, before: _SegmentState, after: _SegmentState) -> bool:
        return after is before

    def _solve_on(self, segments: Intervals, targets: FloatArray) -> Solution:
        inner = self.problem.with_sets(segments)
        if inner.is_convex:
            return suited_solver(inner).solve(inner)
        # Not convex: start at the targets, since another start could end above them.
        return AlternatingRegression().descend(inner, inner.predictions(targets), "average")


class UnionRegression(BaseEstimator):
    """Alternate between choosing a segment for every row and the optimum on these segments.

    With one segment per row the sets are intervals, and a solver for intervals finds the optimum.
    Every row then changes to the segment that is best for the predictions. The objective falls with
    every change, and the result is a local optimum. Several starts are tried, and the best result
    is kept.

    Parameters
    ----------
    n_starts : int, default 10
        Number of starts. The first two are the average and the infimum loss, the others random
        targets.
    max_iter : int, default 100
        Maximum number of changes of segments from each start.
    random_state : int, RandomState or None, default 0

    Examples
    --------
    The signs of two numbers are unknown; their neighbours decide.

    >>> from disambig import IntervalRegressor
    >>> from disambig.weights import NeighborWeights
    >>> X = [[0.0], [1.0], [3.0], [4.0]]
    >>> y = [-2.0, [(-1.5, -1), (1, 1.5)], [(-2, -1), (1, 2)], 2.0]
    >>> model = IntervalRegressor(NeighborWeights(2), solver="unions").fit(X, y)
    >>> model.labels_.tolist(), model.certified_
    ([-2.0, -1.5, 2.0, 2.0], False)
    """

    def __init__(
        self, *, n_starts: int = 10, max_iter: int = 100, random_state: object = 0
    ) -> None:
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.random_state = random_state

    def solve(
        self,
        problem: NumberProblem,
        *,
        start: Solution | None = None,
        callback: Callback | None = None,
    ) -> Solution:
        """Disambiguate; see `disambig.solvers.Solver`. A warm start is the only one."""
        solver = type(self).__name__
        check_numbers(problem, solver)
        for parameter in ("n_starts", "max_iter"):
            check_integer(solver, parameter, getattr(self, parameter), least=1)
        rng = check_random_state(self.random_state)
        names = ["average", "infimum", *(f"random {k}" for k in range(1, self.n_starts - 1))]
        starts = names[: self.n_starts] if start is None else ["warm"]
        descent = _SegmentDescent(problem)
        trace: tuple[Progress, ...] = ()
        best: Solution | None = None
        stopped = False
        for name in starts:
            first = (
                self._first_targets(problem, name, rng)
                if start is None
                else earlier_targets(problem, start, solver)
            )
            run = iterate(
                descent,
                descent.begin(first),
                max_iter=int(self.max_iter),
                stage=name,
                callback=callback,
            )
            trace += run.trace
            if best is None or run.state.objective < best.objective:
                best = _without_proof(run.state.solution, name, run.status, run.n_iter)
            stopped = run.status is Status.STOPPED
            if stopped:
                break
        assert best is not None
        if best.status is Status.MAX_ITER:
            warn(
                f"UnionRegression: segments still change after max_iter={self.max_iter} rounds; "
                "the result is usable and may improve with a larger max_iter.",
                ConvergenceWarning,
            )
        # A run that was stopped has not tried all starts.
        status = Status.STOPPED if stopped else best.status
        points = _resolved(problem, best)
        return replace(best, targets=points, decoded=points, trace=trace, status=status)

    @staticmethod
    def _first_targets(problem: NumberProblem, name: str, rng: np.random.RandomState) -> FloatArray:
        if name in ("average", "infimum"):
            return first_targets(problem, name)
        hull = problem.sets.within(problem.span).hull
        return problem.sets.nearest(rng.uniform(hull.lower, hull.upper))


def _resolved(problem: NumberProblem, solution: Solution) -> Points:
    """The targets; those are single that cannot move to another segment at the same cost either."""
    targets = solution.targets.embedded
    single = solution.targets.is_vertex & problem.has_votes
    single &= cannot_move(problem, problem.predictions(targets))
    return Points(targets, single=problem.sets.is_point | single)


def _without_proof(solution: Solution, start: str, status: Status, n_iter: int) -> Solution:
    """The choice of segments is a heuristic: there is no proof of a global optimum."""
    residual = None if solution.certificate is None else solution.certificate.residual
    return replace(
        solution,
        start=start,
        status=status,
        n_iter=n_iter,
        certificate=Certificate(is_convex=False, residual=residual),
    )
