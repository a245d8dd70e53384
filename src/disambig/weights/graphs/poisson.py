"""Poisson learning for few informed rows, on a graph of neighbours: `PoissonWeights`."""

import copy
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.exceptions import warn
from disambig.memory import require_bytes
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.parameters import check_flag, check_jobs
from disambig.votes.dense import DenseVotes
from disambig.votes.entries import normalize_rows
from disambig.votes.sparse import SparseVotes
from disambig.weights.graphs.graph import LinkedInputs, check_link_parameters
from disambig.weights.graphs.potentials import potentials
from disambig.weights.inputs import checked_sample_weight, query_inputs, training_inputs
from disambig.weights.protocol import informed_rows

_NAME = "PoissonWeights"
# Votes of an informed row in its whole part of the graph, as a share of 1 / (weight of the part).
# Potentials far from a source are of that order or more, so this decides only where they are zero.
_CONSTANT_SHARE = 0.01
# Smallest weight of a link relative to the degree of either end; smaller links are removed. The
# potential would jump so much across them that other differences drown in rounding errors.
_MIN_RELATIVE_LINK = 1e-6
# Smallest weight of the other rows, relative to that of all, that a difference gives accurately.
_MIN_RELATIVE_REST = 1e-6


class PoissonWeights(BaseEstimator):
    """``alpha @ y = u`` with ``L u = sum_j w_j (y_j - mean(y)) e_j`` and ``sum_i d_i u_i = 0``.

    Poisson learning (Calder, Cook, Thorpe and Slepcev, 2020), for very few labels. The targets of
    informed rows j are sources of a flow along a graph of nearest neighbours, with Laplacian
    ``L = D - G``; their mean over the informed rows is subtracted, so that the sources sum to zero,
    and u is the potential. With one label for each class, label propagation gives nearly all rows
    nearly the same scores; potentials still differ. Votes are signed, and rows sum to zero.

    Only informed rows vote. `PartialLabelClassifier` and `disambiguate` pass them with
    ``method="average"``, which is Poisson learning, and ``method="infimum"``. With
    ``method="disambiguation"``, and in other estimators, all rows vote, because all targets are
    recovered; alpha is then a full ``(n, n)`` array. `informed_only` changes this.

    Parameters
    ----------
    n_neighbors, affinity, bandwidth, metric, solver, n_jobs
        The graph and how to solve on it: see `LaplacianWeights`.
    informed_only : bool, default=False
        Whether only informed rows vote with ``method="disambiguation"`` of
        `PartialLabelClassifier`, too.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`.

    Attributes
    ----------
    informed_ : (m,)
        The rows that vote, ascending.
    table_ : float64, (N, m)
        Their votes at each distinct input.
    node_ : int, (n,)
        The distinct input (node) of each training row.
    components_ : int, (n,)
        The connected part of the graph in which each training row lies.
    graph_ : csr_array, (N, N)
        The links between distinct inputs.
    links_ : LinkedInputs
        The graph, with the index that finds the neighbours of new inputs.
    sample_weight_ : float64, (n,)
    n_features_in_ : int

    Notes
    -----
    Memory and time are those of m solutions on the graph, with m the number of distinct informed
    inputs.

    *Several connected parts* are separate problems, each with the mean of its own informed rows. If
    these are all of one class, the potential is zero; therefore every informed row adds 0.01
    divided by the weight of its part to its votes there. This is far below the differences of
    potentials and decides only where they are zero. (A connected graph does not need it.) A part
    without informed rows has no votes; `fit_informed` warns with the number of its rows. Links with
    less than a millionth of the degree of either end, as with a small `bandwidth`, are removed.

    *New inputs* have the mean of the votes of their nearest inputs, in proportion to the
    affinities. Equal inputs are one node of the graph; ``sample_weight`` w means w copies, in
    sources and links.

    *Leave-one-out* votes are those without the row as a source; it stays a node of the graph.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [2.0], [3.0], [5.0]])
    >>> weights = PoissonWeights(1, affinity="binary")
    >>> weights.fit_informed(X, informed=np.array([True, False, False, True]))
    PoissonWeights(affinity='binary', n_neighbors=1)
    >>> (weights.training_votes() @ np.array([1.0, 0.0, 0.0, 0.0])).round(2)
    array([ 1.25,  0.25, -0.25, -1.25])

    With an estimator:

    >>> from disambig import PartialLabelClassifier
    >>> model = PartialLabelClassifier(PoissonWeights(1), method="average", unlabeled=-1)
    >>> model.fit(X, [0, -1, -1, 1]).labels_
    array([0, 0, 1, 1])
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        affinity: str = "gaussian",
        bandwidth: float | str = "local",
        metric: str = "euclidean",
        solver: str = "auto",
        informed_only: bool = False,
        leave_one_out: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.bandwidth = bandwidth
        self.metric = metric
        self.solver = solver
        self.informed_only = informed_only
        self.leave_one_out = leave_one_out
        self.n_jobs = n_jobs

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Link the training inputs ``(n, d)``, or those whose distances ``(n, n)`` are given.

        Every row votes.
        """
        return self.fit_informed(X, sample_weight)

    def fit_informed(
        self,
        X: Any,
        sample_weight: FloatArray | None = None,
        informed: BoolArray | None = None,
    ) -> Self:
        """`fit` where only the rows in ``informed``, bool ``(n,)``, vote.

        Warns
        -----
        UserWarning
            If parts of the graph have no informed row; names how many rows lie in them.
        """
        check_link_parameters(self)
        check_flag(_NAME, "informed_only", self.informed_only)
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        check_jobs(_NAME, self.n_jobs)
        X = training_inputs(self, X, square=self._square)
        self.sample_weight_ = checked_sample_weight(_NAME, sample_weight, X.shape[0])
        self.X_fit_ = X
        self.links_ = LinkedInputs.build(self, X, self.sample_weight_)
        self.node_ = self.links_.node
        self.graph_ = _without_weak_links(self.links_.graph)
        self._parts = connected_components(self.graph_, directed=False)[1].astype(np.intp)
        self.components_ = self._parts[self.node_]
        self.informed_ = informed_rows(_NAME, informed, X.shape[0])
        self._added = np.zeros(X.shape[0])
        self._warn_of_parts_without_votes()
        self.table_ = self._table(self._parts)
        return self

    def at_informed(self, informed: BoolArray) -> Self:
        """A fitted copy on the same graph in which only the rows in ``informed`` vote.

        Parameters
        ----------
        informed : bool array (n,)
        """
        check_is_fitted(self)
        other = copy.copy(self)
        other.informed_ = informed_rows(_NAME, informed, self.node_.size)
        other.table_ = other._table(self._parts)
        return other

    def with_constants(self, constants: FloatArray) -> Self:
        """A fitted copy in which row j adds ``constants[j]`` to its votes in its whole part.

        Potentials are unique up to such constants.

        Parameters
        ----------
        constants : float array (n,)
        """
        other = copy.copy(self)
        other._added = constants
        rows = self.informed_
        change = constants[rows] - self._added[rows]
        other.table_ = self.table_ + self._in_own_part(self._parts, rows, change)
        return other

    def training_votes(self) -> DenseVotes | SparseVotes:
        """``alpha`` at the training inputs, ``(n, n)``; without own votes if `leave_one_out`."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self._votes(self.table_[self.node_])

    def leave_one_out_votes(self) -> DenseVotes | SparseVotes:
        """``alpha`` at each training input as if its target were unknown, ``(n, n)``."""
        check_is_fitted(self)
        rows, columns = self.informed_, np.arange(self.informed_.size)
        part, sample_weight = self.components_[rows], self.sample_weight_[rows]
        rest = _weight_of_others(sample_weight, part)
        counts = np.bincount(part)[part]
        table = self.table_[self.node_]
        # The sink that balanced row i moves to the other sources of its part, by their weights.
        own = table[rows, columns] - self._constant(rows)
        moved = np.where(counts > 1, own / np.where(counts > 1, rest, 1.0), 0.0)
        table[rows] += np.where(part[:, None] == part, np.multiply.outer(moved, sample_weight), 0.0)
        table[rows, columns] = 0.0
        return self._votes(table)

    def votes(self, X: Any) -> DenseVotes | SparseVotes:
        """``alpha`` at new inputs ``(q, d)``, or from distances ``(q, n)``."""
        X = query_inputs(self, X, square=self._square)
        return self._votes(self.links_.joined(X, normalize_rows) @ self.table_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = bool(self._square)
        tags.input_tags.sparse = True
        return tags

    @property
    def _square(self) -> str:
        metric: Any = self.metric
        is_given = isinstance(metric, str) and metric == "precomputed"
        return "distances" if is_given else ""

    def _warn_of_parts_without_votes(self) -> None:
        without_votes = ~np.isin(self.components_, self.components_[self.informed_])
        if without_votes.any():
            warn(
                f"{_NAME}: {np.count_nonzero(without_votes)} of {without_votes.size} rows lie in "
                "parts of the graph without an informed row "
                f"({np.unique(self.components_[without_votes]).size} such parts) and have no "
                "votes. Use more neighbours, or label a row of each part.",
                UserWarning,
            )

    def _table(self, parts: IntArray) -> FloatArray:
        graph, total = self.graph_, float(self.links_.sample_weight.sum())
        # Scaled to mean degree one, so that the scale of votes does not depend on that of X.
        volume = float(graph.sum())
        graph = graph * (total / volume) if volume > 0 else graph
        rows = self.informed_
        nodes, place = np.unique(self.node_[rows], return_inverse=True)
        table = np.ascontiguousarray(potentials(graph, parts, nodes, self.solver)[:, place])
        # The potential of source j has a sink that is spread by degrees. The sinks of all sources
        # of a part are moved to the sources.
        sample_weight, part = self.sample_weight_[rows], self.components_[rows]
        shares = sample_weight / np.bincount(part, weights=sample_weight)[part]
        count = int(parts.max(initial=-1)) + 1
        spread = sp.csr_array((shares, (np.arange(rows.size), part)), shape=(rows.size, count))
        table -= (table @ spread)[:, part]
        table *= sample_weight
        table += self._in_own_part(parts, rows, self._constant(rows))
        return table

    def _in_own_part(self, parts: IntArray, rows: IntArray, values: FloatArray) -> FloatArray:
        """The values of rows at all nodes of their parts, ``(N, m)``."""
        return np.where(parts[:, None] == self.components_[rows], values, 0.0)

    def _constant(self, rows: IntArray) -> FloatArray:
        """What each informed row votes for in its whole part, beside the potential."""
        weights = np.bincount(self.components_, weights=self.sample_weight_)
        several = weights.size > 1
        constant: FloatArray = (
            _CONSTANT_SHARE * self.sample_weight_[rows] / weights[self.components_[rows]] * several
        )
        return constant + self._added[rows]

    def _votes(self, table: FloatArray) -> DenseVotes | SparseVotes:
        """Votes ``(q, n)`` of all rows from those of the informed rows, ``(q, m)``."""
        q, n = table.shape[0], self.node_.size
        if self.informed_.size == n:
            return DenseVotes(table)
        m = self.informed_.size
        require_bytes(
            12.0 * q * m,
            f"{_NAME} between {q} inputs and {m} rows",
            "Predict fewer inputs at a time.",
        )
        indptr = np.arange(0, q * m + 1, m, dtype=np.int64) if m else np.zeros(q + 1, np.int64)
        indices = np.tile(self.informed_, q)
        matrix = sp.csr_array((table.ravel(), indices, indptr), shape=(q, n))
        matrix.eliminate_zeros()
        return SparseVotes(matrix)


def _weight_of_others(sample_weight: FloatArray, part: IntArray) -> FloatArray:
    """The total weight of the other rows of the same part, ``(m,)``."""
    totals = np.bincount(part, weights=sample_weight)[part]
    rest: FloatArray = totals - sample_weight
    # Where one row has nearly all the weight, the difference has only rounding errors.
    dominating = rest < _MIN_RELATIVE_REST * totals
    if dominating.any():
        light = np.bincount(part, weights=np.where(dominating, 0.0, sample_weight))
        rest[dominating] = light[part[dominating]]
    return rest


def _without_weak_links(graph: sp.csr_array) -> sp.csr_array:
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    rows = np.repeat(np.arange(degrees.size), np.diff(graph.indptr))
    strong = graph.data >= _MIN_RELATIVE_LINK * np.minimum(degrees[rows], degrees[graph.indices])
    if strong.all():
        return graph
    kept = (graph.data[strong], (rows[strong], graph.indices[strong]))
    return sp.csr_array(kept, shape=graph.shape)
