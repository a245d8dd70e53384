"""Distances that the user brings: a full array, or a graph that stores only some."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.exceptions import VotesError
from disambig.kernels.nearest import nearest_in_lists
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.weights.compressed import small_indices

__all__ = ["check_distances", "listed_shares"]

# Entries of a block of a full array: the kernel needs an index beside each distance.
_BLOCK = 2**22


def check_distances(distances: Any) -> None:
    """Raise if a distance is negative."""
    entries = distances.data if sp.issparse(distances) else distances
    if entries.size and entries.min() < 0:
        raise VotesError(
            "NeighborWeights: X holds precomputed distances, which must not be negative; the "
            f"smallest is {entries.min():g}. Turn similarities into distances first, or use "
            "PrecomputedWeights."
        )


def listed_shares(
    distances: Any, masses: FloatArray, wanted: float, own: AnyArray
) -> tuple[sp.csr_array, BoolArray]:
    """The nearest that each row lists until their mass is `wanted`, as parts of what was taken.

    Parameters
    ----------
    distances : array or csr_array, (q, n)
        In a sparse one a missing entry is not listed.
    masses : (n,)
    wanted : float
    own : int64, (q,)
        A member that each row must not take; -1 for none.

    Returns
    -------
    shares : csr_array, (q, n)
    filled : bool, (q,)
        Whether the row listed enough.
    """
    q, n = distances.shape
    if sp.issparse(distances):
        indptr = distances.indptr.astype(np.int64)
        indices = distances.indices.astype(np.int64)
        return _select(indptr, indices, distances.data, masses, wanted, own)
    step = max(1, _BLOCK // n)
    parts = []
    for start in range(0, q, step):
        block = distances[start : start + step]
        indptr = np.arange(0, block.size + 1, n, dtype=np.int64)
        indices = np.tile(np.arange(n, dtype=np.int64), block.shape[0])
        stop = start + block.shape[0]
        parts.append(_select(indptr, indices, block.ravel(), masses, wanted, own[start:stop]))
    if not parts:
        return sp.csr_array((0, n)), np.zeros(0, dtype=np.bool_)
    shares, filled = zip(*parts, strict=True)
    return sp.csr_array(sp.vstack(shares, format="csr")), np.concatenate(filled)


def _select(
    indptr: AnyArray,
    indices: AnyArray,
    distances: FloatArray,
    masses: FloatArray,
    wanted: float,
    own: AnyArray,
) -> tuple[sp.csr_array, BoolArray]:
    out_indptr, out_indices, shares, _, filled = nearest_in_lists(
        indptr, indices, distances, masses, wanted, own
    )
    matrix = sp.csr_array((shares, out_indices, out_indptr), shape=(own.size, masses.size))
    matrix.sort_indices()
    return small_indices(matrix), filled
