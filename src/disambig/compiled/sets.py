"""Row minima with their ties, intersections of sets, and distinct cases of sparse entries."""

from typing import Any

import numpy as np

from disambig.compiled.jit import compiled
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray


@compiled
def unique_cases(
    groups: IntArray,
    starts: IntArray,
    columns: IntArray,
    positive: BoolArray,
    n_columns: Any,
) -> tuple[IntArray, AnyArray]:
    """Number the distinct cases (group of the row, column, sign) of the entries of a sparse matrix.

    Preconditions: ``groups[i]`` is the group of row i, ``(q,)``, ascending. The entries of row i
    are ``starts[i], ..., starts[i + 1] - 1``.

    Returns
    -------
    case : int64, (entries,)
        The number of the case of each entry.
    cases : int64, (number of cases, 3)
        Group, column, and 1 if positive, else 0.
    """
    case = np.empty(columns.shape[0], dtype=np.int64)
    cases = np.empty((columns.shape[0], 3), dtype=np.int64)
    # The last group with an entry of this column and sign, and the number of that case.
    last_group = np.full((n_columns, 2), -1, dtype=np.int64)
    number = np.empty((n_columns, 2), dtype=np.int64)
    count = 0
    for i in range(groups.shape[0]):
        for entry in range(starts[i], starts[i + 1]):
            column, sign = columns[entry], np.int64(positive[entry])
            if last_group[column, sign] != groups[i]:
                last_group[column, sign] = groups[i]
                number[column, sign] = count
                cases[count, 0], cases[count, 1], cases[count, 2] = groups[i], column, sign
                count += 1
            case[entry] = number[column, sign]
    return case, cases[:count].copy()


@compiled
def growing_intersection(order: IntArray, sets: BoolArray) -> BoolArray:
    """Intersect ``sets[order[i, 0]], sets[order[i, 1]], ...`` until one element is left.

    A set that would make the intersection empty is skipped: it contradicts nearer ones.

    Preconditions: `order` ``(q, k)`` holds row numbers of `sets` ``(n, V)``, nearest first, -1
    where a row has no further neighbour. Returns ``(q, V)``; a row without neighbours is all True.
    """
    q, k = order.shape
    size = sets.shape[1]
    result = np.ones((q, size), dtype=np.bool_)
    for i in range(q):
        left = size
        for t in range(k):
            j = order[i, t]
            if j < 0 or left == 1:
                break
            common = 0
            for v in range(size):
                if result[i, v] and sets[j, v]:
                    common += 1
            if common > 0:
                left = common
                for v in range(size):
                    result[i, v] = result[i, v] and sets[j, v]
    return result


@compiled
def tied_minima(costs: FloatArray, tolerance: FloatArray) -> BoolArray:
    """Whether ``costs[i, v]`` is within ``tolerance[i]`` of the minimum of row i, ``(n, V)``.

    Preconditions: `costs` ``(n, V)`` finite, V >= 1; `tolerance` ``(n,)`` non-negative.
    """
    n, size = costs.shape
    mask = np.zeros((n, size), dtype=np.bool_)
    for i in range(n):
        best = costs[i, 0]
        for v in range(1, size):
            if costs[i, v] < best:
                best = costs[i, v]
        limit = best + tolerance[i]
        for v in range(size):
            mask[i, v] = costs[i, v] <= limit
    return mask


@compiled
def tied_minima_within(costs: FloatArray, allowed: BoolArray, tolerance: FloatArray) -> BoolArray:
    """`tied_minima` over the allowed columns of each row.

    Preconditions: as above, and every row of `allowed` ``(n, V)`` has a True.
    """
    n, size = costs.shape
    mask = np.zeros((n, size), dtype=np.bool_)
    for i in range(n):
        best = np.inf
        for v in range(size):
            if allowed[i, v] and costs[i, v] < best:
                best = costs[i, v]
        limit = best + tolerance[i]
        for v in range(size):
            mask[i, v] = allowed[i, v] and costs[i, v] <= limit
    return mask
