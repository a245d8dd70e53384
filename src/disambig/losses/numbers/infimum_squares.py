"""The infimum of the squared loss along the line: its lowest point, inside the span or beyond."""

from typing import NamedTuple

import numpy as np

from disambig.candidates.numbers.segments import Segments, rows_of_segments
from disambig.compiled.piecewise import Curves
from disambig.losses.numbers.curves import Kinks, bend, minimise, one_segment_each
from disambig.notation import FloatArray
from disambig.tolerances import tie_tolerance
from disambig.votes import Votes


class Line(NamedTuple):
    """The sets of one column, as they are and with infinite ends moved to those of the span."""

    pieces: Segments
    bounded: Segments
    low: float
    high: float

    def mirrored(self) -> "Line":
        """Seen from the other side."""
        return Line(_mirrored(self.pieces), _mirrored(self.bounded), -self.high, -self.low)


def infimum_on_line(votes: Votes, line: Line) -> FloatArray:
    """``argmin over z of sum_j inf_{y in s_j} alpha[i, j] (z - y)^2``, ``(q,)``.

    Positive votes pay to the nearest member, negative ones to the farthest on the span. Between
    the ends of the span the sum is swept piece by piece. Beyond, it is one parabola a side, whose
    lowest point counts where it has one: without negative votes it never does.
    """
    positive, negative = votes.split()
    if not negative.row_sums().any():
        return minimise(votes, _curves(line), _span_of(votes, line))
    right = _lowest_beyond(positive, negative, line)
    left = _lowest_beyond(positive, negative, line.mirrored())
    # A sweep loses digits with the distance to where it begins: it begins at an end of the span,
    # and goes beyond the other.
    found = minimise(votes, _curves(line), _span_of(votes, line, right.place))
    if not np.isfinite(left.place).any():
        return found
    other = -minimise(votes, _curves(line.mirrored()), _span_of(votes, line.mirrored(), left.place))
    # Either sweep has seen the span; what it took beyond its own end the other has not seen.
    both = (found > line.high) & (other < line.low)
    prefers_left = (other < line.low) & (~both | (left.value < right.value))
    return np.where(prefers_left, other, found)


class _Beyond(NamedTuple):
    """The lowest point above the span, NaN where there is none, and the sum of losses there."""

    place: FloatArray
    value: FloatArray


def _lowest_beyond(positive: Votes, negative: Votes, line: Line) -> _Beyond:
    """There a positive vote pays to the upper end of its set, if any, others to the lower."""
    first, last = line.bounded.indptr[:-1], line.bounded.indptr[1:] - 1
    middle = line.low + 0.5 * (line.high - line.low)
    near, far = line.pieces.upper[last], line.bounded.lower[first] - middle
    ends = np.isfinite(near)
    near = np.where(ends, near - middle, 0.0)
    paid = positive @ np.column_stack([ends.astype(np.float64), near, near * near])
    gained = negative @ np.column_stack([np.ones(len(far)), far, far * far])
    curvature, pull, constant = (paid - gained).T
    convex = curvature > tie_tolerance(paid.dtype) * (paid[:, 0] + gained[:, 0])
    bottom = np.divide(pull, curvature, out=np.zeros_like(pull), where=convex)
    outside = convex & (bottom + middle > line.high)
    return _Beyond(np.where(outside, bottom + middle, np.nan), constant - pull * bottom)


def _span_of(votes: Votes, line: Line, beyond: FloatArray | None = None) -> Segments:
    """The span for every row, up to the point beyond it."""
    domains = one_segment_each(votes.shape[0], line.low, line.high)
    if beyond is None:
        return domains
    return domains._replace(upper=np.fmax(domains.upper, beyond))


def _curves(line: Line) -> Curves:
    """``z -> min of (z - y)^2`` over the pieces for positive votes, ``max`` for negative ones."""
    pieces, bounded, left, right = line
    owner = rows_of_segments(pieces.indptr)
    n = len(pieces.indptr) - 1
    first, last = bounded.lower[bounded.indptr[:-1]], bounded.upper[bounded.indptr[1:] - 1]
    gap = np.flatnonzero(owner[1:] == owner[:-1])
    before, after = pieces.upper[gap], pieces.lower[gap + 1]
    # A set without a lower end costs a positive vote nothing on the left.
    opens = np.isfinite(pieces.lower[pieces.indptr[:-1]])
    begins, ceases = np.isfinite(pieces.lower), np.isfinite(pieces.upper)
    return bend(
        (left, np.nextafter(right, np.inf)),
        2.0 * np.stack([np.where(opens, left - first, 0.0), left - last]),
        np.stack([opens.astype(np.float64), np.ones(n)]),
        [
            Kinks(owner[begins], pieces.lower[begins], curvature=-1.0, side=1),
            Kinks(owner[ceases], pieces.upper[ceases], curvature=1.0, side=1),
            Kinks(owner[gap], before + 0.5 * (after - before), -2.0 * (after - before), side=1),
            # Of all members an end of the hull is the worst; in the middle both are.
            Kinks(np.arange(n), first + 0.5 * (last - first), 2.0 * (last - first), side=-1),
        ],
        2.0 * (right - left),
    )


def _mirrored(pieces: Segments) -> Segments:
    order = np.lexsort((-np.arange(len(pieces.lower)), rows_of_segments(pieces.indptr)))
    return Segments(-pieces.upper[order], -pieces.lower[order], pieces.indptr)
