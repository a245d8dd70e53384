"""How much each feature matters, learned from the sets themselves."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import ExtraTreesRegressor

from disambig.notation import FloatArray

__all__ = ["feature_scales"]

_TREES = 60
_SMALLEST_LEAF = 3
# Features that a split looks at: a fifth, between these.
_FEWEST, _MOST = 3, 100
# Entries that are written out: 128 MiB.
_DENSE = 2**24


def feature_scales(X: Any, shares: FloatArray, masses: FloatArray) -> FloatArray | None:
    """A factor for each column of X, ``(d,)``, of mean square one; None if nothing tells them.

    Extremely randomised trees predict the shares of the classes in the sets; the factor of a
    feature is the root of its part in what they explain. Distances then see a feature as much as
    the sets depend on it, and what is noise to them hardly at all.

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
    array([1.4, 0.1])
    """
    d = X.shape[1]
    if d < 2 or np.ptp(shares, axis=0).max() == 0:
        return None
    if sp.issparse(X) and X.shape[0] * d <= _DENSE:
        # Trees on sparse inputs are grown in another order.
        X = X.toarray()
    trees = ExtraTreesRegressor(
        _TREES,
        min_samples_leaf=_SMALLEST_LEAF,
        max_features=min(d, _MOST, max(_FEWEST, d // 5)),
        random_state=0,
    )
    importances: FloatArray = trees.fit(X, shares, masses).feature_importances_
    total = float(importances.sum())
    return np.sqrt(importances * (d / total)) if total > 0.0 else None
