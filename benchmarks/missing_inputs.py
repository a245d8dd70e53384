"""Inputs with missing cells: defaults that take NaN, and three imputers in front of them.

    python -m benchmarks.missing_inputs [--write] [--quick] [--outcomes FILE] [--data FOLDER]
    python -m benchmarks.missing_inputs --only stock/large --seeds 8 [--write]

Cells are removed from training and test rows alike: "random"; "large", the larger the value the
more often; "target", with a probability that depends on the column and on the class, or on whether
the true number is above its median. The estimators are `PartialLabelClassifier()` on sets to which
every wrong class was added with probability 0.3, and `IntervalRegressor()` on intervals.
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from benchmarks.kept_outcomes import KeptOutcomes
from benchmarks.results import provenance, write_section
from disambig import IntervalRegressor, PartialLabelClassifier
from disambig.candidates import Intervals
from disambig.datasets import UniformCorruption, load_interval_folder, load_libsvm
from disambig.exceptions import DatasetError, InputShiftWarning, NoVotesWarning
from disambig.notation import AnyArray, BoolArray, FloatArray

LABEL_SETS = ("vehicle", "segment", "satimage", "digits")
NUMBER_SETS = ("machine.cpu", "stock", "H3K4me3_PGP_immune_PDPA")
MECHANISMS = ("random", "large", "target")
# Seeds for each share of missing cells.
SEEDS = {0.1: 1, 0.2: 3, 0.5: 1}
NUMBER_SEEDS = {0.2: 2}
N_TRAIN, N_TEST, LEVEL = 300, 500, 0.3
OURS = "ours"


class Data(NamedTuple):
    """Inputs, what is learned from, the true class or a guess of the number, and who learns.

    Attributes
    ----------
    X : float array (n, d)
    y : array (n,), or Intervals
        Classes, or sets.
    side : array (n,)
        The group on which "target" depends.
    """

    X: FloatArray
    y: Any
    side: AnyArray


def imputers(seed: int) -> dict[str, Callable[[], Any] | None]:
    """What stands in front of the default, by name; None: nothing."""
    return {
        "mean + indicator": lambda: SimpleImputer(add_indicator=True, keep_empty_features=True),
        "k-NN": lambda: KNNImputer(keep_empty_features=True),
        "iterative": lambda: IterativeImputer(random_state=seed, keep_empty_features=True),
        OURS: None,
    }


def load(name: str, folder: Path) -> Data:
    """A data set by its name."""
    if name in NUMBER_SETS:
        found = load_interval_folder(folder / "interval" / "mmit" / name)
        sets = Intervals(found.intervals[:, 0], found.intervals[:, 1])
        finite = np.where(np.isfinite(sets.lower), sets.lower, sets.upper).ravel()
        return Data(found.X, sets, (finite > np.median(finite)).astype(np.intp))
    if name == "digits":
        X, y = load_digits(return_X_y=True)
    else:
        found = load_libsvm(folder / "libsvm" / f"{name}.scale")
        X, y = found.X.toarray() if hasattr(found.X, "toarray") else found.X, found.y
    codes = np.unique(y, return_inverse=True)[1]
    return Data(np.asarray(X, dtype=np.float64), y, codes)


def holes(data: Data, share: float, mechanism: str, rng: np.random.Generator) -> BoolArray:
    """Which cells are missing, ``(n, d)``, a share of `share` of them on average."""
    n, d = data.X.shape
    if mechanism == "random":
        chance = np.full((n, d), share)
    elif mechanism == "large":
        # Ties in random order.
        noise = rng.random((n, d))
        ranks = np.stack(
            [np.lexsort((noise[:, j], data.X[:, j])).argsort() for j in range(d)], axis=1
        )
        chance = 2 * share * (ranks + 0.5) / n
    else:
        n_groups = int(data.side.max()) + 1
        levels = np.tile(np.linspace(0, 2 * share, n_groups), (d, 1))
        chance = rng.permuted(levels, axis=1).T[data.side]
    return np.asarray(rng.random((n, d)) < chance)


class Outcome(NamedTuple):
    """Errors ``(seeds,)`` of one method at one share and mechanism, and CPU seconds."""

    errors: FloatArray
    seconds: float


@dataclass(frozen=True)
class Run:
    """Error of one method on one drawn set, and CPU seconds."""

    error: float
    seconds: float


Key = tuple[str, float, str]


def run(
    name: str, data: Data, share: float, mechanism: str, seeds: int, kept: KeptOutcomes[Run]
) -> dict[str, Outcome]:
    """All methods; the same rows, sets and holes for all. Runs that are kept are not repeated."""
    runs: dict[str, list[Run]] = {}
    for seed in range(seeds):
        drawn = _drawn(name, data, share, mechanism, seed)
        for method, imputer in imputers(seed).items():
            key = f"{name}|{share:.0%} {mechanism}|{seed}|{method}"
            found = kept.get(key)
            if found is None:
                found = _run_one(name in NUMBER_SETS, data, drawn, imputer)
                kept.add(key, found)
            runs.setdefault(method, []).append(found)
    return {
        method: Outcome(np.array([one.error for one in found]), sum(one.seconds for one in found))
        for method, found in runs.items()
    }


def _run_one(
    is_number: bool,
    data: Data,
    drawn: tuple[AnyArray, AnyArray, FloatArray, Any],
    imputer: Callable[[], Any] | None,
) -> Run:
    train, test, X, sets = drawn
    begun = time.process_time()
    model: Any = IntervalRegressor() if is_number else PartialLabelClassifier()
    if imputer is not None:
        model = make_pipeline(imputer(), model)
    model.fit(X[train], sets)
    error = 1.0 - float(model.score(X[test], data.y[test]))
    return Run(error, time.process_time() - begun)


def _drawn(
    name: str, data: Data, share: float, mechanism: str, seed: int
) -> tuple[AnyArray, AnyArray, FloatArray, Any]:
    rng = np.random.default_rng([seed, MECHANISMS.index(mechanism), int(100 * share)])
    n = len(data.X)
    size = min(N_TRAIN, 2 * n // 3)
    train, test = train_test_split(
        np.arange(n), train_size=size, test_size=min(N_TEST, n - size), random_state=seed
    )
    X = np.where(holes(data, share, mechanism, rng), np.nan, data.X)
    if isinstance(data.y, Intervals):
        return train, test, X, data.y[train]
    return train, test, X, UniformCorruption(LEVEL)(data.y[train], random_state=seed)


def standard_error(ours: FloatArray, other: FloatArray) -> float:
    """Of the mean difference over seeds; NaN for one seed."""
    if len(ours) == 1:
        return float("nan")
    return float(np.std(ours - other, ddof=1) / np.sqrt(len(ours)))


def verdict(found: dict[str, Outcome]) -> tuple[str, float, float]:
    """The best imputer, how much worse we are than it, and the standard error of that."""
    others = [method for method in found if method != OURS]
    best = min(others, key=lambda method: float(found[method].errors.mean()))
    gap = float(found[OURS].errors.mean() - found[best].errors.mean())
    return best, gap, standard_error(found[OURS].errors, found[best].errors)


def table(outcomes: dict[Key, dict[str, Outcome]]) -> str:
    """A line for each data set, share and mechanism: mean errors, and the verdict."""
    methods = list(next(iter(outcomes.values())))
    lines = [
        f"| data | missing | {' | '.join(methods)} | ours − best of the three |",
        f"|---|---|{'---|' * len(methods)}---|",
    ]
    for (name, share, mechanism), found in outcomes.items():
        means = {method: float(found[method].errors.mean()) for method in methods}
        least = min(means.values())
        cells = [
            f"**{value:.3f}**" if value == least else f"{value:.3f}" for value in means.values()
        ]
        _, gap, error = verdict(found)
        difference = f"{gap:+.3f}" + ("" if np.isnan(error) else f" ± {error:.3f}")
        lines.append(f"| {name} | {share:.0%} {mechanism} | {' | '.join(cells)} | {difference} |")
    return "\n".join(lines)


def ranks(outcomes: dict[Key, dict[str, Outcome]]) -> str:
    """Mean ranks of the methods, by mechanism."""
    methods = list(next(iter(outcomes.values())))
    lines = [f"| missing | {' | '.join(methods)} |", f"|---|{'---|' * len(methods)}"]
    for mechanism in MECHANISMS:
        rows = [
            [float(found[method].errors.mean()) for method in methods]
            for (_, _, one), found in outcomes.items()
            if one == mechanism
        ]
        if rows:
            places = np.mean([np.argsort(np.argsort(row)) + 1 for row in rows], axis=0)
            lines.append(f"| {mechanism} | {' | '.join(f'{place:.2f}' for place in places)} |")
    return "\n".join(lines)


def chance(seeds: int, repeats: int = 20_000) -> float:
    """How often a method is worse than the best of three by a standard error if all are equal."""
    errors = np.random.default_rng(0).normal(size=(repeats, seeds, 4))
    best = errors[:, :, 1:].mean(axis=1).argmin(axis=1)
    other = np.take_along_axis(errors[:, :, 1:], best[:, None, None], axis=2)[:, :, 0]
    away = errors[:, :, 0] - other
    return float(np.mean(away.mean(axis=1) > away.std(axis=1, ddof=1) / np.sqrt(seeds)))


def summary(outcomes: dict[Key, dict[str, Outcome]]) -> str:
    """Where the default is worse than the best of the three by more than one standard error."""
    worse = []
    count = 0
    for (name, share, mechanism), found in outcomes.items():
        if share != 0.2:
            continue
        count += 1
        best, gap, error = verdict(found)
        if gap > error:
            worse.append(f"{name}, {mechanism} ({gap:+.3f} ± {error:.3f} against {best})")
    text = (
        f"At 20 % the default with NaN is at most one standard error worse than the best of the "
        f"three in {count - len(worse)} of {count} cases"
    )
    if worse:
        text += f"; not so on: {'; '.join(worse)}"
    many, few = SEEDS[0.2], NUMBER_SEEDS[0.2]
    return (
        f"{text}. The best of three is picked after the fact: one of four equally good methods is "
        f"so much worse than the best of the others in {chance(many):.0%} of cases with {many} "
        f"seeds, and in {chance(few):.0%} with {few}."
    )


def cases(quick: bool) -> Iterator[tuple[str, float, str, int]]:
    """Data set, share, mechanism and number of seeds."""
    for name in LABEL_SETS[:1] if quick else LABEL_SETS:
        for share, seeds in ({0.2: 2} if quick else SEEDS).items():
            for mechanism in MECHANISMS:
                if seeds > 1 or mechanism != "large":
                    yield name, share, mechanism, seeds
    for name in () if quick else NUMBER_SETS:
        for share, seeds in NUMBER_SEEDS.items():
            for mechanism in MECHANISMS:
                yield name, share, mechanism, seeds


def run_case(
    name: str, share: float, mechanism: str, seeds: int, folder: Path, kept: KeptOutcomes[Run]
) -> dict[str, Outcome]:
    """One data set with one kind of holes, on one thread."""
    try:
        data = load(name, folder)
    except (DatasetError, FileNotFoundError) as error:
        raise SystemExit(f"missing_inputs: {error} Set DISAMBIG_DATA.") from error
    with threadpool_limits(1), warnings.catch_warnings():
        for category in (ConvergenceWarning, InputShiftWarning, NoVotesWarning):
            warnings.simplefilter("ignore", category)
        return run(name, data, share, mechanism, seeds, kept)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the section of RESULTS.md")
    parser.add_argument("--quick", action="store_true", help="one data set")
    parser.add_argument("--only", nargs="*", metavar="SET/MECHANISM", help="these alone, at 20 %%")
    parser.add_argument("--seeds", type=int, default=8, help="of --only")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--outcomes", type=Path, help="a file that keeps the outcomes of all runs")
    parser.add_argument("--again", nargs="*", default=[], metavar="METHOD", help="do not use these")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("DISAMBIG_DATA", "data")))
    options = parser.parse_args(arguments)
    kept = KeptOutcomes(options.outcomes or Path(os.devnull), Run)
    for method in options.again:
        kept.forget(f"|{method}")
    todo = list(cases(options.quick))
    if options.only:
        named = [one.partition("/") for one in options.only]
        todo = [(name, 0.2, mechanism, options.seeds) for name, _, mechanism in named]
    found = Parallel(n_jobs=options.jobs, return_as="generator")(
        delayed(run_case)(*case, options.data, kept) for case in todo
    )
    outcomes: dict[Key, dict[str, Outcome]] = {}
    for (name, share, mechanism, _), one in zip(todo, found, strict=True):
        outcomes[name, share, mechanism] = one
        means = {method: round(float(part.errors.mean()), 3) for method, part in one.items()}
        print(f"{name} {share:.0%} {mechanism}: {means}", flush=True)
    if options.only:
        section, text = "missing_inputs: repeated", _repeated(outcomes, options.seeds)
    else:
        section, text = "missing_inputs", _whole(outcomes)
    if options.write:
        write_section(section, text)
    else:
        print(text)


def _whole(outcomes: dict[Key, dict[str, Outcome]]) -> str:
    return (
        "## Missing inputs\n\n"
        "Cells are missing in training and test rows: at random; the larger the value the more "
        "often; with the class (numbers: with the side of the median). Imputers of scikit-learn in "
        "front of the default, and the default given NaN. Errors on test rows, lower is better: "
        "wrong labels; for numbers one minus R² of the distances to their intervals. The last "
        "column is the mean difference over seeds and its standard error.\n\n"
        f"{summary(outcomes)}\n\n"
        f"{provenance('python -m benchmarks.missing_inputs --write', seeds=_seeds())}\n"
        f"- Rows: at most {N_TRAIN} to train and {N_TEST} to test\n"
        f"- CPU seconds: {_seconds(outcomes)}\n\n"
        f"{table(outcomes)}\n\nMean ranks, 1 the best:\n\n{ranks(outcomes)}\n"
    )


def _repeated(outcomes: dict[Key, dict[str, Outcome]], seeds: int) -> str:
    names = " ".join(f"{name}/{mechanism}" for name, _, mechanism in outcomes)
    command = f"python -m benchmarks.missing_inputs --only {names} --seeds {seeds} --write"
    return (
        "## Missing inputs: cases with more seeds\n\n"
        f"{provenance(command, seeds=f'0 to {seeds - 1}')}\n"
        f"- CPU seconds: {_seconds(outcomes)}\n\n"
        f"{table(outcomes)}\n"
    )


def _seconds(outcomes: dict[Key, dict[str, Outcome]]) -> str:
    methods = next(iter(outcomes.values()))
    total = {m: sum(found[m].seconds for found in outcomes.values()) for m in methods}
    return ", ".join(f"{method} {value:.0f}" for method, value in total.items())


def _seeds() -> str:
    def listed(seeds: dict[float, int]) -> str:
        return ", ".join(f"{count} at {share:.0%}" for share, count in seeds.items())

    return f"from 0: labels {listed(SEEDS)}; numbers {listed(NUMBER_SEEDS)}"


if __name__ == "__main__":
    main()
