"""The shortest cycle of a relation: the part of a contradiction that is worth showing."""

import numpy as np

from disambig.notation import BoolArray

__all__ = ["shortest_cycle"]


def shortest_cycle(relation: BoolArray) -> list[int]:
    """``[i, j, ..., l]`` with ``relation[i, j], ..., relation[l, i]``, as few as can be.

    Parameters
    ----------
    relation : (m, m) of bool
        With at least one cycle.

    Returns
    -------
    list of int
        Among cycles of equal length the one whose smallest item is smallest, from that item on.

    Examples
    --------
    >>> import numpy as np
    >>> relation = np.zeros((4, 4), dtype=bool)
    >>> relation[[0, 1, 2, 3], [1, 2, 3, 1]] = True
    >>> shortest_cycle(relation)
    [1, 2, 3]
    """
    best: list[int] = []
    for start in range(len(relation)):
        cycle = _cycle_through(relation, start)
        if cycle and (not best or len(cycle) < len(best)):
            best = cycle
    return best


def _cycle_through(relation: BoolArray, start: int) -> list[int]:
    """The shortest cycle through `start`, found breadth first; empty if there is none."""
    origin = {start: start}
    frontier = [start]
    while frontier:
        reached = []
        for i in frontier:
            if relation[i, start]:
                return _path(origin, start, i)
            for j in np.flatnonzero(relation[i]).tolist():
                if j not in origin:
                    origin[j] = i
                    reached.append(j)
        frontier = reached
    return []


def _path(origin: dict[int, int], start: int, end: int) -> list[int]:
    path = [end]
    while path[-1] != start:
        path.append(origin[path[-1]])
    return path[::-1]
