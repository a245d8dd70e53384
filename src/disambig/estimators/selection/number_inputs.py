"""What is tried for numbers, and the coordinates in which it is tried: features without units."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from disambig.estimators.interval_models import IntervalBoosting, IntervalForest, IntervalLasso
from disambig.estimators.selection.scales import feature_scales, scaled_inputs, unit_scales
from disambig.notation import FloatArray
from disambig.weights import (
    KernelRidgeWeights,
    NeighborWeights,
    NystromWeights,
    ScaledWeights,
    Weights,
)
from disambig.weights.kernels.similarity import median_distance
from disambig.weights.squashed import Squash, SquashedWeights

# With more rows kernels use landmarks: a mixture is fitted several times, for its labels.
_MAX_EXACT_ROWS = 1500
_N_LANDMARKS = 500
_NORMS = {"gaussian": "euclidean", "laplacian": "manhattan"}


class NumberEntry(NamedTuple):
    """What is tried.

    Attributes
    ----------
    model : {"kernel", "neighbors", "lasso", "forest", "boosting"}
    scaled : bool
        Whether features are scaled by how much the sets depend on them.
    kernel : str
        Of kernels; "linear" has no size.
    size : float
        The bandwidth in units of the median distance, the number of neighbours, the share of the
        largest penalty, or the number of stages.
    ridge : float
        Of kernels.
    margin : float
        In units of y.
    """

    model: str
    scaled: bool = False
    kernel: str = ""
    size: float = 0.0
    ridge: float = 0.0
    margin: float = 0.0


@dataclass(frozen=True, eq=False)
class Inputs:
    """Inputs of some rows without units, as they are and scaled by how much the sets need them.

    Attributes
    ----------
    squash : Squash or None
        None for sparse inputs, whose columns are only multiplied.
    units : float (d,)
        Factors of sparse inputs.
    factors : float (d,) or None
        Of scaled inputs, after the squash or the units.
    unscaled : array or sparse matrix (n, d)
        The rows.
    sample_weight : float (n,)
    """

    squash: Squash | None
    units: FloatArray
    factors: FloatArray | None
    unscaled: Any
    sample_weight: FloatArray

    @classmethod
    def of(
        cls, X: Any, table: FloatArray, sample_weight: FloatArray, *, learns_scales: bool
    ) -> "Inputs":
        squash = None if sp.issparse(X) else Squash.of(np.asarray(X, np.float64), sample_weight)
        units = unit_scales(X, sample_weight) if squash is None else np.ones(X.shape[1])
        inputs = scaled_inputs(X, units) if squash is None else squash(X)
        factors = feature_scales(inputs, table, sample_weight) if learns_scales else None
        return cls(squash, units, factors, inputs, sample_weight)

    def mapped(self, X: Any, scaled: bool) -> Any:
        """New rows in the same coordinates."""
        inputs = scaled_inputs(X, self.units) if self.squash is None else self.squash(X)
        return self._scaled(inputs, scaled)

    def rows(self, scaled: bool) -> Any:
        """The rows, scaled or not."""
        return self._scaled(self.unscaled, scaled)

    def _scaled(self, inputs: Any, scaled: bool) -> Any:
        if not scaled or self.factors is None:
            return inputs
        return scaled_inputs(inputs, self.factors)

    @cached_property
    def _medians(self) -> dict[tuple[bool, str], float]:
        return {}

    def bandwidth(self, scaled: bool, kernel: str, size: float) -> float | None:
        if kernel not in _NORMS:
            return None
        key = scaled, kernel
        if key not in self._medians:
            self._medians[key] = median_distance(
                self.rows(scaled), self.sample_weight, norm=_NORMS[kernel]
            )
        return size * self._medians[key]

    def ridge(self, kernel: str, ridge: float) -> float:
        """The ridge; that of the linear kernel is in units of the number of features."""
        return ridge * self.units.size if kernel == "linear" else ridge

    def weighting(self, weights: Weights, scaled: bool) -> Weights:
        """A weighting of these coordinates for inputs as they are."""
        factors = self.factors if scaled else None
        if self.squash is not None:
            return SquashedWeights(weights, factors)
        return ScaledWeights(weights, self.units if factors is None else self.units * factors)

    def member(
        self, entry: NumberEntry, estimator: Callable[[Any, float], Any], n_rows: int
    ) -> Any:
        """The member of an entry on `n_rows` rows, unfitted; see `NumberMembers`."""
        model, scaled, kernel, size, ridge, margin = entry
        if model == "lasso":
            return IntervalLasso(size, margin=margin)
        if model == "forest":
            return IntervalForest(margin=margin)
        if model == "boosting":
            return IntervalBoosting(int(size), margin=margin)
        if model == "neighbors":
            weights: Weights = NeighborWeights(int(size))
        else:
            bandwidth = self.bandwidth(scaled, kernel, size)
            options: dict[str, Any] = {"bandwidth": bandwidth, "intercept": True}
            options["regularization"] = self.ridge(kernel, ridge)
            if n_rows <= _MAX_EXACT_ROWS:
                weights = KernelRidgeWeights(kernel, **options)
            else:
                weights = NystromWeights(kernel, n_landmarks=_N_LANDMARKS, **options)
        return estimator(self.weighting(weights, scaled), margin)
