"""Votes in blocks of rows that fit in memory, whatever holds them."""

from collections.abc import Iterator
from typing import Any

import scipy.sparse as sp

from disambig.votes.protocol import Votes

__all__ = ["row_blocks"]

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
