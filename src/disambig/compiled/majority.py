"""The majority relation, "i is cheaper before j", and its strongly connected parts.

All pairs between two parts can take their cheaper direction at once. So the parts of a problem are
solved one by one; if every part is a single item, their order is optimal.
"""

from typing import Any

import numpy as np

from disambig.compiled.jit import compiled, compiled_part
from disambig.notation import AnyArray, BoolArray, FloatArray


@compiled_part
def _relate(
    costs: FloatArray,
    before: BoolArray,
    join_ties: Any,
    tolerance: Any,
    relation: AnyArray,
    n_before: AnyArray,
) -> None:
    """Fill `relation` and ``n_before[j]``, the number of items i with ``relation[i, j]``.

    ``relation[i, j]``: i must stand before j, or it is cheaper. A tied pair is related in both
    directions if ties join, in none if they do not.
    """
    m = costs.shape[0]
    n_before[:] = 0
    for i in range(m):
        relation[i, i] = 0
        for j in range(i + 1, m):
            if before[i, j] or before[j, i]:
                forward = np.uint8(before[i, j])
                backward = np.uint8(before[j, i])
            elif join_ties:
                forward = np.uint8(costs[i, j] <= costs[j, i] + tolerance)
                backward = np.uint8(costs[j, i] <= costs[i, j] + tolerance)
            else:
                forward = np.uint8(costs[i, j] < costs[j, i])
                backward = np.uint8(costs[j, i] < costs[i, j])
            relation[i, j] = forward
            relation[j, i] = backward
            n_before[j] += forward
            n_before[i] += backward


@compiled_part
def _sort_items(relation: AnyArray, n_before: AnyArray, positions: AnyArray) -> Any:
    """Sort the items topologically, smallest index first; returns False if there is a cycle."""
    m = relation.shape[0]
    positions[:] = -1
    for position in range(m):
        item = 0
        while item < m and (positions[item] >= 0 or n_before[item] > 0):
            item += 1
        if item == m:
            return False
        positions[item] = position
        for j in range(m):
            n_before[j] -= relation[item, j]
    return True


@compiled_part
def _find_parts(relation: AnyArray, part: AnyArray, scratch: AnyArray) -> Any:
    """Tarjan's algorithm without recursion: fills ``part[i]`` and returns the number of parts.

    Parts are in no particular order. `scratch` ``(5, m)`` holds the visit number of each item, the
    lowest visit number that it reaches, how far its row was read, the path of the search, and the
    items whose part is still open.
    """
    m = relation.shape[0]
    visited, lowest, read, path, opened = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    visited[:] = -1
    read[:] = 0
    part[:] = -1
    n_parts = n_visited = n_opened = 0
    for root in range(m):
        if visited[root] >= 0:
            continue
        depth = 0
        path[0] = root
        while depth >= 0:
            i = path[depth]
            if visited[i] < 0:
                visited[i] = lowest[i] = n_visited
                n_visited += 1
                opened[n_opened] = i
                n_opened += 1
            descend = False
            while read[i] < m:
                j = read[i]
                read[i] += 1
                if relation[i, j] and visited[j] < 0:
                    depth += 1
                    path[depth] = j
                    descend = True
                    break
                if relation[i, j] and part[j] < 0 and visited[j] < lowest[i]:
                    lowest[i] = visited[j]
            if descend:
                continue
            if lowest[i] == visited[i]:
                while part[i] < 0:
                    n_opened -= 1
                    part[opened[n_opened]] = n_parts
                n_parts += 1
            depth -= 1
            if depth >= 0 and lowest[i] < lowest[path[depth]]:
                lowest[path[depth]] = lowest[i]
    return n_parts


@compiled_part
def _sort_parts(relation: AnyArray, part: AnyArray, n_parts: Any, n_unplaced: AnyArray) -> None:
    """Renumber the parts topologically, smallest index first.

    `n_unplaced` counts for each part the relations from parts without a final number.
    """
    m = relation.shape[0]
    n_unplaced[:n_parts] = 0
    for i in range(m):
        for j in range(m):
            if relation[i, j] and part[i] != part[j]:
                n_unplaced[part[j]] += 1
    # An item whose part has the final number k is marked by -1 - k.
    for number in range(n_parts):
        first = 0
        while part[first] < 0 or n_unplaced[part[first]] > 0:
            first += 1
        chosen = part[first]
        for i in range(m):
            if part[i] == chosen:
                part[i] = -1 - number
                for j in range(m):
                    if relation[i, j] and part[j] >= 0 and part[j] != chosen:
                        n_unplaced[part[j]] -= 1
    for i in range(m):
        part[i] = -1 - part[i]


@compiled
def majority_parts(
    costs: FloatArray, before: BoolArray, join_ties: Any, tolerance: FloatArray
) -> tuple[AnyArray, BoolArray]:
    """Strongly connected parts of each majority relation, numbered in topological order.

    Parameters
    ----------
    costs : float64, (b, m, m)
    before : bool, (b, m, m) or (1, m, m)
        Forced pairs, which are related as forced, whatever they cost.
    join_ties : bool
        Whether a tied pair relates its items in both directions or in none. In both, all pairs
        between parts are strict, and every optimal order keeps the parts one after another.
    tolerance : float64, (b,)
        The largest difference that is a tie, if ties join.

    Returns
    -------
    parts : int64, (b, m)
        ``parts[r, i]`` is the number of the part of item i.
    solved : bool, (b,)
        Whether every part is a single item; then `parts` are the ranks of an optimal order.
    """
    b, m = costs.shape[0], costs.shape[1]
    relation = np.empty((m, m), dtype=np.uint8)
    n_before = np.empty(m, dtype=np.int64)
    scratch = np.empty((5, m), dtype=np.int64)
    parts = np.empty((b, m), dtype=np.int64)
    solved = np.zeros(b, dtype=np.bool_)
    for r in range(b):
        forced = before[min(r, before.shape[0] - 1)]
        _relate(costs[r], forced, join_ties, tolerance[r], relation, n_before)
        solved[r] = _sort_items(relation, n_before, parts[r])
        if not solved[r]:
            n_parts = _find_parts(relation, parts[r], scratch)
            _sort_parts(relation, parts[r], n_parts, n_before)
    return parts, solved
