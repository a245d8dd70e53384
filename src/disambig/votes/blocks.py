"""Votes in blocks of rows that fit in memory, for any operator that has `Votes.rows`."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.notation import FloatArray, IntArray
from disambig.votes.dense import DenseVotes
from disambig.votes.protocol import Votes
from disambig.votes.sparse import SparseVotes

# Entries of a block: 16 MiB of float64.
_ENTRIES_PER_BLOCK = 2**21


def row_blocks(votes: Votes, entries: int = _ENTRIES_PER_BLOCK) -> Iterator[tuple[int, Any]]:
    """``(start, alpha[start:stop])`` from the first row to the last, as arrays or ``csr_array``.

    Parameters
    ----------
    votes : Votes (q, n)
    entries : int
        Number of entries that a block has at most, roughly; it has at least one row.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.votes import as_votes
    >>> [(start, block.shape) for start, block in row_blocks(as_votes(np.eye(5)), 10)]
    [(0, (2, 5)), (2, (2, 5)), (4, (1, 5))]
    """
    q, n = votes.shape
    start = 0
    step = max(1, entries // max(1, n))
    while start < q:
        block = votes.rows(start, min(start + step, q))
        yield start, block
        start += block.shape[0]
        if sp.issparse(block):
            # How full the rows are is not known beforehand. Each block gives an estimate for the
            # next one, which is at most 16 times as long in case its rows are fuller.
            n_fitting = entries * block.shape[0] // max(1, block.nnz)
            step = max(1, min(n_fitting, 16 * block.shape[0]))


def entry_blocks(
    votes: Votes, entries: int = _ENTRIES_PER_BLOCK
) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """The non-zero entries as ``(row, column, value)``, in blocks of rows; one block if stored.

    Examples
    --------
    >>> import numpy as np
    >>> [rows.tolist() for rows, _, _ in entry_blocks(DenseVotes(np.eye(3)))]
    [[0, 1, 2]]
    """
    stored = votes.entries
    blocks = row_blocks(votes, entries) if stored is None else iter([(0, stored)])
    for start, block in blocks:
        part = sp.coo_array(block)
        kept = part.data != 0
        yield part.row[kept] + start, part.col[kept], part.data[kept]


def strongest_by_blocks(votes: Votes, limit: int) -> IntArray:
    """`Votes.strongest`, computed in blocks of rows.

    Examples
    --------
    >>> import numpy as np
    >>> strongest_by_blocks(DenseVotes(np.array([[0.2, 0.8], [1.0, 0.0]])), 2)
    array([[ 1,  0],
           [ 0, -1]])
    """
    tables = [np.empty((0, min(limit, votes.shape[1])), dtype=np.intp)]
    for _, block in row_blocks(votes):
        block_votes = SparseVotes(block) if sp.issparse(block) else DenseVotes(block)
        tables.append(block_votes.strongest(limit))
    return np.concatenate(tables)
