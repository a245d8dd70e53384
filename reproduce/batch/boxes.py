"""Many small convex quadratics over boxes at once: projected Newton on a stack of arrays."""

from dataclasses import dataclass

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.boxes.newton import best_on_projected_paths

_FAINTEST = 1e-8
_ROUNDING = 1e-14
_SHIFT = 1e-13
_REFINEMENTS = 2


@dataclass(frozen=True, eq=False)
class StackedSolution:
    """Where each problem of a stack ended.

    Attributes
    ----------
    y, gradient : float array (B, n)
        The points, and ``Q y``.
    kkt : float array (B,)
        The residual of `scaled_kkt` of each.
    loose : bool array (B, n)
        Entries that may move and have no derivative, to the tolerance.
    n_iter : int array (B,)
    """

    y: FloatArray
    gradient: FloatArray
    kkt: FloatArray
    loose: BoolArray
    n_iter: IntArray


def stacked_newton(
    Q: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    start: FloatArray,
    *,
    tol: float = 1e-10,
    max_iter: int = 25,
) -> StackedSolution:
    """``argmin y' Q y`` over ``lower <= y <= upper`` for each problem, by the same Newton steps.

    What `ProjectedNewton` does to one problem, to all of them in the same calls of numpy: with
    arrays of ten rows nearly all the time of one problem goes into such calls. A problem leaves the
    stack as soon as it is optimal, or no step improves it; whether it is optimal `kkt` says.

    Parameters
    ----------
    Q : (B, n, n) array
        Symmetric, positive semi-definite up to rounding.
    lower, upper, start : (B, n) array
        Infinite bounds are welcome; starts are finite.
    tol : float
        Bound on `kkt`.
    max_iter : int
        Steps of each problem.

    Raises
    ------
    ValueError
        Where a form is clearly not positive semi-definite. Not every such form is noticed.

    Examples
    --------
    Two targets that should agree, seen in two ways:

    >>> import numpy as np
    >>> Q = np.array([[[1.0, -1.0], [-1.0, 1.0]]] * 2)
    >>> lower, upper = np.array([[0.0, 2.0], [0, 5]]), np.array([[1.0, 4.0], [3, 9]])
    >>> stacked_newton(Q, lower, upper, (lower + upper) / 2).y
    array([[1., 2.],
           [3., 5.]])
    """
    stack = _Stack(Q, lower, upper, start, tol)
    y = np.clip(start, lower, upper)
    gradient = stack.slopes(y)
    kkt = stack.residuals(y, gradient)
    n_iter = np.zeros(len(Q), dtype=np.intp)
    settled = np.ones(len(Q), dtype=bool)
    active = np.arange(len(Q))
    part, at = stack, (y, gradient, kkt)
    for _ in range(max_iter):
        if not len(active):
            break
        n_iter[active] += 1
        moved, settled, going = part.step(*at, settled)
        y[active], gradient[active], kkt[active] = moved
        settled, active = settled[going], active[going]
        # Copies of the forms are cheap beside a step; views of all would step the finished ones.
        part = part if going.all() else part.of(going)
        at = moved if going.all() else (moved[0][going], moved[1][going], moved[2][going])
    return StackedSolution(y, gradient, kkt, stack.loose(y, gradient), n_iter)


class _Stack:
    """The problems, with what is computed once."""

    def __init__(
        self, Q: FloatArray, lower: FloatArray, upper: FloatArray, start: FloatArray, tol: float
    ) -> None:
        self.Q, self.lower, self.upper, self.tol = Q, lower, upper, tol
        diagonal = np.diagonal(Q, axis1=1, axis2=2)
        floor = _FAINTEST * np.max(diagonal, axis=1, initial=0.0, keepdims=True)
        self.curvature = np.maximum(diagonal, np.where(floor > 0, floor, 1.0))
        self.scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        self.size = np.max(np.abs(np.clip(start, lower, upper)), axis=1, initial=0.0)

    def of(self, which: BoolArray) -> "_Stack":
        """Some of the problems."""
        part = object.__new__(_Stack)
        part.tol = self.tol
        for name in ("Q", "lower", "upper", "curvature", "scale", "size"):
            setattr(part, name, getattr(self, name)[which])
        return part

    def slopes(self, y: FloatArray) -> FloatArray:
        """``Q y``."""
        product: FloatArray = (self.Q @ y[:, :, None])[:, :, 0]
        return product

    def residuals(self, y: FloatArray, gradient: FloatArray) -> FloatArray:
        """`scaled_kkt` of each problem."""
        moves = np.clip(y - gradient / self.curvature, self.lower, self.upper) - y
        largest = np.max(np.abs(moves), axis=1, initial=0.0)
        shares: FloatArray = np.zeros_like(largest)
        # A unit of zero means y = 0, which is optimal: no entry moves.
        np.divide(largest, self._unit(y), out=shares, where=largest > 0)
        return shares

    def loose(self, y: FloatArray, gradient: FloatArray) -> BoolArray:
        """Entries that may move and have no derivative, to the tolerance."""
        flat = np.abs(gradient) <= self.tol * self._unit(y)[:, None] * self.curvature
        return np.asarray(flat & (self.lower < self.upper))

    def step(
        self, y: FloatArray, gradient: FloatArray, kkt: FloatArray, settled: BoolArray
    ) -> tuple[tuple[FloatArray, FloatArray, FloatArray], BoolArray, BoolArray]:
        """The next points, which of them minimise over their face, and who goes on."""
        free = ~self._kept(y, gradient, settled)
        direction = self._newton(gradient, free)
        full = y + direction
        there = np.clip(full, self.lower, self.upper)
        bent = np.max(np.abs(there - full), axis=1, initial=0.0) > _ROUNDING * self.size
        if bent.any():
            there[bent] = best_on_projected_paths(
                self.Q[bent],
                y[bent],
                gradient[bent],
                direction[bent],
                self.lower[bent],
                self.upper[bent],
            )
        slopes = self.slopes(there)
        residuals = self.residuals(there, slopes)
        rise = np.einsum("bj,bj->b", there - y, slopes + gradient)
        better = (rise < 0) | (residuals < kkt)
        rests = ~bent | (-rise <= _ROUNDING * np.einsum("bj,bj->b", there, slopes))
        going = better & ~(rests & (residuals <= self.tol))
        keep = better[:, None]
        moved = np.where(keep, there, y), np.where(keep, slopes, gradient)
        return (*moved, np.where(better, residuals, kkt)), ~bent, going

    def _unit(self, y: FloatArray) -> FloatArray:
        found: FloatArray = np.maximum(self.size, np.max(np.abs(y), axis=1, initial=0.0))
        return found

    def _kept(self, y: FloatArray, gradient: FloatArray, settled: BoolArray) -> BoolArray:
        """Entries that stay where they are in this step, by the rule of `ProjectedNewton`."""
        low, high = y <= self.lower, y >= self.upper
        bound = low | high
        held = (low & (gradient >= 0)) | (high & (gradient <= 0))
        moves = np.clip(y - gradient / self.curvature, self.lower, self.upper) - y
        promise = -gradient * moves
        on_bounds = np.where(bound, promise, 0.0).sum(axis=1)
        release = settled | (on_bounds > promise.sum(axis=1) - on_bounds)
        return np.where(release[:, None], held, bound)

    def _newton(self, gradient: FloatArray, free: BoolArray) -> FloatArray:
        """Newton's step on the free entries, by the scaling and shift of `ShiftedFactor`."""
        scale = np.where(free, self.scale, 0.0)
        scaled = self.Q * scale[:, :, None] * scale[:, None]
        blocks = scaled.copy()
        entries = np.arange(blocks.shape[1])
        # Kept entries become rows of the identity: their step is zero.
        blocks[:, entries, entries] += np.where(free, _SHIFT, 1.0)
        try:
            inverse = np.linalg.inv(blocks)
        except np.linalg.LinAlgError as error:
            raise ValueError(
                "stacked_newton: a form has a negative eigenvalue, so its problem is not convex. "
                "Give positive semi-definite forms."
            ) from error
        wanted = -(scale * gradient)[:, :, None]
        x = inverse @ wanted
        for _ in range(_REFINEMENTS):
            x += inverse @ (wanted - scaled @ x)
        found: FloatArray = scale * x[:, :, 0]
        return found
