"""One hidden layer: mean squared hinge + penalty (|W|² + |v|²) / 2 of ``v tanh(W x + a) + b``."""

import numpy as np
from scipy.optimize import minimize

from benchmarks.intervals.hinge import minimum, residuals, squared_hinge
from benchmarks.intervals.method import MARGINS, Method, Predict, grid
from disambig.notation import FloatArray

__all__ = ["PERCEPTRON", "loss_and_gradient"]

WIDTH = 32
_MAX_STEPS = 300


def loss_and_gradient(
    parameters: FloatArray,
    X: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    penalty: float,
    margin: float,
) -> tuple[float, FloatArray]:
    n, d = X.shape
    W, a, v, b = _parts(parameters, d)
    hidden = np.tanh(X @ W + a)
    z = hidden @ v + b
    value = squared_hinge(z, lower, upper, margin).mean() + penalty * (np.sum(W**2) + v @ v) / 2
    back = 2.0 * residuals(z, lower, upper, margin) / n
    inner = np.outer(back, v) * (1.0 - hidden**2)
    gradient = np.concatenate(
        [
            (X.T @ inner + penalty * W).ravel(),
            inner.sum(axis=0),
            hidden.T @ back + penalty * v,
            [back.sum()],
        ]
    )
    return float(value), gradient


def _parts(parameters: FloatArray, d: int) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    width = (len(parameters) - 1) // (d + 2)
    W, a, v, b = np.split(parameters, np.cumsum([d * width, width, width]))
    return W.reshape(d, width), a, v, float(b[0])


def fit_perceptron(
    X: FloatArray, lower: FloatArray, upper: FloatArray, *, seed: int, penalty: float, margin: float
) -> Predict:
    d = X.shape[1]
    rng = np.random.default_rng(seed)
    start = np.concatenate(
        [
            rng.normal(scale=np.sqrt(1.0 / max(d, 1)), size=d * WIDTH),
            np.zeros(WIDTH),
            rng.normal(scale=np.sqrt(1.0 / WIDTH), size=WIDTH),
            [minimum(lower, upper, margin)[0]],
        ]
    )
    found = minimize(
        loss_and_gradient,
        start,
        args=(X, lower, upper, penalty, margin),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": _MAX_STEPS},
    )
    W, a, v, b = _parts(found.x, d)
    return lambda queries: np.tanh(queries @ W + a) @ v + b


PERCEPTRON = Method(
    "MLP",
    fit_perceptron,
    grid(penalty=(0.1, 0.03, 0.01, 1e-3), margin=MARGINS),
)
