"""Votes between rows that share a leaf, in one tree or in many.

`Membership` says in which leaf of each tree a row is, and what it counts there; `PartitionVotes`
multiplies with the votes by sums over leaves, without forming them.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from disambig.compiled.leaves import add_leaf_sums, count_shared, list_members, list_shared
from disambig.exceptions import VotesError
from disambig.memory import require_bytes
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.votes.blocks import strongest_by_blocks
from disambig.votes.sparse import SparseVotes

_NO_FACTORS = np.empty((0, 0))
_NO_FACTORS.flags.writeable = False
# Columns of values that are summed together. The sums of a tree of some 10^4 leaves then stay in
# the cache (2.5 MB), and the leaves of the rows are read once for 32 columns.
COLUMNS_PER_BLOCK = 32
# Links are written out up to so many pairs of rows that share a leaf, counted tree by tree.
_MAX_LINKED_PAIRS = 2**27


@dataclass(frozen=True, eq=False)
class Membership:
    """Row i is in leaf ``leaves[t, i]`` of tree t and counts ``scale[i] * factors[t, i]`` there.

    Parameters
    ----------
    leaves : int32, (trees, size)
        Counted from 0 in each tree; -1 where the row is in none of its leaves.
    scale : float64, (size,), non-negative
    factors : float64 or unsigned integers, (trees, size), non-negative; or None
        None: all one.
    """

    leaves: AnyArray
    scale: FloatArray
    factors: AnyArray | None = None

    @property
    def size(self) -> int:
        """The number of rows."""
        return int(self.leaves.shape[1])

    @property
    def factor_table(self) -> AnyArray:
        """`factors` as compiled functions take them: an empty array for None."""
        return _NO_FACTORS if self.factors is None else self.factors

    def take(self, rows: IntArray) -> "Membership":
        """The membership of some rows."""
        factors = None if self.factors is None else self.factors[:, rows]
        return Membership(self.leaves[:, rows], self.scale[rows], factors)

    def scaled(self, by: FloatArray) -> "Membership":
        """The same rows with their `scale` multiplied by `by`, ``(size,)``."""
        return Membership(self.leaves, self.scale * by, self.factors)


@dataclass(frozen=True, eq=False)
class PartitionVotes:
    """``alpha[i, j] = sum_t [i and j share leaf k of tree t] a_t(i) u_t(k) b_t(j)``, never formed.

    A product sums the values of the samples in each leaf and adds the sum to each query in the
    leaf: ``trees * (n + q) * p`` operations. Methods that return entries list the members of
    leaves. All votes are non-negative.

    Parameters
    ----------
    query_leaves : Membership (q)
        Leaves of the queries; ``a_t(i)`` is what query i counts.
    sample_leaves : Membership (n)
        Leaves of the samples; ``b_t(j)`` is what sample j counts.
    starts : int64, (trees + 1,)
        The leaves of tree t are ``starts[t], ..., starts[t + 1] - 1`` of `leaf_weights`.
    leaf_weights : float64, (leaves of all trees,), positive
        u.
    own_vote : bool, default True
        False: ``alpha[i, i] = 0``. Query i must then be sample i: in each tree, both have the same
        leaf, or one of them has -1.

    Examples
    --------
    Three rows in one tree, the first two in a leaf of weight one half:

    >>> import numpy as np
    >>> rows = Membership(np.array([[0, 0, 1]], dtype=np.int32), np.ones(3))
    >>> votes = PartitionVotes(rows, rows, np.array([0, 2]), np.array([0.5, 1.0]))
    >>> votes @ np.array([1.0, 0.0, 3.0])
    array([0.5, 0.5, 3. ])
    """

    query_leaves: Membership
    sample_leaves: Membership
    starts: AnyArray
    leaf_weights: FloatArray
    own_vote: bool = True

    entries = None
    compressed = None
    is_nonnegative = True
    absolute_sums_are_bounds = True

    @property
    def shape(self) -> tuple[int, int]:
        return self.query_leaves.size, self.sample_leaves.size

    @cached_property
    def is_symmetric(self) -> bool:
        query, sample = self.query_leaves, self.sample_leaves
        same = query.leaves is sample.leaves and query.factors is sample.factors
        # Two scales that are multiples of each other give the same products.
        return same and np.array_equal(
            query.scale * sample.scale[:1], sample.scale * query.scale[:1]
        )

    @cached_property
    def T(self) -> "PartitionVotes":
        # Cached, because the transpose caches its lists of members.
        return replace(self, query_leaves=self.sample_leaves, sample_leaves=self.query_leaves)

    def __matmul__(self, values: FloatArray) -> FloatArray:
        q = self.shape[0]
        table = value_table("PartitionVotes", self.shape, values)
        product = np.empty((q, table.shape[1]))
        for start in range(0, table.shape[1], COLUMNS_PER_BLOCK):
            block = slice(start, start + COLUMNS_PER_BLOCK)
            scaled = np.multiply(self.sample_leaves.scale[:, None], table[:, block], order="C")
            part = np.zeros((q, scaled.shape[1]))
            add_leaf_sums(
                self.query_leaves.leaves,
                self.query_leaves.factor_table,
                self.sample_leaves.leaves,
                self.sample_leaves.factor_table,
                self.starts,
                self.leaf_weights,
                not self.own_vote,
                scaled,
                part,
            )
            product[:, block] = self.query_leaves.scale[:, None] * part
        return product.reshape((q, *np.shape(values)[1:]))

    def row_sums(self) -> FloatArray:
        return self @ np.ones(self.shape[1])

    def absolute_row_sums(self, scales: FloatArray | None = None) -> FloatArray:
        return self.row_sums() if scales is None else self @ scales

    def diagonal(self) -> FloatArray:
        size = min(self.shape)
        if not self.own_vote:
            return np.zeros(size)
        entries = np.zeros(size)
        for t, start in enumerate(self.starts[:-1]):
            leaf = self.query_leaves.leaves[t, :size]
            rows = np.flatnonzero((leaf >= 0) & (leaf == self.sample_leaves.leaves[t, :size]))
            shared = self.leaf_weights[start + leaf[rows]]
            for side in (self.query_leaves, self.sample_leaves):
                shared = shared if side.factors is None else shared * side.factors[t, rows]
            entries[rows] += shared
        return self.query_leaves.scale[:size] * self.sample_leaves.scale[:size] * entries

    def split(self) -> tuple["PartitionVotes", SparseVotes]:
        return self, SparseVotes(sp.csr_array(self.shape))

    def rows(self, start: int, stop: int) -> sp.csr_array:
        return self._written_rows(np.arange(start, stop))

    def scale_rows(self, factors: FloatArray) -> "PartitionVotes":
        require_nonnegative("PartitionVotes", factors)
        return replace(self, query_leaves=self.query_leaves.scaled(factors))

    def without_own(self) -> "PartitionVotes | None":
        leaves, others = self.query_leaves.leaves, self.sample_leaves.leaves
        in_both = (leaves >= 0) & (others >= 0)
        # Only then does `own_vote` mean the diagonal.
        has_same_rows = leaves.shape == others.shape and np.array_equal(
            leaves[in_both], others[in_both]
        )
        return replace(self, own_vote=False) if has_same_rows else None

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        part = self.T._written_rows(np.asarray(columns)).tocoo()
        nonzero = part.data != 0
        rows, positions = part.col[nonzero], part.row[nonzero]
        return rows.astype(np.intp), positions.astype(np.intp), part.data[nonzero]

    def links(self, rows: IntArray) -> sp.csr_array | None:
        """``alpha[rows][:, rows]``, or None where it would have too many entries.

        The limit is some 10^8 pairs of rows that share a leaf, counted tree by tree.
        """
        part = replace(
            self,
            query_leaves=self.query_leaves.take(rows),
            sample_leaves=self.sample_leaves.take(rows),
        )
        if part._pairs > _MAX_LINKED_PAIRS:
            return None
        return part.rows(0, len(rows))

    def strongest(self, limit: int) -> IntArray:
        return strongest_by_blocks(self, limit)

    @cached_property
    def _members(self) -> tuple[AnyArray, AnyArray]:
        """The samples of each leaf, as bounds and members: see `list_members`."""
        return list_members(self.sample_leaves.leaves, self.starts)

    @property
    def _pairs(self) -> int:
        """The number of pairs of query and sample that share a leaf, summed over the trees."""
        leaves, sizes = self.query_leaves.leaves, np.diff(self._members[0])
        per_tree = (
            int(sizes[self.starts[t] + row[row >= 0]].sum()) for t, row in enumerate(leaves)
        )
        return sum(per_tree)

    def _written_rows(self, rows: IntArray) -> sp.csr_array:
        """Some rows of alpha as a sparse matrix."""
        bounds, members = self._members
        n, hollow = self.shape[1], not self.own_vote
        leaves = self.query_leaves.leaves
        ends = count_shared(rows, leaves, self.starts, bounds, members, n, hollow)
        require_bytes(
            12.0 * ends[-1],
            f"The {ends[-1]} votes of {rows.size} rows, written out,",
            "Grow trees with smaller leaves, or request fewer rows at a time.",
        )
        columns, data = list_shared(
            rows,
            leaves,
            self.query_leaves.factor_table,
            self.sample_leaves.factor_table,
            self.starts,
            self.leaf_weights,
            bounds,
            members,
            n,
            hollow,
            ends,
        )
        data *= self.sample_leaves.scale[columns]
        data *= np.repeat(self.query_leaves.scale[rows], np.diff(ends))
        # Both index arrays need the same width; 32 bits where they suffice.
        ends = ends.astype(np.int32) if ends[-1] <= np.iinfo(np.int32).max else ends
        return sp.csr_array((data, columns, ends), shape=(rows.size, n))


def value_table(owner: str, shape: tuple[int, int], values: FloatArray) -> FloatArray:
    """Values that votes ``(q, n)`` are multiplied with, as a table ``(n, p)``.

    Parameters
    ----------
    owner : str
        The votes, named in errors.
    shape : (q, n)
    values : array (n,) or (n, p)
    """
    n = shape[1]
    table = np.asarray(values, dtype=np.float64)
    # Checked here: compiled functions do not check bounds.
    if table.ndim not in (1, 2) or table.shape[0] != n:
        raise ValueError(
            f"{owner} of shape {shape}: expected values of shape ({n},) or ({n}, p); got "
            f"{table.shape}."
        )
    return table[:, None] if table.ndim == 1 else table


def require_nonnegative(owner: str, factors: FloatArray) -> None:
    """Raise `VotesError` unless the factors of rows, ``(q,)``, are at least 0."""
    if not (factors >= 0).all():
        row = int(np.argmin(factors >= 0))
        raise VotesError(
            f"{owner}: the factor of row {row} is {factors[row]}; expected at least 0, so that the "
            "votes stay non-negative."
        )
