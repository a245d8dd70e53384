"""Segments of unions, row after row: put in order, joined where they meet, picked by row."""

from typing import NamedTuple

import numpy as np

from disambig.notation import BoolArray, FloatArray, IntArray


class Segments(NamedTuple):
    """Piece e is ``[lower[e], upper[e]]``; row j owns those from ``indptr[j]`` to the next.

    Attributes
    ----------
    lower, upper : (m,)
    indptr : (n + 1,)
    """

    lower: FloatArray
    upper: FloatArray
    indptr: IntArray


def rows_of_segments(indptr: IntArray) -> IntArray:
    """The row of each piece, ``(m,)``."""
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def merged_segments(pieces: Segments) -> Segments:
    """The same sets with the pieces of each row in order, and joined where they meet.

    Examples
    --------
    >>> import numpy as np
    >>> pieces = Segments(np.array([2.0, 0.0, 1.0]), np.array([3.0, 1.0, 1.5]), np.array([0, 3]))
    >>> joined = merged_segments(pieces)
    >>> joined.lower, joined.upper, joined.indptr
    (array([0., 2.]), array([1.5, 3. ]), array([0, 2]))
    """
    rows = rows_of_segments(pieces.indptr)
    order = np.lexsort((pieces.upper, pieces.lower, rows))
    lower = pieces.lower[order]
    reach = _reach(pieces.upper[order], rows)
    first: BoolArray = np.ones(len(rows), dtype=np.bool_)
    first[1:] = (rows[1:] != rows[:-1]) | (lower[1:] > reach[:-1])
    last = np.append(first[1:], True)
    counts = np.bincount(rows[first], minlength=len(pieces.indptr) - 1)
    return Segments(lower[first], reach[last], np.append(0, np.cumsum(counts)))


def _reach(upper: FloatArray, rows: IntArray) -> FloatArray:
    """The largest upper end so far in the row of each piece, ``(m,)``."""
    # Ranks, lifted row by row above all ranks of the row before, let one running maximum serve
    # all rows; lifted ends themselves would lose digits.
    distinct, ranks = np.unique(upper, return_inverse=True)
    lift = rows * len(distinct)
    return np.asarray(distinct[np.maximum.accumulate(ranks.reshape(-1) + lift) - lift])


def segments_of_rows(pieces: Segments, rows: IntArray) -> Segments:
    """The pieces of some rows, in the order of `rows`."""
    counts = np.diff(pieces.indptr)[rows]
    indptr = np.append(0, np.cumsum(counts))
    # Where each piece stood: the start of its old row, and how far it is from the new one.
    places = np.repeat(pieces.indptr[rows] - indptr[:-1], counts) + np.arange(indptr[-1])
    return Segments(pieces.lower[places], pieces.upper[places], indptr)
