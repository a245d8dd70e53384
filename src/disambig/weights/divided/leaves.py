"""Forests of rows in parts: trees grown on a sample, and the leaves of the rows where they are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from disambig.notation import AnyArray, FloatArray
from disambig.votes.executor import IN_THIS_PROCESS, Deferred, Executor
from disambig.votes.leaf_blocks import LeafBlocks, LeafBlockVotes
from disambig.weights.divided.rows import DividedRows, rows_of
from disambig.weights.partitions.partition import inverse_counts, leaf_numbers, number_table
from disambig.weights.partitions.trees import grow_random_trees, leaf_names, scaled_columns

# Rows on which random trees are grown; of fewer all, so that the trees are those in memory.
_MAX_SAMPLE_ROWS = 100_000


@dataclass(frozen=True, eq=False)
class DividedPartition:
    """`Partition` of rows in parts: the votes are sums over leaves, taken part by part.

    Parameters
    ----------
    rows : DividedRows
    leaves : sequence
        What the executor turns into int32 arrays ``(trees, m)``: the leaves of each part.
    sample_weight : float64, (n,)
    numbers : tuple of int32 arrays
        For each tree, the number in `leaves` of each leaf name.
    starts : int64, (trees + 1,)
        Where the leaves of each tree begin in `leaf_totals`.
    leaf_totals : float64
        The weight of the rows of each leaf.
    """

    rows: DividedRows
    leaves: Sequence[Any]
    sample_weight: FloatArray
    numbers: tuple[AnyArray, ...]
    starts: AnyArray
    leaf_totals: FloatArray

    @classmethod
    def build(
        cls, rows: DividedRows, trees: Any, factors: FloatArray | None, sample_weight: FloatArray
    ) -> "DividedPartition":
        """Put the rows into the leaves of trees.

        Parameters
        ----------
        rows : DividedRows
        trees : block
            What the executor turns into trees with ``apply(X)``.
        factors : float64, (d,), or None
            Of the columns.
        sample_weight : float64, (n,)
        """
        submit = rows.executor.submit
        names = rows.blocks(_names, trees, factors)
        occupied = _combined(submit, _joined, [submit(_occupied, block) for block in names])
        block, numbers = _shared(rows.executor, _numbers, occupied)
        leaves = [submit(leaf_numbers, named, block) for named in names]
        sizes = [int(table.max(initial=-1)) + 1 for table in numbers]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        counted = LeafBlocks(leaves, rows.bounds, rows.executor, sample_weight)
        ones = np.ones((len(rows), 1))
        totals = counted.sums(starts, np.ones(int(starts[-1])), ones)[:, 0]
        return cls(rows, leaves, sample_weight, tuple(numbers), starts, totals)

    def projection(self, table: FloatArray, names_at: Callable[[Any], AnyArray]) -> Any:
        """From inputs to their votes times a table ``(n, P)``.

        Parameters
        ----------
        table : float array (n, P)
        names_at : function of inputs -> int array (trees, q)
            The names of their leaves.
        """
        ones = np.ones(self.leaf_totals.size)
        sums = self._rows(self.sample_weight).sums(self.starts, ones, table)
        return LeafProjection(names_at, self.numbers, self.starts, sums / self.leaf_totals[:, None])

    def training_votes(self) -> LeafBlockVotes:
        """``alpha`` at the training rows, ``(n, n)``."""
        return self._votes_at(self._rows(np.full(len(self.rows), 1.0 / len(self.numbers))))

    def leave_one_out_votes(self) -> LeafBlockVotes:
        """``alpha`` at the training rows without their own vote, ``(n, n)``.

        As `Partition.leave_one_out_votes` of trees that did not draw their rows.
        """
        removed = self._rows(np.ones(len(self.rows)), self.sample_weight)
        counts = np.concatenate(removed.map(_trees_with_others, self.starts, self.leaf_totals))
        query = self._rows(inverse_counts(counts), self.sample_weight)
        return self._votes_at(query, own_vote=False)

    def votes(self, names: AnyArray) -> LeafBlockVotes:
        """``alpha`` at queries, by the names of their leaves ``(trees, q)``."""
        leaves = leaf_numbers(names, self.numbers)
        scale = inverse_counts(np.count_nonzero(leaves >= 0, axis=0))
        bounds = np.array([0, names.shape[1]])
        return self._votes_at(LeafBlocks([leaves], bounds, IN_THIS_PROCESS, scale))

    def _rows(self, scale: FloatArray, removed: FloatArray | None = None) -> LeafBlocks:
        return LeafBlocks(self.leaves, self.rows.bounds, self.rows.executor, scale, removed)

    def _votes_at(self, query: LeafBlocks, own_vote: bool = True) -> LeafBlockVotes:
        sample = self._rows(self.sample_weight)
        return LeafBlockVotes(query, sample, self.starts, self.leaf_totals, own_vote)


@dataclass(frozen=True, eq=False)
class LeafProjection:
    """Means over the leaves of new inputs.

    Parameters
    ----------
    names_at : function of inputs -> int array (trees, q)
    numbers : tuple of int32 arrays
    starts : int64, (trees + 1,)
    means : float array (leaves of all trees, P)
    """

    names_at: Callable[[Any], AnyArray]
    numbers: tuple[AnyArray, ...]
    starts: AnyArray
    means: FloatArray

    def __call__(self, X: AnyArray) -> FloatArray:
        """See `disambig.weights.divided.projection.projection_of`."""
        leaves = leaf_numbers(self.names_at(X), self.numbers)
        total = np.zeros((leaves.shape[1], self.means.shape[1]))
        for start, row in zip(self.starts[:-1].tolist(), leaves, strict=True):
            total += np.where(row[:, None] >= 0, self.means[start + row], 0.0)
        scale = inverse_counts(np.count_nonzero(leaves >= 0, axis=0))
        return np.asarray(scale[:, None] * total)


def divided_trees(rows: DividedRows, trees: Any) -> tuple[Any, Any]:
    """Trees that are at hand, as a block and as they are.

    Parameters
    ----------
    rows : DividedRows
    trees : fitted tree or ensemble
    """
    return _shared(rows.executor, _itself, trees)


def grow_divided_trees(
    owner: str, rows: DividedRows, factors: FloatArray | None, *, random_state: Any, **options: Any
) -> tuple[Any, Any]:
    """`grow_random_trees` on a sample of the rows, as a block and as they are.

    The trees are grown where the blocks are, so that neither the sample nor the trees pass through
    the scheduler of an engine.

    Parameters
    ----------
    owner : str
        The weighting, named in errors.
    rows : DividedRows
    factors : float64, (d,), or None
        Of the columns.
    random_state : int, RandomState or None
    **options
        Of `grow_random_trees`.
    """
    if not isinstance(random_state, int | np.integer):
        # A function of blocks must give the same trees if it runs again.
        random_state = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    submit = rows.executor.submit
    chosen, firsts = rows.chosen(rows.drawn(_MAX_SAMPLE_ROWS))
    sample = [
        submit(rows_of, part, chosen[b], int(firsts[b][0])) for b, part in enumerate(rows.parts)
    ]
    options["random_state"] = random_state
    return _shared(rows.executor, _grown, owner, sample, factors, options)


def _shared(executor: Executor, function: Callable[..., Any], *arguments: Any) -> tuple[Any, Any]:
    """``function(*arguments)``, as a block that many others read and as it is."""
    block = executor.submit(function, *arguments)
    value = executor.map(_itself, [block])[0]
    # Else each of the others would compute it anew.
    return (value if isinstance(block, Deferred) else block), value


def _combined(submit: Callable[..., Any], function: Callable[..., Any], blocks: list[Any]) -> Any:
    """Blocks combined two by two, so that no call reads many of them."""
    while len(blocks) > 1:
        pairs = [blocks[start : start + 2] for start in range(0, len(blocks), 2)]
        blocks = [submit(function, *pair) if len(pair) > 1 else pair[0] for pair in pairs]
    return blocks[0]


# ------------------------------------------------------------------ functions of blocks


def _itself(block: Any) -> Any:
    return block


def _grown(
    owner: str, sample: list[AnyArray], factors: FloatArray | None, options: dict[str, Any]
) -> Any:
    X = np.concatenate(sample).astype(np.float64, copy=False)
    return grow_random_trees(owner, scaled_columns(X, factors), **options)


def _names(part: AnyArray, trees: Any, factors: FloatArray | None) -> AnyArray:
    """The names of the leaves of the rows of a part, ``(trees, m)``."""
    return leaf_names(trees, scaled_columns(part.astype(np.float64, copy=False), factors))


def _occupied(names: AnyArray) -> list[AnyArray]:
    """The names of the leaves that have rows, ascending, for each tree."""
    return [np.unique(named) for named in names]


def _joined(left: list[AnyArray], right: list[AnyArray]) -> list[AnyArray]:
    return [np.union1d(one, other) for one, other in zip(left, right, strict=True)]


def _numbers(occupied: list[AnyArray]) -> list[AnyArray]:
    return [number_table(names) for names in occupied]


def _trees_with_others(
    leaves: AnyArray,
    scale: FloatArray,
    removed: FloatArray,
    starts: AnyArray,
    leaf_totals: FloatArray,
) -> AnyArray:
    """In how many trees the leaf of each row has other rows."""
    totals = leaf_totals[starts[:-1, None] + leaves]
    found: AnyArray = np.count_nonzero(totals - removed > 0, axis=0)
    return found
