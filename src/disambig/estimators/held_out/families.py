"""Symmetric distributions of residuals with scale one: cumulative, quantile and density functions.

All are exact in the lower tail. The upper tail is the mirror image of the lower one.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri, stdtrit

from disambig.notation import FloatArray

# Beyond this the closed form of Student's t loses digits, and three terms of a series are exact.
_FAR = 50.0
# Ends nearer than this: density times length, because the difference of two probabilities cancels.
_NEAR = 1e-6


@dataclass(frozen=True, eq=False)
class Family:
    """A symmetric distribution with scale one.

    Attributes
    ----------
    cumulative, quantile, density : callables on arrays
    """

    cumulative: Callable[[FloatArray], FloatArray]
    quantile: Callable[[FloatArray], FloatArray]
    density: Callable[[FloatArray], FloatArray]

    def between(self, low: FloatArray, high: FloatArray) -> FloatArray:
        """``P(low <= e <= high)``, exact in both tails; 0 where `high` is not above `low`."""
        flipped = low > 0
        below, above = np.where(flipped, -high, low), np.where(flipped, -low, high)
        above = np.maximum(below, above)
        difference = self.cumulative(above) - self.cumulative(below)
        # The whole line has two infinite ends and an infinite length.
        length = above - below
        near = length < _NEAR
        if not near.any():
            return difference
        middle = 0.5 * (np.where(near, above, 0.0) + np.where(near, below, 0.0))
        short = self.density(middle) * np.where(near, length, 0.0)
        return np.asarray(np.where(near, short, difference))


def _normal_density(x: FloatArray) -> FloatArray:
    # The square of a far residual may overflow, and its density is then 0.
    with np.errstate(over="ignore"):
        return np.asarray(np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi))


def _logistic_density(x: FloatArray) -> FloatArray:
    return np.asarray(expit(x) * expit(-x))


def _laplace_cumulative(x: FloatArray) -> FloatArray:
    half = 0.5 * np.exp(-np.abs(x))
    return np.asarray(np.where(x < 0, half, 1.0 - half))


def _laplace_quantile(p: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        tail = np.log(2.0 * np.minimum(p, 1.0 - p))
    return np.asarray(np.where(p < 0.5, tail, -tail))


def _laplace_density(x: FloatArray) -> FloatArray:
    return np.asarray(0.5 * np.exp(-np.abs(x)))


def _student_cumulative(x: FloatArray) -> FloatArray:
    """Student's t with 3 degrees: ``(atan(1/z) - z / (1 + z^2)) / pi`` at ``x = -sqrt(3) z``."""
    z = np.abs(x) / np.sqrt(3.0)
    inner = np.minimum(z, _FAR)
    near = np.arctan2(1.0, inner) - inner / (1.0 + inner * inner)
    outer = 1.0 / np.maximum(z, _FAR)
    square = outer * outer
    far = outer * square * (2.0 / 3.0 - square * (4.0 / 5.0 - 6.0 / 7.0 * square))
    tail = np.where(z < _FAR, near, far) / np.pi
    return np.asarray(np.where(x < 0, tail, 1.0 - tail))


def _student_density(x: FloatArray) -> FloatArray:
    # The square of a far residual may overflow, and its density is then 0.
    with np.errstate(over="ignore"):
        return np.asarray(2.0 / (np.pi * np.sqrt(3.0)) / (1.0 + x * x / 3.0) ** 2)


def _student_quantile(p: FloatArray) -> FloatArray:
    return np.asarray(stdtrit(3, p))


FAMILIES = {
    "normal": Family(ndtr, ndtri, _normal_density),
    "logistic": Family(expit, logit, _logistic_density),
    "laplace": Family(_laplace_cumulative, _laplace_quantile, _laplace_density),
    "student": Family(_student_cumulative, _student_quantile, _student_density),
}
