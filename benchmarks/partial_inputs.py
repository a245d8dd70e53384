"""Inputs with cells known in part: imputers, expected values inside of sets, and the principle.

    python -m benchmarks.partial_inputs [--write] [--quick] [--data FOLDER]

A share of the cells of training and test rows is known in part: "rounded", to a grid of 1.5
standard deviations; "interval", between bounds that are 1 to 3 standard deviations apart, at a
random place around the value; "two values", the true one and that of a random row; "censored", the
largest values of every column, known to be above a limit. The sets of targets are those of
`benchmarks.missing_inputs`, and the estimators are `PartialLabelClassifier("kernel_ridge")` and
`IntervalRegressor("neighbors")` behind all methods.
"""

import argparse
import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from benchmarks.missing_inputs import (
    LABEL_SETS,
    LEVEL,
    N_TEST,
    N_TRAIN,
    NUMBER_SETS,
    Data,
    Outcome,
    load,
    standard_error,
)
from benchmarks.results import provenance, write_section
from disambig import IntervalRegressor, PartialLabelClassifier
from disambig.candidates import Intervals
from disambig.datasets import UniformCorruption
from disambig.estimators import DisambiguatedInputs
from disambig.exceptions import DatasetError, InputShiftWarning, NoVotesWarning
from disambig.inputs import Alternatives, PartialInputs
from disambig.notation import AnyArray, FloatArray

FORMS = ("rounded", "interval", "two values", "censored")
# Seeds for each share of cells that are known in part.
SEEDS = {0.3: 3, 0.1: 1, 0.5: 1}
NUMBER_SEEDS = {0.3: 2}
GRID = 1.5
EXPECTED, PRINCIPLE = "expected value", "principle"
IMPUTERS = ("mean + indicator", "k-NN", "iterative")
METHODS = (*IMPUTERS, "middle", EXPECTED, PRINCIPLE)

Key = tuple[str, float, str]


def in_part(X: FloatArray, share: float, form: str, rng: np.random.Generator) -> PartialInputs:
    """Inputs of which a share of the cells is known in part; columns have variance one."""
    n, d = X.shape
    hidden = rng.random((n, d)) < share
    if form == "censored":
        limits = np.quantile(X, 1.0 - share, axis=0)
        hidden = limits < X
        return PartialInputs.from_bounds(np.where(hidden, limits, X), np.where(hidden, np.inf, X))
    if form == "two values":
        others = np.take_along_axis(X, rng.integers(0, n, (n, d)), axis=0)
        pairs = np.sort(np.stack([X, others], axis=2), axis=2)
        hidden &= others != X
        columns = [np.flatnonzero(hidden[:, j]) for j in range(d)]
        found = [Alternatives(j, rows, pairs[rows, j]) for j, rows in enumerate(columns)]
        return PartialInputs(X, X, tuple(one for one in found if len(one.rows)))
    if form == "rounded":
        lower = GRID * np.floor(X / GRID)
        upper = lower + GRID
    else:
        width = rng.uniform(1.0, 3.0, (n, d))
        lower = X - width * rng.random((n, d))
        upper = lower + width
    return PartialInputs.from_bounds(np.where(hidden, lower, X), np.where(hidden, upper, X))


def imputed(method: str, X: PartialInputs, train: AnyArray, seed: int) -> FloatArray:
    """All rows by an imputer that learns from the known cells, clipped to what is known."""
    imputers: dict[str, Any] = {
        "mean + indicator": SimpleImputer(add_indicator=True, keep_empty_features=True),
        "k-NN": KNNImputer(keep_empty_features=True),
        "iterative": IterativeImputer(random_state=seed, keep_empty_features=True),
        "middle": SimpleImputer(keep_empty_features=True),
    }
    cells = np.asarray(X) if method == "middle" else np.where(X.is_known, X.lower, np.nan)
    filled: FloatArray = imputers[method].fit(cells[train]).transform(cells)
    d = X.shape[1]
    filled[:, :d] = np.clip(filled[:, :d], X.lower, X.upper)
    if method != "middle":
        for one in X.alternatives:
            away = np.abs(one.values - filled[one.rows, one.column][:, None])
            nearest = np.argmin(away, axis=1)
            filled[one.rows, one.column] = one.values[np.arange(len(one.rows)), nearest]
    return filled


def run(name: str, data: Data, share: float, form: str, seeds: int) -> dict[str, Outcome]:
    """All methods; the same rows, sets and cells for all."""
    errors: dict[str, list[float]] = {method: [] for method in METHODS}
    seconds = dict.fromkeys(METHODS, 0.0)
    for seed in range(seeds):
        rng = np.random.default_rng([seed, FORMS.index(form), int(100 * share)])
        n = len(data.X)
        size = min(N_TRAIN, 2 * n // 3)
        train, test = train_test_split(
            np.arange(n), train_size=size, test_size=min(N_TEST, n - size), random_state=seed
        )
        X = in_part(StandardScaler().fit_transform(data.X), share, form, rng)
        sets: Any = data.y[train]
        if not isinstance(data.y, Intervals):
            sets = UniformCorruption(LEVEL)(sets, random_state=seed)
        for method in METHODS:
            begun = time.process_time()
            is_number = name in NUMBER_SETS
            weights = "neighbors" if is_number else "kernel_ridge"
            model: Any = (
                IntervalRegressor(weights) if is_number else PartialLabelClassifier(weights)
            )
            if method in (EXPECTED, PRINCIPLE):
                temperature: Any = np.inf if method == EXPECTED else "auto"
                inputs: Any = X
                model = DisambiguatedInputs(model, temperature=temperature)
            else:
                inputs = imputed(method, X, train, seed)
            model.fit(inputs[train], sets)
            errors[method].append(1.0 - float(model.score(inputs[test], data.y[test])))
            seconds[method] += time.process_time() - begun
    return {method: Outcome(np.array(errors[method]), seconds[method]) for method in METHODS}


def difference(found: dict[str, Outcome], other: str) -> str:
    """How much worse the principle is than another method, and the standard error of that."""
    gap = float(found[PRINCIPLE].errors.mean() - found[other].errors.mean())
    error = standard_error(found[PRINCIPLE].errors, found[other].errors)
    return f"{gap:+.3f}" + ("" if np.isnan(error) else f" ± {error:.3f}")


def table(outcomes: dict[Key, dict[str, Outcome]]) -> str:
    """A line for each data set, share and form: mean errors, and differences."""
    lines = [
        f"| data | known in part | {' | '.join(METHODS)} | principle − expected value |",
        f"|---|---|{'---|' * len(METHODS)}---|",
    ]
    for (name, share, form), found in outcomes.items():
        means = [float(found[method].errors.mean()) for method in METHODS]
        cells = [f"**{value:.3f}**" if value == min(means) else f"{value:.3f}" for value in means]
        gap = difference(found, EXPECTED)
        lines.append(f"| {name} | {share:.0%} {form} | {' | '.join(cells)} | {gap} |")
    return "\n".join(lines)


def ranks(outcomes: dict[Key, dict[str, Outcome]]) -> str:
    """Mean ranks of the methods, by form; equal errors share their ranks."""
    lines = [f"| known in part | {' | '.join(METHODS)} |", f"|---|{'---|' * len(METHODS)}"]
    for form in FORMS:
        rows = np.array(
            [
                [float(found[method].errors.mean()) for method in METHODS]
                for (_, _, one), found in outcomes.items()
                if one == form
            ]
        )
        if rows.size:
            below = (rows[:, :, None] > rows[:, None, :]).sum(axis=2)
            equal = (rows[:, :, None] == rows[:, None, :]).sum(axis=2)
            places = (below + (equal + 1) / 2).mean(axis=0)
            lines.append(f"| {form} | {' | '.join(f'{place:.2f}' for place in places)} |")
    return "\n".join(lines)


def summary(outcomes: dict[Key, dict[str, Outcome]]) -> str:
    """Mean differences over all runs, and in how many cases each method is best."""
    pairs = [(found[PRINCIPLE].errors, found[EXPECTED].errors) for found in outcomes.values()]
    gaps = np.concatenate([ours - other for ours, other in pairs])
    best = np.array(
        [min(float(found[m].errors.mean()) for m in IMPUTERS) for found in outcomes.values()]
    )
    expected = np.array([float(found[EXPECTED].errors.mean()) for found in outcomes.values()])
    error = gaps.std(ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else float("nan")
    return (
        f"The principle changes the error of expected values by {gaps.mean():+.4f} ± {error:.4f} "
        f"on average over {len(gaps)} runs: less in {int((gaps < 0).sum())}, equal in "
        f"{int((gaps == 0).sum())}, more in {int((gaps > 0).sum())}. Expected values inside of the "
        f"sets have a smaller error than the best of three imputers that are clipped to them in "
        f"{int((expected < best).sum())} of {len(best)} cases; the mean difference is "
        f"{(expected - best).mean():+.3f}."
    )


def cases(quick: bool) -> Iterator[tuple[str, float, str, int]]:
    """Data set, share, form and number of seeds."""
    for share, seeds in ({0.3: 1} if quick else SEEDS).items():
        for name in LABEL_SETS[:1] if quick else LABEL_SETS:
            for form in FORMS:
                yield name, share, form, seeds
    for share, seeds in ({} if quick else NUMBER_SEEDS).items():
        for name in NUMBER_SETS:
            for form in FORMS:
                yield name, share, form, seeds


def run_case(name: str, share: float, form: str, seeds: int, folder: Path) -> dict[str, Outcome]:
    """One data set with one form of cells, on one thread."""
    try:
        data = load(name, folder)
    except (DatasetError, FileNotFoundError) as error:
        raise SystemExit(f"partial_inputs: {error} Set DISAMBIG_DATA.") from error
    with threadpool_limits(1), warnings.catch_warnings():
        for category in (ConvergenceWarning, InputShiftWarning, NoVotesWarning):
            warnings.simplefilter("ignore", category)
        return run(name, data, share, form, seeds)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="one data set")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("DISAMBIG_DATA", "data")))
    options = parser.parse_args(arguments)
    todo = list(cases(options.quick))
    found = Parallel(n_jobs=options.jobs, return_as="generator")(
        delayed(run_case)(*case, options.data) for case in todo
    )
    outcomes: dict[Key, dict[str, Outcome]] = {}
    for (name, share, form, _), one in zip(todo, found, strict=True):
        outcomes[name, share, form] = one
        means = {method: round(float(part.errors.mean()), 3) for method, part in one.items()}
        print(f"{name} {share:.0%} {form}: {means}", flush=True)
    seconds = {
        method: sum(found[method].seconds for found in outcomes.values()) for method in METHODS
    }
    text = (
        "## Inputs known in part\n\n"
        "A share of the cells of training and test rows is known in part. Imputers of scikit-learn "
        'take these cells as missing, and what they fill is clipped to what is known; "middle" is '
        'the middle of the set; "expected value" and "principle" are `DisambiguatedInputs` at an '
        "infinite temperature and with its default. Errors on test rows, lower is better: wrong "
        "labels; for numbers one minus R² of the distances to their intervals. The last column is "
        "the mean difference over seeds and its standard error.\n\n"
        f"{summary(outcomes)}\n\n"
        f"{provenance('python -m benchmarks.partial_inputs --write', seeds=_seeds())}\n"
        f"- Rows: at most {N_TRAIN} to train and {N_TEST} to test\n"
        f"- CPU seconds: {', '.join(f'{m} {s:.0f}' for m, s in seconds.items())}\n\n"
        f"{table(outcomes)}\n\nMean ranks, 1 the best:\n\n{ranks(outcomes)}\n"
    )
    if options.write:
        write_section("partial_inputs", text)
    else:
        print(text)


def _seeds() -> str:
    def listed(seeds: dict[float, int]) -> str:
        return ", ".join(f"{count} at {share:.0%}" for share, count in seeds.items())

    return f"from 0: labels {listed(SEEDS)}; numbers {listed(NUMBER_SEEDS)}"


if __name__ == "__main__":
    main()
