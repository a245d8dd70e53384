"""Intervals and boxes as candidate sets: for every sample the bounds of its target.

`Intervals` is the class. The functions before it are shared with unions of intervals: they select
rows, check the shape of values that belong to rows, and make arrays read-only.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from disambig.candidates.foreign_metrics import refuse_metrics
from disambig.candidates.numbers.checks import Ends, checked_ends
from disambig.candidates.numbers.parsing import parse_intervals
from disambig.candidates.numbers.tables import ends_of_bounds, ends_of_centers, ends_of_points
from disambig.candidates.reading import row_index
from disambig.exceptions import CandidateError
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.notebooks import first_rows
from disambig.parameters import as_array


def row_positions(rows: Any, n: int, owner: str) -> int | IntArray:
    """Positions of the selected rows among n: an int for an integer, else a 1-D array.

    Raises IndexError as arrays do, and where the index also selects columns.
    """
    rows = row_index(owner, rows)
    if isinstance(rows, (int, np.integer)) and not isinstance(rows, bool):
        return range(n)[int(rows)]
    positions: IntArray = np.arange(n)[rows]
    if positions.ndim != 1:
        raise IndexError(f"{owner}: select rows by an integer, a slice or a 1-D array.")
    return positions


def value_table(values: Any, n: int, d: int, owner: str) -> FloatArray:
    """One number per row and column, float64 ``(n, d)``; for one column also from ``(n,)``."""
    table: FloatArray = np.asarray(values, dtype=np.float64)
    if d == 1 and table.ndim == 1:
        table = table[:, np.newaxis]
    if table.shape != (n, d):
        raise ValueError(
            f"{owner}: expected one value per row and column, shape {(n, d)}"
            f"{f' or {(n,)}' if d == 1 else ''}; got shape {np.shape(values)}."
        )
    return table


def read_only(array: AnyArray) -> AnyArray:
    """The array made read-only. A view is copied, as it would keep its whole base in memory."""
    if array.base is not None or not array.flags.c_contiguous:
        array = np.array(array, order="C")
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False, repr=False)
class Intervals:
    """``s[j] = prod_k [lower[j, k], upper[j, k]]``: one interval, or box, per sample.

    The true target of every sample lies between its bounds. A point has equal ends, a half-line
    one infinite end, the whole line two. Intervals are checked once and then immutable: the arrays
    are read-only copies. scikit-learn splits them like an array. ``np.asarray`` gives ``(n, 2)``
    for plain targets and ``(n, d, 2)`` for boxes, and `from_any` reads both back.

    Parameters
    ----------
    lower, upper : (n, d), or (n,) for one column
        The ends, ``lower <= upper``; ``-inf`` and ``inf`` for no bound. ``d`` is the number of
        columns of a target. Finite ends are at most 1e150 in size, so that squares stay finite.
    flat : bool, default=True
        Whether targets are plain numbers, ``(n,)``, rather than rows of d numbers. Needs d = 1.

    See Also
    --------
    Intervals.from_any : Reads targets in many formats.
    disambig.candidates.IntervalUnions : Several intervals per sample.

    Examples
    --------
    >>> intervals = Intervals.from_any([(800, 1200), 950.0, ">= 1000", "1100 +- 50"])
    >>> intervals
    Intervals(4 rows, 2 bounded, 1 points, 1 half-lines, 0 whole, ends from 800 to 1200)
    >>> intervals[0], intervals[2:].lower.ravel()
    ((800.0, 1200.0), array([1000., 1050.]))
    >>> intervals.contains([900, 900, 1400, 1100])
    array([ True, False,  True,  True])
    >>> intervals.centers.ravel()
    array([1000.,  950., 1000., 1100.])
    """

    lower: FloatArray
    upper: FloatArray
    flat: bool = True

    couples_rows = False
    _repr_html_ = first_rows

    def __post_init__(self) -> None:
        lower, upper = (
            end[:, np.newaxis] if end.ndim == 1 else end
            for end in (as_array(self.lower), as_array(self.upper))
        )
        ends = checked_ends(lower, upper, "Intervals")
        if self.flat and ends.lower.shape[1] != 1:
            raise CandidateError(
                f"Intervals: flat=True is for targets of one column; got {ends.lower.shape[1]}. "
                f"Pass flat=False for boxes."
            )
        self._set(ends, self.flat)

    def _set(self, ends: Ends, flat: bool) -> None:
        object.__setattr__(self, "lower", read_only(ends.lower))
        object.__setattr__(self, "upper", read_only(ends.upper))
        object.__setattr__(self, "flat", bool(flat))

    @classmethod
    def _trusted(cls, lower: FloatArray, upper: FloatArray, flat: bool) -> "Intervals":
        """Intervals from ends, ``(n, d)`` each, that are known to be valid."""
        intervals = object.__new__(cls)
        intervals._set(Ends(lower, upper), flat)
        return intervals

    # ------------------------------------------------------------------ constructors

    @classmethod
    def from_any(
        cls, y: Any, missing: Literal["error", "whole"] = "error", unlabeled: Any = None
    ) -> "Intervals":
        """Read targets in any supported format.

        Parameters
        ----------
        y : array, frame, series, interval array, list or Intervals, n rows
            Numbers in two columns are always lower and upper ends. Numbers in one dimension are
            points, and so are those in one column (with scikit-learn's warning). Numbers in three
            dimensions, ``(n, d, 2)``, are boxes. For points of two outputs use `from_points`, or
            boxes with equal ends. Interval arrays of pandas are read by their ends; it does not
            matter which sides are closed.
            In a one-dimensional container that holds other things than numbers, a row is a number,
            a pair ``(lower, upper)``, an interval of pandas, or a text: a number,
            ``"[800, 1200]"`` (brackets of any kind), ``"800-1200"``, ``"800 to 1200"``,
            ``"800..1200"``, ``">= 5"``, ``"65+"``, ``"at least 5"``, ``"< 3"``, ``"5 +- 2"`` or
            ``"5 ± 2"``. Numbers in texts may be ``"30,000"``, ``"1.200,50"``, ``"30-40k"`` or
            ``"$5"``; all texts have one decimal mark and one currency. A list of pairs is a
            union, whose segments must overlap here: see `disambig.candidates.number_sets`. Lists
            are never boxes.
        missing : {"error", "whole"}, default="error"
            Whether missing values (NaN, None, NA, the texts ``""`` and ``"*"``) raise an error or
            mean "no bound": on that side for an end, on both sides for a row. Ignored if `y` is
            Intervals.
        unlabeled : object, or a list, tuple or set of them, default=None
            Markers of what says nothing, as in `LabelSets.from_any`: a row that is a marker is the
            whole line, an end that is one is no bound. If NaN is a marker, a row without any end
            is the whole line; for a row that lacks one of two ends `missing` decides. Text is
            compared as a whole row. Ignored if `y` is Intervals.

        Returns
        -------
        Intervals

        Examples
        --------
        >>> import numpy as np
        >>> Intervals.from_any(np.array([[0.0, 1.0], [2.0, np.inf]])).is_point
        array([False, False])
        >>> Intervals.from_any([(None, 3.0), None, "< 2"], missing="whole").upper.ravel()
        array([ 3., inf,  2.])
        """
        if isinstance(y, Intervals):
            return y
        return cls(*parse_intervals(y, missing, unlabeled))

    @classmethod
    def from_bounds(
        cls,
        lower: Any,
        upper: Any,
        missing: Literal["error", "whole"] = "error",
        unlabeled: Any = None,
    ) -> "Intervals":
        """Read lower and upper ends, ``(n,)`` or ``(n, d)`` each; one of them may be a number.

        Parameters
        ----------
        lower, upper : float, or array-like (n,) or (n, d)
        missing, unlabeled
            As in `from_any`.

        Examples
        --------
        >>> Intervals.from_bounds(0.0, [1.0, 2.0])[1]
        (0.0, 2.0)
        """
        return cls(*ends_of_bounds(lower, upper, missing, unlabeled))

    @classmethod
    def from_points(
        cls, y: Any, missing: Literal["error", "whole"] = "error", unlabeled: Any = None
    ) -> "Intervals":
        """Read known targets: plain numbers ``(n,)``, or rows of d numbers ``(n, d)``.

        Parameters
        ----------
        y : array-like (n,) or (n, d)
        missing, unlabeled
            As in `from_any`.

        Examples
        --------
        >>> Intervals.from_points([[1.0, 2.0], [3.0, 4.0]]).shape
        (2, 2, 2)
        """
        return cls(*ends_of_points(y, missing, unlabeled))

    @classmethod
    def from_centers(
        cls,
        centers: Any,
        radii: Any,
        missing: Literal["error", "whole"] = "error",
        unlabeled: Any = None,
    ) -> "Intervals":
        """Read ``[center - radius, center + radius]``; radii may be one number, or infinite.

        Parameters
        ----------
        centers : array-like (n,) or (n, d)
        radii : float, or array-like (n,) or (n, d)
        missing, unlabeled
            As in `from_any`.

        Examples
        --------
        >>> Intervals.from_centers([5.0, 7.0], 0.5).upper.ravel()
        array([5.5, 7.5])
        """
        return cls(*ends_of_centers(centers, radii, missing, unlabeled))

    # ------------------------------------------------------------------ array interface

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def shape(self) -> tuple[int, ...]:
        """``(n, 2)`` for plain targets, ``(n, d, 2)`` for boxes."""
        return (len(self), 2) if self.flat else (*self.lower.shape, 2)

    @property
    def ndim(self) -> int:
        """2 for plain targets, 3 for boxes."""
        return len(self.shape)

    def __getitem__(self, rows: Any) -> Any:
        chosen = row_positions(rows, len(self), "Intervals")
        if isinstance(chosen, int):
            if self.flat:
                return float(self.lower[chosen, 0]), float(self.upper[chosen, 0])
            return np.stack([self.lower[chosen], self.upper[chosen]], axis=-1)
        return self._trusted(self.lower[chosen], self.upper[chosen], self.flat)

    def __iter__(self) -> Iterator[Any]:
        return (self[row] for row in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        refuse_metrics("Intervals", "interval_r2_scorer")
        if copy is False:
            raise ValueError(
                "Intervals: converting to an array always copies; do not pass copy=False."
            )
        both = np.stack([self.lower, self.upper], axis=-1).reshape(self.shape)
        return both if dtype is None else both.astype(dtype, copy=False)

    def __getstate__(self) -> dict[str, Any]:
        return {"lower": self.lower, "upper": self.upper, "flat": self.flat}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Unpickled arrays are writeable: make them read-only again.
        self._set(Ends(state["lower"], state["upper"]), state["flat"])

    # Equality compares contents, so the default hash by identity would be wrong.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Intervals):
            return NotImplemented
        return (
            self.flat == other.flat
            and np.array_equal(self.lower, other.lower)
            and np.array_equal(self.upper, other.upper)
        )

    def __repr__(self) -> str:
        n_points = np.count_nonzero(self.is_point)
        bounded = np.isfinite(self.lower).all(axis=1) & np.isfinite(self.upper).all(axis=1)
        n_bounded = np.count_nonzero(bounded) - n_points
        n_whole = np.count_nonzero(~self.informative)
        columns = "" if self.flat else f" of {self.n_columns} columns"
        n_others = len(self) - n_points - n_bounded - n_whole
        return (
            f"Intervals({len(self)} rows{columns}, {n_bounded} bounded, {n_points} points, "
            f"{n_others} {'half-lines' if self.n_columns == 1 else 'half-bounded'}, "
            f"{n_whole} whole, ends from {self.span.min():g} to {self.span.max():g})"
        )

    # ------------------------------------------------------------------ properties of the sets

    @property
    def n_columns(self) -> int:
        """``d``, the number of columns of a target."""
        return int(self.lower.shape[1])

    @property
    def informative(self) -> BoolArray:
        """Rows that exclude some number, ``(n,)``: with a finite end in some column."""
        return np.asarray((np.isfinite(self.lower) | np.isfinite(self.upper)).any(axis=1))

    @property
    def is_point(self) -> BoolArray:
        """Rows that allow one target, ``(n,)``."""
        return np.asarray((self.lower == self.upper).all(axis=1))

    @cached_property
    def span(self) -> FloatArray:
        """Smallest and largest finite end of each column, ``(d, 2)``; (0, 0) if there is none."""
        ends = np.concatenate([self.lower, self.upper])
        finite = np.isfinite(ends)
        low = np.min(ends, axis=0, where=finite, initial=np.inf)
        high = np.max(ends, axis=0, where=finite, initial=-np.inf)
        span = np.where(finite.any(axis=0), [low, high], 0.0).T
        return read_only(span)

    @cached_property
    def centers(self) -> FloatArray:
        """Midpoints, ``(n, d)``; the finite end of a half-line; NaN for the whole line."""
        low = np.where(np.isfinite(self.lower), self.lower, self.upper)
        high = np.where(np.isfinite(self.upper), self.upper, self.lower)
        whole = np.isinf(self.lower) & np.isinf(self.upper)
        low[whole] = high[whole] = np.nan
        return read_only(0.5 * (low + high))

    @property
    def hull(self) -> "Intervals":
        """The smallest intervals that contain the sets: the intervals themselves."""
        return self

    def segments_at(self, values: Any) -> "Intervals":
        """The segment that contains or is nearest to each value: there is only one per row."""
        return self

    def nearest(self, values: Any) -> FloatArray:
        """The member nearest to each value, ``(n, d)``; the value itself if it is a member."""
        return np.clip(self._table(values), self.lower, self.upper)

    def distances(self, values: Any) -> FloatArray:
        """``inf_{y in s[j]} |values[j] - y|``, column by column, ``(n, d)``."""
        table = self._table(values)
        return np.abs(table - np.clip(table, self.lower, self.upper))

    def contains(self, values: Any) -> BoolArray:
        """Whether ``values[j]`` lies in the set of row j, in all of its columns, ``(n,)``."""
        table = self._table(values)
        return np.asarray(((self.lower <= table) & (table <= self.upper)).all(axis=1))

    def within(self, span: Any) -> "Intervals":
        """The same intervals with infinite ends moved to the ends of `span`, ``(d, 2)``.

        A half-line that begins beyond the span becomes its finite end.
        """
        low, high = np.asarray(span, dtype=np.float64).reshape(self.n_columns, 2).T
        return self._trusted(
            np.where(np.isinf(self.lower), np.minimum(low, self.upper), self.lower),
            np.where(np.isinf(self.upper), np.maximum(high, self.lower), self.upper),
            self.flat,
        )

    def inset(self, margin: float) -> "Intervals":
        """The same intervals with finite ends moved inwards by `margin`.

        An interval shorter than twice the margin becomes its middle.

        Examples
        --------
        >>> Intervals.from_any([(0, 10), (0, 1), ">= 5", 7.0]).inset(1.0).lower.ravel()
        array([1. , 0.5, 6. , 7. ])
        """
        centers = self.centers
        low, high = self.lower + margin, self.upper - margin
        short = low > high
        lower, upper = np.where(short, centers, low), np.where(short, centers, high)
        return self._trusted(lower, upper, self.flat)

    def _table(self, values: Any) -> FloatArray:
        return value_table(values, len(self), self.n_columns, "Intervals")
