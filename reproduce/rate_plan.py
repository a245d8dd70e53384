"""The rate experiments: distributions, sizes, numbers of draws, and slopes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reproduce.cache import Job, Payload
from reproduce.rate_settings import (
    RateSetting,
    always_together,
    label_noise,
    ordinal_pairs,
    separated_clusters,
)
from reproduce.rates import RATE_METHODS, RatePoint, measure_rate
from reproduce.results import FigureResult
from reproduce.slopes import Slope, fit_slope

N_DRAWS, N_QUERIES = 50, 200
# From this n on, eta^k < .03. Below, several wrong classes are too often in all of the k sets for
# the error to be a single exponential.
IL_FROM = 900
# The clusters of the setting "always together": two classes are in every set of the first one.
TOGETHER, APART = slice(0, 1), slice(1, None)
_FIGURE = "rates"
# The quick run has this many times fewer draws of the inputs.
_QUICK_DIVISOR = 20


@dataclass(frozen=True, eq=False)
class Rates:
    """A setting, its points, and the slopes of the methods that have one."""

    setting: RateSetting
    points: Sequence[RatePoint]
    slopes: dict[str, Slope]


def rate_plan() -> dict[str, tuple[RateSetting, dict[int, int]]]:
    """Settings, and for each n the number of draws of the inputs; small errors need many.

    Examples
    --------
    >>> list(rate_plan())
    ['rates', 'rates, second', 'label noise', 'ordinal pairs', 'always together']
    """
    return {
        "rates": (
            separated_clusters(0.9, k0=0.04),
            dict.fromkeys((50, 75), 40)
            | dict.fromkeys(range(100, 400, 50), 200)
            | dict.fromkeys((450, 600, 750), 20)
            | dict.fromkeys(range(IL_FROM, 2001, 200), 40),
        ),
        "rates, second": (
            separated_clusters(0.8, k0=0.02),
            dict.fromkeys((100, 150, 200), 200) | dict.fromkeys(range(IL_FROM, 1801, 200), 40),
        ),
        "label noise": (
            label_noise(),
            dict.fromkeys((25, 50, 100, 200, 350, 500, 750, 1000), 20),
        ),
        "ordinal pairs": (
            ordinal_pairs(),
            dict.fromkeys((20, 50, 100, 150, 200, 300, 400, 600), 40),
        ),
        "always together": (
            always_together(0.8, k0=0.04),
            dict.fromkeys((50, 100, 150, 200, 300, 400, 600, 800), 40),
        ),
    }


def rate_slopes(name: str, points: Sequence[RatePoint]) -> dict[str, Slope]:
    """Slopes in the settings "rates...", of the methods that have errors at two sizes at least."""
    if not name.startswith("rates"):
        return {}
    late = [point for point in points if point.n >= IL_FROM]
    early = [point for point in points if 100 <= point.n <= 350]
    fitted = {"DF": early, "IL": late, "AC": late}
    return {
        method: fit_slope(chosen, method)
        for method, chosen in fitted.items()
        if sum(point.error(method) > 0 for point in chosen) >= 2
    }


def pooled_slope(setting: RateSetting) -> float:
    """The slope of a method that uses all rows of a cluster: ``log(1 - p (1 - eta))``.

    p is the probability of the cluster. ``(1 - p (1 - eta))^n`` is the expectation of ``eta^N`` for
    the number N of rows in the cluster, which is binomial with parameters n and p.
    """
    eta = max(distribution.eta for distribution in setting.distributions)
    return float(np.log1p(-(1.0 - eta) / len(setting.distributions)))


def rates_jobs(*, quick: bool = False, seed: int = 0) -> list[Job]:
    """One job for each setting and size; the quick run has a twentieth of the draws.

    Examples
    --------
    >>> rates_jobs(quick=True)[0].settings["n_inputs"]
    2
    """
    return [
        Job(
            _FIGURE,
            f"{name}, {n} rows",
            rate_point,
            {
                "name": name,
                "n": n,
                "n_inputs": max(2, n_inputs // _QUICK_DIVISOR) if quick else n_inputs,
                "n_draws": N_DRAWS,
                "n_queries": N_QUERIES,
                "seed": seed,
            },
        )
        for name, (_, sizes) in rate_plan().items()
        for n, n_inputs in sizes.items()
    ]


def rate_point(
    name: str, n: int, n_inputs: int, n_draws: int, n_queries: int, seed: int
) -> Payload:
    """A `RatePoint` as lists."""
    point = measure_rate(
        rate_plan()[name][0],
        n,
        n_inputs=n_inputs,
        n_draws=n_draws,
        n_queries=n_queries,
        random_state=seed,
    )
    return {
        "name": name,
        "n": n,
        "k": point.k,
        "n_draws": n_draws,
        "wrong": {method: values.tolist() for method, values in point.wrong.items()},
        "n_predictions": point.n_predictions.tolist(),
    }


def collected_rates(payloads: Sequence[Payload]) -> dict[str, Rates]:
    """The points of each setting, collected from the payloads of the jobs."""
    found = {}
    for name, (setting, _) in rate_plan().items():
        points = [
            RatePoint(
                setting.name,
                payload["n"],
                payload["k"],
                {method: np.array(values) for method, values in payload["wrong"].items()},
                np.array(payload["n_predictions"]),
                payload["n_draws"],
            )
            for payload in payloads
            if payload["name"] == name
        ]
        if points:
            found[name] = Rates(setting, points, rate_slopes(name, points))
    return found


def rates_results(payloads: Sequence[Payload]) -> list[FigureResult]:
    """Errors at each size, and the slopes."""
    found = []
    for name, rates in collected_rates(payloads).items():
        parts: Mapping[str, slice] = {name: slice(None)}
        if name == "always together":
            parts = {f"{name}, there": TOGETHER, f"{name}, elsewhere": APART}
        for panel, clusters in parts.items():
            found += [
                FigureResult(
                    panel,
                    float(point.n),
                    method,
                    "fixed",
                    "error at new inputs",
                    point.error(method, clusters),
                    point.standard_error(method, clusters),
                    f"{len(point.n_predictions)} draws of the inputs",
                )
                for point in rates.points
                for method in RATE_METHODS
            ]
        for method, slope in rates.slopes.items():
            sizes = f"{slope.sizes[0]} to {slope.sizes[-1]} rows"
            over = f"{sizes}; 95% [{slope.low:.5f}, {slope.high:.5f}]"
            words = (name, None, method, "fixed", "slope of the log error")
            found.append(FigureResult(*words, slope.slope, None, over))
    return found
