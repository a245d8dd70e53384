"""The problem ``min y' Q y`` over a box, and what is known at a point of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.notation import BoolArray, FloatArray
from disambig.solvers.boxes.certificate import coordinate_moves, curvature

__all__ = ["BoxQuadratic", "BoxState", "box_quadratic"]


@dataclass(frozen=True, eq=False)
class BoxState:
    """A point of the box and what is known there.

    Attributes
    ----------
    y, gradient : (n,) array
        The point, and ``Q y``.
    moves : (n,) array
        How far each entry alone would move to its best place.
    objective : float
        ``y' Q y``.
    kkt : float
        The largest move, in units of the size of `y`.
    undecided : int
        Moves that break the tolerance.
    """

    y: FloatArray
    gradient: FloatArray
    moves: FloatArray
    objective: float
    kkt: float
    undecided: int

    def rise_to(self, other: "BoxState") -> float:
        """``f(other) - f(self)`` as one inner product: nearly equal values do not cancel."""
        return float((other.y - self.y) @ (other.gradient + self.gradient))


@dataclass(frozen=True, eq=False)
class BoxQuadratic:
    """``y' Q y`` over ``lower <= y <= upper``.

    Parameters
    ----------
    Q : (n, n) array or operator
        Symmetric and positive semi-definite; only ``@`` is asked of it here.
    lower, upper : (n,) array
        Infinite bounds are welcome.
    curvature : (n,) array
        The diagonal of `Q`, safe to divide by.
    size : float
        The largest entry of the start: the least unit of residuals.
    tol : float
        The scaled residual that is asked for.
    """

    Q: Any
    lower: FloatArray
    upper: FloatArray
    curvature: FloatArray
    size: float
    tol: float

    def clip(self, y: FloatArray) -> FloatArray:
        """The nearest point of the box."""
        nearest: FloatArray = np.clip(y, self.lower, self.upper)
        return nearest

    def at(self, y: FloatArray) -> BoxState:
        """What is known at `y`, a point of the box."""
        return self.known(y, np.asarray(self.Q @ y))

    def known(self, y: FloatArray, gradient: FloatArray) -> BoxState:
        """The same where ``Q y`` is at hand."""
        moves = coordinate_moves(gradient, y, self.lower, self.upper, self.curvature)
        size = max(self.size, float(np.max(np.abs(y), initial=0.0)))
        largest = float(np.max(np.abs(moves), initial=0.0))
        return BoxState(
            y=y,
            gradient=gradient,
            moves=moves,
            objective=float(y @ gradient),
            # A size of zero means y = 0, which is optimal: no entry moves.
            kkt=largest / size if largest > 0 else 0.0,
            undecided=int(np.count_nonzero(np.abs(moves) > self.tol * size)),
        )

    def held(self, state: BoxState) -> BoolArray:
        """Entries on a bound that their derivative presses against, ``(n,)``."""
        low = (state.y <= self.lower) & (state.gradient >= 0)
        high = (state.y >= self.upper) & (state.gradient <= 0)
        return np.asarray(low | high)

    def loose(self, state: BoxState) -> BoolArray:
        """Entries that may move and have no derivative, to the tolerance, ``(n,)``."""
        size = max(self.size, float(np.max(np.abs(state.y), initial=0.0)))
        flat = np.abs(state.gradient) <= self.tol * size * self.curvature
        return np.asarray(flat & (self.lower < self.upper))

    def bound(self, state: BoxState) -> BoolArray:
        """Entries on a bound, ``(n,)``."""
        return np.asarray((state.y <= self.lower) | (state.y >= self.upper))


def box_quadratic(
    Q: Any,
    diagonal: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    start: FloatArray,
    tol: float,
) -> BoxQuadratic:
    """The problem in the units of its start."""
    size = float(np.max(np.abs(np.clip(start, lower, upper)), initial=0.0))
    return BoxQuadratic(Q, lower, upper, curvature(diagonal), size, tol)
