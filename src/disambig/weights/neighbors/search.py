"""The neighbours of queries in order, whatever the index."""

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from disambig.compiled.nearest import nearest_in_lists
from disambig.notation import AnyArray, FloatArray
from disambig.weights.neighbors.lists import NeighborLists

# Candidates beyond those wanted: enough for near ties to be settled by the first question.
_SPARE = 8
# Each time the candidates do not settle a row, it is asked for this many times more.
_WIDER = 4
_ATTEMPTS = 3
# Entries of a block of distances: 32 MiB of them, and as much of indices.
_BLOCK = 2**22

Part = tuple[AnyArray, AnyArray, AnyArray, FloatArray]


class NeighborIndex(Protocol):
    """What the search needs of an index; distances may be any increasing function of them."""

    @property
    def X(self) -> Any:
        """The rows, (n, d)."""
        ...

    def candidates(
        self, queries: Any, width: int, own: AnyArray
    ) -> tuple[AnyArray, AnyArray, FloatArray, FloatArray]:
        """`width` or more near rows a query, and the least distance of all others.

        An index that may overlook a row adds the one that a query is itself, ``own[i] >= 0``.
        """
        ...

    def exhaust(self, queries: Any, sample_weight: FloatArray, wanted: float, own: AnyArray) -> Any:
        """The choice among all rows, as of `nearest_in_lists`."""
        ...


def nearest_lists(
    index: NeighborIndex, queries: Any, sample_weight: FloatArray, wanted: float, own: AnyArray
) -> NeighborLists:
    """The nearest rows of each query until the mass of the others is `wanted`.

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
        The row that each query is itself, taken where it comes before the last of the others but
        not counted; -1 for none.
    """
    n = index.X.shape[0]
    width = int(np.ceil(min(wanted / sample_weight.mean(), n))) + _SPARE + 1
    open_rows = np.arange(queries.shape[0])
    parts: list[Part] = []
    for _ in range(_ATTEMPTS):
        # Beyond half of the rows one might as well compare with all.
        if 2 * width > n:
            break
        unsettled = [np.zeros(0, dtype=np.intp)]
        for rows in _blocks(open_rows, width):
            indptr, indices, distances, floor = index.candidates(queries[rows], width, own[rows])
            starts, members, found, farthest, filled = nearest_in_lists(
                indptr, indices, distances, sample_weight, wanted, own[rows]
            )
            settled = filled & (farthest < floor)
            parts.append(_part(rows, settled, starts, members, found))
            unsettled.append(rows[~settled])
        open_rows = np.concatenate(unsettled)
        width *= _WIDER
    for rows in _blocks(open_rows, n):
        starts, members, found, _, _ = index.exhaust(
            queries[rows], sample_weight, wanted, own[rows]
        )
        everyone = np.ones(rows.size, dtype=np.bool_)
        parts.append(_part(rows, everyone, starts, members, found))
    return _joined(parts, queries.shape[0], n)


def nearest_shares(
    index: NeighborIndex, queries: Any, sample_weight: FloatArray, wanted: float, own: AnyArray
) -> sp.csr_array:
    """The nearest *others* until their mass is `wanted`, as parts of what was taken.

    Parameters as of `nearest_lists`; returns a matrix ``(q, n)``.
    """
    lists = nearest_lists(index, queries, sample_weight, wanted, own)
    return lists.shares(sample_weight, np.full(lists.q, wanted), own)


def _blocks(rows: AnyArray, width: int) -> Iterator[AnyArray]:
    step = max(1, _BLOCK // width)
    for start in range(0, rows.size, step):
        yield rows[start : start + step]


def _part(
    rows: AnyArray, settled: AnyArray, indptr: AnyArray, indices: AnyArray, distances: FloatArray
) -> Part:
    counts = np.diff(indptr)
    kept = np.repeat(settled, counts)
    return rows[settled], counts[settled], indices[kept], distances[kept]


def _joined(parts: list[Part], q: int, n: int) -> NeighborLists:
    """The lists of all queries in their order, from parts that hold some of them each."""
    empty = np.zeros(0, dtype=np.int64)
    parts = [(empty, empty, empty, np.zeros(0)), *parts]
    rows, counts, indices, distances = (
        np.concatenate(arrays) for arrays in zip(*parts, strict=True)
    )
    lengths = np.zeros(q, dtype=np.int64)
    lengths[rows] = counts
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    # Where each pair goes: the start of its row's list, and its place in it.
    within = np.arange(indices.size) - np.repeat(np.cumsum(counts) - counts, counts)
    places = np.repeat(indptr[rows], counts) + within
    ordered, apart = np.empty_like(indices), np.empty_like(distances)
    ordered[places] = indices
    apart[places] = distances
    return NeighborLists(indptr, ordered, apart, n)
