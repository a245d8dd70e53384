"""The strongest votes of an operator that can write out some of its rows at a time."""

import numpy as np
import scipy.sparse as sp

from disambig.notation import IntArray
from disambig.votes.blocks import row_blocks
from disambig.votes.dense import DenseVotes
from disambig.votes.protocol import Votes
from disambig.votes.sparse import SparseVotes

__all__ = ["strongest_by_blocks"]


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
