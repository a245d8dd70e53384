"""The least loss of a constant on every prefix of some rows, each found from the one before.

A minimum is kept as its place among the breakpoints of the node and the sums (mass, pull, square)
of the violated ends there: on that piece the loss is ``mass z² - 2 pull z + square``. A new row
adds its ends and shifts the place by few breakpoints as soon as there are many rows.
"""

import numpy as np

from disambig.compiled.jit import kernel
from disambig.notation import AnyArray, FloatArray

__all__ = ["prefix_costs"]


@kernel
def _add(
    i: int,
    weight: float,
    ranks: AnyArray,
    values: FloatArray,
    present: FloatArray,
    is_lower: AnyArray,
    state: FloatArray,
    passed: int,
) -> int:
    """Row i joins the side that `state` (mass, pull, square) describes; where its minimum now is.

    `present` holds the weight of the breakpoints that are on this side.
    """
    for side in range(2):
        rank = ranks[i, side]
        if rank < 0:
            continue
        present[rank] = weight
        # A lower end is violated left of it, an upper end right of it.
        if (rank >= passed) == is_lower[rank]:
            state[0] += weight
            state[1] += weight * values[rank]
            state[2] += weight * values[rank] ** 2
    while passed < len(values) and state[0] * values[passed] < state[1]:
        _cross(passed, -1.0, values, present, is_lower, state)
        passed += 1
    while passed > 0 and state[0] * values[passed - 1] > state[1]:
        passed -= 1
        _cross(passed, 1.0, values, present, is_lower, state)
    return passed


@kernel
def _cross(
    rank: int,
    gain_of_lower: float,
    values: FloatArray,
    present: FloatArray,
    is_lower: AnyArray,
    state: FloatArray,
) -> None:
    change = present[rank] * (gain_of_lower if is_lower[rank] else -gain_of_lower)
    if change == 0.0:
        return
    state[0] += change
    state[1] += change * values[rank]
    state[2] += change * values[rank] ** 2
    if state[0] <= 0.0:
        # Weights are counts: what is left of the sums is rounding.
        state[:] = 0.0


@kernel
def prefix_costs(
    rows: AnyArray,
    weights: FloatArray,
    ranks: AnyArray,
    values: FloatArray,
    is_lower: AnyArray,
    start: int,
    costs: FloatArray,
) -> None:
    """``costs[t]``: the least loss of a constant on ``rows[: t + 1]``; `start` is a first guess."""
    present = np.zeros(len(values))
    state = np.zeros(3)
    passed = start
    for t in range(len(rows)):
        i = rows[t]
        passed = _add(i, weights[i], ranks, values, present, is_lower, state, passed)
        costs[t] = max(state[2] - state[1] * state[1] / state[0], 0.0) if state[0] > 0.0 else 0.0
