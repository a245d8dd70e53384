"""Training rows in the leaves of trees, and the votes of rows that share a leaf."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from disambig.memory import require_bytes
from disambig.notation import AnyArray, FloatArray
from disambig.votes.leaf_blocks import LeafBlockVotes
from disambig.votes.partition import Membership, PartitionVotes


@dataclass(frozen=True, eq=False)
class Partition:
    """``alpha[i, j] = mean_t [i and j share a leaf of tree t] w_t(j) / (weight of the leaf)``.

    ``w_t(j)`` is the weight of row j in tree t, and the mean is over the trees in which the leaf of
    i holds voting rows. Rows of alpha sum to one, or to zero if there is no such tree.

    Attributes
    ----------
    leaves : int32, (trees, n)
        The leaf of each training row, counted from 0 in each tree; -1 for a leaf without
        voting rows.
    sample_weight : float64, (n,)
        Weights of the training rows.
    counts : unsigned integers, (trees, n), or None
        How often each tree drew each row; ``w_t(j) = counts[t, j] * sample_weight[j]``. None: once.
    numbers : tuple of int32 arrays
        For each tree, the number in `leaves` of each leaf name.
    starts : int64, (trees + 1,)
        Where the leaves of each tree begin in `leaf_totals`.
    leaf_totals : float64
        The sum of ``w_t(j)`` over the rows of each leaf.
    """

    leaves: AnyArray
    sample_weight: FloatArray
    counts: AnyArray | None
    numbers: tuple[AnyArray, ...]
    starts: AnyArray
    leaf_totals: FloatArray

    @classmethod
    def build(
        cls, names: AnyArray, sample_weight: FloatArray, counts: AnyArray | None = None
    ) -> Self:
        """From the names of the leaves, integers >= 0, ``(trees, n)``, of the training rows.

        Examples
        --------
        >>> import numpy as np
        >>> partition = Partition.build(np.array([[4, 4, 9]]), np.ones(3))
        >>> partition.training_votes().rows(0, 3).toarray()
        array([[0.5, 0.5, 0. ],
               [0.5, 0.5, 0. ],
               [0. , 0. , 1. ]])
        """
        leaves = np.empty(names.shape, dtype=np.int32)
        numbers, leaf_totals = [], []
        for t, named in enumerate(names):
            weights = sample_weight if counts is None else sample_weight * counts[t]
            voting = weights > 0
            occupied = np.flatnonzero(np.bincount(named[voting]))
            table = number_table(occupied)
            leaves[t] = _look_up(table, named)
            numbers.append(table)
            leaf_totals.append(np.bincount(leaves[t][voting], weights=weights[voting]))
        starts = np.concatenate([[0], np.cumsum([len(totals) for totals in leaf_totals])])
        return cls(
            leaves, sample_weight, counts, tuple(numbers), starts, np.concatenate(leaf_totals)
        )

    def training_votes(self) -> PartitionVotes:
        """``alpha`` at the training rows, ``(n, n)``."""
        return self._votes_at(self.leaves)

    def votes(self, names: AnyArray) -> PartitionVotes:
        """``alpha`` at queries, by the names of their leaves ``(trees, q)``."""
        return self._votes_at(leaf_numbers(names, self.numbers))

    def leave_one_out_votes(self) -> PartitionVotes:
        """``alpha`` at the training rows without their own vote, ``(n, n)``.

        If trees drew their rows, the votes at row i are those of the trees that did not draw it
        (out of bag). Otherwise row i is removed from its leaf in each tree and the rest of the leaf
        is normalised; trees in which i is alone in its leaf are left out of the mean.
        """
        if self.counts is not None:
            return self._votes_at(np.where(self.counts == 0, self.leaves, np.int32(-1)))
        require_bytes(
            12.0 * self.leaves.size,
            f"Leave-one-out votes of {self.sample_weight.size} rows in {len(self.leaves)} trees",
            "Use fewer trees, or a forest with bootstrap=True.",
        )
        leaves = self.leaves.copy()
        factors = np.zeros(leaves.shape)
        for t, start in enumerate(self.starts[:-1]):
            others = self.leaf_totals[start + leaves[t]] - self.sample_weight
            has_others = others > 0
            leaves[t, ~has_others] = -1
            factors[t, has_others] = 1.0 / others[has_others]
        return PartitionVotes(
            Membership(leaves, inverse_counts(np.count_nonzero(leaves >= 0, axis=0)), factors),
            self._sample_leaves(),
            self.starts,
            np.ones_like(self.leaf_totals),
            own_vote=False,
        )

    def _votes_at(self, leaves: AnyArray) -> PartitionVotes:
        scale = inverse_counts(np.count_nonzero(leaves >= 0, axis=0))
        query_leaves = Membership(leaves, scale)
        return PartitionVotes(
            query_leaves, self._sample_leaves(), self.starts, 1.0 / self.leaf_totals
        )

    def _sample_leaves(self) -> Membership:
        if self.counts is None:
            return Membership(self.leaves, self.sample_weight)
        drawn = np.where(self.counts > 0, self.leaves, np.int32(-1))
        return Membership(drawn, self.sample_weight, self.counts)


class PartitionWeights(BaseEstimator):
    """What weightings by leaves or cells share; a subclass fits `partition_`.

    It is a `Partition`, or a `DividedPartition` of rows in parts.
    """

    leave_one_out: bool
    partition_: Any

    def training_votes(self) -> PartitionVotes | LeafBlockVotes:
        """``alpha`` at the training inputs, ``(n, n)``; without own votes if `leave_one_out`."""
        check_is_fitted(self)
        if self.leave_one_out:
            return self.leave_one_out_votes()
        found: PartitionVotes | LeafBlockVotes = self.partition_.training_votes()
        return found

    def leave_one_out_votes(self) -> PartitionVotes | LeafBlockVotes:
        """The votes of the others in each leaf or cell, ``(n, n)``, diagonal zero.

        Out-of-bag votes if trees drew their rows.
        """
        check_is_fitted(self)
        found: PartitionVotes | LeafBlockVotes = self.partition_.leave_one_out_votes()
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def number_table(occupied: AnyArray) -> AnyArray:
    """Where the names of leaves, ascending, have their numbers; -1 elsewhere."""
    table = np.full(occupied[-1] + 1, -1, dtype=np.int32)
    table[occupied] = np.arange(occupied.size)
    return table


def leaf_numbers(names: AnyArray, numbers: Sequence[AnyArray]) -> AnyArray:
    """The numbers of named leaves, int32 ``(trees, q)``; -1 for a leaf without one.

    Parameters
    ----------
    names : integers >= 0, (trees, q)
    numbers : sequence of int32 arrays
        A `number_table` for each tree.
    """
    leaves = np.empty(names.shape, dtype=np.int32)
    for t, table in enumerate(numbers):
        leaves[t] = _look_up(table, names[t])
    return leaves


def _look_up(table: AnyArray, named: AnyArray) -> AnyArray:
    known = named < table.size
    numbers: AnyArray = np.where(known, table[np.where(known, named, 0)], np.int32(-1))
    return numbers


def inverse_counts(trees: AnyArray) -> FloatArray:
    """``1 / trees``, and 0 for 0 trees."""
    some = trees > 0
    return np.where(some, 1.0 / np.where(some, trees, 1), 0.0)
