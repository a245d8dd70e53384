"""Products with a matrix, clipped to a box, over and over."""

import numpy as np

from disambig.kernels.jit import kernel
from disambig.notation import FloatArray, IntArray

__all__ = ["iterated_until_still", "iterated_with_stops"]


@kernel
def iterated_until_still(
    matrix: FloatArray, lower: FloatArray, upper: FloatArray, tol: float, most: int
) -> tuple[FloatArray, int]:
    """``y <- clip(matrix @ y)`` from the middle of the box until no entry moves by more than `tol`.

    Parameters
    ----------
    matrix : float array (n, n)
        C-contiguous.
    lower, upper : float arrays (n,)
    tol : float
    most : int
        Steps at the most.

    Returns
    -------
    float array (n,), and the number of steps.
    """
    n = len(lower)
    current = (lower + upper) / 2
    before = np.zeros(n)
    steps = 0
    while np.abs(current - before).max() > tol and steps < most:
        steps += 1
        before, current = current, before
        for j in range(n):
            moved = 0.0
            for i in range(n):
                moved += matrix[j, i] * before[i]
            current[j] = min(max(moved, lower[j]), upper[j])
    return current, steps


@kernel
def iterated_with_stops(
    matrix: FloatArray, lower: FloatArray, upper: FloatArray, seen: IntArray
) -> FloatArray:
    """The same after each of the numbers of steps in `seen`, which rise: ``(len(seen), n)``."""
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
                moved += matrix[j, i] * before[i]
            current[j] = min(max(moved, lower[j]), upper[j])
        if step == seen[place]:
            found[place] = current
            place += 1
    return found
