"""What new inputs are compared with: ranges of columns, and distances to training rows.

A sample of the training rows is all that is kept. Half of it are *references*; the other half, the
*known* rows, say how far from its nearest reference a row usually is. A new row is *far* if it is
farther than 99 % of the known ones. If new rows come from the same source as the training rows, new
and known rows are exchangeable. How many new rows exceed the r-th largest known one then has a
hypergeometric tail, whatever the distribution is (`tail_probability`), and so has the number of
rows outside the range of a column. So the level of both tests is exact.
"""

from dataclasses import dataclass, replace
from math import exp, lgamma
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from disambig.notation import AnyArray, BoolArray, FloatArray, IntArray
from disambig.weights.row_groups import hash_rows

# With fewer different rows nothing is said about new ones.
MIN_ROWS = 30
# Rows, and entries, of the sample.
_MAX_ROWS, _MAX_ENTRIES = 1000, 2**24
# With more columns, ranges would need more memory than many sparse training sets do.
_MAX_COLUMNS = 100_000
# Of the known rows, so many are far by definition.
FAR_SHARE = 0.01
# Inputs with more columns are projected to so many; distances change by about a tenth.
_MAX_DIMENSIONS = 64
# Up to so many columns a product with the projection is faster if it is dense.
_MAX_DENSE = 2000
# Differences of this share of the largest entry may be rounding of single precision.
_ROUNDING = 4 * float(np.finfo(np.float32).eps)
# Distances that are computed in batches of different sizes differ in the last digits.
_TOLERANCE = 1e-6
# Entries that are compared at a time.
_BLOCK_ENTRIES = 2**20


def tail_probability(n_new: int, n_known: int, rank: int, n_above: int) -> float:
    """The probability that `n_above` of the new values exceed the `rank`-th largest known one.

    Or more than so many, of `n_new` values that are exchangeable with `n_known` known ones. With
    ties it is an upper bound. For values outside of a range, below the least or above the largest
    known value, `rank` is 2.

    Parameters
    ----------
    n_new, n_known, rank, n_above : int

    Examples
    --------
    Two of two new values exceed 99 known ones with probability ``(1 / 100) (2 / 101)``.

    >>> round(tail_probability(2, 99, 1, 2), 7), round(2 / 100 / 101, 7)
    (0.000198, 0.000198)
    """
    # Of the largest n_above + rank - 1 values, at most rank - 1 are known ones. scipy's
    # distributions take longer than a prediction of few rows.
    n_largest = n_above + rank - 1
    every = _log_choices(n_new + n_known, n_largest)
    fewest = max(0, n_largest - n_new)
    terms = (
        _log_choices(n_known, known) + _log_choices(n_new, n_largest - known) - every
        for known in range(fewest, min(rank - 1, n_known) + 1)
    )
    return min(1.0, sum(map(exp, terms)))


def _log_choices(n: int, k: int) -> float:
    """The logarithm of the number of ways to choose k of n."""
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


@dataclass(frozen=True, eq=False)
class ColumnRanges:
    """The range of every column in the sample.

    Attributes
    ----------
    low, high : float array (d,)
        NaN for a column without a number. Wider by the rounding of single precision.
    n_rows : int
        Different rows in the sample.
    """

    low: FloatArray
    high: FloatArray
    n_rows: int

    @classmethod
    def of(cls, sample: Any) -> "ColumnRanges":
        """The ranges of a sample of different rows."""
        if sp.issparse(sample):
            low, high = (np.asarray(f(axis=0).todense()).ravel() for f in (sample.min, sample.max))
        else:
            low, high = np.fmin.reduce(sample, axis=0), np.fmax.reduce(sample, axis=0)
        slack = _ROUNDING * np.maximum(np.abs(low), np.abs(high))
        return cls(low.astype(np.float64) - slack, high.astype(np.float64) + slack, sample.shape[0])

    def n_outside(self, X: Any) -> IntArray:
        """How many rows are outside of each range, ``(d,)``; NaN is not."""
        low, high = self.low, self.high
        if not sp.issparse(X):
            return np.asarray(np.count_nonzero((low > X) | (high < X), axis=0))
        columns, d = X.indices, X.shape[1]
        is_outside = (X.data < low[columns]) | (X.data > high[columns])
        counts = np.bincount(columns[is_outside], minlength=d)
        zeros = X.shape[0] - np.bincount(columns, minlength=d)
        return np.asarray(counts + np.where((low > 0) | (high < 0), zeros, 0))


@dataclass(frozen=True, eq=False)
class Nearness:
    """How far rows usually are from their nearest reference, in units of the columns' spread.

    Attributes
    ----------
    center : float array (d,)
    units : float array (d,), or (d, p), which is sparse for many columns
        What columns are multiplied by: one over the standard deviation of the references, 0 where
        they are constant; with many columns, after it the projection: every column is added to one
        of p, with a random sign.
    references : float array (p, m)
        In these units, times -2, as products need them.
    squares : float array (m,)
        Their squared lengths.
    limit : float
        The squared distance beyond which a row is far.
    rank, n_known : int
        The limit is the `rank`-th largest distance of `n_known` rows.
    """

    center: FloatArray
    units: Any
    references: FloatArray
    squares: FloatArray
    limit: float
    rank: int
    n_known: int

    @classmethod
    def of(cls, sample: Any) -> "Nearness":
        """From different rows in random order: the first half are references."""
        m = sample.shape[0] // 2
        center, scales = _moments(sample[:m])
        units: Any = scales
        if len(scales) > _MAX_DIMENSIONS:
            units = _projection(scales)
        n_known = sample.shape[0] - m
        rank = max(1, int(FAR_SHARE * (n_known + 1)))
        found = cls(center, units, np.zeros((0, 0)), np.zeros(0), np.inf, rank, n_known)
        rows = found.embedded(_filled(sample[:m], center))
        squares = np.einsum("ij,ij->i", rows, rows)
        found = replace(found, references=np.ascontiguousarray(-2.0 * rows.T), squares=squares)
        largest = float(np.partition(found.distances(sample[m:]), -rank)[-rank])
        return replace(found, limit=largest * (1.0 + _TOLERANCE) + _TOLERANCE**2)

    def embedded(self, X: Any) -> FloatArray:
        """Rows in units of the spread, projected, ``(q, p)``."""
        if sp.issparse(X) and sp.issparse(self.units):
            return np.asarray((X @ self.units).toarray() - self.center @ self.units)
        if sp.issparse(X) and self.units.ndim == 2:
            return np.asarray(X @ self.units - self.center @ self.units)
        away = (X.toarray() if sp.issparse(X) else X) - self.center
        return np.asarray(away @ self.units if self.units.ndim == 2 else away * self.units)

    def distances(self, X: Any) -> FloatArray:
        """The squared distance of each row to its nearest reference, ``(q,)``.

        Missing entries are at the center. A distance that overflows is infinite or NaN.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            found = self._distances(self.embedded(X))
            if np.isnan(found).any():
                found = self._distances(self.embedded(_filled(X, self.center)))
        return found

    def _distances(self, rows: FloatArray) -> FloatArray:
        between = rows @ self.references
        between += self.squares
        return np.asarray(between.min(axis=1) + np.einsum("ij,ij->i", rows, rows))

    def is_far(self, X: Any) -> BoolArray:
        """Rows farther from their nearest reference than the limit, ``(q,)``."""
        # Written so that a distance that overflows counts as far.
        return np.asarray(~(self.distances(X) <= self.limit))


class Comparison(NamedTuple):
    """New rows beside the training rows.

    Attributes
    ----------
    is_far : bool array (q,)
    n_outside : int array (d,)
        Rows outside of the range of each column.
    """

    is_far: BoolArray
    n_outside: IntArray


@dataclass(frozen=True, eq=False)
class TrainingInputs:
    """What an estimator remembers of its training inputs.

    Attributes
    ----------
    ranges : ColumnRanges or None
    nearness : Nearness or None
    reason : str
        Why new inputs cannot be compared; empty if they can.
    """

    ranges: ColumnRanges | None = None
    nearness: Nearness | None = None
    reason: str = ""

    def compared(self, X: Any) -> Comparison:
        """New rows ``(q, d)`` beside the training rows; only if there is no `reason`."""
        assert self.ranges is not None
        assert self.nearness is not None
        q, d = X.shape
        step = max(1, _BLOCK_ENTRIES // max(d, len(self.nearness.squares)))
        is_far, n_outside = np.zeros(q, np.bool_), np.zeros(d, np.intp)
        for start in range(0, q, step):
            block = X[start : start + step]
            if sp.issparse(block):
                block.sum_duplicates()
            is_far[start : start + step] = self.nearness.is_far(block)
            n_outside += self.ranges.n_outside(block)
        return Comparison(is_far, n_outside)

    def significant(self, found: Comparison, level: float) -> tuple[bool, IntArray]:
        """What is improbable if new rows are like the training rows.

        Parameters
        ----------
        found : Comparison
        level : float
            The probability of finding anything then; half of it is for distances, the other half
            is divided among the columns.

        Returns
        -------
        bool, int array
            Whether so many rows are far, and the columns outside of whose range so many are.
        """
        assert self.ranges is not None
        assert self.nearness is not None
        q, d = len(found.is_far), len(found.n_outside)
        n_far, most = int(np.count_nonzero(found.is_far)), int(found.n_outside.max(initial=0))
        near, n_rows = self.nearness, self.ranges.n_rows
        # What is expected needs no test.
        is_far = n_far > q * FAR_SHARE
        is_far = is_far and tail_probability(q, near.n_known, near.rank, n_far) < level / 2
        bound = level / 2 / max(d, 1)
        while most > 0 and tail_probability(q, n_rows, 2, most) < bound:
            most -= 1
        # Now `most` is the largest number that may be chance.
        return is_far, np.flatnonzero(found.n_outside > most)


def training_inputs(
    X: Any, rows: IntArray, groups: AnyArray | None = None, *, pairwise: bool = False
) -> TrainingInputs:
    """What is remembered of the rows of X that took part in training.

    Copies of a row count once, and so do the rows of a group: new rows are neither. Sample weights
    play no part.

    Parameters
    ----------
    X : array or csr, (n, d)
    rows : int array
        Rows that took part.
    groups : array, optional
        Their groups.
    pairwise : bool
        Whether X holds pairs of rows, which are no inputs.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> found = training_inputs(X, np.arange(400))
    >>> found.nearness.n_known, found.nearness.is_far(np.array([[0.0, 0.1], [9.0, 0.0]])).tolist()
    (200, [False, True])
    >>> training_inputs(X[:20], np.arange(20)).reason
    'there are fewer than 30 different training rows'
    """
    if pairwise:
        return TrainingInputs(reason="X holds pairs of rows, not features")
    d = X.shape[1]
    if d > _MAX_COLUMNS:
        return TrainingInputs(reason=f"X has more than {_MAX_COLUMNS} columns")
    order = np.random.default_rng(0).permutation(len(rows))
    if groups is not None:
        order = order[np.sort(np.unique(groups[order], return_index=True)[1])]
    few = TrainingInputs(reason=f"there are fewer than {MIN_ROWS} different training rows")
    chosen = rows[order[: min(_MAX_ROWS, _MAX_ENTRIES // max(d, 1))]]
    if len(chosen) < MIN_ROWS:
        return few
    sample = X[chosen]
    if sp.issparse(sample):
        sample.sum_duplicates()
    sample = sample[np.sort(np.unique(hash_rows(sample), return_index=True)[1])]
    if sample.shape[0] < MIN_ROWS:
        return few
    return TrainingInputs(ColumnRanges.of(sample), Nearness.of(sample))


def _moments(references: Any) -> tuple[FloatArray, FloatArray]:
    """The means of the columns, and one over their standard deviations; 0 for constant ones."""
    m = references.shape[0]
    if sp.issparse(references):
        filled = _filled(references, None)
        squares = filled.multiply(filled).sum(axis=0)
        center = np.asarray(filled.sum(axis=0)).ravel() / m
        spread = np.sqrt(np.maximum(np.asarray(squares).ravel() / m - center**2, 0.0))
        largest = np.asarray(abs(filled).max(axis=0).todense()).ravel()
    else:
        known = ~np.isnan(references)
        filled = np.where(known, references, 0.0)
        counts = np.maximum(known.sum(axis=0), 1)
        center = filled.sum(axis=0) / counts
        away = np.where(known, references - center, 0.0)
        spread = np.sqrt((away**2).sum(axis=0) / counts)
        largest = np.abs(filled).max(axis=0)
    varies = spread > _ROUNDING * largest
    return center, np.divide(1.0, spread, out=np.zeros(len(spread)), where=varies)


def _filled(X: Any, center: FloatArray | None) -> Any:
    """X with the center for NaN; sparse X with 0, where most entries are."""
    if sp.issparse(X):
        return sp.csr_array((np.nan_to_num(X.data), X.indices, X.indptr), shape=X.shape)
    return np.where(np.isnan(X), center, X)


def _projection(scales: FloatArray) -> Any:
    """Every column, scaled, is added to one of a few with a random sign, ``(d, p)``."""
    rng, d = np.random.default_rng(1), len(scales)
    signs = rng.choice([-1.0, 1.0], d)
    columns = rng.integers(0, _MAX_DIMENSIONS, d)
    shape = (d, _MAX_DIMENSIONS)
    found = sp.csr_array((scales * signs, columns, np.arange(d + 1)), shape=shape)
    return found.toarray() if d <= _MAX_DENSE else found
