"""Distances that the user brings: a full array, or a graph that stores only some."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.exceptions import VotesError
from disambig.kernels.nearest import NEGLIGIBLE, nearest_in_lists
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.weights.neighbor_lists import NeighborLists

__all__ = ["check_distances", "listed_neighbors", "listed_shares"]

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


def listed_neighbors(
    distances: Any, masses: FloatArray, wanted: float, own: AnyArray
) -> NeighborLists:
    """The nearest that each row lists until the mass of the others is `wanted`.

    Parameters
    ----------
    distances : array or csr_array, (q, n)
        In a sparse one a missing entry is not listed.
    masses : (n,)
    wanted : float
    own : int64, (q,)
        The member that each row is itself, taken where it comes before the last of the others
        but not counted; -1 for none.
    """
    q, n = distances.shape
    if sp.issparse(distances):
        indptr = distances.indptr.astype(np.int64)
        indices = distances.indices.astype(np.int64)
        values = distances.data.astype(np.float64, copy=False)
        found = nearest_in_lists(indptr, indices, values, masses, wanted, own)
        return NeighborLists(*found[:3], n)
    step = max(1, _BLOCK // n)
    starts: list[AnyArray] = [np.zeros(1, dtype=np.int64)]
    members: list[AnyArray] = [np.zeros(0, dtype=np.int64)]
    apart: list[AnyArray] = [np.zeros(0)]
    for start in range(0, q, step):
        block = distances[start : start + step]
        indptr = np.arange(0, block.size + 1, n, dtype=np.int64)
        indices = np.tile(np.arange(n, dtype=np.int64), block.shape[0])
        values = block.ravel().astype(np.float64, copy=False)
        stop = start + block.shape[0]
        found = nearest_in_lists(indptr, indices, values, masses, wanted, own[start:stop])
        starts.append(found[0][1:] + starts[-1][-1])
        members.append(found[1])
        apart.append(found[2])
    indptr, indices, values = (np.concatenate(arrays) for arrays in (starts, members, apart))
    return NeighborLists(indptr, indices, values, n)


def listed_shares(
    distances: Any, masses: FloatArray, wanted: float, own: AnyArray
) -> tuple[sp.csr_array, BoolArray]:
    """The nearest *others* that each row lists, as parts of what was taken.

    Parameters as of `listed_neighbors`.

    Returns
    -------
    shares : csr_array, (q, n)
    filled : bool, (q,)
        Whether the row listed enough.
    """
    lists = listed_neighbors(distances, masses, wanted, own)
    taken = lists.taken(masses, np.full(lists.q, wanted), own)
    filled = lists.row_sums(taken) >= wanted * (1.0 - 2.0 * NEGLIGIBLE)
    return lists.normalized(taken), filled
