"""Alternating steps of the empirical risk, compiled: tens of thousands of them are looked at."""

from collections.abc import Sequence

import numpy as np

from disambig.kernels.jit import kernel
from disambig.notation import FloatArray

__all__ = ["stepped_targets"]


def stepped_targets(
    votes: FloatArray, lower: FloatArray, upper: FloatArray, steps: Sequence[int]
) -> FloatArray:
    """``y <- P(A y)`` from the midpoints, seen after each of these numbers of steps, (seen, n).

    What `AlternatingRegression(steps=...)` does with a `RiskProblem`.
    """
    seen = np.asarray(steps, dtype=np.int64)
    found: FloatArray = _stepped(np.ascontiguousarray(votes), lower.ravel(), upper.ravel(), seen)
    return found


@kernel
def _stepped(votes, lower, upper, seen):  # type: ignore[no-untyped-def]
    n = len(lower)
    current = (lower + upper) / 2
    before = np.empty(n)
    found = np.empty((len(seen), n))
    place = 0
    for step in range(1, seen[-1] + 1):
        before, current = current, before
        for j in range(n):
            moved = 0.0
            for i in range(n):
                moved += votes[j, i] * before[i]
            current[j] = min(max(moved, lower[j]), upper[j])
        if step == seen[place]:
            found[place] = current
            place += 1
    return found
