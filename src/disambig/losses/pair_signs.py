"""Orders as the signs of their pairs i < j: +1 where i stands before j."""

from typing import NamedTuple

import numpy as np

from disambig.candidates import PartialOrders
from disambig.losses.order_means import mean_orders
from disambig.notation import FloatArray, IntArray

__all__ = ["MeanSigns", "mean_signs", "pair_costs", "signs_of_pairs", "signs_of_ranks"]


class MeanSigns(NamedTuple):
    """Means of signs over all orders of each set, and whether they are exact."""

    signs: FloatArray
    exact: bool


def signs_of_ranks(ranks: IntArray) -> FloatArray:
    """``sign(ranks[j] - ranks[i])`` for the pairs i < j, ``(n, m)`` to ``(n, m (m - 1) / 2)``.

    Examples
    --------
    >>> signs_of_ranks(np.array([[0, 2, 1]]))
    array([[ 1.,  1., -1.]])
    """
    i, j = np.triu_indices(ranks.shape[1], 1)
    signs: FloatArray = np.sign(ranks[:, j] - ranks[:, i]).astype(np.float64)
    return signs


def signs_of_pairs(pairs: FloatArray) -> FloatArray:
    """``P(i before j) - P(j before i)`` for i < j, ``(n, m, m)`` to ``(n, m (m - 1) / 2)``."""
    i, j = np.triu_indices(pairs.shape[1], 1)
    signs: FloatArray = pairs[:, i, j] - pairs[:, j, i]
    return signs


def pair_costs(scores: FloatArray, m: int) -> FloatArray:
    """Costs ``(n, m, m)`` of orders from what each sign ``(n, m (m - 1) / 2)`` costs.

    ``sum_{i<j} scores_ij sign_ij`` is paid; half of it by each direction, with opposite signs.
    """
    i, j = np.triu_indices(m, 1)
    costs = np.zeros((len(scores), m, m))
    costs[:, i, j] = scores
    costs[:, j, i] = -scores
    return costs


def mean_signs(orders: PartialOrders, random_state: int = 0) -> MeanSigns:
    """The mean over all linear extensions of each row: by counting, or by sampling beyond that.

    Examples
    --------
    >>> mean_signs(PartialOrders.from_strings(["a>b"], items=["a", "b", "c"])).signs.round(3)
    array([[ 1.   ,  0.333, -0.333]])
    """
    means = mean_orders(orders, random_state)
    return MeanSigns(signs_of_pairs(means.pairs)[means.rows], means.exact)
