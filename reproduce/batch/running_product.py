"""Products that are brought up to date rather than made anew."""

from typing import Protocol, Self, runtime_checkable

import numpy as np

from disambig.notation import FloatArray, IntArray
from disambig.votes.protocol import Votes
from reproduce.batch.kernels import changed_rows, count_changes

# Changing an entry of the values costs as much as so many in a whole product.
_CHANGE = 3
# Rounding of so many changes for each entry is still far below the tolerance of a tie.
_REFRESH = 8


@runtime_checkable
class CombinesColumns(Protocol):
    """Votes that can be multiplied with a few rows of values for less than with all."""

    def combine_columns(self, columns: IntArray, values: FloatArray) -> FloatArray:
        """``alpha[:, columns] @ values`` for values of shape (len(columns), p)."""
        ...


class RunningProduct:
    """``votes @ values`` of values that change little from call to call, and from block to block.

    After the first few steps of an alternation most rows keep their label, and what a new label
    changes is a sum of as many columns of ``alpha`` as labels are new. Several problems on the same
    rows (levels of corruption, candidate sets, starts) are blocks of values; they too have most
    labels in common, so that a block is told from its own past or from the block before it,
    whichever is nearer. Rounding adds up with every change: a block in which eight times as many
    entries have changed as it has is multiplied anew, so that the error stays that of a long sum.

    Parameters
    ----------
    votes : Votes (q, n)
        Everything is made anew if they do not meet `CombinesColumns`.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.votes import DenseVotes
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
        """Another one that knows what this one knows."""
        other = type(self)(self.votes)
        other._values, other._products = self._values, self._products
        other._changes = self._changes
        return other

    def know(self, values: FloatArray, products: FloatArray) -> None:
        """Begin with products that are known already, (blocks, q, p) from (blocks, n, p)."""
        self._values, self._products = values, products
        self._changes = np.zeros(len(values), dtype=np.intp)

    def __call__(self, values: FloatArray) -> FloatArray:
        """``votes @ values[b]`` for each block b, (blocks, q, p) from (blocks, n, p).

        The answer is not to be written to, and `values` not any more.
        """
        if isinstance(self.votes, CombinesColumns):
            self._update(self.votes, np.ascontiguousarray(values, dtype=np.float64))
        elif self._values.shape != values.shape:
            self._products = self._anew(values)
        else:
            moved = (values != self._values).any(axis=(1, 2))
            if moved.any():
                self._products = self._products.copy()
                self._products[moved] = self._anew(values[moved])
        self._values = values
        return self._products

    def _update(self, votes: CombinesColumns, values: FloatArray) -> None:
        size = values[0].size
        if self._values.shape != values.shape:
            # Without a past everything is new, or like its neighbour.
            self._values = np.full(values.shape, np.nan)
            self._products = np.empty((len(values), self.votes.shape[0], values.shape[2]))
            self._changes = np.zeros(len(values), dtype=np.intp)
        past, beside = count_changes(values, self._values)
        follows = beside < past
        counts = np.where(follows, beside, past)
        anew = counts * _CHANGE > size
        changes = self._changes.copy()
        for block in range(len(values)):
            changes[block] = changes[block - follows[block]] + counts[block]
            anew[block] |= changes[block] > _REFRESH * size
            changes[block] = 0 if anew[block] else changes[block]
        products = self._products.copy()
        if anew.any():
            products[anew] = self._anew(values[anew])
        told = np.flatnonzero((counts > 0) & ~anew)
        found: FloatArray = np.empty((self.votes.shape[0], 0))
        if told.size:
            found = votes.combine_columns(*changed_rows(values, self._values, told, follows))
        steps = found.reshape(self.votes.shape[0], told.size, values.shape[2])
        place = 0
        # In their order: a block may be told from one that has been told just now.
        for each in np.flatnonzero(~anew & (follows | (counts > 0))):
            if follows[each]:
                products[each] = products[each - 1]
            if counts[each]:
                products[each] += steps[:, place]
                place += 1
        self._products, self._changes = products, changes

    def _anew(self, values: FloatArray) -> FloatArray:
        return _narrow(self.votes @ _wide(values), len(values))


def _wide(values: FloatArray) -> FloatArray:
    blocks, n, p = values.shape
    return values.transpose(1, 0, 2).reshape(n, blocks * p)


def _narrow(product: FloatArray, blocks: int) -> FloatArray:
    q = len(product)
    return np.ascontiguousarray(product.reshape(q, blocks, -1).transpose(1, 0, 2))
