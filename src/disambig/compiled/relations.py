"""Transitive closures of many small relations.

Three items in a circle: what a relaxed order must not contain.

A random walk on the linear extensions of a partial order, by swaps of neighbours.
"""

from typing import Any

import numpy as np

from disambig.compiled.jit import kernel
from disambig.notation import AnyArray, BoolArray, FloatArray

_ONE = np.uint64(1)


@kernel
def _has(bits: AnyArray, i: int, j: int) -> bool:
    """Whether bit j is set in row i of `bits` ``(m, width)``."""
    return bool((bits[i, j // 64] >> np.uint64(j % 64)) & _ONE)


@kernel
def close_transitively(relations: BoolArray) -> BoolArray:
    """``relations[r, i, j] |= relations[r, i, k] & relations[r, k, j]`` until nothing changes.

    Works in place, by Warshall's algorithm on rows of bits: at 50 items three times as fast as on
    bytes. A relation with a cycle is left as it came, so that the caller can tell which of its
    pairs make the cycle.

    Preconditions: `relations` ``(n, m, m)`` writeable. Returns ``(n,)``: which have a cycle.
    """
    n, m = relations.shape[:2]
    width = (m + 63) // 64
    cyclic = np.zeros(n, dtype=np.bool_)
    after = np.empty((m, width), dtype=np.uint64)
    for r in range(n):
        after[:] = 0
        for i in range(m):
            for j in range(m):
                if relations[r, i, j]:
                    after[i, j // 64] |= _ONE << np.uint64(j % 64)
        for k in range(m):
            for i in range(m):
                if _has(after, i, k):
                    for w in range(width):
                        after[i, w] |= after[k, w]
        for i in range(m):
            cyclic[r] |= _has(after, i, i)
        if not cyclic[r]:
            for i in range(m):
                for j in range(m):
                    relations[r, i, j] = _has(after, i, j)
    return cyclic


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


@kernel
def swap_neighbours(
    order: AnyArray,
    owners: AnyArray,
    before: BoolArray,
    cumulative: AnyArray,
    choices: AnyArray,
) -> None:
    """Walk `order` in place: at each step perhaps swap the items at positions p and p + 1.

    Parameters
    ----------
    order : int64, (d, m)
        Items by position; row after row an independent walk.
    owners : int64, (d,)
        Whose order each row respects.
    before : bool, (c, m, m)
    cumulative : int64, (m - 1,)
        How many of the numbers 0, 1, ... belong to the positions up to p.
    choices : int64, (d, steps)
        ``2 x + c`` with x below ``cumulative[-1]``: x chooses p, and c = 0 stays put.
    """
    for draw in range(choices.shape[0]):
        for step in range(choices.shape[1]):
            choice = choices[draw, step]
            if not choice & 1:
                continue
            p: Any = 0
            last = cumulative.shape[0] - 1
            while p < last:
                middle = (p + last) // 2
                if cumulative[middle] > choice >> 1:
                    last = middle
                else:
                    p = middle + 1
            first, second = order[draw, p], order[draw, p + 1]
            if not before[owners[draw], first, second]:
                order[draw, p] = second
                order[draw, p + 1] = first
