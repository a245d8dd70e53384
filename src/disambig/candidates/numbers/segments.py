"""Segments of unions of intervals, all rows in one pair of arrays.

Functions here find the row of each segment, sort and merge the segments of each row, and select
rows.
"""

from typing import NamedTuple

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray


class Segments(NamedTuple):
    """Segment e is ``[lower[e], upper[e]]``; row j has ``indptr[j] <= e < indptr[j + 1]``.

    Attributes
    ----------
    lower, upper : (m,)
    indptr : (n + 1,)
    """

    lower: FloatArray
    upper: FloatArray
    indptr: IntArray


def rows_of_segments(indptr: IntArray) -> IntArray:
    """The row of each segment, ``(m,)``."""
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def merged_segments(segments: Segments) -> Segments:
    """The same sets with the segments of each row sorted, and merged where they touch.

    Examples
    --------
    >>> import numpy as np
    >>> lower, upper = np.array([2.0, 0.0, 1.0]), np.array([3.0, 1.0, 1.5])
    >>> segments = Segments(lower, upper, np.array([0, 3]))
    >>> merged = merged_segments(segments)
    >>> merged.lower, merged.upper, merged.indptr
    (array([0., 2.]), array([1.5, 3. ]), array([0, 2]))
    """
    rows = rows_of_segments(segments.indptr)
    order = np.lexsort((segments.upper, segments.lower, rows))
    lower = segments.lower[order]
    upper = _running_upper_end(segments.upper[order], rows)
    first: BoolArray = np.ones(len(rows), dtype=np.bool_)
    first[1:] = (rows[1:] != rows[:-1]) | (lower[1:] > upper[:-1])
    last = np.append(first[1:], True)
    counts = np.bincount(rows[first], minlength=len(segments.indptr) - 1)
    return Segments(lower[first], upper[last], np.append(0, np.cumsum(counts)))


def _running_upper_end(upper: FloatArray, rows: IntArray) -> FloatArray:
    """The largest upper end so far within the row of each segment, ``(m,)``."""
    # One running maximum over all rows: each row gets an offset that exceeds everything before
    # it. The offset is added to ranks, since adding it to the ends would lose digits.
    distinct, ranks = np.unique(upper, return_inverse=True)
    offset = rows * len(distinct)
    return np.asarray(distinct[np.maximum.accumulate(ranks.reshape(-1) + offset) - offset])


def segments_of_rows(segments: Segments, rows: IntArray) -> Segments:
    """The segments of the selected rows, in the order of `rows`."""
    counts = np.diff(segments.indptr)[rows]
    indptr = np.append(0, np.cumsum(counts))
    # The old position of each segment: the start of its old row, plus its position in the row.
    positions = np.repeat(segments.indptr[rows] - indptr[:-1], counts) + np.arange(indptr[-1])
    return Segments(segments.lower[positions], segments.upper[positions], indptr)
