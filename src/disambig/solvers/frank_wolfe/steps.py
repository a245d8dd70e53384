"""Frank-Wolfe as a process: all rows walk at once, and as far as the function falls.

Frank-Wolfe a few rows at a time: those with much to gain are drawn more often.
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

StepKind = Literal["plain", "away", "pairwise"]

# Products are added up from step to step, and made afresh every so many of them.
_AFRESH = 50


@dataclass(frozen=True, eq=False)
class FrankWolfeState:
    """A point of the hulls, what is heard there, and what is proven.

    Attributes
    ----------
    point : Point
    heard : float array (n, p)
        ``S X``.
    objective : float
        ``h`` there; it never rises.
    bound : float
        ``h`` is nowhere lower: the best of ``h - gap`` over all points so far.
    turn : int
        Steps made.
    stretch : float
        Rows walk so many times as far as is safe whatever the others do, unless told not to.
    """

    point: Any
    heard: FloatArray
    objective: float
    bound: float = -np.inf
    turn: int = 0
    stretch: float = 1.0

    @property
    def gap(self) -> float:
        """At most so far from the minimum; not above the best Frank-Wolfe gap so far."""
        return self.objective - self.bound

    @property
    def undecided(self) -> int:
        return int(self.point.undecided)


@dataclass(frozen=True, eq=False)
class Direction:
    """Where some rows walk, ``(r, p)``, and what that does to the weights of their vertices."""

    along: FloatArray
    moves: Moves

    def part(self, share: float) -> Moves:
        """The moves of a share of the way."""
        moves = self.moves
        return Moves(1.0 + share * (moves.kept - 1.0), share * moves.added, share * moves.removed)


@dataclass(frozen=True, eq=False)
class FrankWolfe:
    """Walk towards the vertices that the slope points to, or away from the worst ones.

    "plain": every row towards its vertex by the same part of the way. "pairwise": weight goes from
    the worst vertex that a row is a mean of to the best. "away": towards the best or away from the
    worst, whichever is steeper. The latter two go in each row as far as is safe (or a multiple of
    it that has proved right), and then all of them by the part of the way that is best.

    Parameters
    ----------
    form : ConvexForm
    hulls : Hulls
    kind : {"plain", "away", "pairwise"}
    tolerance : float
        Converged when the gap is proven to be no larger.
    """

    form: ConvexForm
    hulls: Hulls
    kind: StepKind
    tolerance: float

    @cached_property
    def rows(self) -> IntArray:
        """The open rows."""
        return np.flatnonzero(self.hulls.open_rows)

    def begin(self) -> FrankWolfeState:
        """The state of the first point."""
        point = self.hulls.begin(self.form)
        heard = self.form.heard(point.places)
        return FrankWolfeState(point, heard, self.form.value(point.places, heard))

    def step(self, state: FrankWolfeState) -> FrankWolfeState:
        """Look, prove, walk."""
        form, point = self.form, state.point
        slopes = form.gradient(point.places, state.heard, self.rows)
        corners = self.hulls.corners(point, slopes, self.rows)
        gap = float(corners.slacks.sum()) + form.rounding
        bound = max(state.bound, state.objective - gap)
        way = direction(form, point.places[self.rows], corners, self.kind, state.stretch)
        moves = np.zeros_like(state.heard)
        moves[self.rows] = way.along
        heard = form.heard(moves)
        share = length(inner(slopes, way.along), form.bend(way.along, heard[self.rows], self.rows))
        after = self.hulls.move(point, corners, way.part(share))
        if (state.turn + 1) % _AFRESH:
            heard = state.heard + share * heard
        else:
            heard = form.heard(after.places)
        value = form.value(after.places, heard)
        if value > state.objective:
            # Nothing is left to gain that rounding would not hide.
            after, heard, value = point, state.heard, state.objective
        stretch = stretched(state.stretch, share)
        return FrankWolfeState(after, heard, value, bound, state.turn + 1, stretch)

    def has_converged(self, before: FrankWolfeState, after: FrankWolfeState) -> bool:
        """Is the gap small, or the end of what numbers can tell reached?"""
        return after.gap <= max(self.tolerance, 4 * self.form.rounding)


def stretched(stretch: float, share: float) -> float:
    """Bolder where the whole way was right, more careful where less than half of it was."""
    if share >= 1.0:
        return min(2.0 * stretch, 1e6)
    return max(1.0, stretch / 2) if share < 0.5 else stretch


def length(slope: float, bend: float) -> float:
    """The share of the way, between 0 and 1, at which ``slope t + bend t^2`` is smallest.

    Examples
    --------
    >>> length(-1.0, 1.0), length(-4.0, 1.0), length(1.0, 1.0)
    (0.5, 1.0, 0.0)
    """
    if slope >= 0.0:
        return 0.0
    return 1.0 if -slope >= 2.0 * bend else -slope / (2.0 * bend)


def direction(
    form: ConvexForm, here: FloatArray, corners: Vertices, kind: StepKind, stretch: float
) -> Direction:
    """Where the rows of `corners`, which are `here`, walk."""
    toward = corners.toward - here
    ones, none = np.ones_like(corners.slacks), np.zeros_like(corners.slacks)
    if kind == "plain":
        return Direction(toward, Moves(none, ones, none))
    if kind == "pairwise":
        along = corners.toward - corners.away
        far = _own_lengths(form, along, corners.rows, corners.slacks + corners.steps_away, stretch)
        far = np.minimum(far, corners.weights)
        return Direction(far * along, Moves(ones, far, far))
    # A row at a vertex cannot leave it by walking away.
    leaves = (corners.steps_away > corners.slacks) & (corners.weights < 1.0)
    along = np.where(leaves, here - corners.away, toward)
    gains = np.where(leaves, corners.steps_away, corners.slacks)
    weights = np.where(leaves, corners.weights, 0.5)
    most = np.where(leaves, weights / (1.0 - weights), 1.0)
    far = np.minimum(_own_lengths(form, along, corners.rows, gains, stretch), most)
    kept = np.where(leaves, 1.0 + far, 1.0 - far)
    moves = Moves(kept, np.where(leaves, 0.0, far), np.where(leaves, far, 0.0))
    return Direction(far * along, moves)


def _own_lengths(
    form: ConvexForm, along: FloatArray, rows: IntArray, gains: FloatArray, stretch: float
) -> FloatArray:
    """How far each row (or coordinate) may walk whatever the others do, stretched."""
    bends = form.steepest_bends(along, rows)
    if gains.shape[1] == 1:
        bends = bends.sum(axis=1, keepdims=True)
    bends = np.maximum(bends, 0.0)
    safe = np.divide(gains, 2.0 * bends, out=np.full(gains.shape, np.inf), where=bends > 0.0)
    # Where there is nothing to gain there is nowhere to go, though the way be flat.
    far: FloatArray = np.where(gains > 0.0, stretch * safe, 0.0)
    return far


@dataclass(frozen=True, eq=False)
class BlockFrankWolfe:
    """Pairwise steps of blocks of rows, drawn by their share of the gap when last looked at.

    One step of the process is a pass: as many blocks as cover the open rows once, then a look at
    all rows, which proves the gap.

    Parameters
    ----------
    form : ConvexForm
    hulls : Hulls
    tolerance : float
    block_size : int
        Rows that walk at once.
    seed : int
    """

    form: ConvexForm
    hulls: Hulls
    tolerance: float
    block_size: int
    seed: int

    @cached_property
    def _whole(self) -> FrankWolfe:
        return FrankWolfe(self.form, self.hulls, "pairwise", self.tolerance)

    def begin(self) -> FrankWolfeState:
        """The state of the first point."""
        return self._whole.begin()

    def has_converged(self, before: FrankWolfeState, after: FrankWolfeState) -> bool:
        """Is the gap small?"""
        return self._whole.has_converged(before, after)

    def step(self, state: FrankWolfeState) -> FrankWolfeState:
        """A look at all rows, and a pass of blocks."""
        form, rows = self.form, self._whole.rows
        slopes = form.gradient(state.point.places, state.heard, rows)
        slacks = self.hulls.corners(state.point, slopes, rows).slacks.sum(axis=1)
        bound = max(state.bound, state.objective - float(slacks.sum()) - form.rounding)
        rng = np.random.default_rng([self.seed, state.turn])
        walk = replace(state, bound=bound)
        for _ in range(-(-rows.size // self.block_size)):
            size = min(self.block_size, int(np.count_nonzero(slacks)))
            if not size:
                break
            drawn = rng.choice(rows.size, size=size, replace=False, p=slacks / slacks.sum())
            drawn.sort()
            walk, slacks[drawn] = self._walk(walk, rows[drawn])
        # Sums of many steps carry many roundings; a pass ends with a fresh product.
        heard = form.heard(walk.point.places)
        value = form.value(walk.point.places, heard)
        if value > state.objective:
            return replace(state, bound=bound, turn=state.turn + 1)
        return replace(walk, heard=heard, objective=value, turn=state.turn + 1)

    def _walk(self, state: FrankWolfeState, rows: IntArray) -> tuple[FrankWolfeState, FloatArray]:
        form, point = self.form, state.point
        slopes = form.gradient(point.places, state.heard, rows)
        corners = self.hulls.corners(point, slopes, rows)
        way = direction(form, point.places[rows], corners, "pairwise", state.stretch)
        heard = self._heard_from(rows, way.along)
        share = length(inner(slopes, way.along), form.bend(way.along, heard[rows], rows))
        after = replace(
            state,
            point=self.hulls.move(point, corners, way.part(share)),
            heard=state.heard + share * heard,
            stretch=stretched(state.stretch, share),
        )
        return after, corners.slacks.sum(axis=1)

    def _heard_from(self, rows: IntArray, moves: FloatArray) -> FloatArray:
        """``S @ moves`` where only some rows move, ``(n, p)``."""
        problem = self.form.problem
        n = problem.votes.shape[0]
        heard = np.zeros((n, moves.shape[1]))
        for votes in (problem.votes, problem.transposed):
            at, position, values = votes.column_entries(rows)
            columns = sp.csr_array((values, (at, position)), shape=(n, rows.size))
            heard += columns @ moves
        heard /= 2
        return heard
