"""The diagonal of the inverse of a sparse matrix, from its factors."""

import numpy as np

from disambig.kernels.jit import kernel
from disambig.notation import AnyArray, FloatArray

__all__ = ["inverse_diagonal"]


@kernel
def inverse_diagonal(
    indptr: AnyArray, indices: AnyArray, entries: FloatArray, pivots: FloatArray
) -> FloatArray:
    """The diagonal of ``Z = (L D L')^{-1}``, without the rest of Z.

    From ``Z = D^{-1} L^{-1} + (I - L') Z``, read below the diagonal and on it (Takahashi), ::

        Z[i, j] = -sum_k Z[i, k] L[k, j],    Z[j, j] = 1 / D[j] - sum_k L[k, j] Z[k, j]

    with k over the stored rows of column j. Going through the columns from the last to the first,
    only entries of Z at stored places of L are needed: about the work of the factorisation.

    Parameters
    ----------
    indptr, indices, entries : integers (n + 1,), integers, float64
        L below its unit diagonal, by columns, rows in any order. Where L stores ``[i, j]`` and
        ``[k, j]`` with i > k, it stores ``[i, k]`` too, or that entry is negligible.
    pivots : float64, (n,)
        D, positive.
    """
    n = pivots.size
    inverse = np.zeros(entries.size)
    diagonal = np.zeros(n)
    place = np.full(n, -1, dtype=np.int64)
    for j in range(n - 1, -1, -1):
        start, stop = indptr[j], indptr[j + 1]
        for p in range(start, stop):
            place[indices[p]] = p
        for p in range(start, stop):
            k = indices[p]
            below = entries[p]
            own = diagonal[k] * below
            # Z is symmetric: column k serves Z[i, k] and Z[k, i].
            for t in range(indptr[k], indptr[k + 1]):
                other = place[indices[t]]
                if other >= 0:
                    inverse[other] -= inverse[t] * below
                    own += inverse[t] * entries[other]
            inverse[p] -= own
        total = 1.0 / pivots[j]
        for p in range(start, stop):
            total -= entries[p] * inverse[p]
            place[indices[p]] = -1
        diagonal[j] = total
    return diagonal
