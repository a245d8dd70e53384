"""Nearest rows by (squared distance, index) in a binary tree of boxes.

The lower bound of a box is summed in the same order as `squared_distance`, and rounding is
monotone. So a bound is never above the computed distance of a row in the box, and a box is left out
without a slack for rounding errors.
"""

from typing import Any

import numpy as np

from disambig.compiled.jit import compiled, inlined
from disambig.notation import AnyArray, FloatArray

# The depth of a balanced tree of 2^62 rows.
_MAX_DEPTH = 64


@inlined
def _gap(query: FloatArray, lower: FloatArray, upper: FloatArray, node: Any, c: Any) -> Any:
    """How far a coordinate of the query is outside of a box."""
    return max(lower[node, c] - query[c], query[c] - upper[node, c], 0.0)


@inlined
def _bound(query: FloatArray, lower: FloatArray, upper: FloatArray, node: Any) -> Any:
    """Squared distance of the query to a box, in the order of summation of `squared_distance`."""
    width = query.size
    s0 = s1 = s2 = s3 = 0.0
    c = 0
    while c + 3 < width:
        d0 = _gap(query, lower, upper, node, c)
        d1 = _gap(query, lower, upper, node, c + 1)
        d2 = _gap(query, lower, upper, node, c + 2)
        d3 = _gap(query, lower, upper, node, c + 3)
        s0 += d0 * d0
        s1 += d1 * d1
        s2 += d2 * d2
        s3 += d3 * d3
        c += 4
    while c < width:
        d0 = _gap(query, lower, upper, node, c)
        s0 += d0 * d0
        c += 1
    return (s0 + s1) + (s2 + s3)


@inlined
def _leaf_distances(
    query: FloatArray, values: FloatArray, begin: Any, size: Any, sums: FloatArray
) -> None:
    """Squared distances to the rows of a leaf, in ``sums[0]``; their columns are contiguous.

    The inner loops run over rows, so that they compile to vector instructions.
    """
    width = query.size
    for part in range(4):
        for j in range(size):
            sums[part, j] = 0.0
    whole = width - width % 4
    for c in range(width):
        part = c % 4 if c < whole else 0
        at = begin + c * size
        for j in range(size):
            difference = values[at + j] - query[c]
            sums[part, j] += difference * difference
    for j in range(size):
        sums[0, j] = (sums[0, j] + sums[1, j]) + (sums[2, j] + sums[3, j])


@inlined
def _insert(distances: FloatArray, members: AnyArray, distance: Any, member: Any) -> None:
    """Replace the last entry of a sorted list by a nearer one."""
    place = distances.size - 1
    while place > 0 and (
        distances[place - 1] > distance
        or (distances[place - 1] == distance and members[place - 1] > member)
    ):
        distances[place] = distances[place - 1]
        members[place] = members[place - 1]
        place -= 1
    distances[place] = distance
    members[place] = member


@compiled
def leaves_of(queries: FloatArray, lower: FloatArray, upper: FloatArray, out: AnyArray) -> None:
    """A leaf near each query: queries of one leaf, searched together, visit the same nodes.

    Parameters
    ----------
    queries : float64, (q, d)
    lower, upper : float64, (2^levels - 1, d)
        Boxes; the children of node i are 2 i + 1 and 2 i + 2.
    out : int64, (q,)
    """
    n_nodes = lower.shape[0]
    for i in range(queries.shape[0]):
        query = queries[i]
        node = 0
        while 2 * node + 2 < n_nodes:
            left, right = 2 * node + 1, 2 * node + 2
            nearer = _bound(query, lower, upper, left) <= _bound(query, lower, upper, right)
            node = left if nearer else right
        out[i] = node


@compiled
def nearest_in_boxes(
    queries: FloatArray,
    order: AnyArray,
    limits: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    starts: AnyArray,
    stops: AnyArray,
    least: AnyArray,
    values: FloatArray,
    rows: AnyArray,
    distances: FloatArray,
    members: AnyArray,
) -> None:
    """The nearest rows of each query by (distance, row), no farther than its limit.

    Parameters
    ----------
    queries : float64, (q, d)
    order : int64, (a,)
        The queries to search, one after the other.
    limits : float64, (q,)
        Rows that are farther may be left out.
    lower, upper : float64, (2^levels - 1, d)
        Boxes around the rows of each node; the children of node i are 2 i + 1 and 2 i + 2.
    starts, stops, least : int64, (2^levels - 1,)
        A node has ``rows[start:stop]``; the least of these.
    values : float64, (n * d,)
        The inputs of ``rows``: leaf after leaf, and in each leaf column after column.
    rows : int64, (n,)
    distances, members : float64 and int64, (q, width)
        The result. Must be filled with infinity and with a number above all rows.
    """
    n_nodes, d = lower.shape
    last = distances.shape[1] - 1
    largest = 0
    for node in range(n_nodes // 2, n_nodes):
        largest = max(largest, stops[node] - starts[node])
    sums = np.empty((4, largest))
    stack = np.empty(_MAX_DEPTH, dtype=np.int64)
    bounds = np.empty(_MAX_DEPTH)
    for i in order:
        query = queries[i]
        found, found_members = distances[i], members[i]
        limit = limits[i]
        stack[0] = 0
        bounds[0] = _bound(query, lower, upper, 0)
        size = 1
        while size > 0:
            size -= 1
            node, bound = stack[size], bounds[size]
            while bound <= limit and (
                bound < found[last] or (bound == found[last] and least[node] < found_members[last])
            ):
                if 2 * node + 2 >= n_nodes:
                    begin = starts[node]
                    count = stops[node] - begin
                    _leaf_distances(query, values, begin * d, count, sums)
                    for j in range(count):
                        distance, member = sums[0, j], rows[begin + j]
                        if distance < found[last] or (
                            distance == found[last] and member < found_members[last]
                        ):
                            _insert(found, found_members, distance, member)
                    break
                left = 2 * node + 1
                right = left + 1
                to_left = _bound(query, lower, upper, left)
                to_right = _bound(query, lower, upper, right)
                if to_right < to_left or (to_right == to_left and least[right] < least[left]):
                    left, right, to_left, to_right = right, left, to_right, to_left
                stack[size] = right
                bounds[size] = to_right
                size += 1
                node, bound = left, to_left


@compiled
def box_distances(
    queries: FloatArray, lower: FloatArray, upper: FloatArray, out: FloatArray
) -> None:
    """Squared distances of queries ``(q, d)`` to one box ``(1, d)``, written to `out` ``(q,)``."""
    for i in range(queries.shape[0]):
        out[i] = _bound(queries[i], lower, upper, 0)
