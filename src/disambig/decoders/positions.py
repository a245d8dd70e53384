"""Orders whose cost is a sum over items of what their position costs."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from disambig.decoders.decoded import DecodedOrders
from disambig.decoders.dynamic import require_lattice
from disambig.decoders.problems import as_problems
from disambig.kernels.prefix_lattice import cheapest_orders
from disambig.notation import AnyArray, FloatArray, IntArray

__all__ = ["position_orders"]

# Up to here the programme over sets takes less time than one call of the assignment solver.
LARGEST_FREE_LATTICE = 8


def _assign(costs: FloatArray) -> IntArray:
    """Free problems, one by one: the assignment solver takes a single matrix."""
    ranks = np.empty(costs.shape[:2], dtype=np.intp)
    for r, cost in enumerate(costs):
        ranks[r] = linear_sum_assignment(cost)[1]
    return ranks


def position_orders(costs: AnyArray, before: AnyArray | None = None) -> DecodedOrders:
    """``argmin over orders of sum_i costs[i, rank of i]``, exactly.

    An assignment problem where nothing is forced; otherwise the programme over down-sets,
    ``f(S + i) = min_i f(S) + costs[i, |S|]``.

    Parameters
    ----------
    costs : array (b, m, m)
        ``costs[r, i, k]`` is paid if item i has position k. Finite.
    before : bool array (b, m, m) or (m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic; then ``m <= 20``.

    Returns
    -------
    DecodedOrders
        `methods` are "dynamic" and "assignment". Compare values, not orders, where costs tie.

    Examples
    --------
    Spearman's footrule to the wish "0 and 1 both first", with 1 before 0 forced:

    >>> costs = np.array([[[0, 1, 2], [0, 1, 2], [2, 1, 0]]])
    >>> before = np.zeros((3, 3), dtype=bool)
    >>> before[1, 0] = True
    >>> position_orders(costs, before).ranks
    array([[1, 0, 2]])
    """
    costs, forced = as_problems(costs, before, "position_orders", diagonal=True)
    b, m, _ = costs.shape
    lattice = np.broadcast_to(forced.any(axis=(1, 2)) | (m <= LARGEST_FREE_LATTICE), b)
    ranks = np.empty((b, m), dtype=np.intp)
    if lattice.any():
        require_lattice(m, "position_orders", "Only free items can be ordered beyond that.")
        rows = np.flatnonzero(lattice)
        shared = forced if len(forced) == 1 else forced[rows]
        ranks[rows] = cheapest_orders(costs[rows], shared, True)
    free = np.flatnonzero(~lattice)
    ranks[free] = _assign(costs[free])
    return DecodedOrders(
        ranks,
        np.take_along_axis(costs, ranks[:, :, None], axis=2).sum(axis=(1, 2)),
        np.zeros(b),
        np.ones(b, dtype=np.bool_),
        np.where(lattice, "dynamic", "assignment"),
    )
