"""The contract of candidates that are sets of real numbers, and the door through which they come.

Each column of a target is a line of its own. Solvers and losses ask sets for their nearest members,
their ends and their centres, all rows at once.
"""

from typing import Any, Literal, Protocol, runtime_checkable

from disambig.candidates.numbers.intervals import Intervals
from disambig.candidates.numbers.parsing import parse_numbers
from disambig.candidates.numbers.unions import IntervalUnions
from disambig.notation import AnyArray, BoolArray, FloatArray


@runtime_checkable
class NumberSets(Protocol):
    """``s[0], ..., s[n - 1]``: for every sample a closed set of numbers, or one for each column.

    Here ``d`` counts the columns of a target.
    """

    def __len__(self) -> int:
        """Number of rows, ``n``."""
        ...

    def __getitem__(self, rows: Any) -> Any:
        """The same kind of sets for some rows; for an integer, the set of that row."""
        ...

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        """The sets as an array that can be read back."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """``(n, ...)``, as of the array."""
        ...

    @property
    def n_columns(self) -> int:
        """``d``, the columns of a target."""
        ...

    @property
    def flat(self) -> bool:
        """Whether targets and predictions are plain numbers, ``(n,)``; then d is 1."""
        ...

    @property
    def informative(self) -> BoolArray:
        """Rows which exclude some number in some column, ``(n,)``."""
        ...

    @property
    def is_point(self) -> BoolArray:
        """Rows that allow one target, ``(n,)``."""
        ...

    @property
    def span(self) -> FloatArray:
        """Smallest and largest finite end of each column, ``(d, 2)``; (0, 0) where none is."""
        ...

    @property
    def centers(self) -> FloatArray:
        """Means of the uniform laws on bounded sets, ``(n, d)``.

        For half-lines the mean of their finite ends; NaN where there is no finite end.
        """
        ...

    @property
    def hull(self) -> Intervals:
        """The smallest intervals around the sets."""
        ...

    def nearest(self, values: Any) -> FloatArray:
        """The member nearest to each value, ``(n, d)``; of two equally near ones the lower."""
        ...

    def segments_at(self, values: Any) -> Intervals:
        """The connected piece of each set that holds, or is nearest to, a value."""
        ...

    def distances(self, values: Any) -> FloatArray:
        """``inf_{y in s[j]} |values[j] - y|``, column by column, ``(n, d)``."""
        ...

    def contains(self, values: Any) -> BoolArray:
        """Whether ``values[j]`` lies in the set of row j, in all of its columns, ``(n,)``."""
        ...

    def within(self, span: Any) -> "NumberSets":
        """The same kind of sets with infinite ends moved to the ends of `span`, ``(d, 2)``.

        A half-line that begins beyond the span becomes its finite end.
        """
        ...

    def inset(self, margin: float) -> "NumberSets":
        """The same kind of sets without what is nearer to an end than `margin`.

        A piece shorter than twice the margin becomes its middle.
        """
        ...


def number_sets(
    y: Any, missing: Literal["error", "whole"] = "error"
) -> "Intervals | IntervalUnions":
    """Read sets of numbers by their form: unions where some row needs several intervals.

    Parameters
    ----------
    y : array, frame, series, interval array, list, Intervals or IntervalUnions
        In any form that `Intervals.from_any` reads. Beyond it, a row may be a list of pairs, or
        texts joined by ``|``: a union of intervals.
    missing : {"error", "whole"}, default="error"
        Whether missing values are refused, or say that there is no bound.

    Returns
    -------
    Intervals or IntervalUnions

    Examples
    --------
    >>> number_sets([(0, 1), 5.0])
    Intervals(2 rows, 1 bounded, 1 points, 0 half-lines, 0 whole, ends from 0 to 5)
    >>> number_sets([[(-2, -1), (1, 2)], [(0, 1)], 5.0])[0]
    ((-2.0, -1.0), (1.0, 2.0))
    """
    if isinstance(y, (Intervals, IntervalUnions)):
        return y
    parsed = parse_numbers(y, missing)
    if parsed.indptr is None:
        return Intervals(parsed.lower, parsed.upper, parsed.flat)
    unions = IntervalUnions(parsed.lower.ravel(), parsed.upper.ravel(), parsed.indptr)
    return unions.hull if len(unions.lower) == len(unions) else unions
