"""All optimal orders at once if the cost of a pair depends on the position of its earlier item.

The cheaper direction of a pair then depends on all items before it, so that `first_look` does not
apply and problems do not fall into parts. The dynamic program over prefixes still applies: the size
of a prefix is the position of the next item.
"""

from math import factorial
from typing import NamedTuple

import numpy as np

from disambig.compiled import lattice_ties
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.orderings.dynamic import require_lattice
from disambig.orderings.problems import as_problems
from disambig.orderings.ties import OrderDistribution
from disambig.orderings.windows import no_windows


class WeightedOrderDistribution(NamedTuple):
    """A uniform distribution on orders, and the mean weights of pairs under it.

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
    """The uniform distribution on the orders of least weighted cost.

    An order costs the sum of ``weights[position of i] costs[i, j]`` over i before j. With f(T) the
    least cost of the prefix T and ``S = T - i``,

        f(T) = min over i in T of f(S) + weights[|S|] sum_{j not in T} costs[i, j]

    Parameters
    ----------
    costs : array (b, m, m), m <= 20
        Finite; the diagonal is ignored.
    weights : array (m,)
        By position, 0 = first. The last one is never used.
    before : bool array (b, m, m) or (m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic.
    tolerance : float or array (b,), optional
        As for `tied_orders`; by default ``1e-10 * max |costs[r]| * max |weights|``.

    Returns
    -------
    WeightedOrderDistribution

    Examples
    --------
    The pair of items 0 and 1 costs 1 in either direction, which weighs less after item 2.

    >>> costs = np.zeros((1, 3, 3))
    >>> costs[0, [0, 1], [1, 0]] = 1
    >>> found = tied_weighted_orders(costs, [1.0, 0.5, 0.0])
    >>> found.orders.ranks, found.orders.counts, float((costs * found.charges).sum())
    (array([[1, 2, 0]]), array([2.]), 0.5)
    """
    costs, forced = as_problems(costs, before, "tied_weighted_orders")
    b, m, _ = costs.shape
    require_lattice(m, "tied_weighted_orders", "Without weights there is no limit.")
    weights = np.array(weights, dtype=np.float64)
    if weights.shape != (m,) or not np.isfinite(weights).all():
        raise ValueError(
            f"tied_weighted_orders: weights must be {m} finite numbers, one per position; got "
            f"shape {weights.shape}{'' if np.isfinite(weights).all() else ', not all finite'}."
        )
    if tolerance is None:
        tolerance = 1e-10 * np.abs(costs).max(axis=(1, 2), initial=0.0) * np.abs(weights).max()
    slack = np.array(np.broadcast_to(np.asarray(tolerance, dtype=np.float64), b))
    distribution = _free_distribution(b, weights)
    rows = np.flatnonzero(~_is_free(costs, forced, weights, slack))
    if rows.size:
        own = forced if len(forced) == 1 else forced[rows]
        found = lattice_ties.tied_orders(
            costs[rows], own, no_windows(), False, weights, slack[rows]
        )
        total = found[1][:, None, None]
        counted = found[0], found[1], found[2] / total, found[3] / total, found[4]
        for array, rest in zip(distribution, counted, strict=True):
            array[rows] = rest
    ranks, counts, pairs, places, charges = distribution
    return WeightedOrderDistribution(
        OrderDistribution(ranks, counts, pairs, places, np.ones(b, dtype=np.bool_)), charges
    )


def _is_free(
    costs: FloatArray, before: BoolArray, weights: FloatArray, slack: FloatArray
) -> BoolArray:
    """Problems, ``(b,)``, in which nothing is forced and all orders tie.

    Such problems are answered in closed form: they are the slowest ones to count.
    """
    m = len(weights)
    off = ~np.eye(m, dtype=np.bool_)
    lowest = costs.min(axis=(1, 2), where=off, initial=np.inf)
    highest = costs.max(axis=(1, 2), where=off, initial=-np.inf)
    # In every order weights[k] is paid for each of the m - 1 - k items after position k.
    paid = np.abs(weights) @ np.arange(m - 1.0, -1.0, -1.0)
    spread = (highest - lowest) * paid if m > 1 else np.zeros(len(costs))
    return np.asarray((spread <= slack) & ~before.any(axis=(1, 2)))


def _free_distribution(b: int, weights: FloatArray) -> tuple[AnyArray, ...]:
    """The distribution on all orders of m items: ranks, counts, pairs, places, charges."""
    m = len(weights)
    others = 1.0 - np.eye(m)
    # i is at each position equally often; at position k it stands before j in (m - 1 - k) / (m - 1)
    # of the orders.
    charge = weights @ np.arange(m - 1.0, -1.0, -1.0) / max(1, m * (m - 1))
    return (
        np.tile(np.arange(m), (b, 1)),
        np.full(b, float(factorial(m))),
        np.tile(others / 2.0, (b, 1, 1)),
        np.full((b, m, m), 1.0 / m),
        np.tile(others * charge, (b, 1, 1)),
    )
