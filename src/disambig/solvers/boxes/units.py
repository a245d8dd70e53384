"""The unit of a box: bounds whose squares would leave the range of floats are divided by it.

Objectives, duality gaps and step lengths contain squares of the bounds. Below about 1e-154 these
are zero, and above 1e154 infinite.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from disambig.notation import FloatArray
from disambig.solvers.boxes.quadratic import BoxSolution
from disambig.solvers.loop import Callback, Progress

# Squares of sizes between these, times any ordinary curvature, keep all their digits.
_MIN_SIZE, _MAX_SIZE = 1e-100, 1e100


def unit_of(lower: FloatArray, upper: FloatArray, start: FloatArray) -> float:
    """A power of two near the largest finite entry if that is extreme, otherwise 1.

    Dividing by a power of two changes no digit.

    Examples
    --------
    >>> unit_of(np.zeros(1), np.ones(1), np.ones(1))
    1.0
    >>> unit_of(np.zeros(1), np.array([2.0**-500]), np.zeros(1)) == 2.0**-500
    True
    """
    largest = max(
        float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0))
        for values in (lower, upper, start)
    )
    if largest == 0.0 or _MIN_SIZE <= largest <= _MAX_SIZE:
        return 1.0
    _, exponent = np.frexp(largest)
    return float(np.ldexp(1.0, int(exponent) - 1))


def solve_in_unit(
    unit: float,
    solve: Callable[..., BoxSolution],
    lower: FloatArray,
    upper: FloatArray,
    start: FloatArray,
    *,
    reference: FloatArray | None,
    anchor: FloatArray | None,
    callback: Callback | None,
) -> BoxSolution:
    """``solve(lower, upper, start, reference=, anchor=, callback=)`` on numbers divided by `unit`.

    Targets, values and progress are those of the given numbers again; a value can be too small, or
    too large, for a float.
    """

    def as_given(progress: Progress) -> Progress:
        return progress._replace(objective=progress.objective * unit * unit)

    found = solve(
        lower / unit,
        upper / unit,
        start / unit,
        reference=None if reference is None else reference / unit,
        anchor=None if anchor is None else anchor / unit,
        callback=None if callback is None else lambda progress: callback(as_given(progress)),
    )
    return replace(
        found,
        y=np.clip(found.y * unit, lower, upper),
        value=found.value * unit * unit,
        trace=tuple(as_given(progress) for progress in found.trace),
    )
