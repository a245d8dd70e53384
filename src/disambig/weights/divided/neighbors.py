"""Votes of nearest neighbours for rows in parts: each part is searched by the queries of each.

Every block is the result of a pure function of other blocks, so that an engine makes it again if it
is lost. A call has one part of queries and the index of one other part: nobody needs all rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from disambig.exceptions import warn
from disambig.notation import AnyArray, FloatArray
from disambig.votes.row_block import RowBlock, block_matrix
from disambig.votes.row_blocks import RowBlocks
from disambig.votes.sparse import SparseVotes
from disambig.weights.divided.rows import DividedRows, is_divided
from disambig.weights.divided.whole import joined_rows
from disambig.weights.neighbors.parts import (
    NearestRows,
    RowIndex,
    merge_lists,
    neighbor_votes,
    search_part,
)


class VotesOptions(NamedTuple):
    """How neighbours vote; see `disambig.weights.NeighborWeights`."""

    n_neighbors: int
    vote: Any


@dataclass(frozen=True, eq=False)
class DividedNeighbors:
    """The nearest rows of all rows, in blocks, and what new inputs search.

    Parameters
    ----------
    rows : DividedRows
    options : VotesOptions
    indices : sequence
        Blocks that the executor turns into `RowIndex`.
    tables : sequence
        Blocks that it turns into `NearestRows` with one more row than neighbours: leave-one-out
        votes drop the row itself.
    """

    rows: DividedRows
    options: VotesOptions
    indices: Sequence[Any]
    tables: Sequence[Any]

    @classmethod
    def search(cls, rows: DividedRows, options: VotesOptions) -> "DividedNeighbors":
        """Submit the search of all parts by all parts.

        Parameters
        ----------
        rows : DividedRows
        options : VotesOptions
        """
        submit, firsts = rows.executor.submit, rows.bounds[:-1].tolist()
        indices = tuple(
            submit(index_part, part, first) for part, first in zip(rows.parts, firsts, strict=True)
        )
        width, tables = options.n_neighbors + 1, []
        for place, part in enumerate(rows.parts):
            table: Any = None
            # The own part comes first: near rows are often near in the order, too.
            for index in (*indices[place:], *indices[:place]):
                table = submit(extend_table, table, index, part, width)
            tables.append(table)
        return cls(rows, options, indices, tuple(tables))

    def training_votes(self, leave_one_out: bool) -> RowBlocks:
        """The votes at the rows, ``(n, n)``, and their transpose, in blocks."""
        submit, n = self.rows.executor.submit, len(self.rows)
        blocks = [
            submit(votes_block, table, first, n, self.options, leave_one_out)
            for table, first in zip(self.tables, self.rows.bounds.tolist(), strict=False)
        ]
        return with_transpose(self.rows, blocks)

    def votes(self, X: AnyArray) -> SparseVotes:
        """The votes at new inputs ``(q, d)`` in memory, ``(q, n)``."""
        tables = self.rows.executor.map(
            search_index, self.indices, np.ascontiguousarray(X), self.options.n_neighbors
        )
        table = tables[0]
        for other in tables[1:]:
            table = merge_lists(table, other)
        return SparseVotes(query_votes(table, self.options, len(self.rows)))


def query_votes(table: NearestRows, options: VotesOptions, n: int) -> Any:
    """The votes ``(q, n)`` at new inputs, as a ``csr_array``.

    Parameters
    ----------
    table : NearestRows, q rows
    options : VotesOptions
    n : int
        The number of training rows.
    """
    no_row = np.full(table.indices.shape[0], -1, dtype=np.int64)
    return neighbor_votes(table, options.n_neighbors, n, no_row, vote=options.vote)


def undivided_option(weighting: Any, sample_weight: FloatArray | None = None) -> str:
    """What of a `NeighborWeights` needs all rows, and what to use instead; empty for nothing.

    Parameters
    ----------
    weighting : NeighborWeights
    sample_weight : float array or None
    """
    plain = type(weighting)()
    # Squared distances have the same neighbours, but other votes by distance.
    is_euclidean = weighting._euclidean and weighting.metric != "sqeuclidean"
    for name, value in weighting.get_params().items():
        allowed = name in ("n_neighbors", "vote", "leave_one_out", "random_state", "n_jobs")
        allowed |= name == "min_recall" or (name in ("metric", "metric_params") and is_euclidean)
        # The exact algorithms have the same result.
        allowed |= name == "algorithm" and value != "approximate"
        if allowed or value == getattr(plain, name):
            continue
        return (
            f"{name}={value!r} needs all rows in one array. Use {name}={getattr(plain, name)!r}, "
            "or fit in memory"
        )
    if sample_weight is not None and not (np.asarray(sample_weight) == 1).all():
        return (
            "sample weights other than 1 need all rows in one array. Leave sample_weight out, use "
            "NystromWeights, or fit in memory"
        )
    return ""


def _warn_if_too_many(n_neighbors: int, n: int, leave_one_out: bool) -> None:
    others = n - 1 if leave_one_out else n
    if n_neighbors > others:
        warn(
            f"NeighborWeights: n_neighbors={n_neighbors} is more than the {others} rows that can "
            "vote at a row: all of them vote.",
            UserWarning,
        )


def readable_rows(weighting: Any, X: Any, sample_weight: FloatArray | None) -> Any:
    """Rows in parts if a `NeighborWeights` reads them so, else joined; other inputs as they are.

    Parameters
    ----------
    weighting : NeighborWeights
    X : DividedRows, or anything else
    sample_weight : float array or None
    """
    if not is_divided(X):
        return X
    reason = undivided_option(weighting, sample_weight)
    if reason:
        return joined_rows("NeighborWeights", X, reason)
    _warn_if_too_many(int(weighting.n_neighbors), len(X), bool(weighting.leave_one_out))
    return X


def with_transpose(rows: DividedRows, blocks: Sequence[Any]) -> RowBlocks:
    """Votes between the rows, from blocks of them: their transpose is made of the same blocks.

    Parameters
    ----------
    rows : DividedRows
    blocks : sequence
        What the executor turns into `RowBlock`, one for each part.
    """
    submit = rows.executor.submit
    transposed = [
        submit(joined_columns, [submit(columns_between, block, start, stop) for block in blocks])
        for start, stop in pairwise(rows.bounds.tolist())
    ]
    return RowBlocks(blocks, transposed, rows.executor)


# ------------------------------------------------------------------ functions of blocks


def index_part(part: AnyArray, first_row: int) -> RowIndex:
    """The index of one part."""
    return RowIndex.build(part, first_row, n_jobs=1)


def extend_table(
    table: NearestRows | None, index: RowIndex, queries: AnyArray, width: int
) -> NearestRows:
    """The nearest rows so far, and those of one more part."""
    if table is None:
        return search_part(index, queries, width, n_jobs=1)
    found = search_part(index, queries, width, limits=table.limits, n_jobs=1)
    return merge_lists(table, found)


def search_index(index: RowIndex, queries: AnyArray, width: int) -> NearestRows:
    """The nearest rows of one part to new inputs."""
    return search_part(index, queries, width, n_jobs=1)


def votes_block(
    table: NearestRows, first: int, n: int, options: VotesOptions, leave_one_out: bool
) -> RowBlock:
    """The rows of the votes of one part."""
    own = first + np.arange(table.indices.shape[0], dtype=np.int64)
    found = neighbor_votes(
        table, options.n_neighbors, n, own, vote=options.vote, leave_one_out=leave_one_out
    )
    return RowBlock.of(found)


def columns_between(block: RowBlock, start: int, stop: int) -> RowBlock:
    """Some columns of a block as rows, ``(stop - start, m)``."""
    matrix = block_matrix(block)
    kept = (matrix.indices >= start) & (matrix.indices < stop)
    counts = np.concatenate([[0], np.cumsum(kept)])[matrix.indptr]
    part = (matrix.data[kept], matrix.indices[kept] - start, counts)
    columns = sp.csr_array(part, shape=(matrix.shape[0], stop - start))
    return RowBlock.of(columns.T)


def joined_columns(parts: list[RowBlock]) -> RowBlock:
    """A block of rows of the transpose, from the parts of all blocks."""
    return RowBlock.of(sp.hstack([block_matrix(part) for part in parts], format="csr"))


def index_of(rows: DividedRows, n_neighbors: int, vote: Any) -> Any:
    """What `NeighborWeights` keeps of rows in parts: `DividedNeighbors`, or a graph in files.

    Parameters
    ----------
    rows : DividedRows
    n_neighbors : int
    vote : str or callable
    """
    options = VotesOptions(n_neighbors, vote)
    if rows.stored is not None:
        return rows.stored.neighbors(rows, options)
    return DividedNeighbors.search(rows, options)
