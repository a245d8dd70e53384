"""The two nearest sources of every node along the links of a graph (Dijkstra's algorithm)."""

from heapq import heappop, heappush

import numpy as np

from disambig.compiled.jit import compiled
from disambig.notation import AnyArray, FloatArray


@compiled
def nearest_sources(
    indptr: AnyArray, indices: AnyArray, lengths: FloatArray, sources: AnyArray
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
    for source in sources:
        heappush(heap, (0.0, source, source))
    while len(heap) > 0:
        distance, source, node = heappop(heap)
        place = 0 if nearest[node, 0] < 0 else 1
        if nearest[node, 1] >= 0 or nearest[node, 0] == source:
            continue
        nearest[node, place] = source
        distances[node, place] = distance
        for link in range(indptr[node], indptr[node + 1]):
            other = indices[link]
            if nearest[other, 1] < 0 and nearest[other, 0] != source:
                heappush(heap, (distance + lengths[link], source, other))
    return nearest, distances
