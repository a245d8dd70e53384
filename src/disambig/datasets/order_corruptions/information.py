"""How much a corruption hides, and how much of it is lost."""

from typing import Any

from disambig.candidates import PartialOrders
from disambig.datasets.order_corruptions.protocol import OrderCorruption

__all__ = ["hidden_share", "information_left"]


def information_left(orders: PartialOrders) -> float:
    """The share of all pairs whose order is known, those that follow from others included.

    1 if there is no pair: nothing is unknown of a single item.

    See Also
    --------
    hidden_share : What was hidden before pairs followed from others.

    Examples
    --------
    >>> from disambig import candidates
    >>> from disambig.datasets import information_left
    >>> information_left(candidates.PartialOrders.from_any(["a>b>c", ""]))
    0.5
    """
    n_pairs = len(orders) * orders.n_items * (orders.n_items - 1) // 2
    return float(orders.n_observed.sum() / n_pairs) if n_pairs else 1.0


def hidden_share(
    corruption: OrderCorruption, y: Any, *, items: Any = None, random_state: Any = None
) -> float:
    """The share of all pairs that a corruption hides, whether or not they follow from the rest.

    0 if there is no pair.

    Parameters
    ----------
    corruption : OrderCorruption
    y : (n, m)
        Ranks or scores, as ``corruption.reads`` says.
    items : (m,), default None
    random_state : int, numpy Generator or None, default None
        With an integer, the pairs that ``corruption(y, random_state=...)`` hides.

    See Also
    --------
    information_left : What is known in the end, at least ``1 - hidden_share``.

    Examples
    --------
    >>> from disambig.datasets import TopKCorruption, hidden_share
    >>> hidden_share(TopKCorruption(1), [[0, 1, 2, 3]])
    0.5
    """
    hidden = corruption.hidden(y, items=items, random_state=random_state)
    return float(hidden.mean()) if hidden.size else 0.0
