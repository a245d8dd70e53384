"""Draws of cells inside their sets, under a normal distribution: Gibbs sampling of many rows.

One sweep draws every open cell once, given the other cells of its row: a number between bounds from
a truncated normal distribution, one of several values, or a class of a category, by its odds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri, softmax

from disambig.inputs.partial_inputs import PartialInputs
from disambig.notation import FloatArray, IntArray

# Uniform numbers for a column and rows.
Chances: TypeAlias = Callable[[int, IntArray], FloatArray]
# Probabilities whose normal quantile is finite.
_LEAST, _MOST = 1e-300, 1.0 - 2.0**-53


@dataclass(frozen=True, eq=False)
class NormalInputs:
    """The normal distribution of rows: mean, precision and the frequencies of categories.

    Attributes
    ----------
    mean : float array (d,)
    covariance : float array (d, d), or (d,) for columns that are independent
    frequencies : tuple of float arrays
        Of the classes of each category.
    """

    mean: FloatArray
    covariance: FloatArray
    frequencies: tuple[FloatArray, ...] = ()

    def precision(self) -> FloatArray:
        """The inverse of the covariance, of the same shape."""
        if self.covariance.ndim == 1:
            return np.asarray(1.0 / self.covariance)
        return np.linalg.inv(self.covariance)


@dataclass(frozen=True, eq=False)
class _Block:
    """Cells that have one of several values, in the same columns.

    Attributes
    ----------
    columns : int array (b,)
    rows : int array (m,)
    values : float array (m, k, b)
        Zero where there is no such value.
    log_odds : float array (m, k)
        Added to the logarithm of the density; -inf where there is no such value.
    """

    columns: IntArray
    rows: IntArray
    values: FloatArray
    log_odds: FloatArray


@dataclass(frozen=True, eq=False)
class OpenCells:
    """The open cells of rows in standard units, ``(x - center) / unit``.

    Attributes
    ----------
    lower, upper : float array (r, d)
    columns : tuple of (int, int array)
        Columns with cells between bounds, and the rows of these.
    blocks : tuple of _Block
    categories : tuple of int or None
        For each block, the number of its category.
    """

    lower: FloatArray
    upper: FloatArray
    columns: tuple[tuple[int, IntArray], ...]
    blocks: tuple[_Block, ...]
    categories: tuple[int | None, ...]

    @classmethod
    def of(cls, X: PartialInputs, center: FloatArray, unit: FloatArray) -> Self:
        """The open cells of X, all of whose rows have one."""
        lower, upper = (X.lower - center) / unit, (X.upper - center) / unit
        is_between = X.lower < X.upper
        blocks: list[_Block] = []
        categories: list[int | None] = []
        for one in X.alternatives:
            is_between[one.rows, one.column] = False
            values = (one.values - center[one.column]) / unit[one.column]
            log_odds = np.where(np.isnan(values), -np.inf, 0.0)
            column = np.array([one.column])
            blocks.append(_Block(column, one.rows, np.nan_to_num(values)[:, :, None], log_odds))
            categories.append(None)
        for number, group in enumerate(X.categories):
            is_open = X.lower[:, group] < X.upper[:, group]
            is_between[:, group] = False
            rows = np.flatnonzero(is_open.any(axis=1))
            if len(rows):
                classes = (np.eye(len(group)) - center[group]) / unit[group]
                values = np.broadcast_to(classes, (len(rows), *classes.shape))
                log_odds = np.where(is_open[rows], 0.0, -np.inf)
                blocks.append(_Block(group, rows, values, log_odds))
                categories.append(number)
        columns = tuple(
            (int(column), np.flatnonzero(is_between[:, column]))
            for column in np.flatnonzero(is_between.any(axis=0))
        )
        return cls(lower, upper, columns, tuple(blocks), tuple(categories))

    def start(self, mean: FloatArray, n_draws: int) -> FloatArray:
        """Middles of bounds and of values, and the mean where there is no bound, ``(d, r, m)``."""
        is_bounded = np.isfinite(self.lower) & np.isfinite(self.upper)
        middle = np.where(is_bounded, self.lower, 0.0) / 2 + np.where(is_bounded, self.upper, 0) / 2
        cells = np.where(is_bounded, middle, np.clip(mean, self.lower, self.upper))
        for block in self.blocks:
            odds = softmax(block.log_odds, axis=1)
            cells[block.rows[:, None], block.columns] = np.einsum("mk,mkb->mb", odds, block.values)
        return np.repeat(cells.T[:, :, None], n_draws, axis=2)

    def sweep(self, draws: FloatArray, normal: NormalInputs, chances: Chances) -> None:
        """Draw every open cell once, given the other cells of the same draw, in place.

        Parameters
        ----------
        draws : float array (d, r, m)
        normal : NormalInputs
        chances : callable (column, rows) -> (r, m) or (1, m)
            Uniform numbers, of which those of a row are spread evenly.
        """
        precision, mean = normal.precision(), normal.mean
        draws -= mean[:, None, None]
        for column, rows in self.columns:
            inverse, push = _pushed(draws, precision, column, rows)
            center = mean[column] + push
            bounds = self.lower[rows, column, None], self.upper[rows, column, None]
            drawn = truncated_normal(center, inverse**0.5, *bounds, chances(column, rows))
            draws[column, rows] = drawn - mean[column]
        for block, category in zip(self.blocks, self.categories, strict=True):
            prior: FloatArray = np.zeros(block.values.shape[1])
            if category is not None:
                prior = _category_prior(block, normal, category)
            _draw_block(draws, block, prior, precision, mean, chances)
        draws += mean[:, None, None]


def _pushed(
    draws: FloatArray, precision: FloatArray, column: int, rows: IntArray
) -> tuple[float, FloatArray]:
    """The conditional variance of a column, and its conditional mean for rows, ``(r, m)``."""
    if precision.ndim == 1:
        return float(1.0 / precision[column]), np.zeros((len(rows), draws.shape[2]))
    inverse = float(1.0 / precision[column, column])
    total = (precision[column] @ draws.reshape(len(draws), -1)).reshape(draws.shape[1:])
    return inverse, np.asarray(draws[column, rows] - inverse * total[rows])


def _draw_block(
    draws: FloatArray,
    block: _Block,
    prior: FloatArray,
    precision: FloatArray,
    mean: FloatArray,
    chances: Chances,
) -> None:
    """Draw one of several values for each cell; draws have mean zero here."""
    away = block.values - mean[block.columns]
    if precision.ndim == 1:
        squares = np.einsum("mkb,b->mk", away**2, precision[block.columns])[:, None, :]
    else:
        inner = precision[np.ix_(block.columns, block.columns)]
        total = np.tensordot(precision[block.columns], draws[:, block.rows], 1)
        others = total - np.tensordot(inner, draws[block.columns][:, block.rows], 1)
        squares = np.einsum("mkb,bc,mkc->mk", away, inner, away)[:, None, :]
        squares = squares + 2.0 * np.einsum("mkb,bmd->mdk", away, others)
    odds = softmax(block.log_odds[:, None, :] + prior - 0.5 * squares, axis=2)
    reached = np.cumsum(odds, axis=2)
    chance = chances(int(block.columns[0]), block.rows)
    # The last value that is possible, if the sum is rounded to less than one.
    last = odds.shape[2] - 1 - np.argmax(odds[:, :, ::-1] > 0, axis=2)
    chosen = np.minimum((reached < chance[:, :, None]).sum(axis=2), last)
    drawn = np.take_along_axis(away, chosen[:, :, None], axis=1)
    for place, column in enumerate(block.columns.tolist()):
        draws[column, block.rows] = drawn[:, :, place]


def _category_prior(block: _Block, normal: NormalInputs, category: int) -> FloatArray:
    """What makes the odds of classes those of their frequencies, without other columns, ``(k,)``.

    The density of the other columns given the class is the joint density, divided by the density of
    the class under the same normal distribution.
    """
    away = block.values[0] - normal.mean[block.columns]
    if normal.covariance.ndim == 1:
        squares = (away**2 / normal.covariance[block.columns]).sum(axis=1)
    else:
        inner = normal.covariance[np.ix_(block.columns, block.columns)]
        squares = np.einsum("kb,bk->k", away, np.linalg.solve(inner, away.T))
    return np.asarray(np.log(normal.frequencies[category]) + 0.5 * squares)


def spread_evenly(shape: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """Uniform numbers ``(r, m)``, of which each row has one in every m-th part of the interval.

    Examples
    --------
    >>> found = spread_evenly((1, 4), np.random.default_rng(0))
    >>> np.sort(found * 4 // 1).tolist()
    [[0.0, 1.0, 2.0, 3.0]]
    """
    order = rng.random(shape).argsort(axis=1)
    return np.asarray((order + rng.random(shape)) / shape[1])


def truncated_normal(
    mean: FloatArray, deviation: Any, lower: FloatArray, upper: FloatArray, u: FloatArray
) -> FloatArray:
    """The quantile at u of a normal distribution restricted to an interval.

    Where the interval has no probability in double precision, it is the end that is nearer.

    Examples
    --------
    >>> one = np.ones(1)
    >>> truncated_normal(0 * one, one, 0 * one, np.inf * one, 0.5 * one).round(3).tolist()
    [0.674]
    """
    low, high = (lower - mean) / deviation, (upper - mean) / deviation
    # In the lower half probabilities are exact.
    is_high = low > 0
    low, high = np.where(is_high, -high, low), np.where(is_high, -low, high)
    u = np.where(is_high, 1.0 - u, u)
    least, most = ndtr(low), ndtr(high)
    found = np.clip(ndtri(np.clip(least + u * (most - least), _LEAST, _MOST)), low, high)
    inside: FloatArray = np.clip(mean + deviation * np.where(is_high, -found, found), lower, upper)
    return inside
