"""Candidate sets that a label may leave at a price."""

import numpy as np

from disambig.candidates.labels.label_sets import LabelSets
from disambig.notation import BoolArray, FloatArray


def tolerant_weights(mask: BoolArray, price: float, possible: BoolArray) -> FloatArray:
    """``(n, K)``: 1 inside the sets, ``exp(-price)`` outside, 0 for impossible classes.

    Examples
    --------
    >>> import numpy as np
    >>> mask = np.array([[True, False, False]])
    >>> tolerant_weights(mask, np.log(4), np.array([True, True, False])).tolist()
    [[1.0, 0.25, 0.0]]
    """
    weights: FloatArray = np.where(mask, 1.0, np.where(possible, np.exp(-price), 0.0))
    return weights


def tolerant_sets(sets: LabelSets, price: float) -> LabelSets:
    """Sets of all classes that some row has, in which classes outside of the own set weigh less.

    Annealing starts from these weights and pays for leaving them, so that a label outside of its
    set needs votes that outweigh the price.

    Parameters
    ----------
    sets : LabelSets
        With soft weights, a class outside counts ``exp(-price)`` times the mean weight inside.
    price : float
        In units of a logarithm of odds.

    Examples
    --------
    >>> sets = LabelSets.from_any([{"a"}, {"b"}])
    >>> tolerant_sets(sets, np.log(4)).weights.tolist()
    [[0.8, 0.2], [0.2, 0.8]]
    """
    possible = np.asarray(sets.mask.any(axis=0))
    weights = tolerant_weights(sets.mask, price, possible)
    if sets.weights is not None:
        mean = sets.weights.sum(axis=1, keepdims=True) / np.count_nonzero(
            sets.mask, axis=1, keepdims=True
        )
        weights = np.where(sets.mask, sets.weights, mean * weights)
    open_mask = np.broadcast_to(possible, sets.mask.shape).copy()
    return LabelSets(open_mask, sets.classes, weights / weights.sum(axis=1, keepdims=True))
