"""Whether entries are negative, beyond the rounding error of their row."""

from typing import Any

import numpy as np
import scipy.sparse as sp

# Negative votes below this share of the absolute sum of their row are rounding errors.
_ROUNDING_SHARE = 1e-12
# Entries that are compared together: 512 KiB, which stay in the cache.
_ENTRIES_PER_BLOCK = 2**16


def entries_are_nonnegative(entries: Any) -> bool:
    """Whether no row of an array or of a sparse matrix has negative entries, up to rounding.

    Examples
    --------
    >>> entries_are_nonnegative(np.array([[1.0, -1e-15], [0.0, 2.0]]))
    True
    >>> entries_are_nonnegative(sp.csr_array([[1.0, -1e-3]]))
    False
    """
    stored = entries.data if sp.issparse(entries) else entries
    if stored.min(initial=0) >= 0:
        return True
    if sp.issparse(entries):
        below = entries.minimum(0)
        return _are_rounding(-np.ravel(below.sum(axis=1)), np.ravel(abs(entries).sum(axis=1)))
    q, n = entries.shape
    step = max(1, _ENTRIES_PER_BLOCK // max(1, n))
    blocks = (entries[start : start + step] for start in range(0, q, step))
    return all(
        _are_rounding(-np.minimum(block, 0).sum(axis=1), np.abs(block).sum(axis=1))
        for block in blocks
    )


def _are_rounding(negative: Any, sizes: Any) -> bool:
    return not (negative > _ROUNDING_SHARE * sizes).any()
