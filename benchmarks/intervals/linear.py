"""Linear models: mean squared hinge + penalty |w|² or penalty |w|₁, intercept free."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from benchmarks.intervals.hinge import minimum, residuals, squared_hinge
from benchmarks.intervals.method import MARGINS, Method, Predict, grid
from disambig.notation import FloatArray

__all__ = ["LASSO", "RIDGE", "lasso", "ridge"]

# Keeps the Hessian positive where no row is violated.
_LEAST_CURVATURE = 1e-10
_MOST_NEWTON_STEPS, _MOST_PROXIMAL_STEPS = 100, 5000
_TOLERANCE = 1e-9


def ridge(
    X: FloatArray, lower: FloatArray, upper: FloatArray, penalty: float, margin: float
) -> FloatArray:
    """Weights, intercept last: Newton on the piecewise quadratic, with halved steps."""
    n, d = X.shape
    Z = np.column_stack([X, np.ones(n)])
    cost = np.full(d + 1, penalty)
    cost[-1] = 0.0
    w = np.zeros(d + 1)
    w[-1], _ = minimum(lower, upper, margin)

    def value(w: FloatArray) -> float:
        return float(squared_hinge(Z @ w, lower, upper, margin).mean() + cost @ w**2)

    now = value(w)
    for _ in range(_MOST_NEWTON_STEPS):
        z = Z @ w
        slope = Z.T @ residuals(z, lower, upper, margin) / n + cost * w
        if np.abs(slope).max() <= _TOLERANCE:
            break
        curvature = (z < lower + margin).astype(float) + (z > upper - margin)
        hessian = (Z.T * curvature) @ Z / n + np.diag(cost + _LEAST_CURVATURE)
        step = -cho_solve(cho_factor(hessian), slope)
        # Half the slope along the step; Armijo's rule with constant 1e-4.
        gain, length = 2e-4 * float(slope @ step), 1.0
        while value(w + length * step) > now + length * gain and length > 1e-10:
            length /= 2
        w = w + length * step
        now = value(w)
    return w


def lasso(
    X: FloatArray, lower: FloatArray, upper: FloatArray, share: float, margin: float
) -> FloatArray:
    """Weights, intercept last: accelerated proximal gradient, restarted where it turns back.

    The penalty is `share` of the least one for which all weights are 0.
    """
    n, d = X.shape
    Z = np.column_stack([X, np.ones(n)])
    # In a row narrower than two margins both ends can be violated at once.
    both = 2.0 if margin > 0 else 1.0
    step = 1.0 / (2.0 * both * np.linalg.norm(Z, 2) ** 2 / n)
    w = np.zeros(d + 1)
    w[-1], _ = minimum(lower, upper, margin)

    def slope(w: FloatArray) -> FloatArray:
        return np.asarray(2.0 * Z.T @ residuals(Z @ w, lower, upper, margin) / n)

    threshold = np.full(d + 1, step * share * np.abs(slope(w)[:-1]).max(initial=0.0))
    threshold[-1] = 0.0
    ahead, speed = w, 1.0
    for _ in range(_MOST_PROXIMAL_STEPS):
        moved = ahead - step * slope(ahead)
        after: FloatArray = np.sign(moved) * np.maximum(np.abs(moved) - threshold, 0.0)
        change = after - w
        if np.abs(after - ahead).max() <= 100 * _TOLERANCE:
            return after
        if (ahead - after) @ change > 0:
            speed = 1.0
        faster = (1.0 + np.sqrt(1.0 + 4.0 * speed**2)) / 2.0
        ahead, w, speed = after + (speed - 1.0) / faster * change, after, faster
    return w


def fit_ridge(
    X: FloatArray, lower: FloatArray, upper: FloatArray, *, seed: int, penalty: float, margin: float
) -> Predict:
    return _linear(ridge(X, lower, upper, penalty, margin))


def fit_lasso(
    X: FloatArray, lower: FloatArray, upper: FloatArray, *, seed: int, share: float, margin: float
) -> Predict:
    return _linear(lasso(X, lower, upper, share, margin))


def _linear(w: FloatArray) -> Predict:
    return lambda queries: queries @ w[:-1] + w[-1]


RIDGE = Method(
    "linear, L2",
    fit_ridge,
    grid(penalty=(10.0, 1.0, 0.1, 1e-3), margin=MARGINS),
)
LASSO = Method(
    "linear, L1",
    fit_lasso,
    grid(share=(0.3, 0.1, 0.02, 0.002), margin=MARGINS),
)
