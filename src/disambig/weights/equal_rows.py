"""Inputs that are equal: each kind of row once, and where a new row has been seen."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.notation import AnyArray, IntArray

__all__ = ["EqualRows"]

# Numbers hashed together.
_BLOCK = 2**20


@dataclass(frozen=True, eq=False)
class EqualRows:
    """The kinds of the rows of X, numbered by their first appearance.

    Rows are compared by a hash of 128 bits: among a million kinds, two that share one are less
    likely than one in 10^26.

    Parameters
    ----------
    first : (N,)
        The first row of each kind, ascending.
    kind : (n,)
        The kind of each row.
    keys : uint64, (N, 2)
        Hashes of the kinds, sorted.
    sorted_kinds : (N,)
        The kind behind each of them.

    Examples
    --------
    >>> import numpy as np
    >>> rows = EqualRows.build(np.array([[5.0], [0.0], [5.0], [-0.0]]))
    >>> rows.kind, rows.find(np.array([[0.0], [4.0]]))
    (array([0, 1, 0, 1]), array([ 1, -1]))
    """

    first: IntArray
    kind: IntArray
    keys: AnyArray
    sorted_kinds: IntArray

    @classmethod
    def build(cls, X: Any) -> "EqualRows":
        """Compare the rows of X, a finite float64 array or canonical ``csr_array`` ``(n, d)``."""
        keys = _keys(X)
        order = np.lexsort((np.arange(keys.shape[0]), keys[:, 1], keys[:, 0]))
        ranked = keys[order]
        new = np.ones(order.size, dtype=np.bool_)
        new[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
        # The order is stable: the first of equal rows is the earliest.
        earliest = order[new]
        by_appearance = np.argsort(earliest)
        number = np.empty(earliest.size, dtype=np.intp)
        number[by_appearance] = np.arange(earliest.size)
        kind = np.empty(order.size, dtype=np.intp)
        kind[order] = number[np.cumsum(new) - 1]
        return cls(earliest[by_appearance], kind, ranked[new], number)

    def find(self, X: Any) -> IntArray:
        """The kind of each row of X, -1 for a row that has not been seen, ``(q,)``."""
        keys = _keys(X)
        place = np.searchsorted(self.keys[:, 0], keys[:, 0])
        place = np.minimum(place, self.keys.shape[0] - 1)
        seen = (self.keys[place] == keys).all(axis=1)
        return np.where(seen, self.sorted_kinds[place], -1)


def _keys(X: Any) -> AnyArray:
    """Two sums of mixed entries, modulo 2^64, ``(n, 2)``; zeros add nothing, stored or not."""
    n, d = X.shape
    keys = np.zeros((n, 2), dtype=np.uint64)
    for half in range(2):
        factors = _mixed(np.arange(1 + half * d, 1 + (half + 1) * d, dtype=np.uint64))
        factors |= np.uint64(1)
        if sp.issparse(X):
            bits = _mixed(_bits(X.data) + np.uint64(half))
            bits[X.data == 0] = 0
            mixed = sp.csr_array((bits, X.indices, X.indptr), shape=X.shape)
            keys[:, half] = mixed @ factors
            continue
        step = max(1, _BLOCK // max(1, d))
        for start in range(0, n, step):
            block = X[start : start + step]
            bits = _mixed(_bits(block) + np.uint64(half))
            bits[block == 0] = 0
            keys[start : start + step, half] = (bits * factors).sum(axis=1, dtype=np.uint64)
    return keys


def _bits(values: AnyArray) -> AnyArray:
    return np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)


def _mixed(bits: AnyArray) -> AnyArray:
    """Every bit of a number spread over all of them (multiplications modulo 2^64)."""
    mixed = bits.copy()
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed
