"""A linear function with few features: the squared distance to the intervals with an L1 penalty."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from disambig.candidates import Intervals
from disambig.estimators.interval_models.reading import first_targets, narrowed, weights_of
from disambig.notation import FloatArray
from disambig.parameters import check_number
from disambig.weights.squashed import Squash

_MAX_STEPS = 3000
# Relative to the deviation of the first targets.
_TOLERANCE = 1e-6


class IntervalLasso(RegressorMixin, BaseEstimator):
    """``min over v, b of mean d(v . x + b, s)^2 + penalty |v|_1``, by accelerated proximal steps.

    Features have unit variance and shortened tails, as in `SquashedWeights`.

    Parameters
    ----------
    share : float, default 0.02
        The penalty, as a share of the smallest one for which v is 0.
    margin : float, default 0
        How far inside its interval a prediction should be, in units of y.

    Attributes
    ----------
    coef_ : float array (features, d)
        Of the mapped features, a column for each column of y.
    intercept_ : float array (d,)

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> y = np.column_stack([X[:, 0] - 0.1, X[:, 0] + 0.1])
    >>> np.flatnonzero(np.abs(IntervalLasso(0.1).fit(X, y).coef_[:, 0]) > 0.1).tolist()
    [0]
    """

    def __init__(self, share: float = 0.02, *, margin: float = 0.0) -> None:
        self.share = share
        self.margin = margin

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the function; `y` are intervals in any form that `number_sets` reads."""
        check_number("IntervalLasso", "share", self.share, positive=True)
        sets = narrowed(self, y)
        weights = weights_of(sample_weight, len(sets))
        X = _dense(X)
        self.squash_ = Squash.of(X, weights)
        self._flat_ = sets.flat
        self.coef_, self.intercept_ = _minimum(
            self.squash_(X), sets, weights / weights.sum(), float(self.share)
        )
        return self

    def predict(self, X: Any) -> FloatArray:
        """The function at new inputs, ``(q,)``; ``(q, d)`` for boxes."""
        check_is_fitted(self)
        found = self.squash_(_dense(X)) @ self.coef_ + self.intercept_
        return found[:, 0] if self._flat_ else found


def _dense(X: Any) -> FloatArray:
    dense: FloatArray = X.toarray() if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    return dense


def _minimum(
    Z: FloatArray, sets: Intervals, shares: FloatArray, share: float
) -> tuple[FloatArray, FloatArray]:
    """Coefficients ``(p, d)`` and intercepts ``(d,)``."""
    n, p = Z.shape
    inputs = np.hstack([Z, np.ones((n, 1))])
    first = first_targets(sets, shares)
    unit = np.sqrt(shares @ (first - shares @ first) ** 2)
    unit = np.where(unit > 0, unit, 1.0)
    largest = np.linalg.norm(np.sqrt(shares)[:, None] * inputs, 2) ** 2
    step = 1.0 / largest

    def half_gradient(v: FloatArray) -> FloatArray:
        values = inputs @ v
        gradient: FloatArray = inputs.T @ (shares[:, None] * (values - sets.nearest(values)))
        return gradient

    v = np.zeros((p + 1, sets.n_columns))
    v[-1] = shares @ first
    for _ in range(_MAX_STEPS):
        # The best constant, at which the smallest penalty that leaves v = 0 is read off.
        change = half_gradient(v)[-1]
        v[-1] -= change
        if (np.abs(change) <= _TOLERANCE * unit).all():
            break
    threshold = step * share * np.abs(half_gradient(v)[:-1]).max(axis=0, initial=0.0)
    ahead, speed = v, 1.0
    for _ in range(_MAX_STEPS):
        moved = ahead - step * half_gradient(ahead)
        after = moved.copy()
        after[:-1] = np.sign(moved[:-1]) * np.maximum(np.abs(moved[:-1]) - threshold, 0.0)
        change = after - v
        if (np.abs(after - ahead).max(axis=0) <= _TOLERANCE * unit).all():
            v = after
            break
        if float(((ahead - after) * change).sum()) > 0:
            speed = 1.0
        faster = (1.0 + np.sqrt(1.0 + 4.0 * speed**2)) / 2.0
        ahead, v, speed = after + (speed - 1.0) / faster * change, after, faster
    return v[:-1], v[-1]
