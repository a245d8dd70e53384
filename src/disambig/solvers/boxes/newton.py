"""The best point of a line that the box bends: ``y(t) = clip(y + t d)``.

Newton steps on a few rows of a positive semi-definite array, singular or not.

The best points of many lines that their boxes bend, at once.

Projected Newton as a process: guess what the bounds hold, solve for the rest, stay inside.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lapack

from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.solvers.boxes.quadratic import BoxQuadratic, BoxState

_SAMPLES = 16
"""Points tried at once: so many products together cost as much as two or three alone."""
_SHIFT = 1e-13
_LARGEST_SHIFT = 1e-7
_REFINEMENTS = 2
_ROUNDING = 1e-14
# Up to here all pieces of a bent path cost less than the search for the best one.
_FEW_ROWS = 64


def best_on_projected_path(
    Q: Any,
    y: FloatArray,
    gradient: FloatArray,
    direction: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
) -> FloatArray:
    """A local minimiser of ``y(t)' Q y(t)`` along ``y(t) = clip(y + t d, lower, upper)``, ``(n,)``.

    The objective is quadratic between the times at which entries reach a bound. The best of some
    of these times (and of ``t = 1``, the full step) is bracketed ever more narrowly, and the two
    pieces that meet there are minimised exactly. Against halving ``t`` until the objective falls
    this saves more than half of the Newton steps on ill-conditioned problems.

    Parameters
    ----------
    Q : (n, n) array or operator
        Positive semi-definite.
    y, gradient : (n,) array
        The start, and ``Q y``.
    direction : (n,) array
    lower, upper : (n,) array
    """
    bounds = np.where(direction > 0, upper, lower)
    moving = direction != 0
    stops = np.full_like(y, np.inf)
    np.divide(bounds - y, direction, out=stops, where=moving)
    times = np.unique(np.append(stops[moving & np.isfinite(stops)], (0.0, 1.0)))

    def points(at: FloatArray) -> FloatArray:
        return np.clip(y[:, None] + direction[:, None] * at, lower[:, None], upper[:, None])

    def rises(at: FloatArray) -> FloatArray:
        # f(y(t)) - f(y) as one inner product: no cancellation of two nearly equal values.
        where = points(at)
        rise: FloatArray = np.einsum("jt,jt->t", where - y[:, None], Q @ where + gradient[:, None])
        return rise

    first, last = 0, len(times) - 1
    while True:
        chosen = np.unique(np.linspace(first, last, _SAMPLES).astype(np.intp))
        best = int(np.argmin(rises(times[chosen])))
        middle = int(chosen[best])
        narrow = last - first < _SAMPLES
        first = int(chosen[max(best - 1, 0)])
        last = int(chosen[min(best + 1, len(chosen) - 1)])
        if narrow:
            break
    after = times[last] if last > middle else np.inf
    ends = [(times[middle], after), (times[middle], times[first])]
    candidates = [_piece(Q, points, begin, end) for begin, end in ends if begin != end]
    at = np.array([times[middle], *candidates])
    best_point: FloatArray = points(at)[:, int(np.argmin(rises(at)))]
    return best_point


def _piece(Q: Any, points: Any, begin: float, end: float) -> float:
    """The minimiser of one quadratic piece, between a time and a neighbouring one."""
    # Two points inside the piece give its direction: entries that wait at a bound stay there.
    probe = end if np.isfinite(end) else begin + 1.0
    here, there = points(np.array([begin, probe])).T
    move = there - here
    product = Q @ move
    curve, slope = float(move @ product), float(here @ product)
    if slope >= 0:
        return begin
    share = -slope / curve if curve > 0 else np.inf
    limit = 1.0 if np.isfinite(end) else share
    share = min(share, limit)
    return begin + share * (probe - begin) if np.isfinite(share) else begin


class ShiftedFactor:
    """Solves ``(Q + diag(extra))[rows, rows] x = b`` where a solution exists.

    Factors ``S (Q + diag(extra))[rows, rows] S + shift I`` with ``S`` such that the diagonal is
    one, then refines: each refinement divides the error along an eigenvalue ``e`` by
    ``1 + e / shift``, and along the null space nothing is added. So a singular ``Q`` (votes that
    sum to one leave ``Q 1 = 0``) gets nearly the shortest solution and never a huge one.

    Parameters
    ----------
    Q : (n, n) array
        Symmetric, positive semi-definite up to rounding.
    rows : (m,) int array
    extra : (m,) array, optional
        Non-negative; added to the diagonal.

    Raises
    ------
    ValueError
        Where ``Q`` is clearly not positive semi-definite.
    """

    def __init__(self, Q: FloatArray, rows: AnyArray, extra: FloatArray | None = None) -> None:
        block = Q[np.ix_(rows, rows)]
        if extra is not None:
            block.flat[:: len(block) + 1] += extra
        diagonal = np.diagonal(block)
        self._scale: FloatArray = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        self._block: FloatArray = block
        self._factor = self._factorize()

    def solve(self, b: FloatArray) -> FloatArray:
        """A solution, ``(m,)``."""
        x = self._once(b)
        for _ in range(_REFINEMENTS):
            x = x + self._once(b - self._block @ x)
        return x

    def _once(self, b: FloatArray) -> FloatArray:
        x, _ = lapack.dpotrs(self._factor, self._scale * b, lower=1, overwrite_b=1)
        solution: FloatArray = self._scale * x
        return solution

    def _factorize(self) -> Any:
        shift = _SHIFT
        while shift <= _LARGEST_SHIFT:
            scaled = self._block * self._scale
            scaled *= self._scale[:, None]
            scaled.flat[:: len(scaled) + 1] += shift
            # The transpose of a C-ordered symmetric array is what LAPACK can factor in place.
            factor, failed = lapack.dpotrf(scaled.T, lower=1, clean=0, overwrite_a=1)
            if not failed:
                return factor
            shift *= 10.0
        raise ValueError(
            "projected_newton: Q has a clearly negative eigenvalue, so the problem is not convex. "
            "Give a positive semi-definite Q; for signed votes use alternating minimisation."
        )


def best_on_projected_paths(
    Q: FloatArray,
    y: FloatArray,
    gradient: FloatArray,
    direction: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
) -> FloatArray:
    """The minimisers of ``y(t)' Q y(t)`` along ``y(t) = clip(y + t d)``, one a problem, ``(B, n)``.

    The objective is quadratic between the times at which entries reach a bound. All these pieces
    are minimised exactly, where `best_on_projected_path` looks for the most promising ones: with
    few rows there are few pieces, and all of them together cost a product or two.

    Parameters
    ----------
    Q : (B, n, n) array
        Positive semi-definite.
    y, gradient, direction, lower, upper : (B, n) array
        As in `best_on_projected_path`.
    """
    bounds = np.where(direction > 0, upper, lower)
    times = np.ones((len(y), y.shape[1] + 2))
    times[:, 0] = 0.0
    # An entry that does not move, or meets no bound, gives the full step once more.
    np.divide(bounds - y, direction, out=times[:, 1:-1], where=direction != 0)
    times[np.isinf(times)] = 1.0
    times.sort(axis=1)
    # Beyond the last bound the line goes on for ever: any point there gives its direction.
    times = np.concatenate([times, times[:, -1:] + 1.0], axis=1)
    corners = y[:, None] + times[:, :, None] * direction[:, None]
    np.clip(corners, lower[:, None], upper[:, None], out=corners)
    begin, move = corners[:, :-1], np.diff(corners, axis=1)
    # Q is symmetric, so that points may be rows.
    bend, slopes = move @ Q, begin @ Q
    curve = np.einsum("btj,btj->bt", move, bend)
    slope = np.einsum("btj,btj->bt", begin, bend)
    share = np.divide(-slope, curve, out=np.zeros_like(slope), where=curve > 0)
    share[(slope < 0) & (curve <= 0)] = 1.0
    np.maximum(share, 0.0, out=share)
    np.minimum(share[:, :-1], 1.0, out=share[:, :-1])
    # f(y(t)) - f(y) as one inner product: nearly equal values do not cancel.
    rise = np.einsum("btj,btj->bt", begin - y[:, None], slopes + gradient[:, None])
    rise += share * (2.0 * slope + share * curve)
    best, problem = rise.argmin(axis=1), np.arange(len(y))
    found = begin[problem, best] + share[problem, best, None] * move[problem, best]
    return np.asarray(np.clip(found, lower, upper))


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
            path: FloatArray = best_on_projected_paths(
                problem.Q[None], *(row[None] for row in rows)
            )[0]
            return path
        return best_on_projected_path(problem.Q, *rows)

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
