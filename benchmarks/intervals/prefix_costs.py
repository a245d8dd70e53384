"""The least loss of a constant on every prefix of some rows, each computed from the one before.

A minimum is stored as its position among the breakpoints of the node and three sums over the bounds
that are violated there, with which the loss is ``total_weight z² - 2 weighted_sum z +
weighted_square`` between two breakpoints. A new row adds its bounds; with many rows it moves the
position by few breakpoints.
"""

import numpy as np

from disambig.compiled.jit import compiled
from disambig.notation import AnyArray, FloatArray

__all__ = ["prefix_costs"]


@compiled
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
    """Add row i to the rows of `state` (the three sums), and return the position of the minimum.

    `present` has the weights of the breakpoints of the rows that were added.
    """
    for side in range(2):
        rank = ranks[i, side]
        if rank < 0:
            continue
        present[rank] = weight
        # A lower bound is violated left of it, an upper bound right of it.
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


@compiled
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
        # Weights are counts, so the rest of the sums is rounding error.
        state[:] = 0.0


@compiled
def prefix_costs(
    rows: AnyArray,
    weights: FloatArray,
    ranks: AnyArray,
    values: FloatArray,
    is_lower: AnyArray,
    start: int,
    costs: FloatArray,
) -> None:
    """Write the least loss of a constant on ``rows[: t + 1]`` to ``costs[t]``; guess `start`."""
    present = np.zeros(len(values))
    state = np.zeros(3)
    passed = start
    for t in range(len(rows)):
        i = rows[t]
        passed = _add(i, weights[i], ranks, values, present, is_lower, state, passed)
        costs[t] = max(state[2] - state[1] * state[1] / state[0], 0.0) if state[0] > 0.0 else 0.0
