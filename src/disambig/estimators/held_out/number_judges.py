"""Confidence in recovered numbers: the probability that the true one is within a distance."""

from typing import NamedTuple

import numpy as np

from disambig.candidates.numbers.number_sets import NumberSets
from disambig.estimators.held_out.residual_fit import fit_residuals
from disambig.estimators.held_out.residuals import Residuals
from disambig.notation import FloatArray

# "About right" for numbers: within this share of the range of the recovered numbers.
_SHARE = 0.1
_LOW, _HIGH = 0.05, 0.95


class NumberJudgement(NamedTuple):
    """What held-out predictions say about recovered numbers.

    Attributes
    ----------
    confidence : float array (n,)
        ``P(|y - label| <= distance | y in S)``; 1 for points, 0 for rows without a prediction.
    distance : float array (d,)
    residuals : Residuals or None
        None if no row has a prediction.
    """

    confidence: FloatArray
    distance: FloatArray
    residuals: Residuals | None


def judged_numbers(
    labels: FloatArray, predictions: FloatArray, sets: NumberSets, sample_weight: FloatArray
) -> NumberJudgement:
    """The confidence in labels, from predictions of their rows by others.

    Parameters
    ----------
    labels, predictions : float array (n, d)
        NaN where a row has no prediction.
    sets : NumberSets
    sample_weight : float array (n,)
        w counts as w rows. Rows of weight 0 are judged, and judge no others.
    """
    distance = confidence_distance(labels, sets, sample_weight)
    is_predicted = np.isfinite(predictions).all(axis=1)
    confidence = np.where(sets.is_point, 1.0, 0.0)
    if not (is_predicted & sets.informative & (sample_weight > 0)).any():
        return NumberJudgement(confidence, distance, None)
    residuals = fit_residuals(predictions, sets, sample_weight)
    open_rows = np.flatnonzero(is_predicted & ~sets.is_point)
    if open_rows.size:
        confidence[open_rows] = residuals.within(
            labels[open_rows], predictions[open_rows], sets[open_rows], distance
        )
    return NumberJudgement(confidence, distance, residuals)


def confidence_distance(
    labels: FloatArray, sets: NumberSets, sample_weight: FloatArray
) -> FloatArray:
    """A tenth of the range from the 5 % to the 95 % quantile of the labels, ``(d,)``.

    Of all finite ends where these labels are equal.
    """
    ranges = np.array([_range(column, sample_weight) for column in labels.T])
    distance: FloatArray = _SHARE * np.where(ranges > 0, ranges, np.ptp(sets.span, axis=1))
    return distance


def _range(values: FloatArray, weights: FloatArray) -> float:
    """The distance of two quantiles: the smallest values that reach these shares of the weight."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    # Rounded, because sums of weights are not exact: w copies have the quantiles of weight w.
    shares = np.round(reached / reached[-1], 12)
    low, high = values[order[np.searchsorted(shares, [_LOW, _HIGH])]]
    return float(high - low)
