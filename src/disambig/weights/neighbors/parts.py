"""Neighbours of rows in parts: each part is searched alone, and the lists are merged.

A table of nearest rows is a function of the rows of its part and of the queries. Merging is
associative and commutative, because rows are ordered by (distance, index) over all parts. So for
any partition the merged lists are those that `NeighborWeights` finds in all rows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.compiled.neighbors.merging import merge_tables
from disambig.exceptions import VotesError
from disambig.notation import FloatArray, IntArray
from disambig.votes.executor import SizedBlock
from disambig.weights.neighbors.box_tree import BoxTree
from disambig.weights.neighbors.euclidean import MAX_BOX_FEATURES, EuclideanIndex
from disambig.weights.neighbors.lists import NeighborLists, nearest_lists, vote_strength


@dataclass(frozen=True, eq=False)
class NearestRows(SizedBlock):
    """The nearest rows of each query by (distance, index), in tables of fixed width.

    Parameters
    ----------
    distances : float64, (q, width)
        Squared; infinity where there are too few rows.
    indices : int64, (q, width)
        Numbers of rows over all parts; -1 where there are too few.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> left = search_part(RowIndex.build(X[:2], 0), X, 2)
    >>> right = search_part(RowIndex.build(X[2:], 2), X, 2)
    >>> merge_lists(left, right).indices.tolist()
    [[0, 1], [1, 0], [2, 3], [3, 2]]
    """

    distances: FloatArray
    indices: IntArray

    @classmethod
    def none(cls, q: int, width: int) -> "NearestRows":
        """The table of q queries of which no row is known."""
        return cls(np.full((q, width), np.inf), np.full((q, width), -1, dtype=np.int64))

    @property
    def limits(self) -> FloatArray:
        """The distance ``(q,)`` beyond which a row cannot enter the table."""
        return np.where(self.indices[:, -1] < 0, np.inf, self.distances[:, -1])


@dataclass(frozen=True, eq=False)
class RowIndex(SizedBlock):
    """The rows of one part, indexed for exact search, and the number of its first row.

    Parameters
    ----------
    searcher : BoxTree, EuclideanIndex or None
        None for a part without rows.
    first_row : int
    n_rows, n_features : int
    """

    searcher: Any
    first_row: int
    n_rows: int
    n_features: int

    @classmethod
    def build(cls, part: Any, first_row: int, *, n_jobs: int | None = None) -> "RowIndex":
        """Index the rows of a part.

        Parameters
        ----------
        part : float64 or float32 array, or canonical csr_array, (m, d)
            All finite.
        first_row : int
            The number of its first row among all rows.
        n_jobs : int or None
        """
        m, d = part.shape
        if m == 0:
            return cls(None, first_row, m, d)
        if sp.issparse(part) or d > MAX_BOX_FEATURES or d == 0:
            return cls(EuclideanIndex.build(part, n_jobs=n_jobs), first_row, m, d)
        return cls(BoxTree.build(part), first_row, m, d)


def search_part(
    index: RowIndex,
    queries: Any,
    width: int,
    *,
    limits: FloatArray | None = None,
    n_jobs: int | None = None,
) -> NearestRows:
    """The `width` nearest rows of one part.

    Parameters
    ----------
    index : RowIndex
    queries : float64 or float32 array, or csr_array, (q, d)
    width : int
    limits : float64, (q,), optional
        Squared distances; rows that are farther may be left out. With the `limits` of a table, the
        merged table is the same, and is found faster.
    n_jobs : int or None
        Threads; the result does not depend on it.

    Raises
    ------
    VotesError
        If the queries have another number of features.
    """
    q, d = queries.shape
    if d != index.n_features:
        raise VotesError(
            f"The queries have {d} features, and the rows of the part that begins at row "
            f"{index.first_row} have {index.n_features}. Give all parts the same columns."
        )
    if index.searcher is None or q == 0:
        return NearestRows.none(q, width)
    if isinstance(index.searcher, BoxTree):
        distances, found = index.searcher.search(queries, width, limits=limits, n_jobs=n_jobs)
    else:
        distances, found = _as_table(index.searcher, queries, width)
    return NearestRows(distances, np.where(found < 0, -1, found + index.first_row))


def _as_table(index: EuclideanIndex, queries: Any, width: int) -> tuple[FloatArray, IntArray]:
    q, n = queries.shape[0], index.X.shape[0]
    no_row = np.full(q, -1, dtype=np.int64)
    lists = nearest_lists(index, queries, np.ones(n), float(width), no_row)
    table = NearestRows.none(q, width)
    rows = lists.rows()
    place = np.arange(rows.size) - lists.indptr[rows]
    table.distances[rows, place] = lists.distances
    table.indices[rows, place] = lists.indices
    return table.distances, table.indices


def merge_lists(left: NearestRows, right: NearestRows) -> NearestRows:
    """The nearest rows of two tables of the same queries and width, from different parts.

    Associative and commutative; `NearestRows.none` changes nothing.
    """
    if left.indices.shape != right.indices.shape:
        raise VotesError(
            f"Tables of nearest rows have the shapes {left.indices.shape} and "
            f"{right.indices.shape}. Search all parts with the same queries and the same width."
        )
    distances, indices = np.empty_like(left.distances), np.empty_like(left.indices)
    merge_tables(left.distances, left.indices, right.distances, right.indices, distances, indices)
    return NearestRows(distances, indices)


def neighbor_lists(table: NearestRows, n_neighbors: int, n: int, own: IntArray) -> NeighborLists:
    """The lists that `nearest_lists` finds for sample weights of one.

    Parameters
    ----------
    table : NearestRows, (q, n_neighbors + 1) or wider
    n_neighbors : int
    n : int
        The number of rows of all parts.
    own : int64, (q,)
        The row that is the query itself; -1 for none. It is listed if it is nearer than the last of
        the others, and not counted.
    """
    indices = table.indices[:, : n_neighbors + 1]
    is_others = indices != own[:, None]
    others_before = np.cumsum(is_others, axis=1) - is_others
    kept = (indices >= 0) & (others_before < n_neighbors)
    indptr = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    return NeighborLists(indptr, indices[kept], table.distances[:, : n_neighbors + 1][kept], n)


def neighbor_votes(
    table: NearestRows,
    n_neighbors: int,
    n: int,
    own: IntArray,
    *,
    vote: Any = "uniform",
    leave_one_out: bool = False,
) -> sp.csr_array:
    """Votes ``(q, n)`` of the nearest rows, bit for bit those of `NeighborWeights`.

    Parameters
    ----------
    table : NearestRows, (q, n_neighbors + 1) or wider
    n_neighbors : int
    n : int
        The number of rows of all parts.
    own : int64, (q,)
        The row that is the query itself; -1 for none.
    vote : {"uniform", "distance", "gaussian"} or callable
        As for `NeighborWeights`.
    leave_one_out : bool
        Whether the k nearest *others* vote.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> table = search_part(RowIndex.build(X, 0), X, 3)
    >>> neighbor_votes(table, 2, 3, np.arange(3), leave_one_out=True).toarray()
    array([[0. , 0.5, 0.5],
           [0.5, 0. , 0.5],
           [0.5, 0.5, 0. ]])
    """
    lists = neighbor_lists(table, n_neighbors, n, own if leave_one_out else np.full_like(own, -1))
    taken = np.ones(lists.indices.size)
    if leave_one_out:
        taken[lists.indices == own[lists.rows()]] = 0.0
    return lists.normalized(vote_strength(vote, lists, np.sqrt(lists.distances), taken))
