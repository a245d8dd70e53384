"""What partial orders say in numbers: expected places of items, and how much is known of them."""

import numpy as np

from disambig.candidates import PartialOrders
from disambig.notation import FloatArray


def expected_places(orders: PartialOrders) -> tuple[FloatArray, FloatArray]:
    """Expected places of items, and the information about them in [0, 1], both ``(n, m)``.

    An item with b items known to stand before it, a after it and u not compared with it has the
    expected place ``b + u (b + 1) / (a + b + 2)``. If the compared items form a chain, that is the
    mean over all linear extensions. The place lies in the window of the item. The information is
    ``1 - variance / variance of a uniform place``: 1 for a place that is known, 0 for an item that
    is not compared.

    Examples
    --------
    >>> orders = PartialOrders.from_strings(["a>b", "a>b>c"], items=["a", "b", "c"])
    >>> places, information = expected_places(orders)
    >>> places.round(2).tolist()
    [[0.33, 1.67, 1.0], [0.0, 1.0, 2.0]]
    >>> information.round(2).tolist()
    [[0.67, 0.67, 0.0], [1.0, 1.0, 1.0]]
    """
    m = orders.n_items
    earlier = np.count_nonzero(orders.before, axis=1).astype(np.float64)
    later = np.count_nonzero(orders.before, axis=2).astype(np.float64)
    compared = earlier + later
    open_ = m - 1.0 - compared
    places = earlier + open_ * (earlier + 1.0) / (compared + 2.0)
    # The place of the r-th of k items among m: r - 1 items stand before it, k - r after it.
    variance = (earlier + 1.0) * (later + 1.0) * (m + 1.0) * open_
    variance /= (compared + 2.0) ** 2 * (compared + 3.0)
    if orders.windows is not None:
        first, last = orders.windows[:, :, 0], orders.windows[:, :, 1]
        places = np.clip(places, first, last)
        variance = np.minimum(variance, ((last - first + 1.0) ** 2 - 1.0) / 12.0)
    uniform = (m * m - 1.0) / 12.0
    information = 1.0 - variance / uniform if m > 1 else np.zeros_like(places)
    return places, np.clip(information, 0.0, 1.0)
