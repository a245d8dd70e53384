"""Which leaf of each tree a row is in, and how much it counts there.

Votes of those who share a leaf, in one tree or in many.
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
# Columns of values taken through the trees together: as many as keep the sums of a tree of some
# 10^4 leaves near the processor, and enough to read the leaves of the rows seldom.
_COLUMNS = 32
# Pairs of rows that share a leaf, counted tree by tree, up to which they are written out as links.
_MOST_LINKS = 2**27


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
        """How many rows."""
        return int(self.leaves.shape[1])

    @property
    def factor_table(self) -> AnyArray:
        """`factors` as compiled functions take them: without rows where there are none."""
        return _NO_FACTORS if self.factors is None else self.factors

    def take(self, rows: IntArray) -> "Membership":
        """Those of some rows."""
        factors = None if self.factors is None else self.factors[:, rows]
        return Membership(self.leaves[:, rows], self.scale[rows], factors)

    def scaled(self, by: FloatArray) -> "Membership":
        """The same rows, each counting so many times as much."""
        return Membership(self.leaves, self.scale * by, self.factors)


@dataclass(frozen=True, eq=False)
class PartitionVotes:
    """``alpha[i, j] = sum_t [i and j share leaf k of tree t] a_t(i) u_t(k) b_t(j)``, never formed.

    A product sums what the samples of each leaf bring and reads the sum at each query of the leaf:
    ``trees * (n + q) * p`` steps. Questions about entries list the members of leaves. Votes are
    non-negative.

    Parameters
    ----------
    listeners : Membership (q)
        Leaves of the queries; ``a_t(i)`` is what they count.
    voters : Membership (n)
        Leaves of the samples; ``b_t(j)`` is what they count.
    starts : int64, (trees + 1,)
        The leaves of tree t are ``starts[t], ..., starts[t + 1] - 1`` of `leaf_weights`.
    leaf_weights : float64, (leaves of all trees,), positive
        u.
    own_vote : bool, default True
        False: ``alpha[i, i] = 0``. Query i is then sample i: of their two leaves in a tree, either
        is the other or one is -1.

    Examples
    --------
    Three rows in one tree, the first two in a leaf of weight one half:

    >>> import numpy as np
    >>> rows = Membership(np.array([[0, 0, 1]], dtype=np.int32), np.ones(3))
    >>> votes = PartitionVotes(rows, rows, np.array([0, 2]), np.array([0.5, 1.0]))
    >>> votes @ np.array([1.0, 0.0, 3.0])
    array([0.5, 0.5, 3. ])
    """

    rows_affected_by_targets: Membership
    voters: Membership
    starts: AnyArray
    leaf_weights: FloatArray
    own_vote: bool = True

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows_affected_by_targets.size, self.voters.size

    @cached_property
    def T(self) -> "PartitionVotes":
        # Kept, with the lists of members that it may have made.
        return replace(
            self, rows_affected_by_targets=self.voters, voters=self.rows_affected_by_targets
        )

    def __matmul__(self, values: FloatArray) -> FloatArray:
        q, n = self.shape
        table = np.asarray(values, dtype=np.float64)
        # Compiled loops look at no bounds.
        if table.ndim not in (1, 2) or table.shape[0] != n:
            raise ValueError(
                f"PartitionVotes of shape {self.shape}: expected values of shape ({n},) or "
                f"({n}, p); got {table.shape}."
            )
        table = table[:, None] if table.ndim == 1 else table
        product = np.empty((q, table.shape[1]))
        for start in range(0, table.shape[1], _COLUMNS):
            block = slice(start, start + _COLUMNS)
            scaled = np.multiply(self.voters.scale[:, None], table[:, block], order="C")
            part = np.zeros((q, scaled.shape[1]))
            add_leaf_sums(
                self.rows_affected_by_targets.leaves,
                self.rows_affected_by_targets.factor_table,
                self.voters.leaves,
                self.voters.factor_table,
                self.starts,
                self.leaf_weights,
                not self.own_vote,
                scaled,
                part,
            )
            product[:, block] = self.rows_affected_by_targets.scale[:, None] * part
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
            leaf = self.rows_affected_by_targets.leaves[t, :size]
            rows = np.flatnonzero((leaf >= 0) & (leaf == self.voters.leaves[t, :size]))
            shared = self.leaf_weights[start + leaf[rows]]
            for side in (self.rows_affected_by_targets, self.voters):
                shared = shared if side.factors is None else shared * side.factors[t, rows]
            entries[rows] += shared
        return self.rows_affected_by_targets.scale[:size] * self.voters.scale[:size] * entries

    def split(self) -> tuple["PartitionVotes", SparseVotes]:
        return self, SparseVotes(sp.csr_array(self.shape))

    def rows(self, start: int, stop: int) -> sp.csr_array:
        return self._listed(np.arange(start, stop))

    def scale_rows(self, factors: FloatArray) -> "PartitionVotes":
        if not (factors >= 0).all():
            row = int(np.argmin(factors >= 0))
            raise VotesError(
                f"PartitionVotes: row {row} is to be scaled by {factors[row]}; expected a factor "
                "of at least 0, so that the votes stay non-negative."
            )
        return replace(self, rows_affected_by_targets=self.rows_affected_by_targets.scaled(factors))

    def column_entries(self, columns: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        part = self.T._listed(np.asarray(columns)).tocoo()
        heard = part.data != 0
        return part.col[heard].astype(np.intp), part.row[heard].astype(np.intp), part.data[heard]

    def links(self, rows: IntArray) -> sp.csr_array | None:
        """``alpha[rows][:, rows]``, or None where a graph so full would not be worth writing.

        That is from some 10^8 pairs of rows in a leaf on, counted tree by tree.
        """
        part = replace(
            self,
            rows_affected_by_targets=self.rows_affected_by_targets.take(rows),
            voters=self.voters.take(rows),
        )
        if part._pairs > _MOST_LINKS:
            return None
        return part.rows(0, len(rows))

    def strongest(self, limit: int) -> IntArray:
        return strongest_by_blocks(self, limit)

    @cached_property
    def _members(self) -> tuple[AnyArray, AnyArray]:
        """The samples of each leaf, as bounds and members."""
        return list_members(self.voters.leaves, self.starts)

    @property
    def _pairs(self) -> int:
        """How many pairs of query and sample share a leaf, once for each tree."""
        leaves, sizes = self.rows_affected_by_targets.leaves, np.diff(self._members[0])
        per_tree = (
            int(sizes[self.starts[t] + row[row >= 0]].sum()) for t, row in enumerate(leaves)
        )
        return sum(per_tree)

    def _listed(self, rows: IntArray) -> sp.csr_array:
        """Some rows of alpha, written out."""
        bounds, members = self._members
        n, hollow = self.shape[1], not self.own_vote
        leaves = self.rows_affected_by_targets.leaves
        ends = count_shared(rows, leaves, self.starts, bounds, members, n, hollow)
        require_bytes(
            12.0 * ends[-1],
            f"The {ends[-1]} votes of {rows.size} rows, written out,",
            "Grow trees with smaller leaves, or ask for fewer rows at a time.",
        )
        columns, data = list_shared(
            rows,
            leaves,
            self.rows_affected_by_targets.factor_table,
            self.voters.factor_table,
            self.starts,
            self.leaf_weights,
            bounds,
            members,
            n,
            hollow,
            ends,
        )
        data *= self.voters.scale[columns]
        data *= np.repeat(self.rows_affected_by_targets.scale[rows], np.diff(ends))
        # Both kinds of indices of one width, and the smaller one where it suffices.
        ends = ends.astype(np.int32) if ends[-1] <= np.iinfo(np.int32).max else ends
        return sp.csr_array((data, columns, ends), shape=(rows.size, n))
