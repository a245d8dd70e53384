"""`accelerated`: the optimum of a convex quadratic over a box, for an operator ``Q``.

The method is conjugate gradients on the faces of the box. It needs only products with ``Q``, one or
two per step.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from disambig.notation import AnyArray, FloatArray
from disambig.solvers.boxes.nearest import component_directions, nearest_optimum, single_entries
from disambig.solvers.boxes.quadratic import BoxQuadratic, BoxSolution, BoxState, box_quadratic
from disambig.solvers.boxes.units import solve_in_unit, unit_of
from disambig.solvers.loop import Callback, Status, iterate


@dataclass(frozen=True, eq=False)
class GradientState:
    """A point of the box and what the next step needs.

    Attributes
    ----------
    point : BoxState
    direction : (n,) array or None
        The next conjugate direction; None: restart with the scaled gradient.
    gradient_step : float
        The length of a projected gradient step, in units of the inverse diagonal.
    """

    point: BoxState
    direction: FloatArray | None = None
    gradient_step: float = 2.0

    @property
    def objective(self) -> float:
        """``y' Q y``."""
        return self.point.objective

    @property
    def undecided(self) -> int:
        """Number of entries whose best move exceeds the tolerance."""
        return self.point.undecided


@dataclass(frozen=True, eq=False)
class FaceGradients:
    """Three types of step, after Dostál and Schöberl (Comp. Optimization and Applications, 2005).

    * *Release*: entries leave their bounds if they promise a larger decrease than the free entries.
    * *Conjugate gradient*: a step on the face, scaled by the diagonal, if it stays inside the box.
    * *Expansion*: a conjugate gradient step that meets a bound ends there. A projected gradient
      step follows, which can put many entries on their bounds at once.

    No step raises the objective. On every graph that was tried, this took a third of the products
    of Newton steps by conjugate gradients with an exact search along the projected path.

    Parameters
    ----------
    problem : BoxQuadratic
        ``Q`` can be any operator with ``@``.
    """

    problem: BoxQuadratic

    def step(self, state: GradientState) -> GradientState:
        """The next point, or the same state if only rounding error is left."""
        here = state.point
        on_bound = self.problem.on_bound(here)
        decrease = -here.gradient * here.moves
        if decrease[on_bound].sum() > decrease[~on_bound].sum():
            after = self._release(state, np.where(on_bound, here.moves, 0.0))
        else:
            after = self._face_step(state, self._descent_direction(here))
        if after is not state and after.point.kkt <= self.problem.tol:
            # The gradient was updated by recurrence. The certificate needs a new product.
            return GradientState(self.problem.state_at(after.point.y), None, after.gradient_step)
        return after

    def has_converged(self, before: GradientState, after: GradientState) -> bool:
        """Is the residual within the tolerance, or was there no step?"""
        return after is before or after.point.kkt <= self.problem.tol

    def _descent_direction(self, here: BoxState) -> FloatArray:
        """Minus the scaled gradient on the free entries."""
        slope = np.where(self.problem.on_bound(here), 0.0, here.gradient)
        return -slope / self.problem.curvature

    def _release(self, state: GradientState, move: FloatArray) -> GradientState:
        here = state.point
        product = np.asarray(self.problem.Q @ move)
        curvature, descent_slope = float(move @ product), -float(here.gradient @ move)
        if not (curvature > 0 and descent_slope > 0):
            return state
        length = min(descent_slope / curvature, self._longest_step(here.y, move))
        return GradientState(self._moved(here, length, move, product), None, state.gradient_step)

    def _face_step(self, state: GradientState, descent_direction: FloatArray) -> GradientState:
        here = state.point
        move = descent_direction if state.direction is None else state.direction
        product = np.asarray(self.problem.Q @ move)
        curvature, descent_slope = float(move @ product), -float(here.gradient @ move)
        if not (curvature > 0 and descent_slope > 0):
            # Through rounding an old direction may no longer descend: restart. If the scaled
            # gradient itself does not descend, only rounding error is left.
            return (
                state if state.direction is None else GradientState(here, None, state.gradient_step)
            )
        length, longest = descent_slope / curvature, self._longest_step(here.y, move)
        if length > longest:
            return self._expand(self._moved(here, longest, move, product), state.gradient_step)
        there = self._moved(here, length, move, product)
        new = self._descent_direction(there)
        direction = new - float(new @ product) / curvature * move
        return GradientState(there, direction, state.gradient_step)

    def _expand(self, here: BoxState, gradient_step: float) -> GradientState:
        descent_direction = self._descent_direction(here)
        # A step of at most 2 / |D^-1/2 Q D^-1/2| does not raise the objective. The norm is not
        # known, so the step is halved until that is true. The norm is at most the trace, n: at
        # the shortest step only rounding error can raise the objective.
        shortest = 1.0 / len(descent_direction)
        while True:
            there = self.problem.state_at(
                self.problem.clip(here.y + gradient_step * descent_direction)
            )
            if here.increase_to(there) <= 0 or gradient_step <= shortest:
                return GradientState(there, None, gradient_step)
            gradient_step = max(gradient_step / 2, shortest)

    def _longest_step(self, y: FloatArray, move: FloatArray) -> float:
        """The largest length with ``y + length * move`` inside the box."""
        problem = self.problem
        up, down = move > 0, move < 0
        return min(
            float(np.min((problem.upper[up] - y[up]) / move[up], initial=np.inf)),
            float(np.min((problem.lower[down] - y[down]) / move[down], initial=np.inf)),
        )

    def _moved(
        self, here: BoxState, length: float, move: FloatArray, product: FloatArray
    ) -> BoxState:
        problem = self.problem
        return problem.state_with(
            problem.clip(here.y + length * move), here.gradient + length * product
        )


def accelerated(
    Q: Any,
    lower: FloatArray,
    upper: FloatArray,
    start: FloatArray,
    *,
    reference: FloatArray | None = None,
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
    lower, upper, start, reference : (n,) array
        As in `projected_newton`.
    diagonal : (n,) array, optional
        The diagonal of ``Q``, by default ``Q.diagonal()``. It scales the steps and the residual.
    anchor : (n,) array, optional
        Of all optima that differ by directions of `null_space` the one nearest to this is
        returned; NaN for no preference.
    null_space : (n,) int array or (n, c) array, optional
        Directions in which ``Q`` is zero. An (n, c) array has them as columns. An (n,) array of
        labels 0, 1, ... means the indicators of the groups with equal labels, such as the
        connected components of non-negative votes whose rows sum to one. The result is the nearest
        of all optima if these directions span the whole null space. By default it is the optimum
        that the steps reached.
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
    unit = unit_of(lower, upper, start)
    if unit != 1.0:
        rescaled = partial(
            accelerated, Q, diagonal=diagonal, null_space=null_space, tol=tol, max_iter=max_iter
        )
        return solve_in_unit(
            unit,
            rescaled,
            lower,
            upper,
            start,
            reference=reference,
            anchor=anchor,
            callback=callback,
        )
    reference = start if reference is None else reference
    problem = box_quadratic(Q, diagonal, lower, upper, reference, tol)
    run = iterate(
        FaceGradients(problem),
        GradientState(problem.state_at(problem.clip(start))),
        max_iter=max_iter,
        stage="gradients",
        callback=callback,
    )
    state, status = run.state.point, run.status
    if status is Status.CONVERGED and state.kkt > tol:
        status = Status.MAX_ITER
    directions = csc_array((len(lower), 0))
    if null_space is not None:
        are_labels = np.ndim(null_space) == 1
        directions = component_directions(null_space) if are_labels else csc_array(null_space)
    if anchor is not None and null_space is not None and status is Status.CONVERGED:
        state = nearest_optimum(problem, state, anchor, directions)
    single = lower == upper
    if status is Status.CONVERGED:
        single = single_entries(problem, state, directions)
    return BoxSolution(state.y, state.objective, state.kkt, run.n_iter, status, run.trace, single)
