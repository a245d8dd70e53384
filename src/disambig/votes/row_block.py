"""One block of rows of the votes: in memory, or anything that its rows are read from."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from disambig.notation import IntArray
from disambig.votes.executor import SizedBlock
from disambig.votes.protocol import CompressedRows
from disambig.votes.sparse import SparseVotes


class Block(Protocol):
    """Some rows of the votes, as `RowBlock` or as a description from which they are read."""

    @property
    def rows(self) -> CompressedRows:
        """The rows; column numbers ascend within each of them."""
        ...

    @property
    def n_columns(self) -> int:
        """``n``."""
        ...


@dataclass(frozen=True, eq=False)
class RowBlock(SizedBlock):
    """Some rows of the votes in memory.

    Parameters
    ----------
    rows : CompressedRows, m rows
        Column numbers ascend within each row.
    n_columns : int
        ``n``.

    Examples
    --------
    >>> block = RowBlock.of(sp.csr_array([[0.0, 0.5], [0.5, 0.5]]))
    >>> block.rows.indices.tolist(), block.rows.unit, block.n_columns
    ([1, 0, 1], 0.5, 2)
    """

    rows: CompressedRows
    n_columns: int

    @classmethod
    def of(cls, matrix: Any) -> "RowBlock":
        """The rows of a sparse matrix ``(m, n)``."""
        matrix = sp.csr_array(matrix)
        rows = SparseVotes(matrix).compressed
        if not rows.data.size:
            # Sums are taken in the precision of the votes, also where they are one number.
            rows = rows._replace(data=matrix.data[:0].copy())
        return cls(rows, int(matrix.shape[1]))


def compressed_block(block: Block, unit: float | None) -> CompressedRows:
    """The rows of a block, with data unless all votes of all blocks are `unit`."""
    rows = block.rows
    if unit is not None:
        return rows._replace(data=np.zeros(0), unit=unit)
    if rows.data.size or not rows.indices.size:
        return rows
    data = np.full(rows.indices.size, rows.unit, dtype=rows.data.dtype)
    return rows._replace(data=data, unit=1.0)


def block_matrix(block: Block) -> Any:
    """The rows of a block as a ``csr_array``."""
    return matrix_of(block.rows, block.n_columns)


def matrix_of(rows: CompressedRows, n_columns: int) -> Any:
    """Compressed rows as a ``csr_array``."""
    signed = np.int32 if rows.indices.dtype == np.uint32 else np.int64
    data = rows.data
    if not data.size:
        data = np.full(rows.indices.size, rows.unit, dtype=data.dtype)
    shape = (rows.indptr.size - 1, n_columns)
    return sp.csr_array((data, rows.indices.view(signed), rows.indptr), shape=shape)


def chosen_rows(block: Block, chosen: IntArray) -> CompressedRows:
    """Some rows of a block. The entries of the others are not read: a block may be a file."""
    rows = block.rows
    starts = np.asarray(rows.indptr[chosen])
    lengths = rows.indptr[chosen + 1] - starts
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    entries = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], lengths)
    data = rows.data[entries] if rows.data.size else rows.data
    return rows._replace(indptr=indptr, indices=rows.indices[entries], data=data)
