"""All optimal orders at once where a pair is paid by the position of its earlier item.

Pairs no longer go their cheaper way apart from each other: which position is left for a pair
depends on all items before it. So there is no first look, and problems do not fall into parts; the
programme over sets of items sees how many stand before, and that is enough.
"""

from math import factorial
from typing import NamedTuple

import numpy as np

from disambig.compiled import lattice_ties as tied_paths
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.orderings.dynamic import require_lattice
from disambig.orderings.problems import as_problems
from disambig.orderings.ties import OrderDistribution


class WeightedOrderDistribution(NamedTuple):
    """A uniform law on orders, and what the positions of earlier items weigh under it.

    Attributes
    ----------
    orders : OrderDistribution
    charges : float array (b, m, m)
        ``charges[r, i, j]``: the mean of ``weights[position of i]`` over the orders in which i
        stands before j and of 0 over the others. The mean cost is ``sum of costs * charges``.
    """

    orders: OrderDistribution
    charges: FloatArray


def tied_weighted_orders(
    costs: AnyArray,
    weights: AnyArray,
    before: AnyArray | None = None,
    *,
    tolerance: AnyArray | float | None = None,
) -> WeightedOrderDistribution:
    """The uniform law on the orders of least ``sum of weights[position of i] costs[i, j]``.

    The sum is over i before j: ``f(S + i) = min_i f(S) + weights[|S|] sum_{j not in S + i}
    costs[i, j]``, over the sets S that may stand first.

    Parameters
    ----------
    costs : array (b, m, m), m <= 20
        Finite; the diagonal is ignored.
    weights : array (m,)
        By position, 0 = first. The last one is never paid.
    before : bool array (b, m, m) or (m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic.
    tolerance : float or array (b,), optional
        As for `tied_orders`; by default ``1e-10 * max |costs[r]| * max |weights|``.

    Returns
    -------
    WeightedOrderDistribution

    Examples
    --------
    Items 0 and 1 are at odds whichever stands first: that costs less after item 2.

    >>> costs = np.zeros((1, 3, 3))
    >>> costs[0, [0, 1], [1, 0]] = 1
    >>> law = tied_weighted_orders(costs, [1.0, 0.5, 0.0])
    >>> law.orders.ranks, law.orders.counts, float((costs * law.charges).sum())
    (array([[1, 2, 0]]), array([2.]), 0.5)
    """
    costs, forced = as_problems(costs, before, "tied_weighted_orders")
    b, m, _ = costs.shape
    require_lattice(m, "tied_weighted_orders", "Without weights any number can be ordered.")
    weights = np.array(weights, dtype=np.float64)
    if weights.shape != (m,) or not np.isfinite(weights).all():
        raise ValueError(
            f"tied_weighted_orders: weights must be {m} finite numbers, one a position; got shape "
            f"{weights.shape}{'' if np.isfinite(weights).all() else ', not all finite'}."
        )
    if tolerance is None:
        tolerance = 1e-10 * np.abs(costs).max(axis=(1, 2), initial=0.0) * np.abs(weights).max()
    slack = np.array(np.broadcast_to(np.asarray(tolerance, dtype=np.float64), b))
    law = _free_law(b, weights)
    rows = np.flatnonzero(~_is_free(costs, forced, weights, slack))
    if rows.size:
        own = forced if len(forced) == 1 else forced[rows]
        found = tied_paths.tied_orders(costs[rows], own, False, weights, slack[rows])
        total = found[1][:, None, None]
        counted = found[0], found[1], found[2] / total, found[3] / total, found[4]
        for array, rest in zip(law, counted, strict=True):
            array[rows] = rest
    ranks, counts, pairs, places, charges = law
    return WeightedOrderDistribution(
        OrderDistribution(ranks, counts, pairs, places, np.ones(b, dtype=np.bool_)), charges
    )


def _is_free(
    costs: FloatArray, before: BoolArray, weights: FloatArray, slack: FloatArray
) -> BoolArray:
    """Do all orders cost the same, to the tolerance? Counting as many would take longest."""
    m = len(weights)
    off = ~np.eye(m, dtype=np.bool_)
    lowest = costs.min(axis=(1, 2), where=off, initial=np.inf)
    highest = costs.max(axis=(1, 2), where=off, initial=-np.inf)
    # Every order pays weights[k] once for each of the m - 1 - k items that come later.
    paid = np.abs(weights) @ np.arange(m - 1.0, -1.0, -1.0)
    spread = (highest - lowest) * paid if m > 1 else np.zeros(len(costs))
    return np.asarray((spread <= slack) & ~before.any(axis=(1, 2)))


def _free_law(b: int, weights: FloatArray) -> tuple[AnyArray, ...]:
    """All orders of m items: ranks, counts, pairs, places, charges."""
    m = len(weights)
    others = 1.0 - np.eye(m)
    # i is at each position equally often, and before j in (m - 1 - k) / (m - 1) of the orders.
    charge = weights @ np.arange(m - 1.0, -1.0, -1.0) / max(1, m * (m - 1))
    return (
        np.tile(np.arange(m), (b, 1)),
        np.full(b, float(factorial(m))),
        np.tile(others / 2.0, (b, 1, 1)),
        np.full((b, m, m), 1.0 / m),
        np.tile(others * charge, (b, 1, 1)),
    )
