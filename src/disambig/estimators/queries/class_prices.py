"""Prices of classes, by which predictions have the class shares that are known of bags.

Distributions that are learned from class shares are softer than probabilities: a rare class then
has the largest one nowhere, and would never be predicted.
"""

import numpy as np

from disambig.candidates import LabelSets
from disambig.candidates.labels.assignment import counted_labels
from disambig.candidates.labels.class_counts import ClassCounts
from disambig.notation import FloatArray, IntArray


def class_prices(costs: FloatArray, bounds: IntArray) -> FloatArray:
    """Prices ``(K,)``: the classes of least ``cost + price`` keep the bounds, up to ties.

    They are those of the transportation problem of all rows: zero if the classes of least cost keep
    the bounds already.

    Parameters
    ----------
    costs : float array (n, K)
        Expected losses of the classes.
    bounds : int array (K, 2)
        The smallest and the largest number of rows of each class.

    Examples
    --------
    >>> costs = np.array([[0.1, 0.9], [0.2, 0.8], [0.3, 0.7], [0.4, 0.6]])
    >>> class_prices(costs, np.array([[2, 2], [2, 2]])).round(2).tolist()
    [0.4, 0.0]
    >>> class_prices(costs, np.array([[0, 4], [0, 4]])).tolist()
    [0.0, 0.0]
    """
    whole = LabelSets.from_mask(np.ones(costs.shape, dtype=np.bool_))
    prices: FloatArray = counted_labels(costs, ClassCounts(whole, bounds)).prices[0]
    return prices
