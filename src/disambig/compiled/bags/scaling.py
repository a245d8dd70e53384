"""Distributions nearest in relative entropy that keep class counts in expectation, bag by bag."""

from typing import Any

import numpy as np

from disambig.compiled.jit import compiled, compiled_part
from disambig.notation import FloatArray, IntArray

_MAX_STEPS, _MAX_HALVINGS = 100, 40
# A bag is done when no expected count is off by more than this many rows, for each row of the bag.
_PRECISION = 1e-10
# Differences of the dual below this share of it are rounding.
_ROUNDING = 1e-14
# The logarithm of ratios of probabilities that are as good as infinite.
_MAX_LOG_RATIO = 30.0
# Added to the second derivatives, relative to their mean: they are singular where all classes are
# bounded, since adding a constant to all prices changes nothing.
_RIDGE = 1e-10
# The least curvature that is divided by; steps are cut to the longest one that could decide.
_LEAST = 1e-200


@compiled_part
def _distribute(  # type: ignore[no-untyped-def]
    logs: FloatArray,
    rows: IntArray,
    rates: FloatArray,
    price: FloatArray,
    table: FloatArray,
    counts: FloatArray,
):
    """``table`` of ``exp(logs - rate price)``, normalised; their sums; the dual without bounds."""
    size, total = price.shape[0], 0.0
    counts[:] = 0.0
    for i in range(rows.shape[0]):
        j = rows[i]
        largest = -np.inf
        for k in range(size):
            value = logs[j, k] - rates[j] * price[k]
            table[j, k] = value
            if value > largest:
                largest = value
        mass = 0.0
        for k in range(size):
            table[j, k] = np.exp(table[j, k] - largest)
            mass += table[j, k]
        for k in range(size):
            table[j, k] /= mass
            counts[k] += table[j, k]
        total += (largest + np.log(mass)) / rates[j]
    return total


@compiled_part
def _bound_terms(price: FloatArray, low: IntArray, high: IntArray):  # type: ignore[no-untyped-def]
    """``sum_k (high max(price, 0) - low max(-price, 0))``."""
    total = 0.0
    for k in range(price.shape[0]):
        total += price[k] * (high[k] if price[k] > 0.0 else low[k])
    return total


@compiled_part
def _eliminate(hessian: FloatArray, step: FloatArray, m: Any):  # type: ignore[no-untyped-def]
    """Solve ``hessian[:m, :m] x = step`` in place.

    No eigenvalue is below the ridge, so that no pivot is either, but for rounding.
    """
    for a in range(m):
        hessian[a, a] = max(hessian[a, a], _RIDGE)
        for c in range(a + 1, m):
            ratio = hessian[c, a] / hessian[a, a]
            for b in range(a, m):
                hessian[c, b] -= ratio * hessian[a, b]
            step[c] -= ratio * step[a]
    for a in range(m - 1, -1, -1):
        for b in range(a + 1, m):
            step[a] -= hessian[a, b] * step[b]
        step[a] /= hessian[a, a]


@compiled_part
def _newton_step(  # type: ignore[no-untyped-def]
    rows: IntArray,
    rates: FloatArray,
    table: FloatArray,
    active: IntArray,
    residual: FloatArray,
    hessian: FloatArray,
    step: FloatArray,
):
    """Solve ``hessian step = residual`` over the active classes, by elimination."""
    m = active.shape[0]
    for a in range(m):
        step[a] = residual[a]
        for b in range(m):
            hessian[a, b] = 0.0
    for i in range(rows.shape[0]):
        j = rows[i]
        for a in range(m):
            value = rates[j] * table[j, active[a]]
            if value > 0.0:
                hessian[a, a] += value
                for b in range(a + 1):
                    hessian[a, b] -= value * table[j, active[b]]
    unit = 0.0
    for a in range(m):
        unit += hessian[a, a] / m
    unit = max(unit, _LEAST)
    for a in range(m):
        for b in range(a + 1):
            hessian[a, b] /= unit
            hessian[b, a] = hessian[a, b]
        hessian[a, a] += _RIDGE
    _eliminate(hessian, step, m)
    for a in range(m):
        step[a] /= unit


@compiled_part
def _diagonal_step(  # type: ignore[no-untyped-def]
    rows: IntArray,
    rates: FloatArray,
    table: FloatArray,
    active: IntArray,
    residual: FloatArray,
    step: FloatArray,
    longest: Any,
):
    """Divide the residuals by the second derivatives of each class alone, to the longest step."""
    for a in range(active.shape[0]):
        curvature = max(abs(residual[a]) / longest, _LEAST)
        for i in range(rows.shape[0]):
            q = table[rows[i], active[a]]
            curvature += rates[rows[i]] * q * (1.0 - q)
        step[a] = residual[a] / curvature


@compiled_part
def _move(  # type: ignore[no-untyped-def]
    price: FloatArray,
    active: IntArray,
    residual: FloatArray,
    step: FloatArray,
    length: Any,
    trial: FloatArray,
):
    """Write the moved prices to `trial`; what the dual falls by, to first order."""
    gain = 0.0
    for k in range(price.shape[0]):
        trial[k] = price[k]
    for a in range(active.shape[0]):
        k = active[a]
        moved = price[k] + length * step[a]
        # A price stops at zero, where its bound changes.
        if moved * price[k] < 0.0 or (price[k] == 0.0 and moved * residual[a] < 0.0):
            moved = 0.0
        trial[k] = moved
        gain += residual[a] * (moved - price[k])
    return gain


@compiled_part
def _longest_step(logs: FloatArray, rows: IntArray, rates: FloatArray):  # type: ignore[no-untyped-def]
    """A difference of prices that would decide alone.

    Where probabilities are zero or one, the second derivatives vanish, and steps would be longer.
    """
    longest = 0.0
    for i in range(rows.shape[0]):
        j = rows[i]
        least, most = np.inf, -np.inf
        for k in range(logs.shape[1]):
            if logs[j, k] > -np.inf:
                least, most = min(least, logs[j, k]), max(most, logs[j, k])
        longest = max(longest, (most - least + _MAX_LOG_RATIO) / rates[j])
    return longest


@compiled_part
def _active_classes(  # type: ignore[no-untyped-def]
    price: FloatArray,
    counts: FloatArray,
    low: IntArray,
    high: IntArray,
    active: IntArray,
    residual: FloatArray,
):
    """The classes with a price or outside of their bounds, how far off; their number."""
    m = 0
    for k in range(price.shape[0]):
        if price[k] > 0.0 or (price[k] == 0.0 and counts[k] > high[k]):
            active[m], residual[m] = k, counts[k] - high[k]
            m += 1
        elif price[k] < 0.0 or counts[k] < low[k]:
            active[m], residual[m] = k, counts[k] - low[k]
            m += 1
    return m


@compiled_part
def _search_line(  # type: ignore[no-untyped-def]
    logs: FloatArray,
    rows: IntArray,
    rates: FloatArray,
    low: IntArray,
    high: IntArray,
    price: FloatArray,
    table: FloatArray,
    counts: FloatArray,
    active: IntArray,
    residual: FloatArray,
    step: FloatArray,
    longest: Any,
    trial: FloatArray,
    dual: Any,
):
    """Halve a step until the dual falls; the dual at `trial`, infinite if it falls nowhere."""
    length = 1.0
    for a in range(active.shape[0]):
        length = min(length, longest / max(abs(step[a]), longest))
    for _ in range(_MAX_HALVINGS):
        gain = _move(price, active, residual, step, length, trial)
        newer = _distribute(logs, rows, rates, trial, table, counts)
        newer += _bound_terms(trial, low, high)
        if gain > 0.0 and newer <= dual - 1e-4 * gain + _ROUNDING * abs(dual):
            return newer
        length /= 2
    return np.inf


@compiled_part
def _scale_bag(  # type: ignore[no-untyped-def]
    logs: FloatArray,
    rows: IntArray,
    rates: FloatArray,
    low: IntArray,
    high: IntArray,
    price: FloatArray,
    table: FloatArray,
    counts: FloatArray,
):
    """Scale the rows of one bag; see `scale_bags`."""
    size = low.shape[0]
    trial, step = np.empty(size), np.empty(size)
    residual, hessian = np.empty(size), np.empty((size, size))
    active = np.empty(size, dtype=np.int64)
    longest = _longest_step(logs, rows, rates)
    dual = _distribute(logs, rows, rates, price, table, counts) + _bound_terms(price, low, high)
    for _ in range(_MAX_STEPS):
        m = _active_classes(price, counts, low, high, active, residual)
        if m == 0 or np.abs(residual[:m]).max() <= _PRECISION * rows.shape[0]:
            return
        # Steps of Newton's method that stop at zero need not lead down; those of its diagonal do.
        newer = np.inf
        for is_diagonal in range(2):
            if is_diagonal:
                # The failed search has overwritten them.
                _distribute(logs, rows, rates, price, table, counts)
                _diagonal_step(rows, rates, table, active[:m], residual, step, longest)
            else:
                _newton_step(rows, rates, table, active[:m], residual, hessian, step)
            newer = _search_line(
                logs,
                rows,
                rates,
                low,
                high,
                price,
                table,
                counts,
                active[:m],
                residual,
                step,
                longest,
                trial,
                dual,
            )
            if newer < np.inf:
                break
        if newer == np.inf:
            # Nothing is gained beyond rounding.
            _distribute(logs, rows, rates, price, table, counts)
            return
        for k in range(size):
            price[k] = trial[k]
        dual = newer


@compiled
def scale_bags(
    logs: FloatArray,
    order: IntArray,
    starts: IntArray,
    rates: FloatArray,
    bounds: IntArray,
    prices: FloatArray,
    table: FloatArray,
) -> Any:
    """Scale distributions to the class counts of their bags.

    In each bag the rows of `table` minimise ``sum_j KL(q_j | exp(logs_j)) / rates_j`` over all
    distributions whose sums are within the bounds: ``q_jk`` is proportional to ``exp(logs_jk -
    rates_j price_k)``, and the prices minimise the dual, a convex function, by Newton's method. A
    class within its bounds has price zero.

    Preconditions: `logs` ``(n, K)``, minus infinity outside the sets, finite inside;
    ``order[starts[b]:starts[b + 1]]`` are the rows of bag b; `rates` ``(n,)`` positive; `bounds`
    ``(B, K, 2)``; `prices` ``(B, K)``, the start and the result. Writes `table` ``(n, K)``.
    """
    counts = np.empty(logs.shape[1])
    for b in range(starts.shape[0] - 1):
        _scale_bag(
            logs,
            order[starts[b] : starts[b + 1]],
            rates,
            bounds[b, :, 0],
            bounds[b, :, 1],
            prices[b],
            table,
            counts,
        )
