"""`PartialInputs`: inputs of which cells are known in part, as sets of possible values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from disambig.candidates.numbers.intervals import read_only, row_positions
from disambig.candidates.reading import row_index
from disambig.exceptions import CandidateError
from disambig.inputs.alternatives import Alternatives, restore
from disambig.inputs.columns import checked_bounds, has_other_cells, number_table, read_columns
from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.parameters import as_array


@dataclass(frozen=True, eq=False, repr=False)
class PartialInputs:
    """Inputs whose cells are sets: numbers, intervals, one of several values, or nothing known.

    The input of row i lies in the product of the sets of its cells. A known cell has equal bounds,
    a censored one an infinite bound, a missing one two. Where a cell has one of several values, its
    bounds are the least and the largest. A column of categories is a group of columns of 0 and 1
    (one for each class), of which exactly one is 1 in every row; the upper bound is 1 for the
    classes that are possible.

    Inputs are checked once and then immutable. scikit-learn splits them like an array.
    ``np.asarray`` gives the middle of the bounds, NaN where one of them is infinite: what an
    estimator sees that reads arrays. `DisambiguatedInputs` and `InputCompleter` read the sets.

    Parameters
    ----------
    lower, upper : array-like (n, d)
        Bounds, ``lower <= upper``; -inf, inf or NaN for none.
    alternatives : sequence of Alternatives
        Cells that have one of several values.
    categories : sequence of int arrays (k,)
        Groups of columns that are one category each.
    names : sequence of d str, optional
        Of the columns, for messages.

    See Also
    --------
    disambig.estimators.DisambiguatedInputs : Any estimator on such inputs.

    Examples
    --------
    >>> X = PartialInputs.from_columns(
    ...     {"height": [12.0, (10, 20), "> 15", None], "age": [30.0, {40, 50}, 35.0, 41.0]}
    ... )
    >>> X
    PartialInputs(4 rows, 2 columns; cells: 4 known, 2 in part, 1 of several values, 1 missing)
    >>> np.asarray(X).tolist()
    [[12.0, 30.0], [15.0, 45.0], [nan, 35.0], [nan, 41.0]]
    >>> X[1:3].lower.tolist()
    [[10.0, 40.0], [15.0, 35.0]]
    """

    lower: FloatArray
    upper: FloatArray
    alternatives: tuple[Alternatives, ...] = ()
    categories: tuple[IntArray, ...] = ()
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        lower, upper = checked_bounds(self.lower, self.upper, self.names)
        object.__setattr__(self, "alternatives", tuple(self.alternatives))
        groups = tuple(np.asarray(group, dtype=np.intp) for group in self.categories)
        object.__setattr__(self, "categories", groups)
        if self.names is not None:
            object.__setattr__(self, "names", tuple(map(str, self.names)))
        n, d = lower.shape
        for one in self.alternatives:
            if not 0 <= one.column < d or (
                len(one.rows) and not 0 <= one.rows[0] <= one.rows[-1] < n
            ):
                raise CandidateError(
                    f"PartialInputs: there are {n} rows and {d} columns, and Alternatives of "
                    f"column {one.column} with rows up to {one.rows.max(initial=0)}."
                )
            least, most = np.nanmin(one.values, axis=1), np.nanmax(one.values, axis=1)
            lower[one.rows, one.column], upper[one.rows, one.column] = least, most
        object.__setattr__(self, "lower", read_only(lower))
        object.__setattr__(self, "upper", read_only(upper))
        self._check_categories()

    # ------------------------------------------------------------------ constructors

    @classmethod
    def from_any(cls, X: Any) -> "PartialInputs":
        """Read inputs: `PartialInputs`, a table of numbers with NaN for missing cells, or a frame.

        Frames are read by `from_columns`, if a column is not of numbers.

        Parameters
        ----------
        X : PartialInputs, array-like (n, d) or frame

        Examples
        --------
        >>> PartialInputs.from_any([[1.0, float("nan")]])
        PartialInputs(1 rows, 2 columns; cells: 1 known, 0 in part, 0 of several values, 1 missing)
        """
        if isinstance(X, PartialInputs):
            return X
        if has_other_cells(X):
            return cls.from_columns({str(name): X[name] for name in X.columns})
        values = number_table(X, "X")
        names = tuple(map(str, X.columns)) if hasattr(X, "columns") else None
        return cls(values, values, names=names)

    @classmethod
    def from_bounds(
        cls, lower: Any, upper: Any, names: Sequence[str] | None = None
    ) -> "PartialInputs":
        """Cells between bounds; equal bounds for a known cell, NaN or infinity for no bound.

        Parameters
        ----------
        lower, upper : array-like (n, d)
        names : sequence of d str, optional

        Examples
        --------
        >>> PartialInputs.from_bounds([[0.0, 1.0]], [[2.0, 1.0]]).is_known.tolist()
        [[False, True]]
        """
        given = None if names is None else tuple(names)
        return cls(number_table(lower, "lower"), number_table(upper, "upper"), names=given)

    @classmethod
    def from_rounding(cls, X: Any, digits: Any = 0) -> "PartialInputs":
        """Rounded numbers: a cell lies within half a unit of its last digit.

        Parameters
        ----------
        X : array-like (n, d)
            NaN where missing.
        digits : int, or d of them
            Digits after the decimal point, as in ``round``; negative for tens and hundreds, None
            in a list for a column that is exact.

        Examples
        --------
        >>> X = PartialInputs.from_rounding([[1.3, 120.0]], digits=[1, -1])
        >>> X.lower.round(2).tolist(), X.upper.round(2).tolist()
        ([[1.25, 115.0]], [[1.35, 125.0]])
        """
        values = number_table(X, "X")
        d = values.shape[1]
        each = [digits] * d if np.ndim(digits) == 0 else list(digits)
        if len(each) != d or not all(
            one is None or (isinstance(one, int | np.integer) and not isinstance(one, bool))
            for one in each
        ):
            raise CandidateError(
                f"PartialInputs: digits must be an integer, or {d} of them, one a column (None: "
                f"the column is exact); got {digits!r}."
            )
        half = np.array([0.0 if one is None else 0.5 * 10.0 ** -int(one) for one in each])
        return cls(values - half, values + half)

    @classmethod
    def from_censoring(cls, X: Any, *, below: Any = False, above: Any = False) -> "PartialInputs":
        """Censored measurements: a cell is at most, or at least, what was recorded.

        Parameters
        ----------
        X : array-like (n, d)
            NaN where missing.
        below : bool array (n, d), or a bool
            Cells whose value is at most the recorded one, such as a limit of detection.
        above : bool array (n, d), or a bool
            Cells whose value is at least the recorded one, such as the end of a scale.

        Examples
        --------
        >>> X = PartialInputs.from_censoring([[0.1, 5.0]], below=[[True, False]])
        >>> X.lower.tolist(), X.upper.tolist()
        ([[-inf, 5.0]], [[0.1, 5.0]])
        """
        values = number_table(X, "X")
        marks = []
        for name, given in (("below", below), ("above", above)):
            mark = as_array(given)
            if mark.dtype != np.bool_ or mark.shape not in ((), values.shape):
                raise CandidateError(
                    f"PartialInputs: {name} must say True or False for every cell, shape "
                    f"{values.shape}; got {mark.dtype} of shape {mark.shape}."
                )
            marks.append(mark)
        return cls(np.where(marks[0], -np.inf, values), np.where(marks[1], np.inf, values))

    @classmethod
    def from_columns(cls, columns: Any) -> "PartialInputs":
        """Columns one by one, each as what is known of it.

        Parameters
        ----------
        columns : dict of name to column, frame, or list of columns
            A column has n entries: numbers, NaN or None where missing; `Intervals`, or what
            `Intervals.from_any` reads, such as ``(10, 20)`` and ``"> 15"``; sets of numbers, of
            which one is right. `LabelSets` are a category: "one of two species" becomes one column
            of 0 and 1 for each class.

        Examples
        --------
        >>> from disambig import LabelSets
        >>> trees = LabelSets.from_sets([{"oak"}, {"ash", "oak"}, {"fir"}])
        >>> X = PartialInputs.from_columns({"height": [12.0, (8, 20), 30.0], "tree": trees})
        >>> X.names, X.upper.tolist()[1]
        (('height', 'tree=ash', 'tree=fir', 'tree=oak'), [20.0, 1.0, 0.0, 1.0])
        """
        read = read_columns(columns)
        found = tuple(Alternatives(*one) for one in read.alternatives)
        return cls(read.lower, read.upper, found, tuple(read.categories), tuple(read.names))

    # ------------------------------------------------------------------ facts

    @property
    def is_known(self) -> BoolArray:
        """Cells with a single value, ``(n, d)``."""
        return np.asarray(self.lower == self.upper)

    @property
    def is_missing(self) -> BoolArray:
        """Cells of which nothing is known, ``(n, d)``; categories: every class is possible."""
        missing = np.isinf(self.lower) & np.isinf(self.upper)
        for group in self.categories:
            missing[:, group] = (self.upper[:, group] > self.lower[:, group]).all(
                axis=1, keepdims=True
            )
        return np.asarray(missing)

    @property
    def open_rows(self) -> IntArray:
        """Rows with a cell that is not known, in order."""
        return np.flatnonzero((self.lower < self.upper).any(axis=1))

    def contains(self, X: Any, tolerance: float = 0.0) -> BoolArray:
        """Which cells of X lie in their sets, ``(n, d)``.

        Parameters
        ----------
        X : array-like (n, d)
        tolerance : float
            How far a value may be from its set. In a category, between 0 and 1 is inside.

        Examples
        --------
        >>> X = PartialInputs.from_columns([[(0, 2), {1, 3}]])
        >>> X.contains([[2.0], [2.0]]).tolist()
        [[True], [False]]
        """
        values = np.asarray(X, dtype=np.float64)
        inside = (values >= self.lower - tolerance) & (values <= self.upper + tolerance)
        for one in self.alternatives:
            away = np.abs(one.values - values[one.rows, one.column][:, None])
            inside[one.rows, one.column] = np.nanmin(away, axis=1) <= tolerance
        return np.asarray(inside)

    def _check_categories(self) -> None:
        for group in self.categories:
            lower, upper = self.lower[:, group], self.upper[:, group]
            known = (lower == 1).sum(axis=1)
            possible = (upper == 1).sum(axis=1)
            fine = np.isin(lower, (0, 1)).all(axis=1) & np.isin(upper, (0, 1)).all(axis=1)
            # A single possible class is known.
            fine &= ((known == 0) & (possible > 1)) | ((known == 1) & (possible == 1))
            if not fine.all():
                row = int(np.argmin(fine))
                raise CandidateError(
                    f"PartialInputs: row {row} has bounds {lower[row].tolist()} and "
                    f"{upper[row].tolist()} in the category of columns {group.tolist()}. Bounds "
                    "of a category are 0 or 1, with an upper bound of 1 for every class that is "
                    "possible, and a lower bound of 1 only for a class that is known."
                )

    # ------------------------------------------------------------------ array interface

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def shape(self) -> tuple[int, int]:
        """``(n, d)``."""
        n, d = self.lower.shape
        return n, d

    def __getitem__(self, rows: Any) -> "PartialInputs":
        chosen = row_positions(row_index("PartialInputs", rows), len(self), "PartialInputs")
        chosen = np.array([chosen]) if isinstance(chosen, int) else chosen
        found = object.__new__(PartialInputs)
        part = {
            "lower": read_only(self.lower[chosen]),
            "upper": read_only(self.upper[chosen]),
            "alternatives": tuple(one.take(chosen, len(self)) for one in self.alternatives),
            "categories": self.categories,
            "names": self.names,
        }
        for name, value in part.items():
            object.__setattr__(found, name, value)
        return found

    def __setstate__(self, state: dict[str, Any]) -> None:
        restore(self, state)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        if copy is False:
            raise ValueError(
                "PartialInputs: converting to an array always copies; do not pass copy=False."
            )
        is_bounded = np.isfinite(self.lower) & np.isfinite(self.upper)
        middle = np.full(self.shape, np.nan)
        middle[is_bounded] = 0.5 * self.lower[is_bounded] + 0.5 * self.upper[is_bounded]
        middle[self.is_known] = self.lower[self.is_known]
        for one in self.alternatives:
            middle[one.rows, one.column] = np.nanmean(one.values, axis=1)
        for group in self.categories:
            possible = self.upper[:, group]
            middle[:, group] = possible / possible.sum(axis=1, keepdims=True)
        return middle if dtype is None else middle.astype(dtype, copy=False)

    def __repr__(self) -> str:
        n, d = self.shape
        missing = int(np.count_nonzero(self.is_missing))
        several = sum(len(one.rows) for one in self.alternatives)
        known = int(np.count_nonzero(self.is_known))
        return (
            f"PartialInputs({n:,} rows, {d:,} columns; cells: {known:,} known, "
            f"{n * d - known - missing - several:,} in part, {several:,} of several values, "
            f"{missing:,} missing)"
        )
