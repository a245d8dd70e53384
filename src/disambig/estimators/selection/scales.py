"""Scales of features: to unit variance, or by how much the candidate sets depend on them."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesRegressor

from disambig.notation import FloatArray

_N_TREES = 60
_MIN_SAMPLES_LEAF = 3
# A split considers a fifth of the features, between these numbers.
_MIN_SPLIT_FEATURES, _MAX_SPLIT_FEATURES = 3, 100
# A variance below this share of the mean square is rounding: the feature is constant.
_VARIANCE_RTOL = 1e-12
# Sparse inputs with no more entries than this are made dense: 128 MiB.
_MAX_DENSE_ENTRIES = 2**24
# Of rows in parts so many give the variances.
_MAX_SCALED_ROWS = 100_000


def scaled_inputs(X: Any, factors: FloatArray) -> Any:
    """X with its columns multiplied by factors ``(d,)``."""
    return sp.csr_array(X.multiply(factors[None, :])) if sp.issparse(X) else X * factors


def feature_scales(X: Any, table: FloatArray, sample_weight: FloatArray) -> FloatArray | None:
    """A factor for each column of X, ``(d,)``; None if features cannot be compared.

    Extremely randomised trees predict numbers that summarise the sets. The factor of a
    feature is the root of its importance (importances have mean one) over its standard deviation.
    Distances then weight a feature by how much the sets depend on it, whatever its unit, and nearly
    ignore noise.

    Parameters
    ----------
    X : (n, d)
        The trees depend on the order of the rows: pass them in an order that depends on the rows
        alone, as `sample_rows` does.
    table : float (n, k)
        Summaries of the sets, such as the share of each class in each set.
    sample_weight : float (n,)

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> first = (X[:, :1] > 0).astype(float)
    >>> feature_scales(X, np.hstack([first, 1 - first]), np.ones(100)).round(1)
    array([1.5, 0.1])
    """
    d = X.shape[1]
    if d < 2 or np.ptp(table, axis=0).max() == 0:
        return None
    if sp.issparse(X) and X.shape[0] * d <= _MAX_DENSE_ENTRIES:
        # scikit-learn grows different trees on sparse inputs.
        X = X.toarray()
    units = unit_scales(X, sample_weight)
    # Trees convert X to float32, which would lose a small spread far from zero: centre and scale.
    inputs = X.multiply(units[None, :]).tocsr() if sp.issparse(X) else (X - X.mean(axis=0)) * units
    trees = ExtraTreesRegressor(
        _N_TREES,
        min_samples_leaf=_MIN_SAMPLES_LEAF,
        max_features=min(d, _MAX_SPLIT_FEATURES, max(_MIN_SPLIT_FEATURES, d // 5)),
        random_state=0,
    )
    targets = table[:, 0] if table.shape[1] == 1 else table
    # Rounding can make the importance of noise negative.
    importances = np.maximum(trees.fit(inputs, targets, sample_weight).feature_importances_, 0.0)
    total = float(importances.sum())
    return np.sqrt(importances * (d / total)) * units if total > 0.0 else None


def unit_scales(X: Any, sample_weight: FloatArray) -> FloatArray:
    """One over the standard deviation of each column of X, ``(d,)``; 0 for a constant one.

    Examples
    --------
    >>> import numpy as np
    >>> unit_scales(np.array([[0.0, 5.0], [4.0, 5.0]]), np.ones(2))
    array([0.5, 0. ])
    """
    if not isinstance(X, np.ndarray) and not sp.issparse(X):
        # Rows in parts.
        rows = np.sort(np.random.default_rng(0).permutation(X.shape[0])[:_MAX_SCALED_ROWS])
        X, sample_weight = X[rows], sample_weight[rows]
    means, variances = _moments(X, sample_weight / sample_weight.sum())
    varies = variances > _VARIANCE_RTOL * (variances + means * means)
    return np.where(varies, 1.0 / np.sqrt(np.where(varies, variances, 1.0)), 0.0)


def _moments(X: Any, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means and variances of the columns, ``(d,)`` each."""
    means = np.asarray(X.T @ shares, dtype=np.float64)
    if not sp.issparse(X):
        return means, np.asarray(((X - means) ** 2).T @ shares)
    squares = np.asarray(X.multiply(X).T @ shares, dtype=np.float64)
    return means, np.maximum(squares - means * means, 0.0)
