"""Frank-Wolfe a few rows at a time: those with much to gain are drawn more often."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from disambig.notation import FloatArray, IntArray
from disambig.problem import inner
from disambig.solvers.frank_wolfe.form import ConvexForm
from disambig.solvers.frank_wolfe.hulls import Hulls
from disambig.solvers.frank_wolfe.steps import (
    FrankWolfe,
    FrankWolfeState,
    direction,
    length,
    stretched,
)

__all__ = ["BlockFrankWolfe"]


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
