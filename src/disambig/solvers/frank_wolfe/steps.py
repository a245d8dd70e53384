"""Frank-Wolfe steps as processes of the loop.

`FrankWolfe` moves all open rows at once. `BlockFrankWolfe` moves a few rows at a time and draws
rows with a large gap more often. Neither ever raises the convex function h, and both record the
best lower bound so far.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from disambig.notation import FloatArray, IntArray
from disambig.problem import inner
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.frank_wolfe.hulls import Hulls, Moves, Vertices
from disambig.solvers.solution import Targets

StepKind = Literal["plain", "away", "pairwise"]

# Scores are updated from step to step, which adds up rounding, and are recomputed every so many
# steps.
_STEPS_BETWEEN_RECOMPUTATIONS = 50


@dataclass(frozen=True, eq=False)
class FrankWolfeState:
    """A point of the hulls, its scores, and the best lower bound so far.

    Attributes
    ----------
    point : Point
    scores : float array (n, p)
        ``S X``.
    objective : float
        ``h`` at the point; it never rises.
    bound : float
        A lower bound of ``h`` on the hulls: the largest ``h - gap`` of all points so far.
    n_steps : int
        The number of steps made.
    step_scale : float
        Multiple of the safe step size of each row that a step tries; at least 1.
    """

    point: Any
    scores: FloatArray
    objective: float
    bound: float = -np.inf
    n_steps: int = 0
    step_scale: float = 1.0

    @property
    def gap(self) -> float:
        """The objective exceeds the minimum of h by at most this."""
        return self.objective - self.bound

    @property
    def undecided(self) -> int:
        return int(self.point.undecided)


@dataclass(frozen=True, eq=False)
class Direction:
    """The displacement of some rows, ``(r, p)``, and the moves of weight that cause it."""

    displacement: FloatArray
    moves: Moves

    def scaled(self, step_size: float) -> Moves:
        """The moves for a part of the displacement."""
        moves = self.moves
        return Moves(
            1.0 + step_size * (moves.kept - 1.0),
            step_size * moves.added,
            step_size * moves.removed,
        )


@dataclass(frozen=True, eq=False)
class FrankWolfe:
    """Move towards the vertices that minimise the gradient, or away from the worst ones.

    "plain": every row moves towards its vertex by the same step size. "pairwise": weight moves from
    the worst vertex in a row's mean to the best vertex. "away": a row moves towards the best vertex
    or away from the worst, whichever is steeper. The latter two take in each row a safe step (or a
    multiple of it that has worked before) and then the best common step size.

    Parameters
    ----------
    form : ConvexForm
    hulls : Hulls
    kind : {"plain", "away", "pairwise"}
    tolerance : float
        Converged when the gap is at most this.
    earlier : Targets, optional
        Targets to start near, those of an earlier solution.
    """

    form: ConvexForm
    hulls: Hulls
    kind: StepKind
    tolerance: float
    earlier: Targets | None = None

    @cached_property
    def rows(self) -> IntArray:
        """The open rows."""
        return np.flatnonzero(self.hulls.open_rows)

    def begin(self) -> FrankWolfeState:
        """The state of the first point."""
        if self.earlier is None:
            point = self.hulls.initial_point(self.form)
        else:
            point = self.hulls.point_near(self.earlier, self.form)
        scores = self.form.scores(point.coordinates)
        return FrankWolfeState(point, scores, self.form.value(point.coordinates, scores))

    def step(self, state: FrankWolfeState) -> FrankWolfeState:
        """Compute the gap at the point, update the bound, and move."""
        form, point = self.form, state.point
        gradients = form.gradient(point.coordinates, state.scores, self.rows)
        vertices = self.hulls.step_vertices(point, gradients, self.rows)
        gap = float(vertices.gaps.sum()) + form.rounding
        bound = max(state.bound, state.objective - gap)
        if self.start_suffices(state, gap):
            return replace(state, bound=bound, n_steps=1)
        direction = step_direction(
            form, point.coordinates[self.rows], vertices, self.kind, state.step_scale
        )
        moves = np.zeros_like(state.scores)
        moves[self.rows] = direction.displacement
        change = form.scores(moves)
        step_size = best_step_size(
            inner(gradients, direction.displacement),
            form.curvature(direction.displacement, change[self.rows], self.rows),
        )
        after = self.hulls.move(point, vertices, direction.scaled(step_size))
        if (state.n_steps + 1) % _STEPS_BETWEEN_RECOMPUTATIONS:
            scores = state.scores + step_size * change
        else:
            scores = form.scores(after.coordinates)
        value = form.value(after.coordinates, scores)
        if value > state.objective:
            # The possible gain is below rounding.
            after, scores, value = point, state.scores, state.objective
        step_scale = updated_step_scale(state.step_scale, step_size)
        return FrankWolfeState(after, scores, value, bound, state.n_steps + 1, step_scale)

    def has_converged(self, before: FrankWolfeState, after: FrankWolfeState) -> bool:
        """Is the gap at most the tolerance, or at the level of rounding?"""
        return after.gap <= self._largest_gap

    @property
    def _largest_gap(self) -> float:
        return max(self.tolerance, 4 * self.form.rounding)

    def start_suffices(self, state: FrankWolfeState, gap: float) -> bool:
        """Is this the start near earlier targets, with a gap that is small enough already?

        An earlier solution of the same problem is then returned as it is.
        """
        return self.earlier is not None and not state.n_steps and gap <= self._largest_gap


def updated_step_scale(step_scale: float, step_size: float) -> float:
    """Double the scale after a full step; halve it, to 1 at least, after less than half a step."""
    if step_size >= 1.0:
        return min(2.0 * step_scale, 1e6)
    return max(1.0, step_scale / 2) if step_size < 0.5 else step_scale


def best_step_size(slope: float, curvature: float) -> float:
    """The t between 0 and 1 that minimises ``slope t + curvature t^2``.

    Examples
    --------
    >>> best_step_size(-1.0, 1.0), best_step_size(-4.0, 1.0), best_step_size(1.0, 1.0)
    (0.5, 1.0, 0.0)
    """
    if slope >= 0.0:
        return 0.0
    return 1.0 if -slope >= 2.0 * curvature else -slope / (2.0 * curvature)


def step_direction(
    form: ConvexForm, here: FloatArray, vertices: Vertices, kind: StepKind, step_scale: float
) -> Direction:
    """The direction of a step of the rows of `vertices`, whose coordinates are `here`."""
    toward = vertices.toward - here
    ones, zeros = np.ones_like(vertices.gaps), np.zeros_like(vertices.gaps)
    if kind == "plain":
        return Direction(toward, Moves(zeros, ones, zeros))
    if kind == "pairwise":
        along = vertices.toward - vertices.away
        gains = vertices.gaps + vertices.away_gaps
        lengths = _row_step_sizes(form, along, vertices.rows, gains, step_scale)
        lengths = np.minimum(lengths, vertices.weights)
        return Direction(lengths * along, Moves(ones, lengths, lengths))
    # A row at a vertex has no other vertex to gain weight if it moves away from it.
    leaves = (vertices.away_gaps > vertices.gaps) & (vertices.weights < 1.0)
    along = np.where(leaves, here - vertices.away, toward)
    gains = np.where(leaves, vertices.away_gaps, vertices.gaps)
    weights = np.where(leaves, vertices.weights, 0.5)
    largest = np.where(leaves, weights / (1.0 - weights), 1.0)
    lengths = _row_step_sizes(form, along, vertices.rows, gains, step_scale)
    lengths = np.minimum(lengths, largest)
    kept = np.where(leaves, 1.0 + lengths, 1.0 - lengths)
    moves = Moves(kept, np.where(leaves, 0.0, lengths), np.where(leaves, lengths, 0.0))
    return Direction(lengths * along, moves)


def _row_step_sizes(
    form: ConvexForm, along: FloatArray, rows: IntArray, gains: FloatArray, step_scale: float
) -> FloatArray:
    """The step size of each row (or coordinate) that is safe whatever the others do, scaled."""
    curvatures = form.curvature_bounds(along, rows)
    if gains.shape[1] == 1:
        curvatures = curvatures.sum(axis=1, keepdims=True)
    curvatures = np.maximum(curvatures, 0.0)
    infinite = np.full(gains.shape, np.inf)
    safe = np.divide(gains, 2.0 * curvatures, out=infinite, where=curvatures > 0.0)
    # Without a gain the row stays, even if the curvature is zero.
    lengths: FloatArray = np.where(gains > 0.0, step_scale * safe, 0.0)
    return lengths


@dataclass(frozen=True, eq=False)
class BlockFrankWolfe:
    """Pairwise steps of blocks of rows, drawn in proportion to their last known gaps.

    One step of the process is a pass: it computes the gaps of all rows, which gives the bound, and
    then moves as many blocks as cover the open rows once.

    Parameters
    ----------
    form : ConvexForm
    hulls : Hulls
    tolerance : float
    block_size : int
        The number of rows that move at once.
    seed : int
    earlier : Targets, optional
        Targets to start near, those of an earlier solution.
    """

    form: ConvexForm
    hulls: Hulls
    tolerance: float
    block_size: int
    seed: int
    earlier: Targets | None = None

    @cached_property
    def _all_rows(self) -> FrankWolfe:
        return FrankWolfe(self.form, self.hulls, "pairwise", self.tolerance, self.earlier)

    def begin(self) -> FrankWolfeState:
        """The state of the first point."""
        return self._all_rows.begin()

    def has_converged(self, before: FrankWolfeState, after: FrankWolfeState) -> bool:
        """Is the gap at most the tolerance, or at the level of rounding?"""
        return self._all_rows.has_converged(before, after)

    def step(self, state: FrankWolfeState) -> FrankWolfeState:
        """Compute the gaps of all rows, update the bound, and move blocks of rows."""
        form, rows = self.form, self._all_rows.rows
        gradients = form.gradient(state.point.coordinates, state.scores, rows)
        gaps = self.hulls.step_vertices(state.point, gradients, rows).gaps.sum(axis=1)
        gap = float(gaps.sum()) + form.rounding
        bound = max(state.bound, state.objective - gap)
        if self._all_rows.start_suffices(state, gap):
            return replace(state, bound=bound, n_steps=1)
        rng = np.random.default_rng([self.seed, state.n_steps])
        current = replace(state, bound=bound)
        for _ in range(-(-rows.size // self.block_size)):
            size = min(self.block_size, int(np.count_nonzero(gaps)))
            if not size:
                break
            drawn = rng.choice(rows.size, size=size, replace=False, p=gaps / gaps.sum())
            drawn.sort()
            current, gaps[drawn] = self._block_step(current, rows[drawn])
        # The scores have the rounding of many updates; a pass ends with recomputed ones.
        scores = form.scores(current.point.coordinates)
        value = form.value(current.point.coordinates, scores)
        if value > state.objective:
            return replace(state, bound=bound, n_steps=state.n_steps + 1)
        return replace(current, scores=scores, objective=value, n_steps=state.n_steps + 1)

    def _block_step(
        self, state: FrankWolfeState, rows: IntArray
    ) -> tuple[FrankWolfeState, FloatArray]:
        """A pairwise step of some rows; and their gaps before it, ``(r,)``."""
        form, point = self.form, state.point
        gradients = form.gradient(point.coordinates, state.scores, rows)
        vertices = self.hulls.step_vertices(point, gradients, rows)
        direction = step_direction(
            form, point.coordinates[rows], vertices, "pairwise", state.step_scale
        )
        change = self._scores_of_moves(rows, direction.displacement)
        step_size = best_step_size(
            inner(gradients, direction.displacement),
            form.curvature(direction.displacement, change[rows], rows),
        )
        after = replace(
            state,
            point=self.hulls.move(point, vertices, direction.scaled(step_size)),
            scores=state.scores + step_size * change,
            step_scale=updated_step_scale(state.step_scale, step_size),
        )
        return after, vertices.gaps.sum(axis=1)

    def _scores_of_moves(self, rows: IntArray, moves: FloatArray) -> FloatArray:
        """``S @ moves`` if only some rows move, ``(n, p)``."""
        problem = self.form.problem
        n = problem.votes.shape[0]
        scores = np.zeros((n, moves.shape[1]))
        for votes in (problem.votes, problem.transposed):
            entry_rows, position, values = votes.column_entries(rows)
            columns = sp.csr_array((values, (entry_rows, position)), shape=(n, rows.size))
            scores += columns @ moves
        scores /= 2
        return scores
