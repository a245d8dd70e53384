"""Potentials of point sources on a graph: columns of the pseudo-inverse of its Laplacian."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.memory import require_bytes
from disambig.notation import FloatArray, IntArray
from disambig.votes.sparse_inverse import SparseInverse

# Sources whose potentials are computed together.
_SOURCES_PER_BLOCK = 256


def potentials(
    graph: sp.csr_array, parts: IntArray, sources: IntArray, method: str = "auto"
) -> FloatArray:
    """u of shape ``(N, r)`` with ``L u_j = e_j - c`` and ``c' u_j = 0``, zero outside of j's part.

    ``L = D - G`` is the Laplacian of the graph, which is singular. The unit that flows in at source
    j flows out in all of its part, in proportion to the degrees: ``c = d / sum(d)``. So both sides
    of the equation sum to zero, and u is unique given its mean of zero, weighted by degrees.

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
        8.0 * size * (sources.size + 4 * min(sources.size, _SOURCES_PER_BLOCK)),
        f"The potentials of {sources.size} informed inputs at {size} inputs",
        "Poisson learning is for few informed rows (method='average'); use LaplacianWeights, which "
        "needs no such array.",
    )
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    shares = _degree_shares(degrees, parts)
    grounded_nodes = np.unique(parts, return_index=True)[1]
    inverse = _inverse(graph, degrees, grounded_nodes, method)
    found = np.empty((size, sources.size))
    for start in range(0, sources.size, _SOURCES_PER_BLOCK):
        chosen = sources[start : start + _SOURCES_PER_BLOCK]
        columns = np.arange(chosen.size)
        together = parts[:, None] == parts[chosen]
        flow = np.where(together, -shares[:, None], 0.0)
        flow[chosen, columns] += 1.0
        if inverse.direct:
            flow[grounded_nodes] = 0.0
        block = inverse @ flow
        levels = np.einsum("ij,i->j", np.where(together, block, 0.0), shares)
        found[:, start : start + _SOURCES_PER_BLOCK] = np.where(together, block - levels, 0.0)
    return found


def _degree_shares(degrees: FloatArray, parts: IntArray) -> FloatArray:
    """Degrees divided by their sum in the connected part, ``(N,)``; one without links."""
    sums = np.bincount(parts, weights=degrees)[parts]
    shares: FloatArray = np.where(sums > 0, degrees / np.where(sums > 0, sums, 1.0), 1.0)
    return shares


def _inverse(
    graph: Any, degrees: FloatArray, grounded_nodes: IntArray, method: str
) -> SparseInverse:
    """Solves with L for right-hand sides of sum zero, up to a constant for each part.

    A factorisation needs an invertible matrix: the potential of the first node of each part is
    fixed at zero. Conjugate gradients stay in the range of L, and converge faster without this.
    """
    is_grounded = np.zeros(degrees.size, dtype=np.bool_)
    is_grounded[grounded_nodes] = True
    # Nodes without links need any positive number: their potential is zero.
    diagonal = np.where(degrees > 0, degrees, 1.0)
    if method != "iterative":
        rows = np.repeat(np.arange(degrees.size), np.diff(graph.indptr))
        free = ~(is_grounded[rows] | is_grounded[graph.indices])
        entries = (graph.data[free], (rows[free], graph.indices[free]))
        grounded = SparseInverse.build(
            _laplacian(diagonal, sp.csr_array(entries, shape=graph.shape)), diagonal, method
        )
        if grounded.direct:
            return grounded
    return SparseInverse(_laplacian(diagonal, graph), diagonal, direct=False)


def _laplacian(diagonal: FloatArray, graph: Any) -> sp.csr_array:
    matrix = sp.csr_array(sp.diags(diagonal, format="csr") - graph)
    matrix.sort_indices()
    return matrix
