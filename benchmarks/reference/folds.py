"""Both programs on the folds of one data set: errors of every cell, with and without the truth."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.reference.environment import Environment
from benchmarks.reference.jobs import JobError, run_job
from disambig.candidates import LabelSets
from disambig.datasets import fetch_libsvm
from disambig.datasets.corruptions.registry import CORRUPTIONS
from disambig.notation import BoolArray, FloatArray, IntArray
from reproduce.classification import (
    BANDWIDTHS,
    CORRUPTION_KINDS,
    covering_errors,
    figure_folds,
    figure_ridges,
)
from reproduce.figure_data import standardized
from reproduce.label_sweep import METHODS, sweep

__all__ = ["CodeErrors", "DataErrors", "run_folds"]

# One disambiguation takes milliseconds; one that does not end is stopped after so many.
_MAX_SECONDS = 60.0
# Rows of a first run that loads compiled code; products of fewer rows do not use it.
_N_WARM_UP_ROWS = 300
# The names of their methods by the names of ours; their IL is ours as coded.
_AUTHORS_NAMES = {"df": "df", "il_coded": "il", "ac": "ac"}


@dataclass(frozen=True, eq=False)
class CodeErrors:
    """Errors and costs of one program on the folds that it finished.

    Attributes
    ----------
    clean : dict of float arrays (folds, cells, problems)
        Share of held-out rows whose prediction is not the truth.
    covering : dict of float arrays (folds, cells, problems)
        Share of informative held-out rows whose prediction is not in the set, which does not use
        the truth.
    seconds : dict
        CPU seconds of one core by part of the work, over all folds.
    unended : int
        Number of disambiguations that did not end.
    """

    clean: dict[str, FloatArray]
    covering: dict[str, FloatArray]
    seconds: dict[str, float]
    unended: int

    @property
    def n_folds(self) -> int:
        """Number of finished folds."""
        return len(self.clean["df"])


@dataclass(frozen=True, eq=False)
class DataErrors:
    """Both programs on one data set; problems are corruptions × levels, levels vary fastest.

    `equal` is, by method, the share of equal predictions, (folds, cells, problems).
    """

    name: str
    shape: tuple[int, int, int]
    levels: tuple[float, ...]
    ours: CodeErrors
    theirs: CodeErrors | None
    equal: dict[str, FloatArray]
    failures: tuple[str, ...]

    def problem(self, kind: str, level: float) -> int:
        """The index of a problem."""
        return list(CORRUPTION_KINDS).index(kind) * len(self.levels) + self.levels.index(level)


class _ErrorCollector:
    """Collects the errors of one program over the folds."""

    def __init__(self) -> None:
        self.clean: dict[str, list[FloatArray]] = {}
        self.covering: dict[str, list[FloatArray]] = {}
        self.seconds: dict[str, float] = {}
        self.unended = 0

    def add(self, method: str, found: IntArray, truth: IntArray, masks: BoolArray) -> None:
        self.clean.setdefault(method, []).append((found != truth).mean(axis=-1))
        self.covering.setdefault(method, []).append(covering_errors(found, masks))

    def add_seconds(self, seconds: dict[str, float]) -> None:
        for part, spent in seconds.items():
            self.seconds[part] = self.seconds.get(part, 0.0) + spent

    def collected(self) -> CodeErrors:
        clean = {method: np.array(values) for method, values in self.clean.items()}
        covering = {method: np.array(values) for method, values in self.covering.items()}
        return CodeErrors(clean, covering, self.seconds, self.unended)


def run_folds(
    name: str,
    *,
    levels: Sequence[float],
    n_folds: int,
    seed: int,
    environment: Environment | None,
    folder: Any = None,
    print_line: Callable[[str], None] = print,
) -> DataErrors:
    """The first `n_folds` of eight shuffled folds; without `environment` only our code is run."""
    data = fetch_libsvm(name, folder=folder)
    X = standardized(data.X)
    problems = [
        CORRUPTIONS[kind](c)(data.y, random_state=seed) for kind in CORRUPTION_KINDS for c in levels
    ]
    truth = np.searchsorted(problems[0].classes, data.y)
    ours, theirs = _ErrorCollector(), _ErrorCollector()
    equal: dict[str, list[FloatArray]] = {method: [] for method in _AUTHORS_NAMES}
    failures = []
    folds = figure_folds(len(X), seed)[:n_folds]
    scales = [c * X.shape[1] for c in BANDWIDTHS]
    with threadpool_limits(1):
        # Compiled code is loaded before the times are measured; imports count for neither program.
        few = np.arange(min(len(X), _N_WARM_UP_ROWS))
        begun = [p[few] for p in problems[:2]]
        sweep(X[few], [(few[8:], few[:8])], begun, scales[:1], figure_ridges)
        run = sweep(X, folds, problems, scales, figure_ridges)
    ours.add_seconds(run.seconds)
    ours.unended = run.unconverged
    print_line(f"{name}, {n_folds} folds: ours {sum(run.seconds.values()):.1f} s CPU")
    for fold, (train, test) in enumerate(folds):
        sets = [p[train] for p in problems]
        masks = np.array([p.mask[test] for p in problems])
        for method in METHODS:
            ours.add(method, run.predictions[fold][method], truth[test], masks)
        line = f"{name}, fold {fold + 1} of {n_folds}"
        if environment is not None:
            try:
                found = _authors(
                    environment, X[train], X[test], sets, scales, figure_ridges(len(train))
                )
            except JobError as error:
                failures.append(f"{name}, fold {fold + 1}: {error}")
                line += f", authors: {error}"
            else:
                for method, theirs_name in _AUTHORS_NAMES.items():
                    predictions = found[theirs_name].astype(np.intp)
                    theirs.add(method, predictions, truth[test], masks)
                    equal[method].append(
                        (predictions == run.predictions[fold][method]).mean(axis=-1)
                    )
                spent = {k[8:]: float(v) for k, v in found.items() if k.startswith("seconds_")}
                theirs.add_seconds(spent)
                theirs.unended += int(found["unended"])
                line += f", authors {sum(spent.values()):.1f} s"
        print_line(line)
    return DataErrors(
        name=name,
        shape=(len(X), X.shape[1], len(problems[0].classes)),
        levels=tuple(levels),
        ours=ours.collected(),
        theirs=theirs.collected() if theirs.clean else None,
        equal={method: np.array(values) for method, values in equal.items()},
        failures=tuple(failures),
    )


def _authors(
    environment: Environment,
    X: FloatArray,
    queries: FloatArray,
    sets: Sequence[LabelSets],
    bandwidths: Sequence[float],
    ridges: Sequence[float],
) -> dict[str, Any]:
    return run_job(
        environment,
        "sweep",
        {
            "X": X,
            "queries": queries,
            "sets": np.array([s.mask for s in sets]),
            "bandwidths": np.array(bandwidths),
            "regularizations": np.array(ridges),
            "limit": _MAX_SECONDS,
        },
    )
