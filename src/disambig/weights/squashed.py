"""`SquashedWeights`: a weighting on features of unit variance whose long tails are shortened."""

from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.memory import require_bytes
from disambig.notation import FloatArray
from disambig.votes import Votes
from disambig.weights.divided.rows import is_divided
from disambig.weights.inputs import checked_sample_weight, query_inputs, training_inputs
from disambig.weights.registry import is_pairwise, resolve_weights

_NAME = "SquashedWeights"
# Values farther from the median than so many interquartile ranges grow logarithmically.
_MAX_LINEAR = 3.0
# A deviation below this share of the largest value is rounding: the feature is constant.
_ROUNDING = 1e-12
# Of more rows in parts, the quantiles are those of a sample of this size.
_MAX_SAMPLE_ROWS = 100_000


@dataclass(frozen=True, eq=False)
class Squash:
    """``x -> s(t) / deviation`` with ``t = (x - median) / interquartile range``, for each column.

    ``s(t) = t`` up to 3, and ``3 + log(1 + |t| - 3)`` with the sign of t beyond. The deviation is
    that of ``s(t)`` over the training rows. Where the interquartile range is 0 the standard
    deviation takes its place. Constant columns become 0. Units do not matter.

    Attributes
    ----------
    centers, spreads, means, factors : float (d,)
    """

    centers: FloatArray
    spreads: FloatArray
    means: FloatArray
    factors: FloatArray

    @classmethod
    def of(cls, X: FloatArray, sample_weight: FloatArray) -> "Squash":
        """Learned from training rows ``(n, d)``; a weight of w counts as w rows."""
        shares = sample_weight / sample_weight.sum()
        low, centers, high = _quantiles(X, sample_weight, (0.25, 0.5, 0.75))
        deviations = _deviations(X, shares)
        # An interquartile range may be rounding of a column that hardly varies.
        sizes = np.abs(X).max(axis=0)
        spreads = np.where(high - low > _ROUNDING * sizes, high - low, deviations)
        varies = deviations > _ROUNDING * sizes
        spreads = np.where(varies, spreads, 1.0)
        squashed = _shortened((X - centers) / spreads)
        after = _deviations(squashed, shares)
        factors = np.where(varies & (after > 0), 1.0 / np.where(after > 0, after, 1.0), 0.0)
        return cls(centers, spreads, shares @ squashed, factors)

    def __call__(self, X: FloatArray) -> FloatArray:
        """The columns after the map, ``(q, d)``, with mean 0 and variance 1 in training."""
        shortened = _shortened((X - self.centers) / self.spreads)
        return np.asarray((shortened - self.means) * self.factors)


def _shortened(t: FloatArray) -> FloatArray:
    size = np.abs(t)
    beyond = np.maximum(size - _MAX_LINEAR, 0.0)
    return np.where(beyond > 0, np.sign(t) * (_MAX_LINEAR + np.log1p(beyond)), t)


def _deviations(X: FloatArray, shares: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(shares @ (X - shares @ X) ** 2))


def _quantiles(
    X: FloatArray, sample_weight: FloatArray, levels: tuple[float, ...]
) -> list[FloatArray]:
    """The smallest values that this share of the weight does not exceed, ``(d,)`` for each level.

    So w copies of a row and a row of weight w have the same quantiles.
    """
    order = np.argsort(X, axis=0, kind="stable")
    reached = np.cumsum(sample_weight[order], axis=0)
    found = []
    for level in levels:
        # Rounding of the sums must not move a quantile to the next value.
        enough = reached >= (level - 1e-12) * reached[-1]
        rows = np.take_along_axis(order, enough.argmax(axis=0)[None, :], axis=0)
        found.append(np.take_along_axis(X, rows, axis=0)[0])
    return found


class SquashedWeights(BaseEstimator):
    """The votes of a weighting on features of unit variance with shortened tails.

    Each column is centred at its median and divided by its interquartile range. Values farther out
    than three such ranges then grow logarithmically, so that a few huge values do not determine all
    distances. Last, columns are scaled to unit variance, and multiplied by `scales`. The result
    does not depend on the units of the features. Sparse inputs are made dense. Of more than 100,000
    rows in parts, the quantiles and variances are those of 100,000 rows at random.

    Parameters
    ----------
    weights : str, weighting or callable
    scales : array-like (d,), optional
        A factor for each column, not negative; ones by default.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`.

    Attributes
    ----------
    weights_ : fitted weighting
    squash_ : Squash
    sample_weight_ : float64, (n,)
        Weight of each training row.
    n_features_in_ : int

    Examples
    --------
    >>> from disambig.weights import NeighborWeights
    >>> X = [[0.0, 1e3], [0.1, 2e3], [5.0, 2e3], [5.1, 9e9]]
    >>> squashed = SquashedWeights(NeighborWeights(1)).fit(X)
    >>> squashed.votes([[4.0, 2e3]]) @ [1.0, 2.0, 3.0, 4.0]
    array([3.])
    """

    def __init__(self, weights: Any, scales: Any = None, *, leave_one_out: bool = False) -> None:
        self.weights = weights
        self.scales = scales
        self.leave_one_out = leave_one_out

    # The weighting joins rows in parts, if it must.
    undivided = ""

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Fit the weighting on the mapped training inputs ``(n, d)``."""
        if is_pairwise(self.weights):
            raise ValueError(
                f"{_NAME}: the weighting reads X as pairs of samples, which have no columns to "
                "scale. Use a weighting of features."
            )
        X = training_inputs(self, X)
        self.sample_weight_ = checked_sample_weight(_NAME, sample_weight, X.shape[0])
        self._factors = self._checked_factors(X.shape[1])
        if is_divided(X):
            rows = X.drawn(_MAX_SAMPLE_ROWS)
            self.squash_ = Squash.of(_dense(X[rows]), self.sample_weight_[rows])
            inputs: Any = X.transformed(_squashed, self.squash_, self._factors)
        else:
            X = _dense(X)
            self.squash_ = Squash.of(X, self.sample_weight_)
            inputs = _squashed(X, self.squash_, self._factors)
        self.weights_ = resolve_weights(self.weights).fit(inputs, sample_weight)
        return self

    @property
    def divided_transform(self) -> Any:
        """The map of inputs, without the weighting."""
        return partial(_squashed, squash=self.squash_, factors=self._factors)

    def training_votes(self) -> Votes:
        """`training_votes` of the weighting; `leave_one_out_votes` if `leave_one_out`."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self.weights_.training_votes()

    def leave_one_out_votes(self) -> Votes:
        """`leave_one_out_votes` of the weighting."""
        check_is_fitted(self)
        return self.weights_.leave_one_out_votes()

    def votes(self, X: Any) -> Votes:
        """`votes` of the weighting at the mapped queries ``(q, d)``."""
        X = _dense(query_inputs(self, X))
        return self.weights_.votes(_squashed(X, self.squash_, self._factors))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _checked_factors(self, d: int) -> FloatArray:
        if self.scales is None:
            return np.ones(d)
        given = np.asarray(self.scales)
        numeric = given.dtype.kind in "iufb" and given.ndim == 1
        factors = given.astype(np.float64) if numeric else np.zeros(0)
        if factors.shape != (d,) or not (np.isfinite(factors) & (factors >= 0)).all():
            raise ValueError(
                f"{_NAME}: scales must be {d} finite numbers >= 0, one for each column of X; got "
                f"{self.scales!r}."
            )
        return factors


def _squashed(X: FloatArray, squash: Squash, factors: FloatArray) -> FloatArray:
    return squash(np.asarray(X, dtype=np.float64)) * factors


def _dense(X: Any) -> FloatArray:
    if sp.issparse(X):
        n, d = X.shape
        # Centring fills the columns.
        require_bytes(
            3 * 8.0 * n * d,
            f"{_NAME} of {n} sparse rows, which it makes dense",
            "Use ScaledWeights, which only multiplies.",
        )
        X = X.toarray()
    dense: FloatArray = np.asarray(X, dtype=np.float64)
    return dense
