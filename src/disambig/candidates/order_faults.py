"""Refusals of orders: which row, what is wrong, how many such rows, what to do."""

import numpy as np

from disambig.candidates.classes import listed
from disambig.candidates.cycles import shortest_cycle
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, IntArray

__all__ = ["order_fault", "refuse_cycles", "rows_among"]


def order_fault(faulty: BoolArray, what: str, remedy: str) -> CandidateError:
    """An error that names the first of the `faulty` rows, shape ``(n,)``, and their number.

    Examples
    --------
    >>> import numpy as np
    >>> print(order_fault(np.array([False, True, True]), "is odd", "Give even ones."))
    PartialOrders: row 1 is odd (2 such rows). Give even ones.
    """
    count = int(np.count_nonzero(faulty))
    rows = "row" if count == 1 else "rows"
    return CandidateError(
        f"PartialOrders: row {int(np.argmax(faulty))} {what} ({count} such {rows}). {remedy}"
    )


def rows_among(n_rows: int, owners: IntArray) -> BoolArray:
    """Which of the rows, ``(n,)``, occur in `owners`."""
    found = np.zeros(n_rows, dtype=np.bool_)
    found[owners] = True
    return found


def refuse_cycles(cyclic: BoolArray, before: BoolArray, items: AnyArray) -> None:
    """Raise if a row is `cyclic`, ``(n,)``, and name the cycle in `before`, ``(n, m, m)``."""
    if not cyclic.any():
        return
    names = listed(items)
    cycle = shortest_cycle(before[int(np.argmax(cyclic))])
    around = " > ".join(str(names[i]) for i in [*cycle, cycle[0]])
    raise order_fault(
        cyclic, f"contradicts itself: {around}", "Leave out at least one of these comparisons."
    )
