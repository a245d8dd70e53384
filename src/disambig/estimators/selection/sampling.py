"""The rows that a selection sees: distinct rows, a sample of them, and which are hidden together.

`merge_copies` replaces copies of a row by one row of their total weight, so that a weight of w and
w copies have the same sample, folds and scores. `sample_rows` selects the rows of the sample and
gives them numbers that determine their folds. `rows_to_hide` selects the hidden rows of the final
comparison. All three depend on a hash of the inputs, not on the order of the rows.
"""

from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from disambig.estimators.selection.protocol import SelectionKind
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.weights.divided.rows import is_divided
from disambig.weights.row_groups import EqualRows, hash_rows, joined_groups

# At least this share of the groups of rows in a sample is informative, if there are as many.
_MIN_INFORMATIVE_SHARE = 0.5
# Informative rows that stay visible for each hidden row of the final comparison, at least.
_MIN_VISIBLE_PER_HIDDEN = 5

K = TypeVar("K", bound=SelectionKind)


class DistinctRows(NamedTuple, Generic[K]):
    """Rows that differ in their inputs or in their sets.

    Attributes
    ----------
    X : (n, d)
    kind : SelectionKind of n rows
    sample_weight : float (n,)
        The total weight of the copies of each row.
    groups : int (n,)
        Rows that are hidden together: those with equal inputs, and the groups of the user. Hashes
        of the inputs order the groups.
    """

    X: Any
    kind: K
    sample_weight: FloatArray
    groups: IntArray


def merge_copies(
    X: Any,
    kind: K,
    sample_weight: FloatArray,
    groups: IntArray | None = None,
    hashes: IntArray | None = None,
) -> DistinctRows[K]:
    """The distinct rows in the order of their first copies; all rows as they are if none is equal.

    Copies have equal inputs, sets and soft weights.

    Parameters
    ----------
    X : (n, d)
    kind : SelectionKind of n rows
    sample_weight : float (n,)
    groups : int (n,), optional
        Groups of the user: their rows are hidden together, whatever their inputs are.
    hashes : int (n,), optional
        The groups of equal rows in their order, by default those of `hash_rows`.
    """
    equal = hash_rows(X) if hashes is None else hashes
    together = joined_groups(equal, groups)
    repeated = np.flatnonzero(np.bincount(equal)[equal] > 1)
    if not repeated.size:
        return DistinctRows(X, kind, sample_weight, together)
    # The groups above are of nearly equal rows, equal up to rounding.
    inputs = EqualRows.build(X[repeated]).group
    keys = [inputs[:, None].view(np.uint8), *kind.take(repeated).keys()]
    _, first, inverse = np.unique(np.hstack(keys), axis=0, return_index=True, return_inverse=True)
    if first.size == repeated.size:
        return DistinctRows(X, kind, sample_weight, together)
    first_copy = np.arange(equal.size)
    first_copy[repeated] = repeated[first[inverse.ravel()]]
    total: FloatArray = np.bincount(first_copy, weights=sample_weight).astype(np.float64)
    rows = np.flatnonzero(first_copy == np.arange(equal.size))
    distinct = X.subset(rows) if is_divided(X) else X[rows]
    return DistinctRows(distinct, kind.take(rows), total[rows], together[rows])


def sample_rows(
    groups: IntArray, kind: SelectionKind, sample_weight: FloatArray, limit: int
) -> tuple[IntArray, IntArray]:
    """Rows of the sample, at most `limit`, and numbers that determine their folds.

    The order is pseudo-random and depends on a hash of the rows alone: one row of every group, then
    a second one, and so on. Within a group informative rows come first. Among the first groups at
    least half are informative, or the share among all groups if that is larger, as long as there
    are enough. Rows of a group have equal numbers, so that they are hidden together: a copy that
    stays would reveal what is hidden. Informative groups are numbered separately, so that
    ``number % k`` spreads them evenly over k folds. If the kind has rows that a sample takes all or
    none of, whole parts are taken, and rows of a part have equal numbers.

    Parameters
    ----------
    groups : int (n,)
        From `merge_copies`.
    kind : SelectionKind of n rows
    sample_weight : float (n,)
    limit : int
    """
    if kind.together is not None:
        return _whole_parts(kind.together, groups, limit)
    informative = kind.informative
    positions, numbers = _positions_and_numbers(groups, informative)
    if groups.max() + 1 == groups.size:
        rows = np.argsort(positions)[:limit]
        return rows, numbers[rows]
    by_group = np.lexsort((_target_hashes(kind, sample_weight), ~informative, positions))
    first = np.searchsorted(positions[by_group], positions[by_group])
    nth_copy = np.arange(by_group.size) - first
    rows = by_group[np.lexsort((positions[by_group], nth_copy))[:limit]]
    return rows, numbers[rows]


def _whole_parts(together: IntArray, groups: IntArray, limit: int) -> tuple[IntArray, IntArray]:
    """The rows of whole parts, in the order of their first groups, up to a limit; numbers of parts.

    At least one part is taken. Within a part the groups are in order too, whatever the order of the
    rows is.
    """
    parts = np.unique(together, return_inverse=True)[1].ravel()
    first = np.full(int(parts.max()) + 1, groups.size)
    np.minimum.at(first, parts, groups)
    number = np.empty_like(first)
    number[np.argsort(first, kind="stable")] = np.arange(first.size)
    order = np.lexsort((groups, number[parts]))
    ends = np.cumsum(np.bincount(number[parts]))
    n_taken = max(int(np.searchsorted(ends, limit, side="right")), 1)
    rows = order[: ends[n_taken - 1]]
    return rows, number[parts][rows]


def _positions_and_numbers(groups: IntArray, informative: BoolArray) -> tuple[IntArray, IntArray]:
    """For each row, the position of its group in the order of the sample, and its number.

    Groups are numbered in the order of their hashes, informative groups and the others separately.
    Positions merge the two sequences: informative groups have spacing ``1 / share``, the others
    ``1 / (1 - share)``.
    """
    is_informative = np.zeros(int(groups.max()) + 1, dtype=np.bool_)
    is_informative[groups[informative]] = True
    share = max(_MIN_INFORMATIVE_SHARE, float(is_informative.mean()))
    number = np.where(is_informative, np.cumsum(is_informative), np.cumsum(~is_informative)) - 1
    spacing = np.where(is_informative, 1.0 / share, np.inf if share == 1.0 else 1.0 / (1.0 - share))
    position = np.empty_like(number)
    order = np.argsort((number + 0.5) * spacing, kind="stable")
    position[order] = np.arange(is_informative.size)
    return position[groups], number[groups]


def _target_hashes(kind: SelectionKind, sample_weight: FloatArray) -> IntArray:
    """Numbers that order copies of a row by sets and weights, not by the order of the rows."""
    tables = [*kind.keys(), sample_weight[:, None]]
    return hash_rows(np.hstack([table.astype(np.float64) for table in tables]))


def rows_to_hide(informative: BoolArray, numbers: IntArray, least: int, most: int) -> BoolArray:
    """Rows to hide ``(n,)``, whole groups; none if there are fewer than `least`.

    The groups with the largest numbers, since those with the smallest selected the finalists.
    """
    ordered = np.sort(numbers[informative])
    count = min(most, ordered.size // (1 + _MIN_VISIBLE_PER_HIDDEN))
    last_visible = ordered[ordered.size - count - 1] if count else ordered.max()
    is_hidden: BoolArray = informative & (numbers > last_visible)
    return is_hidden if np.count_nonzero(is_hidden) >= least else np.zeros_like(informative)
