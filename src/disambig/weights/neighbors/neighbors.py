"""`NeighborWeights`: votes of the nearest neighbours."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.compiled.nearest import NEGLIGIBLE_PART
from disambig.exceptions import VotesError, warn
from disambig.notation import AnyArray, FloatArray
from disambig.parameters import check_choice, check_flag, check_integer, check_jobs, check_number
from disambig.votes.row_blocks import RowBlocks
from disambig.votes.sparse import SparseVotes
from disambig.weights.divided.neighbors import index_of, readable_rows, undivided_option
from disambig.weights.divided.rows import DividedRows, is_divided
from disambig.weights.inputs import (
    checked_sample_weight,
    query_inputs,
    training_inputs,
    weight_advice,
)
from disambig.weights.neighbors.approximate import load_faiss, search_with_recall
from disambig.weights.neighbors.euclidean import EuclideanIndex
from disambig.weights.neighbors.lists import (
    MAX_ADAPTIVE_FACTOR,
    VOTES,
    LocalRadius,
    NeighborIndex,
    NeighborLists,
    nearest_lists,
    vote_strength,
)
from disambig.weights.neighbors.metric import MetricIndex, check_distances, listed_neighbors
from disambig.weights.neighbors.missing import MissingIndex

_NAME = "NeighborWeights"
_ALGORITHMS = ("auto", "ball_tree", "kd_tree", "brute", "approximate")
# Up to so many rows an exact search takes less time than building an approximate index.
_MAX_EXACT_ROWS = 2000


class NeighborWeights(BaseEstimator):
    """``alpha[i, j] = 1 / k`` if j is among the k training rows nearest to input i, else 0.

    Neighbours are ordered by (distance, index): of equal distances the earlier row is nearer, and
    the result depends neither on threads nor on which rows are searched together. A training row is
    its own neighbour at distance 0; it is the first one unless an earlier row equals it. At a
    training row, `votes` equal the training votes. Euclidean distances are compared as sums of
    squared differences in double precision, for every `algorithm`. Inputs in single precision are
    kept and searched as they are.

    The training rows are searched once, when votes are first needed: training votes and
    leave-one-out votes follow from the same lists.

    Parameters
    ----------
    n_neighbors : int, default=10
        k >= 1. With ``sample_weight``, k is a total weight: rows are taken in order until their
        weights sum to k, the last one clipped (a rest below ``1e-9 k`` is rounding and is dropped),
        and ``alpha[i, j]`` is the share of j in the weight taken. Integer weights thus equal
        repeated rows. If the weights of all training rows sum to less than k, all rows vote.
    metric : str or callable, default="euclidean"
        Any metric of `sklearn.neighbors.NearestNeighbors`. "nan_euclidean" reads NaN: it compares
        the columns that both rows have, and rows without such a column are no neighbours, even if
        fewer than k are left; all pairs are compared. "precomputed": X holds distances,
        ``(n, n)`` in `fit` and ``(q, n)`` in `votes`, as an array or as a sparse graph in which a
        missing entry is no neighbour and a stored 0 is a distance 0 (the graphs of
        `sklearn.neighbors.KNeighborsTransformer` store the diagonal). "seuclidean" and
        "mahalanobis" need their matrix in `metric_params`.
    metric_params : dict, default=None
        Further parameters of the metric.
    algorithm : {"auto", "ball_tree", "kd_tree", "brute", "approximate"}, default="auto"
        How candidates are found; the votes do not depend on it (up to the rounding of the
        distances, for metrics other than the euclidean), except for "approximate". Must be "auto"
        or "brute" for sparse X and "auto" for precomputed distances. For the euclidean distance
        "auto" is a tree of boxes up to 8 features and "brute" beyond: matrix products that skip
        groups of rows that are too far. "approximate" is for many rows under the euclidean
        distance; it visits only cells near the input, needs faiss
        (``pip install 'disambig[approximate]'``), and is never chosen by "auto". Its candidates
        are ordered by exact distances. Up to 2000 rows it is exact.
    vote : {"uniform", "distance", "gaussian"} or callable, default="uniform"
        Weights of the votes of the k rows, before they are scaled to sum to one. With d the
        distance: "distance" ``1 / d``; if neighbours are at distance 0, only these vote, equally.
        "gaussian" ``exp(-4 d^2 / r^2)``, with r the distance of the farthest of the k. A function
        of an array of distances ``(pairs,)`` that returns weights >= 0 of that shape; an input has
        no votes if all are 0. Use "distance" only with ``leave_one_out=True``: a training row is at
        distance 0 from itself, so that otherwise only the row and its copies vote.
    adaptive : bool, default=False
        Whether k follows the density: at input i ``k (r / r_i)^(4 d / (d + 4))`` rows vote, no less
        than k / 2 and no more than 2 k, the last one clipped. r_i is the distance to its k-th
        neighbour, r the median of those of the training rows, and d the intrinsic dimension
        (``reach_``; leave-one-out votes keep r and d). Inputs in the tails then have fewer
        neighbours, those in dense regions more.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`: the k nearest *others*. A row is left
        out whatever its sample weight; an equal row is another row.
    min_recall : float, default=0.99
        For ``algorithm="approximate"``: the part of the true neighbours that must be found for a
        random sample of 500 training rows. As many cells are visited as that needs; if it needs
        more than an eighth of them, the search is exact, with a warning.
    random_state : int, RandomState or None, default=0
        For ``algorithm="approximate"``: seed of the sample and of the cells.
    n_jobs : int, default=None
        Threads of the search; the result does not depend on it. None: as many as the linear
        algebra library may use, but one for scikit-learn's trees.

    Attributes
    ----------
    sample_weight_ : float64, (n,)
        Weight of each training row.
    index_ : object or None
        The index that is searched; None for precomputed distances.
    recall_ : float
        Part of the true neighbours that the search finds: an estimate on a sample for an
        approximate search, 1.0 for an exact one.
    neighbors_ : NeighborLists or None
        The neighbours of the training rows in order; None until they are first needed.
    reach_ : LocalRadius or None
        If `adaptive`, the scale of k; None until it is first needed.
    n_neighbors_ : int
        k in the last `fit`.
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
        vote: Any = "uniform",
        adaptive: bool = False,
        leave_one_out: bool = False,
        min_recall: float = 0.99,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.metric_params = metric_params
        self.algorithm = algorithm
        self.vote = vote
        self.adaptive = adaptive
        self.leave_one_out = leave_one_out
        self.min_recall = min_recall
        self.random_state = random_state
        self.n_jobs = n_jobs

    undivided = property(undivided_option)

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Index the training inputs ``(n, d)``, or keep the distances ``(n, n)``."""
        self._check_parameters()
        X = readable_rows(self, X, sample_weight)
        if is_divided(X):
            return self._fit_divided(X, sample_weight)
        X = self._as_numbers(self._read(training_inputs, X))
        self.sample_weight_ = checked_sample_weight(_NAME, sample_weight, X.shape[0])
        # Kept, because set_params may change the parameters after the fit.
        self.n_neighbors_, self._adaptive_ = int(self.n_neighbors), bool(self.adaptive)
        self._squares_ = self._euclidean and self.metric != "sqeuclidean"
        self.X_fit_, self.recall_ = X, 1.0
        self.neighbors_: NeighborLists | None = None
        self.reach_: LocalRadius | None = None
        self.index_: Any = self._build(X)
        self._warn_if_too_many()
        return self

    def _fit_divided(self, X: DividedRows, sample_weight: FloatArray | None) -> Self:
        self.sample_weight_ = checked_sample_weight(_NAME, sample_weight, X.shape[0])
        self.X_fit_ = training_inputs(self, X)
        self.n_neighbors_, self._adaptive_, self._squares_ = int(self.n_neighbors), False, True
        self.neighbors_, self.reach_, self.recall_ = None, None, 1.0
        self.index_ = index_of(X, self.n_neighbors_, self.vote)
        return self

    def training_votes(self) -> SparseVotes | RowBlocks:
        """``alpha`` at the training inputs, ``(n, n)``; without own votes if `leave_one_out`."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        if is_divided(self.X_fit_):
            return self._divided_votes(leave_one_out=False)
        lists = self._training_lists()
        return self._votes(lists, np.full(lists.q, -1, dtype=np.int64), warn_if_short=True)

    def leave_one_out_votes(self) -> SparseVotes | RowBlocks:
        """The votes of the k nearest others, ``(n, n)``, diagonal zero."""
        check_is_fitted(self)
        if is_divided(self.X_fit_):
            return self._divided_votes(leave_one_out=True)
        lists = self._training_lists()
        # Without itself a row may list one neighbour too few; the user is warned only if
        # leave-one-out votes were requested by the parameter.
        own = np.arange(lists.q, dtype=np.int64)
        return self._votes(lists, own, warn_if_short=self.leave_one_out)

    def votes(self, X: Any) -> SparseVotes:
        """``alpha`` at new inputs ``(q, d)``, or from distances ``(q, n)``."""
        X = self._as_numbers(self._read(query_inputs, X))
        if is_divided(self.X_fit_):
            at_queries: SparseVotes = self.index_.votes(X)
            return at_queries
        if self.index_ is None:
            check_distances(X)
        no_row = np.full(X.shape[0], -1, dtype=np.int64)
        return self._votes(self._lists(X, no_row), no_row, warn_if_short=True)

    def _divided_votes(self, leave_one_out: bool) -> RowBlocks:
        votes: RowBlocks = self.index_.training_votes(leave_one_out)
        return votes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.sparse = not self._skips_missing
        tags.input_tags.allow_nan = self._skips_missing
        return tags

    def _read(self, read: Any, X: Any) -> Any:
        skips = self._skips_missing
        if skips and sp.issparse(X):
            raise VotesError(
                f"{_NAME}: metric='nan_euclidean' reads dense X; got a sparse matrix. Pass an "
                "array, or use metric='euclidean'."
            )
        return read(self, X, square=self._square, dtype=self._dtype, missing=skips)

    @property
    def _skips_missing(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "nan_euclidean"

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _square(self) -> str:
        return "distances" if self._precomputed else ""

    @property
    def _dtype(self) -> Any:
        return [np.float64, np.float32] if self._euclidean or self._precomputed else "numeric"

    def _as_numbers(self, X: Any) -> Any:
        # Metrics of boolean vectors warn when they convert numbers, so booleans stay booleans.
        if self._euclidean or self._precomputed or X.dtype == np.bool_:
            return X
        return X.astype(np.float64, copy=False)

    @property
    def _euclidean(self) -> bool:
        if not isinstance(self.metric, str):
            return False
        # Squared distances have the same neighbours.
        plain = self.metric in ("euclidean", "l2", "sqeuclidean") and not self.metric_params
        return plain or (self.metric == "minkowski" and self.metric_params in (None, {}, {"p": 2}))

    def _check_parameters(self) -> None:
        check_integer(_NAME, "n_neighbors", self.n_neighbors, least=1)
        check_choice(_NAME, "algorithm", self.algorithm, _ALGORITHMS)
        if not callable(self.vote):
            check_choice(_NAME, "vote", self.vote, VOTES, "or a function of distances")
        check_flag(_NAME, "adaptive", self.adaptive)
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        check_jobs(_NAME, self.n_jobs)
        check_number(_NAME, "min_recall", self.min_recall, positive=True, most=1)

    def _build(self, X: Any) -> NeighborIndex | MissingIndex | None:
        if self._precomputed:
            if self.algorithm != "auto" or self.metric_params:
                raise ValueError(
                    f"{_NAME}: with metric='precomputed' no distance is computed; leave algorithm "
                    f"at 'auto' and metric_params at None. Got "
                    f"algorithm={self.algorithm!r}, metric_params={self.metric_params!r}."
                )
            check_distances(X)
            return None
        if sp.issparse(X) and self.algorithm not in ("auto", "brute"):
            raise ValueError(
                f"{_NAME}: algorithm={self.algorithm!r} cannot index sparse X. Use 'auto' or "
                "'brute', or pass a dense array."
            )
        if self.algorithm == "approximate":
            return self._build_approximate(X)
        if self._skips_missing:
            if self.algorithm not in ("auto", "brute") or self.metric_params:
                raise ValueError(
                    f"{_NAME}: with metric='nan_euclidean' all rows are compared, and it has no "
                    "parameters; leave algorithm at 'auto' and metric_params at None. Got "
                    f"algorithm={self.algorithm!r}, metric_params={self.metric_params!r}."
                )
            return MissingIndex.of(X)
        if self._euclidean:
            return EuclideanIndex.build(X, algorithm=self.algorithm, n_jobs=self.n_jobs)
        return MetricIndex.build(
            X,
            metric=self.metric,
            metric_params=self.metric_params,
            algorithm=self.algorithm,
            n_jobs=self.n_jobs,
        )

    def _build_approximate(self, X: Any) -> NeighborIndex:
        if not self._euclidean:
            raise ValueError(
                f"{_NAME}: algorithm='approximate' searches by euclidean distance; got metric="
                f"{self.metric!r}. Use algorithm='auto'."
            )
        load_faiss()
        if X.shape[0] <= _MAX_EXACT_ROWS:
            return EuclideanIndex.build(X, n_jobs=self.n_jobs)
        index, self.recall_ = search_with_recall(
            X,
            self.sample_weight_,
            self._wanted_weight,
            min_recall=float(self.min_recall),
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        return index

    def _warn_if_too_many(self) -> None:
        n, total = self.sample_weight_.size, float(self.sample_weight_.sum())
        others = total - float(self.sample_weight_.max()) if self.leave_one_out else total
        # Sums of fractional weights have rounding errors.
        if self.n_neighbors > others * (1.0 + 1e-9):
            of_weight = "" if total == n else f" of total weight {total:g}"
            advice = weight_advice(total, n)
            voting_rows = "all other rows vote" if self.leave_one_out else "all rows vote"
            warn(
                f"{_NAME}: n_neighbors={self.n_neighbors} is more than the {n} training rows"
                f"{of_weight} can provide: {voting_rows}, each by its weight.{advice}",
                UserWarning,
            )

    @property
    def _wanted_weight(self) -> float:
        """The total weight of others that lists must hold."""
        return self.n_neighbors_ * (MAX_ADAPTIVE_FACTOR if self._adaptive_ else 1.0)

    def _lists(self, X: Any, own: AnyArray) -> NeighborLists:
        if self.index_ is None:
            return listed_neighbors(X, self.sample_weight_, self._wanted_weight, own)
        if isinstance(self.index_, MissingIndex):
            return self.index_.lists(X, self.sample_weight_, self._wanted_weight, own)
        return nearest_lists(self.index_, X, self.sample_weight_, self._wanted_weight, own)

    def _training_lists(self) -> NeighborLists:
        if self.neighbors_ is None:
            own = np.arange(self.sample_weight_.size, dtype=np.int64)
            self.neighbors_ = self._lists(self.X_fit_, own)
        return self.neighbors_

    def _distances(self, lists: NeighborLists) -> FloatArray:
        # The euclidean index lists squared distances.
        return np.sqrt(lists.distances) if self._squares_ else lists.distances

    def _local_radius(self) -> LocalRadius:
        if self.reach_ is None:
            lists = self._training_lists()
            self.reach_ = LocalRadius.learn(
                lists, self._distances(lists), self.sample_weight_, float(self.n_neighbors_)
            )
        return self.reach_

    def _votes(self, lists: NeighborLists, absent: AnyArray, *, warn_if_short: bool) -> SparseVotes:
        wanted = np.full(lists.q, float(self.n_neighbors_))
        distances = self._distances(lists)
        if self._adaptive_:
            wanted = self._local_radius().wanted_weights(
                lists, distances, self.sample_weight_, absent
            )
        taken = lists.taken(self.sample_weight_, wanted, absent)
        if warn_if_short and sp.issparse(self.X_fit_) and self.index_ is None:
            short = lists.row_sums(taken) < wanted * (1.0 - 2.0 * NEGLIGIBLE_PART)
            if short.any():
                self._warn_short_rows(int(short.sum()))
        return SparseVotes(lists.normalized(vote_strength(self.vote, lists, distances, taken)))

    def _warn_short_rows(self, count: int) -> None:
        adaptive = f", up to {self._wanted_weight:g} since adaptive=True" if self._adaptive_ else ""
        warn(
            f"{_NAME}: {count} rows of the graph of distances store fewer neighbours than "
            f"n_neighbors={self.n_neighbors_}{adaptive}. There, all stored neighbours vote.",
            UserWarning,
        )
