"""Full rankings before anything is hidden, and what is left of them after."""

from typing import Any

import numpy as np

from disambig.candidates import PartialOrders
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray

__all__ = ["orders_without", "read_rankings"]


def read_rankings(owner: str, ranks: Any, items: Any) -> PartialOrders:
    """Orders that allow one ranking each, read by `PartialOrders.from_any`; raises for `owner`.

    Examples
    --------
    >>> read_rankings("PairCorruption", ["b>a>c"], None).ranks().tolist()
    [[1, 0, 2]]
    """
    orders = PartialOrders.from_any(ranks, items)
    partial = ~orders.is_total
    if partial.any():
        count = np.count_nonzero(partial)
        raise CandidateError(
            f"{owner}: row {int(np.argmax(partial))} allows several rankings ({count} such "
            f"{'row' if count == 1 else 'rows'}). Pairs are hidden from full rankings: rank every "
            f"item, and no two alike."
        )
    return orders


def orders_without(before: BoolArray, items: AnyArray, hidden: BoolArray) -> PartialOrders:
    """The closure of the pairs that are not hidden.

    Parameters
    ----------
    before : (n, m, m) of bool
        ``before[r, i, j]``: item i stands before item j in row r.
    items : (m,)
    hidden : (n, m (m - 1) / 2) of bool
        By pair ``i < j``, in the order of ``np.triu_indices(m, 1)``.
    """
    i, j = np.triu_indices(before.shape[1], 1)
    shown = np.zeros(before.shape, dtype=np.bool_)
    shown[:, i, j] = ~hidden
    shown[:, j, i] = ~hidden
    shown &= before
    return PartialOrders(shown, items)
