"""Candidate unions of intervals: for every sample a few stretches of the line."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from disambig.candidates.numbers.intervals import Intervals, owned, row_numbers, value_table
from disambig.candidates.numbers.parsing import parse_numbers
from disambig.candidates.numbers.segments import (
    Segments,
    merged_segments,
    rows_of_segments,
    segments_of_rows,
)
from disambig.candidates.numbers.tables import checked_ends, interval_error
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, repr=False)
class IntervalUnions:
    """``s[j] = union of [lower[e], upper[e]], indptr[j] <= e < indptr[j + 1]``, numbers alone.

    The right target of every sample lies in one of its pieces. Segments are put in order, and joined
    where they meet. Checked once, then immutable: the arrays are copies and read-only.
    scikit-learn splits it like an array; where it is turned into one, that is an ``(n,)`` array of
    tuples of pairs, which can be read back.

    Parameters
    ----------
    lower, upper : (m,)
        Ends of all pieces, ``-inf`` and ``inf`` for no bound; at most 1e150 in size if finite.
    indptr : (n + 1,) of int
        Where the pieces of each row begin, and after the last row their number m. Every row has
        at least one.

    Examples
    --------
    >>> unions = IntervalUnions.from_any([[(1, 2), (-2, -1)], 3.0, (0, 1)])
    >>> unions
    IntervalUnions(3 rows, 4 pieces, 1 points, 0 whole, ends from -2 to 3)
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

    def __post_init__(self) -> None:
        lower, upper = (
            end[:, np.newaxis] if end.ndim == 1 else end
            for end in (np.asarray(self.lower), np.asarray(self.upper))
        )
        if lower.shape[1:] != (1,):
            raise CandidateError(
                f"IntervalUnions: pieces are intervals of one column, shape (m,); got shape "
                f"{lower.shape}. For boxes use Intervals."
            )
        indptr = _checked_indptr(self.indptr, len(lower))
        ends = checked_ends(lower, upper, "IntervalUnions", rows_of_segments(indptr))
        self._set(merged_segments(Segments(ends.lower.ravel(), ends.upper.ravel(), indptr)))

    def _set(self, pieces: Segments) -> None:
        for name, array in pieces._asdict().items():
            object.__setattr__(self, name, owned(array))

    @classmethod
    def _of(cls, pieces: Segments) -> "IntervalUnions":
        """Unions whose pieces are known to be in order and apart."""
        unions = object.__new__(cls)
        unions._set(pieces)
        return unions

    @classmethod
    def from_any(cls, y: Any, missing: Literal["error", "whole"] = "error") -> "IntervalUnions":
        """Read targets by their form, as `disambig.candidates.number_sets` does.

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
            lower, upper, _, indptr = parse_numbers(y, missing)
        if lower.shape[1] != 1:
            raise CandidateError(
                f"IntervalUnions: rows are unions of intervals; got boxes of {lower.shape[1]} "
                f"columns. Use Intervals."
            )
        pieces = np.arange(len(lower) + 1) if indptr is None else indptr
        return cls(lower.ravel(), upper.ravel(), pieces)

    # ------------------------------------------------------------------ as scikit-learn sees it

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
        chosen = row_numbers(rows, len(self), "IntervalUnions")
        if isinstance(chosen, int):
            piece = slice(self.indptr[chosen], self.indptr[chosen + 1])
            ends = self.lower[piece].tolist(), self.upper[piece].tolist()
            return tuple(zip(*ends, strict=True))
        return self._of(segments_of_rows(self._pieces, chosen))

    def __iter__(self) -> Iterator[tuple[tuple[float, float], ...]]:
        return (self[row] for row in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        if copy is False or (dtype is not None and np.dtype(dtype) != np.dtype(object)):
            raise ValueError("IntervalUnions: they are had as an array of objects only, a copy.")
        array = np.empty(len(self), dtype=object)
        array[:] = list(self)
        return array

    def __getstate__(self) -> dict[str, Any]:
        return self._pieces._asdict()

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Pickles forget that an array was read-only.
        self._set(Segments(**state))

    # Equality compares contents, so that identity must not serve as a hash.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IntervalUnions):
            return NotImplemented
        return all(map(np.array_equal, self._pieces, other._pieces))

    def __repr__(self) -> str:
        return (
            f"IntervalUnions({len(self)} rows, {len(self.lower)} pieces, "
            f"{np.count_nonzero(self.is_point)} points, "
            f"{np.count_nonzero(~self.informative)} whole, "
            f"ends from {self.span[0, 0]:g} to {self.span[0, 1]:g})"
        )

    # ------------------------------------------------------------------ what the unions say

    @property
    def _pieces(self) -> Segments:
        return Segments(self.lower, self.upper, self.indptr)

    @cached_property
    def _intervals(self) -> Intervals:
        """The pieces as rows of their own, ``m`` of them."""
        return Intervals(self.lower, self.upper)

    @cached_property
    def rows(self) -> IntArray:
        """The row of each piece, ``(m,)``."""
        return np.asarray(owned(rows_of_segments(self.indptr)))

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
        """Rows which exclude some number, ``(n,)``."""
        # Segments are joined, so that only a single one can be the whole line.
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
        """Means of the uniform laws, ``(n, 1)``: pieces count by their length.

        Where all are points, they count the same. Half-lines outweigh what is bounded: the mean of
        their finite ends. NaN for the whole line.
        """
        middles = self._intervals.centers[:, 0]
        lengths = self.upper - self.lower
        # Lengths are taken as shares of the longest: no sum overflows, and infinite ones count 1.
        longest = np.maximum.reduceat(lengths, self.indptr[:-1])[self.rows]
        shares = np.where(lengths == longest, 1.0, 0.0)
        between = np.isfinite(longest) & (longest > 0)
        shares[between] = lengths[between] / longest[between]
        total = np.add.reduceat(shares, self.indptr[:-1])
        means = np.add.reduceat(shares * middles, self.indptr[:-1]) / total
        return owned(means[:, np.newaxis])

    @cached_property
    def hull(self) -> Intervals:
        """The smallest intervals around the sets."""
        return Intervals(self.lower[self.indptr[:-1]], self.upper[self.indptr[1:] - 1])

    def nearest(self, values: Any) -> FloatArray:
        """The member nearest to each value, ``(n, 1)``; of two equally near ones the lower."""
        members, first = self._nearest_segments(values)
        return np.asarray(members[first][:, np.newaxis])

    def segments_at(self, values: Any) -> Intervals:
        """The piece nearest to each value; the one that holds it if it is a member."""
        _, first = self._nearest_segments(values)
        return Intervals(self.lower[first], self.upper[first])

    def _nearest_segments(self, values: Any) -> tuple[FloatArray, IntArray]:
        """The member of each piece nearest to the value of its row, and each row's piece."""
        table = value_table(values, len(self), 1, "IntervalUnions")
        of_piece = table[self.rows, 0]
        members = np.clip(of_piece, self.lower, self.upper)
        distances = np.abs(of_piece - members)
        smallest = np.minimum.reduceat(distances, self.indptr[:-1])[self.rows]
        places = np.arange(len(members))
        # A value that is NaN has no nearest member, and stays what it is.
        found = (distances == smallest) | np.isnan(smallest)
        first = np.minimum.reduceat(np.where(found, places, len(places)), self.indptr[:-1])
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
        return self._of(Segments(moved.lower[:, 0], moved.upper[:, 0], self.indptr))

    def inset(self, margin: float) -> "IntervalUnions":
        """The same unions without what is nearer to an end of its piece than `margin`.

        A piece shorter than twice the margin becomes its middle.
        """
        inner = self._intervals.inset(margin)
        return self._of(Segments(inner.lower[:, 0], inner.upper[:, 0], self.indptr))


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
            f"IntervalUnions: indptr must rise from 0 to the number of pieces, {n_segments}; it "
            f"goes from {starts[0]} to {starts[-1]}."
        )
    if (counts == 0).any():
        raise interval_error(
            counts == 0,
            "has no piece",
            "Give every row at least one; the whole line is (-inf, inf).",
            "IntervalUnions",
        )
    return starts.astype(np.intp)
