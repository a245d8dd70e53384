"""The mean of all orders of a set, as signs of pairs."""

from typing import NamedTuple

import numpy as np

from disambig.candidates import PartialOrders
from disambig.decoders import signs_of_pairs, tied_signs
from disambig.exceptions import MissingOracleError
from disambig.losses.order_means import sampled_means
from disambig.notation import FloatArray

__all__ = ["MeanSigns", "mean_signs"]


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
