"""Which targets are the only optimal ones: against linear programs and grids on tiny problems."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from disambig.candidates import Intervals, IntervalUnions
from disambig.losses import AbsoluteLoss, PinballLoss, SquaredLoss
from disambig.number_problem import VotedProblem
from disambig.solvers import (
    AcceleratedRegression,
    AlternatingRegression,
    LinearProgramRegression,
    NewtonRegression,
    Status,
    UnionRegression,
)
from disambig.solvers.numbers.solution import number_solution
from disambig.votes import as_votes

# Both ends of a range of optima are computed to about this part of the span.
MARGIN = 1e-6


def tiny_votes(rng, n, kind):
    """Small whole votes, so that sums tie; with blocks, no votes between rows of two blocks."""
    alpha = rng.integers(1, 3, size=(n, n)).astype(float)
    if kind == "sparse":
        alpha *= rng.random((n, n)) < 0.4
    if kind == "blocks":
        block = rng.integers(0, 3, size=n)
        alpha *= block[:, None] == block
    return alpha


def tiny_intervals(rng, n):
    """Ends on a coarse grid, so that they often agree; points and half-lines among them."""
    lower = rng.integers(0, 6, size=n).astype(float)
    upper = lower + rng.integers(0, 4, size=n)
    upper[rng.random(n) < 0.15] = np.inf
    if not np.isfinite(upper).any():
        upper[0] = lower[0] + 1.0
    return Intervals(lower, upper)


def tiny_problem(seed, kind, loss=None):
    """Up to five rows, votes of one kind, under the squared loss by default."""
    rng = np.random.default_rng([seed, len(kind)])
    n = int(rng.integers(2, 6))
    sets = tiny_intervals(rng, n)
    votes = as_votes(tiny_votes(rng, n, kind))
    return VotedProblem(votes, SquaredLoss() if loss is None else loss, sets, sets.span)


def ranges_of_optima(problem, y):
    """The smallest and the largest value of every entry over all optima, given one of them.

    Two optima of a convex quadratic have the same ``Q y``. Also the number of null directions.
    """
    sets, alpha = problem.sets, problem.votes @ np.eye(len(problem.sets))
    sums = alpha.sum(axis=1)
    inverse = np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)
    Q = np.diag(alpha.sum(axis=0)) - alpha.T @ (inverse[:, None] * alpha)
    values, vectors = np.linalg.eigh(Q)
    # Q can be zero up to the rounding of its two parts.
    rows = vectors[:, values > 1e-12 * max(alpha.sum(axis=0).max(), 1e-300)].T
    bounds = list(zip(sets.lower[:, 0], sets.upper[:, 0], strict=True))
    equalities = {"A_eq": rows, "b_eq": rows @ y} if len(rows) else {}
    ends = np.empty((len(y), 2))
    for j, side in np.ndindex(len(y), 2):
        cost = np.zeros(len(y))
        cost[j] = 1.0 if side == 0 else -1.0
        found = linprog(cost, bounds=bounds, **equalities)
        # Unbounded: the entry can be any number above y.
        ends[j, side] = cost[j] * found.fun if found.status == 0 else np.inf
        assert found.status in (0, 3)
    return ends, len(y) - len(rows)


@pytest.mark.parametrize("kind", ["dense", "sparse", "blocks"])
def test_resolved_rows_have_the_same_number_in_all_optima(kind):
    solvers = (NewtonRegression(), AcceleratedRegression())
    counts = [Counter() for _ in solvers]
    for seed in range(120):
        problem = tiny_problem(seed, kind)
        # All optima are found from one of them.
        y = solvers[0].solve(problem).targets.values[:, 0]
        ends, n_null = ranges_of_optima(problem, y)
        width = ends[:, 1] - ends[:, 0]
        moves = width > MARGIN * np.ptp(problem.span)
        for solver, count in zip(solvers, counts, strict=True):
            found = solver.solve(problem)
            assert found.certified
            # Where any optimum has another number, the row is not decided.
            assert not (found.decided & moves).any()
            cautious = ~found.decided & ~moves
            count.update(rows=len(y), moving=int(moves.sum()), cautious=int(cautious.sum()))
            # A row that cannot move is undecided only if several null directions share entries, or
            # if its target changes nothing.
            assert not cautious[problem.has_votes].any() or n_null > 1
    for count in counts:
        assert count["moving"] >= 20
        assert count["moving"] <= count["rows"] - 100
        assert count["cautious"] <= count["rows"] // 20, count


def best_on_grid(problem, targets, predictions, j):
    """All values on a grid at which target j is best for the predictions.

    The cost is linear between two neighbouring predictions, so that all of them, the ends of the
    interval and the midpoints suffice.
    """
    ends = problem.sets.within(problem.span).hull
    low, high = ends.lower[j, 0], ends.upper[j, 0]
    kinks = np.unique(np.clip(np.append(predictions[:, 0], [low, high]), low, high))
    grid = np.unique(np.append(kinks, (kinks[1:] + kinks[:-1]) / 2))
    moved = np.repeat(targets[None], grid.size, axis=0)
    moved[:, j, 0] = grid
    costs = np.array([problem.objective(one, predictions) for one in moved])
    margin = 1e-12 * float(problem.votes.absolute_row_sums().sum()) * np.ptp(problem.span)
    return grid[costs <= costs.min() + margin]


@pytest.mark.parametrize("loss", [AbsoluteLoss(), PinballLoss(quantile=0.25)], ids=str)
@pytest.mark.parametrize("solver", [LinearProgramRegression(), AlternatingRegression()], ids=str)
def test_resolved_rows_cannot_move_alone(solver, loss):
    """Under the absolute and the pinball loss, with all predictions fixed."""
    counts = Counter()
    for seed, kind in product(range(60), ["dense", "sparse", "blocks"]):
        problem = tiny_problem(seed, kind, loss)
        targets = solver.solve(problem).targets.values
        predictions = problem.predictions(targets)
        found = number_solution(
            problem,
            targets,
            start="given",
            status=Status.CONVERGED,
            n_iter=1,
            trace=(),
            predictions=predictions,
        )
        for j in range(len(targets)):
            can_move = np.ptp(best_on_grid(problem, targets, predictions, j)) > MARGIN
            # A target that changes no prediction is arbitrary, unless it is known.
            is_arbitrary = not (problem.has_votes[j] or problem.sets.is_point[j])
            assert found.decided[j] == (not (can_move or is_arbitrary)), (seed, kind, j)
            counts["moves" if can_move else "stays"] += 1
    assert counts["moves"] >= 5
    assert counts["stays"] >= 100


def test_a_row_with_two_equally_good_segments_is_not_resolved():
    """Row 1 is -1 or 1, half way between the predictions of rows 0 and 2."""
    sets = IntervalUnions(
        np.array([-2.0, -1.0, 1.0, 2.0]), np.array([-2.0, -1.0, 1.0, 2.0]), np.array([0, 1, 3, 4])
    )
    votes = as_votes(np.array([[3.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 3.0]]))
    problem = VotedProblem(votes, AbsoluteLoss(), sets, sets.span)
    assert UnionRegression().solve(problem).decided.tolist() == [True, False, True]
    # A vote more for one side decides.
    votes = as_votes(np.array([[3.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 2.0, 3.0]]))
    decided = UnionRegression().solve(VotedProblem(votes, AbsoluteLoss(), sets, sets.span))
    assert decided.targets.values.ravel().tolist() == [-2.0, 1.0, 2.0]
    assert decided.decided.all()
