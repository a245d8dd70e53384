"""Nodes of a graph: the distinct training inputs, their nearest others, and affinities.

`DistinctFeatures` joins rows with equal features, `DistinctDistances` rows at distance zero. Both
list the nearest nodes; `affinities` and `symmetric_graph` turn the lists into a graph.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from disambig.exceptions import VotesError
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.weights.inputs import small_indices
from disambig.weights.neighbors.euclidean import EuclideanIndex, pair_distances
from disambig.weights.neighbors.lists import nearest_shares
from disambig.weights.neighbors.metric import listed_shares
from disambig.weights.row_groups import EqualRows

# Largest distance of a row to itself, relative to the largest of all distances: rounding errors.
_MAX_OWN_DISTANCE = 1e-6


class Listing(NamedTuple):
    """The nodes that each row lists, with their shares of the weight taken and their distances.

    shares : csr_array, (q, N)
        Rows sum to one, or are empty.
    distances : float64, (listed,)
        In the order of ``shares.data``.
    """

    shares: sp.csr_array
    distances: FloatArray


def affinities(listing: Listing, bandwidth: float | str | None) -> sp.csr_array:
    """``a[i, j] = share * exp(-d^2 / (2 h^2))``, ``(q, N)``.

    Parameters
    ----------
    listing : Listing
    bandwidth : float > 0, "local" or None
        h. "local" is, for each row, the distance to the farthest node that it lists divided by
        ``sqrt(8)``: the farthest has factor ``exp(-4)``, whatever the scale of the inputs. None: no
        factor.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> listing = Listing(sp.csr_array([[0.5, 0.5]]), np.array([1.0, 2.0]))
    >>> affinities(listing, "local").toarray().round(3)
    array([[0.184, 0.009]])
    """
    shares, distances = listing
    if bandwidth is None:
        return shares
    if bandwidth == "local":
        counts = np.diff(shares.indptr)
        reach = np.zeros(shares.shape[0])
        filled = counts > 0
        if filled.any():
            reach[filled] = np.maximum.reduceat(distances, shares.indptr[:-1][filled])
        scale: Any = np.repeat(np.where(reach > 0, reach, 1.0), counts) / np.sqrt(8.0)
    else:
        scale = float(bandwidth)
    with np.errstate(over="ignore", under="ignore"):
        factors = np.exp(-((distances / scale) ** 2) / 2.0)
    values = shares.data * factors
    return sp.csr_array((values, shares.indices, shares.indptr), shape=shares.shape)


def symmetric_graph(directed: sp.csr_array, sample_weight: FloatArray) -> sp.csr_array:
    """``B = (W a + a' W) / 2``, W the diagonal matrix of sample weights, ``(N, N)``, without zeros.

    ``a[i, j]`` is the affinity of one copy of input i to all copies of input j; ``B[i, j]`` is that
    between all copies of both, the mean of the two directions.
    """
    values = directed.data * np.repeat(sample_weight, np.diff(directed.indptr))
    weighted = sp.csr_array((values, directed.indices, directed.indptr), shape=directed.shape)
    both = sp.csr_array((weighted + weighted.T) / 2.0)
    both.eliminate_zeros()
    both.sort_indices()
    return small_indices(both)


@dataclass(frozen=True, eq=False)
class DistinctDistances:
    """The N distinct inputs among n rows between which the distances are given.

    In a sparse matrix a missing entry is no neighbour, and a stored 0 is a distance 0. Rows that
    zeros connect are one input; its distance to another is that of the nearest stored pair.

    Parameters
    ----------
    node : (n,)
        The distinct input of each training row, numbered by first appearance.
    first : (N,)
        The first row of each distinct input.
    distances : array or csr_array, (N, N)
    owner : str
        The weighting, named in errors.
    """

    node: IntArray
    first: IntArray
    distances: Any
    owner: str

    @classmethod
    def build(cls, distances: Any, owner: str) -> "DistinctDistances":
        """Join the rows of a finite ``(n, n)`` array or canonical ``csr_array``."""
        _check_not_negative(distances, owner)
        _check_diagonal(distances, owner)
        n = distances.shape[0]
        rows, columns = _zeros(distances)
        equal = sp.csr_array((np.ones(rows.size), (rows, columns)), shape=(n, n))
        _, group = connected_components(equal, directed=False)
        _, first, member = np.unique(group, return_index=True, return_inverse=True)
        by_appearance = np.argsort(first)
        number = np.empty(first.size, dtype=np.intp)
        number[by_appearance] = np.arange(first.size)
        first, node = first[by_appearance], number[member]
        if first.size == n:
            return cls(node, first, distances, owner)
        if sp.issparse(distances):
            return cls(node, first, _smallest_distances(distances, node, node, first.size), owner)
        return cls(node, first, distances[np.ix_(first, first)], owner)

    def among_themselves(self, sample_weight: FloatArray, wanted: float) -> Listing:
        """For each distinct input the nearest others until their weight is `wanted`."""
        return _listing(
            self.distances, sample_weight, wanted, np.arange(sample_weight.size, dtype=np.int64)
        )

    def find(self, X: Any) -> IntArray:
        """The distinct input that each query equals, by distances ``(q, n)``; -1 for none."""
        _check_not_negative(X, self.owner)
        found = np.full(X.shape[0], -1, dtype=np.intp)
        rows, columns = _zeros(X)
        # In reverse order, so that the first zero of a row is written last.
        found[rows[::-1]] = self.node[columns[::-1]]
        return found

    def from_queries(self, X: Any, sample_weight: FloatArray, wanted: float) -> Listing:
        """For each query the nearest distinct inputs until their weight is `wanted`."""
        distances = X
        if sp.issparse(X):
            distances = _smallest_distances(X, np.arange(X.shape[0]), self.node, self.first.size)
        elif self.first.size < self.node.size:
            distances = np.ascontiguousarray(X[:, self.first])
        return _listing(distances, sample_weight, wanted, np.full(X.shape[0], -1, dtype=np.int64))


def _check_not_negative(distances: Any, owner: str) -> None:
    entries = distances.data if sp.issparse(distances) else distances
    if entries.size and entries.min() < 0:
        raise VotesError(
            f"{owner}: X holds precomputed distances, which must not be negative; the smallest is "
            f"{entries.min():g}. Turn similarities into distances first."
        )


def _check_diagonal(distances: Any, owner: str) -> None:
    """Raise an error if the diagonal is not zero: most likely X holds similarities."""
    own = distances.diagonal()
    entries = distances.data if sp.issparse(distances) else distances
    if own.size and own.max() > _MAX_OWN_DISTANCE * entries.max(initial=0.0):
        row = int(own.argmax())
        raise VotesError(
            f"{owner}: X holds precomputed distances, and row {row} is at distance {own[row]:g} "
            "from itself; expected 0. Turn similarities into distances first."
        )


def _zeros(distances: Any) -> tuple[AnyArray, AnyArray]:
    """Rows and columns of the distances of zero, sorted by row."""
    if not sp.issparse(distances):
        rows, columns = np.nonzero(distances == 0)
        return rows, columns
    stored = distances.tocoo()
    zero = stored.data == 0
    return stored.row[zero], stored.col[zero]


def _smallest_distances(
    distances: Any, row_node: IntArray, node: IntArray, count: int
) -> sp.csr_array:
    """The smallest stored distance between the rows of one node and the columns of another."""
    stored = distances.tocoo()
    rows, columns = row_node[stored.row], node[stored.col]
    order = np.lexsort((stored.data, columns, rows))
    rows, columns, data = rows[order], columns[order], stored.data[order]
    least = np.ones(rows.size, dtype=np.bool_)
    least[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    shape = (int(row_node.max(initial=-1)) + 1, count)
    kept = (data[least], (rows[least], columns[least]))
    return small_indices(sp.csr_array(kept, shape=shape))


def _listing(distances: Any, sample_weight: FloatArray, wanted: float, own: AnyArray) -> Listing:
    shares, _ = listed_shares(distances, sample_weight, wanted, own)
    rows = np.repeat(np.arange(shares.shape[0]), np.diff(shares.indptr))
    if not sp.issparse(distances):
        return Listing(shares, distances[rows, shares.indices])
    # Both matrices have sorted columns, so that places can be searched as single numbers.
    width = np.int64(shares.shape[1])
    owners = np.repeat(np.arange(distances.shape[0]), np.diff(distances.indptr))
    places = np.searchsorted(owners * width + distances.indices, rows * width + shares.indices)
    return Listing(shares, distances.data[places])


@dataclass(frozen=True, eq=False)
class DistinctFeatures:
    """The N distinct inputs among n rows of features, searched by euclidean distance.

    Parameters
    ----------
    rows : EqualRows
    index : EuclideanIndex of N rows
    """

    rows: EqualRows
    index: EuclideanIndex

    @classmethod
    def build(cls, X: Any, *, n_jobs: int | None) -> "DistinctFeatures":
        """Index the distinct rows of X, a float64 array or canonical ``csr_array``."""
        rows = EqualRows.build(X)
        distinct = X if rows.first.size == X.shape[0] else X[rows.first]
        return cls(rows, EuclideanIndex.build(distinct, n_jobs=n_jobs))

    @property
    def node(self) -> IntArray:
        """The distinct input of each training row, ``(n,)``."""
        return self.rows.group

    def among_themselves(self, sample_weight: FloatArray, wanted: float) -> Listing:
        """For each distinct input the nearest others until their weight is `wanted`."""
        return self._listing(
            self.index.X, sample_weight, wanted, np.arange(sample_weight.size, dtype=np.int64)
        )

    def find(self, X: Any) -> IntArray:
        """The distinct input that each query equals; -1 for none."""
        return self.rows.find(X)

    def from_queries(self, X: Any, sample_weight: FloatArray, wanted: float) -> Listing:
        """For each query the nearest distinct inputs until their weight is `wanted`."""
        return self._listing(X, sample_weight, wanted, np.full(X.shape[0], -1, dtype=np.int64))

    def _listing(self, X: Any, sample_weight: FloatArray, wanted: float, own: AnyArray) -> Listing:
        shares = nearest_shares(self.index, X, sample_weight, wanted, own)
        indptr, indices = shares.indptr.astype(np.int64), shares.indices.astype(np.int64)
        return Listing(shares, np.sqrt(pair_distances(X, self.index.X, indptr, indices)))
