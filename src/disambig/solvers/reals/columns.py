"""A convex quadratic problem column by column, in coordinates that keep their digits."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from disambig.candidates import Intervals
from disambig.notation import FloatArray
from disambig.quadratic_forms import QuadraticForm
from disambig.real_problem import RealProblem

__all__ = ["BoxColumn", "box_columns"]


@dataclass(frozen=True, eq=False)
class BoxColumn:
    """One column: bounds, what to be near to, and the shift that was taken off all of them."""

    lower: FloatArray
    upper: FloatArray
    anchor: FloatArray
    shift: float


def box_columns(problem: RealProblem, sets: Intervals, form: QuadraticForm) -> Iterator[BoxColumn]:
    """The columns of a problem on intervals."""
    # Where a constant costs nothing, the middle of the span becomes zero: targets around 1e6 that
    # differ by 1 would lose six digits in y' Q y.
    middles = problem.span.mean(axis=1) if form.shift_invariant else np.zeros(sets.n_columns)
    centers = sets.centers
    for column, shift in enumerate(middles):
        yield BoxColumn(
            sets.lower[:, column] - shift,
            sets.upper[:, column] - shift,
            centers[:, column] - shift,
            float(shift),
        )
