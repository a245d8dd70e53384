"""Votes of rows that share a cell of a grid: `HistogramWeights`.

`grid_thresholds` cuts each feature into bins, and `Cells` numbers the cells that hold training
rows.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from disambig.exceptions import VotesError
from disambig.memory import require_bytes
from disambig.notation import AnyArray, FloatArray
from disambig.parameters import as_array, check_choice, check_flag, check_integer
from disambig.votes.partition import PartitionVotes
from disambig.weights.divided.rows import is_divided
from disambig.weights.inputs import checked_sample_weight, query_inputs, training_inputs
from disambig.weights.partitions.partition import Partition, PartitionWeights

# Bins of a feature at most with bins="auto": sample weights can be astronomically large.
_MAX_AUTOMATIC_BINS = 2**20
_STRATEGIES = ("quantile", "uniform")
_NAME = "HistogramWeights"


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a grid that hold training rows, numbered without a number for empty cells.

    There may be more cells than int64 has numbers. So cells are numbered feature by feature: rows
    that agree in the first features share a number below n, which the next feature refines.

    Attributes
    ----------
    thresholds : tuple of d ascending float64 arrays
        Feature f has ``len(thresholds[f]) + 1`` bins; an entry equal to a threshold is below it.
    known : tuple of d ascending int64 arrays
        The pairs of (number so far, bin) that training rows have, as one number each.
    """

    thresholds: tuple[FloatArray, ...]
    known: tuple[AnyArray, ...]

    @classmethod
    def build(cls, X: Any, thresholds: tuple[FloatArray, ...]) -> tuple[Self, AnyArray]:
        """The cells of training rows ``(n, d)``, and the number of the cell of each row."""
        numbers = np.zeros(X.shape[0], dtype=np.int64)
        known = []
        for cuts, column in zip(thresholds, columns(X), strict=True):
            pairs, numbers = np.unique(_paired(numbers, cuts, column), return_inverse=True)
            known.append(pairs)
        return cls(thresholds, tuple(known)), numbers

    @property
    def size(self) -> int:
        """The number of cells that hold training rows."""
        return int(self.known[-1].size)

    def numbers(self, X: Any) -> AnyArray:
        """The number of the cell of each query ``(q, d)``; `size` for an empty cell.

        Examples
        --------
        >>> import numpy as np
        >>> cells, rows = Cells.build(np.array([[0.0], [1.0], [9.0]]), (np.array([1.0, 5.0]),))
        >>> rows, cells.numbers(np.array([[3.0], [-3.0]]))
        (array([0, 0, 1]), array([2, 0]))
        """
        numbers = np.zeros(X.shape[0], dtype=np.int64)
        found = np.ones(X.shape[0], dtype=np.bool_)
        for cuts, pairs, column in zip(self.thresholds, self.known, columns(X), strict=True):
            paired = _paired(numbers, cuts, column)
            numbers = np.minimum(np.searchsorted(pairs, paired), pairs.size - 1)
            found &= pairs[numbers] == paired
        return np.where(found, numbers, self.size)


def columns(X: Any) -> Any:
    """Iterate over the columns of X as dense arrays; of rows in parts, one is in memory."""
    if is_divided(X):
        return map(X.column, range(X.n_features))
    if not sp.issparse(X):
        return iter(X.T)
    by_column = sp.csc_array(X)
    return (by_column[:, [f]].toarray().ravel() for f in range(X.shape[1]))


def _paired(numbers: AnyArray, cuts: FloatArray, column: FloatArray) -> AnyArray:
    pairs: AnyArray = numbers * (cuts.size + 1) + np.searchsorted(cuts, column)
    return pairs


def grid_thresholds(
    owner: str, X: Any, sample_weight: FloatArray, bins: Any, strategy: Any
) -> tuple[FloatArray, ...]:
    """Thresholds of each feature, ascending, d arrays.

    Parameters
    ----------
    owner : str
        The weighting, named in errors.
    X : float64 array or csr_array, (n, d)
    sample_weight : (n,)
    bins : int, "auto" or d arrays of thresholds
    strategy : {"quantile", "uniform"}

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0]])
    >>> grid_thresholds("HistogramWeights", X, np.ones(4), 2, "quantile")
    (array([1.]),)
    >>> grid_thresholds("HistogramWeights", X, np.ones(4), 2, "uniform")
    (array([5.]),)
    """
    check_choice(owner, "strategy", strategy, _STRATEGIES)
    is_array = isinstance(bins, np.ndarray) and bins.ndim > 0
    if is_array or isinstance(bins, (list, tuple)):
        return _given_thresholds(owner, bins, X.shape[1])
    if isinstance(bins, str):
        check_choice(owner, "bins", bins, ("auto",), "an integer, or thresholds of each feature")
        # This width minimises the sum of squared bias and variance, up to constants.
        wanted = float(sample_weight.sum()) ** (1.0 / (X.shape[1] + 2))
        count = max(1, round(min(wanted, _MAX_AUTOMATIC_BINS)))
    else:
        count = check_integer(owner, "bins", bins, least=1)
        what = f"{owner} with {count} bins of each feature"
        require_bytes(3 * 8.0 * count * X.shape[1], what, "Take fewer bins.")
    parts = np.arange(1, count) / count
    if strategy == "uniform":
        ends = ((column.min(), column.max()) for column in columns(X))
        return tuple(np.unique(low + (high - low) * parts) for low, high in ends)
    return tuple(_quantiles(column, sample_weight, parts) for column in columns(X))


def _quantiles(column: FloatArray, sample_weight: FloatArray, parts: FloatArray) -> FloatArray:
    """The smallest entries up to which these parts of the weight lie, without repeats."""
    order = np.argsort(column, kind="stable")
    reached = np.cumsum(sample_weight[order])
    # Relative slack of 1e-12 for the rounding errors of the sums.
    places = np.searchsorted(reached, parts * reached[-1] * (1.0 - 1e-12))
    return np.unique(column[order][places])


def _given_thresholds(owner: str, bins: Any, d: int) -> tuple[FloatArray, ...]:
    if len(bins) != d:
        raise VotesError(
            f"{owner}: bins must hold an array of thresholds for each of the {d} features of X; "
            f"got {len(bins)}."
        )
    thresholds = tuple(as_array(cuts) for cuts in bins)
    thresholds = tuple(
        cuts.astype(np.float64) if cuts.dtype.kind in "biuf" else np.full(1, np.nan)
        for cuts in thresholds
    )
    for f, cuts in enumerate(thresholds):
        # Written so that NaN counts as bad.
        if cuts.ndim != 1 or not (np.diff(cuts) > 0).all() or np.isnan(cuts).any():
            raise VotesError(
                f"{owner}: the thresholds of feature {f} must be one ascending list of numbers; "
                f"got {bins[f]!r}."
            )
    return thresholds


class HistogramWeights(PartitionWeights):
    """``alpha[i, j] = [i and j share a cell] w_j / (weight of the cell)``, w the sample weights.

    Every feature is cut into bins; a cell is one bin of each feature. The outermost bins are
    unbounded. An input whose cell holds no training row gets a row of zeros. Use it with few
    features: d features with b bins each have ``b**d`` cells.

    Parameters
    ----------
    bins : int, "auto" or sequence of d arrays (edges,), default="auto"
        Bins of each feature. "auto": ``(total weight) ** (1 / (d + 2))``, rounded, at most
        2**20. Or thresholds of each feature, ascending; an entry equal to a threshold lies below
        it.
    strategy : {"quantile", "uniform"}, default="quantile"
        Bins of equal weight (as far as equal entries allow), or of equal width between the smallest
        and the largest entry.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`: the grid stays as it is, each row
        is removed from its cell, and the rest of the cell is normalised. A row that is alone in its
        cell has no votes.

    Attributes
    ----------
    thresholds_ : tuple of d float64 arrays
    cells_ : Cells
        The cells that hold training rows.
    partition_ : Partition
        The cell of each training row.
    sample_weight_ : float64, (n,)
        Weight of each training row.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0]])
    >>> weights = HistogramWeights(2, strategy="uniform").fit(X)
    >>> weights.training_votes() @ np.array([1.0, 1.0, 4.0, 9.0])
    array([2., 2., 2., 9.])
    """

    def __init__(
        self, bins: Any = "auto", *, strategy: str = "quantile", leave_one_out: bool = False
    ) -> None:
        self.bins = bins
        self.strategy = strategy
        self.leave_one_out = leave_one_out

    # The partition has one number for each row, so that it is in memory.
    undivided = ""

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Cut the features and put the training inputs ``(n, d)`` into their cells."""
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        X = training_inputs(self, X)
        self.sample_weight_ = checked_sample_weight(_NAME, sample_weight, X.shape[0])
        self.thresholds_ = grid_thresholds(_NAME, X, self.sample_weight_, self.bins, self.strategy)
        self.cells_, numbers = Cells.build(X, self.thresholds_)
        self.partition_ = Partition.build(numbers[None], self.sample_weight_)
        return self

    def votes(self, X: Any) -> PartitionVotes:
        """``alpha`` at new inputs ``(q, d)``."""
        X = query_inputs(self, X)
        found: PartitionVotes = self.partition_.votes(self.cells_.numbers(X)[None])
        return found
