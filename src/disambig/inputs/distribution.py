"""`InputDistribution`: which values of cells are likely, given what is known of their row."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from disambig.exceptions import MissingColumnWarning, warn
from disambig.inputs.conditional_draws import NormalInputs, OpenCells, spread_evenly
from disambig.inputs.fills import rows_to_learn_from
from disambig.inputs.gaussian import MAX_COLUMNS
from disambig.inputs.partial_inputs import PartialInputs
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.parameters import check_integer
from disambig.threads import threads_for

# Steps of expectation-maximisation, and the sweeps of each; from this step on, steps are averaged.
_STEPS, _SWEEPS, _AVERAGED = 12, 2, 4
# Draws of a row while the distribution is fitted.
_FITTING_DRAWS = 4
# Sweeps before the draws that are returned.
_BURN_IN = 8
# The prior covariance, the identity, counts as this share of the columns in rows, at least so many.
_PRIOR_SHARE, _MIN_PRIOR = 0.25, 5.0
# Entries of the draws of rows that are made at a time.
_BLOCK_ENTRIES = 2**22


@dataclass(frozen=True, eq=False)
class InputDraws:
    """For every row several inputs that it may have; all are equally likely.

    Attributes
    ----------
    known : float array (n, d)
        The inputs of rows that are known; in the others, means of the draws.
    rows : int array (r,)
        The open rows.
    values : float array (r, m, d)
        Their draws.

    Examples
    --------
    >>> draws = InputDraws(np.array([[2.0], [1.0]]), np.array([1]), np.array([[[0.0], [2.0]]]))
    >>> draws.means(np.array([[0.25, 0.75]])).tolist()
    [[2.0], [1.5]]
    """

    known: FloatArray
    rows: IntArray
    values: FloatArray

    def means(self, weights: FloatArray | None = None) -> FloatArray:
        """Inputs ``(n, d)``: in open rows the weighted mean of the draws.

        Parameters
        ----------
        weights : float array (r, m), optional
            With sum one in each row; by default equal.
        """
        if weights is None:
            return self.known
        found = self.known.copy()
        means = np.einsum("rm,rmd->rd", weights, self.values)
        # Sums are rounded; a cell with equal draws is known.
        found[self.rows] = np.clip(means, self.values.min(axis=1), self.values.max(axis=1))
        return found

    def take(self, rows: IntArray) -> "InputDraws":
        """The draws of some rows.

        Parameters
        ----------
        rows : int array (k,)
        """
        places = np.full(len(self.known), -1)
        places[self.rows] = np.arange(len(self.rows))
        found = places[rows]
        kept = np.flatnonzero(found >= 0)
        return InputDraws(self.known[rows], kept, self.values[found[kept]])


@dataclass(frozen=True, eq=False)
class InputDistribution:
    """The normal distribution of inputs that are known in part.

    It is learned from inputs alone, and never sees a target. Mean and covariance maximise the
    likelihood of what is known, times a prior that draws the covariance to the identity, by
    expectation-maximisation with draws. Given its class, a category moves the mean of the other
    columns. With more than a hundred columns, columns are taken as independent of each other.

    Attributes
    ----------
    center, unit : float array (d,)
        Columns are ``(x - center) / unit`` in the distribution.
    normal : NormalInputs
    has_values : bool array (d,)
        Columns of which something is known in some row. The others are 0.

    Examples
    --------
    >>> z = np.random.default_rng(0).normal(size=300)
    >>> X = PartialInputs.from_bounds(np.c_[z, z], np.c_[z, z])
    >>> found = fit_distribution(X)
    >>> query = PartialInputs.from_bounds([[1.0, np.nan], [1.0, -3.0]], [[1.0, np.nan], [1.0, 0.0]])
    >>> np.abs(found.means(query) - [[1, 1], [1, 0]]).max() < 0.3
    np.True_
    """

    center: FloatArray
    unit: FloatArray
    normal: NormalInputs
    has_values: BoolArray

    def draws(self, X: PartialInputs, n_draws: int = 20, seed: int = 0) -> InputDraws:
        """Inputs that rows may have, given what is known of them.

        Parameters
        ----------
        X : PartialInputs (n, d)
        n_draws : int
        seed : int
        """
        check_integer("InputDistribution", "n_draws", n_draws, least=1)
        self.check_columns(X)
        rows, d = X.open_rows, X.shape[1]
        values = np.empty((len(rows), n_draws, d))
        # All rows share the same numbers, so that no row depends on the others.
        rng = np.random.default_rng(seed)
        chances = spread_evenly((_BURN_IN * d, n_draws), rng).reshape(_BURN_IN, d, 1, n_draws)
        step = max(1, _BLOCK_ENTRIES // (n_draws * d))
        for start in range(0, len(rows), step):
            block = X[rows[start : start + step]]
            cells = OpenCells.of(block, self.center, self.unit)
            draws = cells.start(self.normal.mean, n_draws)
            with threads_for(len(block), d):
                for table in chances:
                    cells.sweep(draws, self.normal, partial(_shared, table))
            found = draws.transpose(1, 2, 0) * self.unit + self.center
            found = np.where(self.has_values, found, 0.0)
            # Known cells to the last bit, and others inside of their bounds.
            values[start : start + step] = np.clip(
                found, block.lower[:, None], block.upper[:, None]
            )
        known = np.where(X.is_known, X.lower, 0.0)
        known[rows] = np.clip(values.mean(axis=1), values.min(axis=1), values.max(axis=1))
        return InputDraws(known, rows, values)

    def means(self, X: PartialInputs, n_draws: int = 20, seed: int = 0) -> FloatArray:
        """The expected inputs given what is known of them, ``(n, d)``.

        They lie inside the bounds. A cell with one of several values gets the mean of these, by
        their probabilities, and a category the probabilities of its classes.

        Parameters
        ----------
        X : PartialInputs (n, d)
        n_draws : int
            Draws that the means are of.
        seed : int
        """
        return self.draws(X, n_draws, seed).means()

    def check_columns(self, X: PartialInputs) -> None:
        """Raise an error if X has other columns.

        Parameters
        ----------
        X : PartialInputs
        """
        if X.shape[1] != len(self.center):
            raise ValueError(
                f"X has {X.shape[1]} features, but the distribution of inputs was learned from "
                f"{len(self.center)}. Give the same columns."
            )


def _shared(table: FloatArray, column: int, _: IntArray) -> FloatArray:
    """Uniform numbers of a column, the same for all rows, from a table ``(d, 1, m)``."""
    return np.asarray(table[column])


def fit_distribution(
    X: PartialInputs, sample_weight: FloatArray | None = None, seed: int = 0
) -> InputDistribution:
    """Learn the distribution of inputs from what is known of them, from a thousand rows at most.

    Warns of columns of which nothing is known in any row; they become 0.

    Parameters
    ----------
    X : PartialInputs (n, d)
    sample_weight : float array (n,), optional
    seed : int

    Examples
    --------
    Of numbers above 0.5 nothing more is known, and yet the mean is found.

    >>> z = np.random.default_rng(0).normal(size=600)
    >>> X = PartialInputs.from_censoring(np.minimum(z, 0.5)[:, None], above=z[:, None] > 0.5)
    >>> found = fit_distribution(X)
    >>> mean = found.normal.mean * found.unit + found.center
    >>> bool(abs(mean[0] - z.mean()) < 0.1), bool(np.minimum(z, 0.5).mean() < -0.1)
    (True, True)
    """
    weights = np.ones(len(X)) if sample_weight is None else sample_weight
    if not (weights > 0).any():
        raise ValueError(
            "sample_weight: every weight is zero, so that no row is left to learn from. Give at "
            "least one row a positive weight."
        )
    has_values = ~X.is_missing[weights > 0].all(axis=0)
    if not has_values.any():
        raise ValueError(
            "X: nothing is known of any cell, so that nothing can be learned from inputs. Give at "
            "least one column a value."
        )
    if not has_values.all():
        _warn_of_unknown(X, np.flatnonzero(~has_values))
    middle = np.asarray(X)
    one_sided = np.isnan(middle)
    # A limit stands for what is beyond it until the distribution is known.
    ends = np.where(np.isfinite(X.lower), X.lower, X.upper)
    middle[one_sided] = np.where(np.isfinite(ends), ends, np.nan)[one_sided]
    rows = rows_to_learn_from(middle, weights)
    rows = rows[weights[rows] > 0]
    middle, weights = middle[rows], weights[rows]
    center, unit = _moments(middle, weights)
    with threads_for(len(rows), X.shape[1]):
        normal = _fit_normal(X[rows], weights, center, unit, np.random.default_rng(seed))
    return InputDistribution(center, unit, normal, np.asarray(has_values))


def _moments(middle: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    known = ~np.isnan(middle)
    counts = weights @ known
    sums = weights @ np.where(known, middle, 0.0)
    center = np.divide(sums, counts, out=np.zeros(len(sums)), where=counts > 0)
    squares = weights @ np.where(known, middle - center, 0.0) ** 2
    unit = np.sqrt(np.divide(squares, counts, out=np.zeros(len(sums)), where=counts > 0))
    return center, np.where(unit > 1e-12 * np.abs(center), unit, 1.0)


def _fit_normal(
    X: PartialInputs,
    weights: FloatArray,
    center: FloatArray,
    unit: FloatArray,
    rng: np.random.Generator,
) -> NormalInputs:
    d = X.shape[1]
    is_joint = d <= MAX_COLUMNS
    total, prior = weights.sum(), max(_MIN_PRIOR, _PRIOR_SHARE * d)
    rows = X.open_rows
    cells = OpenCells.of(X[rows], center, unit)
    complete = np.setdiff1d(np.arange(len(X)), rows)
    whole = (X.lower[complete] - center) / unit
    covariance = np.eye(d) if is_joint else np.ones(d)
    shares = tuple(_frequencies(X, weights, group) for group in X.categories)
    found = NormalInputs(np.zeros(d), covariance, shares)
    draws = cells.start(found.mean, _FITTING_DRAWS)

    def chances(_: int, of: IntArray) -> FloatArray:
        return spread_evenly((len(of), _FITTING_DRAWS), rng)

    for step in range(_STEPS if len(rows) else 1):
        share = 1.0 / max(1, step - _AVERAGED + 1)
        mean = weights[complete] @ whole
        mean = mean + np.einsum("drm,r->d", draws, weights[rows]) / _FITTING_DRAWS
        mean = found.mean + share * (mean / total - found.mean)
        parts = (
            (whole - mean, weights[complete]),
            (
                (draws - mean[:, None, None]).transpose(1, 2, 0).reshape(-1, d),
                np.repeat(weights[rows], _FITTING_DRAWS) / _FITTING_DRAWS,
            ),
        )
        if is_joint:
            scatter = sum((away * weight[:, None]).T @ away for away, weight in parts)
            newer = (scatter + prior * np.eye(d)) / (total + prior)
        else:
            newer = (sum(weight @ away**2 for away, weight in parts) + prior) / (total + prior)
        covariance = found.covariance + share * (newer - found.covariance)
        found = NormalInputs(mean, covariance, shares)
        for _ in range(_SWEEPS):
            cells.sweep(draws, found, chances)
    return found


def _frequencies(X: PartialInputs, weights: FloatArray, group: IntArray) -> FloatArray:
    """The shares of the classes, each row in equal parts in the classes that it may have."""
    possible = X.upper[:, group]
    totals = weights @ (possible / possible.sum(axis=1, keepdims=True))
    smoothed = totals + 1.0 / len(group)
    return np.asarray(smoothed / smoothed.sum())


def _warn_of_unknown(X: PartialInputs, columns: IntArray) -> None:
    named: Any = columns.tolist()
    if X.names is not None:
        named = [repr(X.names[column]) for column in named]
    listed = ", ".join(map(str, named[:5])) + (", ..." if len(named) > 5 else "")
    what = "column" if len(named) == 1 else f"{len(named)} columns"
    warn(
        f"X: nothing is known of {what} {listed} in any of the {len(X)} rows, and nothing is "
        "learned from it. Leave it out.",
        MissingColumnWarning,
    )
