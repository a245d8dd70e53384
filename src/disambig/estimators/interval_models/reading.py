"""What the models of this package share: checked parameters, inputs of trees, first targets."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.candidates import Intervals, number_sets
from disambig.estimators.selection.scales import unit_scales
from disambig.notation import FloatArray
from disambig.parameters import check_number

# The square of an end plus a margin must stay finite.
_MAX_MARGIN = 1e100


def narrowed(model: Any, y: Any) -> Intervals:
    """The intervals of y, with ends moved inwards by the margin of the model."""
    check_number(type(model).__name__, "margin", model.margin, most=_MAX_MARGIN)
    sets = number_sets(y)
    if not isinstance(sets, Intervals):
        raise TypeError(
            f"{type(model).__name__} learns from intervals; got unions of intervals. Use "
            "IntervalRegressor with weights of your choice."
        )
    return sets.inset(float(model.margin)) if model.margin else sets


def weights_of(sample_weight: Any, n: int) -> FloatArray:
    """Sample weights as an array ``(n,)``."""
    if sample_weight is None:
        return np.ones(n)
    weights: FloatArray = np.asarray(sample_weight, dtype=np.float64)
    return weights


class UnitInputs:
    """Inputs of trees: centred, of unit variance, dense, in float32.

    Trees compare float32 numbers, which would lose a small spread far from zero.
    """

    def __init__(self, X: Any, sample_weight: FloatArray) -> None:
        self._centers = np.asarray(X.T @ sample_weight).ravel() / sample_weight.sum()
        self._factors = unit_scales(X, sample_weight)

    def __call__(self, X: Any) -> FloatArray:
        dense = X.toarray() if sp.issparse(X) else np.asarray(X, dtype=np.float64)
        scaled = (dense - self._centers) * self._factors
        # New inputs may be far outside of the range of training; trees do not care how far.
        found: FloatArray = np.clip(scaled, -1e30, 1e30).astype(np.float32)
        return found


def first_targets(sets: Intervals, sample_weight: FloatArray) -> FloatArray:
    """Midpoints, finite ends of half-lines, and the mean of all others for whole lines, (n, d)."""
    centers = sets.nearest(np.where(np.isfinite(sets.centers), sets.centers, 0.0))
    known = np.isfinite(sets.centers)
    weight = known * sample_weight[:, None]
    means = (weight * centers).sum(axis=0) / weight.sum(axis=0)
    return np.where(known, centers, means)
