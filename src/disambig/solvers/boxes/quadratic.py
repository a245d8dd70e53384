"""When is a point of a box optimal? The residual that every solver of the room reports.

The problem ``min y' Q y`` over a box, and what is known at a point of it.

What a solver of box-constrained quadratics returns.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.notation import BoolArray, FloatArray
from disambig.solvers.loop import Progress, Status

_FAINTEST = 1e-8
"""Least share of the largest entry that an entry of the diagonal counts as."""


def curvature(diagonal: FloatArray) -> FloatArray:
    """The diagonal of ``Q`` made safe to divide by, ``(n,)``."""
    floor = _FAINTEST * float(np.max(diagonal, initial=0.0))
    return np.maximum(diagonal, floor if floor > 0 else 1.0)


def coordinate_moves(
    gradient: FloatArray,
    y: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    curvature: FloatArray,
) -> FloatArray:
    """``clip(y - g / q, lower, upper) - y``: how far each entry alone would move, ``(n,)``."""
    moves: FloatArray = np.clip(y - gradient / curvature, lower, upper) - y
    return moves


def scaled_kkt(
    gradient: FloatArray,
    y: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    curvature: FloatArray,
    size: float,
) -> float:
    """``max_j |clip(y - g / q, lower, upper) - y|_j / size``, zero exactly at an optimum.

    The entries of the bracket are the moves that minimise ``y' Q y`` over one entry at a time, so
    the residual speaks in units of `y`. It does not change when ``Q`` is multiplied by a positive
    number, nor when `y`, the bounds and `size` are. It bounds no distance to the optimum by itself:
    with an ill-conditioned ``Q`` small moves of single entries can hide a larger one of many.

    Parameters
    ----------
    gradient : (n,) array
        ``Q y``, half the gradient of ``y' Q y``.
    y, lower, upper : (n,) array
        A point of the box, and its bounds; infinite ones are welcome.
    curvature : (n,) array, positive
        The diagonal of ``Q``; see the function of that name.
    size : float
        What counts as one: the solvers take the largest ``|y_j|`` at their start or their end.

    Examples
    --------
    >>> import numpy as np
    >>> Q = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> lower, upper = np.array([0.0, 2.0]), np.array([1.0, 4.0])
    >>> y = np.array([1.0, 2.0])
    >>> scaled_kkt(Q @ y, y, lower, upper, curvature=np.diag(Q), size=2.0)
    0.0
    >>> y = np.array([0.5, 2.0])
    >>> scaled_kkt(Q @ y, y, lower, upper, curvature=np.diag(Q), size=2.0)
    0.25
    """
    moves = coordinate_moves(gradient, y, lower, upper, curvature)
    largest = float(np.max(np.abs(moves), initial=0.0))
    return largest / size if largest > 0 else 0.0


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


@dataclass(frozen=True, eq=False)
class BoxSolution:
    """A minimiser of ``y' Q y`` over a box, with its certificate.

    Attributes
    ----------
    y : (n,) array
        Inside the box, exactly; read-only.
    value : float
        ``y' Q y``.
    kkt : float
        The residual of `scaled_kkt`: no single entry of `y`, moved to its own best place, moves by
        more than this share of the size of `y`.
    n_iter : int
        Steps of all stages.
    status : Status
        ``CONVERGED`` only if `kkt` is within the tolerance that was asked for.
    trace : tuple of Progress
        Every step of every stage. ``undecided`` counts the entries that break the tolerance.
    """

    y: FloatArray
    value: float
    kkt: float
    n_iter: int
    status: Status
    trace: tuple[Progress, ...]

    def __post_init__(self) -> None:
        self.y.setflags(write=False)

    @property
    def converged(self) -> bool:
        """Is the certificate within the tolerance?"""
        return self.status is Status.CONVERGED
