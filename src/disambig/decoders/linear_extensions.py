"""All orders that respect a partial order, exactly: how many, pair by pair, place by place."""

import numpy as np

from disambig.decoders.order_law import OrderLaw
from disambig.decoders.tied import tied_orders
from disambig.notation import AnyArray

__all__ = ["linear_extensions"]


def linear_extensions(before: AnyArray) -> OrderLaw:
    """The uniform law on the linear extensions of partial orders: ties of orders that cost nothing.

    Parameters
    ----------
    before : bool array (b, m, m) or (m, m)
        ``before[r, i, j]``: i must stand before j. Acyclic. Parts of the order that are compared
        with everything else are counted apart; each may have at most 20 items, or any number if
        nothing within it is compared.

    Returns
    -------
    OrderLaw
        ``counts`` are the numbers of linear extensions, ``mean_ranks`` the average ranks.

    Examples
    --------
    The "N": 0 before 2, 1 before 2, 1 before 3 has five.

    >>> before = np.zeros((4, 4), dtype=bool)
    >>> before[[0, 1, 1], [2, 2, 3]] = True
    >>> law = linear_extensions(before)
    >>> law.counts, law.pairs[0, 0]
    (array([5.]), array([0. , 0.4, 1. , 0.8]))
    """
    forced = np.asarray(before)
    if forced.ndim == 2:
        forced = forced[None]
    return tied_orders(np.zeros(forced.shape), forced, tolerance=0.0)
