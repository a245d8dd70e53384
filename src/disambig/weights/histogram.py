"""Votes of those who share a cell of a grid."""

from typing import Any, Self

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.notation import FloatArray
from disambig.votes import PartitionVotes
from disambig.weights.cells import Cells
from disambig.weights.inputs import query_inputs, training_inputs
from disambig.weights.masses import row_masses
from disambig.weights.parameters import check_flag
from disambig.weights.partition import Partition
from disambig.weights.thresholds import grid_thresholds

__all__ = ["HistogramWeights"]

_NAME = "HistogramWeights"


class HistogramWeights(BaseEstimator):
    """``alpha[i, j] = [i and j share a cell] w_j / (mass of the cell)``, with w the sample weights.

    Every feature is cut into bins; a cell is one bin of each. The outermost bins have no end. An
    input whose cell holds no training row gets a row of zeros. For few features: of d features
    with b bins each there are ``b**d`` cells.

    Parameters
    ----------
    bins : int, "auto" or sequence of d arrays, default="auto"
        Bins of each feature. "auto": ``(total weight) ** (1 / (d + 2))``, rounded. Or thresholds
        of each feature, ascending; an entry equal to a threshold lies below it.
    strategy : {"quantile", "uniform"}, default="quantile"
        Bins of equal mass (as far as equal entries allow), or of equal width between the smallest
        and the largest entry.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`: the grid stays as it is, each row
        leaves its cell, and the rest of the cell is normalised. A row that was alone there has no
        votes.

    Attributes
    ----------
    thresholds_ : tuple of d float64 arrays
    cells_ : Cells
        Which cells hold somebody.
    partition_ : Partition
        Who is in which cell.
    masses_ : float64, (n,)
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

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Cut the features and put the training inputs ``(n, d)`` into their cells."""
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        X = training_inputs(self, X)
        self.masses_ = row_masses(_NAME, sample_weight, X.shape[0])
        self.thresholds_ = grid_thresholds(_NAME, X, self.masses_, self.bins, self.strategy)
        self.cells_, numbers = Cells.build(X, self.thresholds_)
        self.partition_ = Partition.build(numbers[None], self.masses_)
        return self

    def training_votes(self) -> PartitionVotes:
        """``alpha`` at the training inputs, ``(n, n)``; leave-one-out if the piece says so."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self.partition_.training_votes()

    def leave_one_out_votes(self) -> PartitionVotes:
        """The votes of the others in each cell, ``(n, n)``, diagonal zero."""
        check_is_fitted(self)
        return self.partition_.leave_one_out_votes()

    def votes(self, X: Any) -> PartitionVotes:
        """``alpha`` at new inputs ``(q, d)``."""
        X = query_inputs(self, X)
        return self.partition_.votes(self.cells_.numbers(X)[None])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
