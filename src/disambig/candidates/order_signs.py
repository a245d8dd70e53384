"""Orders from a sign per pair of items: +1 before, -1 after, 0 not known."""

from typing import Any

import numpy as np

from disambig.candidates.items import named_items
from disambig.candidates.order_containers import require_rows
from disambig.candidates.order_faults import order_fault
from disambig.candidates.order_table import OrderTable, closed_orders, no_pairs
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray

__all__ = ["parse_signs"]


def parse_signs(y: Any, items: Any) -> OrderTable:
    """Read ``(n, m, m)`` signs; one of the two entries of a pair is enough."""
    require_rows(y)
    signs = _numbers(y)
    vector = named_items(items, signs.shape[1])
    before = no_pairs(signs.shape[0], signs.shape[1])
    np.equal(signs, 1, out=before)
    # The sign of a pair that is given twice with +1, or on the diagonal, is a cycle.
    before |= signs.transpose(0, 2, 1) == -1
    return closed_orders(before, vector)


def _numbers(y: Any) -> AnyArray:
    try:
        signs = np.asarray(y)
    except ValueError as error:
        raise CandidateError(
            "PartialOrders: signs must form an array of shape (n, m, m); these rows differ in "
            "shape. For lists of pairs use PartialOrders.from_pairs."
        ) from error
    if signs.ndim != 3 or signs.shape[1] != signs.shape[2]:
        raise CandidateError(
            f"PartialOrders: signs must have shape (n, m, m), one row and one column per item; "
            f"got shape {signs.shape}. For lists of pairs use PartialOrders.from_pairs."
        )
    if signs.dtype.kind == "b":
        return signs.astype(np.int8)
    if signs.dtype.kind not in "iuf":
        raise CandidateError(
            f"PartialOrders: signs must be numbers, +1, -1 and 0; got an array of {signs.dtype}. "
            f"For lists of pairs use PartialOrders.from_pairs."
        )
    good = (signs == 1) | (signs == 0) | (signs == -1)
    if not np.all(good):
        place = tuple(np.argwhere(~good)[0])
        raise order_fault(
            ~np.asarray(good.all(axis=(1, 2))),
            f"holds {signs[place]!s} at {tuple(map(int, place[1:]))}",
            "Signs are +1 for before, -1 for after and 0 for not known; for lists of pairs use "
            "PartialOrders.from_pairs.",
        )
    return signs
