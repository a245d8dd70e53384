"""Censored targets end to end: distance to the intervals of rows that were held out.

    python -m benchmarks.censored [--write] [--quick] [--data FOLDER]

Tobit data (numbers cut at a limit), interval-censored and one-sided data, five folds. Inputs are
scaled by their training rows. Bandwidth and ridge of both regressions are chosen from the same
twelve pairs by the squared distance to held-out intervals in three inner folds (on 800 rows where
there are more). Score of a row: (lower - z)₊² + (z - upper)₊².

* constant: the number of least total distance to the training intervals;
* midpoints: kernel ridge with an intercept on the middle of each interval, or on its finite end;
* `IntervalRegressor`: the same kernel and intercept, targets found with the function.
"""

import argparse
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.censored_data import DATA, CensoredData, load
from benchmarks.results import provenance, write_section
from disambig import IntervalRegressor
from disambig.exceptions import DatasetError
from disambig.losses import SquaredLoss
from disambig.metrics import (
    interval_coverage,
    interval_squared_distance,
    interval_squared_distance_scorer,
)
from disambig.notation import FloatArray, IntArray
from disambig.votes import DenseVotes
from disambig.weights import KernelRidgeWeights

METHODS = ("constant", "midpoints", "IntervalRegressor")
_COVERAGE = 0.9
# Beyond, choosing and calibrating on all rows takes more time than it tells.
_MOST_CHOOSING, _MOST_CALIBRATED = 800, 1000


@dataclass(frozen=True, eq=False)
class Outcome:
    """One set.

    `distances` and `inside` hold, by method, the mean squared distance and the share of predictions
    inside (of rows that are no points), a number a fold; `met` the share of held-out sets that the
    90 % intervals meet, NaN where they were not made.
    """

    name: str
    data: CensoredData
    distances: dict[str, FloatArray]
    inside: dict[str, FloatArray]
    met: FloatArray
    certified: int
    seconds: float


def run(name: str, data: CensoredData, *, seed: int, n_folds: int = 5) -> Outcome:
    """All methods on all folds."""
    folds = _folds(data, seed)
    begun = time.process_time()
    distances: dict[str, list[float]] = {method: [] for method in METHODS}
    inside: dict[str, list[float]] = {method: [] for method in METHODS}
    met, certified = [], 0
    for fold in np.unique(folds)[:n_folds]:
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        X, sets = data.X[train], data.intervals[train]
        queries, held = data.X[test], data.intervals[test]
        found = {"constant": np.full(len(test), _constant(sets))}
        found["midpoints"] = _chosen("average", X, sets, seed).fit(X, sets).predict(queries)
        model = _chosen("disambiguation", X, sets, seed)
        calibrated = len(train) <= _MOST_CALIBRATED
        model.set_params(intervalregressor__calibration=5 if calibrated else None)
        found["IntervalRegressor"] = model.fit(X, sets).predict(queries)
        certified += model[-1].certified_
        wide = ~held.is_point
        for method in METHODS:
            distances[method].append(interval_squared_distance(held, found[method]))
            inside[method].append(
                interval_coverage(held[wide], found[method][wide]) if wide.any() else np.nan
            )
        met.append(_met(model, queries, held.lower.ravel(), held.upper.ravel(), calibrated))
    return Outcome(
        name,
        data,
        {method: np.array(values) for method, values in distances.items()},
        {method: np.array(values) for method, values in inside.items()},
        np.array(met),
        certified,
        time.process_time() - begun,
    )


def _folds(data: CensoredData, seed: int) -> IntArray:
    if data.folds is not None:
        return data.folds
    folds = np.empty(len(data.X), dtype=np.intp)
    for k, (_, rows) in enumerate(KFold(5, shuffle=True, random_state=seed).split(data.X)):
        folds[rows] = k
    return folds


def _constant(sets: Any) -> float:
    equal = DenseVotes(np.full((1, len(sets)), 1 / len(sets)))
    return float(SquaredLoss().infimum_prediction(equal, sets, sets.span)[0, 0])


def _chosen(method: str, X: FloatArray, sets: Any, seed: int) -> Any:
    """A pipeline with the bandwidth and the ridge that held-out distances prefer."""
    weights = KernelRidgeWeights(intercept=True)
    model = make_pipeline(StandardScaler(), IntervalRegressor(weights, method=method))
    root = float(np.sqrt(X.shape[1]))
    grid = {
        "intervalregressor__weights__bandwidth": [0.5 * root, root, 2 * root],
        "intervalregressor__weights__regularization": [1.0, 1e-1, 1e-2, 1e-3],
    }
    rows = np.random.default_rng(seed).permutation(len(X))[:_MOST_CHOOSING]
    search = GridSearchCV(
        model,
        grid,
        scoring=interval_squared_distance_scorer,
        cv=KFold(3, shuffle=True, random_state=seed),
        refit=False,
    ).fit(X[rows], sets[rows])
    return model.set_params(**search.best_params_)


def _met(
    model: Any, queries: FloatArray, lower: FloatArray, upper: FloatArray, calibrated: bool
) -> float:
    if not calibrated:
        return float("nan")
    ends = model[-1].predict_interval(model[:-1].transform(queries), _COVERAGE)
    return float(np.mean((ends[:, 0] <= upper) & (lower <= ends[:, 1])))


def report(outcomes: list[Outcome], absent: list[str], *, command: str, seed: int) -> str:
    """The section as Markdown."""
    head = ["set", "rows", "points / intervals / half-lines"]
    head += [f"{method}: distance² | inside" for method in METHODS]
    head += ["90 % intervals meet", "certified", "CPU s"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * (6 + 2 * len(METHODS))]
    for o in outcomes:
        sets = o.data.intervals
        lines_of = np.isinf(sets.lower).ravel() | np.isinf(sets.upper).ravel()
        points = int(sets.is_point.sum())
        bounded = len(sets) - points - int(lines_of.sum())
        row = [o.name, str(len(sets)), f"{points} / {bounded} / {int(lines_of.sum())}"]
        for method in METHODS:
            row += [_mean(o.distances[method]), _share(o.inside[method])]
        row += [_share(o.met), f"{o.certified} of {len(o.met)}", f"{o.seconds:.0f}"]
        lines.append("| " + " | ".join(row) + " |")
    words = "; ".join(f"{o.name}: {o.data.target}" for o in outcomes)
    return "\n\n".join(
        [
            "## Censored targets, end to end",
            "Mean squared distance to held-out intervals, mean ± standard error over folds, in the "
            "square of the unit of the target; *inside*: share of predictions inside their set, "
            "rows that are points left out; *90 % intervals meet*: share of held-out sets that "
            "`predict_interval` has a point in common with (sets of up to 1000 training rows).",
            provenance(command, seeds=str(seed), more={"Threads": "1; CPU seconds of all"}),
            "\n".join(lines),
            f"Targets: {words}.",
            _verdict(outcomes),
            *(f"Not run: {line}" for line in absent),
        ]
    )


def _verdict(outcomes: list[Outcome]) -> str:
    """Where ours is above another by more than the standard error of the difference, or below."""
    parts = []
    for other in ("constant", "midpoints"):
        below, above = [], []
        for o in outcomes:
            gap = o.distances["IntervalRegressor"] - o.distances[other]
            if abs(gap.mean()) > _spread(gap):
                (below if gap.mean() < 0 else above).append(o.name)
        parts.append(
            f"Nearer than {other} by more than the standard error of the difference on: "
            f"{', '.join(below) or 'none'}; farther on: {', '.join(above) or 'none'}."
        )
    return " ".join(parts)


def _spread(values: FloatArray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def _mean(values: FloatArray) -> str:
    return f"{values.mean():.4g} ± {_spread(values):.2g}"


def _share(values: FloatArray) -> str:
    """Mean of the folds that have it."""
    known = values[~np.isnan(values)]
    return f"{100 * known.mean():.0f} %" if known.size else "–"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.censored")
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="small sets, two folds")
    parser.add_argument("--data", type=Path, help="folder of the data sets (else DISAMBIG_DATA)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    folder = options.data or Path(os.environ.get("DISAMBIG_DATA", "data"))
    outcomes, absent = [], []
    for name in DATA:
        try:
            data = load(name, folder)
        except DatasetError as error:
            absent.append(str(error))
            continue
        if options.quick and len(data.X) > _MOST_CALIBRATED:
            continue
        with threadpool_limits(1):
            n_folds = 2 if options.quick else 5
            outcomes.append(run(name, data, seed=options.seed, n_folds=n_folds))
        print(f"{name}: {outcomes[-1].seconds:.0f} s CPU", file=sys.stderr, flush=True)
    command = f"python -m benchmarks.censored{' --quick' if options.quick else ''} --write"
    text = report(outcomes, absent, command=command, seed=options.seed)
    print(text)
    if options.write:
        write_section("censored", text)


if __name__ == "__main__":
    main()
