"""Rows that differ, each once, in an order that depends on nothing but the rows."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.notation import AnyArray, IntArray

__all__ = ["distinct_rows", "row_kinds"]

# Numbers hashed together.
_BLOCK = 2**20
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


def row_kinds(X: Any) -> IntArray:
    """The number of each row's kind, ``(n,)``: equal rows share one, and hashes order them.

    As in `distinct_rows`, by all digits where float32 does not tell rows apart: the numbers of the
    same rows do not depend on copies or on their order, and rows that look alike have numbers far
    apart.

    Examples
    --------
    >>> import numpy as np
    >>> kinds = row_kinds(np.array([[1.0], [0.0], [1.0], [-0.0]]))
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
        sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(_mixed(X.data, X.indices))])
        differences: AnyArray = sums[X.indptr[1:]] - sums[X.indptr[:-1]]
        return differences
    n, d = X.shape
    hashes = np.empty(n, dtype=np.uint64)
    step = max(1, _BLOCK // d)
    for start in range(0, n, step):
        block = _mixed(X[start : start + step], np.arange(d))
        hashes[start : start + step] = block.sum(axis=1, dtype=np.uint64)
    return hashes


def _mixed(values: AnyArray, features: AnyArray) -> AnyArray:
    """Bits of (value, feature) spread over 64, modulo 2^64; nothing for a zero."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
    bits += (features.astype(np.uint64) + np.uint64(1)) << np.uint64(32)
    for factor in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F):
        bits *= np.uint64(factor)
        bits ^= bits >> np.uint64(29)
    return np.where(values == 0, np.uint64(0), bits)
