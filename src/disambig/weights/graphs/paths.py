"""The nearest informed row along a graph of neighbours: `PathWeights`."""

import copy
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.compiled.distances import nearest_sources
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.parameters import check_flag, check_integer, check_jobs, check_number
from disambig.votes.sparse import SparseVotes
from disambig.weights.graphs.graph import warn_if_too_many
from disambig.weights.graphs.nodes import DistinctFeatures, Listing
from disambig.weights.inputs import (
    checked_sample_weight,
    query_inputs,
    small_indices,
    training_inputs,
)
from disambig.weights.neighbors.euclidean import EuclideanIndex
from disambig.weights.neighbors.lists import nearest_shares
from disambig.weights.protocol import informed_rows

_NAME = "PathWeights"


class PathWeights(BaseEstimator):
    """``alpha[i, j] = 1`` for the informed row j at the end of the shortest path from row i.

    Paths lead along a graph of nearest neighbours. The length of a path is the sum of
    ``distance**power`` over its links. With ``power=1`` this is nearly the nearest informed row.
    With a larger power many short links are shorter than one long link: paths stay where rows are
    dense, and labels spread along clusters and curves, however many unlabeled rows there are.
    (Distances of this kind are called Fermat distances, or power-weighted shortest paths.)

    Only informed rows vote, with every ``method`` of `PartialLabelClassifier`; the vote of an open
    row would be a vote for itself. In other estimators all rows are informed, and the votes of
    a row are its own; leave-one-out votes are those of the nearest other row.

    Parameters
    ----------
    n_neighbors : int, default=10
        k >= 1: every input is linked to the k nearest others, and to those that list it. With
        ``sample_weight``, k is a total weight, as in `NeighborWeights`.
    power : float > 0, default=4.0
    leave_one_out : bool, default=False
        Whether `training_votes` are `leave_one_out_votes`.
    n_jobs : int, default=None
        Threads of scikit-learn's search for neighbours.

    Attributes
    ----------
    informed_ : (m,)
        The rows that vote, ascending.
    node_ : int, (n,)
        The distinct input (node) of each training row.
    nearest_ : int, (N, 2)
        The nodes of the nearest and the second nearest informed input of each node, along the
        graph; -1 for none.
    path_lengths_ : float64, (N, 2)
        The lengths of these paths, in units of the median link; infinite where there is none.
    lengths_ : csr_array, (N, N)
        The lengths of the links.
    sample_weight_ : float64, (n,)
    n_features_in_ : int

    Notes
    -----
    Equal inputs are one node; its informed rows share the vote by their sample weights. Where no
    path leads to an informed input, the informed input at the smallest distance votes. A new input
    is linked to its k nearest inputs. *Leave-one-out* votes are those without the row as an
    informed row; it stays a node of the graph. The search for the paths takes ``N k log N`` steps.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [5.0]])
    >>> informed = np.array([True, False, False, False, True])
    >>> weights = PathWeights(1).fit_informed(X, informed=informed)
    >>> weights.training_votes() @ np.array([-1.0, 0.0, 0.0, 0.0, 1.0])
    array([-1., -1., -1., -1.,  1.])
    >>> PathWeights(1, power=1.0).fit_informed(X, informed=informed).nearest_[:, 0]
    array([0, 0, 0, 4, 4])
    """

    # Estimators let only informed rows vote, whatever the method.
    informed_only = True

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        power: float = 4.0,
        leave_one_out: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.power = power
        self.leave_one_out = leave_one_out
        self.n_jobs = n_jobs

    def fit(self, X: Any, sample_weight: FloatArray | None = None) -> Self:
        """Link the training inputs ``(n, d)``; every row is informed."""
        return self.fit_informed(X, sample_weight)

    def fit_informed(
        self,
        X: Any,
        sample_weight: FloatArray | None = None,
        informed: BoolArray | None = None,
    ) -> Self:
        """`fit` where only the rows in ``informed``, bool ``(n,)``, vote."""
        check_integer(_NAME, "n_neighbors", self.n_neighbors, least=1)
        check_number(_NAME, "power", self.power, positive=True)
        check_flag(_NAME, "leave_one_out", self.leave_one_out)
        check_jobs(_NAME, self.n_jobs)
        X = training_inputs(self, X)
        self.sample_weight_ = checked_sample_weight(_NAME, sample_weight, X.shape[0])
        self.X_fit_ = X
        self._search = DistinctFeatures.build(X, n_jobs=self.n_jobs)
        self.node_ = self._search.node
        self._node_weights: FloatArray = np.bincount(
            self.node_, weights=self.sample_weight_
        ).astype(np.float64, copy=False)
        warn_if_too_many(_NAME, self.n_neighbors, self._node_weights)
        listing = self._search.among_themselves(self._node_weights, float(self.n_neighbors))
        # Lengths in units of the median link neither overflow nor vanish.
        self._unit = float(np.median(listing.distances)) if listing.distances.size else 1.0
        self._power = self.power
        self.lengths_ = _both_directions(self._lengths(listing), listing.shares)
        self._starts = np.zeros(X.shape[0])
        self._inform(informed_rows(_NAME, informed, X.shape[0]))
        return self

    def at_informed(self, informed: BoolArray) -> Self:
        """A fitted copy on the same graph in which only the rows in ``informed`` vote.

        Parameters
        ----------
        informed : bool array (n,)
        """
        check_is_fitted(self)
        other = copy.copy(self)
        other._inform(informed_rows(_NAME, informed, self.node_.size))
        return other

    def with_starts(self, starts: FloatArray) -> Self:
        """A fitted copy in which paths to row j are longer by ``starts[j]``, not negative.

        Where inputs are equal, by the least of their starts.

        Parameters
        ----------
        starts : float array (n,)
            Not negative.
        """
        check_is_fitted(self)
        other = copy.copy(self)
        other._starts = starts
        other._inform(self.informed_)
        return other

    def lengths_to(self, rows: BoolArray) -> FloatArray:
        """The length of the shortest path from each training row to some rows, ``(n,)``.

        Infinite where there is none.

        Parameters
        ----------
        rows : bool array (n,)

        Examples
        --------
        >>> from disambig.weights import PathWeights
        >>> X = [[0.0], [1.0], [2.0], [3.0]]
        >>> fitted = PathWeights(n_neighbors=2).fit(X)
        >>> fitted.lengths_to(np.array([True, False, False, False]))
        array([0., 1., 2., 3.])
        """
        sources = np.unique(self.node_[rows]).astype(np.int64)
        found: FloatArray = self._nearest(sources, np.zeros(sources.size))[1][self.node_, 0]
        return found

    def at_power(self, power: float) -> Self:
        """A fitted copy on the same links with another power.

        Parameters
        ----------
        power : float
        """
        check_is_fitted(self)
        check_number(_NAME, "power", power, positive=True)
        other = copy.copy(self)
        other.power = power
        with np.errstate(over="ignore", under="ignore"):
            lengths = self.lengths_.data ** (float(power) / float(self._power))
        other.lengths_ = sp.csr_array(
            (lengths, self.lengths_.indices, self.lengths_.indptr), shape=self.lengths_.shape
        )
        other._power = power
        other._inform(self.informed_)
        return other

    def training_votes(self) -> SparseVotes:
        """``alpha`` at the training inputs, ``(n, n)``; without own votes if `leave_one_out`."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        return self._votes(self.nearest_[self.node_, 0])

    def leave_one_out_votes(self) -> SparseVotes:
        """``alpha`` at each training input as if its target were unknown, ``(n, n)``."""
        check_is_fitted(self)
        counts = np.bincount(self.node_[self.informed_], minlength=self._node_weights.size)
        is_informed = np.zeros(self.node_.size, dtype=np.bool_)
        is_informed[self.informed_] = True
        alone = is_informed & (counts[self.node_] == 1)
        votes = self._votes(
            np.where(alone, self.nearest_[self.node_, 1], self.nearest_[self.node_, 0])
        )
        matrix = votes.matrix.tocoo()
        # A row leaves the votes of its input to the other informed rows there.
        kept = matrix.row != matrix.col
        entries = (matrix.data[kept], (matrix.row[kept], matrix.col[kept]))
        rest = sp.csr_array(entries, shape=matrix.shape)
        sums = np.asarray(rest.sum(axis=1)).ravel()
        rest.data /= np.repeat(np.where(sums > 0, sums, 1.0), np.diff(rest.indptr))
        return SparseVotes(small_indices(rest))

    def votes(self, X: Any) -> SparseVotes:
        """``alpha`` at new inputs ``(q, d)``."""
        X = query_inputs(self, X)
        node = self._search.find(X)
        new = np.flatnonzero(node < 0)
        nearest = self.nearest_[node, 0]
        if new.size:
            nearest[new] = self._nearest_of_queries(X[new])
        return self._votes(nearest)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _lengths(self, listing: Listing) -> FloatArray:
        relative = listing.distances / (self._unit if self._unit > 0 else 1.0)
        with np.errstate(over="ignore", under="ignore"):
            lengths: FloatArray = relative ** float(self._power)
        return lengths

    def _inform(self, informed: IntArray) -> None:
        """Find the nearest informed inputs of all nodes."""
        self.informed_ = informed
        sources = np.unique(self.node_[informed]).astype(np.int64)
        starts = np.full(self._node_weights.size, np.inf)
        np.minimum.at(starts, self.node_[informed], self._starts[informed])
        self.nearest_, self.path_lengths_ = self._nearest(sources, starts[sources])
        self._fill(0, sources)
        self._fill(1, sources)

    def _nearest(self, sources: IntArray, starts: FloatArray) -> tuple[AnyArray, FloatArray]:
        """`nearest_sources` along the links."""
        graph = self.lengths_
        indptr, indices = graph.indptr.astype(np.int64), graph.indices.astype(np.int64)
        found: tuple[AnyArray, FloatArray] = nearest_sources(
            indptr, indices, graph.data, sources, starts
        )
        return found

    def _fill(self, place: int, sources: AnyArray) -> None:
        """Where no path leads to a (second) source, take the nearest by distance."""
        without = np.flatnonzero(self.nearest_[:, place] < 0)
        if not without.size or sources.size <= place:
            return
        inputs = self._search.index.X
        index = EuclideanIndex.build(inputs[sources], n_jobs=self.n_jobs)
        own = np.full(without.size, -1, dtype=np.int64)
        if place:
            # The source that is taken already.
            own = np.searchsorted(sources, self.nearest_[without, 0])
        shares = nearest_shares(index, inputs[without], np.ones(sources.size), 1.0, own)
        first = shares.indptr[:-1]
        self.nearest_[without, place] = sources[shares.indices[first]]

    def _nearest_of_queries(self, X: Any) -> IntArray:
        """The nodes of the nearest informed inputs of new inputs, through their neighbours."""
        listing = self._search.from_queries(X, self._node_weights, float(self.n_neighbors))
        members, starts = listing.shares.indices, listing.shares.indptr[:-1]
        lengths = self._lengths(listing) + self.path_lengths_[members, 0]
        rows = np.repeat(np.arange(starts.size), np.diff(listing.shares.indptr))
        # Of equal lengths the source of smaller number is taken, as in the graph. Where no path
        # leads to a source, the nearest neighbour decides.
        distances = np.where(np.isfinite(lengths), 0.0, listing.distances)
        first = np.lexsort((self.nearest_[members, 0], distances, lengths, rows))[starts]
        return np.asarray(self.nearest_[members[first], 0])

    def _votes(self, nearest: IntArray) -> SparseVotes:
        """One unit of votes for the informed rows at the node of each query, ``(q, n)``."""
        n, informed = self.node_.size, self.informed_
        weights = self.sample_weight_[informed]
        totals = np.bincount(
            self.node_[informed], weights=weights, minlength=self._node_weights.size
        )
        rows_of = sp.csr_array(
            (weights / totals[self.node_[informed]], (self.node_[informed], informed)),
            shape=(self._node_weights.size, n),
        )
        chosen = sp.csr_array(rows_of[np.where(nearest < 0, 0, nearest)])
        if (nearest < 0).any():
            # `diags_array` is not in the oldest scipy.
            reached = (nearest >= 0).astype(np.float64)[np.newaxis]
            square = (reached.size, reached.size)
            chosen = sp.csr_array(sp.dia_array((reached, [0]), shape=square) @ chosen)
            chosen.eliminate_zeros()
        return SparseVotes(small_indices(chosen))


def _both_directions(lengths: FloatArray, shares: sp.csr_array) -> sp.csr_array:
    """The links of the listing in both directions, ``(N, N)``."""
    n = shares.shape[0]
    rows = np.repeat(np.arange(n), np.diff(shares.indptr))
    pairs = np.stack([np.minimum(rows, shares.indices), np.maximum(rows, shares.indices)])
    _, first = np.unique(pairs[0].astype(np.int64) * n + pairs[1], return_index=True)
    low, high = pairs[:, first]
    values = lengths[first]
    # Not a sum of the two directions: lengths of zero must stay links.
    order = np.lexsort((np.concatenate([high, low]), np.concatenate([low, high])))
    indices = np.concatenate([high, low])[order]
    counts = np.bincount(np.concatenate([low, high]), minlength=n)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    return sp.csr_array((np.concatenate([values, values])[order], indices, indptr), shape=(n, n))
