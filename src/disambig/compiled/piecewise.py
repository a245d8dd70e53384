"""Compiled functions that minimise weighted sums of piecewise quadratic curves on the line.

A curve is continuous and piecewise quadratic. It is given by its slope and curvature (the factor of
``z^2``) at a point left of everything, and by its kinks: positions where slope and curvature jump.
Constants do not matter.

A sum of curves is swept from left to right. Slope, curvature and value are always those at the
current position, so that digits are not compensation when numbers are large and differences small.
"""

from typing import Any, NamedTuple

import numpy as np

from disambig.compiled.jit import compiled
from disambig.notation import AnyArray, FloatArray


class Curves(NamedTuple):
    """n curves, each in two versions: one for positive weights and one for negative ones.

    Attributes
    ----------
    left : float
        Where the sweep begins; no kink and no domain lies left of it.
    slopes, curvatures : float64, (2, n)
        At `left`; row 0 for positive weights, row 1 for negative ones.
    slope_scale : float64, (2, n)
        A bound on the slopes of a curve, relative to which a slope counts as zero. 0 for a constant
        curve, which then has no effect at all.
    position, slope_jump, curvature_jump : float64, (kinks,)
        Sorted by position.
    owner : int64, (kinks,)
        The curve of each kink.
    side : int64, (kinks,)
        1 for a kink of the version for positive weights, -1 for negative ones, 0 for both.
    indptr, ranks : int64, (n + 1,), (kinks,)
        Curve j has the kinks ``ranks[indptr[j] : indptr[j + 1]]``.
    """

    left: float
    slopes: FloatArray
    curvatures: FloatArray
    slope_scale: FloatArray
    position: FloatArray
    slope_jump: FloatArray
    curvature_jump: FloatArray
    owner: AnyArray
    side: AnyArray
    indptr: AnyArray
    ranks: AnyArray


class Domains(NamedTuple):
    """The domains of q minimisations: unions of closed intervals, and a point to break ties.

    Attributes
    ----------
    lower, upper : float64, (segments,)
    indptr : int64, (q + 1,)
        Row i has segments ``indptr[i]`` to ``indptr[i + 1] - 1``: sorted, disjoint, at least one.
    preferred : float64, (q,)
        Of several minimisers the one nearest to this point is returned; NaN for no preference.
    """

    lower: FloatArray
    upper: FloatArray
    indptr: AnyArray
    preferred: FloatArray


# The state of a sweep: two intervals of minimisers, each with its height above the lowest value so
# far. The open interval can still grow, by minimisers that begin at the position _EDGE. The best
# interval is the best of all closed ones.
_OPEN_LOW, _OPEN_HIGH, _OPEN_HEIGHT, _BEST_LOW, _BEST_HIGH, _BEST_HEIGHT, _EDGE = range(7)


@compiled
def _distance(state: FloatArray, low: Any, preferred: Any) -> Any:
    """From the preferred point to the interval whose lower end is entry `low` of the state."""
    return max(state[low] - preferred, preferred - state[low + 1], 0.0)


@compiled
def _close_interval(state: FloatArray, preferred: Any, flat_slope: Any) -> None:
    """Close the open interval, if any, and make it the best one if it is better.

    Two intervals tie if the mean slope from one to the other is at most `flat_slope`.
    """
    if np.isnan(state[_OPEN_LOW]):
        return
    tied = flat_slope * (state[_OPEN_LOW] - state[_BEST_HIGH])
    lower = state[_BEST_HEIGHT] - state[_OPEN_HEIGHT]
    if np.isnan(state[_BEST_LOW]) or lower > tied:
        is_better = True
    elif lower < -tied or np.isnan(preferred):
        is_better = False
    else:
        is_better = _distance(state, _OPEN_LOW, preferred) < _distance(state, _BEST_LOW, preferred)
    if is_better:
        for at in range(_BEST_LOW):
            state[_BEST_LOW + at] = state[at]
    state[_OPEN_LOW] = np.nan


@compiled
def _add_minimisers(
    state: FloatArray, low: Any, high: Any, edge: Any, height: Any, preferred: Any, flat_slope: Any
) -> Any:
    """Add local minimisers from `low` to `high`; return their height, 0 for a new lowest value.

    The function does not rise from `high` to `edge`: minimisers that begin there continue these.
    """
    is_first = np.isnan(state[_BEST_LOW]) and np.isnan(state[_OPEN_LOW])
    if is_first or height < 0.0:
        # Heights are relative to the new lowest value. Relative to the value at the start, they
        # would be differences of large numbers.
        state[_BEST_HEIGHT] -= height
        state[_OPEN_HEIGHT] -= height
        height = 0.0
    if low == state[_EDGE]:
        state[_OPEN_HEIGHT] = min(state[_OPEN_HEIGHT], height)
    else:
        _close_interval(state, preferred, flat_slope)
        state[_OPEN_LOW] = low
        state[_OPEN_HEIGHT] = height
    state[_OPEN_HIGH] = high
    state[_EDGE] = edge
    return height


@compiled
def _add_compensated(total: Any, compensation: Any, value: Any) -> Any:
    """``total + value``, and the sum of the rounding errors so far (compensated summation)."""
    new = total + value
    part = new - total
    return new, compensation + ((total - (new - part)) + (value - part))


@compiled
def _sweep(
    kinks: FloatArray,
    count: Any,
    left: Any,
    slope: Any,
    curvature: Any,
    domains: Domains,
    row: Any,
    flat_slope: Any,
    state: FloatArray,
) -> Any:
    """The minimiser of one sum of curves on the domain of `row`.

    Parameters
    ----------
    kinks : float64, (3, at least count)
        Position, jump of the slope and jump of the curvature, sorted by position.
    slope, curvature : float
        At `left`.
    flat_slope : float
        A slope of at most this size counts as zero.
    state : float64, (7,)
        Work space.
    """
    lower, upper = domains.lower, domains.upper
    first, last = domains.indptr[row], domains.indptr[row + 1]
    preferred = domains.preferred[row]
    state[:] = np.nan
    x, height, compensation = left, 0.0, 0.0
    e = 0
    for k in range(first, last):
        while e < count and kinks[0, e] <= lower[k]:
            step = kinks[0, e] - x
            height += (slope + (curvature + compensation) * step) * step
            slope += 2.0 * (curvature + compensation) * step + kinks[1, e]
            curvature, compensation = _add_compensated(curvature, compensation, kinks[2, e])
            x = kinks[0, e]
            e += 1
        step = lower[k] - x
        height += (slope + (curvature + compensation) * step) * step
        slope += 2.0 * (curvature + compensation) * step
        x = lower[k]
        # Outside the domain the function is infinite, so it falls towards the segment.
        slope_before = -np.inf
        while x < upper[k]:
            if slope_before <= 0.0 <= slope:
                height = _add_minimisers(state, x, x, x, height, preferred, flat_slope)
            stop = min(kinks[0, e], upper[k]) if e < count else upper[k]
            step = stop - x
            total_curvature = curvature + compensation
            slope_before = slope + 2.0 * total_curvature * step
            if abs(slope) <= flat_slope and abs(slope_before) <= flat_slope:
                height = _add_minimisers(state, x, stop, stop, height, preferred, flat_slope)
            elif slope < 0.0 < slope_before:
                minimiser = min(x - slope / (2.0 * total_curvature), stop)
                height -= slope * slope / (4.0 * total_curvature)
                # Rounding can put the minimiser just left of a flat section: they are one interval.
                edge = stop if slope_before <= flat_slope else minimiser
                height = _add_minimisers(
                    state, minimiser, minimiser, edge, height, preferred, flat_slope
                )
                height += total_curvature * (stop - minimiser) ** 2
            else:
                height += (slope + total_curvature * step) * step
            x, slope = stop, slope_before
            while e < count and kinks[0, e] <= x:
                slope += kinks[1, e]
                curvature, compensation = _add_compensated(curvature, compensation, kinks[2, e])
                e += 1
        if slope_before <= 0.0:
            height = _add_minimisers(state, x, x, x, height, preferred, flat_slope)
    _close_interval(state, preferred, flat_slope)
    if np.isnan(preferred):
        return state[_BEST_LOW] + 0.5 * (state[_BEST_HIGH] - state[_BEST_LOW])
    return min(max(preferred, state[_BEST_LOW]), state[_BEST_HIGH])


@compiled
def minimise_dense(
    weights: FloatArray, curves: Curves, domains: Domains, flat_share: Any
) -> FloatArray:
    """``argmin_z sum_j weights[i, j] curve_j(z)`` over the domain of each row.

    Of several minimisers the one nearest to the preferred point (the lower of two equally near);
    without a preferred point, the middle of the lowest interval of minimisers.

    Parameters
    ----------
    weights : float64, (q, n), finite
    curves : Curves
    domains : Domains
    flat_share : float
        A slope of at most this share of ``sum_j |weights[i, j]| slope_scale_j`` counts as zero.

    Returns
    -------
    float64, (q,)
    """
    q, n = weights.shape
    size = curves.position.size
    kinks = np.empty((3, size), dtype=np.float64)
    state = np.empty(7, dtype=np.float64)
    found = np.empty(q, dtype=np.float64)
    for i in range(q):
        slope, curvature, compensation, slope_scale = 0.0, 0.0, 0.0, 0.0
        for j in range(n):
            weight = weights[i, j]
            if weight != 0.0:
                version = 0 if weight > 0.0 else 1
                slope += weight * curves.slopes[version, j]
                curvature, compensation = _add_compensated(
                    curvature, compensation, weight * curves.curvatures[version, j]
                )
                slope_scale += abs(weight) * curves.slope_scale[version, j]
        count = 0
        for e in range(size):
            weight = weights[i, curves.owner[e]]
            if weight != 0.0 and weight * curves.side[e] >= 0.0:
                kinks[0, count] = curves.position[e]
                kinks[1, count] = weight * curves.slope_jump[e]
                kinks[2, count] = weight * curves.curvature_jump[e]
                count += 1
        found[i] = _sweep(
            kinks,
            count,
            curves.left,
            slope,
            curvature + compensation,
            domains,
            i,
            flat_share * slope_scale,
            state,
        )
    return found


@compiled
def minimise_sparse(
    indptr: AnyArray,
    indices: AnyArray,
    weights: FloatArray,
    curves: Curves,
    domains: Domains,
    flat_share: Any,
) -> FloatArray:
    """The same for weights in compressed sparse rows; the cost of a row does not depend on n.

    Duplicate entries add up.

    Parameters
    ----------
    indptr, indices : int64, (q + 1,), (entries,)
    weights : float64, (entries,), finite
    curves, domains, flat_share : as for `minimise_dense`
    """
    q, n = indptr.size - 1, curves.indptr.size - 1
    size = curves.position.size
    pending = np.zeros(n, dtype=np.float64)
    row_weights = np.empty(n, dtype=np.float64)
    ranks = np.empty(size, dtype=np.int64)
    kinks = np.empty((3, size), dtype=np.float64)
    state = np.empty(7, dtype=np.float64)
    found = np.empty(q, dtype=np.float64)
    for i in range(q):
        for entry in range(indptr[i], indptr[i + 1]):
            pending[indices[entry]] += weights[entry]
        slope, curvature, compensation, slope_scale = 0.0, 0.0, 0.0, 0.0
        count = 0
        for entry in range(indptr[i], indptr[i + 1]):
            j = indices[entry]
            weight = pending[j]
            if weight != 0.0:
                pending[j] = 0.0
                row_weights[j] = weight
                version = 0 if weight > 0.0 else 1
                slope += weight * curves.slopes[version, j]
                curvature, compensation = _add_compensated(
                    curvature, compensation, weight * curves.curvatures[version, j]
                )
                slope_scale += abs(weight) * curves.slope_scale[version, j]
                for kink in range(curves.indptr[j], curves.indptr[j + 1]):
                    if weight * curves.side[curves.ranks[kink]] >= 0.0:
                        ranks[count] = curves.ranks[kink]
                        count += 1
        ranks[:count].sort()
        for k in range(count):
            e = ranks[k]
            weight = row_weights[curves.owner[e]]
            kinks[0, k] = curves.position[e]
            kinks[1, k] = weight * curves.slope_jump[e]
            kinks[2, k] = weight * curves.curvature_jump[e]
        found[i] = _sweep(
            kinks,
            count,
            curves.left,
            slope,
            curvature + compensation,
            domains,
            i,
            flat_share * slope_scale,
            state,
        )
    return found
