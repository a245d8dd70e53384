"""Slopes of the log error against the number of rows, with confidence intervals."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from disambig.notation import FloatArray
from reproduce.rates import RatePoint

# All fits take the same number of steps.
_NEWTON_STEPS = 60


class Slope(NamedTuple):
    """``log error = intercept + slope n``, with an interval for the slope.

    Attributes
    ----------
    slope, low, high : float
    intercept : float
    sizes : tuple of int
        The n of the fit.
    """

    slope: float
    low: float
    high: float
    intercept: float
    sizes: tuple[int, ...]

    def error(self, n: FloatArray) -> FloatArray:
        """The fitted error."""
        return np.asarray(np.exp(self.intercept + self.slope * n))


def fit_slope(
    points: Sequence[RatePoint],
    method: str,
    *,
    clusters: slice = slice(None),
    confidence: float = 0.95,
    n_resamplings: int = 1000,
    random_state: int = 0,
) -> Slope:
    """Maximum likelihood of ``wrong[i] ~ Poisson(n_predictions[i] exp(a + b n[i]))``.

    The likelihood also uses points without any error, which least squares on logs cannot. The
    interval is a bootstrap interval. Errors of one draw of the inputs depend on each other, so
    whole draws are resampled, separately at each n. The interval therefore does not assume a
    Poisson distribution.

    Parameters
    ----------
    points : sequence of RatePoint
        At least two sizes, with errors at two of them.
    method : str
    clusters : slice
        The clusters whose errors count.
    confidence : float
    n_resamplings : int
    random_state : int

    Examples
    --------
    >>> from reproduce.rate_settings import separated_clusters
    >>> from reproduce.rates import measure_rates
    >>> points = measure_rates(separated_clusters(0.5, k0=0.05), (60, 100), n_queries=50)
    >>> fit_slope(points, "IL").slope < 0
    True
    """
    wrong = [point.wrong[method][:, clusters].sum(axis=1) for point in points]
    n_predictions = [point.n_predictions[:, clusters].sum(axis=1) for point in points]
    sizes = np.array([point.n for point in points], dtype=np.float64)
    if sum(bool(w.any()) for w in wrong) < 2:
        raise ValueError(
            f"fit_slope: {method} has errors at fewer than two of the sizes "
            f"{[point.n for point in points]}, so its slope cannot be fitted. Use smaller sizes or "
            "more draws."
        )
    rng = np.random.default_rng(random_state)
    totals = np.empty((2, n_resamplings + 1, len(points)))
    for i, (w, a) in enumerate(zip(wrong, n_predictions, strict=True)):
        # How often each draw is taken; in the first line once each, which gives the data.
        times = rng.multinomial(len(w), np.full(len(w), 1 / len(w)), size=n_resamplings)
        times = np.concatenate([np.ones((1, len(w)), dtype=times.dtype), times])
        totals[:, :, i] = times @ w, times @ a
    intercepts, slopes = _poisson_lines(sizes, *totals)
    tail = 50.0 * (1.0 - confidence)
    low, high = np.percentile(slopes[1:], [tail, 100.0 - tail])
    return Slope(
        float(slopes[0]),
        float(low),
        float(high),
        float(intercepts[0]),
        tuple(point.n for point in points),
    )


def _poisson_lines(
    x: FloatArray, counts: FloatArray, exposure: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The fits of ``log E[counts / exposure] = a + b x`` by Newton's method, one for each row."""
    centre, scale = x.mean(), max(x.std(), 1.0)
    t = (x - centre) / scale
    # Start from least squares on logs, with half an error added everywhere.
    logs = np.log((counts + 0.5) / exposure)
    b = (logs * (t - t.mean())).sum(axis=1) / ((t - t.mean()) ** 2).sum()
    a = logs.mean(axis=1) - b * t.mean()
    for _ in range(_NEWTON_STEPS):
        expected = exposure * np.exp(a[:, None] + b[:, None] * t)
        rest = counts - expected
        first, second = rest.sum(axis=1), (rest * t).sum(axis=1)
        h0, h1, h2 = (expected * t**power for power in (0, 1, 2))
        h00, h01, h11 = h0.sum(axis=1), h1.sum(axis=1), h2.sum(axis=1)
        determinant = h00 * h11 - h01**2
        # Steps are at most one, because the curvature changes by factors along longer ones.
        a = a + np.clip((h11 * first - h01 * second) / determinant, -1.0, 1.0)
        b = b + np.clip((h00 * second - h01 * first) / determinant, -1.0, 1.0)
    return a - b * centre / scale, b / scale
