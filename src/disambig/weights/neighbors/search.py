"""The neighbours of queries in order, for any index of training rows."""

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from disambig.compiled.nearest import nearest_in_lists
from disambig.notation import AnyArray, FloatArray
from disambig.weights.neighbors.lists import NeighborLists

# Candidates in addition to the wanted ones: enough to decide near ties in the first attempt.
_N_SPARE_CANDIDATES = 8
# A row that its candidates do not decide is searched again with this many times more.
_CANDIDATE_GROWTH = 4
_MAX_ATTEMPTS = 3
# Entries of a block of distances: 32 MiB, and as much for indices.
_ENTRIES_PER_BLOCK = 2**22

Part = tuple[AnyArray, AnyArray, AnyArray, FloatArray]


class NeighborIndex(Protocol):
    """An index of training rows. Its distances may be any increasing function of the true ones."""

    @property
    def X(self) -> Any:
        """The rows, (n, d)."""
        ...

    def candidates(
        self, queries: Any, width: int, own: AnyArray
    ) -> tuple[AnyArray, AnyArray, FloatArray, FloatArray]:
        """At least `width` rows near each query, and a lower bound of the distances of all others.

        An index that may miss rows adds the row that is the query itself, if ``own[i] >= 0``.
        """
        ...

    def exhaust(self, queries: Any, sample_weight: FloatArray, wanted: float, own: AnyArray) -> Any:
        """Select among all rows; returns the same as `nearest_in_lists`."""
        ...


def nearest_lists(
    index: NeighborIndex, queries: Any, sample_weight: FloatArray, wanted: float, own: AnyArray
) -> NeighborLists:
    """The nearest rows of each query until the weight of the others is `wanted`.

    The result is that of sorting all rows by (distance, index). The index finds a few more
    candidates than are needed. The list of a query is final if its members are strictly nearer than
    every row that is not a candidate. The other queries are searched again with more candidates,
    and at last compared with all rows: they have too many ties.

    Parameters
    ----------
    index : NeighborIndex of n rows
    queries : (q, d)
    sample_weight : (n,)
    wanted : float
    own : int64, (q,)
        The row that is the query itself; -1 for none. It is taken if it is nearer than the last of
        the others, and not counted.
    """
    n = index.X.shape[0]
    width = int(np.ceil(min(wanted / sample_weight.mean(), n))) + _N_SPARE_CANDIDATES + 1
    undecided_rows = np.arange(queries.shape[0])
    parts: list[Part] = []
    for _ in range(_MAX_ATTEMPTS):
        # With more than half of the rows as candidates, comparing with all rows is as fast.
        if 2 * width > n:
            break
        undecided = [np.zeros(0, dtype=np.intp)]
        for rows in _blocks(undecided_rows, width):
            indptr, indices, distances, floor = index.candidates(queries[rows], width, own[rows])
            starts, members, found, farthest, filled = nearest_in_lists(
                indptr, indices, distances, sample_weight, wanted, own[rows]
            )
            is_final = filled & (farthest < floor)
            parts.append(_part(rows, is_final, starts, members, found))
            undecided.append(rows[~is_final])
        undecided_rows = np.concatenate(undecided)
        width *= _CANDIDATE_GROWTH
    for rows in _blocks(undecided_rows, n):
        starts, members, found, _, _ = index.exhaust(
            queries[rows], sample_weight, wanted, own[rows]
        )
        all_final = np.ones(rows.size, dtype=np.bool_)
        parts.append(_part(rows, all_final, starts, members, found))
    return _joined(parts, queries.shape[0], n)


def nearest_shares(
    index: NeighborIndex, queries: Any, sample_weight: FloatArray, wanted: float, own: AnyArray
) -> sp.csr_array:
    """The nearest *others* until their weight is `wanted`, as shares of the weight taken.

    Parameters as in `nearest_lists`; returns a matrix ``(q, n)``.
    """
    lists = nearest_lists(index, queries, sample_weight, wanted, own)
    return lists.shares(sample_weight, np.full(lists.q, wanted), own)


def _blocks(rows: AnyArray, width: int) -> Iterator[AnyArray]:
    step = max(1, _ENTRIES_PER_BLOCK // width)
    for start in range(0, rows.size, step):
        yield rows[start : start + step]


def _part(
    rows: AnyArray, is_final: AnyArray, indptr: AnyArray, indices: AnyArray, distances: FloatArray
) -> Part:
    counts = np.diff(indptr)
    kept = np.repeat(is_final, counts)
    return rows[is_final], counts[is_final], indices[kept], distances[kept]


def _joined(parts: list[Part], q: int, n: int) -> NeighborLists:
    """The lists of all queries in their order, from parts with some of the queries each."""
    empty = np.zeros(0, dtype=np.int64)
    parts = [(empty, empty, empty, np.zeros(0)), *parts]
    rows, counts, indices, distances = (
        np.concatenate(arrays) for arrays in zip(*parts, strict=True)
    )
    lengths = np.zeros(q, dtype=np.int64)
    lengths[rows] = counts
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    # The place of a pair: the start of its row's list plus its position in the list.
    within = np.arange(indices.size) - np.repeat(np.cumsum(counts) - counts, counts)
    places = np.repeat(indptr[rows], counts) + within
    ordered, ordered_distances = np.empty_like(indices), np.empty_like(distances)
    ordered[places] = indices
    ordered_distances[places] = distances
    return NeighborLists(indptr, ordered, ordered_distances, n)
