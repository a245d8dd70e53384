"""Regression on censored targets: distances of predictions to held-out intervals.

    python -m benchmarks.censored [--write] [--quick] [--data FOLDER] [--only NAME ...]

Tobit data (numbers censored at a limit), interval-censored and one-sided data, in five folds.
Inputs are scaled by their training rows. Bandwidth and ridge of the kernel regressions are chosen
from the same twelve pairs, and the size of leaves from four, by the squared distance to held-out
intervals in three inner folds (on at most 800 rows). The score of a row is (lower - z)₊² + (z -
upper)₊².

* constant: the number with the least total distance to the training intervals;
* midpoints: kernel ridge with an intercept on the middle of each interval, or on its finite end;
* kernel ridge: `IntervalRegressor` with the same kernel and intercept, which finds targets and
  function together;
* landmarks: the same with 100 landmarks; forest: the same with votes of 100 totally random trees.
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
from disambig.votes.dense import DenseVotes
from disambig.weights import ForestWeights, KernelRidgeWeights, NystromWeights

OURS = ("kernel ridge", "landmarks", "forest")
METHODS = ("constant", "midpoints", *OURS)
N_LANDMARKS, N_TREES = 100, 100
_COVERAGE = 0.9
# With as many landmarks as rows, two methods differ by rounding only.
_MIN_RELATIVE_DIFFERENCE = 1e-3
# More rows for the choice of parameters, and calibration on more rows, take time without benefit.
_MAX_CHOICE_ROWS, _MAX_CALIBRATED_ROWS = 800, 1000


@dataclass(frozen=True, eq=False)
class Outcome:
    """Results on one data set, by method.

    `distances` and `inside` are the mean squared distance and the share of predictions inside their
    sets (over rows that are not points), for each fold. `met` is, for methods in `OURS`, the share
    of held-out sets that the 90 % intervals meet, NaN where there are none. `certified` is the
    number of folds with a certified minimum, and `seconds` the CPU seconds of all folds.
    """

    name: str
    data: CensoredData
    distances: dict[str, FloatArray]
    inside: dict[str, FloatArray]
    met: dict[str, FloatArray]
    certified: dict[str, int]
    seconds: dict[str, float]


def run(name: str, data: CensoredData, *, seed: int, n_folds: int = 5) -> Outcome:
    """All methods on all folds."""
    folds = _folds(data, seed)
    distances: dict[str, list[float]] = {method: [] for method in METHODS}
    inside: dict[str, list[float]] = {method: [] for method in METHODS}
    met: dict[str, list[float]] = {method: [] for method in OURS}
    certified = dict.fromkeys(OURS, 0)
    seconds = dict.fromkeys(METHODS, 0.0)
    for fold in np.unique(folds)[:n_folds]:
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        X, sets = data.X[train], data.intervals[train]
        queries, held = data.X[test], data.intervals[test]
        calibrated = len(train) <= _MAX_CALIBRATED_ROWS
        wide = ~held.is_point
        for method in METHODS:
            begun = time.process_time()
            if method == "constant":
                found = np.full(len(test), _constant(sets))
            else:
                model = _chosen(method, X, sets, seed)
                if method in OURS and calibrated:
                    model.set_params(intervalregressor__cv=5)
                found = model.fit(X, sets).predict(queries)
                if method in OURS:
                    certified[method] += model[-1].certified_
                    met[method].append(_met(model, queries, held) if calibrated else np.nan)
            seconds[method] += time.process_time() - begun
            distances[method].append(interval_squared_distance(held, found))
            inside[method].append(
                interval_coverage(held[wide], found[wide]) if wide.any() else np.nan
            )
    return Outcome(
        name,
        data,
        {method: np.array(values) for method, values in distances.items()},
        {method: np.array(values) for method, values in inside.items()},
        {method: np.array(values) for method, values in met.items()},
        certified,
        seconds,
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
    """A pipeline with the parameters of the least held-out distance."""
    weights, grid = _weights(method, X.shape[1])
    model = make_pipeline(
        StandardScaler(),
        IntervalRegressor(weights, method="average" if method == "midpoints" else "disambiguation"),
    )
    rows = np.random.default_rng(seed).permutation(len(X))[:_MAX_CHOICE_ROWS]
    search = GridSearchCV(
        model,
        {f"intervalregressor__weights__{name}": values for name, values in grid.items()},
        scoring=interval_squared_distance_scorer,
        cv=KFold(3, shuffle=True, random_state=seed),
        refit=False,
    ).fit(X[rows], sets[rows])
    return model.set_params(**search.best_params_)


def _weights(method: str, n_features: int) -> tuple[Any, dict[str, list[Any]]]:
    """The weighting of a method, and the grid of its parameters."""
    if method == "forest":
        # The parameter counts distinct rows, of which some data sets have only two.
        return ForestWeights(n_estimators=N_TREES), {"min_samples_split": [2, 10, 30, 100]}
    root = float(np.sqrt(n_features))
    grid = {
        "bandwidth": [0.5 * root, root, 2 * root],
        "regularization": [1.0, 1e-1, 1e-2, 1e-3],
    }
    if method == "landmarks":
        return NystromWeights(n_landmarks=N_LANDMARKS, intercept=True), grid
    return KernelRidgeWeights(intercept=True), grid


def _met(model: Any, queries: FloatArray, held: Any) -> float:
    lower, upper = held.lower.ravel(), held.upper.ravel()
    ends = model[-1].predict_interval(model[:-1].transform(queries), _COVERAGE)
    return float(np.mean((ends[:, 0] <= upper) & (lower <= ends[:, 1])))


def report(outcomes: list[Outcome], absent: list[str], *, command: str, seed: int) -> str:
    """The section as Markdown."""
    head = ["set", "rows", "points / intervals / half-lines", "method", "distance²", "inside"]
    head += ["90 % intervals meet", "certified", "CPU s"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for o in outcomes:
        sets = o.data.intervals
        lines_of = np.isinf(sets.lower).ravel() | np.isinf(sets.upper).ravel()
        points = int(sets.is_point.sum())
        bounded = len(sets) - points - int(lines_of.sum())
        kinds = f"{points} / {bounded} / {int(lines_of.sum())}"
        for method in METHODS:
            row = [o.name, str(len(sets)), kinds, method]
            row += [_mean(o.distances[method]), _share(o.inside[method])]
            ours = method in OURS
            row += [_share(o.met[method]) if ours else "–"]
            row += [f"{o.certified[method]} of {len(o.met[method])}" if ours else "–"]
            lines.append("| " + " | ".join([*row, f"{o.seconds[method]:.1f}"]) + " |")
    words = "; ".join(f"{o.name}: {o.data.target}" for o in outcomes)
    return "\n\n".join(
        [
            "## Censored targets, end to end",
            "Mean squared distance to held-out intervals, mean ± standard error over folds, in the "
            "square of the unit of the target; *inside*: share of predictions inside their set, "
            "rows that are points left out; *90 % intervals meet*: share of held-out sets that "
            "`predict_interval` has a point in common with (sets of up to 1000 training rows). "
            "Constant and midpoints are baselines, *kernel ridge*, *landmarks* (kernel ridge of "
            f"low rank, p = {N_LANDMARKS}) and *forest* ({N_TREES} totally random trees) vote in "
            "`IntervalRegressor`.",
            provenance(command, seeds=str(seed), more={"Threads": "1; CPU seconds, with choice"}),
            "\n".join(lines),
            f"Targets: {words}.",
            _verdict(outcomes),
            *(f"Not run: {line}" for line in absent),
        ]
    )


def _verdict(outcomes: list[Outcome]) -> str:
    """On which data a method differs from another by more than the standard error."""
    parts = []
    pairs = [("kernel ridge", other) for other in METHODS if other != "kernel ridge"]
    for one, other in pairs:
        below, above = [], []
        for o in outcomes:
            gap = o.distances[one] - o.distances[other]
            threshold = max(_spread(gap), _MIN_RELATIVE_DIFFERENCE * o.distances[other].mean())
            if abs(gap.mean()) > threshold:
                (below if gap.mean() < 0 else above).append(o.name)
        parts.append(
            f"* {one} nearer than {other}: {', '.join(below) or 'none'}; farther: "
            f"{', '.join(above) or 'none'}."
        )
    return (
        "By more than the standard error of the difference, and than one part in a thousand:\n\n"
        + "\n".join(parts)
    )


def _spread(values: FloatArray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def _mean(values: FloatArray) -> str:
    return f"{values.mean():.4g} ± {_spread(values):.2g}"


def _share(values: FloatArray) -> str:
    """The mean over the folds in which it is known."""
    known = values[~np.isnan(values)]
    return f"{100 * known.mean():.0f} %" if known.size else "–"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.censored")
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="small sets, two folds")
    parser.add_argument("--data", type=Path, help="folder of the data sets (else DISAMBIG_DATA)")
    parser.add_argument("--only", nargs="+", choices=list(DATA), metavar="NAME", help="these sets")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    folder = options.data or Path(os.environ.get("DISAMBIG_DATA", "data"))
    outcomes, absent = [], []
    for name in options.only or DATA:
        try:
            data = load(name, folder)
        except DatasetError as error:
            absent.append(str(error))
            continue
        if options.quick and len(data.X) > _MAX_CALIBRATED_ROWS:
            continue
        with threadpool_limits(1):
            n_folds = 2 if options.quick else 5
            outcomes.append(run(name, data, seed=options.seed, n_folds=n_folds))
        print(f"{name}: CPU seconds {outcomes[-1].seconds}", file=sys.stderr, flush=True)
    command = f"python -m benchmarks.censored{' --quick' if options.quick else ''}"
    command += f" --only {' '.join(options.only)}" if options.only else ""
    command += " --write"
    text = report(outcomes, absent, command=command, seed=options.seed)
    print(text)
    if options.write:
        write_section("censored", text)


if __name__ == "__main__":
    main()
