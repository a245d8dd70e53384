"""Distances of pairs, the smallest entries of blocks of bounds, and distances along a graph.

Distances are sums of squared differences. The fast formula ``|x|^2 - 2 <x, y> + |y|^2`` loses
digits to cancellation, and through blocked matrix products its result depends on which rows are
computed together. Here a pair always gives the same number, equal rows give exactly 0, and the
order of the two rows does not matter.

Along a graph a distance is the length of the shortest path (Dijkstra's algorithm).
"""

from heapq import heappop, heappush
from typing import Any

import numpy as np

from disambig.compiled.jit import compiled, compiled_part, inlined
from disambig.notation import AnyArray, FloatArray

# Entries that are compared with the largest kept key in one loop, which is compiled to vector
# instructions.
_ENTRIES_PER_CHUNK = 64
# Relative slack of a comparison in single precision: more than one rounding (6e-8), so that no
# entry is lost to it.
_FLOAT32_SLACK = np.float32(2e-7)


@compiled_part
def _replace_largest(keys: FloatArray, members: AnyArray, key: Any, member: Any) -> None:
    size = keys.size
    root = 0
    while True:
        child = 2 * root + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] > keys[child]:
            child += 1
        if key >= keys[child]:
            break
        keys[root] = keys[child]
        members[root] = members[child]
        root = child
    keys[root] = key
    members[root] = member


@compiled
def block_distances(
    values: AnyArray,
    base: FloatArray,
    queries: AnyArray,
    rows: AnyArray,
    keys: FloatArray,
    members: AnyArray,
) -> None:
    """Keep the smallest keys ``base[i] + values[i, j]``, of rows ``rows[j]``, for each query.

    The keys of a query are a heap of fixed width, the largest on top, that starts full of
    infinities.

    Parameters
    ----------
    values : float32, (a, m), no NaN
    base : float64, (a,), finite
    queries : int64, (a,)
    rows : int64, (m,)
    keys, members : float64 and int64, (q, width)
        The heaps, changed in place.
    """
    m = values.shape[1]
    for i in range(values.shape[0]):
        kept_keys = keys[queries[i]]
        kept_members = members[queries[i]]
        line = values[i]
        limit = np.float32(kept_keys[0] - base[i])
        limit = limit + abs(limit) * _FLOAT32_SLACK
        start = 0
        while start < m:
            stop = min(start + _ENTRIES_PER_CHUNK, m)
            hits = 0
            for j in range(start, stop):
                hits += line[j] < limit
            if hits > 0:
                for j in range(start, stop):
                    if line[j] < limit:
                        key = base[i] + np.float64(line[j])
                        if key < kept_keys[0]:
                            _replace_largest(kept_keys, kept_members, key, rows[j])
                            limit = np.float32(kept_keys[0] - base[i])
                            limit = limit + abs(limit) * _FLOAT32_SLACK
            start = stop


@inlined
def squared_distance(left: FloatArray, i: Any, right: FloatArray, j: Any) -> Any:
    """``|left[i] - right[j]|^2`` in a fixed order of summation.

    Four sums: with a single one, every addition would wait for the one before.
    """
    width = left.shape[1]
    s0 = s1 = s2 = s3 = 0.0
    c = 0
    while c + 3 < width:
        d0 = np.float64(left[i, c]) - np.float64(right[j, c])
        d1 = np.float64(left[i, c + 1]) - np.float64(right[j, c + 1])
        d2 = np.float64(left[i, c + 2]) - np.float64(right[j, c + 2])
        d3 = np.float64(left[i, c + 3]) - np.float64(right[j, c + 3])
        s0 += d0 * d0
        s1 += d1 * d1
        s2 += d2 * d2
        s3 += d3 * d3
        c += 4
    while c < width:
        d0 = np.float64(left[i, c]) - np.float64(right[j, c])
        s0 += d0 * d0
        c += 1
    return (s0 + s1) + (s2 + s3)


@compiled
def nearest_sources(
    indptr: AnyArray,
    indices: AnyArray,
    lengths: FloatArray,
    sources: AnyArray,
    starts: FloatArray,
) -> tuple[AnyArray, FloatArray]:
    """The nearest and the second nearest source of every node, and the lengths of their paths.

    If a source is among the two nearest of a node, it is among the two nearest of every node on the
    path: therefore every node passes on two sources only. Of paths of equal length that to the
    source of smaller number is shorter.

    Parameters
    ----------
    indptr, indices, lengths : int64, int64, float64
        The links as compressed sparse rows, in both directions; lengths are not negative.
    sources : int64 (s,)
        Nodes.
    starts : float64 (s,)
        What is added to the lengths of paths to each source; not negative.

    Returns
    -------
    nearest : int64 (N, 2)
        -1 where no (second) source can be reached.
    distances : float64 (N, 2)
        Infinite there.
    """
    n = indptr.size - 1
    nearest = np.full((n, 2), -1, dtype=np.int64)
    distances = np.full((n, 2), np.inf)
    heap = [(0.0, sources[0], sources[0]) for _ in range(0)]
    for place in range(sources.size):
        heappush(heap, (starts[place], sources[place], sources[place]))
    while len(heap) > 0:
        distance, source, node = heappop(heap)
        rank = 0 if nearest[node, 0] < 0 else 1
        if nearest[node, 1] >= 0 or nearest[node, 0] == source:
            continue
        nearest[node, rank] = source
        distances[node, rank] = distance
        for link in range(indptr[node], indptr[node + 1]):
            other = indices[link]
            if nearest[other, 1] < 0 and nearest[other, 0] != source:
                heappush(heap, (distance + lengths[link], source, other))
    return nearest, distances
