"""Votes between rows that share a leaf, where the leaves of the rows are in blocks.

A product sums the values of the rows of each block over the leaves of all trees, adds these tables
in the order of the blocks, and adds the sums to the rows where their leaves are. What travels is a
table of ``leaves * p`` numbers for each block, and values and products of the rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.compiled.leaves import add_all_sums, sum_all_leaves
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.votes.blocks import strongest_by_blocks
from disambig.votes.executor import Executor, RowSlices
from disambig.votes.partition import (
    COLUMNS_PER_BLOCK,
    Membership,
    PartitionVotes,
    require_nonnegative,
    value_table,
)
from disambig.votes.sparse import SparseVotes

# Tables of so many blocks are in memory together: 256 MiB, but at least those of four blocks.
_TABLE_BYTES = 2**28
_LEAST_BLOCKS = 4


@dataclass(frozen=True, eq=False)
class LeafBlocks:
    """`Membership` of rows whose leaves are in blocks of consecutive rows.

    Parameters
    ----------
    leaves : sequence
        What the executor turns into int32 arrays ``(trees, m)``.
    bounds : int array (blocks + 1,)
        Block b has the rows ``bounds[b]:bounds[b + 1]``.
    executor : Executor
    scale : float64, (size,), non-negative
        What row i counts in all trees.
    removed : float64, (size,), or None
        Weights of the rows that are removed from their leaves: row i counts ``1 / (leaf total -
        removed[i])`` in its leaf, and is in no leaf of which nothing is left. None: each row counts
        once.
    """

    leaves: Sequence[Any]
    bounds: IntArray
    executor: Executor
    scale: FloatArray
    removed: FloatArray | None = None

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.bounds[-1])

    def scaled(self, by: FloatArray) -> "LeafBlocks":
        """The same rows with their `scale` multiplied by `by`, ``(size,)``."""
        return replace(self, scale=self.scale * by)

    def slices(self, array: AnyArray | None) -> RowSlices | None:
        """An array with one entry for each row, divided like the rows; None for None."""
        return None if array is None else RowSlices(array, self.bounds)

    def map(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """``function(leaves, scale, removed, *arguments)`` of each block, where it is."""
        own = self.slices(self.scale), self.slices(self.removed)
        return self.executor.map(function, self.leaves, *own, *arguments)

    def sums(self, starts: AnyArray, leaf_totals: FloatArray, values: FloatArray) -> FloatArray:
        """The sums of values ``(size, p)`` over the rows of each leaf, ``(leaves, p)``."""
        total = np.zeros((leaf_totals.size, values.shape[1]))
        step = max(_LEAST_BLOCKS, _TABLE_BYTES // max(1, total.nbytes))
        for first in range(0, len(self.leaves), step):
            part = replace(
                self,
                leaves=self.leaves[first : first + step],
                bounds=self.bounds[first : first + step + 1],
            )
            for table in part.map(_block_sums, starts, leaf_totals, part.slices(values)):
                total += table
        return total

    def take(self, rows: IntArray, starts: AnyArray, leaf_totals: FloatArray) -> Membership:
        """The membership of some rows, in memory."""
        distinct, index = np.unique(rows, return_inverse=True)
        chosen = RowSlices(distinct.astype(np.int64), np.searchsorted(distinct, self.bounds))
        firsts = RowSlices(self.bounds[:-1].copy(), np.arange(self.bounds.size))
        found = self.executor.map(_block_leaves, self.leaves, chosen, firsts)
        leaves = np.ascontiguousarray(np.concatenate(found, axis=1)[:, index.ravel()])
        removed = None if self.removed is None else self.removed[rows]
        return _membership(leaves, self.scale[rows], removed, starts, leaf_totals)


@dataclass(frozen=True, eq=False)
class LeafBlockVotes:
    """`PartitionVotes` of queries and samples whose leaves are in blocks.

    Equal to those in memory but for the order in which sums are taken.

    Parameters
    ----------
    query, sample : LeafBlocks (q) and (n)
    starts : int64, (trees + 1,)
        The leaves of tree t are ``starts[t], ..., starts[t + 1] - 1`` of all.
    leaf_totals : float64, (leaves of all trees,), positive
        The weight of the rows of each leaf. Every vote is divided by it, unless one of the sides
        has `removed` rows and divides by what is left.
    own_vote : bool, default True
        False: ``alpha[i, i] = 0``. Query i must then be sample i, with the same blocks of leaves.

    Examples
    --------
    Three rows in one tree, the first two in one leaf:

    >>> from disambig.votes.executor import LocalExecutor
    >>> blocks = [np.array([[0]], dtype=np.int32), np.array([[0, 1]], dtype=np.int32)]
    >>> rows = LeafBlocks(blocks, np.array([0, 1, 3]), LocalExecutor(), np.ones(3))
    >>> votes = LeafBlockVotes(rows, rows, np.array([0, 2]), np.array([2.0, 1.0]))
    >>> votes @ np.array([1.0, 0.0, 3.0])
    array([0.5, 0.5, 3. ])
    """

    query: LeafBlocks
    sample: LeafBlocks
    starts: AnyArray
    leaf_totals: FloatArray
    own_vote: bool = True

    entries = None
    compressed = None
    is_nonnegative = True
    absolute_sums_are_bounds = True

    @property
    def shape(self) -> tuple[int, int]:
        return self.query.size, self.sample.size

    @property
    def is_symmetric(self) -> bool:
        query, sample = self.query, self.sample
        same = self._has_same_rows and query.removed is sample.removed
        # Two scales that are multiples of each other give the same products.
        return same and np.array_equal(
            query.scale * sample.scale[:1], sample.scale * query.scale[:1]
        )

    @property
    def T(self) -> "LeafBlockVotes":
        return replace(self, query=self.sample, sample=self.query)

    def __matmul__(self, values: FloatArray) -> FloatArray:
        table = value_table("LeafBlockVotes", self.shape, values)
        product = np.empty((self.shape[0], table.shape[1]))
        for start in range(0, table.shape[1], COLUMNS_PER_BLOCK):
            columns = slice(start, start + COLUMNS_PER_BLOCK)
            part = np.ascontiguousarray(table[:, columns])
            sums = self.sample.sums(self.starts, self.leaf_totals, part)
            found = self.query.map(
                _block_product, *self._leaf_facts, sums, *self._own_columns, self._own_values(part)
            )
            product[:, columns] = np.concatenate(found)
        return product.reshape((self.shape[0], *np.shape(values)[1:]))

    def row_sums(self) -> FloatArray:
        return self @ np.ones(self.shape[1])

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        return self.row_sums() if scales is None else self @ scales

    def diagonal(self) -> FloatArray:
        size = min(self.shape)
        if not self.own_vote:
            return np.zeros(size)
        if self._has_same_rows:
            other = self.sample.slices(self.sample.scale), self.sample.slices(self.sample.removed)
            return np.concatenate(self.query.map(_block_diagonal, *self._leaf_facts, *other))
        query, sample = (
            side.take(np.arange(size), *self._tables) for side in (self.query, self.sample)
        )
        weights = _weights(self.leaf_totals, self._divides)
        return PartitionVotes(query, sample, self.starts, weights).diagonal()

    def split(self) -> tuple["LeafBlockVotes", SparseVotes]:
        return self, SparseVotes(sp.csr_array(self.shape))

    def rows(self, start: int, stop: int) -> sp.csr_array:
        return self.rows_at(np.arange(start, stop))

    def rows_at(self, rows: IntArray) -> sp.csr_array:
        """``alpha[rows]``, for rows that fit in memory together.

        Parameters
        ----------
        rows : int array (k,)
        """
        chosen = self.query.take(rows, *self._tables)
        parts = self.sample.map(
            _block_columns, *self._leaf_facts, chosen.leaves, chosen.scale, chosen.factors
        )
        found = sp.csr_array(sp.hstack(parts, format="csr"))
        if self.own_vote:
            return found
        entries = found.tocoo()
        kept = np.asarray(rows)[entries.row] != entries.col
        others = entries.data[kept], (entries.row[kept], entries.col[kept])
        return sp.csr_array(others, shape=found.shape)

    def scale_rows(self, factors: FloatArray) -> "LeafBlockVotes":
        require_nonnegative("LeafBlockVotes", factors)
        return replace(self, query=self.query.scaled(factors))

    def without_own(self) -> "LeafBlockVotes | None":
        return replace(self, own_vote=False) if self._has_same_rows else None

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        part = self.T.rows_at(np.asarray(columns)).tocoo()
        nonzero = part.data != 0
        rows, positions = part.col[nonzero], part.row[nonzero]
        return rows.astype(np.intp), positions.astype(np.intp), part.data[nonzero]

    def links(self, rows: IntArray) -> None:
        """None: nearly any two rows share a leaf of some tree."""
        return

    def strongest(self, limit: int) -> IntArray:
        return strongest_by_blocks(self, limit)

    @property
    def _has_same_rows(self) -> bool:
        return self.query.leaves is self.sample.leaves

    @property
    def _tables(self) -> tuple[AnyArray, FloatArray]:
        return self.starts, self.leaf_totals

    @property
    def _leaf_facts(self) -> tuple[AnyArray, FloatArray, bool]:
        return self.starts, self.leaf_totals, self._divides

    @property
    def _divides(self) -> bool:
        """Whether votes are divided by `leaf_totals`."""
        return self.query.removed is None and self.sample.removed is None

    @property
    def _own_columns(self) -> tuple[RowSlices | None, RowSlices | None]:
        if self.own_vote:
            return None, None
        return self.sample.slices(self.sample.scale), self.sample.slices(self.sample.removed)

    def _own_values(self, values: FloatArray) -> RowSlices | None:
        return None if self.own_vote else self.sample.slices(values)


# ------------------------------------------------------------------ functions of one block


def _membership(
    leaves: AnyArray,
    scale: FloatArray,
    removed: FloatArray | None,
    starts: AnyArray,
    leaf_totals: FloatArray,
) -> Membership:
    """The leaves of the rows of a block, and what the rows count in them."""
    if removed is None:
        return Membership(leaves, scale)
    left, factors = leaves.copy(), np.zeros(leaves.shape)
    for t, start in enumerate(starts[:-1]):
        others = np.where(leaves[t] >= 0, leaf_totals[start + leaves[t]] - removed, 0.0)
        has_others = others > 0
        left[t, ~has_others] = -1
        factors[t, has_others] = 1.0 / others[has_others]
    return Membership(left, scale, factors)


def _weights(leaf_totals: FloatArray, divides: bool) -> FloatArray:
    return 1.0 / leaf_totals if divides else np.ones_like(leaf_totals)


def _block_leaves(leaves: AnyArray, chosen: IntArray, first: IntArray) -> AnyArray:
    found: AnyArray = leaves[:, chosen - first]
    return found


def _block_sums(
    leaves: AnyArray,
    scale: FloatArray,
    removed: FloatArray | None,
    starts: AnyArray,
    leaf_totals: FloatArray,
    values: FloatArray,
) -> FloatArray:
    """The sums of the values of the rows of a block over all leaves."""
    rows = _membership(leaves, scale, removed, starts, leaf_totals)
    scaled = np.multiply(rows.scale[:, None], values, order="C")
    sums = np.zeros((leaf_totals.size, values.shape[1]))
    sum_all_leaves(rows.leaves, rows.factor_table, starts, scaled, sums)
    return sums


def _block_product(
    leaves: AnyArray,
    scale: FloatArray,
    removed: FloatArray | None,
    starts: AnyArray,
    leaf_totals: FloatArray,
    divides: bool,
    sums: FloatArray,
    own_scale: FloatArray | None,
    own_removed: FloatArray | None,
    own_values: FloatArray | None,
) -> FloatArray:
    """The rows of a product; without own votes, what row i added itself is subtracted."""
    rows = columns = _membership(leaves, scale, removed, starts, leaf_totals)
    product = np.zeros((rows.size, sums.shape[1]))
    values = product
    if own_scale is not None and own_values is not None:
        columns = _membership(leaves, own_scale, own_removed, starts, leaf_totals)
        values = np.multiply(own_scale[:, None], own_values, order="C")
    add_all_sums(
        rows.leaves,
        rows.factor_table,
        columns.leaves,
        columns.factor_table,
        starts,
        _weights(leaf_totals, divides),
        own_scale is not None,
        sums,
        values,
        product,
    )
    return np.asarray(rows.scale[:, None] * product)


def _block_diagonal(
    leaves: AnyArray,
    scale: FloatArray,
    removed: FloatArray | None,
    starts: AnyArray,
    leaf_totals: FloatArray,
    divides: bool,
    own_scale: FloatArray,
    own_removed: FloatArray | None,
) -> FloatArray:
    """The votes of the rows of a block at themselves."""
    rows = _membership(leaves, scale, removed, starts, leaf_totals)
    columns = _membership(leaves, own_scale, own_removed, starts, leaf_totals)
    return PartitionVotes(rows, columns, starts, _weights(leaf_totals, divides)).diagonal()


def _block_columns(
    leaves: AnyArray,
    scale: FloatArray,
    removed: FloatArray | None,
    starts: AnyArray,
    leaf_totals: FloatArray,
    divides: bool,
    query_leaves: AnyArray,
    query_scale: FloatArray,
    query_factors: AnyArray | None,
) -> sp.csr_array:
    """The votes of the rows of a block at some queries, ``(k, m)``."""
    columns = _membership(leaves, scale, removed, starts, leaf_totals)
    queries = Membership(query_leaves, query_scale, query_factors)
    votes = PartitionVotes(queries, columns, starts, _weights(leaf_totals, divides))
    return votes.rows(0, queries.size)
