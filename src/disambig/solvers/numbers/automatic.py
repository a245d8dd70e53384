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
from disambig.candidates.numbers.mean_bounds import MeanBounds
from disambig.exceptions import ConvergenceWarning, MissingOracleError, warn
from disambig.losses.numbers.points import Points
from disambig.notation import FloatArray
from disambig.number_problem import NumberProblem, first_targets
from disambig.parameters import check_integer
from disambig.solvers.loop import Callback, Progress, Status, iterate
from disambig.solvers.numbers.alternating import AlternatingRegression
from disambig.solvers.numbers.linear import LinearProgramRegression
from disambig.solvers.numbers.quadratic import AcceleratedRegression, NewtonRegression
from disambig.solvers.numbers.solution import cannot_move, check_numbers, earlier_targets
from disambig.solvers.solution import Certificate, Solution, Solver
from disambig.votes import Votes
from disambig.votes.blocks import row_blocks

# The linear program takes a kilobyte for each vote, and more than linear time: half a million votes
# of all pairs take 6 seconds, one million 20 seconds, four million two minutes and 4 GB.
_MAX_LISTED_VOTES = 500_000
# Votes of sparse rows that are not stored are counted in blocks of so many.
_VOTES_PER_BLOCK = 2**16


def suited_solver(problem: NumberProblem) -> Solver:
    """The solver that ``solver="auto"`` means for this problem.

    Convex problems are solved to the global optimum. For the squared loss this is done by
    `NewtonRegression` if the quadratic form is a dense array, else by `AcceleratedRegression`; for
    the absolute and the pinball loss by `LinearProgramRegression`, up to 500,000 votes: 700 rows
    that all vote for each other, or 50,000 rows with ten neighbours each. `AlternatingRegression`
    is used for more votes, for other losses, and where negative votes make a problem non-convex.
    For unions of intervals `UnionRegression` finds a local optimum.
    """
    if isinstance(problem.sets, MeanBounds):
        return AcceleratedRegression()
    if not isinstance(problem.sets, Intervals):
        return UnionRegression()
    if not problem.is_convex:
        return AlternatingRegression()
    if not problem.loss.is_quadratic:
        is_linear = problem.loss.slopes is not None and _has_few_votes(problem.votes)
        return LinearProgramRegression() if is_linear else AlternatingRegression()
    form = problem.quadratic
    is_dense = form is not None and form.array is not None
    return NewtonRegression() if is_dense else AcceleratedRegression()


def _has_few_votes(votes: Votes) -> bool:
    """Whether there are at most so many votes that a linear program can list them all."""
    q, n = votes.shape
    if q * n <= _MAX_LISTED_VOTES:
        return True
    if votes.entries is not None:
        stored = votes.entries
        count = stored.nnz if issparse(stored) else np.count_nonzero(stored)
        return bool(count <= _MAX_LISTED_VOTES)
    try:
        if not issparse(votes.rows(0, 1)):
            return False
    except MissingOracleError:
        return False
    # Partitions list the votes of some rows. No more blocks are listed than the limit needs.
    count = 0
    for _, block in row_blocks(votes, _VOTES_PER_BLOCK):
        count += block.nnz
        if count > _MAX_LISTED_VOTES:
            return False
    return True


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
        solver = suited_solver(inner)
        if isinstance(solver, AlternatingRegression):
            # It finds no global optimum: from another start it could end above the targets.
            return solver.descend(inner, inner.predictions(targets), "average")
        return solver.solve(inner)


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
                best = replace(run.state.solution, start=name, status=run.status, n_iter=run.n_iter)
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
        return replace(_without_proof(problem, best), trace=trace, status=status)

    @staticmethod
    def _first_targets(problem: NumberProblem, name: str, rng: np.random.RandomState) -> FloatArray:
        if name in ("average", "infimum"):
            return first_targets(problem, name)
        hull = problem.sets.within(problem.span).hull
        return problem.sets.nearest(rng.uniform(hull.lower, hull.upper))


def _without_proof(problem: NumberProblem, solution: Solution) -> Solution:
    """The choice of segments is a heuristic: there is no proof of a global optimum.

    What the solution says about its segments is not enough for a row to have a single optimum:
    another segment may be as good.
    """
    values = solution.targets.embedded
    single = solution.targets.is_vertex & problem.has_votes
    single &= cannot_move(problem, problem.predictions(values))
    points = Points(values, single=problem.sets.is_point | single)
    residual = None if solution.certificate is None else solution.certificate.residual
    certificate = Certificate(is_convex=False, residual=residual)
    return replace(solution, targets=points, decoded=points, certificate=certificate)
