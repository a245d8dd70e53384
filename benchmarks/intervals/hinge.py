"""Squared hinge to an interval: (lower + margin - z)₊² + (z - upper + margin)₊², and its minimum.

With margin 0 it is the squared distance to the interval. A sum over rows is convex, differentiable
and piecewise quadratic in z: half its derivative is ``total_weight * z - weighted_sum`` between
breakpoints, so its minimum is found by one pass over the sorted breakpoints.
"""

import numpy as np

from disambig.compiled.jit import compiled
from disambig.notation import AnyArray, FloatArray

__all__ = ["minimum", "minimum_of_sorted", "residuals", "sorted_breakpoints", "squared_hinge"]


def squared_hinge(
    z: FloatArray, lower: FloatArray, upper: FloatArray, margin: float = 0.0
) -> FloatArray:
    """The loss of each element; bounds may be infinite."""
    below: FloatArray = np.maximum(lower + margin - z, 0.0)
    above: FloatArray = np.maximum(z - upper + margin, 0.0)
    return below**2 + above**2


def residuals(
    z: FloatArray, lower: FloatArray, upper: FloatArray, margin: float = 0.0
) -> FloatArray:
    """Half the derivative of the loss in z."""
    return np.maximum(z - upper + margin, 0.0) - np.maximum(lower + margin - z, 0.0)


@compiled
def sorted_breakpoints(
    lower: FloatArray, upper: FloatArray, margin: float
) -> tuple[FloatArray, AnyArray, AnyArray]:
    """Sorted finite breakpoints: their values, their rows, and which of them are lower bounds."""
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


@compiled
def minimum_of_sorted(
    values: FloatArray, weights: FloatArray, is_lower: AnyArray
) -> tuple[float, float, int]:
    """The minimiser of the weighted sum of hinges, the minimum, and the breakpoints before it.

    If the minimum is attained on an interval, its middle, or its finite end; 0 without breakpoints.
    """
    count = len(values)
    if count == 0:
        return 0.0, 0.0, 0
    # Left of all breakpoints every lower bound is violated, and no upper bound.
    total_weight, weighted_sum, weighted_square = 0.0, 0.0, 0.0
    highest, lowest = -np.inf, np.inf
    for t in range(count):
        if is_lower[t]:
            total_weight += weights[t]
            weighted_sum += weights[t] * values[t]
            weighted_square += weights[t] * values[t] ** 2
            highest = values[t]
        elif values[t] < lowest:
            lowest = values[t]
    if highest <= lowest:
        # All bounds can be met.
        if lowest == np.inf:
            return highest, 0.0, count
        return (lowest if highest == -np.inf else 0.5 * (highest + lowest)), 0.0, 0
    passed = 0
    while passed < count and total_weight * values[passed] < weighted_sum:
        sign = -1.0 if is_lower[passed] else 1.0
        total_weight += sign * weights[passed]
        weighted_sum += sign * weights[passed] * values[passed]
        weighted_square += sign * weights[passed] * values[passed] ** 2
        passed += 1
    return (
        weighted_sum / total_weight,
        max(weighted_square - weighted_sum * weighted_sum / total_weight, 0.0),
        passed,
    )


@compiled
def minimum(lower: FloatArray, upper: FloatArray, margin: float) -> tuple[float, float]:
    """The best constant for rows of equal weight, and the sum of their losses."""
    values, _, is_lower = sorted_breakpoints(lower, upper, margin)
    best, value, _ = minimum_of_sorted(values, np.ones(len(values)), is_lower)
    return best, value
