"""Conjugate gradients on the faces of a box, one product with ``Q`` a step."""

from dataclasses import dataclass

import numpy as np

from disambig.notation import FloatArray
from disambig.solvers.boxes.quadratic import BoxQuadratic, BoxState

__all__ = ["FaceGradients", "GradientState"]


@dataclass(frozen=True, eq=False)
class GradientState:
    """A point of the box, the conjugate direction to follow (None: begin anew), and `reach`.

    `reach` is the length of a projected gradient step, in units of the inverse diagonal.
    """

    at: BoxState
    search: FloatArray | None = None
    reach: float = 2.0

    @property
    def objective(self) -> float:
        """``y' Q y``."""
        return self.at.objective

    @property
    def undecided(self) -> int:
        """Entries that break the tolerance."""
        return self.at.undecided


@dataclass(frozen=True, eq=False)
class FaceGradients:
    """Three kinds of step, after Dostál and Schöberl (Comp. Optimization and Applications, 2005).

    * *Release*: where entries on bounds promise more than the free ones, they leave their bounds.
    * *Conjugate gradients* on the face, scaled by the diagonal, while they stay inside the box.
    * *Expansion*: where such a step meets a bound, it ends there, and a projected gradient step
      puts as many entries on bounds as want to be.

    No step raises the objective. Beside Newton steps by conjugate gradients with an exact search
    along the bent path this took a third of the products, on every graph that was tried.

    Parameters
    ----------
    problem : BoxQuadratic
        ``Q`` may be any operator with ``@``.
    """

    problem: BoxQuadratic

    def step(self, state: GradientState) -> GradientState:
        """The next point, or the same state where rounding allows none."""
        here = state.at
        bound = self.problem.bound(here)
        promise = -here.gradient * here.moves
        if promise[bound].sum() > promise[~bound].sum():
            after = self._release(state, np.where(bound, here.moves, 0.0))
        else:
            after = self._face(state, self._downhill(here))
        if after is not state and after.at.kkt <= self.problem.tol:
            # The gradient was carried along by recurrence; the certificate must not be.
            return GradientState(self.problem.at(after.at.y), None, after.reach)
        return after

    def has_converged(self, before: GradientState, after: GradientState) -> bool:
        """Is the certificate good, or the step stuck?"""
        return after is before or after.at.kkt <= self.problem.tol

    def _downhill(self, here: BoxState) -> FloatArray:
        """Minus the scaled gradient on the free entries."""
        slope = np.where(self.problem.bound(here), 0.0, here.gradient)
        return -slope / self.problem.curvature

    def _release(self, state: GradientState, move: FloatArray) -> GradientState:
        here = state.at
        product = np.asarray(self.problem.Q @ move)
        curve, fall = float(move @ product), -float(here.gradient @ move)
        if not (curve > 0 and fall > 0):
            return state
        length = min(fall / curve, self._room(here.y, move))
        return GradientState(self._along(here, length, move, product), None, state.reach)

    def _face(self, state: GradientState, downhill: FloatArray) -> GradientState:
        here = state.at
        move = downhill if state.search is None else state.search
        product = np.asarray(self.problem.Q @ move)
        curve, fall = float(move @ product), -float(here.gradient @ move)
        if not (curve > 0 and fall > 0):
            # Rounding turned a stale direction uphill; steepest descent has nothing to blame.
            return state if state.search is None else GradientState(here, None, state.reach)
        length, room = fall / curve, self._room(here.y, move)
        if length > room:
            return self._expand(self._along(here, room, move, product), state.reach)
        there = self._along(here, length, move, product)
        fresh = self._downhill(there)
        search = fresh - float(fresh @ product) / curve * move
        return GradientState(there, search, state.reach)

    def _expand(self, here: BoxState, reach: float) -> GradientState:
        downhill = self._downhill(here)
        # A reach of 2 / |D^-1/2 Q D^-1/2| is safe, the norm is found by trying, and the trace says
        # that it is at most n: below that only rounding can let the objective rise.
        shortest = 1.0 / len(downhill)
        while True:
            there = self.problem.at(self.problem.clip(here.y + reach * downhill))
            if here.rise_to(there) <= 0 or reach <= shortest:
                return GradientState(there, None, reach)
            reach = max(reach / 2, shortest)

    def _room(self, y: FloatArray, move: FloatArray) -> float:
        """How far along `move` the box reaches."""
        problem = self.problem
        up, down = move > 0, move < 0
        return min(
            float(np.min((problem.upper[up] - y[up]) / move[up], initial=np.inf)),
            float(np.min((problem.lower[down] - y[down]) / move[down], initial=np.inf)),
        )

    def _along(
        self, here: BoxState, length: float, move: FloatArray, product: FloatArray
    ) -> BoxState:
        problem = self.problem
        return problem.known(problem.clip(here.y + length * move), here.gradient + length * product)
