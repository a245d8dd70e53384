"""Directions in which a positive semi-definite array is zero.

Of many optima the nearest to an anchor.
"""

import numpy as np
from scipy.linalg import lapack, null_space, solve_triangular
from scipy.optimize import nnls
from scipy.sparse import csc_array, hstack
from scipy.sparse.csgraph import connected_components

from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.boxes.quadratic import BoxQuadratic, BoxState

_ZERO_ENTRY_TOLERANCE = 1e-10
_SPARE = 20
"""Pivots below ``(m + _SPARE) eps`` of a unit diagonal are rounding, for a few rows too."""
_FAINT_WISH = 1e-4
_NO_RISE = 1e-10
_ROUNDING = 1e-14


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
    where, column = np.nonzero(np.abs(basis) > _ZERO_ENTRY_TOLERANCE)
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


def nearest_optimum(
    problem: BoxQuadratic, state: BoxState, anchor: FloatArray, directions: csc_array
) -> BoxState:
    """The optimum ``y + N c`` with the least ``sum_j (y_j - anchor_j)^2``.

    From one optimum ``y`` of a convex quadratic over a box all others are reached by null
    directions of ``Q`` that leave alone every entry with a derivative. Directions that share no
    entry are independent of each other: one alone is a clipped mean, several that share entries are
    a least-distance program (Lawson and Hanson, Solving Least Squares Problems, chapter 23).

    Parameters
    ----------
    problem : BoxQuadratic
    state : BoxState
        At an optimum.
    anchor : (n,) array
        NaN: no wish for that entry. A direction with no wish at all is not moved along; among
        directions that share entries an entry without wish holds to its place, faintly.
    directions : (n, r) sparse array
        Null directions of ``Q``. Exactly the nearest optimum comes out if they span its null space.

    Returns
    -------
    BoxState
        The optimum found, or `state` itself if rounding in `directions` would spoil it.
    """
    if directions.shape[1]:
        directions = _allowed(directions, ~problem.loose(state))
    if not directions.shape[1]:
        return state
    moved = problem.at(problem.clip(state.y + _shift(problem, state.y, anchor, directions)))
    size = max(problem.size, float(np.max(np.abs(moved.y))))
    rounding = _ROUNDING * float(problem.curvature.sum()) * size**2
    spoilt = state.rise_to(moved) > _NO_RISE * state.objective + rounding
    return state if spoilt or moved.kkt > max(problem.tol, state.kkt) else moved


def _allowed(directions: csc_array, fixed: BoolArray) -> csc_array:
    """Directions, or combinations of them, that are zero on the fixed entries."""
    on_fixed = directions[np.flatnonzero(fixed)]
    touching = np.diff(on_fixed.tocsc().indptr) > 0
    rest = directions[:, np.flatnonzero(~touching)]
    if not touching.any():
        return rest
    shared = np.diff(directions.tocsr().indptr).max() > 1
    if not shared:
        return rest
    columns, rows = np.flatnonzero(touching), np.flatnonzero(~fixed)
    combinations = null_space(on_fixed[:, columns].toarray())
    combined = directions[rows][:, columns] @ combinations
    return hstack([rest, sparse_directions(combined, rows, len(fixed))], format="csc")


def _shift(
    problem: BoxQuadratic, y: FloatArray, anchor: FloatArray, directions: csc_array
) -> FloatArray:
    """``N c``, one group of directions that share entries after another."""
    wish = np.isfinite(anchor)
    wanted = np.where(wish, anchor, y) - y
    room = problem.lower - y, problem.upper - y
    there = abs(directions)
    n_groups, group = connected_components(there.T @ there, directed=False)
    alone = np.bincount(group, minlength=n_groups)[group] == 1
    single = directions[:, np.flatnonzero(alone)]
    shift: FloatArray = single @ _clipped_means(single, wanted, wish, *room)
    for which in np.unique(group[~alone]):
        columns = directions[:, np.flatnonzero(group == which)]
        rows = np.unique(columns.indices)
        weights = np.where(wish[rows], 1.0, _FAINT_WISH)
        shift[rows] += _least_distance(
            columns[rows].toarray(), wanted[rows], weights, room[0][rows], room[1][rows]
        )
    return shift


def _clipped_means(
    single: csc_array,
    wanted: FloatArray,
    wish: BoolArray,
    lower: FloatArray,
    upper: FloatArray,
) -> FloatArray:
    """``argmin_c sum (v c - wanted)^2`` with ``lower <= v c <= upper``, column by column."""
    n_columns = single.shape[1]
    entries = single.tocoo()
    row, column, v = entries.row, entries.col, entries.data
    product = np.bincount(column, v * wanted[row], minlength=n_columns)
    square = np.bincount(column, v**2 * wish[row], minlength=n_columns)
    ends = np.where(v > 0, lower[row], upper[row]) / v, np.where(v > 0, upper[row], lower[row]) / v
    lowest, highest = np.full(n_columns, -np.inf), np.full(n_columns, np.inf)
    np.maximum.at(lowest, column, ends[0])
    np.minimum.at(highest, column, ends[1])
    means = np.divide(product, square, out=np.zeros(n_columns), where=square > 0)
    return np.asarray(np.clip(means, lowest, highest))


def _least_distance(
    basis: FloatArray,
    wanted: FloatArray,
    weights: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
) -> FloatArray:
    """``argmin |weights * (v - wanted)|`` over ``v = basis @ c`` with ``lower <= v <= upper``.

    With ``weights * basis = U T`` and ``x = T c - U' (weights * wanted)`` this asks for the
    shortest ``x`` with ``G x >= h``, which the residual of the non-negative least squares problem
    ``[G'; h'] s = (0, ..., 0, 1)`` answers.
    """
    orthonormal, triangle = np.linalg.qr(weights[:, None] * basis)
    start = orthonormal.T @ (weights * wanted)
    forms = solve_triangular(triangle, basis.T, trans="T").T
    unit = max(float(np.max(np.abs(start))), np.finfo(np.float64).tiny)
    low, high = np.isfinite(lower), np.isfinite(upper)
    reached: FloatArray = forms @ start
    G = np.concatenate([forms[low], -forms[high]])
    h = np.concatenate([lower[low] - reached[low], reached[high] - upper[high]]) / unit
    if not len(h) or h.max() <= 0:
        return reached
    system = np.vstack([G.T, h])
    goal = np.append(np.zeros(len(start)), 1.0)
    solution, _ = nnls(system, goal, maxiter=30 * system.shape[1])
    residual = system @ solution - goal
    x = -residual[:-1] / residual[-1]
    return np.asarray(forms @ (start + unit * x))
