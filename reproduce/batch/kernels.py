"""Compiled functions for several problems on the same rows, which are called blocks.

* `count_changes` and `changed_rows` compare the values of a block with its older values and with
  the block before it, for `RunningProduct`.
* `label_step` is a half step of alternating minimisation for several problems.
"""

import numpy as np

from disambig.compiled.jit import compiled
from disambig.notation import BoolArray, FloatArray, IntArray


@compiled
def count_changes(values: FloatArray, older: FloatArray) -> tuple[IntArray, IntArray]:
    """Count the entries of each block that differ from its older values and from the block before.

    Parameters
    ----------
    values, older : float64, (blocks, n, p)

    Returns
    -------
    since_older, since_previous : int64, (blocks,)
        The first block has none before it, so all of its entries are counted.
    """
    blocks, n, p = values.shape
    since_older = np.zeros(blocks, dtype=np.int64)
    since_previous = np.zeros(blocks, dtype=np.int64)
    for b in range(blocks):
        for i in range(n):
            for c in range(p):
                since_older[b] += values[b, i, c] != older[b, i, c]
                since_previous[b] += b == 0 or values[b, i, c] != values[b - 1, i, c]
    return since_older, since_previous


@compiled
def changed_rows(
    values: FloatArray, older: FloatArray, updated: IntArray, follows: BoolArray
) -> tuple[IntArray, FloatArray]:
    """Rows in which an updated block differs from its reference, and the differences.

    Parameters
    ----------
    values, older : float64, (blocks, n, p)
    updated : int64, (t,)
        Indices of the blocks to compare.
    follows : bool, (blocks,)
        The reference of a block: the block before it if True, else its own older values.

    Returns
    -------
    rows : int64, (m,)
    steps : float64, (m, t p)
    """
    _, n, p = values.shape
    has_changed = np.zeros(n, dtype=np.bool_)
    for b in updated:
        for i in range(n):
            for c in range(p):
                before = values[b - 1, i, c] if follows[b] else older[b, i, c]
                has_changed[i] = has_changed[i] or values[b, i, c] != before
    rows = np.flatnonzero(has_changed)
    steps = np.empty((rows.size, updated.size * p), dtype=np.float64)
    for k in range(rows.size):
        i = rows[k]
        for t in range(updated.size):
            b = updated[t]
            for c in range(p):
                before = values[b - 1, i, c] if follows[b] else older[b, i, c]
                steps[k, t * p + c] = values[b, i, c] - before
    return rows, steps


@compiled
def label_step(
    blocks: IntArray,
    scores: FloatArray,
    table: FloatArray,
    allowed: BoolArray,
    tolerance: FloatArray,
    grow: bool,
    mask: BoolArray,
    distribution: FloatArray,
    total_cost: FloatArray,
) -> IntArray:
    """Each row takes the vertices of least cost, ``table @ scores``, with their ties.

    If `grow`, a row that gains no more than the tolerance keeps its old vertices in addition to the
    new ones. Returns the number of rows of each block whose face changed.

    Parameters
    ----------
    blocks : int (b,)
        Indices of the blocks to update.
    scores : float64 (B, n, T)
        Products of the votes with the T vertices of the other side.
    table : float64 (V, T), or (0, 0)
        Costs of the V vertices; if empty, the 0-1 loss, with ``V = T``.
    allowed : bool (B, n, V), or (0, 0, 0)
        If empty, all vertices are allowed.
    tolerance : float64 (B, n)
    grow : bool
    mask : bool (B, n, V)
        The faces; changed in place.
    distribution : float64 (B, n, V)
        The uniform distributions on them; changed in place.
    total_cost : float64 (B,)
        The mean cost of the vertices that a row takes, summed over rows; changed in place.
    """
    n_moved = np.zeros(mask.shape[0], dtype=np.int64)
    n, size = mask.shape[1], mask.shape[2]
    costs = np.empty(size, dtype=np.float64)
    face = np.empty(size, dtype=np.bool_)
    for b in blocks:
        total = 0.0
        for i in range(n):
            _costs(scores, b, i, table, costs)
            limit = tolerance[b, i]
            if _is_single_best(costs, limit, allowed, mask, b, i):
                total += _older_mean(costs, mask, b, i)
                continue
            count, mean = _cheapest(costs, limit, allowed, b, i, face)
            if grow and not _older_mean(costs, mask, b, i) - mean > limit:
                count, mean = _joined(costs, mask, b, i, face)
            total += mean
            if _differs(face, mask, b, i):
                n_moved[b] += 1
                for v in range(size):
                    mask[b, i, v] = face[v]
                    distribution[b, i, v] = 1.0 / count if face[v] else 0.0
        total_cost[b] = total
    return n_moved


# Rows are passed by their indices, because a view of a row would cost as much as the work on it.


@compiled
def _costs(scores: FloatArray, b: int, i: int, table: FloatArray, costs: FloatArray) -> None:
    if table.shape[0] == 0:
        total = 0.0
        for v in range(costs.size):
            total += scores[b, i, v]
        for v in range(costs.size):
            costs[v] = total - scores[b, i, v]
    else:
        for v in range(costs.size):
            costs[v] = 0.0
            for t in range(scores.shape[2]):
                costs[v] += table[v, t] * scores[b, i, t]


@compiled
def _is_single_best(
    costs: FloatArray, tolerance: float, allowed: BoolArray, mask: BoolArray, b: int, i: int
) -> bool:
    """Is the face a single vertex that beats all others? The usual case, and fast to check."""
    free = allowed.shape[0] == 0
    best = np.inf
    second = np.inf
    for v in range(costs.size):
        if mask[b, i, v]:
            if best < np.inf:
                return False
            best = costs[v]
        elif costs[v] < second and (free or allowed[b, i, v]):
            second = costs[v]
    return best + tolerance < second


@compiled
def _cheapest(
    costs: FloatArray, tolerance: float, allowed: BoolArray, b: int, i: int, face: BoolArray
) -> tuple[int, float]:
    """Write the vertices that tie with the minimum to `face`; return their number and mean cost."""
    free = allowed.shape[0] == 0
    best = np.inf
    for v in range(costs.size):
        if (free or allowed[b, i, v]) and costs[v] < best:
            best = costs[v]
    count = 0
    total = 0.0
    for v in range(costs.size):
        face[v] = (free or allowed[b, i, v]) and costs[v] <= best + tolerance
        if face[v]:
            count += 1
            total += costs[v]
    return count, total / count


@compiled
def _older_mean(costs: FloatArray, mask: BoolArray, b: int, i: int) -> float:
    count = 0
    total = 0.0
    for v in range(costs.size):
        if mask[b, i, v]:
            count += 1
            total += costs[v]
    return total / count


@compiled
def _joined(
    costs: FloatArray, mask: BoolArray, b: int, i: int, face: BoolArray
) -> tuple[int, float]:
    """Add the older vertices to `face`; return the number of its vertices and their mean cost."""
    count = 0
    total = 0.0
    for v in range(costs.size):
        face[v] = face[v] or mask[b, i, v]
        if face[v]:
            count += 1
            total += costs[v]
    return count, total / count


@compiled
def _differs(face: BoolArray, mask: BoolArray, b: int, i: int) -> bool:
    for v in range(face.size):
        if face[v] != mask[b, i, v]:
            return True
    return False
