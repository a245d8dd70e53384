"""What the authors' program computes, in our words: it is not what the paper's formulas say.

* Its loop iterates ``y <- P(A A y)`` with P the projection on the intervals: the exact steps
  without their divisors. For symmetric votes that is projected gradient, of step 1/2, on
  ``y' (I - A²) y``. It begins at the midpoints and stops as soon as no target moves by more than
  1e-5, far from the minimum at a small ridge.
* Its infimum loss takes, on a grid of 1000 numbers from -6 to 6, the least
  ``sum_j alpha_j ((c_j - z)² - r_j)₊²``: radii are taken off squared distances, and a negative
  vote sees the nearest member of an interval where the infimum takes the farthest.
"""

import numpy as np

from disambig.kernels.projected_products import iterated_until_still
from disambig.notation import FloatArray

__all__ = ["STOP", "coded_infimum", "coded_targets"]

STOP = 1e-5
_MOST = 10_000_000


def coded_targets(
    votes: FloatArray, lower: FloatArray, upper: FloatArray, tol: float = STOP
) -> tuple[FloatArray, int]:
    """Where their loop stops, (n,), and after how many steps."""
    square = np.ascontiguousarray(votes @ votes)
    targets, steps = iterated_until_still(square, lower.ravel(), upper.ravel(), tol, _MOST)
    return targets, int(steps)


def coded_infimum(votes: FloatArray, centers: FloatArray, radii: FloatArray) -> FloatArray:
    """Their infimum loss at queries: votes (q, n), predictions (q,)."""
    numbers = np.linspace(-6.0, 6.0, 1000)
    excess = (centers[:, np.newaxis] - numbers) ** 2 - radii[:, np.newaxis]
    paid = np.maximum(excess, 0.0) ** 2
    found: FloatArray = numbers[(votes @ paid).argmin(axis=1)]
    return found
