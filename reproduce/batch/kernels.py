"""What distinguishes blocks of values from earlier ones, and from each other.

One half step of alternating minimisation for several problems on the same rows.
"""

import numpy as np

from disambig.compiled.jit import kernel
from disambig.notation import BoolArray, FloatArray, IntArray


@kernel
def count_changes(values: FloatArray, older: FloatArray) -> tuple[IntArray, IntArray]:
    """Entries of each block that differ from the older ones, and from the block before.

    Parameters
    ----------
    values, older : float64, (blocks, n, p)

    Returns
    -------
    past, beside : int64, (blocks,)
        The first block, which has none before it, differs everywhere.
    """
    blocks, n, p = values.shape
    past = np.zeros(blocks, dtype=np.int64)
    beside = np.zeros(blocks, dtype=np.int64)
    for b in range(blocks):
        for i in range(n):
            for c in range(p):
                past[b] += values[b, i, c] != older[b, i, c]
                beside[b] += b == 0 or values[b, i, c] != values[b - 1, i, c]
    return past, beside


@kernel
def changed_rows(
    values: FloatArray, older: FloatArray, told: IntArray, follows: BoolArray
) -> tuple[IntArray, FloatArray]:
    """Rows in which some of the told blocks differ from what they are told from, and by how much.

    Parameters
    ----------
    values, older : float64, (blocks, n, p)
    told : int64, (t,)
        Blocks.
    follows : bool, (blocks,)
        Whether a block is told from the one before it, or from its own past.

    Returns
    -------
    rows : int64, (m,)
    steps : float64, (m, t p)
    """
    _, n, p = values.shape
    news = np.zeros(n, dtype=np.bool_)
    for b in told:
        for i in range(n):
            for c in range(p):
                before = values[b - 1, i, c] if follows[b] else older[b, i, c]
                news[i] = news[i] or values[b, i, c] != before
    rows = np.flatnonzero(news)
    steps = np.empty((rows.size, told.size * p), dtype=np.float64)
    for k in range(rows.size):
        i = rows[k]
        for t in range(told.size):
            b = told[t]
            for c in range(p):
                before = values[b - 1, i, c] if follows[b] else older[b, i, c]
                steps[k, t * p + c] = values[b, i, c] - before
    return rows, steps


@kernel
def label_step(
    blocks: IntArray,
    heard: FloatArray,
    table: FloatArray,
    allowed: BoolArray,
    tolerance: FloatArray,
    grow: bool,
    mask: BoolArray,
    law: FloatArray,
    paid: FloatArray,
) -> IntArray:
    """Each row takes the vertices of least cost, ``table @ heard``, with their ties.

    Where `grow`, a row that gains no more than the tolerance keeps the vertices that it had beside
    the new ones. Rows whose face changed are counted, for each block.

    Parameters
    ----------
    blocks : int (b,)
        The blocks to work on.
    heard : float64 (B, n, T)
        Votes for each of T vertices of the other side.
    table : float64 (V, T), or (0, 0)
        Costs of the V vertices; empty: the 0-1 loss, with ``V = T``.
    allowed : bool (B, n, V), or (0, 0, 0)
        Empty: all vertices.
    tolerance : float64 (B, n)
    grow : bool
    mask : bool (B, n, V)
        The faces; changed in place.
    law : float64 (B, n, V)
        The uniform laws on them; changed in place.
    paid : float64 (B,)
        The mean cost of the vertices that are taken, summed over rows; written.
    """
    moved = np.zeros(mask.shape[0], dtype=np.int64)
    n, size = mask.shape[1], mask.shape[2]
    costs = np.empty(size, dtype=np.float64)
    face = np.empty(size, dtype=np.bool_)
    for b in blocks:
        total = 0.0
        for i in range(n):
            _costs(heard, b, i, table, costs)
            limit = tolerance[b, i]
            if _stays(costs, limit, allowed, mask, b, i):
                total += _older_mean(costs, mask, b, i)
                continue
            count, mean = _cheapest(costs, limit, allowed, b, i, face)
            if grow and not _older_mean(costs, mask, b, i) - mean > limit:
                count, mean = _joined(costs, mask, b, i, face)
            total += mean
            if _differs(face, mask, b, i):
                moved[b] += 1
                for v in range(size):
                    mask[b, i, v] = face[v]
                    law[b, i, v] = 1.0 / count if face[v] else 0.0
        paid[b] = total
    return moved


# The rows are passed by their numbers: a view of each would cost as much as the work on it.


@kernel
def _costs(heard: FloatArray, b: int, i: int, table: FloatArray, costs: FloatArray) -> None:
    if table.shape[0] == 0:
        total = 0.0
        for v in range(costs.size):
            total += heard[b, i, v]
        for v in range(costs.size):
            costs[v] = total - heard[b, i, v]
    else:
        for v in range(costs.size):
            costs[v] = 0.0
            for t in range(heard.shape[2]):
                costs[v] += table[v, t] * heard[b, i, t]


@kernel
def _stays(
    costs: FloatArray, tolerance: float, allowed: BoolArray, mask: BoolArray, b: int, i: int
) -> bool:
    """Is the face a single vertex that beats all others? Nearly always, and quick to see."""
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


@kernel
def _cheapest(
    costs: FloatArray, tolerance: float, allowed: BoolArray, b: int, i: int, face: BoolArray
) -> tuple[int, float]:
    """Put into `face` what ties with the minimum: how many, and their mean cost."""
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


@kernel
def _older_mean(costs: FloatArray, mask: BoolArray, b: int, i: int) -> float:
    count = 0
    total = 0.0
    for v in range(costs.size):
        if mask[b, i, v]:
            count += 1
            total += costs[v]
    return total / count


@kernel
def _joined(
    costs: FloatArray, mask: BoolArray, b: int, i: int, face: BoolArray
) -> tuple[int, float]:
    """Put the older vertices into `face` too: how many, and their mean cost."""
    count = 0
    total = 0.0
    for v in range(costs.size):
        face[v] = face[v] or mask[b, i, v]
        if face[v]:
            count += 1
            total += costs[v]
    return count, total / count


@kernel
def _differs(face: BoolArray, mask: BoolArray, b: int, i: int) -> bool:
    for v in range(face.size):
        if face[v] != mask[b, i, v]:
            return True
    return False
