"""One point of a scaling curve: data of a given size, one fit, its seconds and its memory.

Inputs lie on linear sheets of five dimensions in a space of d dimensions, with a little noise.
Every sheet has two classes, on either side of a soft border, so no classifier is right more often
than `BEST_ACCURACY`. `measure_in_process` measures a point in its own process, within limits of CPU
seconds and memory, and returns the measurements or the limit that was hit.
"""

import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.semi_supervised import LabelSpreading
from threadpoolctl import threadpool_limits

from benchmarks.low_rank import peak
from benchmarks.sparse_steps import with_distractors
from disambig import PartialLabelClassifier
from disambig.weights import ForestWeights, KernelRidgeWeights, NeighborWeights, NystromWeights

__all__ = [
    "BEST_ACCURACY", "KNOWN_SHARE", "MAX_GIB", "N_LANDMARKS", "RIDGE", "Outcome", "Point",
    "candidates", "measure", "measure_in_process", "sheets",
]  # fmt: skip

N_LANDMARKS = 500
RIDGE = 1e-6
MAX_GIB = 8
_MIN_SHEETS, _SHEET_DIMENSION = 20, 5
_NOISE, _SEPARATION, _BORDER_NOISE = 0.1, 0.7, 0.1
# The share of rows on the wrong side is the angle between the border and its noisy copy over pi.
BEST_ACCURACY = 1.0 - float(np.arctan(_BORDER_NOISE)) / np.pi
_N_QUERIES = 5000
# The share of labels that label spreading gets; it cannot use sets.
KNOWN_SHARE = 0.01


@dataclass(frozen=True)
class Point:
    """What is fitted: a method on n rows, d features and m classes, with k neighbours."""

    method: str
    n: int
    d: int = 20
    m: int = 10
    k: int = 10


@dataclass(frozen=True)
class Outcome:
    """The measurements of one point.

    `cpu` and `wall` are seconds of the fit, `weights_cpu` and `weights_wall` those of the weighting
    alone (None if unknown). `gib` is the peak memory of the process. `recovered` is the share of
    right training labels (of the unknown ones, for label spreading), `right` that of predictions at
    new inputs, `recall` that of true neighbours that were found. `limit` says why the point was not
    measured; it is empty if it was.
    """

    cpu: float = float("nan")
    wall: float = float("nan")
    weights_cpu: float | None = None
    weights_wall: float | None = None
    gib: float = float("nan")
    recovered: float = float("nan")
    right: float | None = None
    recall: float | None = None
    limit: str = ""


def sheets(n: int, d: int, m: int) -> tuple[Any, Any]:
    """Inputs ``(n, d)`` and classes ``(n,)``; smaller n do not give the first rows of larger n."""
    rng = np.random.default_rng(0)
    count = max(_MIN_SHEETS, m // 2)
    sheet = rng.integers(0, count, n)
    order = np.argsort(sheet, kind="stable")
    ends = np.searchsorted(sheet[order], np.arange(count + 1))
    X, right = np.empty((n, d), dtype=np.float32), np.empty(n, dtype=np.bool_)
    for group in range(count):
        rows = order[ends[group] : ends[group + 1]]
        place = rng.standard_normal((rows.size, _SHEET_DIMENSION))
        middle, plane = rng.standard_normal(d), rng.standard_normal((_SHEET_DIMENSION, d))
        X[rows] = _SEPARATION * middle + place @ plane / np.sqrt(_SHEET_DIMENSION)
        X[rows] += _NOISE * rng.standard_normal((rows.size, d))
        right[rows] = place[:, 0] + _BORDER_NOISE * rng.standard_normal(rows.size) > 0
    return X, (2 * sheet + right) % m


def candidates(truth: Any, m: int) -> Any:
    """Sets of three classes with the true one, or of two if there are only three classes."""
    rng = np.random.default_rng(1)
    if m > 3:
        return with_distractors(truth, m, rng)
    other = (truth + rng.integers(1, m, truth.size)) % m
    return (np.arange(m) == truth[:, None]) | (np.arange(m) == other[:, None])


class TimedWeights(BaseEstimator):
    """A weighting that appends CPU and wall seconds of its fit and training votes to `spent`.

    These include the search of a graph, the growth of trees, or the decomposition of a matrix.
    Clones share the list, so the caller sees the times of all fits.
    """

    def __init__(self, weights: Any, spent: list[tuple[float, float]]) -> None:
        self.weights = weights
        self.spent = spent

    def __sklearn_clone__(self) -> Self:
        return type(self)(clone(self.weights), self.spent)

    def fit(self, X: Any, sample_weight: Any = None) -> Self:
        begun = _clocks()
        self.weights_ = self.weights.fit(X, sample_weight)
        self.first_ = self.weights_.training_votes()
        self.spent.append(_since(begun))
        return self

    def training_votes(self) -> Any:
        return self.first_

    def leave_one_out_votes(self) -> Any:
        return self.weights_.leave_one_out_votes()

    def votes(self, X: Any) -> Any:
        return self.weights_.votes(X)


WEIGHTINGS: dict[str, Callable[[int], Any]] = {
    "neighbours, exact": NeighborWeights,
    "neighbours, approximate": lambda k: NeighborWeights(k, algorithm="approximate"),
    "landmarks": lambda _: NystromWeights(
        n_landmarks=N_LANDMARKS, regularization=RIDGE, intercept=True
    ),
    "forest": lambda _: ForestWeights(),
    "kernel ridge": lambda _: KernelRidgeWeights(regularization=RIDGE, intercept=True),
}


def measure(point: Point) -> Outcome:
    """One fit in this process, on one thread."""
    with threadpool_limits(1), warnings.catch_warnings():
        # Warnings of searches that become exact, and of propagation that was stopped; the table
        # shows both.
        warnings.simplefilter("ignore", UserWarning)
        return _spread(point) if point.method.startswith("LabelSpreading") else _fit(point)


def _fit(point: Point) -> Outcome:
    X, truth = sheets(point.n + _N_QUERIES, point.d, point.m)
    mask = candidates(truth, point.m)
    # Functions are compiled, or read from their cache, by a fit that is not measured.
    few = min(point.n, 3000)
    _model(point, []).fit(X[:few], mask[:few]).predict(X[:10])
    spent: list[tuple[float, float]] = []
    begun = _clocks()
    model = _model(point, spent).fit(X[: point.n], mask[: point.n])
    cpu, wall = _since(begun)
    return Outcome(
        cpu,
        wall,
        *spent[0],
        gib=peak() / 1024,
        recovered=float(np.mean(model.labels_ == truth[: point.n])),
        right=float(np.mean(model.predict(X[point.n :]) == truth[point.n :])),
        recall=getattr(model.weights_.weights_, "recall_", None),
    )


def _model(point: Point, spent: list[tuple[float, float]]) -> Any:
    return PartialLabelClassifier(TimedWeights(WEIGHTINGS[point.method](point.k), spent))


def _spread(point: Point) -> Outcome:
    X, truth = sheets(point.n, point.d, point.m)
    known = np.random.default_rng(1).random(point.n) < KNOWN_SHARE
    kernel = point.method.split()[-1]
    model = LabelSpreading(kernel=kernel, gamma=2.0, n_neighbors=point.k, max_iter=100)
    begun = _clocks()
    model.fit(X, np.where(known, truth, -1))
    cpu, wall = _since(begun)
    guessed = float(np.mean((model.transduction_ == truth)[~known]))
    return Outcome(cpu, wall, gib=peak() / 1024, recovered=guessed)


def _clocks() -> tuple[float, float]:
    return time.process_time(), time.perf_counter()


def _since(begun: tuple[float, float]) -> tuple[float, float]:
    return time.process_time() - begun[0], time.perf_counter() - begun[1]


def measure_in_process(point: Point, cap: float) -> Outcome:
    """The outcome of `measure` in its own process."""

    def limit() -> None:
        # 30 seconds in addition to the fit, for imports, data and the fit that compiles.
        total = int(cap) + 30
        resource.setrlimit(resource.RLIMIT_CPU, (total, total))
        resource.setrlimit(resource.RLIMIT_AS, (MAX_GIB * 2**30, MAX_GIB * 2**30))

    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.scaling_point", json.dumps(asdict(point))],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit,
    )
    if done.returncode == 0:
        return Outcome(**json.loads(done.stdout.splitlines()[-1]))
    if done.returncode < 0:
        return Outcome(limit=f"stopped: more than {cap:g} s")
    if "MemoryError" in done.stderr or "MemoryBudgetError" in done.stderr:
        return Outcome(limit=f"stopped: more than {MAX_GIB} GiB")
    raise RuntimeError(done.stderr)


if __name__ == "__main__":
    print(json.dumps(asdict(measure(Point(**json.loads(sys.argv[1]))))))
