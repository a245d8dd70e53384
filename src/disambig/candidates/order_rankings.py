"""Full rankings beside partial orders: read, checked, and compared with them."""

from typing import Any

import numpy as np

from disambig.candidates.classes import listed, positions, preview
from disambig.candidates.order_faults import order_fault
from disambig.candidates.order_numbers import number_table
from disambig.candidates.rank_tables import tied_rows
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray

__all__ = ["breaks_order", "full_rankings"]


def full_rankings(ranks: Any, items: AnyArray, n_rows: int) -> AnyArray:
    """Distinct ranks of all `items`, ``(n, m)``, columns with names matched to the items.

    Raises unless every row has one rank per item, none missing and no two equal.
    """
    values, names = number_table(ranks)
    if values.shape != (n_rows, len(items)):
        raise CandidateError(
            f"PartialOrders: expected ranks of shape ({n_rows}, {len(items)}), one row per order "
            f"and one column per item; got shape {values.shape}."
        )
    if names is not None:
        place = positions(np.asarray(names, dtype=object))
        strangers = [name for name in listed(items) if name not in place]
        if strangers:
            raise CandidateError(
                f"PartialOrders: no column of the ranks is named {preview(strangers)}; the columns "
                f"are {preview(names)}. Name them by the items, or pass an array without names."
            )
        values = values[:, [place[name] for name in listed(items)]]
    missing = np.asarray(np.isnan(values).any(axis=1))
    if missing.any():
        raise order_fault(missing, "lacks a rank", "A ranking gives every item its rank.")
    tied = tied_rows(values)
    if tied.any():
        raise order_fault(tied, "has equal ranks", "A ranking gives items distinct ranks.")
    return values


def breaks_order(before: BoolArray, ranks: AnyArray) -> BoolArray:
    """Rows, ``(n,)``, with a pair for which ``before[r, i, j] and ranks[r, i] > ranks[r, j]``."""
    broken = np.zeros(len(before), dtype=np.bool_)
    # One item at a time, which needs (n, m) of memory instead of (n, m, m).
    for i in range(before.shape[1]):
        broken |= (before[:, i] & (ranks[:, i, np.newaxis] > ranks)).any(axis=1)
    return broken
