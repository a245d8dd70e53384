"""`DividedRows`: inputs ``(n, d)`` in parts, which lie in memory, in files, or on other machines.

Weightings and estimators take them in place of an array. A part is read where it is, by a pure
function of it. What returns has a few numbers for each row, or is one of a few rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeGuard

import numpy as np

from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.parameters import check_integer
from disambig.votes.executor import IN_THIS_PROCESS, Executor, RowSlices


@dataclass(frozen=True, eq=False)
class DividedRows:
    """Inputs in parts of consecutive rows.

    Parameters
    ----------
    parts : sequence
        What the executor turns into float arrays ``(m, d)``, all of one precision.
    bounds : int array (parts + 1,)
        Part b has the rows ``bounds[b]:bounds[b + 1]``.
    n_features : int
        ``d``.
    executor : Executor
        Where the parts are; by default in this process.
    names : tuple of str, optional
        Of the columns.
    missing : bool array (n,), or None
        Rows in which a cell is NaN; None if there is none.
    without_input : bool array (n,), or None
        Rows in which every cell is NaN; None if there is none.
    stored : object or None
        Where graphs of neighbours are written (`disambig.weights.divided.stored`); None: the
        executor keeps them.

    Examples
    --------
    >>> rows = DividedRows.of(np.array([[0.0], [1.0], [3.0]]), [0, 2, 2, 3])
    >>> rows.shape, rows[np.array([2, 0])].tolist()
    ((3, 1), [[3.0], [0.0]])
    """

    parts: Sequence[Any]
    bounds: IntArray
    n_features: int
    executor: Executor = IN_THIS_PROCESS
    names: tuple[str, ...] | None = None
    missing: BoolArray | None = None
    without_input: BoolArray | None = None
    stored: Any = field(default=None, repr=False)

    ndim = 2

    @classmethod
    def of(
        cls, X: AnyArray, bounds: Sequence[int], executor: Executor = IN_THIS_PROCESS
    ) -> "DividedRows":
        """An array that is at hand, in parts.

        Parameters
        ----------
        X : float array (n, d)
        bounds : sequence of int
            From 0 to n, ascending.
        executor : Executor
        """
        ends = np.asarray(bounds, dtype=np.int64)
        if ends.size < 2 or ends[0] != 0 or ends[-1] != len(X) or (np.diff(ends) < 0).any():
            raise ValueError(
                f"DividedRows: bounds are {list(bounds)}; expected at least two numbers that "
                f"ascend from 0 to {len(X)}."
            )
        is_missing = np.isnan(X)
        holes, empty = (np.asarray(find(is_missing, axis=1)) for find in (np.any, np.all))
        return cls(
            [X[start:stop] for start, stop in pairwise(ends.tolist())],
            ends,
            int(X.shape[1]),
            executor,
            missing=_or_none(holes),
            without_input=_or_none(empty),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """``(n, d)``."""
        return int(self.bounds[-1]), self.n_features

    def __len__(self) -> int:
        return self.shape[0]

    def map(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """``function(part, *arguments)`` of each part, where it is; see `Executor.map`.

        Parameters
        ----------
        function : callable
        *arguments
            `slices` of what has an entry for each row.
        """
        return self.executor.map(function, self.parts, *arguments)

    def slices(self, array: AnyArray) -> RowSlices:
        """An array with one entry for each row, divided like the rows.

        Parameters
        ----------
        array : array (n, ...)
        """
        return RowSlices(array, self.bounds)

    def per_row(self, function: Callable[..., Any], *arguments: Any) -> AnyArray:
        """What a function returns for the rows of each part, ``(n, ...)``.

        Parameters
        ----------
        function : callable
        *arguments
        """
        found: AnyArray = np.concatenate(self.map(function, *arguments))
        return found

    def column(self, number: int) -> FloatArray:
        """One column, ``(n,)``, in memory.

        Parameters
        ----------
        number : int
        """
        found: FloatArray = self.per_row(_column, number)
        return found

    def mean(self) -> FloatArray:
        """The mean of the rows, ``(d,)``."""
        found: FloatArray = sum(self.map(_sums), np.zeros(self.n_features)) / len(self)
        return found

    def blocks(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """``function(part, *arguments)`` of each part, which stays where it is.

        Parameters
        ----------
        function : callable
            A pure function: it runs again if what it returned is lost.
        *arguments
            The same for all parts.
        """
        submit = self.executor.submit
        # Placed once, not with each part.
        bound = submit(_together, *arguments)
        return [submit(_called, function, part, bound) for part in self.parts]

    def transformed(
        self, function: Callable[..., Any], *arguments: Any, n_features: int | None = None
    ) -> "DividedRows":
        """The rows ``function(part, *arguments)``, finite, in the same parts.

        Parameters
        ----------
        function : callable
        *arguments
            The same for all parts.
        n_features : int, optional
            Of the new rows; by default as many.
        """
        width = self.n_features if n_features is None else n_features
        if self.stored is not None:
            moved: DividedRows = self.stored.transformed(self, function, arguments, width)
            return moved
        return replace(
            self,
            parts=self.blocks(function, *arguments),
            n_features=width,
            names=None,
            missing=None,
            without_input=None,
        )

    def taken(self, rows: IntArray) -> "DividedRows":
        """Some rows in ascending order, as parts that stay where they are.

        Parameters
        ----------
        rows : int array (k,)
        """
        ends = np.searchsorted(rows, self.bounds)
        chosen = RowSlices(np.asarray(rows, dtype=np.int64), ends)
        submit = self.executor.submit
        parts = [
            submit(rows_of, part, chosen[b], self.firsts[b]) for b, part in enumerate(self.parts)
        ]
        return replace(
            self,
            parts=parts,
            bounds=ends.astype(np.int64),
            missing=None if self.missing is None else _or_none(self.missing[rows]),
            without_input=None
            if self.without_input is None
            else _or_none(self.without_input[rows]),
        )

    def __getitem__(self, rows: Any) -> AnyArray:
        """Some rows as an array ``(k, d)``, in memory.

        Parameters
        ----------
        rows : int array (k,), bool array (n,) or slice
            Negative numbers count from the end.
        """
        # The numbers that an array would take, or its error.
        wanted = np.arange(len(self))[rows]
        distinct, index = np.unique(wanted, return_inverse=True)
        found: AnyArray = np.concatenate(self.map(rows_of, *self.chosen(distinct)))
        return found if np.array_equal(distinct, wanted) else found[index.ravel()]

    def chosen(self, rows: IntArray) -> tuple[RowSlices, RowSlices]:
        """Some ascending row numbers, divided like the rows, and the first row of each part.

        Parameters
        ----------
        rows : int array (k,)
        """
        ends = np.searchsorted(rows, self.bounds)
        return RowSlices(np.asarray(rows, dtype=np.int64), ends), self.firsts

    def subset(self, rows: IntArray) -> "SomeRows":
        """Some rows, which stay where they are.

        Parameters
        ----------
        rows : int array (k,)
        """
        return SomeRows(self, rows)

    def sample(self, most: int, seed: int = 0) -> AnyArray:
        """Different rows at random, in their order, in memory; all if they are few.

        Parameters
        ----------
        most : int
        seed : int
        """
        return self[self.drawn(most, seed)]

    def drawn(self, most: int, seed: int = 0) -> IntArray:
        """The numbers of the rows of `sample`, ascending.

        Parameters
        ----------
        most : int
        seed : int
        """
        check_integer("DividedRows", "most", most, least=1)
        n = len(self)
        if n <= most:
            return np.arange(n)
        return np.sort(np.random.default_rng(seed).choice(n, most, replace=False))

    @cached_property
    def firsts(self) -> RowSlices:
        """The number of the first row of each part."""
        return RowSlices(self.bounds[:-1].copy(), np.arange(self.bounds.size))


@dataclass(frozen=True, eq=False)
class SomeRows:
    """Some rows of `DividedRows`, which stay where they are.

    Parameters
    ----------
    whole : DividedRows
    rows : int array (k,)
    """

    whole: DividedRows
    rows: IntArray

    @property
    def shape(self) -> tuple[int, int]:
        """``(k, d)``."""
        return self.rows.size, self.whole.n_features

    def __getitem__(self, rows: Any) -> AnyArray:
        """Some of these rows as an array, in memory."""
        return self.whole[self.rows[rows]]


def is_divided(X: Any) -> TypeGuard[DividedRows]:
    """Whether X is in parts.

    Examples
    --------
    >>> is_divided(np.zeros((2, 1))), is_divided(DividedRows.of(np.zeros((2, 1)), [0, 2]))
    (False, True)
    """
    return isinstance(X, DividedRows)


def _together(*arguments: Any) -> tuple[Any, ...]:
    return arguments


def _called(function: Callable[..., Any], part: Any, arguments: tuple[Any, ...]) -> Any:
    return function(part, *arguments)


def _sums(part: AnyArray) -> FloatArray:
    return np.asarray(part.sum(axis=0, dtype=np.float64))


def _column(part: AnyArray, number: int) -> FloatArray:
    return np.asarray(part[:, number], dtype=np.float64)


def rows_of(part: AnyArray, chosen: IntArray, first: IntArray) -> AnyArray:
    """Some rows of a part, by their numbers among all rows."""
    found: AnyArray = part[chosen - first]
    return found


def _or_none(marks: BoolArray) -> BoolArray | None:
    return marks if marks.any() else None
