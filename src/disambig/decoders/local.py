"""Good orders of many items by insertion moves; no proof, but a bound."""

import numpy as np

from disambig.decoders.decoded import DecodedOrders
from disambig.decoders.problems import as_problems, order_values, pair_minima
from disambig.kernels.insertion import insertion_orders
from disambig.notation import AnyArray

__all__ = ["local_orders"]


def local_orders(
    costs: AnyArray,
    before: AnyArray | None = None,
    *,
    n_iterations: int = 200,
    n_kicks: int = 3,
    random_state: int | np.random.Generator = 0,
) -> DecodedOrders:
    """Iterated insertion: take an item out, put it where it costs least, until no item gains.

    The start sorts by row sums (Borda) as far as the forced pairs allow. Then, `n_iterations`
    times, `n_kicks` random items are moved and insertion starts over; what is worse is undone.

    Parameters
    ----------
    costs : array (b, m, m)
        Finite; the diagonal is ignored.
    before : bool array (b, m, m) or (m, m), optional
        ``before[r, i, j]``: i must stand before j. Acyclic.
    n_iterations, n_kicks : int
    random_state : int or numpy Generator
        All problems of a batch are kicked alike, so an answer does not depend on its neighbours.

    Returns
    -------
    DecodedOrders
        The gap is to the sum of the cheaper directions; `exact` where that is attained.

    Examples
    --------
    >>> costs = np.random.default_rng(0).random((2, 30, 30))
    >>> found = local_orders(costs)
    >>> bool((found.values < np.triu(costs, 1).sum(axis=(1, 2))).all())
    True
    """
    costs, forced = as_problems(costs, before, "local_orders")
    draws = np.random.default_rng(random_state).random((n_iterations, n_kicks, 2))
    ranks = insertion_orders(costs, forced, draws)
    values = order_values(costs, ranks)
    least = pair_minima(costs, forced)
    # Both are sums of the same m (m - 1) / 2 numbers if the bound is attained, in another order.
    scale = np.abs(costs).max(axis=(1, 2)) * costs.shape[1] ** 2
    exact = values - least <= 1e-14 * scale
    return DecodedOrders(
        ranks,
        values,
        np.where(exact, 0.0, np.maximum(values - least, 0.0)),
        exact,
        np.full(len(costs), "local", dtype="<U10"),
    )
