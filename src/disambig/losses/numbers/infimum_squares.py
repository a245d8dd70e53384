"""Predictions that minimise the infimum of the squared loss over candidate sets.

A positive vote pays the squared distance to the nearest member of a set, a negative vote the one to
the farthest member within the span. Inside the span the sum is piecewise quadratic, and `minimise`
finds its minimum. Beyond either end of the span it is one parabola, whose minimum also counts.
"""

from typing import NamedTuple

import numpy as np

from disambig.candidates.numbers.segments import Segments, rows_of_segments
from disambig.compiled.piecewise import Curves
from disambig.losses.numbers.curves import Kinks, curves_from_kinks, minimise, one_segment_each
from disambig.notation import FloatArray
from disambig.votes import Votes
from disambig.votes.entries import tie_tolerance


class Line(NamedTuple):
    """The sets of one column: as given, and with infinite ends moved to the span [low, high]."""

    segments: Segments
    bounded: Segments
    low: float
    high: float

    def mirrored(self) -> "Line":
        """The sets and the span with all signs changed."""
        return Line(_mirrored(self.segments), _mirrored(self.bounded), -self.high, -self.low)


def infimum_on_line(votes: Votes, line: Line) -> FloatArray:
    """``argmin over z of sum_j inf_{y in s_j} alpha[i, j] (z - y)^2``, ``(q,)``.

    Without negative votes the minimum lies inside the span.
    """
    positive, negative = votes.split()
    if not negative.row_sums().any():
        return minimise(votes, _curves(line), _domains(votes, line))
    right = _minimum_above(positive, negative, line)
    left = _minimum_above(positive, negative, line.mirrored())
    # A sweep loses digits with the distance from its start. So there are two sweeps: one from the
    # lower end of the span to beyond the upper end, and one in the opposite direction.
    found = minimise(votes, _curves(line), _domains(votes, line, right.position))
    if not np.isfinite(left.position).any():
        return found
    other = -minimise(
        votes, _curves(line.mirrored()), _domains(votes, line.mirrored(), left.position)
    )
    # Both sweeps cover the span. Only if each found its minimum beyond its own end, the values
    # there must be compared.
    both = (found > line.high) & (other < line.low)
    prefers_left = (other < line.low) & (~both | (left.value < right.value))
    return np.where(prefers_left, other, found)


class _OuterMinimum(NamedTuple):
    """The minimiser above the span, NaN if there is none, and the sum of losses there."""

    position: FloatArray
    value: FloatArray


def _minimum_above(positive: Votes, negative: Votes, line: Line) -> _OuterMinimum:
    """The minimum above the span.

    Above the span a positive vote pays for the distance to the upper end of its set, if finite, and
    a negative vote for that to the lower end.
    """
    first, last = line.bounded.indptr[:-1], line.bounded.indptr[1:] - 1
    middle = line.low + 0.5 * (line.high - line.low)
    near, far = line.segments.upper[last], line.bounded.lower[first] - middle
    finite = np.isfinite(near)
    near = np.where(finite, near - middle, 0.0)
    # Sums of votes, of votes times ends, and of votes times squared ends: with z measured from the
    # middle, the sum of losses is curvature z^2 - 2 moment z + constant.
    for_positive = positive @ np.column_stack([finite.astype(np.float64), near, near * near])
    for_negative = negative @ np.column_stack([np.ones(len(far)), far, far * far])
    curvature, moment, constant = (for_positive - for_negative).T
    convex = curvature > tie_tolerance(for_positive.dtype) * (
        for_positive[:, 0] + for_negative[:, 0]
    )
    minimiser = np.divide(moment, curvature, out=np.zeros_like(moment), where=convex)
    outside = convex & (minimiser + middle > line.high)
    position = np.where(outside, minimiser + middle, np.nan)
    return _OuterMinimum(position, constant - moment * minimiser)


def _domains(votes: Votes, line: Line, beyond: FloatArray | None = None) -> Segments:
    """The span for every row, extended to the point beyond it if there is one."""
    domains = one_segment_each(votes.shape[0], line.low, line.high)
    if beyond is None:
        return domains
    return domains._replace(upper=np.fmax(domains.upper, beyond))


def _curves(line: Line) -> Curves:
    """``z -> min of (z - y)^2`` over the sets for positive votes, ``max`` for negative ones."""
    segments, bounded, left, right = line
    owner = rows_of_segments(segments.indptr)
    n = len(segments.indptr) - 1
    first, last = bounded.lower[bounded.indptr[:-1]], bounded.upper[bounded.indptr[1:] - 1]
    gaps = np.flatnonzero(owner[1:] == owner[:-1])
    before, after = segments.upper[gaps], segments.lower[gaps + 1]
    # If a set has no lower end, a positive vote pays nothing on the left.
    has_lower_end = np.isfinite(segments.lower[segments.indptr[:-1]])
    finite_lower, finite_upper = np.isfinite(segments.lower), np.isfinite(segments.upper)
    return curves_from_kinks(
        (left, np.nextafter(right, np.inf)),
        2.0 * np.stack([np.where(has_lower_end, left - first, 0.0), left - last]),
        np.stack([has_lower_end.astype(np.float64), np.ones(n)]),
        [
            Kinks(owner[finite_lower], segments.lower[finite_lower], curvature=-1.0, side=1),
            Kinks(owner[finite_upper], segments.upper[finite_upper], curvature=1.0, side=1),
            Kinks(owner[gaps], before + 0.5 * (after - before), -2.0 * (after - before), side=1),
            # The farthest member is an end of the hull; it changes in the middle of the hull.
            Kinks(np.arange(n), first + 0.5 * (last - first), 2.0 * (last - first), side=-1),
        ],
        2.0 * (right - left),
    )


def _mirrored(segments: Segments) -> Segments:
    order = np.lexsort((-np.arange(len(segments.lower)), rows_of_segments(segments.indptr)))
    return Segments(-segments.upper[order], -segments.lower[order], segments.indptr)
