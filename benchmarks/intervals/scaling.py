"""Scaling of inputs and targets by the training rows, the same for every method.

Each column of the inputs: values that are not finite become the median of the finite ones. Then ``t
= (x - median) / spread``, with the interquartile range as spread (the standard deviation if that is
0), is kept for ``|t| <= 3`` and grows logarithmically beyond, because some columns have values from
1 to 1e10. Last, columns are scaled to mean 0 and variance 1. Columns that are constant in training
are left out. Targets: mean and standard deviation of the finite bounds become 0 and 1.
"""

import warnings
from dataclasses import dataclass

import numpy as np

from disambig.notation import BoolArray, FloatArray

__all__ = ["Scaling"]

_MAX_LINEAR = 3.0


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
            # A column without a finite value becomes constant.
            warnings.filterwarnings("ignore", message="All-NaN slice", category=RuntimeWarning)
            medians = np.nan_to_num(np.nanmedian(finite, axis=0))
        filled = np.where(np.isfinite(X), X, medians)
        quartiles = np.percentile(filled, [25, 75], axis=0)
        spreads = quartiles[1] - quartiles[0]
        spreads = np.where(spreads > 0, spreads, filled.std(axis=0))
        kept = np.ptp(filled, axis=0) > 0
        spreads = np.where(kept, spreads, 1.0)
        compressed = _compressed((filled - medians) / spreads)
        kept &= compressed.std(axis=0) > 0
        ends = np.concatenate([lower[np.isfinite(lower)], upper[np.isfinite(upper)]])
        deviation = float(ends.std()) if ends.size else 0.0
        return cls(
            medians=medians,
            spreads=spreads,
            means=compressed.mean(axis=0),
            deviations=np.where(kept, compressed.std(axis=0), 1.0),
            kept=kept,
            target_mean=float(ends.mean()) if ends.size else 0.0,
            target_deviation=deviation if deviation > 0 else 1.0,
        )

    def inputs(self, X: FloatArray) -> FloatArray:
        filled = np.where(np.isfinite(X), X, self.medians)
        compressed = _compressed((filled - self.medians) / self.spreads)
        return np.ascontiguousarray(((compressed - self.means) / self.deviations)[:, self.kept])

    def targets(self, ends: FloatArray) -> FloatArray:
        return (ends - self.target_mean) / self.target_deviation

    def restored(self, predictions: FloatArray) -> FloatArray:
        """Predictions in the units of the data."""
        return predictions * self.target_deviation + self.target_mean


def _compressed(t: FloatArray) -> FloatArray:
    size = np.abs(t)
    # With log1p of the excess, the function is differentiable at the bound.
    beyond = _MAX_LINEAR + np.log1p(np.maximum(size - _MAX_LINEAR, 0.0))
    return np.where(size <= _MAX_LINEAR, t, np.sign(t) * beyond)
