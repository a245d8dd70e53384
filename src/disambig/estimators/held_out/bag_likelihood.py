"""The temperature at which held-out scores predict the class counts of hidden bags best.

The number of rows of class k in a bag is a sum of independent labels, about normal with mean
``sum_i P_ik`` and variance ``sum_i P_ik (1 - P_ik)``. Probabilities that are too sure have a
variance that does not explain how far the counts are from their means.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import ndtr, softmax

from disambig.candidates.labels.class_counts import ClassCounts
from disambig.estimators.held_out.set_likelihood import SetCalibration
from disambig.notation import BoolArray, FloatArray, IntArray

# Temperatures that are tried first, in units of the mean largest score.
_TEMPERATURES = 2.0 ** np.arange(-10.0, 5.0)
# Logarithms of temperatures are found to this precision.
_PRECISION = 0.02
# The least variance of a count: certain labels would have none.
_LEAST_VARIANCE = 1e-3
_LEAST = 1e-300


def fit_bag_calibration(
    scores: FloatArray, counts: ClassCounts, possible: BoolArray
) -> SetCalibration:
    """The calibration of highest likelihood of the bounds, multiplied over bags and classes.

    Parameters
    ----------
    scores : float array (n, K)
        By rows that never saw the bag.
    counts : ClassCounts
    possible : bool array (K,)
        Classes that are a candidate of some row.
    """
    likelihood = _BagLikelihood(
        np.where(possible, scores, -np.inf),
        counts.bag_of_row,
        counts.bag_bounds,
        (counts.bag_bounds[..., 0] > 0) | (counts.bag_bounds[..., 1] < counts.bag_sizes[:, None]),
    )
    unit = float(np.where(possible, np.abs(scores), 0.0).max(axis=1).mean())
    if unit == 0.0:
        return SetCalibration(1.0, 0.0, 0.0)
    logs = np.log(unit * _TEMPERATURES)
    values = [likelihood.at(log) for log in logs]
    best = int(np.argmax(values))
    found = minimize_scalar(
        lambda log: -likelihood.at(log),
        bounds=(logs[max(best - 1, 0)], logs[min(best + 1, len(logs) - 1)]),
        method="bounded",
        options={"xatol": _PRECISION},
    )
    log, value = (found.x, -found.fun) if -found.fun >= values[best] else (logs[best], values[best])
    return SetCalibration(float(np.exp(log)), 0.0, float(value) / len(scores))


@dataclass(frozen=True, eq=False)
class _BagLikelihood:
    """The log-likelihood of the counts of bags as a function of the temperature."""

    scores: FloatArray
    bags: IntArray
    bounds: IntArray
    is_known: BoolArray

    def at(self, log_temperature: float) -> float:
        probabilities = softmax(self.scores / np.exp(log_temperature), axis=1)
        mean, variance = np.zeros(self.is_known.shape), np.zeros(self.is_known.shape)
        np.add.at(mean, self.bags, probabilities)
        np.add.at(variance, self.bags, probabilities * (1.0 - probabilities))
        scale = np.sqrt(np.maximum(variance, _LEAST_VARIANCE))
        upper = (self.bounds[..., 1] + 0.5 - mean) / scale
        lower = (self.bounds[..., 0] - 0.5 - mean) / scale
        # The same by symmetry, and exact in the upper tail.
        flip = lower > 0
        upper, lower = np.where(flip, -lower, upper), np.where(flip, -upper, lower)
        values = np.log(np.maximum(ndtr(upper) - ndtr(lower), _LEAST))
        return float(values[self.is_known].sum())
