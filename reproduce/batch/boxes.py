"""Projected Newton for a stack of small convex quadratic problems over boxes.

All problems have the same number of rows, so each step is a few calls of numpy for the whole stack.
The steps are those of `disambig.solvers.boxes.newton.ProjectedNewton`.
"""

from dataclasses import dataclass

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.boxes.newton import best_on_projected_paths

# Diagonal entries count as at least this share of the largest one in the residual.
_MIN_CURVATURE_SHARE = 1e-8
# Moves and decreases below this share of the size of the point and of its value are rounding error.
_ROUNDING_SHARE = 1e-14
# As in `ShiftedFactor`: added to the diagonal of the scaled form, so that it can be inverted; the
# iterative refinements remove the effect of the shift.
_DIAGONAL_SHIFT = 1e-13
_N_REFINEMENTS = 2


@dataclass(frozen=True, eq=False)
class StackedSolution:
    """The last iterate of each problem of a stack.

    Attributes
    ----------
    y, gradient : float array (B, n)
        The points, and ``Q y``.
    kkt : float array (B,)
        The residual `scaled_kkt` of each problem.
    loose : bool array (B, n)
        Entries that are not fixed by their bounds and whose derivative is zero, to the tolerance.
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

    The steps are those of `ProjectedNewton`, taken for all problems in the same calls of numpy:
    with ten rows, nearly all the time of a single problem is the overhead of such calls. A problem
    leaves the stack as soon as it is optimal or no step improves it; `kkt` says which.

    Parameters
    ----------
    Q : (B, n, n) array
        Symmetric, positive semi-definite up to rounding.
    lower, upper, start : (B, n) array
        Bounds may be infinite, starts must be finite.
    tol : float
        Bound on `kkt`.
    max_iter : int
        Newton steps of each problem at most.

    Raises
    ------
    ValueError
        If a form is clearly not positive semi-definite. Not every such form is detected.

    Examples
    --------
    Two targets that should agree, in two different boxes:

    >>> import numpy as np
    >>> Q = np.array([[[1.0, -1.0], [-1.0, 1.0]]] * 2)
    >>> lower, upper = np.array([[0.0, 2.0], [0, 5]]), np.array([[1.0, 4.0], [3, 9]])
    >>> stacked_newton(Q, lower, upper, (lower + upper) / 2).y
    array([[1., 2.],
           [3., 5.]])
    """
    stack = _Stack(Q, lower, upper, start, tol)
    y = np.clip(start, lower, upper)
    gradient = stack.gradients(y)
    kkt = stack.residuals(y, gradient)
    n_iter = np.zeros(len(Q), dtype=np.intp)
    at_face_minimum = np.ones(len(Q), dtype=bool)
    active = np.arange(len(Q))
    part, at = stack, (y, gradient, kkt)
    for _ in range(max_iter):
        if not len(active):
            break
        n_iter[active] += 1
        moved, at_face_minimum, going = part.step(*at, at_face_minimum)
        y[active], gradient[active], kkt[active] = moved
        at_face_minimum, active = at_face_minimum[going], active[going]
        # Copying the remaining forms costs less than a step of the finished problems.
        part = part if going.all() else part.of(going)
        at = moved if going.all() else (moved[0][going], moved[1][going], moved[2][going])
    return StackedSolution(y, gradient, kkt, stack.loose(y, gradient), n_iter)


class _Stack:
    """The problems of a stack, with quantities that are computed once."""

    def __init__(
        self, Q: FloatArray, lower: FloatArray, upper: FloatArray, start: FloatArray, tol: float
    ) -> None:
        self.Q, self.lower, self.upper, self.tol = Q, lower, upper, tol
        diagonal = np.diagonal(Q, axis1=1, axis2=2)
        floor = _MIN_CURVATURE_SHARE * np.max(diagonal, axis=1, initial=0.0, keepdims=True)
        self.curvature = np.maximum(diagonal, np.where(floor > 0, floor, 1.0))
        self.scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        self.size = np.max(np.abs(np.clip(start, lower, upper)), axis=1, initial=0.0)

    def of(self, which: BoolArray) -> "_Stack":
        """The stack of some of the problems."""
        part = object.__new__(_Stack)
        part.tol = self.tol
        for name in ("Q", "lower", "upper", "curvature", "scale", "size"):
            setattr(part, name, getattr(self, name)[which])
        return part

    def gradients(self, y: FloatArray) -> FloatArray:
        """``Q y``."""
        product: FloatArray = (self.Q @ y[:, :, None])[:, :, 0]
        return product

    def residuals(self, y: FloatArray, gradient: FloatArray) -> FloatArray:
        """`scaled_kkt` of each problem."""
        moves = np.clip(y - gradient / self.curvature, self.lower, self.upper) - y
        largest = np.max(np.abs(moves), axis=1, initial=0.0)
        shares: FloatArray = np.zeros_like(largest)
        # If the unit is zero then y = 0, which is optimal, and no entry moves.
        np.divide(largest, self._unit(y), out=shares, where=largest > 0)
        return shares

    def loose(self, y: FloatArray, gradient: FloatArray) -> BoolArray:
        """Entries that are not fixed and whose derivative is zero, to the tolerance."""
        flat = np.abs(gradient) <= self.tol * self._unit(y)[:, None] * self.curvature
        return np.asarray(flat & (self.lower < self.upper))

    def step(
        self, y: FloatArray, gradient: FloatArray, kkt: FloatArray, at_face_minimum: BoolArray
    ) -> tuple[tuple[FloatArray, FloatArray, FloatArray], BoolArray, BoolArray]:
        """The next points, which of them minimise over their face, and which problems continue."""
        free = ~self._kept(y, gradient, at_face_minimum)
        direction = self._newton(gradient, free)
        full = y + direction
        proposal = np.clip(full, self.lower, self.upper)
        is_clipped = (
            np.max(np.abs(proposal - full), axis=1, initial=0.0) > _ROUNDING_SHARE * self.size
        )
        if is_clipped.any():
            proposal[is_clipped] = best_on_projected_paths(
                self.Q[is_clipped],
                y[is_clipped],
                gradient[is_clipped],
                direction[is_clipped],
                self.lower[is_clipped],
                self.upper[is_clipped],
            )
        gradients = self.gradients(proposal)
        residuals = self.residuals(proposal, gradients)
        rise = np.einsum("bj,bj->b", proposal - y, gradients + gradient)
        better = (rise < 0) | (residuals < kkt)
        has_converged = ~is_clipped | (
            -rise <= _ROUNDING_SHARE * np.einsum("bj,bj->b", proposal, gradients)
        )
        going = better & ~(has_converged & (residuals <= self.tol))
        keep = better[:, None]
        moved = np.where(keep, proposal, y), np.where(keep, gradients, gradient)
        return (*moved, np.where(better, residuals, kkt)), ~is_clipped, going

    def _unit(self, y: FloatArray) -> FloatArray:
        found: FloatArray = np.maximum(self.size, np.max(np.abs(y), axis=1, initial=0.0))
        return found

    def _kept(self, y: FloatArray, gradient: FloatArray, at_face_minimum: BoolArray) -> BoolArray:
        """Entries that do not move in this step, by the rule of `ProjectedNewton`."""
        low, high = y <= self.lower, y >= self.upper
        bound = low | high
        held = (low & (gradient >= 0)) | (high & (gradient <= 0))
        moves = np.clip(y - gradient / self.curvature, self.lower, self.upper) - y
        promise = -gradient * moves
        on_bounds = np.where(bound, promise, 0.0).sum(axis=1)
        release = at_face_minimum | (on_bounds > promise.sum(axis=1) - on_bounds)
        return np.where(release[:, None], held, bound)

    def _newton(self, gradient: FloatArray, free: BoolArray) -> FloatArray:
        """Newton's step on the free entries, by the scaling and shift of `ShiftedFactor`."""
        scale = np.where(free, self.scale, 0.0)
        scaled = self.Q * scale[:, :, None] * scale[:, None]
        blocks = scaled.copy()
        entries = np.arange(blocks.shape[1])
        # Kept entries become rows of the identity, so their step is zero.
        blocks[:, entries, entries] += np.where(free, _DIAGONAL_SHIFT, 1.0)
        try:
            inverse = np.linalg.inv(blocks)
        except np.linalg.LinAlgError as error:
            raise ValueError(
                "stacked_newton: a form has a negative eigenvalue, so its problem is not convex; "
                "expected positive semi-definite forms."
            ) from error
        wanted = -(scale * gradient)[:, :, None]
        x = inverse @ wanted
        for _ in range(_N_REFINEMENTS):
            x += inverse @ (wanted - scaled @ x)
        found: FloatArray = scale * x[:, :, 0]
        return found
