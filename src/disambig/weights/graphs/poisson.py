"""Potentials of point sources on a weighted graph: columns of the inverse of its Laplacian.

Votes of Poisson learning: few informed rows, heard along a graph of neighbours.
"""

import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.memory import require_bytes
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.parameters import check_flag
from disambig.votes import DenseVotes, SparseVotes
from disambig.votes.sparse_inverse import SparseInverse
from disambig.weights.graphs.graph import LinkedInputs, check_link_parameters
from disambig.weights.inputs import checked_sample_weight, query_inputs, training_inputs
from disambig.weights.normalization import normalize_rows
from disambig.weights.protocol import informed_rows

_BLOCK = 256
_NAME = "PoissonWeights"
# Potentials far from a source are of the order of 1 / (size of the part) or more, so that this
# part of it decides only where potentials do not.
_SECOND_OPINION = 0.01
# A link that carries less than this part of what either end carries is none: the potential would
# jump across it by so much that nothing else could be told in double precision.
_WEAKEST = 1e-6


def potentials(
    graph: sp.csr_array, parts: IntArray, sources: IntArray, method: str = "auto"
) -> FloatArray:
    """u of shape ``(N, r)`` with ``L u_j = e_j - c`` and ``c' u_j = 0``, zero outside of j's part.

    ``L = D - G`` is the Laplacian of the graph, which has no inverse: what flows in at the source j
    flows out everywhere in its part, by the degrees, ``c = d / sum(d)``. So the sums of L u match,
    and u is unique with mean zero by degree.

    Parameters
    ----------
    graph : csr_array, (N, N)
        G, symmetric, not negative, without diagonal.
    parts : (N,)
        The connected part of each node.
    sources : (r,)
        Nodes.
    method : {"auto", "direct", "iterative"}
        How to solve; see `SparseInverse`.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> path = sp.csr_array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    >>> potentials(path, np.zeros(3, dtype=int), np.array([0])).ravel()
    array([ 0.625, -0.125, -0.375])
    """
    size = parts.size
    require_bytes(
        8.0 * size * (sources.size + 4 * min(sources.size, _BLOCK)),
        f"The potentials of {sources.size} informed inputs at {size} inputs",
        "Poisson learning is for few of them (method='average'); use LaplacianWeights, which forms "
        "no table.",
    )
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    shares = _within(degrees, parts)
    grounds = np.unique(parts, return_index=True)[1]
    inverse = _inverse(graph, degrees, grounds, method)
    found = np.empty((size, sources.size))
    for start in range(0, sources.size, _BLOCK):
        chosen = sources[start : start + _BLOCK]
        columns = np.arange(chosen.size)
        together = parts[:, None] == parts[chosen]
        flow = np.where(together, -shares[:, None], 0.0)
        flow[chosen, columns] += 1.0
        if inverse.direct:
            flow[grounds] = 0.0
        block = inverse @ flow
        levels = np.einsum("ij,i->j", np.where(together, block, 0.0), shares)
        found[:, start : start + _BLOCK] = np.where(together, block - levels, 0.0)
    return found


def _within(degrees: FloatArray, parts: IntArray) -> FloatArray:
    """Degrees as shares of their part, ``(N,)``; one for a node without links."""
    sums = np.bincount(parts, weights=degrees)[parts]
    shares: FloatArray = np.where(sums > 0, degrees / np.where(sums > 0, sums, 1.0), 1.0)
    return shares


def _inverse(graph: Any, degrees: FloatArray, grounds: IntArray, method: str) -> SparseInverse:
    """Solves with L where sums match, up to a constant for each part.

    A factor needs an invertible matrix: the potential of the first node of each part is held at
    zero. Conjugate gradients keep to the space where L is invertible, and converge sooner there.
    """
    held = np.zeros(degrees.size, dtype=np.bool_)
    held[grounds] = True
    # Whatever is positive will do for nodes without links: their potential is zero.
    diagonal = np.where(degrees > 0, degrees, 1.0)
    if method != "iterative":
        rows = np.repeat(np.arange(degrees.size), np.diff(graph.indptr))
        free = ~(held[rows] | held[graph.indices])
        entries = (graph.data[free], (rows[free], graph.indices[free]))
        grounded = SparseInverse.build(
            _less(diagonal, sp.csr_array(entries, shape=graph.shape)), diagonal, method
        )
        if grounded.direct:
            return grounded
    return SparseInverse(_less(diagonal, graph), diagonal, direct=False)


def _less(diagonal: FloatArray, graph: Any) -> sp.csr_array:
    matrix = sp.csr_array(sp.diags(diagonal, format="csr") - graph)
    matrix.sort_indices()
    return matrix


class PoissonWeights(BaseEstimator):
    """``alpha @ y = u`` with ``L u = sum_j w_j (y_j - mean(y)) e_j`` and ``sum_i d_i u_i = 0``.

    Poisson learning (Calder, Cook, Thorpe and Slepcev, 2020), for very few labels. The targets of
    informed rows j are sources of a flow along a graph of nearest neighbours, with Laplacian
    ``L = D - G``; their mean over the informed rows is taken off, so that what flows in flows out,
    and u is the potential. Where label propagation with one label a class gives nearly all rows
    nearly the same scores, potentials still differ. Votes are signed, and rows sum to zero.

    Only informed rows vote. `PartialLabelClassifier` and `disambiguate` tell which they are, with
    ``method="average"``, which is Poisson learning, and ``method="infimum"``. With
    ``method="disambiguation"``, and in other estimators, all rows vote, for their targets are
    recovered; alpha is then a full ``(n, n)`` array.

    Parameters
    ----------
    n_neighbors, affinity, bandwidth, metric, solver, n_jobs
        The graph and how to solve on it: see `LaplacianWeights`.
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`.

    Attributes
    ----------
    informed_ : (m,)
        The rows that vote, ascending.
    table_ : float64, (N, m)
        What each distinct input hears of them.
    node_ : int, (n,)
        Which distinct input each training row is.
    components_ : int, (n,)
        The connected part of the graph in which each training row lies.
    graph_ : csr_array, (N, N)
        The links between distinct inputs.
    links_ : LinkedInputs
        The graph with what finds the neighbours of new inputs.
    sample_weight_ : float64, (n,)
    n_features_in_ : int

    Notes
    -----
    Memory and time are those of m solutions on the graph, with m the number of distinct informed
    inputs.

    *Several connected parts* are problems of their own, each with the mean of its own informed
    rows. Where these are all of one class, the potential is zero; therefore every informed row
    adds .01 over the weight of its part to its votes there, far below the differences of
    potentials: it decides where they do not. (On a connected graph it is left out.) In a part
    without informed rows nobody votes; `fit_informed` warns of how many rows that concerns. Links
    that carry less than a millionth of what either end carries, as with a small `bandwidth`, are
    left out.

    *New inputs* hear what their nearest inputs hear, in proportion to the affinities. Equal inputs
    are one node of the graph; ``sample_weight`` w means w copies, in sources and links alike.

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
        leave_one_out: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.bandwidth = bandwidth
        self.metric = metric
        self.solver = solver
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
        """The same where only some rows, ``informed`` ``(n,)``, vote.

        Warns
        -----
        UserWarning
            If parts of the graph have no informed row; names how many rows lie in them.
        """
        check_link_parameters(self)
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        X = training_inputs(self, X, square=self._square)
        self.sample_weight_ = checked_sample_weight(_NAME, sample_weight, X.shape[0])
        self.informed_ = informed_rows(_NAME, informed, X.shape[0])
        self.X_fit_ = X
        self.links_ = LinkedInputs.build(self, X, self.sample_weight_)
        self.node_ = self.links_.node
        self.graph_ = _without_weak_links(self.links_.graph)
        parts = connected_components(self.graph_, directed=False)[1].astype(np.intp)
        self.components_ = parts[self.node_]
        self._warn_of_silent_parts()
        self.table_ = self._table(parts)
        return self

    def training_votes(self) -> DenseVotes | SparseVotes:
        """``alpha`` at the training inputs, ``(n, n)``; leave-one-out if the piece says so."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self._votes(self.table_[self.node_])

    def leave_one_out_votes(self) -> DenseVotes | SparseVotes:
        """``alpha`` at each training input as if its target were unknown, ``(n, n)``."""
        check_is_fitted(self)
        rows, columns = self.informed_, np.arange(self.informed_.size)
        part, sample_weight = self.components_[rows], self.sample_weight_[rows]
        rest = np.bincount(part, weights=sample_weight)[part] - sample_weight
        counts = np.bincount(part)[part]
        table = self.table_[self.node_]
        # The sink that balanced row i moves to the other sources of its part, by their masses.
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
        return "distances" if self.metric == "precomputed" else ""

    def _warn_of_silent_parts(self) -> None:
        silent = ~np.isin(self.components_, self.components_[self.informed_])
        if silent.any():
            warnings.warn(
                f"{_NAME}: {np.count_nonzero(silent)} of {silent.size} rows lie in parts of the "
                f"graph without an informed row ({np.unique(self.components_[silent]).size} such "
                "parts); nobody votes there. Use more neighbours, or label a row of each part.",
                UserWarning,
                stacklevel=4,
            )

    def _table(self, parts: IntArray) -> FloatArray:
        graph, total = self.graph_, float(self.links_.sample_weight.sum())
        # Of mean degree one, so that the scale of votes says nothing about that of X.
        volume = float(graph.sum())
        graph = graph * (total / volume) if volume > 0 else graph
        rows = self.informed_
        nodes, place = np.unique(self.node_[rows], return_inverse=True)
        table = np.ascontiguousarray(potentials(graph, parts, nodes, self.solver)[:, place])
        # Source j alone stands beside a sink that is spread by degrees; sinks of all sources of a
        # part are moved to the sources themselves.
        sample_weight, part = self.sample_weight_[rows], self.components_[rows]
        shares = sample_weight / np.bincount(part, weights=sample_weight)[part]
        count = int(parts.max(initial=-1)) + 1
        spread = sp.csr_array((shares, (np.arange(rows.size), part)), shape=(rows.size, count))
        table -= (table @ spread)[:, part]
        table *= sample_weight
        table += np.where(parts[:, None] == part, self._constant(rows), 0.0)
        return table

    def _constant(self, rows: IntArray) -> FloatArray:
        """What each informed row votes throughout its part, whatever the potentials."""
        weights = np.bincount(self.components_, weights=self.sample_weight_)
        several = weights.size > 1
        constant: FloatArray = (
            _SECOND_OPINION * self.sample_weight_[rows] / weights[self.components_[rows]] * several
        )
        return constant

    def _votes(self, table: FloatArray) -> DenseVotes | SparseVotes:
        """Rows ``(q, m)`` of votes of the informed rows as votes of all, ``(q, n)``."""
        q, n = table.shape[0], self.node_.size
        if self.informed_.size == n:
            return DenseVotes(table)
        m = self.informed_.size
        require_bytes(
            12.0 * q * m,
            f"{_NAME} between {q} inputs and {m} rows",
            "Ask for fewer inputs at a time.",
        )
        indptr = np.arange(0, q * m + 1, m, dtype=np.int64) if m else np.zeros(q + 1, np.int64)
        indices = np.tile(self.informed_, q)
        matrix = sp.csr_array((table.ravel(), indices, indptr), shape=(q, n))
        matrix.eliminate_zeros()
        return SparseVotes(matrix)


def _without_weak_links(graph: sp.csr_array) -> sp.csr_array:
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    rows = np.repeat(np.arange(degrees.size), np.diff(graph.indptr))
    strong = graph.data >= _WEAKEST * np.minimum(degrees[rows], degrees[graph.indices])
    if strong.all():
        return graph
    kept = (graph.data[strong], (rows[strong], graph.indices[strong]))
    return sp.csr_array(kept, shape=graph.shape)
