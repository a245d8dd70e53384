"""Votes in blocks of rows, which may lie in memory, in files, or on other machines.

The blocks are never joined. Everything about a row is computed where its block is, and what
returns has one number for each row, or fewer. Sums over rows are taken over these numbers in the
order of the rows. So no result depends on how the rows are divided into blocks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp

from disambig.exceptions import VotesError
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.votes.entries import entries_are_nonnegative
from disambig.votes.executor import IN_THIS_PROCESS, Executor, RowSlices, SizedBlock
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


class _Facts(NamedTuple):
    """What one block knows about its entries; `unit` is None if they differ."""

    n_rows: int
    n_columns: int
    n_entries: int
    unit: float | None
    is_nonnegative: bool


@dataclass(frozen=True, eq=False)
class RowBlocks:
    """``alpha`` in blocks of consecutive rows, and its transpose in blocks as well.

    The same products, sums and steps as `SparseVotes` of the whole matrix, bit for bit, for any
    division into blocks, empty ones among them.

    Parameters
    ----------
    blocks : sequence of Block
        Or whatever the executor turns into blocks, such as futures.
    transposed : sequence of Block
        Of the transpose.
    executor : Executor, optional
        Where the blocks are; by default in this process.

    Examples
    --------
    >>> votes = RowBlocks.divided(sp.csr_array([[0.5, 0.5], [0.0, 1.0]]), [0, 1, 2])
    >>> (votes @ np.array([1.0, 3.0])).tolist(), votes.T.row_sums().tolist()
    ([2.0, 3.0], [0.5, 1.5])
    """

    blocks: Sequence[Any]
    transposed: Sequence[Any]
    executor: Executor = IN_THIS_PROCESS

    absolute_sums_are_bounds = True
    # Whether all blocks are symmetric together is not known without joining them.
    is_symmetric = False
    entries = None
    compressed = None

    @classmethod
    def divided(
        cls,
        matrix: Any,
        bounds: Sequence[int],
        transposed_bounds: Sequence[int] | None = None,
        executor: Executor = IN_THIS_PROCESS,
    ) -> "RowBlocks":
        """A sparse matrix ``(q, n)`` that is at hand, in blocks.

        Parameters
        ----------
        matrix : sparse matrix (q, n)
        bounds, transposed_bounds : sequence of int
            From 0 to q, and from 0 to n, ascending; the second are by default the first.
        executor : Executor
        """
        transposed_bounds = bounds if transposed_bounds is None else transposed_bounds
        whole = SparseVotes(sp.csr_array(matrix))
        return cls(
            _cut(whole.matrix, bounds, "rows"),
            _cut(whole.T.matrix, transposed_bounds, "columns"),
            executor,
        )

    @cached_property
    def _facts(self) -> list[_Facts]:
        found = self.executor.map(_block_facts, self.blocks)
        widths = {facts.n_columns for facts in found}
        if len(widths) != 1:
            raise VotesError(
                f"RowBlocks: the blocks have {sorted(widths)} columns; expected the same number in "
                "all, one for each training row, and at least one block."
            )
        return found

    @cached_property
    def bounds(self) -> IntArray:
        """Block b has the rows ``bounds[b]:bounds[b + 1]``."""
        heights = [facts.n_rows for facts in self._facts]
        return np.concatenate([[0], np.cumsum(heights)]).astype(np.int64)

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.bounds[-1]), self._facts[0].n_columns

    @cached_property
    def unit(self) -> float | None:
        """The vote that all entries share, if they do and it is positive."""
        units = {facts.unit for facts in self._facts if facts.n_entries}
        return units.pop() if len(units) == 1 else (None if units else 1.0)

    @cached_property
    def is_nonnegative(self) -> bool:
        return all(facts.is_nonnegative for facts in self._facts)

    @cached_property
    def T(self) -> "RowBlocks":
        other = RowBlocks(self.transposed, self.blocks, self.executor)
        other.__dict__["T"] = self
        return other

    def map(self, function: Any, *arguments: Any) -> list[Any]:
        """``function(block, *arguments)`` of each block, where the block is; see `Executor.map`."""
        return self.executor.map(function, self.blocks, *arguments)

    def slices(self, array: AnyArray) -> RowSlices:
        """An array with one entry for each row, divided like the rows.

        Parameters
        ----------
        array : array (q, ...)
        """
        return RowSlices(array, self.bounds)

    def __matmul__(self, values: FloatArray) -> FloatArray:
        return np.concatenate(self.map(_block_product, np.asarray(values)))

    def row_sums(self) -> FloatArray:
        return np.concatenate(self.map(_block_row_sums))

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        return np.concatenate(self.map(_block_absolute_sums, scales))

    def diagonal(self) -> FloatArray:
        whole = np.concatenate(self.map(_block_diagonal, self._row_numbers))
        found: FloatArray = whole[: min(self.shape)]
        return found

    def split(self) -> tuple["RowBlocks", "RowBlocks"]:
        return self._mapped(_block_sign, 1.0), self._mapped(_block_sign, -1.0)

    def rows(self, start: int, stop: int) -> Any:
        return self.rows_at(np.arange(start, stop))

    def rows_at(self, rows: IntArray) -> Any:
        """``alpha[rows]`` as a ``csr_array``, for rows that fit in memory together.

        Parameters
        ----------
        rows : int array (k,)
        """
        distinct, index = np.unique(rows, return_inverse=True)
        parts = self.map(_block_rows, *self._chosen(distinct))
        found = sp.csr_array(sp.vstack(parts, format="csr"))
        return found if np.array_equal(distinct, rows) else found[index.ravel()]

    def scale_rows(self, factors: FloatArray) -> "RowBlocks":
        return RowBlocks(
            self.map(_block_scaled_rows, self.slices(factors)),
            self.T.map(_block_scaled_columns, factors),
            self.executor,
        )

    def without_own(self) -> "RowBlocks":
        return RowBlocks(
            self.map(_block_without_own, self._row_numbers),
            self.T.map(_block_without_own, self.T._row_numbers),
            self.executor,
        )

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        part = self.T.rows_at(columns).tocoo()
        nonzero = part.data != 0
        rows, positions = part.col[nonzero], part.row[nonzero]
        return rows.astype(np.intp), positions.astype(np.intp), part.data[nonzero]

    def links(self, rows: IntArray) -> Any:
        order = np.sort(rows)
        parts = self.map(_block_links, *self._chosen(order), order)
        found = sp.csr_array(sp.vstack(parts, format="csr"))
        if np.array_equal(order, rows):
            return found
        places = np.searchsorted(order, rows)
        return found[places][:, places]

    def strongest(self, limit: int) -> IntArray:
        return np.concatenate(self.map(_block_strongest, limit))

    @cached_property
    def _row_numbers(self) -> RowSlices:
        return self.slices(np.arange(self.shape[0], dtype=np.int64))

    def _chosen(self, rows: IntArray) -> tuple[RowSlices, RowSlices]:
        """Some ascending row numbers, divided like the rows, with the numbers of all rows."""
        ends = np.searchsorted(rows, self.bounds)
        return RowSlices(np.asarray(rows, dtype=np.int64), ends), self._firsts

    @cached_property
    def _firsts(self) -> RowSlices:
        """The number of the first row of each block."""
        return RowSlices(self.bounds[:-1].copy(), np.arange(self.bounds.size))

    def _mapped(self, function: Any, *arguments: Any) -> "RowBlocks":
        return RowBlocks(
            self.map(function, *arguments), self.T.map(function, *arguments), self.executor
        )


def _cut(matrix: Any, bounds: Sequence[int], side: str) -> list[RowBlock]:
    expected = matrix.shape[0]
    ends = np.asarray(bounds)
    if ends.size < 2 or ends[0] != 0 or ends[-1] != expected or (np.diff(ends) < 0).any():
        raise VotesError(
            f"RowBlocks: the bounds of the {side} are {list(bounds)}; expected at least two "
            f"numbers that ascend from 0 to {expected}."
        )
    return [RowBlock.of(matrix[i:j]) for i, j in pairwise(ends.tolist())]


# ------------------------------------------------------------------ functions of one block


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
    return _matrix_of(block.rows, block.n_columns)


def _matrix_of(rows: CompressedRows, n_columns: int) -> Any:
    signed = np.int32 if rows.indices.dtype == np.uint32 else np.int64
    data = rows.data
    if not data.size:
        data = np.full(rows.indices.size, rows.unit, dtype=data.dtype)
    shape = (rows.indptr.size - 1, n_columns)
    return sp.csr_array((data, rows.indices.view(signed), rows.indptr), shape=shape)


def _chosen_rows(block: Block, chosen: IntArray) -> CompressedRows:
    """Some rows of a block. The entries of the others are not read: a block may be a file."""
    rows = block.rows
    starts = np.asarray(rows.indptr[chosen])
    lengths = rows.indptr[chosen + 1] - starts
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    entries = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], lengths)
    data = rows.data[entries] if rows.data.size else rows.data
    return rows._replace(indptr=indptr, indices=rows.indices[entries], data=data)


def _block_facts(block: Block) -> _Facts:
    rows = block.rows
    data, unit = rows.data, None
    if not data.size:
        unit = rows.unit if rows.unit > 0 else None
    elif data[0] > 0 and (data == data[0]).all():
        unit = float(data[0])
    return _Facts(
        rows.indptr.size - 1,
        block.n_columns,
        rows.indices.size,
        unit,
        (unit is not None) or entries_are_nonnegative(block_matrix(block)),
    )


def _block_product(block: Block, values: FloatArray) -> FloatArray:
    return SparseVotes(block_matrix(block)) @ values


def _block_row_sums(block: Block) -> FloatArray:
    return SparseVotes(block_matrix(block)).row_sums()


def _block_absolute_sums(block: Block, scales: FloatArray | None) -> FloatArray:
    return SparseVotes(block_matrix(block)).absolute_row_sums(scales)


def _block_diagonal(block: Block, numbers: IntArray) -> FloatArray:
    entries = block_matrix(block).tocoo()
    found = np.zeros(numbers.size, dtype=entries.data.dtype)
    own = numbers[entries.row] == entries.col
    found[entries.row[own]] = entries.data[own]
    return found


def _block_sign(block: Block, sign: float) -> RowBlock:
    return RowBlock.of((sign * block_matrix(block)).maximum(0))


def _block_rows(block: Block, chosen: IntArray, first: IntArray) -> Any:
    return _matrix_of(_chosen_rows(block, chosen - first), block.n_columns)


def _block_links(block: Block, chosen: IntArray, first: IntArray, columns: IntArray) -> Any:
    found = _chosen_rows(block, chosen - first)
    places = np.minimum(np.searchsorted(columns, found.indices), columns.size - 1)
    inside = columns[places] == found.indices
    indptr = np.concatenate([[0], np.cumsum(inside)])[found.indptr]
    kept = found._replace(
        indptr=indptr,
        indices=places[inside].astype(np.uint64),
        data=found.data[inside] if found.data.size else found.data,
    )
    return _matrix_of(kept, columns.size)


def _block_scaled_rows(block: Block, factors: FloatArray) -> RowBlock:
    return RowBlock.of(SparseVotes(block_matrix(block)).scale_rows(factors).matrix)


def _block_scaled_columns(block: Block, factors: FloatArray) -> RowBlock:
    matrix = block_matrix(block)
    data = matrix.data * factors[matrix.indices]
    return RowBlock.of(sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape))


def _block_without_own(block: Block, numbers: IntArray) -> RowBlock:
    entries = block_matrix(block).tocoo()
    kept = (numbers[entries.row] != entries.col) & (entries.data != 0)
    part = (entries.data[kept], (entries.row[kept], entries.col[kept]))
    return RowBlock.of(sp.csr_array(part, shape=entries.shape))


def _block_strongest(block: Block, limit: int) -> IntArray:
    return SparseVotes(block_matrix(block)).strongest(limit)
