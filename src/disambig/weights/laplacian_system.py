"""The linear system whose inverse is ``(I + mu L)^{-1}`` on a weighted graph."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from disambig.notation import FloatArray
from disambig.weights.compressed import small_indices

__all__ = ["NORMALIZATIONS", "LaplacianSystem", "laplacian_system"]

NORMALIZATIONS = ("none", "symmetric", "random_walk")


@dataclass(frozen=True, eq=False)
class LaplacianSystem:
    """``M f = r y``: what the mean target y of each node makes of all nodes.

    Parameters
    ----------
    matrix : csr_array, (N, N)
        M, symmetric and positive definite, nothing positive off the diagonal.
    strength : float64, (N,), positive
        r.
    degrees : float64, (N,)
        Of one copy of each node, before any scaling.
    """

    matrix: sp.csr_array
    strength: FloatArray
    degrees: FloatArray


def laplacian_system(
    graph: sp.csr_array, masses: FloatArray, smoothing: float, normalization: str
) -> LaplacianSystem:
    """``M = diag(r) (I + mu L)`` for nodes that stand for `masses` copies each.

    With ``g[i, j]`` the affinity of two copies and w the masses, ``graph[i, j] = w_i g[i, j] w_j``;
    the degree of a copy of i is ``d_i = sum_j g[i, j] w_j``. A node without links has
    ``L = 0``.

    ================  ===========================================  ==============
    normalization     ``(L f)_i``                                  ``r_i``
    ================  ===========================================  ==============
    ``none``          ``sum_j g_ij w_j (f_i - f_j) / mean(d)``     ``w_i``
    ``symmetric``     ``f_i - sum_j g_ij w_j f_j / sqrt(d_i d_j)`` ``w_i``
    ``random_walk``   ``f_i - sum_j g_ij w_j f_j / d_i``           ``w_i d_i``
    ================  ===========================================  ==============
    """
    sums = np.asarray(graph.sum(axis=1)).ravel()
    linked = sums > 0
    degrees = sums / masses
    strength = masses
    weight = graph.data
    rows = np.repeat(np.arange(masses.size), np.diff(graph.indptr))
    if normalization == "none":
        mean = sums.sum() / masses.sum()
        factor = smoothing / mean if mean > 0 else 0.0
        diagonal, weight = masses + factor * sums, factor * weight
    elif normalization == "symmetric":
        root = np.sqrt(degrees)
        diagonal = np.where(linked, 1.0 + smoothing, 1.0) * masses
        weight = smoothing * weight / root[rows] / root[graph.indices]
    else:
        strength = np.where(linked, sums, masses)
        diagonal = np.where(linked, 1.0 + smoothing, 1.0) * strength
        weight = smoothing * weight
    places = np.arange(masses.size)
    matrix = sp.csr_array(
        (
            np.concatenate([diagonal, -weight]),
            (np.concatenate([places, rows]), np.concatenate([places, graph.indices])),
        ),
        shape=graph.shape,
    )
    return LaplacianSystem(small_indices(matrix), strength, degrees)
