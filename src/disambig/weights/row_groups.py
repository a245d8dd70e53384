"""Rows that differ, each once, in an order that depends on nothing but the rows.

Inputs that are equal: each kind of row once, and where a new row has been seen.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.notation import AnyArray, IntArray

# Numbers hashed together.
_VALUES_PER_BLOCK = 2**20
_ODD = np.uint64(0xD6E8FEB86659FD93)


def distinct_rows(X: Any) -> IntArray:
    """The first row of each kind, ordered by a hash of its entries.

    What is grown on these rows in this order depends neither on copies nor on the order of the
    training set, and is the same for dense and sparse inputs. Two kinds that share a hash of 64
    bits count as one, which no more than leaves one row out.

    Parameters
    ----------
    X : float32 array or canonical csr_array, (n, d), finite

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [0.0], [1.0], [-0.0]], dtype=np.float32)
    >>> sorted(distinct_rows(X).tolist())
    [0, 1]
    """
    return np.unique(_hashes(X), return_index=True)[1]


def hash_rows(X: Any) -> IntArray:
    """The number of each row's kind, ``(n,)``: equal rows share one, and hashes order them.

    As in `distinct_rows`, by all digits where float32 does not tell rows apart: the numbers of the
    same rows do not depend on copies or on their order, and rows that look alike have numbers far
    apart.

    Examples
    --------
    >>> import numpy as np
    >>> kinds = hash_rows(np.array([[1.0], [0.0], [1.0], [-0.0]]))
    >>> bool(kinds[0] == kinds[2]), bool(kinds[1] == kinds[3]), sorted(set(kinds.tolist()))
    (True, True, [0, 1])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = X.astype(np.float32)
        rest = (X - rounded).astype(np.float32)
    kinds = np.unique(_hashes(rounded), return_inverse=True)[1].ravel()
    # Rows far from zero can differ in digits that float32 has not.
    exact = np.unique(_hashes(rounded) * _ODD + _hashes(rest), return_inverse=True)[1].ravel()
    return exact if exact.max(initial=0) > kinds.max(initial=0) else kinds


def _hashes(X: Any) -> AnyArray:
    if sp.issparse(X):
        sums = np.concatenate(
            [np.zeros(1, dtype=np.uint64), np.cumsum(_hash_values(X.data, X.indices))]
        )
        differences: AnyArray = sums[X.indptr[1:]] - sums[X.indptr[:-1]]
        return differences
    n, d = X.shape
    hashes = np.empty(n, dtype=np.uint64)
    step = max(1, _VALUES_PER_BLOCK // d)
    for start in range(0, n, step):
        block = _hash_values(X[start : start + step], np.arange(d))
        hashes[start : start + step] = block.sum(axis=1, dtype=np.uint64)
    return hashes


def _hash_values(values: AnyArray, features: AnyArray) -> AnyArray:
    """Bits of (value, feature) spread over 64, modulo 2^64; nothing for a zero."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
    bits += (features.astype(np.uint64) + np.uint64(1)) << np.uint64(32)
    for factor in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F):
        bits *= np.uint64(factor)
        bits ^= bits >> np.uint64(29)
    return np.where(values == 0, np.uint64(0), bits)


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
        factors = _mix_bits(np.arange(1 + half * d, 1 + (half + 1) * d, dtype=np.uint64))
        factors |= np.uint64(1)
        if sp.issparse(X):
            bits = _mix_bits(_bits(X.data) + np.uint64(half))
            bits[X.data == 0] = 0
            mixed = sp.csr_array((bits, X.indices, X.indptr), shape=X.shape)
            keys[:, half] = mixed @ factors
            continue
        step = max(1, _VALUES_PER_BLOCK // max(1, d))
        for start in range(0, n, step):
            block = X[start : start + step]
            bits = _mix_bits(_bits(block) + np.uint64(half))
            bits[block == 0] = 0
            keys[start : start + step, half] = (bits * factors).sum(axis=1, dtype=np.uint64)
    return keys


def _bits(values: AnyArray) -> AnyArray:
    return np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)


def _mix_bits(bits: AnyArray) -> AnyArray:
    """Every bit of a number spread over all of them (multiplications modulo 2^64)."""
    mixed = bits.copy()
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed
