"""Projected Newton as a process: guess what the bounds hold, solve for the rest, stay inside."""

from dataclasses import dataclass

import numpy as np

from disambig.notation import BoolArray, FloatArray
from disambig.solvers.boxes.bent_path import best_on_bent_path
from disambig.solvers.boxes.factor import ShiftedFactor
from disambig.solvers.boxes.quadratic import BoxQuadratic, BoxState
from disambig.solvers.boxes.stacked_path import best_on_bent_paths

__all__ = ["NewtonState", "ProjectedNewton"]

_ROUNDING = 1e-14
# Up to here all pieces of a bent path cost less than the search for the best one.
_FEW_ROWS = 64


@dataclass(frozen=True, eq=False)
class NewtonState:
    """A point of the box.

    `settled`: it minimises over its face, so that only the choice of the face is left to improve.
    """

    at: BoxState
    settled: bool = True

    @property
    def objective(self) -> float:
        """``y' Q y``."""
        return self.at.objective

    @property
    def undecided(self) -> int:
        """Entries that break the tolerance."""
        return self.at.undecided


@dataclass(frozen=True, eq=False)
class ProjectedNewton:
    """Newton's step on the entries that no bound holds, bent into the box.

    With ``d`` Newton's step on the free entries, ``y' Q y`` falls along ``clip(y + t d)`` for small
    ``t`` (Bertsekas, SIAM J. Control and Optimization, 1982), and the best point of that path is
    taken. A step that meets no bound ends at the minimum over the face; from the right face that is
    the optimum.

    Parameters
    ----------
    problem : BoxQuadratic
        With a dense array.
    """

    problem: BoxQuadratic

    def step(self, state: NewtonState) -> NewtonState:
        """The next point, or the same state where none is better."""
        problem, here = self.problem, state.at
        rows = np.flatnonzero(~self._kept(state))
        if not len(rows):
            return state
        direction = np.zeros_like(here.y)
        direction[rows] = ShiftedFactor(problem.Q, rows).solve(-here.gradient[rows])
        full = here.y + direction
        y = problem.clip(full)
        settled = float(np.max(np.abs(y - full))) <= _ROUNDING * problem.size
        if not settled:
            y = self._best_on_path(here, direction)
        there = problem.at(y)
        if here.rise_to(there) < 0 or there.kkt < here.kkt:
            return NewtonState(there, settled)
        return state

    def has_converged(self, before: NewtonState, after: NewtonState) -> bool:
        """Optimal on the face and off it; or nothing better was found."""
        if after is before:
            return True
        gain = before.objective - after.objective
        rests = after.settled or gain <= _ROUNDING * after.objective
        return rests and after.at.kkt <= self.problem.tol

    def _best_on_path(self, here: BoxState, direction: FloatArray) -> FloatArray:
        problem = self.problem
        rows = here.y, here.gradient, direction, problem.lower, problem.upper
        if len(here.y) <= _FEW_ROWS:
            path: FloatArray = best_on_bent_paths(problem.Q[None], *(row[None] for row in rows))[0]
            return path
        return best_on_bent_path(problem.Q, *rows)

    def _kept(self, state: NewtonState) -> BoolArray:
        """Entries that stay where they are in this step.

        On a bound and pressed against it; and all those on a bound while the free entries promise
        more than the ones to be released. Releasing at once makes some runs on ill-conditioned
        arrays zigzag between two faces for tens of steps.
        """
        here = state.at
        bound, held = self.problem.bound(here), self.problem.held(here)
        promise = -here.gradient * here.moves
        if state.settled or promise[bound].sum() > promise[~bound].sum():
            return held
        return bound
