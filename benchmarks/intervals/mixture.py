"""The mixture of learners with the least squared hinge on held-out rows."""

import numpy as np
from scipy.optimize import minimize

from benchmarks.intervals.hinge import residuals, squared_hinge
from disambig.notation import FloatArray

__all__ = ["mixing_weights"]

# Relative to the mean loss of the learners. The penalty makes the mixture unique, and the weights
# equal where all learners are equally good.
_EQUAL_WEIGHTS_PENALTY = 0.01


def mixing_weights(held_out: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Weights (m,), non-negative and of sum 1, for learners whose predictions are (n, m).

    They minimise ``loss(w) / mean loss of the learners + .01 |w - 1/m|²``, with the mean squared
    hinge of ``held_out @ w`` as loss. `held_out` must come from models that were not fitted on the
    row.
    """
    n, m = held_out.shape
    equal = np.full(m, 1.0 / m)
    unit = squared_hinge(held_out, lower[:, None], upper[:, None]).mean()
    if unit == 0:
        return equal

    def value_and_gradient(w: FloatArray) -> tuple[float, FloatArray]:
        mixed = held_out @ w
        value = squared_hinge(mixed, lower, upper).mean() / unit
        gradient = 2.0 * held_out.T @ residuals(mixed, lower, upper) / (n * unit)
        difference = w - equal
        penalty = _EQUAL_WEIGHTS_PENALTY * (difference @ difference)
        return value + penalty, gradient + 2.0 * _EQUAL_WEIGHTS_PENALTY * difference

    found = minimize(
        value_and_gradient,
        equal,
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * m,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1.0, "jac": np.ones_like},
        options={"maxiter": 500, "ftol": 1e-10},
    )
    weights = np.clip(found.x, 0.0, None)
    return np.asarray(weights / weights.sum())
