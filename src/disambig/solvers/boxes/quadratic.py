"""The problem ``min y' Q y`` over a box ``lower <= y <= upper``, its certificate and solution.

`BoxQuadratic` is the problem, `BoxState` a point of the box with its gradient, and `BoxSolution`
what a solver returns. `scaled_kkt` is the residual of the optimality conditions that all solvers of
this package report.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.notation import BoolArray, FloatArray
from disambig.solvers.loop import Progress, Status

# Diagonal entries below this share of the largest one are raised to it, so that they can be divided
# by.
_MIN_DIAGONAL_SHARE = 1e-8


def curvature(diagonal: FloatArray) -> FloatArray:
    """The diagonal of ``Q`` with small entries raised to a positive minimum, ``(n,)``."""
    floor = _MIN_DIAGONAL_SHARE * float(np.max(diagonal, initial=0.0))
    return np.maximum(diagonal, floor if floor > 0 else 1.0)


def coordinate_moves(
    gradient: FloatArray,
    y: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    curvature: FloatArray,
) -> FloatArray:
    """``clip(y - g / q, lower, upper) - y``: the best move of each entry alone, ``(n,)``."""
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
    """``max_j |clip(y - g / q, lower, upper) - y|_j / size``, which is zero exactly at an optimum.

    The vector in the maximum holds the moves that minimise ``y' Q y`` over one entry at a time. The
    residual does not change when ``Q`` is multiplied by a positive number, nor when `y`, the bounds
    and `size` are. It does not bound the distance to the optimum: with an ill-conditioned ``Q`` all
    single entries can be nearly optimal while a joint move of many is large.

    Parameters
    ----------
    gradient : (n,) array
        ``Q y``, half the gradient of ``y' Q y``.
    y, lower, upper : (n,) array
        A point of the box, and its bounds, which may be infinite.
    curvature : (n,) array, positive
        The diagonal of ``Q``, from the function `curvature`.
    size : float
        The unit of the residual. Solvers take the largest ``|y_j|`` at their start or their end.

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
    """A point of the box with its gradient, objective and residual.

    Attributes
    ----------
    y, gradient : (n,) array
        The point, and ``Q y``.
    moves : (n,) array
        The best move of each entry alone, from `coordinate_moves`.
    objective : float
        ``y' Q y``.
    kkt : float
        The largest move divided by the size of `y`.
    undecided : int
        Number of moves larger than the tolerance.
    """

    y: FloatArray
    gradient: FloatArray
    moves: FloatArray
    objective: float
    kkt: float
    undecided: int

    def increase_to(self, other: "BoxState") -> float:
        """``f(other) - f(self)`` as one inner product: nearly equal values do not cancel."""
        return float((other.y - self.y) @ (other.gradient + self.gradient))


@dataclass(frozen=True, eq=False)
class BoxQuadratic:
    """``y' Q y`` over ``lower <= y <= upper``.

    Parameters
    ----------
    Q : (n, n) array or operator
        Symmetric and positive semi-definite; only ``@`` is used here.
    lower, upper : (n,) array
        The bounds, which may be infinite.
    curvature : (n,) array
        The diagonal of `Q`, from the function `curvature`.
    size : float
        The largest entry of the start: a lower bound on the unit of residuals.
    tol : float
        The required scaled residual.
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

    def state_at(self, y: FloatArray) -> BoxState:
        """The state at `y`, a point of the box."""
        return self.state_with(y, np.asarray(self.Q @ y))

    def state_with(self, y: FloatArray, gradient: FloatArray) -> BoxState:
        """The state at `y` if ``Q y`` is known already."""
        moves = coordinate_moves(gradient, y, self.lower, self.upper, self.curvature)
        size = max(self.size, float(np.max(np.abs(y), initial=0.0)))
        largest = float(np.max(np.abs(moves), initial=0.0))
        return BoxState(
            y=y,
            gradient=gradient,
            moves=moves,
            objective=float(y @ gradient),
            # A size of zero means y = 0, which is optimal: all moves are zero.
            kkt=largest / size if largest > 0 else 0.0,
            undecided=int(np.count_nonzero(np.abs(moves) > self.tol * size)),
        )

    def active(self, state: BoxState) -> BoolArray:
        """Entries on a bound where the gradient points out of the box, ``(n,)``."""
        low = (state.y <= self.lower) & (state.gradient >= 0)
        high = (state.y >= self.upper) & (state.gradient <= 0)
        return np.asarray(low | high)

    def stationary(self, state: BoxState) -> BoolArray:
        """Entries with two different bounds and zero gradient up to the tolerance, ``(n,)``."""
        size = max(self.size, float(np.max(np.abs(state.y), initial=0.0)))
        flat = np.abs(state.gradient) <= self.tol * size * self.curvature
        return np.asarray(flat & (self.lower < self.upper))

    def on_bound(self, state: BoxState) -> BoolArray:
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
    """The problem, with the unit of residuals taken from the start."""
    size = float(np.max(np.abs(np.clip(start, lower, upper)), initial=0.0))
    return BoxQuadratic(Q, lower, upper, curvature(diagonal), size, tol)


@dataclass(frozen=True, eq=False)
class BoxSolution:
    """A minimiser of ``y' Q y`` over a box, with its certificate.

    Attributes
    ----------
    y : (n,) array
        Exactly inside the box; read-only.
    value : float
        ``y' Q y``.
    kkt : float
        The residual of `scaled_kkt`: the best move of any single entry is at most this share of the
        size of `y`.
    n_iter : int
        Steps of all stages.
    status : Status
        ``CONVERGED`` only if `kkt` is within the tolerance.
    trace : tuple of Progress
        Every step of every stage; ``undecided`` counts entries whose move exceeds the tolerance.
    single : (n,) bool array
        Entries that are known to have the same value in every optimum.
    """

    y: FloatArray
    value: float
    kkt: float
    n_iter: int
    status: Status
    trace: tuple[Progress, ...]
    single: BoolArray

    def __post_init__(self) -> None:
        self.y.setflags(write=False)

    @property
    def converged(self) -> bool:
        """Is the certificate within the tolerance?"""
        return self.status is Status.CONVERGED
