"""Numbers in intervals: bands of salaries, Friedman's function, and a sine wave.

The alternatives learn from mid-points; of a half-line they take the finite end.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.made_up.story import Drawn, Method, Score, Story, mean_squared_error
from disambig import IntervalRegressor
from disambig.notation import FloatArray

__all__ = ["STORIES", "mid_points"]

BAND_ENDS = np.array([0, 10, 20, 30, 40, 50, 60, 80, np.inf]) * 1e3
N_REGIONS = 12
FRIEDMAN_UNITS = np.array([1, 1000, 0.01, 50, 1e5, 1, 0.001, 1e4, 10, 300])
N_TEST = 1000


def salaries(seed: int, n: int) -> Drawn:
    """Yearly salaries in bands, the last one open, from five columns of a staff table."""
    rng = np.random.default_rng([seed, 1])
    total = n + N_TEST
    age = rng.integers(18, 66, total)
    education = rng.choice(5, total, p=[0.1, 0.35, 0.25, 0.2, 0.1])
    since_school = age - 17 - 1.5 * education
    experience = np.round(np.maximum(since_school - rng.exponential(2.0, total), 0.0))
    region = rng.integers(1, N_REGIONS + 1, total)
    hours = np.where(rng.random(total) < 0.7, 40.0, np.round(rng.uniform(10, 60, total)))
    # Regions have codes in an order that means nothing.
    level = np.random.default_rng(1).uniform(0.8, 1.25, N_REGIONS + 1)[region]
    grown = 1.0 + 0.045 * experience - 0.0007 * experience**2
    basis = (21e3 + 5e3 * education**1.3) * grown * level * (hours / 40.0)
    salary = basis * np.exp(rng.normal(0.0, 0.12, total))
    X = np.column_stack([age, experience, education, region, hours]).astype(float)
    band = np.searchsorted(BAND_ENDS, salary[:n], side="right") - 1
    y = np.column_stack([BAND_ENDS[band], BAND_ENDS[band + 1]])
    return Drawn(X[:n], y, X[n:], salary[n:])


def friedman(units: FloatArray) -> Callable[[int, int], Drawn]:
    """Friedman's first function plus noise, in intervals of random width; columns times `units`."""

    def draw(seed: int, n: int) -> Drawn:
        rng = np.random.default_rng([seed, 2])
        X = rng.random((n + N_TEST, 10))
        mean = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
        mean += 10 * X[:, 3] + 5 * X[:, 4]
        y = _around(mean[:n] + rng.normal(size=n), rng.uniform(0, 10, n), rng)
        X = X * units
        return Drawn(X[:n], y, X[n:], mean[n:])

    return draw


def sine(seed: int, n: int) -> Drawn:
    """``sin(10 x)``: a third each of points, intervals of width up to 2, and half-lines."""
    rng = np.random.default_rng([seed, 3])
    x = rng.random(n)
    value, kind = np.sin(10 * x), rng.integers(3, size=n)
    y = _around(value, np.where(kind == 0, 0.0, rng.uniform(0, 2, n)), rng)
    open_side = rng.integers(2, size=n)
    half_lines = np.flatnonzero(kind == 2)
    y[half_lines, open_side[half_lines]] = np.array([-np.inf, np.inf])[open_side[half_lines]]
    queries = np.linspace(0, 1, N_TEST)
    return Drawn(x[:, None], y, queries[:, None], np.sin(10 * queries))


def _around(value: FloatArray, width: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Intervals of given widths, in which the value is at a uniform place."""
    lower = value - rng.random(len(value)) * width
    return np.column_stack([np.minimum(lower, value), np.maximum(lower + width, value)])


def mid_points(y: FloatArray) -> FloatArray:
    """The middle of each interval; the finite end of a half-line."""
    lower, upper = y.T
    ends = np.where(np.isfinite(lower), lower, upper)
    both = np.isfinite(lower) & np.isfinite(upper)
    middle: FloatArray = np.where(both, (ends + np.where(both, upper, 0.0)) / 2, ends)
    return middle


def on_mid_points(name: str, make: Callable[[], Any]) -> Method:
    """A regressor of scikit-learn on mid-points."""

    def learn(drawn: Drawn) -> Any:
        return make().fit(drawn.X, mid_points(drawn.y)).predict(drawn.queries)

    return Method(name, learn)


def _ours(drawn: Drawn) -> Any:
    return IntervalRegressor().fit(drawn.X, drawn.y).predict(drawn.queries)


def _root(truth: Any, found: Any) -> float:
    return float(np.sqrt(mean_squared_error(truth, found)))


OURS = Method("IntervalRegressor()", _ours, uses_disambig=True)
BOOSTING = on_mid_points("boosting", lambda: HistGradientBoostingRegressor(random_state=0))
LINEAR = on_mid_points("linear regression", LinearRegression)
NEIGHBORS = on_mid_points(
    "ten neighbours", lambda: make_pipeline(StandardScaler(), KNeighborsRegressor(10))
)
EURO_ERROR = Score("RMSE", _root, higher_is_better=False, text="{:.0f}".format)
ROOT_ERROR = Score("RMSE", _root, higher_is_better=False)
SQUARED_ERROR = Score("MSE", mean_squared_error, higher_is_better=False, text="{:.4f}".format)
STORIES = (
    Story("salaries", salaries, 800, EURO_ERROR, OURS, (BOOSTING, LINEAR)),
    Story("friedman", friedman(np.ones(10)), 500, ROOT_ERROR, OURS, (BOOSTING, LINEAR)),
    Story("friedman-units", friedman(FRIEDMAN_UNITS), 500, ROOT_ERROR, OURS, (BOOSTING, LINEAR)),
    Story("sine", sine, 400, SQUARED_ERROR, OURS, (BOOSTING, NEIGHBORS), apart=True, target=0.002),
)
