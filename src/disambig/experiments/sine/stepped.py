"""Alternating steps of the empirical risk: tens of thousands of them are looked at."""

from collections.abc import Sequence

import numpy as np

from disambig.kernels.projected_products import iterated_with_stops
from disambig.notation import FloatArray

__all__ = ["stepped_targets"]


def stepped_targets(
    votes: FloatArray, lower: FloatArray, upper: FloatArray, steps: Sequence[int]
) -> FloatArray:
    """``y <- P(A y)`` from the midpoints, seen after each of these numbers of steps, (seen, n).

    What `AlternatingRegression(steps=...)` does with a `RiskProblem`.
    """
    seen = np.asarray(steps, dtype=np.int64)
    array = np.ascontiguousarray(votes)
    return iterated_with_stops(array, lower.ravel(), upper.ravel(), seen)
