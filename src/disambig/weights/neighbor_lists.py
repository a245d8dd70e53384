"""Neighbours in order, from which votes with and without the row itself follow."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from disambig.kernels.nearest import mass_in_order
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.weights.compressed import small_indices

__all__ = ["NeighborLists"]


@dataclass(frozen=True, eq=False)
class NeighborLists:
    """The nearest of n rows to each of q inputs, by (distance, index).

    Parameters
    ----------
    indptr : int64, (q + 1,)
        Input i lists ``indices[indptr[i]:indptr[i + 1]]``.
    indices : int64, (pairs,)
    distances : float64, (pairs,)
        Or an increasing function of them.
    n : int

    Examples
    --------
    >>> import numpy as np
    >>> lists = NeighborLists(np.array([0, 3]), np.array([2, 0, 1]), np.array([0.0, 1.0, 4.0]), 3)
    >>> lists.shares(np.ones(3), np.array([2.0]), np.array([-1])).toarray()
    array([[0.5, 0. , 0.5]])
    """

    indptr: IntArray
    indices: IntArray
    distances: FloatArray
    n: int

    def __post_init__(self) -> None:
        for array in (self.indptr, self.indices, self.distances):
            array.flags.writeable = False

    @property
    def q(self) -> int:
        """How many inputs there are."""
        return self.indptr.size - 1

    def taken(self, masses: FloatArray, wanted: FloatArray, absent: AnyArray) -> FloatArray:
        """The mass that each input takes from its members in order, up to `wanted` ``(q,)``."""
        return mass_in_order(self.indptr, self.indices, masses, wanted, absent)

    def row_sums(self, values: FloatArray) -> FloatArray:
        """Sums ``(q,)`` of `values` ``(pairs,)`` within each list, in order."""
        sums: AnyArray = np.bincount(self.rows(), weights=values, minlength=self.q)
        return sums

    def rows(self) -> IntArray:
        """The input of each pair."""
        return np.repeat(np.arange(self.q), np.diff(self.indptr))

    def shares(self, masses: FloatArray, wanted: FloatArray, absent: AnyArray) -> sp.csr_array:
        """Taken masses as parts of their sum; a row of zeros where nothing was taken."""
        return self.normalized(self.taken(masses, wanted, absent))

    def normalized(self, values: FloatArray) -> sp.csr_array:
        """`values` >= 0 over their sum in each list, as a matrix ``(q, n)`` of those > 0."""
        rows, sums = self.rows(), self.row_sums(values)
        kept = values > 0
        data = values[kept] / sums[rows[kept]]
        counts = np.bincount(rows[kept], minlength=self.q)
        indptr = np.concatenate([[0], np.cumsum(counts)])
        matrix = sp.csr_array((data, self.indices[kept], indptr), shape=(self.q, self.n))
        matrix.sort_indices()
        return small_indices(matrix)
