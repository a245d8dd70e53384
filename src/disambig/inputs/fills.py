"""What fills a missing cell: the mean of its column, or what the other cells of the row suggest.

`NeighborFill` averages over rows that are near in the columns that both have; `GaussianFill`, in
`gaussian.py`, is the regression on the other columns; `CorrectedFill` adds what this regression
misses in near rows. `fit_fill` blends them, column by column: known cells are hidden, a few at a
time, and the shares are those that predict them best.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from disambig.inputs.gaussian import MAX_COLUMNS, GaussianFill
from disambig.inputs.holes import has_missing
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.weights.neighbors.missing import squared_distances
from disambig.weights.row_groups import hash_rows

# Rows that fills are learned from, and neighbours that a cell is averaged over.
_MAX_ROWS = 1000
_N_NEIGHBORS = 10.0
# Entries of these rows at most.
_MAX_ENTRIES = 2**22
# What a missing cell counts as in the hash of a row.
_MARK = 12345.678
# The vote of the farthest of these is exp(-_FALL); farther rows have less.
_FALL = 4.0
# The share of the known cells that are hidden at a time to compare fills: more of them would harm
# near rows, which are found by the cells that are left. And how many times, until so many cells of
# a column have been hidden.
_HIDDEN_SHARE, _MAX_TIMES, _ENOUGH_CELLS = 0.05, 6, 100.0
# A blend is drawn to equal shares as by so many hidden cells.
_PULL = 5.0
# Distances between so many pairs of rows at a time.
_BLOCK_PAIRS = 2**20


class Fill(Protocol):
    """Expected values of cells, in columns of mean 0 and variance 1."""

    def __call__(self, Z: FloatArray) -> FloatArray:
        """Values ``(q, k)`` for all cells of rows whose missing cells are NaN."""
        ...


@dataclass(frozen=True, eq=False)
class NeighborFill:
    """The average over rows near in the columns that both have.

    ``sum_j w_ij M_jc z_jc / sum_j w_ij M_jc`` with ``w_ij = exp(-4 d_ij^2 / r_i^2)``: M says which
    cells are known, d skips what is missing, and r_i is the distance to the tenth nearest row.

    Attributes
    ----------
    rows : float array (m, k)
        NaN where missing.
    sample_weight : float array (m,)
    values : float array (m, k), optional
        What is averaged, NaN where there is nothing; None: the cells of these rows.
    """

    rows: FloatArray
    sample_weight: FloatArray
    values: FloatArray | None = None

    def __call__(self, Z: FloatArray) -> FloatArray:
        values = self.rows if self.values is None else self.values
        known = ~np.isnan(values)
        zeroed = np.where(known, values, 0.0)
        found = np.zeros(Z.shape)
        step = max(1, _BLOCK_PAIRS // len(self.rows))
        for start in range(0, len(Z), step):
            votes = self._votes(Z[start : start + step])
            total = votes @ known
            sums = votes @ zeroed
            # 0 is the mean of a column.
            np.divide(sums, total, out=found[start : start + step], where=total > 0)
        return found

    def _votes(self, Z: FloatArray) -> FloatArray:
        squares = squared_distances(Z, self.rows)
        order = np.argsort(squares, axis=1, kind="stable")
        reached = np.cumsum(self.sample_weight[order], axis=1)
        last = np.minimum((reached < _N_NEIGHBORS).sum(axis=1), squares.shape[1] - 1)
        at = np.take_along_axis(order, last[:, None], axis=1)
        radius = np.take_along_axis(squares, at, axis=1)
        # Without a finite distance all rows vote; without a positive one, those at distance 0.
        unit = np.where(np.isfinite(radius) & (radius > 0), radius, 1.0)
        votes = np.exp(-_FALL * np.where(np.isfinite(squares), squares, np.inf) / unit)
        votes[~np.isfinite(squares).any(axis=1)] = 1.0
        return np.asarray(votes * self.sample_weight)


@dataclass(frozen=True, eq=False)
class CorrectedFill:
    """The regression on the known cells, plus the average of its residuals over near rows.

    Near are rows whose completed cells are.

    Attributes
    ----------
    gaussian : GaussianFill
    corrections : NeighborFill
        Completed rows, and the residuals of their known cells.
    """

    gaussian: GaussianFill
    corrections: NeighborFill

    @classmethod
    def of(cls, gaussian: GaussianFill, Z: FloatArray, sample_weight: FloatArray) -> Self:
        """From the regression, and rows ``(m, k)``, NaN where missing."""
        near = NeighborFill(gaussian(Z), sample_weight, gaussian.residuals(Z))
        return cls(gaussian, near)

    def __call__(self, Z: FloatArray) -> FloatArray:
        completed = self.gaussian(Z)
        return completed + self.corrections(completed)


@dataclass(frozen=True, eq=False)
class BlendedFill:
    """A mixture of fills, column by column: ``b_0 = f_0``, ``b_t = s_t f_t + (1 - s_t) b_(t-1)``.

    Attributes
    ----------
    fills : tuple of t + 1 fills
    shares : float array (t, k)
    """

    fills: tuple[Fill, ...]
    shares: FloatArray

    def __call__(self, Z: FloatArray) -> FloatArray:
        found = self.fills[0](Z)
        for fill, share in zip(self.fills[1:], self.shares, strict=True):
            found = share * fill(Z) + (1.0 - share) * found
        return found


def rows_to_learn_from(X: Any, sample_weight: FloatArray) -> IntArray:
    """A thousand rows at most, which do not depend on the order of the rows."""
    most = min(_MAX_ROWS, max(1, _MAX_ENTRIES // X.shape[1]))
    if len(X) <= most:
        return np.arange(len(X))
    return np.lexsort((sample_weight, _hashes(X)))[:most]


def _hashes(X: FloatArray) -> IntArray:
    return hash_rows(np.where(np.isnan(X), _MARK, X) if has_missing(X) else X)


def fit_fill(Z: FloatArray, sample_weight: FloatArray) -> Fill | None:
    """The blend for these rows; neighbours alone for one column, or for more than a hundred.

    If no cell is missing, regression alone, which costs little; None with too many columns.

    Parameters
    ----------
    Z : float array (m, k)
        Of `rows_to_learn_from`, in columns of mean 0 and variance 1; NaN where missing.
    sample_weight : float array (m,)
    """
    is_small = 1 < Z.shape[1] <= MAX_COLUMNS
    if not has_missing(Z):
        return GaussianFill.of(Z, sample_weight) if is_small else None
    hashes = _hashes(Z)
    if not is_small:
        return NeighborFill(Z, sample_weight)
    gaussian = GaussianFill.of(Z, sample_weight)
    fills = _fills(gaussian, Z, sample_weight)
    predicted = np.zeros((len(fills), *Z.shape))
    hidden = np.zeros(Z.shape, np.bool_)
    for part in _hidden_parts(Z, hashes):
        partial = np.where(part, np.nan, Z)
        others = GaussianFill.of(partial, sample_weight, gaussian)
        for found, fill in zip(predicted, _fills(others, partial, sample_weight), strict=True):
            found[part] = fill(partial)[part]
        hidden |= part
    return BlendedFill(fills, _shares(Z, predicted, hidden * sample_weight[:, None]))


def _fills(gaussian: GaussianFill, Z: FloatArray, sample_weight: FloatArray) -> tuple[Fill, ...]:
    corrected = CorrectedFill.of(gaussian, Z, sample_weight)
    return gaussian, NeighborFill(Z, sample_weight), corrected


def _hidden_parts(Z: FloatArray, hashes: IntArray) -> Iterator[BoolArray]:
    """Known cells to hide, some at a time, no cell twice; every row keeps at least one.

    Copies of a row hide the same cells.
    """
    n_groups = int(hashes.max()) + 1
    drawn = np.random.default_rng(0).random((n_groups, Z.shape[1]))[hashes]
    known = ~np.isnan(Z)
    times = int(np.clip(np.ceil(_ENOUGH_CELLS / (_HIDDEN_SHARE * n_groups)), 1, _MAX_TIMES))
    for time in range(times):
        hidden = known & (drawn >= time * _HIDDEN_SHARE) & (drawn < (time + 1) * _HIDDEN_SHARE)
        keeps = np.count_nonzero(known & ~hidden, axis=1, keepdims=True) > 0
        yield hidden & keeps


def _shares(Z: FloatArray, predicted: FloatArray, weights: FloatArray) -> FloatArray:
    """The shares of `BlendedFill`, ``(t, k)``, one after the other with the least squared error.

    Parameters
    ----------
    Z : float array (m, k)
    predicted : float array (t + 1, m, k)
        Of each fill at hidden cells.
    weights : float array (m, k)
        0 at cells that were not hidden.
    """
    blended, found = predicted[0], []
    for one in predicted[1:]:
        found.append(_share(Z, one, blended, weights))
        blended = found[-1] * one + (1.0 - found[-1]) * blended
    return np.array(found)


def _share(Z: FloatArray, first: FloatArray, second: FloatArray, weights: FloatArray) -> FloatArray:
    """The share of the first prediction with the least squared error, ``(k,)``."""
    target = np.where(weights > 0, Z, 0.0) - second
    away = first - second
    products = (weights * away * target).sum(axis=0)
    squares = (weights * away**2).sum(axis=0)
    counts = np.maximum(weights.sum(axis=0), 1.0)
    # As by further cells at which both are as far apart as usual, and their mean is right.
    pull = _PULL * squares / counts
    total = squares + pull
    shares = np.divide(products + 0.5 * pull, total, out=np.full(len(total), 0.5), where=total > 0)
    return np.asarray(np.clip(shares, 0.0, 1.0))
