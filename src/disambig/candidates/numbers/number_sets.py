"""The contract `NumberSets` of candidate sets of real numbers, and `number_sets`, which reads them.

Solvers and losses use the nearest members, the ends and the centres of the sets, for all rows at
once. The columns of a target are treated separately.
"""

from typing import Any, Literal, Protocol, runtime_checkable

from disambig.candidates.numbers.intervals import Intervals
from disambig.candidates.numbers.parsing import parse_numbers
from disambig.candidates.numbers.unions import IntervalUnions
from disambig.notation import AnyArray, BoolArray, FloatArray


@runtime_checkable
class NumberSets(Protocol):
    """``s[0], ..., s[n - 1]``: for every sample a closed set of numbers in each column.

    ``d`` is the number of columns of a target.
    """

    def __len__(self) -> int:
        """Number of rows, ``n``."""
        ...

    def __getitem__(self, rows: Any) -> Any:
        """The sets of the selected rows; for an integer, the set of that row."""
        ...

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """The sets as an array that can be read back."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """``(n, ...)``, the shape of the array."""
        ...

    @property
    def n_columns(self) -> int:
        """``d``, the number of columns of a target."""
        ...

    @property
    def flat(self) -> bool:
        """Whether targets and predictions are plain numbers, ``(n,)``; then d is 1."""
        ...

    @property
    def informative(self) -> BoolArray:
        """Rows that exclude some number in some column, ``(n,)``."""
        ...

    @property
    def is_point(self) -> BoolArray:
        """Rows that allow one target, ``(n,)``."""
        ...

    @property
    def span(self) -> FloatArray:
        """Smallest and largest finite end of each column, ``(d, 2)``; (0, 0) if there is none."""
        ...

    @property
    def centers(self) -> FloatArray:
        """Means of the uniform distributions on bounded sets, ``(n, d)``.

        For half-lines the mean of their finite ends; NaN where there is no finite end.
        """
        ...

    @property
    def hull(self) -> Intervals:
        """The smallest intervals that contain the sets."""
        ...

    def nearest(self, values: Any) -> FloatArray:
        """The member nearest to each value, ``(n, d)``; of two equally near ones the lower.

        Parameters
        ----------
        values : array-like (n,) or (n, d)
        """
        ...

    def segments_at(self, values: Any) -> Intervals:
        """The segment of each set that contains, or is nearest to, a value.

        Parameters
        ----------
        values : array-like (n,) or (n, d)
        """
        ...

    def distances(self, values: Any) -> FloatArray:
        """``inf_{y in s[j]} |values[j] - y|``, column by column, ``(n, d)``.

        Parameters
        ----------
        values : array-like (n,) or (n, d)
        """
        ...

    def contains(self, values: Any) -> BoolArray:
        """Whether ``values[j]`` lies in the set of row j, in all of its columns, ``(n,)``.

        Parameters
        ----------
        values : array-like (n,) or (n, d)
        """
        ...

    def within(self, span: Any) -> "NumberSets":
        """Sets of the same class with infinite ends moved to the ends of `span`, ``(d, 2)``.

        A half-line that begins beyond the span becomes its finite end.

        Parameters
        ----------
        span : array-like (d, 2)
        """
        ...

    def inset(self, margin: float) -> "NumberSets":
        """Sets of the same class with finite ends moved inwards by `margin`.

        A segment shorter than twice the margin becomes its middle.

        Parameters
        ----------
        margin : float
        """
        ...


def number_sets(
    y: Any, missing: Literal["error", "whole"] = "error", unlabeled: Any = None
) -> "Intervals | IntervalUnions":
    """Read sets of numbers in any supported format: unions if a row needs several intervals.

    Parameters
    ----------
    y : array (n, 2) or (n, d, 2), frame, series, interval array, list, Intervals or IntervalUnions
        In any format that `Intervals.from_any` reads. A row may also be a union of intervals: a
        list of pairs, or texts joined by ``|``.
    missing : {"error", "whole"}, default="error"
        Whether missing values raise an error or mean "no bound".
    unlabeled : object, or a list, tuple or set of them, default=None
        Markers of what says nothing, see `Intervals.from_any`: a row that is a marker is the whole
        line, an end that is one is no bound.

    Returns
    -------
    Intervals or IntervalUnions

    Examples
    --------
    >>> number_sets([(0, 1), 5.0])
    Intervals(2 rows, 1 bounded, 1 points, 0 half-lines, 0 whole, ends from 0 to 5)
    >>> number_sets(["3-5", "unknown", -1], unlabeled=["unknown", -1]).informative
    array([ True, False, False])
    >>> number_sets([[(-2, -1), (1, 2)], [(0, 1)], 5.0])[0]
    ((-2.0, -1.0), (1.0, 2.0))
    """
    if isinstance(y, (Intervals, IntervalUnions)):
        return y
    parsed = parse_numbers(y, missing, unlabeled)
    if parsed.indptr is None:
        return Intervals(parsed.lower, parsed.upper, parsed.flat)
    unions = IntervalUnions(parsed.lower.ravel(), parsed.upper.ravel(), parsed.indptr)
    return unions.hull if len(unions.lower) == len(unions) else unions
