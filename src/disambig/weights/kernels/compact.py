"""Similarities of kernels of compact support: only rows within the bandwidth are compared."""

from collections.abc import Iterator
from typing import Any

import scipy.sparse as sp

from disambig.memory import require_bytes
from disambig.weights.kernels.similarity import Similarity
from disambig.weights.neighbors.euclidean import EuclideanIndex

# Queries that are searched together.
_QUERIES_PER_BLOCK = 4096


def near_similarities(
    owner: str, index: EuclideanIndex, X: Any, similarity: Similarity
) -> sp.csr_array:
    """``k(x, x_j)`` for the rows of an index, ``(q, n)``; column numbers ascend in each row.

    Parameters
    ----------
    owner : str
        The weighting, named in errors.
    index : EuclideanIndex (n rows)
    X : array or csr_array (q, d)
    similarity : Similarity
        With the kernel "box" or "epanechnikov".

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> box = Similarity("box", bandwidth=1.0)
    >>> near_similarities("Example", EuclideanIndex.build(X), X[:1], box).toarray()
    array([[1., 1., 0.]])
    """
    blocks = [similarity.compact(found) for found in _near_distances(owner, index, X, similarity)]
    empty = sp.csr_array((0, index.X.shape[0]))
    return sp.csr_array(sp.vstack([empty, *blocks], format="csr"))


def _near_distances(
    owner: str, index: EuclideanIndex, X: Any, similarity: Similarity
) -> Iterator[sp.csr_array]:
    """Distances to the rows within the bandwidth, for blocks of rows of X."""
    radius = float(similarity.bandwidth or 0.0)
    q, stored = X.shape[0], 0
    for start in range(0, q, _QUERIES_PER_BLOCK):
        done = min(start + _QUERIES_PER_BLOCK, q)
        found = index.within(X[start:done], radius)
        stored += found.nnz
        # Values and columns of the entries still to come, if the rest is like this part, and of
        # all entries once more while the blocks are joined.
        expected = stored * q / done
        require_bytes(
            16.0 * (expected - stored + expected),
            f"{owner}: the votes within bandwidth {radius:g}",
            "Use a smaller bandwidth, or NeighborWeights.",
        )
        yield found
