"""Unions of intervals as candidate sets: for every sample a few segments of the real line."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from disambig.candidates.foreign_metrics import refuse_metrics
from disambig.candidates.numbers.checks import checked_ends, interval_error
from disambig.candidates.numbers.intervals import Intervals, read_only, row_positions, value_table
from disambig.candidates.numbers.parsing import parse_numbers
from disambig.candidates.numbers.segments import (
    Segments,
    merged_segments,
    rows_of_segments,
    segments_of_rows,
)
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.notebooks import first_rows


@dataclass(frozen=True, eq=False, repr=False)
class IntervalUnions:
    """``s[j]`` is the union of ``[lower[e], upper[e]]`` with ``indptr[j] <= e < indptr[j + 1]``.

    The true target of every sample lies in one of its segments; targets have one column. Segments
    are sorted, and merged where they touch. Unions are checked once and then immutable: the arrays
    are read-only copies. scikit-learn splits them like an array. ``np.asarray`` gives an ``(n,)``
    array of tuples of pairs, and `from_any` reads it back.

    Parameters
    ----------
    lower, upper : (m,)
        Ends of all segments; ``-inf`` and ``inf`` for no bound, else at most 1e150 in size.
    indptr : (n + 1,) of int
        Position of the first segment of each row, and m at the end. Every row has at least one.

    Examples
    --------
    >>> unions = IntervalUnions.from_any([[(1, 2), (-2, -1)], 3.0, (0, 1)])
    >>> unions
    IntervalUnions(3 rows, 4 segments, 1 points, 0 whole, ends from -2 to 3)
    >>> unions[0]
    ((-2.0, -1.0), (1.0, 2.0))
    >>> unions.nearest([0.0, 0.0, 0.5]).ravel()
    array([-1. ,  3. ,  0.5])
    >>> unions.centers.ravel()
    array([0. , 3. , 0.5])
    """

    lower: FloatArray
    upper: FloatArray
    indptr: IntArray

    couples_rows = False
    _repr_html_ = first_rows

    def __post_init__(self) -> None:
        lower, upper = (
            end[:, np.newaxis] if end.ndim == 1 else end
            for end in (np.asarray(self.lower), np.asarray(self.upper))
        )
        if lower.shape[1:] != (1,):
            raise CandidateError(
                f"IntervalUnions: segments have one column, shape (m,); got shape "
                f"{lower.shape}. For boxes use Intervals."
            )
        indptr = _checked_indptr(self.indptr, len(lower))
        ends = checked_ends(lower, upper, "IntervalUnions", rows_of_segments(indptr))
        self._set(merged_segments(Segments(ends.lower.ravel(), ends.upper.ravel(), indptr)))

    def _set(self, segments: Segments) -> None:
        for name, array in segments._asdict().items():
            object.__setattr__(self, name, read_only(array))

    @classmethod
    def _trusted(cls, segments: Segments) -> "IntervalUnions":
        """Unions from segments that are known to be sorted and disjoint."""
        unions = object.__new__(cls)
        unions._set(segments)
        return unions

    @classmethod
    def from_any(
        cls, y: Any, missing: Literal["error", "whole"] = "error", unlabeled: Any = None
    ) -> "IntervalUnions":
        """Read targets in any format that `disambig.candidates.number_sets` reads.

        Parameters
        ----------
        y, missing, unlabeled
            As in `disambig.candidates.number_sets`; n rows of one number.

        Examples
        --------
        >>> len(IntervalUnions.from_any(["[1, 2] | >= 5", "3"]).lower)
        3
        """
        if isinstance(y, IntervalUnions):
            return y
        if isinstance(y, Intervals):
            lower, upper, indptr = y.lower, y.upper, None
        else:
            lower, upper, _, indptr = parse_numbers(y, missing, unlabeled)
        if lower.shape[1] != 1:
            raise CandidateError(
                f"IntervalUnions: rows are unions of intervals; got boxes of {lower.shape[1]} "
                f"columns. Use Intervals."
            )
        starts = np.arange(len(lower) + 1) if indptr is None else indptr
        return cls(lower.ravel(), upper.ravel(), starts)

    # ------------------------------------------------------------------ array interface

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def shape(self) -> tuple[int, ...]:
        """``(n,)``."""
        return (len(self),)

    @property
    def ndim(self) -> int:
        """1."""
        return 1

    def __getitem__(self, rows: Any) -> Any:
        chosen = row_positions(rows, len(self), "IntervalUnions")
        if isinstance(chosen, int):
            own = slice(self.indptr[chosen], self.indptr[chosen + 1])
            ends = self.lower[own].tolist(), self.upper[own].tolist()
            return tuple(zip(*ends, strict=True))
        return self._trusted(segments_of_rows(self._segments, chosen))

    def __iter__(self) -> Iterator[tuple[tuple[float, float], ...]]:
        return (self[row] for row in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        refuse_metrics("IntervalUnions", "interval_r2_scorer")
        if copy is False or (dtype is not None and np.dtype(dtype) != np.dtype(object)):
            raise ValueError(
                "IntervalUnions: only a copy as an array of dtype object is available."
            )
        array = np.empty(len(self), dtype=object)
        array[:] = list(self)
        return array

    def __getstate__(self) -> dict[str, Any]:
        return self._segments._asdict()

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled arrays are writeable: make them read-only again.
        self._set(Segments(**state))

    # Equality compares contents, so the default hash by identity would be wrong.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IntervalUnions):
            return NotImplemented
        return all(map(np.array_equal, self._segments, other._segments))

    def __repr__(self) -> str:
        return (
            f"IntervalUnions({len(self)} rows, {len(self.lower)} segments, "
            f"{np.count_nonzero(self.is_point)} points, "
            f"{np.count_nonzero(~self.informative)} whole, "
            f"ends from {self.span[0, 0]:g} to {self.span[0, 1]:g})"
        )

    # ------------------------------------------------------------------ properties of the sets

    @property
    def _segments(self) -> Segments:
        return Segments(self.lower, self.upper, self.indptr)

    @cached_property
    def _intervals(self) -> Intervals:
        """All segments as m separate intervals."""
        return _plain_intervals(self.lower, self.upper)

    @cached_property
    def rows(self) -> IntArray:
        """The row of each segment, ``(m,)``."""
        return np.asarray(read_only(rows_of_segments(self.indptr)))

    @property
    def n_columns(self) -> int:
        """1."""
        return 1

    @property
    def flat(self) -> bool:
        """True: targets are plain numbers."""
        return True

    @property
    def informative(self) -> BoolArray:
        """Rows that exclude some number, ``(n,)``."""
        # Segments are disjoint: the whole line is always a single segment.
        first = self.indptr[:-1]
        return ~(np.isinf(self.lower[first]) & np.isinf(self.upper[first]))

    @property
    def is_point(self) -> BoolArray:
        """Rows that allow one target, ``(n,)``."""
        return np.asarray(self.hull.is_point)

    @property
    def span(self) -> FloatArray:
        """Smallest and largest finite end, ``(1, 2)``; (0, 0) if there is none."""
        return self._intervals.span

    @cached_property
    def centers(self) -> FloatArray:
        """Means of the uniform distributions, ``(n, 1)``: segments count by their length.

        Points count equally if a row has nothing else. A row with half-lines has the mean of their
        finite ends, as bounded segments are negligible beside them. NaN for the whole line.
        """
        middles = self._intervals.centers[:, 0]
        lengths = self.upper - self.lower
        # Lengths relative to the longest one: sums cannot overflow, and infinite lengths become 1.
        longest = np.maximum.reduceat(lengths, self.indptr[:-1])[self.rows]
        shares = np.where(lengths == longest, 1.0, 0.0)
        between = np.isfinite(longest) & (longest > 0)
        shares[between] = lengths[between] / longest[between]
        total = np.add.reduceat(shares, self.indptr[:-1])
        means = np.add.reduceat(shares * middles, self.indptr[:-1]) / total
        return read_only(means[:, np.newaxis])

    @cached_property
    def hull(self) -> Intervals:
        """The smallest intervals that contain the sets."""
        return _plain_intervals(self.lower[self.indptr[:-1]], self.upper[self.indptr[1:] - 1])

    def nearest(self, values: Any) -> FloatArray:
        """The member nearest to each value, ``(n, 1)``; of two equally near ones the lower."""
        members, first = self._nearest_segments(values)
        return np.asarray(members[first][:, np.newaxis])

    def segments_at(self, values: Any) -> Intervals:
        """The segment that contains, or is nearest to, each value."""
        _, first = self._nearest_segments(values)
        return _plain_intervals(self.lower[first], self.upper[first])

    def _nearest_segments(self, values: Any) -> tuple[FloatArray, IntArray]:
        """Per segment the member nearest to the value of its row; per row its nearest segment."""
        table = value_table(values, len(self), 1, "IntervalUnions")
        row_values = table[self.rows, 0]
        members = np.clip(row_values, self.lower, self.upper)
        distances = np.abs(row_values - members)
        smallest = np.minimum.reduceat(distances, self.indptr[:-1])[self.rows]
        positions = np.arange(len(members))
        # NaN has no nearest member: it stays NaN.
        found = (distances == smallest) | np.isnan(smallest)
        first = np.minimum.reduceat(np.where(found, positions, len(positions)), self.indptr[:-1])
        return members, first

    def distances(self, values: Any) -> FloatArray:
        """``inf_{y in s[j]} |values[j] - y|``, ``(n, 1)``."""
        table = value_table(values, len(self), 1, "IntervalUnions")
        return np.abs(table - self.nearest(table))

    def contains(self, values: Any) -> BoolArray:
        """Whether ``values[j]`` lies in the set of row j, ``(n,)``."""
        return np.asarray(self.distances(values)[:, 0] == 0)

    def within(self, span: Any) -> "IntervalUnions":
        """The same unions with infinite ends moved to the ends of `span`, ``(1, 2)``.

        A half-line that begins beyond the span becomes its finite end.
        """
        moved = self._intervals.within(span)
        return self._trusted(Segments(moved.lower[:, 0], moved.upper[:, 0], self.indptr))

    def inset(self, margin: float) -> "IntervalUnions":
        """The same unions with finite ends of segments moved inwards by `margin`.

        A segment shorter than twice the margin becomes its middle.
        """
        inner = self._intervals.inset(margin)
        return self._trusted(Segments(inner.lower[:, 0], inner.upper[:, 0], self.indptr))


def _plain_intervals(lower: FloatArray, upper: FloatArray) -> Intervals:
    """Intervals of plain targets from ends ``(n,)`` of segments, which are valid."""
    return Intervals._trusted(lower[:, np.newaxis], upper[:, np.newaxis], True)


def _checked_indptr(indptr: Any, n_segments: int) -> IntArray:
    starts = np.asarray(indptr)
    if starts.ndim != 1 or len(starts) == 0 or starts.dtype.kind not in "iu":
        raise CandidateError(
            f"IntervalUnions: indptr must hold integers, shape (n + 1,); got {starts.dtype} of "
            f"shape {starts.shape}. Use IntervalUnions.from_any for other forms."
        )
    counts = np.diff(starts.astype(np.intp))
    if starts[0] != 0 or starts[-1] != n_segments or (counts < 0).any():
        raise CandidateError(
            f"IntervalUnions: indptr must rise from 0 to the number of segments, {n_segments}; it "
            f"goes from {starts[0]} to {starts[-1]}."
        )
    if (counts == 0).any():
        raise interval_error(
            counts == 0,
            "has no segment",
            "Give every row at least one; the whole line is (-inf, inf).",
            "IntervalUnions",
        )
    return starts.astype(np.intp)
