"""`NadarayaWatsonWeights`: local averages, weighted by a kernel."""

from typing import Any, Self

import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.memory import require_bytes
from disambig.notation import FloatArray
from disambig.parameters import check_flag
from disambig.votes.dense import DenseVotes
from disambig.votes.entries import normalize_rows, remove_diagonal
from disambig.votes.row_blocks import RowBlocks
from disambig.votes.sparse import SparseVotes
from disambig.weights.divided.compact import DividedKernel
from disambig.weights.divided.rows import is_divided
from disambig.weights.inputs import (
    checked_sample_weight,
    query_inputs,
    scale_columns,
    training_inputs,
)
from disambig.weights.kernels.compact import near_similarities
from disambig.weights.kernels.similarity import COMPACT, Similarity, resolve_bandwidth
from disambig.weights.neighbors.euclidean import EuclideanIndex

_NAME = "NadarayaWatsonWeights"
_KERNELS = ("gaussian", "laplacian", *COMPACT, "precomputed")


class NadarayaWatsonWeights(BaseEstimator):
    """``alpha_j(x) = w_j k(x, x_j) / sum_l w_l k(x, x_l)``, with w the sample weights.

    An input at which the kernel of every training row is zero has a row of zeros: no votes, never
    NaN. Kernels of compact support are zero beyond the bandwidth; in floating-point numbers, the
    Gaussian kernel is zero beyond some 38 bandwidths, the Laplacian beyond some 745.

    Parameters
    ----------
    kernel : str or callable, default="gaussian"
        With h the bandwidth and d the euclidean distance: "gaussian" ``exp(-d^2 / (2 h^2))``;
        "laplacian" ``exp(-|x - x'|_1 / h)``; "box" ``1 if d <= h else 0``; "epanechnikov"
        ``max(0, 1 - d^2 / h^2)``. "precomputed": X holds the similarities, ``(n, n)`` in `fit` and
        ``(q, n)`` in `votes`, an array or sparse. Or a function of ``(Q, X)`` that returns
        ``(q, n)``. The votes of box and epanechnikov are sparse.
    bandwidth : float > 0, "median" or None, default=None
        None is "median", the median distance between training rows, where the kernel has a
        bandwidth. That is a large scale: a box of this size holds half of the rows, so use a
        smaller one for compact kernels on large data. The paper writes its Gaussian as
        ``exp(-d^2 / h)``; that h is ``2 * bandwidth**2`` (its 0.08 is a bandwidth of 0.2).
    normalize : bool, default=True
        Whether rows sum to one (where they have votes).
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`: without the vote of the row itself,
        whatever its sample weight.

    Attributes
    ----------
    bandwidth_ : float or None
    sample_weight_ : float64, (n,)
    index_ : object or None
        The index that kernels of compact support search.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> weights = NadarayaWatsonWeights("box", bandwidth=1.0).fit(X)
    >>> weights.votes(np.array([[0.5], [9.0]])).matrix.toarray()
    array([[0.5, 0.5, 0. ],
           [0. , 0. , 0. ]])
    """

    def __init__(
        self,
        kernel: Any = "gaussian",
        *,
        bandwidth: float | str | None = None,
        normalize: bool = True,
        leave_one_out: bool = False,
    ) -> None:
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.normalize = normalize
        self.leave_one_out = leave_one_out

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Keep the training inputs ``(n, d)``, or their similarities ``(n, n)``."""
        check_flag(_NAME, "normalize", self.normalize)
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        X = training_inputs(self, X, square=self._square)
        self.sample_weight_ = checked_sample_weight(_NAME, sample_weight, X.shape[0])
        self.bandwidth_ = resolve_bandwidth(
            _NAME, self.kernel, self.bandwidth, X, self.sample_weight_, choices=_KERNELS
        )
        self.X_fit_ = X
        if is_divided(X):
            similarity = Similarity(self.kernel, self.bandwidth_)
            self.index_: Any = DividedKernel.build(
                X, self.sample_weight_, similarity, bool(self.normalize)
            )
        else:
            self.index_ = EuclideanIndex.build(X) if self._compact else None
        return self

    def training_votes(self) -> DenseVotes | SparseVotes | RowBlocks:
        """``alpha`` at the training inputs, ``(n, n)``; without own votes if `leave_one_out`."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        if is_divided(self.X_fit_):
            return self._divided_votes(leave_one_out=False)
        return self._finish(self._similarities(self.X_fit_))

    def leave_one_out_votes(self) -> DenseVotes | SparseVotes | RowBlocks:
        """The votes of the others, ``(n, n)``, diagonal zero; normalised without the row itself."""
        check_is_fitted(self)
        if is_divided(self.X_fit_):
            return self._divided_votes(leave_one_out=True)
        return self._finish(remove_diagonal(self._similarities(self.X_fit_)))

    def votes(self, X: Any) -> DenseVotes | SparseVotes:
        """``alpha`` at new inputs ``(q, d)``, or from similarities ``(q, n)``."""
        X = query_inputs(self, X, square=self._square)
        if is_divided(self.X_fit_):
            at_queries: SparseVotes = self.index_.votes(X)
            return at_queries
        return self._finish(self._similarities(X))

    def _divided_votes(self, leave_one_out: bool) -> RowBlocks:
        votes: RowBlocks = self.index_.training_votes(leave_one_out)
        return votes

    @property
    def undivided(self) -> str:
        """What needs all rows in one array, and what to use instead; empty for nothing."""
        if self._compact:
            return ""
        return (
            f"kernel={self.kernel!r} compares every row with every other one. Use "
            "kernel='epanechnikov', whose votes end at the bandwidth, or NystromWeights"
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = bool(self._square)
        tags.input_tags.sparse = True
        return tags

    @property
    def _square(self) -> str:
        precomputed = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return "similarities" if precomputed else ""

    @property
    def _compact(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel in COMPACT

    def _similarities(self, X: Any) -> Any:
        """``w_j k(x, x_j)``, a new array or csr_array."""
        if self._square:
            return scale_columns(X, self.sample_weight_)
        similarity = Similarity(self.kernel, self.bandwidth_)
        if self.index_ is not None:
            found = near_similarities(_NAME, self.index_, X, similarity)
            return scale_columns(found, self.sample_weight_)
        q, n = X.shape[0], self.sample_weight_.size
        require_bytes(
            2 * 8.0 * q * n,
            f"{_NAME} between {q} inputs and {n} rows",
            "Use kernel='box' or 'epanechnikov', or NeighborWeights, whose votes are sparse.",
        )
        alpha = similarity(X, self.X_fit_)
        alpha *= self.sample_weight_
        return alpha

    def _finish(self, alpha: Any) -> DenseVotes | SparseVotes:
        if self.normalize:
            alpha = normalize_rows(alpha)
        return SparseVotes(alpha) if sp.issparse(alpha) else DenseVotes(alpha)
