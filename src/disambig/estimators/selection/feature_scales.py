"""How much each feature matters, learned from the sets themselves."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesRegressor

from disambig.notation import FloatArray

_TREES = 60
_SMALLEST_LEAF = 3
# Features that a split looks at: a fifth, between these.
_FEWEST, _MOST = 3, 100
# Variances below this part of the mean square are none.
_ROUNDING = 1e-12
# Entries that are written out: 128 MiB.
_DENSE = 2**24


def feature_scales(X: Any, shares: FloatArray, sample_weight: FloatArray) -> FloatArray | None:
    """A factor for each column of X, ``(d,)``; None if nothing tells them.

    Extremely randomised trees predict the shares of the classes in the sets; the factor of a
    feature is the root of its part in what they explain, over its standard deviation. Distances
    then see a feature as much as the sets depend on it, whatever its unit is, and what is noise to
    them hardly at all.

    Parameters
    ----------
    X : (n, d)
        In an order that depends on nothing but the rows; so does the answer then.
    shares : float (n, K)
        Of each class in each set.
    masses : float (n,)

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> first = (X[:, :1] > 0).astype(float)
    >>> feature_scales(X, np.hstack([first, 1 - first]), np.ones(100)).round(1)
    array([1.5, 0.1])
    """
    d = X.shape[1]
    if d < 2 or np.ptp(shares, axis=0).max() == 0:
        return None
    if sp.issparse(X) and X.shape[0] * d <= _DENSE:
        # Trees on sparse inputs are grown in another order.
        X = X.toarray()
    units = unit_scales(X, sample_weight)
    # Trees see float32: without this, little is left of a small spread far from zero.
    seen = X.multiply(units[None, :]).tocsr() if sp.issparse(X) else (X - X.mean(axis=0)) * units
    trees = ExtraTreesRegressor(
        _TREES,
        min_samples_leaf=_SMALLEST_LEAF,
        max_features=min(d, _MOST, max(_FEWEST, d // 5)),
        random_state=0,
    )
    importances: FloatArray = trees.fit(seen, shares, sample_weight).feature_importances_
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
    means, variances = _moments(X, sample_weight / sample_weight.sum())
    # What rounding leaves of a constant column is not its spread.
    spread = variances > _ROUNDING * (variances + means * means)
    return np.where(spread, 1.0 / np.sqrt(np.where(spread, variances, 1.0)), 0.0)


def _moments(X: Any, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means and variances of the columns, ``(d,)`` each."""
    means = np.asarray(X.T @ shares, dtype=np.float64)
    if not sp.issparse(X):
        return means, np.asarray(((X - means) ** 2).T @ shares)
    squares = np.asarray(X.multiply(X).T @ shares, dtype=np.float64)
    return means, np.maximum(squares - means * means, 0.0)
