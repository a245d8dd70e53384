"""`Completion`: how inputs with holes become inputs without, learned from the training rows."""

from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, cast

import numpy as np
import scipy.sparse as sp

from disambig.exceptions import MissingColumnWarning, warn
from disambig.inputs.fills import Fill, fit_fill, rows_to_learn_from
from disambig.inputs.holes import has_missing, rows_without_input
from disambig.notation import BoolArray, FloatArray, IntArray

Way = Literal["none", "mean", "mean + indicators", "conditional", "conditional + indicators"]
# "none" is for weightings that read NaN themselves.
WAYS: tuple[Way, ...] = (
    "mean",
    "mean + indicators",
    "conditional",
    "conditional + indicators",
)
_INDICATORS = " + indicators"
_MAX_NAMED = 5


@dataclass(frozen=True, eq=False)
class Completion:
    """How inputs with holes become inputs without: the attribute `completion_` of an estimator.

    Inputs without a hole, of columns that had none in training, come back as they are. A row
    without any input stays a row of NaN: no value stands for it, and estimators predict it by the
    frequencies of the recovered targets.

    Attributes
    ----------
    way : {"mean", "mean + indicators", "conditional", "conditional + indicators", "none"}
        A missing cell becomes the mean of its column, or what the other cells of the row suggest;
        "none" leaves it to a weighting that reads NaN.
        Indicators are further columns that say where a cell was missing: for every column with a
        hole in training, 0 where it is known and its standard deviation where it is not. So the
        squared distance of a missing cell to a known one, ``(x - mean)^2 + deviation^2``, is the
        one that two known cells have on average, given one of them.
    n_rows, n_missing : int
        Training rows, and their missing cells.
    columns : int array (k,)
        The columns that are used: those with a value in training.
    n_columns : int
        All columns.
    with_holes : int array (m,)
        Of these k, those with a missing cell in training.
    means, deviations : float array (k,)
        Of the known cells in training.
    low, high : float array (k,)
        Their range, which no filled value leaves.
    fill : Fill or None
        What other cells suggest for missing ones; None: means.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 10.0], [3.0, np.nan], [np.nan, 30.0], [2.0, 20.0]])
    >>> found = fit_completion(X, "mean")
    >>> found.transform(X)[1].tolist(), found.transform(X[:1]) is X[:1]
    ([3.0, 20.0], False)
    >>> print(found)
    25 % of the cells of X are missing (2 of 8); each becomes the mean of its column.
    """

    way: Way
    n_rows: int
    n_missing: int
    columns: IntArray
    n_columns: int
    with_holes: IntArray
    means: FloatArray
    deviations: FloatArray
    low: FloatArray
    high: FloatArray
    fill: Fill | None = None

    @property
    def indicated(self) -> IntArray:
        """Of the k columns, those that have an indicator, in the order of the indicators."""
        return self.with_holes if self.way.endswith(_INDICATORS) else self.with_holes[:0]

    def with_indicators(self) -> "Completion":
        """The same with indicators after the other columns."""
        way = cast("Way", self.way.removesuffix(_INDICATORS) + _INDICATORS)
        return replace(self, way=way)

    def with_means(self) -> "Completion":
        """The same with the mean of its column in every missing cell."""
        way = cast("Way", self.way.replace("conditional", "mean"))
        return replace(self, way=way, fill=None)

    def check_columns(self, d: int) -> None:
        """Raise an error if X has another number of columns.

        Parameters
        ----------
        d : int
        """
        if d != self.n_columns:
            raise ValueError(
                f"completion: it was learned from {self.n_columns} columns, and X has {d}. Use a "
                "completion of the same columns."
            )

    @property
    def n_outputs(self) -> int:
        """Columns after `transform`."""
        return len(self.columns) + len(self.indicated)

    @property
    def dropped(self) -> IntArray:
        """The columns without a value in training, which are dropped."""
        return np.setdiff1d(np.arange(self.n_columns), self.columns)

    def transform(self, X: Any) -> Any:
        """Checked inputs ``(q, d)`` without holes, ``(q, n_outputs)``, in the precision of X.

        Parameters
        ----------
        X : array-like or sparse matrix (q, d)
        """
        if self.way == "none":
            return X
        if len(self.columns) < self.n_columns:
            X = X[:, self.columns]
        if sp.issparse(X):
            return self._sparse(X)
        if not has_missing(X):
            if not len(self.indicated):
                return X
            return np.hstack([X, np.zeros((len(X), len(self.indicated)), X.dtype)])
        missing = np.isnan(X)
        filled = X.copy()
        if self.fill is None:
            filled[missing] = np.broadcast_to(self.means, X.shape)[missing]
        else:
            rows = np.flatnonzero(missing.any(axis=1))
            unit = self._units
            values = self.fill((X[rows] - self.means) / unit) * unit + self.means
            values = np.clip(values, self.low, self.high)
            filled[rows] = np.where(missing[rows], values, X[rows])
        parts = [filled, (missing * self.deviations).astype(X.dtype)[:, self.indicated]]
        completed = np.hstack(parts) if len(self.indicated) else filled
        completed[missing.all(axis=1)] = np.nan
        return completed

    @property
    def _units(self) -> FloatArray:
        return np.where(self.deviations > 0, self.deviations, 1.0)

    def _sparse(self, X: Any) -> Any:
        missing = np.isnan(X.data)
        n, m = X.shape[0], len(self.indicated)
        if missing.any():
            rows = np.repeat(np.arange(n), np.diff(X.indptr))[missing]
            columns = X.indices[missing]
            without = rows_without_input(X)
            is_empty = np.zeros(n, np.bool_) if without is None else without
            filled = X.data.copy()
            filled[missing] = np.where(is_empty[rows], np.nan, self.means[columns])
            X = sp.csr_array((filled, X.indices, X.indptr), shape=X.shape)
            place = np.full(X.shape[1], -1)
            place[self.indicated] = np.arange(m)
            marked = place[columns] >= 0
            values = np.where(is_empty[rows], np.nan, self.deviations[columns])[marked]
            marks = sp.csr_array((values, (rows[marked], place[columns][marked])), shape=(n, m))
        else:
            marks = sp.csr_array((n, m))
        return X if not m else sp.csr_array(sp.hstack([X, marks.astype(X.dtype)], format="csr"))

    def __str__(self) -> str:
        dropped = self.dropped
        end = (
            f" Columns without a value, which are dropped: {len(dropped)}." if len(dropped) else ""
        )
        if not self.n_missing:
            return f"No cell of X is missing.{end}"
        share = 100 * self.n_missing / (self.n_rows * self.n_columns)
        how = "becomes the mean of its column"
        if self.fill is not None:
            how = "becomes what the other cells of its row suggest"
        elif self.way == "none":
            how = "stays missing"
        marks = "" if not len(self.indicated) else "; further columns say where cells were missing"
        return (
            f"{share:.3g} % of the cells of X are missing ({self.n_missing:,} of "
            f"{self.n_rows * self.n_columns:,}); each {how}{marks}.{end}"
        )


def fit_completion(
    X: Any, way: Way, sample_weight: FloatArray | None = None, names: Any = None
) -> Completion:
    """Learn from training rows how holes are completed; warns of columns without a value.

    Sparse inputs are completed by means, in which entries that are not stored are 0.

    Parameters
    ----------
    X : array or csr (n, d)
    way : {"mean", "mean + indicators", "conditional", "conditional + indicators"}
    sample_weight : float array (n,), optional
    names : sequence of d column names, optional

    Examples
    --------
    >>> X = np.array([[1.0, 1.0], [2.0, np.nan], [3.0, 3.0]])
    >>> fit_completion(X, "mean + indicators").transform(X)[1].tolist()
    [2.0, 2.0, 1.0]
    """
    n, d = X.shape
    weights = np.ones(n) if sample_weight is None else sample_weight
    if way == "none" or sp.issparse(X):
        way = cast("Way", way.replace("conditional", "mean"))
    known, n_missing = _known(X, weights)
    has_values = known.counts > 0
    if not has_values.any():
        raise ValueError(
            f"X: every cell of the {n} rows that take part is missing, so that nothing can be "
            "learned from inputs. Give at least one column a value."
        )
    if not has_values.all():
        _warn_of_dropped(np.flatnonzero(~has_values), names, n)
    # A weighting that reads NaN gets all columns.
    columns = np.arange(d) if way == "none" else np.flatnonzero(has_values)
    known = known.of(columns)
    counts, is_known = known.counts, known.counts > 0
    means = np.divide(known.sums, counts, out=np.zeros(len(columns)), where=is_known)
    variances = np.divide(known.squares, counts, out=np.zeros(len(columns)), where=is_known)
    found = Completion(
        way,
        n,
        n_missing,
        columns,
        d,
        np.flatnonzero(known.has_holes),
        means,
        np.sqrt(variances),
        known.low,
        known.high,
    )
    if not way.startswith("conditional"):
        return found
    rows = rows_to_learn_from(X, weights)
    part = np.asarray(X[rows], np.float64)[:, columns]
    if not n_missing:
        found = replace(found, deviations=part.std(axis=0))
    return replace(found, fill=fit_fill((part - means) / found._units, weights[rows]))


class _Known(NamedTuple):
    """Sums over the known cells of each column, ``(d,)``; squares are about the mean."""

    counts: FloatArray
    sums: FloatArray
    squares: FloatArray
    low: FloatArray
    high: FloatArray
    has_holes: BoolArray

    def of(self, columns: IntArray) -> "_Known":
        """The same of some columns."""
        return _Known(*(part[columns] for part in self))  # type: ignore[arg-type]


def _known(X: Any, sample_weight: FloatArray) -> tuple[_Known, int]:
    d = X.shape[1]
    if sp.issparse(X):
        return _sparse_known(X, sample_weight)
    if not has_missing(X):
        # Deviations are needed where cells are missing; without, X is read as little as possible.
        counts, none = np.full(d, sample_weight.sum()), np.zeros(d)
        low, high = X.min(axis=0), X.max(axis=0)
        return _Known(counts, sample_weight @ X, none, low, high, none.astype(np.bool_)), 0
    X = np.asarray(X, np.float64)
    known = ~np.isnan(X)
    counts = sample_weight @ known
    sums = sample_weight @ np.where(known, X, 0.0)
    means = np.divide(sums, counts, out=np.zeros(d), where=counts > 0)
    squares = sample_weight @ np.where(known, X - means, 0.0) ** 2
    low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    found = _Known(counts, sums, squares, low, high, ~known.all(axis=0))
    return found, int(known.size - np.count_nonzero(known))


def _sparse_known(X: Any, sample_weight: FloatArray) -> tuple[_Known, int]:
    n, d = X.shape
    entries = X.data.astype(np.float64)
    missing = np.isnan(entries)
    weights = np.repeat(sample_weight, np.diff(X.indptr))

    def total(values: FloatArray) -> FloatArray:
        return np.bincount(X.indices, weights=values, minlength=d).astype(np.float64)

    counts = sample_weight.sum() - total(weights * missing)
    # Differences of sums of weights are rounded.
    n_holes = total(missing.astype(np.float64))
    counts[n_holes == n] = 0.0
    values = np.where(missing, 0.0, entries)
    sums = total(weights * values)
    means = np.divide(sums, counts, out=np.zeros(d), where=counts > 0)
    squares = np.maximum(total(weights * values**2) - counts * means**2, 0.0)
    # Filled values are means, which no range needs to hold.
    bound = np.full(d, np.inf)
    return _Known(counts, sums, squares, -bound, bound, n_holes > 0), int(missing.sum())


def _warn_of_dropped(dropped: IntArray, names: Any, n: int) -> None:
    named = ", ".join(
        str(column) if names is None else repr(str(names[column]))
        for column in dropped[:_MAX_NAMED].tolist()
    ) + (", ..." if len(dropped) > _MAX_NAMED else "")
    what = "column" if len(dropped) == 1 else f"{len(dropped)} columns"
    warn(
        f"X: {what} {named} {'has' if len(dropped) == 1 else 'have'} no value in any of the {n} "
        "rows that take part, and nothing is learned from "
        f"{'it' if len(dropped) == 1 else 'them'}. Leave {'it' if len(dropped) == 1 else 'them'} "
        "out.",
        MissingColumnWarning,
    )
