"""Votes of the nearest neighbours."""

import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.notation import AnyArray, FloatArray
from disambig.votes import SparseVotes
from disambig.weights.distances import check_distances, listed_shares
from disambig.weights.euclidean import EuclideanIndex
from disambig.weights.inputs import query_inputs, training_inputs
from disambig.weights.masses import row_masses
from disambig.weights.metric import MetricIndex
from disambig.weights.nearest import nearest_shares
from disambig.weights.parameters import check_choice, check_flag, check_integer

__all__ = ["NeighborWeights"]

_NAME = "NeighborWeights"
_ALGORITHMS = ("auto", "ball_tree", "kd_tree", "brute")


class NeighborWeights(BaseEstimator):
    """``alpha[i, j] = 1 / k`` if j is among the k training rows nearest to input i, else 0.

    Neighbours are ordered by (distance, index), so equal distances go to the earlier row and
    the result depends neither on threads nor on which rows are asked for together. A training
    row is its own neighbour at distance 0; it is the first one unless an earlier row equals it.
    At a training row new votes are the training votes. Under the euclidean distance, distances
    are compared as sums of squared differences in double precision, for every `algorithm`.

    Parameters
    ----------
    n_neighbors : int, default=10
        k >= 1. With ``sample_weight``, k counts mass: rows are taken in order until their weights
        sum to k, the last one clipped (what is left to clip below ``1e-9 k`` is rounding and is
        dropped), and ``alpha[i, j]`` is the part of j in the mass taken. Integer weights thus
        equal repeated rows. If the whole training set weighs less than k, all rows vote.
    metric : str or callable, default="euclidean"
        Any metric of `sklearn.neighbors.NearestNeighbors`. "precomputed": X holds distances,
        ``(n, n)`` in `fit` and ``(q, n)`` in `votes`, as an array or as a sparse graph in which a
        missing entry is nobody's neighbour and a stored 0 is a distance 0 (the graphs of
        `sklearn.neighbors.KNeighborsTransformer` store the diagonal). "seuclidean" and
        "mahalanobis" need their matrix in `metric_params`.
    metric_params : dict, default=None
        More parameters of the metric.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute"}, default="auto"
        How candidates are found; the votes do not depend on it (up to the rounding of the
        distances, for metrics other than the euclidean). Must be "auto" or "brute" for sparse X and
        "auto" for precomputed distances.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`: the k nearest *others*. A row is left
        out as a whole, whatever it weighs; an equal row is another row.
    n_jobs : int, default=None
        Threads of scikit-learn's tree search.

    Attributes
    ----------
    masses_ : float64, (n,)
        Weight of each training row.
    index_ : object or None
        What is searched; None for precomputed distances.
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> NeighborWeights(n_neighbors=2).fit(X).training_votes().matrix.toarray()
    array([[0.5, 0.5, 0. ],
           [0.5, 0.5, 0. ],
           [0. , 0.5, 0.5]])
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        algorithm: str = "auto",
        leave_one_out: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.metric_params = metric_params
        self.algorithm = algorithm
        self.leave_one_out = leave_one_out
        self.n_jobs = n_jobs

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Index the training inputs ``(n, d)``, or keep the distances ``(n, n)``."""
        check_integer(_NAME, "n_neighbors", self.n_neighbors, least=1)
        check_choice(_NAME, "algorithm", self.algorithm, _ALGORITHMS)
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        X = self._as_numbers(training_inputs(self, X, square=self._square, dtype=self._dtype))
        self.masses_ = row_masses(_NAME, sample_weight, X.shape[0])
        self.X_fit_ = X
        self.index_ = self._build(X)
        self._warn_if_too_many()
        return self

    def training_votes(self) -> SparseVotes:
        """``alpha`` at the training inputs, ``(n, n)``; leave-one-out if the piece says so."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self._votes(self.X_fit_, np.full(self.X_fit_.shape[0], -1, dtype=np.int64))

    def leave_one_out_votes(self) -> SparseVotes:
        """The votes of the k nearest others, ``(n, n)``, diagonal zero."""
        check_is_fitted(self)
        return self._votes(self.X_fit_, np.arange(self.X_fit_.shape[0], dtype=np.int64))

    def votes(self, X: Any) -> SparseVotes:
        """``alpha`` at new inputs ``(q, d)``, or from distances ``(q, n)``."""
        X = self._as_numbers(query_inputs(self, X, square=self._square, dtype=self._dtype))
        if self.index_ is None:
            check_distances(X)
        return self._votes(X, np.full(X.shape[0], -1, dtype=np.int64))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.sparse = True
        return tags

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _square(self) -> str:
        return "distances" if self._precomputed else ""

    @property
    def _dtype(self) -> Any:
        return np.float64 if self._euclidean or self._precomputed else "numeric"

    def _as_numbers(self, X: Any) -> Any:
        # Metrics between sets of bits warn if they have to make bits of numbers: bits stay bits.
        return X if X.dtype == np.bool_ else X.astype(np.float64, copy=False)

    @property
    def _euclidean(self) -> bool:
        if not isinstance(self.metric, str):
            return False
        # The square has the same neighbours.
        plain = self.metric in ("euclidean", "l2", "sqeuclidean") and not self.metric_params
        return plain or (self.metric == "minkowski" and self.metric_params in (None, {}, {"p": 2}))

    def _build(self, X: Any) -> EuclideanIndex | MetricIndex | None:
        if self._precomputed:
            if self.algorithm != "auto" or self.metric_params:
                raise ValueError(
                    f"{_NAME}: with metric='precomputed' nothing is searched and no distance is "
                    f"computed; leave algorithm at 'auto' and metric_params at None. Got "
                    f"algorithm={self.algorithm!r}, metric_params={self.metric_params!r}."
                )
            check_distances(X)
            return None
        if sp.issparse(X) and self.algorithm not in ("auto", "brute"):
            raise ValueError(
                f"{_NAME}: algorithm={self.algorithm!r} cannot index sparse X. Use 'auto' or "
                "'brute', or pass a dense array."
            )
        if self._euclidean:
            return EuclideanIndex.build(X, algorithm=self.algorithm, n_jobs=self.n_jobs)
        return MetricIndex.build(
            X,
            metric=self.metric,
            metric_params=self.metric_params,
            algorithm=self.algorithm,
            n_jobs=self.n_jobs,
        )

    def _warn_if_too_many(self) -> None:
        n, total = self.masses_.size, float(self.masses_.sum())
        others = total - float(self.masses_.max()) if self.leave_one_out else total
        # Sums of fractions are rounded.
        if self.n_neighbors > others * (1.0 + 1e-9):
            weigh = "" if total == n else f" of total weight {total:g}"
            whom = "all other rows vote" if self.leave_one_out else "all rows vote"
            warnings.warn(
                f"{_NAME}: n_neighbors={self.n_neighbors} is more than the {n} training rows"
                f"{weigh} can give: {whom}, each by its weight.",
                UserWarning,
                stacklevel=3,
            )

    def _votes(self, X: Any, own: AnyArray) -> SparseVotes:
        wanted = float(self.n_neighbors)
        if self.index_ is not None:
            return SparseVotes(nearest_shares(self.index_, X, self.masses_, wanted, own))
        shares, filled = listed_shares(X, self.masses_, wanted, own)
        # Without itself a row may list one too few; that is news only where it was asked for.
        expected = self.leave_one_out or (own < 0).all()
        if sp.issparse(X) and expected and not filled.all():
            self._warn_short_rows(int((~filled).sum()))
        return SparseVotes(shares)

    def _warn_short_rows(self, count: int) -> None:
        warnings.warn(
            f"{_NAME}: {count} rows of the graph of distances store fewer neighbours than "
            f"n_neighbors={self.n_neighbors}: there all that are stored vote.",
            UserWarning,
            stacklevel=4,
        )
