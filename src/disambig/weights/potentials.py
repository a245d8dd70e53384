"""Potentials of point sources on a weighted graph: columns of the inverse of its Laplacian."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.memory import require_bytes
from disambig.notation import FloatArray, IntArray
from disambig.votes.inverse import SparseInverse

__all__ = ["potentials"]

_BLOCK = 256


def potentials(
    graph: sp.csr_array, parts: IntArray, sources: IntArray, method: str = "auto"
) -> FloatArray:
    """u of shape ``(N, r)`` with ``L u_j = e_j - c`` and ``c' u_j = 0``, zero outside of j's part.

    ``L = D - G`` is the Laplacian of the graph, which has no inverse: what flows in at the source j
    flows out everywhere in its part, by the degrees, ``c = d / sum(d)``. So the sums of L u match,
    and u is unique with mean zero by degree.

    Parameters
    ----------
    graph : csr_array, (N, N)
        G, symmetric, not negative, without diagonal.
    parts : (N,)
        The connected part of each node.
    sources : (r,)
        Nodes.
    method : {"auto", "direct", "iterative"}
        How to solve; see `SparseInverse`.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> path = sp.csr_array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    >>> potentials(path, np.zeros(3, dtype=int), np.array([0])).ravel()
    array([ 0.625, -0.125, -0.375])
    """
    size = parts.size
    require_bytes(
        8.0 * size * (sources.size + 4 * min(sources.size, _BLOCK)),
        f"The potentials of {sources.size} informed inputs at {size} inputs",
        "Poisson learning is for few of them (method='average'); use LaplacianWeights, which forms "
        "no table.",
    )
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    shares = _within(degrees, parts)
    grounds = np.unique(parts, return_index=True)[1]
    inverse = _inverse(graph, degrees, grounds, method)
    found = np.empty((size, sources.size))
    for start in range(0, sources.size, _BLOCK):
        chosen = sources[start : start + _BLOCK]
        columns = np.arange(chosen.size)
        together = parts[:, None] == parts[chosen]
        flow = np.where(together, -shares[:, None], 0.0)
        flow[chosen, columns] += 1.0
        if inverse.direct:
            flow[grounds] = 0.0
        block = inverse @ flow
        levels = np.einsum("ij,i->j", np.where(together, block, 0.0), shares)
        found[:, start : start + _BLOCK] = np.where(together, block - levels, 0.0)
    return found


def _within(degrees: FloatArray, parts: IntArray) -> FloatArray:
    """Degrees as shares of their part, ``(N,)``; one for a node without links."""
    sums = np.bincount(parts, weights=degrees)[parts]
    shares: FloatArray = np.where(sums > 0, degrees / np.where(sums > 0, sums, 1.0), 1.0)
    return shares


def _inverse(graph: Any, degrees: FloatArray, grounds: IntArray, method: str) -> SparseInverse:
    """Solves with L where sums match, up to a constant for each part.

    A factor needs an invertible matrix: the potential of the first node of each part is held at
    zero. Conjugate gradients keep to the space where L is invertible, and converge sooner there.
    """
    held = np.zeros(degrees.size, dtype=np.bool_)
    held[grounds] = True
    # Whatever is positive will do for nodes without links: their potential is zero.
    diagonal = np.where(degrees > 0, degrees, 1.0)
    if method != "iterative":
        rows = np.repeat(np.arange(degrees.size), np.diff(graph.indptr))
        free = ~(held[rows] | held[graph.indices])
        entries = (graph.data[free], (rows[free], graph.indices[free]))
        grounded = SparseInverse.build(
            _less(diagonal, sp.csr_array(entries, shape=graph.shape)), diagonal, method
        )
        if grounded.direct:
            return grounded
    return SparseInverse(_less(diagonal, graph), diagonal, direct=False)


def _less(diagonal: FloatArray, graph: Any) -> sp.csr_array:
    matrix = sp.csr_array(sp.diags(diagonal, format="csr") - graph)
    matrix.sort_indices()
    return matrix
