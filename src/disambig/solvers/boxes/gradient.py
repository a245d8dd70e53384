"""Conjugate gradients on the faces of a box, one product with ``Q`` a step.

A convex quadratic over a box, for an operator: products are all that is asked of it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from disambig.notation import AnyArray, FloatArray
from disambig.solvers.boxes.nearest import component_directions, nearest_optimum
from disambig.solvers.boxes.quadratic import BoxQuadratic, BoxSolution, BoxState, box_quadratic
from disambig.solvers.loop import Callback, Status, iterate


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


def accelerated(
    Q: Any,
    lower: FloatArray,
    upper: FloatArray,
    start: FloatArray,
    *,
    diagonal: FloatArray | None = None,
    anchor: FloatArray | None = None,
    null_space: AnyArray | None = None,
    tol: float = 1e-9,
    max_iter: int = 20_000,
    callback: Callback | None = None,
) -> BoxSolution:
    """``argmin y' Q y`` over ``lower <= y <= upper``, for a positive semi-definite operator ``Q``.

    Conjugate gradients on the faces of the box (see `FaceGradients`), one or two products a step.

    Parameters
    ----------
    Q : operator of shape (n, n)
        Symmetric and positive semi-definite, with ``@``.
    lower, upper, start : (n,) array
        As in `projected_newton`.
    diagonal : (n,) array, optional
        Of ``Q``: it scales the steps and the residual. By default ``Q.diagonal()``.
    anchor : (n,) array, optional
        Of all optima that `null_space` reaches return the nearest to this (NaN is no wish).
    null_space : (n,) int array or (n, c) array, optional
        Directions in which ``Q`` is zero: the columns, or for labels 0, 1, ... the indicators of
        their groups (the connected components of non-negative votes whose rows sum to one). The
        nearest of all optima comes out if they span the whole null space. Without it the optimum
        stays where the steps reached it.
    tol, max_iter, callback
        As in `projected_newton`.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> Q = csr_array([[1.0, -1.0], [-1.0, 1.0]])
    >>> lower, upper = np.array([0.0, 2.0]), np.array([5.0, 4.0])
    >>> solution = accelerated(
    ...     Q, lower, upper, lower, anchor=np.array([2.5, 3.0]), null_space=np.array([0, 0])
    ... )
    >>> solution.y, solution.converged
    (array([2.75, 2.75]), True)
    """
    diagonal = np.asarray(Q.diagonal() if diagonal is None else diagonal)
    problem = box_quadratic(Q, diagonal, lower, upper, start, tol)
    run = iterate(
        FaceGradients(problem),
        GradientState(problem.at(problem.clip(start))),
        max_iter=max_iter,
        stage="gradients",
        callback=callback,
    )
    state, status = run.state.at, run.status
    if status is Status.CONVERGED and state.kkt > tol:
        status = Status.MAX_ITER
    if anchor is not None and null_space is not None and status is Status.CONVERGED:
        labels = np.ndim(null_space) == 1
        directions = component_directions(null_space) if labels else csc_array(null_space)
        state = nearest_optimum(problem, state, anchor, directions)
    return BoxSolution(state.y, state.objective, state.kkt, run.n_iter, status, run.trace)
