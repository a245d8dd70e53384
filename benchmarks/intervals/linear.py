"""Linear models: mean squared hinge + penalty |w|² or penalty |w|₁; the intercept is free."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from benchmarks.intervals.hinge import minimum, residuals, squared_hinge
from benchmarks.intervals.method import MARGINS, Method, Predict, grid
from disambig.notation import FloatArray

__all__ = ["LASSO", "RIDGE", "lasso", "ridge"]

# Keeps the Hessian positive definite where no bound is violated.
_MIN_CURVATURE = 1e-10
_MAX_NEWTON_STEPS, _MAX_PROXIMAL_STEPS = 100, 5000
_GRADIENT_TOLERANCE = 1e-9


def ridge(
    X: FloatArray, lower: FloatArray, upper: FloatArray, penalty: float, margin: float
) -> FloatArray:
    """Weights with the intercept last, by Newton steps, halved until the objective falls."""
    n, d = X.shape
    Z = np.column_stack([X, np.ones(n)])
    cost = np.full(d + 1, penalty)
    cost[-1] = 0.0
    w = np.zeros(d + 1)
    w[-1], _ = minimum(lower, upper, margin)

    def value(w: FloatArray) -> float:
        return float(squared_hinge(Z @ w, lower, upper, margin).mean() + cost @ w**2)

    now = value(w)
    for _ in range(_MAX_NEWTON_STEPS):
        z = Z @ w
        gradient = Z.T @ residuals(z, lower, upper, margin) / n + cost * w
        if np.abs(gradient).max() <= _GRADIENT_TOLERANCE:
            break
        curvature = (z < lower + margin).astype(float) + (z > upper - margin)
        hessian = (Z.T * curvature) @ Z / n + np.diag(cost + _MIN_CURVATURE)
        step = -cho_solve(cho_factor(hessian), gradient)
        # `gradient` is half the gradient of the objective: Armijo's rule with constant 1e-4.
        gain, length = 2e-4 * float(gradient @ step), 1.0
        while value(w + length * step) > now + length * gain and length > 1e-10:
            length /= 2
        w = w + length * step
        now = value(w)
    return w


def lasso(
    X: FloatArray, lower: FloatArray, upper: FloatArray, share: float, margin: float
) -> FloatArray:
    """Weights with the intercept last, by accelerated proximal gradient steps with restarts.

    The penalty is `share` times the smallest one for which all weights are 0.
    """
    n, d = X.shape
    Z = np.column_stack([X, np.ones(n)])
    # If an interval is narrower than two margins, both of its bounds can be violated at once.
    both = 2.0 if margin > 0 else 1.0
    step = 1.0 / (2.0 * both * np.linalg.norm(Z, 2) ** 2 / n)
    w = np.zeros(d + 1)
    w[-1], _ = minimum(lower, upper, margin)

    def gradient(w: FloatArray) -> FloatArray:
        return np.asarray(2.0 * Z.T @ residuals(Z @ w, lower, upper, margin) / n)

    threshold = np.full(d + 1, step * share * np.abs(gradient(w)[:-1]).max(initial=0.0))
    threshold[-1] = 0.0
    ahead, speed = w, 1.0
    for _ in range(_MAX_PROXIMAL_STEPS):
        moved = ahead - step * gradient(ahead)
        after: FloatArray = np.sign(moved) * np.maximum(np.abs(moved) - threshold, 0.0)
        change = after - w
        if np.abs(after - ahead).max() <= 100 * _GRADIENT_TOLERANCE:
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
