"""Groups of rows with equal inputs, found by hashing.

`distinct_rows` and `hash_rows` depend only on the rows, not on their order or number of copies.
`EqualRows` numbers the groups by first appearance and finds the group of a new row. Zeros do not
enter a hash, so dense and sparse inputs give the same groups, and 0.0 equals -0.0.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from disambig.notation import AnyArray, IntArray
from disambig.weights.divided.rows import is_divided

# Numbers that are hashed together: 8 MiB of uint64.
_VALUES_PER_BLOCK = 2**20
# Entries of rows in parts whose columns are ranked.
_MAX_RANKED_ENTRIES = 10**7
# Multiplies one of two hashes before they are added, so that swapping them changes the sum. Any odd
# number is invertible modulo 2^64.
_HASH_FACTOR = np.uint64(0xD6E8FEB86659FD93)


def distinct_rows(X: Any) -> IntArray:
    """The first row of each group of equal rows, ordered by a hash of its entries.

    Trees that are grown on these rows in this order depend neither on copies nor on the order of
    the training set, and are the same for dense and sparse inputs. Two groups that share a hash of
    64 bits count as one; the only effect is that one row is left out.

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
    """The group of each row, ``(n,)``: equal rows share a number, and hashes order the groups.

    Rows are compared in float32 as in `distinct_rows`, and in float64 where that separates more
    groups. The numbers do not depend on copies or on the order of the rows, and similar rows do not
    get neighbouring numbers.

    Examples
    --------
    >>> import numpy as np
    >>> groups = hash_rows(np.array([[1.0], [0.0], [1.0], [-0.0]]))
    >>> bool(groups[0] == groups[2]), bool(groups[1] == groups[3]), sorted(set(groups.tolist()))
    (True, True, [0, 1])
    """
    pairs = X.per_row(_hash_pairs) if is_divided(X) else _hash_pairs(X)
    return _groups_of(pairs)


def _hash_pairs(X: Any) -> AnyArray:
    """Hashes of the rows in float32, and in float64, ``(n, 2)``."""
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = X.astype(np.float32)
        rest = (X - rounded).astype(np.float32)
    first = _hashes(rounded)
    # Rows far from zero can differ in digits that float32 does not hold.
    return np.column_stack([first, first * _HASH_FACTOR + _hashes(rest)])


def _groups_of(pairs: AnyArray) -> IntArray:
    groups, exact = (np.unique(hashes, return_inverse=True)[1].ravel() for hashes in pairs.T)
    return exact if exact.max(initial=0) > groups.max(initial=0) else groups


def rank_hashes(X: Any) -> IntArray:
    """`hash_rows` of the ranks of the values in each column: units and offsets do not matter.

    Sparse inputs are hashed as they are, and so are rows in parts with more than 10^7 entries:
    ranks need a column of all rows in memory.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(5, 2))
    >>> bool((rank_hashes(X) == rank_hashes(X * [1e3, 7.0] + 5.0)).all())
    True
    """
    if sp.issparse(X):
        return hash_rows(X)
    if is_divided(X):
        if X.shape[0] * X.shape[1] > _MAX_RANKED_ENTRIES:
            return hash_rows(X)
        X = np.column_stack([X.column(j) for j in range(X.n_features)])
    ranks = [np.unique(column, return_inverse=True)[1].ravel() for column in np.asarray(X).T]
    # Zeros do not enter a hash.
    return hash_rows(np.column_stack(ranks).astype(np.float64) + 1.0)


def joined_groups(equal: IntArray, groups: IntArray | None) -> IntArray:
    """The smallest groups that both partitions refine, ``(n,)``, in the order of `equal`.

    Rows are in one group if they have equal inputs, or are in one group of the user, or are linked
    by a chain of such rows.

    Examples
    --------
    >>> import numpy as np
    >>> joined_groups(np.array([2, 0, 2, 1, 3]), np.array([0, 0, 1, 2, 3])).tolist()
    [0, 0, 0, 1, 2]
    """
    if groups is None:
        return equal
    n_equal = int(equal.max()) + 1
    codes = np.unique(groups, return_inverse=True)[1].ravel() + n_equal
    size = int(codes.max()) + 1
    edges = sp.coo_array((np.ones(equal.size), (equal, codes)), shape=(size, size))
    parts = connected_components(edges, directed=False)[1][equal]
    first = np.full(int(parts.max()) + 1, n_equal)
    np.minimum.at(first, parts, equal)
    joined: IntArray = np.unique(first[parts], return_inverse=True)[1].ravel()
    return joined


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
    """A hash of 64 bits of each pair (value, feature); 0 for a value of zero."""
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
    bits += (features.astype(np.uint64) + np.uint64(1)) << np.uint64(32)
    for factor in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F):
        bits *= np.uint64(factor)
        bits ^= bits >> np.uint64(29)
    return np.where(values == 0, np.uint64(0), bits)


@dataclass(frozen=True, eq=False)
class EqualRows:
    """The groups of equal rows of X, numbered by their first appearance.

    Rows are compared by a hash of 128 bits: among a million groups, the probability that two share
    a hash is below 10^-26.

    Parameters
    ----------
    first : (N,)
        The first row of each group, ascending.
    group : (n,)
        The group of each row.
    keys : uint64, (N, 2)
        Hashes of the groups, sorted.
    sorted_groups : (N,)
        The group that each of these hashes belongs to.

    Examples
    --------
    >>> import numpy as np
    >>> rows = EqualRows.build(np.array([[5.0], [0.0], [5.0], [-0.0]]))
    >>> rows.group, rows.find(np.array([[0.0], [4.0]]))
    (array([0, 1, 0, 1]), array([ 1, -1]))
    """

    first: IntArray
    group: IntArray
    keys: AnyArray
    sorted_groups: IntArray

    @classmethod
    def build(cls, X: Any) -> "EqualRows":
        """Compare the rows of X, a finite float64 array or canonical ``csr_array`` ``(n, d)``."""
        keys = row_keys(X)
        order = np.lexsort((np.arange(keys.shape[0]), keys[:, 1], keys[:, 0]))
        ranked = keys[order]
        new = np.ones(order.size, dtype=np.bool_)
        new[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
        # Row numbers are the last sort key, so the first of equal rows is the earliest.
        earliest = order[new]
        by_appearance = np.argsort(earliest)
        number = np.empty(earliest.size, dtype=np.intp)
        number[by_appearance] = np.arange(earliest.size)
        group = np.empty(order.size, dtype=np.intp)
        group[order] = number[np.cumsum(new) - 1]
        return cls(earliest[by_appearance], group, ranked[new], number)

    def find(self, X: Any) -> IntArray:
        """The group of each row of X, ``(q,)``; -1 for a row that equals no training row."""
        keys = row_keys(X)
        place = np.searchsorted(self.keys[:, 0], keys[:, 0])
        place = np.minimum(place, self.keys.shape[0] - 1)
        seen = (self.keys[place] == keys).all(axis=1)
        return np.where(seen, self.sorted_groups[place], -1)


def row_keys(X: Any) -> AnyArray:
    """Hashes of 128 bits of the rows, ``(n, 2)``; equal rows have equal hashes.

    Parameters
    ----------
    X : finite float array, canonical csr_array or DividedRows, (n, d)
    """
    keys: AnyArray = X.per_row(_keys) if is_divided(X) else _keys(X)
    return keys


def _keys(X: Any) -> AnyArray:
    """Hashes of the rows: two sums of mixed entries modulo 2^64, ``(n, 2)``.

    A zero adds nothing, whether it is stored or not.
    """
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
    """Mix 64 bits so that each one affects all others: the finaliser of splitmix64."""
    mixed = bits.copy()
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed
