"""Training rows known by their distances, those at distance zero as one input."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from disambig.exceptions import VotesError
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.weights.affinities import Listing
from disambig.weights.compressed import small_indices
from disambig.weights.distances import listed_shares

__all__ = ["DistinctDistances"]

# Part of the largest distance that a row may be from itself by rounding.
_LARGEST_OWN = 1e-6


@dataclass(frozen=True, eq=False)
class DistinctDistances:
    """The N distinct inputs among n rows between which the distances are given.

    In a sparse matrix a missing entry is nobody's neighbour, and a stored 0 is a distance 0. Rows
    that zeros connect are one input, as far from another as the nearest stored pair of the two.

    Parameters
    ----------
    node : (n,)
        Which distinct input each training row is, numbered by first appearance.
    first : (N,)
        The first row of each.
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
        _refuse_negative(distances, owner)
        _refuse_own(distances, owner)
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
            return cls(node, first, _least(distances, node, node, first.size), owner)
        return cls(node, first, distances[np.ix_(first, first)], owner)

    def among_themselves(self, masses: FloatArray, wanted: float) -> Listing:
        """For each distinct input the nearest others until their mass is `wanted`."""
        return _listing(self.distances, masses, wanted, np.arange(masses.size, dtype=np.int64))

    def find(self, X: Any) -> IntArray:
        """Which distinct input each query, given by its distances ``(q, n)``, is; -1 for none."""
        _refuse_negative(X, self.owner)
        found = np.full(X.shape[0], -1, dtype=np.intp)
        rows, columns = _zeros(X)
        # Backwards, so that the first zero of a row stays.
        found[rows[::-1]] = self.node[columns[::-1]]
        return found

    def from_queries(self, X: Any, masses: FloatArray, wanted: float) -> Listing:
        """For each query the nearest distinct inputs until their mass is `wanted`."""
        distances = X
        if sp.issparse(X):
            distances = _least(X, np.arange(X.shape[0]), self.node, self.first.size)
        elif self.first.size < self.node.size:
            distances = np.ascontiguousarray(X[:, self.first])
        return _listing(distances, masses, wanted, np.full(X.shape[0], -1, dtype=np.int64))


def _refuse_negative(distances: Any, owner: str) -> None:
    entries = distances.data if sp.issparse(distances) else distances
    if entries.size and entries.min() < 0:
        raise VotesError(
            f"{owner}: X holds precomputed distances, which must not be negative; the smallest is "
            f"{entries.min():g}. Turn similarities into distances first."
        )


def _refuse_own(distances: Any, owner: str) -> None:
    """Refuse a matrix whose diagonal is not that of distances: most likely similarities."""
    own = distances.diagonal()
    entries = distances.data if sp.issparse(distances) else distances
    if own.size and own.max() > _LARGEST_OWN * entries.max(initial=0.0):
        row = int(own.argmax())
        raise VotesError(
            f"{owner}: X holds precomputed distances, and row {row} is at distance {own[row]:g} "
            "from itself; expected 0. Turn similarities into distances first."
        )


def _zeros(distances: Any) -> tuple[AnyArray, AnyArray]:
    """Places of distance zero, row by row."""
    if not sp.issparse(distances):
        rows, columns = np.nonzero(distances == 0)
        return rows, columns
    stored = distances.tocoo()
    zero = stored.data == 0
    return stored.row[zero], stored.col[zero]


def _least(distances: Any, row_node: IntArray, node: IntArray, count: int) -> sp.csr_array:
    """The least stored distance between the rows of one node and the columns of another."""
    stored = distances.tocoo()
    rows, columns = row_node[stored.row], node[stored.col]
    order = np.lexsort((stored.data, columns, rows))
    rows, columns, data = rows[order], columns[order], stored.data[order]
    least = np.ones(rows.size, dtype=np.bool_)
    least[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    shape = (int(row_node.max(initial=-1)) + 1, count)
    kept = (data[least], (rows[least], columns[least]))
    return small_indices(sp.csr_array(kept, shape=shape))


def _listing(distances: Any, masses: FloatArray, wanted: float, own: AnyArray) -> Listing:
    shares, _ = listed_shares(distances, masses, wanted, own)
    rows = np.repeat(np.arange(shares.shape[0]), np.diff(shares.indptr))
    if not sp.issparse(distances):
        return Listing(shares, distances[rows, shares.indices])
    # Both in compressed rows, columns ascending: places can be looked up as numbers.
    width = np.int64(shares.shape[1])
    owners = np.repeat(np.arange(distances.shape[0]), np.diff(distances.indptr))
    places = np.searchsorted(owners * width + distances.indices, rows * width + shares.indices)
    return Listing(shares, distances.data[places])
