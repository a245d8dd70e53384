"""Products of votes and values that are updated when few values change."""

from typing import Protocol, Self, runtime_checkable

import numpy as np

from disambig.notation import FloatArray, IntArray
from disambig.votes.protocol import Votes
from reproduce.batch.kernels import changed_rows, count_changes

# Updating one entry of the values costs as much as this many entries of a whole product.
_UPDATE_COST = 3
# The rounding error of this many updates per entry is still far below the tolerance of a tie.
_MAX_CHANGES_PER_ENTRY = 8


@runtime_checkable
class CombinesColumns(Protocol):
    """Votes whose product with a few rows of values costs less than that with all rows."""

    def combine_columns(self, columns: IntArray, values: FloatArray) -> FloatArray:
        """``alpha[:, columns] @ values`` for values of shape (len(columns), p)."""
        ...


class RunningProduct:
    """``votes @ values`` for values that change little from call to call and from block to block.

    After the first few steps of an alternation most rows keep their label. The product then changes
    by a sum of as many columns of ``alpha`` as there are new labels. Several problems on the same
    rows (levels of corruption, candidate sets, starts) are blocks of values. They also have most
    labels in common, so a block is updated from its own older values or from the block before it,
    whichever differs less. Every update adds rounding error: after eight changes per entry of a
    block its product is computed from scratch, so that the error stays that of a long sum.

    Parameters
    ----------
    votes : Votes (q, n)
        Blocks that changed are multiplied from scratch if the votes are not `CombinesColumns`.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.votes.dense import DenseVotes
    >>> running = RunningProduct(DenseVotes(np.array([[0.5, 0.5], [0.0, 1.0]])))
    >>> running(np.array([[[1.0], [0.0]]])).ravel()
    array([0.5, 0. ])
    >>> running(np.array([[[1.0], [1.0]]])).ravel()
    array([1., 1.])
    """

    def __init__(self, votes: Votes) -> None:
        self.votes = votes
        self._values: FloatArray = np.empty((0, 0, 0))
        self._products: FloatArray = np.empty((0, 0, 0))
        self._changes = np.zeros(0, dtype=np.intp)

    def copy(self) -> Self:
        """An independent copy with the same stored values and products."""
        other = type(self)(self.votes)
        other._values, other._products = self._values, self._products
        other._changes = self._changes
        return other

    def set_known(self, values: FloatArray, products: FloatArray) -> None:
        """Store known products of values, (blocks, q, p) from (blocks, n, p)."""
        self._values, self._products = values, products
        self._changes = np.zeros(len(values), dtype=np.intp)

    def __call__(self, values: FloatArray) -> FloatArray:
        """``votes @ values[b]`` for each block b, (blocks, q, p) from (blocks, n, p).

        The caller must write neither to the result nor, from then on, to `values`.
        """
        if isinstance(self.votes, CombinesColumns):
            self._update(self.votes, np.ascontiguousarray(values, dtype=np.float64))
        elif self._values.shape != values.shape:
            self._products = self._multiply(values)
        else:
            moved = (values != self._values).any(axis=(1, 2))
            if moved.any():
                self._products = self._products.copy()
                self._products[moved] = self._multiply(values[moved])
        self._values = values
        return self._products

    def _update(self, votes: CombinesColumns, values: FloatArray) -> None:
        size = values[0].size
        if self._values.shape != values.shape:
            # Nothing is stored yet: NaN differs from every value, so a block is computed from
            # scratch or from the block before it.
            self._values = np.full(values.shape, np.nan)
            self._products = np.empty((len(values), self.votes.shape[0], values.shape[2]))
            self._changes = np.zeros(len(values), dtype=np.intp)
        since_older, since_previous = count_changes(values, self._values)
        follows = since_previous < since_older
        counts = np.where(follows, since_previous, since_older)
        from_scratch = counts * _UPDATE_COST > size
        changes = self._changes.copy()
        for block in range(len(values)):
            changes[block] = changes[block - follows[block]] + counts[block]
            from_scratch[block] |= changes[block] > _MAX_CHANGES_PER_ENTRY * size
            changes[block] = 0 if from_scratch[block] else changes[block]
        products = self._products.copy()
        if from_scratch.any():
            products[from_scratch] = self._multiply(values[from_scratch])
        updated = np.flatnonzero((counts > 0) & ~from_scratch)
        found: FloatArray = np.empty((self.votes.shape[0], 0))
        if updated.size:
            found = votes.combine_columns(*changed_rows(values, self._values, updated, follows))
        steps = found.reshape(self.votes.shape[0], updated.size, values.shape[2])
        index = 0
        # In increasing order: the block before may have been updated in this loop.
        for block in np.flatnonzero(~from_scratch & (follows | (counts > 0))).tolist():
            if follows[block]:
                products[block] = products[block - 1]
            if counts[block]:
                products[block] += steps[:, index]
                index += 1
        self._products, self._changes = products, changes

    def _multiply(self, values: FloatArray) -> FloatArray:
        return _narrow(self.votes @ _wide(values), len(values))


def _wide(values: FloatArray) -> FloatArray:
    blocks, n, p = values.shape
    return values.transpose(1, 0, 2).reshape(n, blocks * p)


def _narrow(product: FloatArray, blocks: int) -> FloatArray:
    q = len(product)
    return np.ascontiguousarray(product.reshape(q, blocks, -1).transpose(1, 0, 2))
