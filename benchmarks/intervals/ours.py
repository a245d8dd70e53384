"""Our method, chosen by the same rule as every other, from settings fixed before the run.

Six models, each with targets kept inside their intervals by a margin of 0 or .2:
`IntervalRegressor` with kernel ridge votes and an intercept (a Gaussian kernel of bandwidth
``sqrt(2 d)``, a Laplacian one of ``2 d``, and ridges), and `DisambiguatedRegressor`, in which extra
trees learn from the targets that such votes recover, and correct them once. The settings were
developed on scikit-learn's diabetes data and Friedman's problems with simulated intervals, not on
the data of this benchmark; the margins are two of the three that all others have.

The settings were not changed after the run. ``second_list.py`` was written after its results.
"""

from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor

from benchmarks.intervals.method import Method, Predict, grid
from benchmarks.intervals.second_list import SECOND_LIST
from disambig import DisambiguatedRegressor, IntervalRegressor
from disambig.notation import FloatArray
from disambig.weights import KernelRidgeWeights

__all__ = ["OURS"]

_MODELS = (
    ("gaussian", 1e-1),
    ("gaussian", 1e-2),
    ("gaussian", 1e-3),
    ("laplacian", 1e-2),
    ("laplacian", 1e-3),
    ("trees", 1e-2),
)


def fit_ours(
    X: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    *,
    seed: int,
    model: tuple[str, float],
    margin: float,
) -> Predict:
    """Fit one of the six models."""
    name, ridge = model
    kernel = "laplacian" if name == "laplacian" else "gaussian"
    d = max(1, X.shape[1])
    weights = KernelRidgeWeights(
        kernel,
        bandwidth=2.0 * d if kernel == "laplacian" else float(np.sqrt(2 * d)),
        regularization=ridge,
        intercept=True,
    )
    estimator: Any = IntervalRegressor(weights, margin=margin)
    if name == "trees":
        trees = ExtraTreesRegressor(100, min_samples_leaf=2, random_state=seed)
        estimator = DisambiguatedRegressor(trees, weights=weights, margin=margin, max_iter=1, cv=3)
    predict: Predict = estimator.fit(X, np.column_stack([lower, upper])).predict
    return predict


OURS: tuple[Method, ...] = (
    Method("disambig", fit_ours, grid(model=list(_MODELS), margin=[0.0, 0.2])),
    SECOND_LIST,
)
