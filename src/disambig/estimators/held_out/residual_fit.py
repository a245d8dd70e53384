"""The family, the scale and the share of wrong sets that held-out sets make most likely.

The log-likelihood of sets with held-out predictions f is ``sum_i w_i log((1 - nu) P(S_i) + nu
B(S_i))`` (densities for points). P has one of four families around f, with a scale for each column.
B is the distribution of all numbers without x, of the same family: a wrong set is taken for that of
another row. If every prediction is inside its interval, the likelihood is flat toward a scale of
zero; so of the scales within half a unit of the best the largest is taken.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from disambig.candidates.numbers.number_sets import NumberSets
from disambig.estimators.held_out.families import FAMILIES, Family
from disambig.estimators.held_out.residuals import (
    Residuals,
    Segments,
    segment_probabilities,
    segments_of,
)
from disambig.notation import FloatArray

# Scales from a millionth to three times the largest distance between a prediction and an end.
_LEAST, _MOST = 1e-6, 3.0
# Likelihoods that differ by no more than this are the same.
_ALIKE = 0.5
# A share of wrong sets is another parameter: it must explain this much more.
WORTH = 3.0
# How much larger a scale may be that has to explain wrong sets, too.
_INFLATION = 20.0
_SHARES = (0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.45)
MAX_SHARE = _SHARES[-1]
_TINY = np.finfo(float).tiny


class _Column(NamedTuple):
    """Sets, predictions, weights and the range of scales of one column."""

    segments: Segments
    predictions: FloatArray
    weights: FloatArray
    center: float
    unit: float

    def likely(self, family: Family, scale: float) -> FloatArray:
        """``P(S)`` of each row around its prediction."""
        return self._at(family, self.predictions, scale)

    def broad(self, family: Family, spread: float) -> FloatArray:
        """``B(S)`` of each row, around the centre of all numbers."""
        return self._at(family, np.full(self.predictions.shape, self.center), spread)

    def _at(self, family: Family, middles: FloatArray, scale: float) -> FloatArray:
        scales = np.full(middles.shape, scale)
        return self.segments.total(segment_probabilities(family, self.segments, middles, scales))

    def log_likelihood(self, probabilities: FloatArray) -> float:
        return float(self.weights @ np.log(np.maximum(probabilities, _TINY)))


class _Found(NamedTuple):
    """What fits best for one family: scales and spreads ``(d,)``, and the log-likelihood."""

    family: str
    value: float
    share: float
    scales: FloatArray
    spreads: FloatArray


def fit_residuals(
    predictions: FloatArray,
    sets: NumberSets,
    sample_weight: FloatArray | None = None,
    families: Sequence[str] = tuple(FAMILIES),
    spread_factors: Sequence[float] = (1.0,),
) -> Residuals:
    """The distribution of ``y - f`` under which the sets are most likely.

    Parameters
    ----------
    predictions : float array (n, d)
        By models that never saw the set of the row; NaN for rows without one, which are left out.
    sets : NumberSets
    sample_weight : float array (n,), optional
        w counts as w rows.
    families : sequence of str
        The distributions that are tried.
    spread_factors : sequence of float
        Wrong sets are tried as those of other rows (1), and as so many times more spread.

    Returns
    -------
    Residuals
        The share of wrong sets is 0 unless it raises the log-likelihood by more than three.

    Examples
    --------
    >>> import numpy as np
    >>> from disambig.candidates import number_sets
    >>> y = np.random.default_rng(0).normal(size=2000)
    >>> sets = number_sets(np.column_stack([np.floor(y), np.floor(y) + 1]))
    >>> found = fit_residuals(np.zeros((2000, 1)), sets)
    >>> found.family, found.scale.round(1).tolist(), found.wrong_share
    ('normal', [1.0], 0.0)
    """
    weights = np.ones(len(sets)) if sample_weight is None else sample_weight
    used = np.isfinite(predictions).all(axis=1) & (weights > 0) & sets.informative
    if not used.any():
        raise ValueError(
            "fit_residuals: no row has a prediction, a positive weight and a set that excludes "
            "something, so that nothing is known about residuals. Give at least one such row."
        )
    columns = list(_columns(predictions[used], sets[used], weights[used]))
    found = [_fitted(name, columns) for name in families]
    best = max(found, key=lambda one: one.value)
    wider = (
        one._replace(spreads=factor * one.spreads) for one in found for factor in spread_factors
    )
    noisy = max((_with_share(one, columns) for one in wider), key=lambda one: one.value)
    chosen = noisy if noisy.value > best.value + WORTH else best
    family = FAMILIES[chosen.family]
    scales = [
        _largest(
            column,
            _objective(column, family, chosen.share, spread),
            start,
        )
        for column, start, spread in zip(columns, chosen.scales, chosen.spreads, strict=True)
    ]
    center = np.array([column.center for column in columns])
    return Residuals(chosen.family, np.array(scales), chosen.share, center, chosen.spreads)


def _columns(predictions: FloatArray, sets: NumberSets, weights: FloatArray) -> Iterator[_Column]:
    segments = segments_of(sets)
    d = sets.n_columns
    if d == 1:
        yield _column(segments, predictions[:, 0], weights)
        return
    for k in range(d):
        # Boxes have one segment an entry.
        part = np.arange(len(sets))
        own = slice(k, None, d)
        one = Segments(
            segments.lower[own], segments.upper[own], part, part, segments.only_points[own]
        )
        yield _column(one, predictions[:, k], weights)


def _column(segments: Segments, predictions: FloatArray, weights: FloatArray) -> _Column:
    order = np.argsort(predictions)
    reached = np.cumsum(weights[order])
    # The weighted median.
    center = float(predictions[order][np.searchsorted(reached, 0.5 * reached[-1])])
    unit = _reach(segments, predictions)
    if unit == 0:
        # Every prediction is an end: any scale that is small beside the numbers.
        unit = _LEAST * max(float(np.abs(predictions).max()), 1.0)
    return _Column(segments, predictions, weights, center, unit)


def _reach(segments: Segments, predictions: FloatArray) -> float:
    """The largest distance of a finite end from the prediction of its row."""
    ends = np.concatenate([segments.lower, segments.upper])
    away = np.abs(ends - np.tile(predictions[segments.entries], 2))
    return float(np.max(away, where=np.isfinite(away), initial=0.0))


def _grid(column: _Column) -> FloatArray:
    """Scales to try first, from small to large."""
    return _geometric(_LEAST * column.unit, _MOST * column.unit)


def _geometric(low: float, high: float, step: float = 1.0) -> FloatArray:
    return np.geomspace(low, high, int(np.ceil(np.log(high / low) / step)) + 1)


def _best(objective: Callable[[float], float], grid: FloatArray) -> tuple[float, float]:
    """The scale of the highest objective, and the objective: on a grid, then between its points."""
    values = [objective(float(scale)) for scale in grid]
    return _polished(objective, grid, int(np.argmax(values)))


def _polished(
    objective: Callable[[float], float], grid: FloatArray, best: int
) -> tuple[float, float]:
    """The best scale between the neighbours of a point of the grid, and its objective."""
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, grid.size - 1)]
    found = minimize_scalar(
        lambda log: -objective(float(np.exp(log))),
        bounds=(float(np.log(low)), float(np.log(high))),
        method="bounded",
        options={"xatol": 1e-3},
    )
    return float(np.exp(found.x)), -float(found.fun)


def _objective(
    column: _Column, family: Family, share: float, spread: float
) -> Callable[[float], float]:
    """The log-likelihood of a scale."""
    if share == 0:
        return lambda scale: column.log_likelihood(column.likely(family, scale))
    wrong = share * column.broad(family, spread)
    return lambda scale: column.log_likelihood((1.0 - share) * column.likely(family, scale) + wrong)


def _fitted(name: str, columns: list[_Column]) -> _Found:
    """The best scales of a family without wrong sets."""
    family = FAMILIES[name]
    scales, spreads, total = [], [], 0.0
    for column in columns:
        scale, value = _best(_objective(column, family, 0.0, 0.0), _grid(column))
        constant = np.full(column.predictions.shape, column.center)
        reach = max(_reach(column.segments, constant), column.unit)
        flat = column._replace(predictions=constant, unit=reach)
        spread, _ = _best(_objective(flat, family, 0.0, 0.0), _grid(flat))
        # All numbers are at least as spread as what x leaves.
        scales.append(scale)
        spreads.append(max(spread, scale))
        total += value
    return _Found(name, total, 0.0, np.array(scales), np.array(spreads))


def _with_share(one: _Found, columns: list[_Column]) -> _Found:
    """The best scales and share of wrong sets of a family, on the grid and then between."""
    family = FAMILIES[one.family]
    shares = np.array(_SHARES)
    values, places = np.zeros(shares.size), []
    # Wrong sets inflate a scale that does not know of them.
    grids = [_geometric(scale / _INFLATION, scale, 0.5) for scale in one.scales]
    for column, spread, grid in zip(columns, one.spreads, grids, strict=True):
        wrong = column.broad(family, float(spread))
        table = np.empty((shares.size, grid.size))
        for place, scale in enumerate(grid):
            right = column.likely(family, float(scale))
            for row, share in enumerate(shares):
                table[row, place] = column.log_likelihood((1.0 - share) * right + share * wrong)
        values += table.max(axis=1)
        places.append(table.argmax(axis=1))
    best = int(values.argmax())

    def polished(share: float) -> _Found:
        found = [
            _polished(_objective(column, family, share, float(spread)), grid, int(place[best]))
            for column, spread, grid, place in zip(columns, one.spreads, grids, places, strict=True)
        ]
        value = sum(part[1] for part in found)
        return _Found(one.family, value, share, np.array([part[0] for part in found]), one.spreads)

    return polished(_best_share(family, columns, polished(float(shares[best])), best))


def _best_share(family: Family, columns: list[_Column], found: _Found, best: int) -> float:
    """The best share for given scales, between the neighbours of a point of the grid."""
    parts = [
        (column, column.likely(family, float(scale)), column.broad(family, float(spread)))
        for column, scale, spread in zip(columns, found.scales, found.spreads, strict=True)
    ]
    result = minimize_scalar(
        lambda nu: (
            -sum(
                column.log_likelihood((1.0 - nu) * right + nu * wrong)
                for column, right, wrong in parts
            )
        ),
        bounds=(_SHARES[max(best - 1, 0)], _SHARES[min(best + 1, len(_SHARES) - 1)]),
        method="bounded",
        options={"xatol": 1e-4},
    )
    return float(result.x)


def _largest(column: _Column, objective: Callable[[float], float], start: float) -> float:
    """The largest scale whose log-likelihood is within half a unit of that of `start`."""
    enough = objective(start) - _ALIKE
    good, bad = start, None
    for scale in _grid(column)[::-1]:
        if scale <= start:
            break
        if objective(float(scale)) >= enough:
            good = float(scale)
            break
        bad = float(scale)
    if bad is None:
        return good
    for _ in range(12):
        # The product of tiny scales would vanish.
        middle = float(np.sqrt(good) * np.sqrt(bad))
        if objective(middle) >= enough:
            good = middle
        else:
            bad = middle
    return good
