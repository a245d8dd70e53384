"""What every method is given: inputs and targets in comparable units, learnt from training rows.

Inputs, column by column: a value that is not finite becomes the median of the finite ones; then
``t = (x - median) / spread``, spread the interquartile range (the standard deviation where that is
0), is kept for ``|t| <= 3`` and grows logarithmically beyond, because some columns reach from 1 to
1e10; last, mean 0 and variance 1. Columns that are constant in training are left out. Targets:
mean and standard deviation of the finite ends become 0 and 1.
"""

import warnings
from dataclasses import dataclass

import numpy as np

from disambig.notation import BoolArray, FloatArray

__all__ = ["Scaling"]

_LINEAR_UP_TO = 3.0


@dataclass(frozen=True)
class Scaling:
    medians: FloatArray
    spreads: FloatArray
    means: FloatArray
    deviations: FloatArray
    kept: BoolArray
    target_mean: float
    target_deviation: float

    @classmethod
    def of(cls, X: FloatArray, lower: FloatArray, upper: FloatArray) -> "Scaling":
        finite = np.where(np.isfinite(X), X, np.nan)
        with warnings.catch_warnings():
            # A column without a finite value is constant like any other.
            warnings.filterwarnings("ignore", message="All-NaN slice", category=RuntimeWarning)
            medians = np.nan_to_num(np.nanmedian(finite, axis=0))
        filled = np.where(np.isfinite(X), X, medians)
        quartiles = np.percentile(filled, [25, 75], axis=0)
        spreads = quartiles[1] - quartiles[0]
        spreads = np.where(spreads > 0, spreads, filled.std(axis=0))
        kept = np.ptp(filled, axis=0) > 0
        spreads = np.where(kept, spreads, 1.0)
        tamed = _tamed((filled - medians) / spreads)
        kept &= tamed.std(axis=0) > 0
        ends = np.concatenate([lower[np.isfinite(lower)], upper[np.isfinite(upper)]])
        deviation = float(ends.std()) if ends.size else 0.0
        return cls(
            medians=medians,
            spreads=spreads,
            means=tamed.mean(axis=0),
            deviations=np.where(kept, tamed.std(axis=0), 1.0),
            kept=kept,
            target_mean=float(ends.mean()) if ends.size else 0.0,
            target_deviation=deviation if deviation > 0 else 1.0,
        )

    def inputs(self, X: FloatArray) -> FloatArray:
        filled = np.where(np.isfinite(X), X, self.medians)
        tamed = _tamed((filled - self.medians) / self.spreads)
        return np.ascontiguousarray(((tamed - self.means) / self.deviations)[:, self.kept])

    def targets(self, ends: FloatArray) -> FloatArray:
        return (ends - self.target_mean) / self.target_deviation

    def restored(self, predictions: FloatArray) -> FloatArray:
        """Predictions in the units of the data."""
        return predictions * self.target_deviation + self.target_mean


def _tamed(t: FloatArray) -> FloatArray:
    size = np.abs(t)
    # log1p of the excess: once differentiable where the two pieces meet.
    beyond = _LINEAR_UP_TO + np.log1p(np.maximum(size - _LINEAR_UP_TO, 0.0))
    return np.where(size <= _LINEAR_UP_TO, t, np.sign(t) * beyond)
