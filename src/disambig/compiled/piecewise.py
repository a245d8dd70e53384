"""Minima of sums of piecewise quadratics on the line, weighted row by row.

A curve is continuous and made of quadratic pieces. It is known by its slope and curvature (the
factor of ``z^2``) at a point left of everything, and by its kinks: places where they jump. A sum
of curves is swept from left to right with its slope, its curvature and its value, all taken where
the sweep stands: nothing is lost to cancellation when the numbers are large and their differences
small. Constants play no part.
"""

from typing import Any, NamedTuple

import numpy as np

from disambig.compiled.jit import kernel
from disambig.notation import AnyArray, FloatArray


class Curves(NamedTuple):
    """n curves, each in two versions: one for positive weights and one for negative ones.

    Attributes
    ----------
    left : float
        Where the sweep begins; no kink and no domain lies left of it.
    slopes, curvatures : float64, (2, n)
        At `left`; row 0 for positive weights, row 1 for negative ones.
    steepness : float64, (2, n)
        The size of the slopes that a curve has: the unit in which they are judged flat. 0 for a
        curve that is the same everywhere, which then plays no part at all.
    position, slope_jump, curvature_jump : float64, (kinks,)
        By rising position.
    owner : int64, (kinks,)
        The curve that a kink belongs to.
    side : int64, (kinks,)
        1 for a kink of the version for positive weights, -1 for negative ones, 0 for both.
    indptr, ranks : int64, (n + 1,), (kinks,)
        Curve j has the kinks ``ranks[indptr[j]:indptr[j + 1]]``.
    """

    left: float
    slopes: FloatArray
    curvatures: FloatArray
    steepness: FloatArray
    position: FloatArray
    slope_jump: FloatArray
    curvature_jump: FloatArray
    owner: AnyArray
    side: AnyArray
    indptr: AnyArray
    ranks: AnyArray


class Domains(NamedTuple):
    """Where each of q minima is sought: a union of closed intervals, and a wish among equals.

    Attributes
    ----------
    lower, upper : float64, (pieces,)
    indptr : int64, (q + 1,)
        Row i owns the pieces from ``indptr[i]`` to the next; sorted, disjoint, at least one.
    wish : float64, (q,)
        Of all minimisers the one nearest to it; NaN for none.
    """

    lower: FloatArray
    upper: FloatArray
    indptr: AnyArray
    wish: FloatArray


# The memory of a sweep: two stretches of minimisers with their height above the lowest value met
# so far. The open one may still grow, by what begins at its edge; the chosen one is the best of
# those before.
_OPEN_LOW, _OPEN_HIGH, _OPEN_HEIGHT, _LOW, _HIGH, _HEIGHT, _EDGE = range(7)


@kernel
def _distance(memory: FloatArray, low: Any, wish: Any) -> Any:
    """From the wish to the stretch that begins at entry `low` of the memory."""
    return max(memory[low] - wish, wish - memory[low + 1], 0.0)


@kernel
def _close(memory: FloatArray, wish: Any, flat: Any) -> None:
    """Let the open stretch, if there is one, compete with the chosen one.

    They are as low as each other if the mean slope from one to the other is flat.
    """
    if np.isnan(memory[_OPEN_LOW]):
        return
    tied = flat * (memory[_OPEN_LOW] - memory[_HIGH])
    lower = memory[_HEIGHT] - memory[_OPEN_HEIGHT]
    if np.isnan(memory[_LOW]) or lower > tied:
        chosen = True
    elif lower < -tied or np.isnan(wish):
        chosen = False
    else:
        chosen = _distance(memory, _OPEN_LOW, wish) < _distance(memory, _LOW, wish)
    if chosen:
        memory[_LOW:_EDGE] = memory[:_LOW]
    memory[_OPEN_LOW] = np.nan


@kernel
def _offer(
    memory: FloatArray, low: Any, high: Any, edge: Any, height: Any, wish: Any, flat: Any
) -> Any:
    """Local minima from `low` to `high`; returns their height, 0 where none was lower so far.

    Nothing rises from `high` to `edge`.
    """
    untouched = np.isnan(memory[_LOW]) and np.isnan(memory[_OPEN_LOW])
    if untouched or height < 0.0:
        # The new lowest value is what heights are counted from: far from the start they would
        # otherwise be differences of large numbers.
        memory[_HEIGHT] -= height
        memory[_OPEN_HEIGHT] -= height
        height = 0.0
    if low == memory[_EDGE]:
        memory[_OPEN_HEIGHT] = min(memory[_OPEN_HEIGHT], height)
    else:
        _close(memory, wish, flat)
        memory[_OPEN_LOW] = low
        memory[_OPEN_HEIGHT] = height
    memory[_OPEN_HIGH] = high
    memory[_EDGE] = edge
    return height


@kernel
def _add(total: Any, rest: Any, value: Any) -> Any:
    """``total + value``, and in `rest` what the rounded totals have lost so far."""
    new = total + value
    part = new - total
    return new, rest + ((total - (new - part)) + (value - part))


@kernel
def _sweep(
    kinks: FloatArray,
    count: Any,
    left: Any,
    slope: Any,
    curvature: Any,
    domains: Domains,
    row: Any,
    flat: Any,
    memory: FloatArray,
) -> Any:
    """The minimiser of one sum of curves on the domain of `row`.

    Parameters
    ----------
    kinks : float64, (3, at least count)
        Position, jump of the slope and jump of the curvature, by rising position.
    slope, curvature : float
        At `left`.
    flat : float
        A slope of at most this size is none.
    memory : float64, (7,)
        Room to work in.
    """
    lower, upper = domains.lower, domains.upper
    first, last = domains.indptr[row], domains.indptr[row + 1]
    wish = domains.wish[row]
    memory[:] = np.nan
    x, height, lost = left, 0.0, 0.0
    e = 0
    for k in range(first, last):
        while e < count and kinks[0, e] <= lower[k]:
            step = kinks[0, e] - x
            height += (slope + (curvature + lost) * step) * step
            slope += 2.0 * (curvature + lost) * step + kinks[1, e]
            curvature, lost = _add(curvature, lost, kinks[2, e])
            x = kinks[0, e]
            e += 1
        step = lower[k] - x
        height += (slope + (curvature + lost) * step) * step
        slope += 2.0 * (curvature + lost) * step
        x = lower[k]
        # Outside the piece the function counts as infinite: it falls on arrival.
        before = -np.inf
        while x < upper[k]:
            if before <= 0.0 <= slope:
                height = _offer(memory, x, x, x, height, wish, flat)
            stop = min(kinks[0, e], upper[k]) if e < count else upper[k]
            step = stop - x
            bend = curvature + lost
            before = slope + 2.0 * bend * step
            if abs(slope) <= flat and abs(before) <= flat:
                height = _offer(memory, x, stop, stop, height, wish, flat)
            elif slope < 0.0 < before:
                bottom = min(x - slope / (2.0 * bend), stop)
                height -= slope * slope / (4.0 * bend)
                # Rounding can put the bottom just before a flat piece; they are one stretch.
                edge = stop if before <= flat else bottom
                height = _offer(memory, bottom, bottom, edge, height, wish, flat)
                height += bend * (stop - bottom) ** 2
            else:
                height += (slope + bend * step) * step
            x, slope = stop, before
            while e < count and kinks[0, e] <= x:
                slope += kinks[1, e]
                curvature, lost = _add(curvature, lost, kinks[2, e])
                e += 1
        if before <= 0.0:
            height = _offer(memory, x, x, x, height, wish, flat)
    _close(memory, wish, flat)
    if np.isnan(wish):
        return memory[_LOW] + 0.5 * (memory[_HIGH] - memory[_LOW])
    return min(max(wish, memory[_LOW]), memory[_HIGH])


@kernel
def minimise_dense(weights: FloatArray, curves: Curves, domains: Domains, flat: Any) -> FloatArray:
    """``argmin_z sum_j weights[i, j] curve_j(z)`` over the domain of each row.

    Of several minimisers the one nearest to the wish (the lower of two equally near); without a
    wish the middle of a stretch of minimisers, of the lowest if there are several.

    Parameters
    ----------
    weights : float64, (q, n), finite
    curves : Curves
    domains : Domains
    flat : float
        The part of ``sum_j |weights[i, j]| steepness_j`` below which a slope is none.

    Returns
    -------
    float64, (q,)
    """
    q, n = weights.shape
    size = curves.position.size
    kinks = np.empty((3, size), dtype=np.float64)
    memory = np.empty(7, dtype=np.float64)
    found = np.empty(q, dtype=np.float64)
    for i in range(q):
        slope, curvature, lost, steep = 0.0, 0.0, 0.0, 0.0
        for j in range(n):
            weight = weights[i, j]
            if weight != 0.0:
                version = 0 if weight > 0.0 else 1
                slope += weight * curves.slopes[version, j]
                curvature, lost = _add(curvature, lost, weight * curves.curvatures[version, j])
                steep += abs(weight) * curves.steepness[version, j]
        count = 0
        for e in range(size):
            weight = weights[i, curves.owner[e]]
            if weight != 0.0 and weight * curves.side[e] >= 0.0:
                kinks[0, count] = curves.position[e]
                kinks[1, count] = weight * curves.slope_jump[e]
                kinks[2, count] = weight * curves.curvature_jump[e]
                count += 1
        found[i] = _sweep(
            kinks, count, curves.left, slope, curvature + lost, domains, i, flat * steep, memory
        )
    return found


@kernel
def minimise_sparse(
    indptr: AnyArray,
    indices: AnyArray,
    weights: FloatArray,
    curves: Curves,
    domains: Domains,
    flat: Any,
) -> FloatArray:
    """The same for weights in compressed rows: a row costs what it holds, not n.

    Repeated entries of one place add up.

    Parameters
    ----------
    indptr, indices : int64, (q + 1,), (entries,)
    weights : float64, (entries,), finite
    curves, domains, flat : as for `minimise_dense`
    """
    q, n = indptr.size - 1, curves.indptr.size - 1
    size = curves.position.size
    pending = np.zeros(n, dtype=np.float64)
    settled = np.empty(n, dtype=np.float64)
    ranks = np.empty(size, dtype=np.int64)
    kinks = np.empty((3, size), dtype=np.float64)
    memory = np.empty(7, dtype=np.float64)
    found = np.empty(q, dtype=np.float64)
    for i in range(q):
        for entry in range(indptr[i], indptr[i + 1]):
            pending[indices[entry]] += weights[entry]
        slope, curvature, lost, steep = 0.0, 0.0, 0.0, 0.0
        count = 0
        for entry in range(indptr[i], indptr[i + 1]):
            j = indices[entry]
            weight = pending[j]
            if weight != 0.0:
                pending[j] = 0.0
                settled[j] = weight
                version = 0 if weight > 0.0 else 1
                slope += weight * curves.slopes[version, j]
                curvature, lost = _add(curvature, lost, weight * curves.curvatures[version, j])
                steep += abs(weight) * curves.steepness[version, j]
                for place in range(curves.indptr[j], curves.indptr[j + 1]):
                    if weight * curves.side[curves.ranks[place]] >= 0.0:
                        ranks[count] = curves.ranks[place]
                        count += 1
        ranks[:count].sort()
        for k in range(count):
            e = ranks[k]
            weight = settled[curves.owner[e]]
            kinks[0, k] = curves.position[e]
            kinks[1, k] = weight * curves.slope_jump[e]
            kinks[2, k] = weight * curves.curvature_jump[e]
        found[i] = _sweep(
            kinks, count, curves.left, slope, curvature + lost, domains, i, flat * steep, memory
        )
    return found
