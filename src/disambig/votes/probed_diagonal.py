"""The diagonal of an inverse, estimated where N solutions would take too long."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from disambig.notation import FloatArray
from disambig.votes.inverse import SparseInverse

__all__ = ["probed_diagonal"]

# Entries of a block of probes, or of a product of sparse rows.
_BLOCK = 2**22
# Of solutions: far below what the signs leave open.
_TOLERANCE = 1e-6


def probed_diagonal(
    inverse: SparseInverse, *, probes: int = 64, seed: int = 0
) -> tuple[FloatArray, FloatArray]:
    r"""The diagonal of ``M^{-1}``, ``(N,)``, and its standard error, ``(N,)``.

    With ``M = N^{1/2} (I - S) N^{1/2}``, N the diagonal of M, no entry of S is negative and ::

        diag(M^{-1}) = N^{-1} (1 + diag(S^2) + diag(S^3) + diag(S^2 (I - S)^{-1} S^2)).

    Only the last diagonal is estimated, by the mean of ``z * (S^2 (I - S)^{-1} S^2 z)`` over random
    signs z. What the first three hold, the near returns of a walk on the graph, is most of the
    whole; the walks left to estimation spread over many rows, so that little comes back.

    Parameters
    ----------
    inverse : SparseInverse (N, N)
    probes : int >= 2
        Solutions that are computed.
    seed : int
        Of the signs.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> inverse = SparseInverse.build(sp.csr_array([[4.0, -1.0], [-1.0, 4.0]]), np.ones(2))
    >>> probed_diagonal(inverse)[0].round(3), inverse.diagonal.round(3)
    (array([0.267, 0.267]), array([0.267, 0.267]))
    """
    matrix = inverse.matrix
    root = np.sqrt(matrix.diagonal())
    step = _steps(matrix, root)
    size = root.size
    signs = np.random.default_rng(seed)
    total, squares = np.zeros(size), np.zeros(size)
    width = max(1, min(probes, _BLOCK // max(1, size)))
    for start in range(0, probes, width):
        z = signs.choice([-1.0, 1.0], size=(size, min(width, probes - start)))
        onward = inverse.solve(root[:, None] * (step @ (step @ z)), _TOLERANCE)
        products = z * (step @ (step @ (root[:, None] * onward)))
        total += products.sum(axis=1)
        squares += np.einsum("ij,ij->i", products, products)
    mean = total / probes
    spread = np.maximum(squares / probes - mean**2, 0.0)
    near = 1.0 + _short_returns(step)
    return (near + np.maximum(mean, 0.0)) / root**2, np.sqrt(spread / probes) / root**2


def _steps(matrix: Any, root: FloatArray) -> Any:
    """S, ``(N, N)``."""
    entries = matrix.tocoo()
    others = entries.row != entries.col
    rows, columns = entries.row[others], entries.col[others]
    values = -entries.data[others] / (root[rows] * root[columns])
    return sp.csr_array((values, (rows, columns)), shape=matrix.shape)


def _short_returns(step: Any) -> FloatArray:
    """``diag(S^2) + diag(S^3)``, in blocks of rows: the square of a graph is large."""
    size = step.shape[0]
    returns = np.asarray(step.multiply(step).sum(axis=1)).ravel()
    mean_entries = step.nnz / max(1, size)
    rows = max(1, int(_BLOCK / max(1.0, mean_entries**2)))
    for start in range(0, size, rows):
        block = step[start : start + rows]
        thrice = (block @ step).multiply(block).sum(axis=1)
        returns[start : start + rows] += np.asarray(thrice).ravel()
    return returns
