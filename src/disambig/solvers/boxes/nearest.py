"""The optimum nearest to an anchor, if a convex quadratic over a box has many.

`nearest_optimum` finds it. It moves along null directions of the array, from `null_directions` or
`component_directions`.
"""

import numpy as np
from scipy.linalg import lapack, null_space, solve_triangular
from scipy.optimize import nnls
from scipy.sparse import csc_array, hstack
from scipy.sparse.csgraph import connected_components

from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers.boxes.quadratic import BoxQuadratic, BoxState

# Entries of null directions, whose largest entry is one, up to this size are rounding errors.
_ZERO_ENTRY_TOLERANCE = 1e-10
# Pivots below (m + 20) eps of a unit diagonal are rounding errors; without the 20 the limit would
# be too low for a few rows.
_PIVOT_EXTRA_ROWS = 20
# The weight of entries without a preference where directions share entries. It is small, but not
# zero, so that the program has a unique solution.
_NO_PREFERENCE_WEIGHT = 1e-4
# A larger relative increase of the objective means that the directions are not null directions.
_MAX_RELATIVE_INCREASE = 1e-10
# Relative size of differences that count as rounding error.
_ROUNDING_SHARE = 1e-14
# The unit of a least-distance program is at least this, so that bounds can be divided by it.
_MIN_UNIT = 1e-200


def null_directions(Q: FloatArray, rows: IntArray) -> csc_array:
    """A basis ``N`` of ``{v : Q v = 0, v = 0 outside rows}``, sparse of shape ``(n, r)``.

    A pivoted Cholesky factorisation, ``P' Q P = R' R``, stops when the remaining pivots are
    rounding errors. With ``R = [R1 R2]`` the basis is ``P [-R1^{-1} R2; I]``. Entries of the basis
    that are rounding errors are dropped. For non-negative votes its columns are then the indicators
    of groups of rows that are connected by votes.

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
    min_pivot = (m + _PIVOT_EXTRA_ROWS) * np.finfo(np.float64).eps
    factor, order, rank, _ = lapack.dpstrf(block.T, tol=min_pivot, lower=0, overwrite_a=1)
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
    """The columns scaled to largest entry one, on some rows of `n`, without rounding errors."""
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

    Two optima of a convex quadratic over a box differ by a null direction of ``Q`` that is zero at
    all entries with a non-zero gradient. Directions that share no entry are independent problems.
    For a single direction the solution is a clipped mean. For several directions that share entries
    it is a least-distance program (Lawson and Hanson, Solving Least Squares Problems, chapter 23).

    Parameters
    ----------
    problem : BoxQuadratic
    state : BoxState
        At an optimum.
    anchor : (n,) array
        NaN: no preference for that entry. There is no move along a direction without any
        preference. Among directions that share entries, an entry without a preference prefers its
        current value, with a small weight.
    directions : (n, r) sparse array
        Null directions of ``Q``. The result is the nearest of all optima if they span its null
        space.

    Returns
    -------
    BoxState
        The nearest optimum, or `state` itself if rounding errors in `directions` make it worse.
    """
    if directions.shape[1]:
        directions = _allowed(directions, ~problem.stationary(state))
    if not directions.shape[1]:
        return state
    moved = problem.state_at(
        problem.clip(state.y + _best_move(problem, state.y, anchor, directions))
    )
    size = max(problem.size, float(np.max(np.abs(moved.y))))
    rounding = _ROUNDING_SHARE * float(problem.curvature.sum()) * size**2
    is_worse = state.increase_to(moved) > _MAX_RELATIVE_INCREASE * state.objective + rounding
    return state if is_worse or moved.kkt > max(problem.tol, state.kkt) else moved


def single_entries(problem: BoxQuadratic, state: BoxState, directions: csc_array) -> BoolArray:
    """Entries that are known to have the same value in every optimum, ``(n,)``.

    Two optima differ by a null direction. An entry is single if no direction that can be followed
    inside the box moves it. Directions that share entries are taken as if all could be followed.

    Parameters
    ----------
    problem : BoxQuadratic
    state : BoxState
        At an optimum.
    directions : (n, r) sparse array
        They span the null space of ``Q`` on the entries of zero gradient.
    """
    single = np.ones(len(state.y), dtype=np.bool_)
    if directions.shape[1]:
        directions = _allowed(directions, ~problem.stationary(state))
    if not directions.shape[1]:
        return single
    pattern = abs(directions)
    n_groups, group = connected_components(pattern.T @ pattern, directed=False)
    alone = np.bincount(group, minlength=n_groups)[group] == 1
    lowest, highest = _ranges(directions, problem.lower - state.y, problem.upper - state.y)
    size = max(problem.size, float(np.max(np.abs(state.y), initial=0.0)))
    can_move = ~alone | (highest - lowest > _ZERO_ENTRY_TOLERANCE * size)
    single[np.unique(directions[:, np.flatnonzero(can_move)].indices)] = False
    return single


def _ranges(
    directions: csc_array, lower: FloatArray, upper: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The smallest and the largest c with ``lower <= v c <= upper``, for each column v."""
    entries = directions.tocoo()
    row, column, v = entries.row, entries.col, entries.data
    ends = np.where(v > 0, lower[row], upper[row]) / v, np.where(v > 0, upper[row], lower[row]) / v
    lowest = np.full(directions.shape[1], -np.inf)
    highest = np.full(directions.shape[1], np.inf)
    np.maximum.at(lowest, column, ends[0])
    np.minimum.at(highest, column, ends[1])
    return lowest, highest


def _allowed(directions: csc_array, fixed: BoolArray) -> csc_array:
    """Directions, or combinations of them, that are zero on the fixed entries."""
    on_fixed = directions[np.flatnonzero(fixed)]
    touching = np.diff(on_fixed.tocsc().indptr) > 0
    unaffected = directions[:, np.flatnonzero(~touching)]
    if not touching.any():
        return unaffected
    share_entries = np.diff(directions.tocsr().indptr).max() > 1
    if not share_entries:
        return unaffected
    columns, rows = np.flatnonzero(touching), np.flatnonzero(~fixed)
    combinations = null_space(on_fixed[:, columns].toarray())
    combined = directions[rows][:, columns] @ combinations
    return hstack([unaffected, sparse_directions(combined, rows, len(fixed))], format="csc")


def _best_move(
    problem: BoxQuadratic, y: FloatArray, anchor: FloatArray, directions: csc_array
) -> FloatArray:
    """``N c``, group by group of directions that share entries."""
    has_preference = np.isfinite(anchor)
    desired = np.where(has_preference, anchor, y) - y
    limits = problem.lower - y, problem.upper - y
    pattern = abs(directions)
    n_groups, group = connected_components(pattern.T @ pattern, directed=False)
    is_single = np.bincount(group, minlength=n_groups)[group] == 1
    single = directions[:, np.flatnonzero(is_single)]
    move: FloatArray = single @ _clipped_means(single, desired, has_preference, *limits)
    for which in np.unique(group[~is_single]):
        columns = directions[:, np.flatnonzero(group == which)]
        rows = np.unique(columns.indices)
        weights = np.where(has_preference[rows], 1.0, _NO_PREFERENCE_WEIGHT)
        move[rows] += _least_distance(
            columns[rows].toarray(), desired[rows], weights, limits[0][rows], limits[1][rows]
        )
    return move


def _clipped_means(
    single: csc_array,
    desired: FloatArray,
    has_preference: BoolArray,
    lower: FloatArray,
    upper: FloatArray,
) -> FloatArray:
    """``argmin_c sum (v c - desired)^2`` with ``lower <= v c <= upper``, column by column."""
    n_columns = single.shape[1]
    entries = single.tocoo()
    row, column, v = entries.row, entries.col, entries.data
    product = np.bincount(column, v * desired[row], minlength=n_columns)
    square = np.bincount(column, v**2 * has_preference[row], minlength=n_columns)
    lowest, highest = _ranges(single, lower, upper)
    means = np.divide(product, square, out=np.zeros(n_columns), where=square > 0)
    return np.asarray(np.clip(means, lowest, highest))


def _least_distance(
    basis: FloatArray,
    desired: FloatArray,
    weights: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
) -> FloatArray:
    """``argmin |weights * (v - desired)|`` over ``v = basis @ c`` with ``lower <= v <= upper``.

    With ``weights * basis = U T`` and ``x = T c - U' (weights * desired)`` the solution is the
    shortest ``x`` with ``G x >= h``. It follows from the residual of the non-negative least squares
    problem ``[G'; h'] s = (0, ..., 0, 1)``.
    """
    orthonormal, triangle = np.linalg.qr(weights[:, None] * basis)
    start = orthonormal.T @ (weights * desired)
    forms = solve_triangular(triangle, basis.T, trans="T").T
    low, high = np.isfinite(lower), np.isfinite(upper)
    unconstrained: FloatArray = forms @ start
    G = np.concatenate([forms[low], -forms[high]])
    h = np.concatenate([lower[low] - unconstrained[low], unconstrained[high] - upper[high]])
    if not len(h) or h.max() <= 0:
        return unconstrained
    unit = max(float(np.max(np.abs(start))), _MIN_UNIT)
    system = np.vstack([G.T, h / unit])
    goal = np.append(np.zeros(len(start)), 1.0)
    solution, _ = nnls(system, goal, maxiter=30 * system.shape[1])
    residual = system @ solution - goal
    x = -residual[:-1] / residual[-1]
    return np.asarray(forms @ (start + unit * x))
