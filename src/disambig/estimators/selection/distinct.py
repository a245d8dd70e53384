"""What the search needs of a data set: distinct rows with their weights, and classes that occur.

`merge_copies` replaces copies of a row by one row of their total weight. A weight of w and w copies
are then the same rows to the search, with the same sample, folds and scores. `used_classes` leaves
out classes that are nowhere a candidate, whose number would determine the cost of the search.
"""

from typing import Any, NamedTuple

import numpy as np

from disambig.candidates import LabelSets
from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.weights.row_groups import EqualRows, hash_rows


class DistinctRows(NamedTuple):
    """Rows that differ in their inputs or in their sets.

    Attributes
    ----------
    X : (n, d)
    sets : LabelSets of n rows
    sample_weight : float (n,)
        The total weight of the copies of each row.
    groups : int (n,)
        Groups of rows with equal inputs, from `hash_rows`.
    """

    X: Any
    sets: LabelSets
    sample_weight: FloatArray
    groups: IntArray


def merge_copies(X: Any, sets: LabelSets, sample_weight: FloatArray) -> DistinctRows:
    """The distinct rows in the order of their first copies; all rows as they are if none is equal.

    Copies have equal inputs, sets and soft weights.

    Examples
    --------
    >>> import numpy as np
    >>> sets = LabelSets.from_any([{"a"}, {"a", "b"}, {"a"}, {"b"}])
    >>> found = merge_copies(np.array([[0.0], [0.0], [0.0], [1.0]]), sets, np.ones(4))
    >>> found.X.ravel().tolist(), found.sample_weight.tolist()
    ([0.0, 0.0, 1.0], [2.0, 1.0, 1.0])
    """
    groups = hash_rows(X)
    repeated = np.flatnonzero(np.bincount(groups)[groups] > 1)
    if not repeated.size:
        return DistinctRows(X, sets, sample_weight, groups)
    # The groups above are of nearly equal rows, equal up to rounding.
    inputs = EqualRows.build(X[repeated]).group
    keys = [inputs[:, None].view(np.uint8), np.packbits(sets.mask[repeated], axis=1)]
    if sets.weights is not None:
        keys.append(np.ascontiguousarray(sets.weights[repeated]).view(np.uint8))
    _, first, inverse = np.unique(np.hstack(keys), axis=0, return_index=True, return_inverse=True)
    if first.size == repeated.size:
        return DistinctRows(X, sets, sample_weight, groups)
    first_copy = np.arange(len(sets))
    first_copy[repeated] = repeated[first[inverse.ravel()]]
    total: FloatArray = np.bincount(first_copy, weights=sample_weight).astype(np.float64)
    rows = np.flatnonzero(first_copy == np.arange(len(sets)))
    return DistinctRows(X[rows], sets[rows], total[rows], groups[rows])


def used_classes(sets: LabelSets, loss: FiniteLoss) -> tuple[LabelSets, FiniteLoss]:
    """Sets and loss on the classes that are a candidate of some row.

    Only for the 0-1 loss: under other losses a class that is nowhere a candidate may be the best
    prediction. The sets stay as they are if none of them would exclude a class.

    Examples
    --------
    >>> from disambig.losses import ZeroOneLoss
    >>> sets = LabelSets.from_any([{"a"}, {"a", "d"}], classes=["a", "b", "c", "d"])
    >>> sets, loss = used_classes(sets, ZeroOneLoss().bind(sets.classes))
    >>> sets.classes.tolist(), loss.matrix.tolist()
    (['a', 'd'], [[0.0, 1.0], [1.0, 0.0]])
    """
    used: BoolArray = np.asarray(sets.mask.any(axis=0))
    if used.all() or not loss.is_zero_one:
        return sets, loss
    weights = None if sets.weights is None else sets.weights[:, used]
    kept = LabelSets(sets.mask[:, used], sets.classes[used], weights)
    if not kept.informative.any():
        return sets, loss
    return kept, loss.restricted(used)
