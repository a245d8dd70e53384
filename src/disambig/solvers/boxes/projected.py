"""`projected_gradient`: the optimum of a convex quadratic over a set with an exact projection.

The method is the accelerated projected gradient method with restarts. It is meant for boxes with
constraints over entries, such as sums of groups, which the other methods do not keep.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from disambig.notation import FloatArray
from disambig.solvers.boxes.quadratic import BoxSolution, curvature
from disambig.solvers.loop import Callback, Status, iterate

Projection = Callable[[FloatArray, FloatArray], FloatArray]
"""The nearest feasible point to values, in squares with given weights."""
# Rounding of the two sides of the test of a step length, relative to them.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class _State:
    """A feasible point, its gradient, and the point that the next step starts from."""

    y: FloatArray
    gradient: FloatArray
    ahead: FloatArray
    ahead_gradient: FloatArray
    momentum: float
    length: float
    moved: float
    residual: float = np.inf

    @property
    def objective(self) -> float:
        """``y' Q y``."""
        return float(self.y @ self.gradient)

    @property
    def undecided(self) -> int:
        """Not counted."""
        return 0


@dataclass(frozen=True, eq=False)
class _Steps:
    """Gradient steps in the metric of the diagonal, with momentum that restarts if it hurts."""

    Q: Any
    nearest: Projection
    curvature: FloatArray
    size: float
    tol: float

    def first(self, y: FloatArray) -> _State:
        gradient = np.asarray(self.Q @ y)
        return _State(y, gradient, y, gradient, 1.0, 1.0, np.inf, self.residual(y, gradient))

    def residual(self, y: FloatArray, gradient: FloatArray) -> float:
        """The largest entry of the projected scaled gradient step, without unit."""
        move = self.nearest(y - gradient / self.curvature, self.curvature) - y
        largest = float(np.max(np.abs(move), initial=0.0))
        return largest / self._unit(y) if largest > 0 else 0.0

    def step(self, state: _State) -> _State:
        length = state.length
        while True:
            scale = self.curvature / length
            there = self.nearest(state.ahead - state.ahead_gradient / scale, scale)
            gradient = np.asarray(self.Q @ there)
            move = there - state.ahead
            square = float(move @ (self.curvature * move))
            rise = float(move @ (gradient - state.ahead_gradient))
            # The model of the step bounds the objective; a step of length 1/n always does.
            if rise * length <= square * (1 + _ROUNDING) or length * len(move) <= 1.0:
                break
            length = max(length / 2, 1.0 / len(move))
        moved = float(np.max(np.abs(move), initial=0.0)) / length
        progress = there - state.y
        restarts = -float(move @ (self.curvature * progress)) > 0
        momentum = 1.0 if restarts else (1 + np.sqrt(1 + 4 * state.momentum**2)) / 2
        part = 0.0 if restarts else (state.momentum - 1) / momentum
        after = _State(
            there,
            gradient,
            there + part * progress,
            gradient + part * (gradient - state.gradient),
            momentum,
            length,
            moved,
        )
        if moved > self.tol * self._unit(there):
            return after
        return replace(after, residual=self.residual(there, gradient))

    def has_converged(self, before: _State, after: _State) -> bool:
        return after.residual <= self.tol

    def _unit(self, y: FloatArray) -> float:
        return max(self.size, float(np.max(np.abs(y), initial=0.0)))


def projected_gradient(
    Q: Any,
    nearest: Projection,
    start: FloatArray,
    *,
    diagonal: FloatArray | None = None,
    reference: FloatArray | None = None,
    tol: float = 1e-9,
    max_iter: int = 20_000,
    callback: Callback | None = None,
) -> BoxSolution:
    """``argmin y' Q y`` over a closed convex set, for a positive semi-definite operator ``Q``.

    The residual is ``max_j |P(y - Q y / q) - y|_j / size`` with P the projection in the metric of
    the diagonal q, which is zero exactly at an optimum. It is `scaled_kkt` if the set is a box.

    Parameters
    ----------
    Q : operator of shape (n, n)
        Symmetric and positive semi-definite, with ``@``.
    nearest : callable
        ``nearest(values, weights)`` is the point of the set of least ``sum_j w_j (y_j - v_j)^2``.
    start : (n,) array
    diagonal : (n,) array, optional
        The diagonal of ``Q``, by default ``Q.diagonal()``.
    reference : (n,) array, optional
        Its largest entry is the least unit of residuals; by default `start`.
    tol, max_iter, callback
        As in `projected_newton`.

    Examples
    --------
    Two numbers with sum 2, the first of them at most 0.5:

    >>> def nearest(values, weights):
    ...     first = (weights @ (values * [1, -1]) + 2 * weights[1]) / weights.sum()
    ...     return np.array([min(first, 0.5), 2 - min(first, 0.5)])
    >>> projected_gradient(np.eye(2), nearest, np.array([0.0, 2.0])).y
    array([0.5, 1.5])
    """
    diagonal = np.asarray(Q.diagonal() if diagonal is None else diagonal)
    weights = curvature(diagonal)
    y = nearest(start, weights)
    reference = start if reference is None else reference
    size = float(np.max(np.abs(reference), initial=0.0))
    steps = _Steps(Q, nearest, weights, size, tol)
    run = iterate(steps, steps.first(y), max_iter=max_iter, stage="gradients", callback=callback)
    state = run.state
    residual = steps.residual(state.y, state.gradient)
    status = run.status
    if status is Status.MAX_ITER and residual <= tol:
        status = Status.CONVERGED
    single = np.zeros(len(y), dtype=np.bool_)
    return BoxSolution(state.y, state.objective, residual, run.n_iter, status, run.trace, single)
