"""The mean over all orders of a set: pair by pair and place by place.

The mean of all orders of a set, as signs of pairs.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from disambig.candidates import PartialOrders
from disambig.exceptions import MissingOracleError
from disambig.notation import FloatArray, IntArray
from disambig.orderings import (
    linear_extensions,
    sample_linear_extensions,
    signs_of_pairs,
    tied_signs,
)

# Orders drawn for the mean where the linear extensions are too many to count: a probability is
# then right to .016 (one standard deviation, at worst).
_SAMPLES = 1000
# Comparisons of drawn orders that are held at once.
_CHUNK = 10_000_000


@dataclass(frozen=True, eq=False)
class OrderMeans:
    """Uniform laws on the linear extensions of n partial orders, d of them different.

    Parameters
    ----------
    pairs : float array (d, m, m)
        ``pairs[r, i, j]``: probability that i stands before j.
    places : float array (d, m, m)
        ``places[r, i, k]``: probability that i has position k.
    rows : int array (n,)
        Which of them is the law of a row: ``pairs[rows]`` has one for each.
    exact : bool
        Were all counted? Otherwise they were sampled.
    """

    pairs: FloatArray
    places: FloatArray
    rows: IntArray
    exact: bool


def mean_orders(orders: PartialOrders, random_state: int = 0) -> OrderMeans:
    """The mean over all linear extensions of each row: by counting, or by sampling beyond that.

    Examples
    --------
    >>> means = mean_orders(PartialOrders.from_strings(["a>b", "a>b"], items=["a", "b", "c"]))
    >>> means.places.round(2), means.rows, means.exact
    (array([[[0.67, 0.33, 0.  ],
            [0.  , 0.33, 0.67],
            [0.33, 0.33, 0.33]]]), array([0, 0]), True)
    """
    # Data sets hold fewer different partial orders than rows, and counting is what costs.
    first, rows = orders.distinct
    try:
        law = linear_extensions(orders.before[first])
        return OrderMeans(law.pairs, law.places, rows, True)
    except MissingOracleError:
        return sampled_means(orders, random_state)


def sampled_means(orders: PartialOrders, random_state: int) -> OrderMeans:
    """The mean over drawn linear extensions of each row."""
    first, rows = orders.distinct
    drawn = sample_linear_extensions(orders.before[first], _SAMPLES, random_state=random_state)
    pairs, places = _frequencies(drawn.ranks)
    return OrderMeans(pairs, places, rows, bool(drawn.exact.all()))


def _frequencies(ranks: IntArray) -> tuple[FloatArray, FloatArray]:
    """How often i stands before j, and i at position k, among drawn ranks ``(d, draws, m)``."""
    d, draws, m = ranks.shape
    pairs, places = np.empty((d, m, m)), np.empty((d, m, m))
    at_once = max(1, _CHUNK // (draws * m * m))
    for start in range(0, d, at_once):
        part = ranks[start : start + at_once, :, :, None]
        pairs[start : start + at_once] = (part < np.swapaxes(part, 2, 3)).mean(axis=1)
        places[start : start + at_once] = (part == np.arange(m)).mean(axis=1)
    return pairs, places


class MeanSigns(NamedTuple):
    """Means of signs over all orders of each set, and whether they are exact."""

    signs: FloatArray
    exact: bool


def mean_signs(orders: PartialOrders, random_state: int = 0) -> MeanSigns:
    """The mean over all linear extensions of each row: by counting, or by sampling beyond that.

    Examples
    --------
    >>> mean_signs(PartialOrders.from_strings(["a>b"], items=["a", "b", "c"])).signs.round(3)
    array([[ 1.   ,  0.333, -0.333]])
    """
    first, rows = orders.distinct
    d, m = len(first), orders.n_items
    try:
        # Orders that cost nothing: all of them tie.
        free = np.zeros((d, m * (m - 1) // 2))
        law = tied_signs(free, m, orders.before[first], tolerance=np.zeros(d))
        return MeanSigns(law.signs[rows], True)
    except MissingOracleError:
        means = sampled_means(orders, random_state)
        return MeanSigns(signs_of_pairs(means.pairs)[rows], means.exact)
