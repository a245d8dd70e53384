"""Blocks of bounds offered to the lists of the best so far.

A list is a heap of fixed width, worst on top, that starts full of infinities.
"""

from typing import Any

import numpy as np

from disambig.kernels.jit import kernel
from disambig.notation import AnyArray, FloatArray

__all__ = ["offer_block"]

# Entries compared with the worst kept one at a time; a loop of that form is compiled to vectors.
_CHUNK = 64
# Above one rounding to single precision, so that no entry is lost to it.
_ROUNDED = np.float32(2e-7)


@kernel
def _replace_worst(keys: FloatArray, members: AnyArray, key: Any, member: Any) -> None:
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


@kernel
def offer_block(
    values: AnyArray,
    base: FloatArray,
    queries: AnyArray,
    rows: AnyArray,
    keys: FloatArray,
    members: AnyArray,
) -> None:
    """Offer ``base[i] + values[i, j]``, the key of row ``rows[j]``, to list ``queries[i]``.

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
        limit = limit + abs(limit) * _ROUNDED
        start = 0
        while start < m:
            stop = min(start + _CHUNK, m)
            hits = 0
            for j in range(start, stop):
                hits += line[j] < limit
            if hits > 0:
                for j in range(start, stop):
                    if line[j] < limit:
                        key = base[i] + np.float64(line[j])
                        if key < kept_keys[0]:
                            _replace_worst(kept_keys, kept_members, key, rows[j])
                            limit = np.float32(kept_keys[0] - base[i])
                            limit = limit + abs(limit) * _ROUNDED
            start = stop
