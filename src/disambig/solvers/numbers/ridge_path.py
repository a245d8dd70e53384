"""Kernel ridge regression on squared distances to intervals, at several ridges.

Only rows outside of their interval have a coefficient. With these rows and the ends that they
violate fixed, the minimum is one linear system, and Newton's method changes the rows until they are
those that the minimum violates. A step costs the third power of their number, and each ridge starts
from the one before: this serves to compare many ridges, margins and kernels. For the certificate of
a single problem see `NewtonRegression`.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from disambig.notation import FloatArray, IntArray

_MAX_STEPS = 50
# A Newton step is halved until the objective falls, down to this share of it.
_MIN_STEP = 1e-6
# The relative fall of the objective below which a path has converged.
_TOLERANCE = 1e-10
# Added to the diagonal, relative to the largest entry, where rounding makes a system singular.
_JITTER = 1e-12


class RidgeFit(NamedTuple):
    """``f(x) = sum_j coefficients[j] k(x, x_j) + intercept``."""

    coefficients: FloatArray
    intercept: float


def ridge_path(
    gram: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    sample_weight: FloatArray,
    ridges: Iterable[float],
) -> list[RidgeFit]:
    """``min over f, b of sum_j w_j d(f(x_j) + b, [l_j, u_j])^2 + lam sum(w) |f|^2`` for each lam.

    Parameters
    ----------
    gram : float (n, n)
        The kernel between the rows, positive semi-definite.
    lower, upper : float (n,)
        Ends, possibly infinite, at least one of them finite.
    sample_weight : float (n,), positive
    ridges : iterable of float
        Positive; fastest if they fall.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([0.0, 1.0, 2.0])
    >>> gram = np.multiply.outer(x, x)
    >>> lower, upper = np.array([0.0, -9.0, 4.0]), np.array([0.0, 9.0, 9.0])
    >>> (fit,) = ridge_path(gram, lower, upper, np.ones(3), [1e-9])
    >>> (gram @ fit.coefficients + fit.intercept).round(3)
    array([0., 2., 4.])
    """
    ends = np.concatenate([lower, upper])
    finite = np.isfinite(ends)
    start = float(np.average(ends[finite], weights=np.tile(sample_weight, 2)[finite]))
    state = _State(np.zeros(len(lower)), start, np.zeros(len(lower)))
    found = []
    for ridge in ridges:
        problem = _Problem(gram, lower, upper, sample_weight, ridge * float(sample_weight.sum()))
        state = problem.minimum(state)
        found.append(RidgeFit(state.coefficients, state.intercept))
    return found


class _State(NamedTuple):
    """Coefficients, intercept, and the product of the kernel with the coefficients."""

    coefficients: FloatArray
    intercept: float
    product: FloatArray

    def towards(self, other: "_State", step: float) -> "_State":
        rest = 1.0 - step
        return _State(
            rest * self.coefficients + step * other.coefficients,
            rest * self.intercept + step * other.intercept,
            rest * self.product + step * other.product,
        )


class _Problem(NamedTuple):
    gram: FloatArray
    lower: FloatArray
    upper: FloatArray
    weights: FloatArray
    ridge: float

    def objective(self, state: _State) -> float:
        values = state.product + state.intercept
        gaps = values - np.clip(values, self.lower, self.upper)
        penalty = self.ridge * float(state.coefficients @ state.product)
        return float(self.weights @ gaps**2) + penalty

    def minimum(self, state: _State) -> _State:
        now = self.objective(state)
        for _ in range(_MAX_STEPS):
            if now == 0.0:
                break
            target = self.newton_target(state)
            step, moved = 1.0, target
            value = self.objective(moved)
            while value > now and step > _MIN_STEP:
                step /= 2.0
                moved = state.towards(target, step)
                value = self.objective(moved)
            if value <= now:
                state = moved
            if value >= now * (1.0 - _TOLERANCE):
                break
            now = value
        return state

    def newton_target(self, state: _State) -> _State:
        """The minimum if the rows outside of their intervals stay so, and no others leave them."""
        values = state.product + state.intercept
        ends = np.clip(values, self.lower, self.upper)
        rows = np.flatnonzero(values != ends)
        if not rows.size:
            zeros = np.zeros_like(state.coefficients)
            return _State(zeros, state.intercept, zeros)
        solutions = self.solved(rows, np.column_stack([ends[rows], np.ones(rows.size)]))
        intercept = float(solutions[:, 0].sum() / solutions[:, 1].sum())
        coefficients = np.zeros_like(state.coefficients)
        coefficients[rows] = solutions[:, 0] - intercept * solutions[:, 1]
        return _State(coefficients, intercept, self.gram[:, rows] @ coefficients[rows])

    def solved(self, rows: IntArray, right: FloatArray) -> FloatArray:
        system = self.gram[np.ix_(rows, rows)]
        diagonal = np.diag_indices(rows.size)
        system[diagonal] += self.ridge / self.weights[rows]
        try:
            factor = cho_factor(system, lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            system[diagonal] += _JITTER * system[diagonal].max() * rows.size
            factor = cho_factor(system, lower=True, check_finite=False)
        solutions: FloatArray = cho_solve(factor, right, check_finite=False)
        return solutions
