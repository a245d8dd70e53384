"""The neighbours of queries as shares of their mass, whatever the index."""

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from disambig.kernels.nearest import nearest_in_lists
from disambig.notation import AnyArray, FloatArray
from disambig.weights.compressed import small_indices

__all__ = ["NeighborIndex", "nearest_shares"]

# Candidates beyond those wanted: enough for near ties to be settled by the first question.
_SPARE = 8
# Each time the candidates do not settle a row, it is asked for this many times more.
_WIDER = 4
_ATTEMPTS = 3
# Entries of a block of distances: 32 MiB of them, and as much of indices.
_BLOCK = 2**22


class NeighborIndex(Protocol):
    """What the search needs of an index; distances may be any increasing function of them."""

    @property
    def X(self) -> Any:
        """The rows, (n, d)."""
        ...

    def candidates(
        self, queries: Any, width: int
    ) -> tuple[AnyArray, AnyArray, FloatArray, FloatArray]:
        """`width` near rows a query, and the least distance of all others."""
        ...

    def exhaust(self, queries: Any, masses: FloatArray, wanted: float, own: AnyArray) -> Any:
        """The choice among all rows."""
        ...


def nearest_shares(
    index: NeighborIndex, queries: Any, masses: FloatArray, wanted: float, own: AnyArray
) -> sp.csr_array:
    """The nearest rows of each query until their mass is `wanted`, as parts of what was taken.

    The result is that of sorting all rows by (distance, index). The index proposes somewhat
    more candidates than are needed; a query is settled if what it took lies strictly nearer
    than anything that was not proposed. The others are asked again, wider, and in the end
    compared with every row: there the ties are too many for lists.

    Parameters
    ----------
    index : NeighborIndex of n rows
    queries : (q, d)
    masses : (n,)
    wanted : float
    own : int64, (q,)
        A row that each query must not take; -1 for none.

    Returns
    -------
    csr_array, (q, n)
    """
    n = index.X.shape[0]
    width = int(np.ceil(min(wanted / masses.mean(), n))) + _SPARE + 1
    open_rows = np.arange(queries.shape[0])
    parts: list[tuple[AnyArray, AnyArray, FloatArray]] = []
    for _ in range(_ATTEMPTS):
        # Beyond half of the rows one might as well compare with all.
        if 2 * width > n:
            break
        unsettled = [np.zeros(0, dtype=np.intp)]
        for rows in _blocks(open_rows, width):
            block = queries[rows]
            indptr, indices, distances, floor = index.candidates(block, width)
            members, columns, shares, farthest, filled = nearest_in_lists(
                indptr, indices, distances, masses, wanted, own[rows]
            )
            settled = filled & (farthest < floor)
            parts.append(_entries(rows, settled, members, columns, shares))
            unsettled.append(rows[~settled])
        open_rows = np.concatenate(unsettled)
        width *= _WIDER
    for rows in _blocks(open_rows, n):
        members, columns, shares, _, _ = index.exhaust(queries[rows], masses, wanted, own[rows])
        everyone = np.ones(rows.size, dtype=np.bool_)
        parts.append(_entries(rows, everyone, members, columns, shares))
    shape = (queries.shape[0], n)
    if not parts:
        return sp.csr_array(shape)
    rows, columns, shares = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return small_indices(sp.csr_array((shares, (rows, columns)), shape=shape))


def _blocks(rows: AnyArray, width: int) -> Iterator[AnyArray]:
    step = max(1, _BLOCK // width)
    for start in range(0, rows.size, step):
        yield rows[start : start + step]


def _entries(
    rows: AnyArray, settled: AnyArray, indptr: AnyArray, indices: AnyArray, shares: FloatArray
) -> tuple[AnyArray, AnyArray, FloatArray]:
    counts = np.diff(indptr)
    kept = np.repeat(settled, counts)
    return np.repeat(rows, counts)[kept], indices[kept], shares[kept]
