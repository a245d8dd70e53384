"""Directions in which a positive semi-definite array is zero."""

import numpy as np
from scipy.linalg import lapack, solve_triangular
from scipy.sparse import csc_array

from disambig.notation import FloatArray, IntArray

__all__ = ["component_directions", "null_directions", "sparse_directions"]

_ROUNDING = 1e-10
_SPARE = 20
"""Pivots below ``(m + _SPARE) eps`` of a unit diagonal are rounding, for a few rows too."""


def null_directions(Q: FloatArray, rows: IntArray) -> csc_array:
    """A basis ``N`` of ``{v : Q v = 0, v = 0 outside rows}``, sparse of shape ``(n, r)``.

    A Cholesky factorisation with pivots, ``P' Q P = R' R``, stops where what is left is rounding;
    with ``R = [R1 R2]`` the basis is ``P [-R1^{-1} R2; I]``. Entries of the basis that are rounding
    are dropped: for non-negative votes its columns are then the indicators of groups of rows that
    hear each other.

    Parameters
    ----------
    Q : (n, n) array
        Symmetric, positive semi-definite up to rounding.
    rows : (m,) int array

    Examples
    --------
    >>> import numpy as np
    >>> Q = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
    >>> null_directions(Q, np.arange(3)).toarray().ravel()
    array([1., 1., 0.])
    >>> null_directions(Q, np.arange(1)).shape
    (3, 0)
    """
    m = len(rows)
    if not m:
        return csc_array((len(Q), 0))
    block = Q[np.ix_(rows, rows)]
    diagonal = np.diagonal(block)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    block *= scale
    block *= scale[:, None]
    smallest = (m + _SPARE) * np.finfo(np.float64).eps
    factor, order, rank, _ = lapack.dpstrf(block.T, tol=smallest, lower=0, overwrite_a=1)
    if rank == m:
        return csc_array((len(Q), 0))
    order = order - 1
    basis = np.zeros((m, m - rank))
    if rank:
        basis[order[:rank]] = -solve_triangular(
            factor[:rank, :rank], factor[:rank, rank:], check_finite=False
        )
    basis[order[rank:]] = np.eye(m - rank)
    return sparse_directions(basis * scale[:, None], rows, len(Q))


def sparse_directions(basis: FloatArray, rows: IntArray, n: int) -> csc_array:
    """Columns of largest entry one, on some rows of `n`, without what is rounding in them."""
    basis = basis / np.max(np.abs(basis), axis=0, initial=0.0)
    where, column = np.nonzero(np.abs(basis) > _ROUNDING)
    return csc_array((basis[where, column], (rows[where], column)), shape=(n, basis.shape[1]))


def component_directions(labels: IntArray) -> csc_array:
    """Indicators of the groups ``labels == 0, 1, ...``, sparse of shape ``(n, groups)``.

    Examples
    --------
    >>> component_directions(np.array([0, 1, 0])).toarray()
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    """
    n = len(labels)
    groups = int(np.max(labels, initial=-1)) + 1
    return csc_array((np.ones(n), (np.arange(n), labels)), shape=(n, groups))
