"""What distinguishes blocks of values from earlier ones, and from each other."""

import numpy as np

from disambig.kernels.jit import kernel
from disambig.notation import BoolArray, FloatArray, IntArray

__all__ = ["changed_rows", "count_changes"]


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
