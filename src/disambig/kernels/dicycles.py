"""Three items in a circle: what a relaxed order must not contain."""

from typing import Any

import numpy as np

from disambig.kernels.jit import kernel
from disambig.notation import AnyArray, FloatArray

__all__ = ["violated_dicycles"]


@kernel
def violated_dicycles(x: FloatArray, least: Any) -> tuple[AnyArray, FloatArray]:
    """Triples with ``x[i, j] + x[j, k] + x[k, i] - 2 > least``, i the smallest.

    Preconditions: `x` ``(m, m)`` with ``x[i, j] + x[j, i] = 1``. Returns the triples ``(c, 3)`` in
    lexicographic order of their sorted items, and by how much they exceed 2.
    """
    m = x.shape[0]
    count = 0
    for i in range(m):
        for j in range(i + 1, m):
            for k in range(j + 1, m):
                turn = x[i, j] + x[j, k] - x[i, k]
                # One way round exceeds by turn - 1, the other by -turn.
                if turn - 1.0 > least or -turn > least:
                    count += 1
    triples = np.empty((count, 3), dtype=np.int64)
    excess = np.empty(count, dtype=np.float64)
    at = 0
    for i in range(m):
        for j in range(i + 1, m):
            for k in range(j + 1, m):
                turn = x[i, j] + x[j, k] - x[i, k]
                if turn - 1.0 > least:
                    triples[at, 0], triples[at, 1], triples[at, 2] = i, j, k
                    excess[at] = turn - 1.0
                    at += 1
                elif -turn > least:
                    triples[at, 0], triples[at, 1], triples[at, 2] = i, k, j
                    excess[at] = -turn
                    at += 1
    return triples, excess
