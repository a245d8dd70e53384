"""The paper's regression figure: a sine wave known at ten points up to intervals.

Twelve variants of the methods and the library's default are compared on it.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from disambig.estimators import IntervalRegressor
from reproduce.cache import Job, Payload
from reproduce.interval.methods import LOOP, METHODS, Method
from reproduce.interval.problems import sine_problem
from reproduce.interval.selection import Errors, measure
from reproduce.recorded import RECORDED_INTERVAL
from reproduce.results import FigureResult

_FIGURE = "interval"
# Seeds in the full run, and in one job; the quick run has one job for each method.
_N_SEEDS, _SEEDS_PER_JOB = 100, 20
_QUANTITY = "mean squared error"
DEFAULT = "IntervalRegressor()"
"""The library's default, without any setting."""

INTERVAL_METHODS: dict[str, tuple[str, str, str, str]] = {
    "DF, as coded (paper)": ("DF", LOOP, "sum one", "moves < 1e-5"),
    "DF, as coded (released)": ("DF", LOOP, "as they are", "moves < 1e-5"),
    "DF, optimum of what is coded": ("DF", LOOP, "as they are", "optimum"),
    "DF, exact": ("DF", "votes", "sum one", "optimum"),
    "DF, exact, intercept": ("DF", "risk", "intercept", "optimum"),
    "IL, as coded": ("IL", "as coded", "as they are", "grid"),
    "IL, exact": ("IL", "exact", "as they are", "optimum"),
    "IL, exact, intercept": ("IL", "exact", "intercept", "optimum"),
    "AC, as coded (paper)": ("AC", "votes", "sum one", "closed form"),
    "AC, as coded (released)": ("AC", "risk", "as they are", "closed form"),
    "AC, intercept": ("AC", "risk", "intercept", "closed form"),
    "true numbers": ("truth", "risk", "intercept", "closed form"),
}
"""Names in the figure, and the descriptions of the methods in `reproduce.interval.methods`."""

PICTURE_METHODS = ("DF, as coded (paper)", "IL, as coded", "AC, as coded (paper)")
"""The methods in the picture of a single seed, as in the published figure."""


def interval_jobs(*, quick: bool = False, seed: int = 0) -> list[Job]:
    """The picture of the first seed, then each method on all seeds.

    Parameters
    ----------
    quick : bool
        20 seeds in place of 100.
    seed : int
        The first of the authors' seeds.

    Examples
    --------
    >>> [job.name for job in interval_jobs(quick=True)][:2]
    ['picture', 'DF, as coded (paper)']
    """
    starts = range(seed, seed + (_SEEDS_PER_JOB if quick else _N_SEEDS), _SEEDS_PER_JOB)
    chunks = [{"seed": start, "n_seeds": _SEEDS_PER_JOB} for start in starts]
    return [
        Job(_FIGURE, "picture", picture, {"seed": seed}),
        *(
            Job(_FIGURE, name, method_errors, {"name": name, **chunk})
            for name in INTERVAL_METHODS
            for chunk in chunks
        ),
        *(Job(_FIGURE, DEFAULT, default_errors, chunk) for chunk in chunks),
    ]


def _method(name: str) -> Method:
    (found,) = (method for method in METHODS if method.described == INTERVAL_METHODS[name])
    return found


def picture(seed: int) -> Payload:
    """One problem and the predictions of `PICTURE_METHODS`, each at its best ridge."""
    problem = sine_problem(seed)
    curves, errors = {}, {}
    for name in PICTURE_METHODS:
        paths = [found.predictions for found in _method(name).path(problem)]
        squares = [float(np.mean((path - problem.truth) ** 2)) for path in paths]
        best = int(np.argmin(squares))
        curves[name], errors[name] = paths[best].tolist(), squares[best]
    return {
        "seed": seed,
        "x": problem.X.ravel().tolist(),
        "lower": problem.intervals.lower.ravel().tolist(),
        "upper": problem.intervals.upper.ravel().tolist(),
        "grid": problem.queries.ravel().tolist(),
        "truth": problem.truth.tolist(),
        "curves": curves,
        "errors": errors,
    }


def method_errors(name: str, seed: int, n_seeds: int) -> Payload:
    """Errors on the grid, and held-out distances, at every ridge: (seeds, ridges) each."""
    found = measure(_method(name), [sine_problem(seed + t) for t in range(n_seeds)])
    return {
        "method": name,
        "seeds": [seed + t for t in range(n_seeds)],
        "ridges": [ridge for ridge, _ in found.settings],
        "errors": found.errors.tolist(),
        "distances": found.distances.tolist(),
    }


def default_errors(seed: int, n_seeds: int) -> Payload:
    """Errors of the library's default, (seeds, 1)."""
    errors = []
    for t in range(n_seeds):
        problem = sine_problem(seed + t)
        with warnings.catch_warnings():
            # Ten rows are too few to choose by: it says that it uses a fixed rule.
            warnings.filterwarnings("ignore", message="weights='auto'")
            model = IntervalRegressor().fit(problem.X, problem.intervals)
        errors.append([float(np.mean((model.predict(problem.queries) - problem.truth) ** 2))])
    return {"method": DEFAULT, "seeds": [seed + t for t in range(n_seeds)], "errors": errors}


def interval_results(payloads: Sequence[Payload]) -> list[FigureResult]:
    """Mean errors from the payloads of the jobs, with the ridge chosen with and without the truth.

    The authors' numbers are means over the seeds 0 to 99. A run from seed 0 has the same seeds, but
    differences are compared with unpaired standard errors (`reproduce.results.compared`), which is
    lenient.
    """
    found = []
    for name in (*INTERVAL_METHODS, DEFAULT):
        chunks = [payload for payload in payloads if payload.get("method") == name]
        errors = np.concatenate([chunk["errors"] for chunk in chunks])
        words: dict[str, Any] = {
            "panel": "sin(10 x), 10 intervals",
            "method": name,
            "quantity": _QUANTITY,
            "over": f"{len(errors)} seeds",
        }
        if name == DEFAULT:
            found.append(FigureResult.of(errors[:, 0], choice="fixed", **words))
            continue
        settings = [(ridge, None) for ridge in chunks[0]["ridges"]]
        distances = np.concatenate([chunk["distances"] for chunk in chunks])
        both = Errors(settings, errors, distances, 0, 0)
        recorded, spread = RECORDED_INTERVAL.get(name, (None, None))
        found.append(
            FigureResult.of(
                both.with_truth, choice="truth", authors=recorded, authors_error=spread, **words
            )
        )
        found.append(FigureResult.of(both.without_truth, choice="sets", **words))
    return found
