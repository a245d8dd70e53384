"""Exact orders by dynamic programming over the down-sets of the partial order."""

import numpy as np

from disambig.decoders.decoded import DecodedOrders
from disambig.decoders.problems import as_problems, order_values
from disambig.exceptions import MissingOracleError
from disambig.kernels.prefix_lattice import cheapest_orders
from disambig.notation import AnyArray

__all__ = ["LARGEST_LATTICE", "dynamic_orders", "require_lattice"]

# 2 ** 20 sets take some 6 ms and 12 MiB; 20! still fits in 64 bits.
LARGEST_LATTICE = 20


def require_lattice(m: int, name: str, instead: str) -> None:
    """Raise `MissingOracleError` if m items are too many for a programme over sets of items."""
    if m > LARGEST_LATTICE:
        raise MissingOracleError(
            f"{name}: {m} items have to be ordered at once, and the programme over sets of items "
            f"is offered for at most {LARGEST_LATTICE}. {instead}"
        )


def dynamic_orders(costs: AnyArray, before: AnyArray | None = None) -> DecodedOrders:
    """``argmin over orders of the sum of costs[i, j] over i before j``, exactly.

    ``f(S + i) = min_i f(S) + sum_{j in S} costs[j, i]`` over the sets S that may stand first. The
    time is that of ``2 ** m`` sets, or of the down-sets where the partial order leaves few.

    Parameters
    ----------
    costs : array (b, m, m), m <= 20
        Finite; the diagonal is ignored.
    before : bool array (b, m, m) or (m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic.

    Returns
    -------
    DecodedOrders
        Of tied items the larger index tends to stand later; the choice is deterministic.

    Examples
    --------
    Three items in a circle 0, 1, 2, 0, of which the second link is the weakest:

    >>> costs = np.array([[[0, 0, 2], [3, 0, 0], [0, 1, 0]]])
    >>> found = dynamic_orders(costs)
    >>> found.ranks, found.values
    (array([[1, 2, 0]]), array([1.]))
    """
    costs, forced = as_problems(costs, before, "dynamic_orders")
    b, m, _ = costs.shape
    require_lattice(m, "dynamic_orders", "Use cut_orders, which is exact, or local_orders.")
    ranks = cheapest_orders(costs, forced, False)
    return DecodedOrders(
        ranks,
        order_values(costs, ranks),
        np.zeros(b),
        np.ones(b, dtype=np.bool_),
        np.full(b, "dynamic", dtype="<U10"),
    )
