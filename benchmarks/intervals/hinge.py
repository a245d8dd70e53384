"""Squared hinge to an interval: (lower + margin - z)₊² + (z - upper + margin)₊², and its minimum.

With margin 0 that is the squared distance to the interval. A sum over rows is convex, once
differentiable and piecewise quadratic in z: half its slope is ``mass * z - pull`` between
breakpoints, so that its minimum is found by walking over them in order.
"""

import numpy as np

from disambig.compiled.jit import kernel
from disambig.notation import AnyArray, FloatArray

__all__ = ["minimum", "minimum_of_sorted", "residuals", "sorted_breakpoints", "squared_hinge"]


def squared_hinge(
    z: FloatArray, lower: FloatArray, upper: FloatArray, margin: float = 0.0
) -> FloatArray:
    """The loss, element by element; ends may be infinite."""
    below: FloatArray = np.maximum(lower + margin - z, 0.0)
    above: FloatArray = np.maximum(z - upper + margin, 0.0)
    return below**2 + above**2


def residuals(
    z: FloatArray, lower: FloatArray, upper: FloatArray, margin: float = 0.0
) -> FloatArray:
    """Half the derivative of the loss in z."""
    return np.maximum(z - upper + margin, 0.0) - np.maximum(lower + margin - z, 0.0)


@kernel
def sorted_breakpoints(
    lower: FloatArray, upper: FloatArray, margin: float
) -> tuple[FloatArray, AnyArray, AnyArray]:
    """Finite breakpoints in order: their values, the rows they are of, and which are lower ends."""
    n = len(lower)
    values = np.empty(2 * n)
    rows = np.empty(2 * n, np.int64)
    is_lower = np.empty(2 * n, np.bool_)
    count = 0
    for i in range(n):
        if lower[i] > -np.inf:
            values[count], rows[count], is_lower[count] = lower[i] + margin, i, True
            count += 1
        if upper[i] < np.inf:
            values[count], rows[count], is_lower[count] = upper[i] - margin, i, False
            count += 1
    order = np.argsort(values[:count], kind="mergesort")
    return values[:count][order], rows[:count][order], is_lower[:count][order]


@kernel
def minimum_of_sorted(
    values: FloatArray, weights: FloatArray, is_lower: AnyArray
) -> tuple[float, float, int]:
    """Where the weighted sum of hinges is least, its value there, and how many breakpoints precede.

    Of a flat piece the middle, or its finite end; without breakpoints 0.
    """
    count = len(values)
    if count == 0:
        return 0.0, 0.0, 0
    # Left of all breakpoints every lower end is violated and no upper end.
    mass, pull, square = 0.0, 0.0, 0.0
    highest, lowest = -np.inf, np.inf
    for t in range(count):
        if is_lower[t]:
            mass += weights[t]
            pull += weights[t] * values[t]
            square += weights[t] * values[t] ** 2
            highest = values[t]
        elif values[t] < lowest:
            lowest = values[t]
    if highest <= lowest:
        # No end need be violated.
        if lowest == np.inf:
            return highest, 0.0, count
        return (lowest if highest == -np.inf else 0.5 * (highest + lowest)), 0.0, 0
    passed = 0
    while passed < count and mass * values[passed] < pull:
        sign = -1.0 if is_lower[passed] else 1.0
        mass += sign * weights[passed]
        pull += sign * weights[passed] * values[passed]
        square += sign * weights[passed] * values[passed] ** 2
        passed += 1
    return pull / mass, max(square - pull * pull / mass, 0.0), passed


@kernel
def minimum(lower: FloatArray, upper: FloatArray, margin: float) -> tuple[float, float]:
    """The constant that is best for rows of equal weight, and the sum of their losses."""
    values, _, is_lower = sorted_breakpoints(lower, upper, margin)
    best, value, _ = minimum_of_sorted(values, np.ones(len(values)), is_lower)
    return best, value
