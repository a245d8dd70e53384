"""Neighbour votes of rows in partitions: indices, rows of votes and their transpose, as futures.

Every future is the result of a pure function of other futures, so that the cluster makes it again
if a worker dies. A task has one partition of queries and the index of one other partition. So no
worker needs all rows at once.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from distributed import Client, Future

from disambig.notation import AnyArray, IntArray
from disambig.votes.row_blocks import RowBlock, block_matrix
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
    leave_one_out: bool


class NeighborGraph(NamedTuple):
    """Futures of a neighbour graph over partitions.

    Attributes
    ----------
    indices : tuple of Future of RowIndex
    blocks, transposed : tuple of Future of RowBlock
    """

    indices: tuple[Future, ...]
    blocks: tuple[Future, ...]
    transposed: tuple[Future, ...]


def build_graph(
    client: Client, parts: Sequence[Future], bounds: IntArray, options: VotesOptions
) -> NeighborGraph:
    """Submit the tasks of the graph of the k nearest rows.

    Parameters
    ----------
    client : distributed.Client
    parts : sequence of Future
        Checked inputs, ``(m, d)`` each.
    bounds : int array (parts + 1,)
        Part b has the rows ``bounds[b]:bounds[b + 1]``.
    options : VotesOptions
    """
    n, firsts = int(bounds[-1]), bounds[:-1].tolist()

    def submit(function: Any, *arguments: Any) -> Future:
        return client.submit(function, *arguments, pure=False)

    indices = tuple(
        submit(index_part, part, first) for part, first in zip(parts, firsts, strict=True)
    )
    # One more than k: leave-one-out votes drop the row itself.
    width = options.n_neighbors + 1
    blocks = []
    for place, part in enumerate(parts):
        table: Any = None
        # The own partition comes first: near rows are often near in the order, too.
        for index in (*indices[place:], *indices[:place]):
            table = submit(extend_table, table, index, part, width)
        blocks.append(submit(votes_block, table, firsts[place], n, options))
    transposed = []
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        columns = [submit(columns_between, block, start, stop) for block in blocks]
        transposed.append(submit(joined_columns, columns))
    return NeighborGraph(indices, tuple(blocks), tuple(transposed))


def index_part(part: AnyArray, first_row: int) -> RowIndex:
    """The index of one partition."""
    return RowIndex.build(part, first_row, n_jobs=1)


def extend_table(
    table: NearestRows | None, index: RowIndex, queries: AnyArray, width: int
) -> NearestRows:
    """The nearest rows so far, and those of one more partition."""
    if table is None:
        return search_part(index, queries, width, n_jobs=1)
    found = search_part(index, queries, width, limits=table.limits, n_jobs=1)
    return merge_lists(table, found)


def votes_block(table: NearestRows, first: int, n: int, options: VotesOptions) -> RowBlock:
    """The rows of the votes of one partition."""
    own = first + np.arange(table.indices.shape[0], dtype=np.int64)
    found = neighbor_votes(
        table,
        options.n_neighbors,
        n,
        own,
        vote=options.vote,
        leave_one_out=options.leave_one_out,
    )
    return RowBlock.of(found)


def columns_between(block: RowBlock, start: int, stop: int) -> Any:
    """Some columns of a block as rows, ``(stop - start, m)``."""
    matrix = block_matrix(block)
    kept = (matrix.indices >= start) & (matrix.indices < stop)
    counts = np.concatenate([[0], np.cumsum(kept)])[matrix.indptr]
    part = (matrix.data[kept], matrix.indices[kept] - start, counts)
    columns = sp.csr_array(part, shape=(matrix.shape[0], stop - start))
    return sp.csr_array(columns.T)


def joined_columns(parts: list[Any]) -> RowBlock:
    """A block of rows of the transpose, from the parts of all blocks."""
    return RowBlock.of(sp.hstack(parts, format="csr"))
