"""Votes in blocks of rows that fit in memory, whatever holds them.

The strongest votes of an operator that can write out some of its rows at a time.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.notation import IntArray
from disambig.votes.dense import DenseVotes
from disambig.votes.protocol import Votes
from disambig.votes.sparse import SparseVotes

# Entries of a block: 16 MiB of float64.
_ENTRIES = 2**21


def row_blocks(votes: Votes, entries: int = _ENTRIES) -> Iterator[tuple[int, Any]]:
    """``(start, alpha[start:stop])`` from the first row to the last, as arrays or ``csr_array``.

    Parameters
    ----------
    votes : Votes (q, n)
    entries : int
        A block has about so many at most, and one row at least.

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
            # Nobody says beforehand how full the rows are; each block tells about the next, which
            # is at most 16 times as long in case it is fuller.
            fitting = entries * block.shape[0] // max(1, block.nnz)
            step = max(1, min(fitting, 16 * block.shape[0]))


def strongest_by_blocks(votes: Votes, limit: int) -> IntArray:
    """`Votes.strongest`, block of rows by block of rows.

    Examples
    --------
    >>> import numpy as np
    >>> strongest_by_blocks(DenseVotes(np.array([[0.2, 0.8], [1.0, 0.0]])), 2)
    array([[ 1,  0],
           [ 0, -1]])
    """
    tables = [np.empty((0, min(limit, votes.shape[1])), dtype=np.intp)]
    for _, block in row_blocks(votes):
        held = SparseVotes(block) if sp.issparse(block) else DenseVotes(block)
        tables.append(held.strongest(limit))
    return np.concatenate(tables)
