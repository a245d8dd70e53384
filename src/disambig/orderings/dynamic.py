"""Exact orders by dynamic programming over the down-sets of the partial order.

`dynamic_orders` minimises a sum over pairs of items, `position_orders` a sum over items of the cost
of their positions.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment

from disambig.compiled.lattice import cheapest_orders
from disambig.exceptions import MissingOracleError
from disambig.notation import AnyArray, FloatArray, IntArray
from disambig.orderings.problems import DecodedOrders, as_problems, order_values
from disambig.orderings.windows import as_windows, imply_pairs, no_windows

# The largest number of items of a dynamic program over sets of items: 2 ** 20 sets take about 6 ms
# and 12 MiB, and 20! still fits into 64 bits.
LARGEST_LATTICE = 20
# Up to this number of items without forced pairs the dynamic program is faster than one call of the
# assignment solver.
LARGEST_FREE_LATTICE = 8


def require_lattice(m: int, name: str, instead: str) -> None:
    """Raise `MissingOracleError` if m items are too many for a dynamic program over their sets."""
    if m > LARGEST_LATTICE:
        raise MissingOracleError(
            f"{name}: {m} items have to be ordered at once, and the dynamic program over sets of "
            f"items takes at most {LARGEST_LATTICE}. {instead}"
        )


def dynamic_orders(
    costs: AnyArray, before: AnyArray | None = None, windows: AnyArray | None = None
) -> DecodedOrders:
    """``argmin over orders of the sum of costs[i, j] over i before j``, exactly.

    ``f(T) = min over i in T of f(S) + sum_{j in S} costs[j, i]`` with ``S = T - i``, over the sets
    T that may stand first. The time is proportional to ``2 ** m``, or to the number of down-sets if
    the partial order has few. The size of S is the place of i: windows exclude transitions.

    Parameters
    ----------
    costs : array (b, m, m), m <= 20
        Finite; the diagonal is ignored.
    before : bool array (b, m, m) or (m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic.
    windows : int array (b, m, 2), optional
        The first and the last place of each item.

    Returns
    -------
    DecodedOrders
        Among tied orders the choice is deterministic, and larger indices tend to stand later.

    Examples
    --------
    The cheaper directions form the cycle 0, 1, 2, 0. Breaking its second link costs least:

    >>> costs = np.array([[[0, 0, 2], [3, 0, 0], [0, 1, 0]]])
    >>> found = dynamic_orders(costs)
    >>> found.ranks, found.values
    (array([[1, 2, 0]]), array([1.]))
    """
    costs, forced = as_problems(costs, before, "dynamic_orders")
    b, m, _ = costs.shape
    require_lattice(m, "dynamic_orders", "Use cut_orders, which is exact, or local_orders.")
    limits = as_windows(windows, forced, b, m, "dynamic_orders")
    ranks = cheapest_orders(costs, forced, no_windows() if limits is None else limits, False)
    return DecodedOrders(
        ranks,
        order_values(costs, ranks),
        np.zeros(b),
        np.ones(b, dtype=np.bool_),
        np.full(b, "dynamic", dtype="<U10"),
    )


def _assign(costs: FloatArray) -> IntArray:
    """Ranks of problems without forced pairs, one by one: the solver takes a single matrix.

    Places of infinite cost are forbidden.
    """
    ranks = np.empty(costs.shape[:2], dtype=np.intp)
    for r, cost in enumerate(costs):
        ranks[r] = linear_sum_assignment(cost)[1]
    return ranks


def position_orders(
    costs: AnyArray, before: AnyArray | None = None, windows: AnyArray | None = None
) -> DecodedOrders:
    """``argmin over orders of sum_i costs[i, rank of i]``, exactly.

    An assignment problem if nothing is forced but windows; otherwise a dynamic program over
    down-sets, ``f(T) = min over i in T of f(T - i) + costs[i, |T| - 1]``.

    Parameters
    ----------
    costs : array (b, m, m)
        ``costs[r, i, k]`` is paid if item i has position k. Finite.
    before : bool array (b, m, m) or (m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic; then ``m <= 20``, unless all pairs
        follow from windows that do not overlap.
    windows : int array (b, m, 2), optional
        The first and the last place of each item.

    Returns
    -------
    DecodedOrders
        `methods` are "dynamic" and "assignment". If orders tie, any of them may be returned.

    Examples
    --------
    Spearman's footrule to items 0 and 1 both at the first position, with 1 before 0 forced:

    >>> costs = np.array([[[0, 1, 2], [0, 1, 2], [2, 1, 0]]])
    >>> before = np.zeros((3, 3), dtype=bool)
    >>> before[1, 0] = True
    >>> position_orders(costs, before).ranks
    array([[1, 0, 2]])
    """
    costs, forced = as_problems(costs, before, "position_orders", diagonal=True)
    b, m, _ = costs.shape
    limits = as_windows(windows, forced, b, m, "position_orders")
    ordered = forced.any(axis=(1, 2)) if limits is None else ~imply_pairs(limits, forced)
    lattice = np.broadcast_to(ordered | (m <= LARGEST_FREE_LATTICE), b)
    ranks = np.empty((b, m), dtype=np.intp)
    if lattice.any():
        require_lattice(m, "position_orders", "Beyond that, forced pairs are not supported.")
        rows = np.flatnonzero(lattice)
        shared = forced if len(forced) == 1 else forced[rows]
        own = no_windows() if limits is None else limits[rows]
        ranks[rows] = cheapest_orders(costs[rows], shared, own, True)
    free = np.flatnonzero(~lattice)
    ranks[free] = _assign(costs[free] if limits is None else _forbidden(costs[free], limits[free]))
    return DecodedOrders(
        ranks,
        np.take_along_axis(costs, ranks[:, :, None], axis=2).sum(axis=(1, 2)),
        np.zeros(b),
        np.ones(b, dtype=np.bool_),
        np.where(lattice, "dynamic", "assignment"),
    )


def _forbidden(costs: FloatArray, windows: IntArray) -> FloatArray:
    """Costs of positions, ``(b, m, m)``, infinite outside the windows."""
    place = np.arange(costs.shape[1])
    inside = (place >= windows[:, :, :1]) & (place <= windows[:, :, 1:])
    return np.where(inside, costs, np.inf)
