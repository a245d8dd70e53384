"""Which solver suits a problem on intervals.

Targets in unions of intervals: which piece, then where in it.

The solver that suits a problem: the global optimum wherever it can be had.
"""

import warnings
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from disambig.candidates import Intervals
from disambig.exceptions import ConvergenceWarning
from disambig.losses import SquaredLoss
from disambig.notation import FloatArray
from disambig.number_problem import NumberProblem
from disambig.solvers.loop import Callback, Progress, Status, iterate
from disambig.solvers.numbers.alternating import AlternatingRegression
from disambig.solvers.numbers.linear import LinearProgramRegression
from disambig.solvers.numbers.quadratic import AcceleratedRegression, NewtonRegression
from disambig.solvers.numbers.solution import NumberSolution, NumberSolver


def suited_solver(problem: NumberProblem) -> NumberSolver:
    """The one that finds the global optimum, or alternation where there is none to be had."""
    if not problem.is_convex:
        return AlternatingRegression()
    if not isinstance(problem.loss, SquaredLoss):
        return LinearProgramRegression()
    form = problem.quadratic
    small = form is not None and form.array is not None
    return NewtonRegression() if small else AcceleratedRegression()


@dataclass(frozen=True, eq=False)
class _PieceState:
    """A piece for every row, and the optimum within these pieces."""

    pieces: Intervals
    within: NumberSolution

    @property
    def objective(self) -> float:
        return self.within.objective

    @property
    def undecided(self) -> int:
        return 0


@dataclass(frozen=True, eq=False)
class _PieceDescent:
    """Optimise within the pieces, then let every row change to the piece that suits it best."""

    problem: NumberProblem

    def begin(self, targets: FloatArray) -> _PieceState:
        pieces = self.problem.sets.segments_at(targets)
        return _PieceState(pieces, self._within(pieces, targets))

    def step(self, state: _PieceState) -> _PieceState:
        targets = self.problem.targets(state.within.predictions, state.within.targets)
        pieces = self.problem.sets.segments_at(targets)
        same = np.array_equal(pieces.lower, state.pieces.lower) and np.array_equal(
            pieces.upper, state.pieces.upper
        )
        if same:
            return state
        moved = _PieceState(pieces, self._within(pieces, targets))
        # The targets are no worse than the old ones, and their descent no worse than they are: only
        # rounding can bring a rise.
        return moved if moved.objective < state.objective else state

    def has_converged(self, before: _PieceState, after: _PieceState) -> bool:
        return after is before

    def _within(self, pieces: Intervals, targets: FloatArray) -> NumberSolution:
        inner = self.problem.with_sets(pieces)
        if inner.is_convex:
            return suited_solver(inner).solve_numbers(inner)
        # A local optimum, which from elsewhere could lie above the targets.
        return AlternatingRegression().descend(inner, targets)


class UnionRegression(BaseEstimator):
    """Alternate between the piece of every row and the optimum within the pieces.

    With one piece a row the problem is convex, or as convex as it gets, and solved as such; then
    every row changes to the piece that suits the predictions best. The objective falls with every
    change, and the end is a local optimum: several starts are tried and the lowest end is kept.

    Parameters
    ----------
    n_starts : int, default 10
        The first two are the average and the infimum loss, the others draw a piece for every row.
    max_iter : int, default 100
        Changes of pieces from each start.
    random_state : int, RandomState or None, default 0

    Examples
    --------
    Of some numbers the sign is not known; the others tell.

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

    def solve_numbers(
        self, problem: NumberProblem, *, callback: Callback | None = None
    ) -> NumberSolution:
        """Disambiguate."""
        for name in ("n_starts", "max_iter"):
            if int(getattr(self, name)) < 1:
                value = getattr(self, name)
                raise ValueError(f"UnionRegression: {name}={value!r}; expected at least 1.")
        rng = check_random_state(self.random_state)
        descent = _PieceDescent(problem)
        trace: tuple[Progress, ...] = ()
        best: NumberSolution | None = None
        stopped = False
        for number in range(int(self.n_starts)):
            name = ("average", "infimum")[number] if number < 2 else f"random {number - 1}"
            run = iterate(
                descent,
                descent.begin(self._first(problem, name, rng)),
                max_iter=int(self.max_iter),
                stage=name,
                callback=callback,
            )
            trace += run.trace
            if best is None or run.state.objective < best.objective:
                best = _solution(run.state, name, run.status, run.n_iter)
            stopped = run.status is Status.STOPPED
            if stopped:
                break
        assert best is not None
        if best.status is Status.MAX_ITER:
            warnings.warn(
                f"UnionRegression: pieces still change after max_iter={self.max_iter} rounds; the "
                "result is usable and may improve with a larger max_iter.",
                ConvergenceWarning,
                stacklevel=2,
            )
        # Who stops the run leaves starts untried.
        return replace(best, trace=trace, status=Status.STOPPED if stopped else best.status)

    @staticmethod
    def _first(problem: NumberProblem, name: str, rng: np.random.RandomState) -> FloatArray:
        if name in ("average", "infimum"):
            return problem.first_targets(name)
        hull = problem.sets.within(problem.span).hull
        return problem.sets.nearest(rng.uniform(hull.lower, hull.upper))


def _solution(state: _PieceState, start: str, status: Status, n_iter: int) -> NumberSolution:
    within = state.within
    return NumberSolution(
        targets=within.targets,
        predictions=within.predictions,
        objective=within.objective,
        residual=within.residual,
        # The pieces were searched, not proven.
        is_convex=False,
        start=start,
        status=status,
        n_iter=n_iter,
        trace=(),
    )


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

    def solve_numbers(
        self, problem: NumberProblem, *, callback: Callback | None = None
    ) -> NumberSolution:
        """Disambiguate."""
        on_intervals = isinstance(problem.sets, Intervals)
        solver = suited_solver(problem) if on_intervals else UnionRegression()
        return solver.solve_numbers(problem, callback=callback)
