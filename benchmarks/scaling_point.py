"""One point of a scaling curve: data of a given size, one fit, its seconds and its memory.

Inputs lie on sheets of five dimensions in a space of d, a little noise around them; every sheet
holds two classes, on either side of a soft border, so that no classifier is right more often than
`BEST`. A point is measured in a process of its own, within limits of CPU seconds and of memory:
`measured` starts it and is told what the process found, or which limit it hit.
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
    "BEST", "KNOWN", "LANDMARKS", "MOST_GIB", "RIDGE", "Outcome", "Point", "candidates", "measure",
    "measured", "sheets",
]  # fmt: skip

LANDMARKS = 500
RIDGE = 1e-6
MOST_GIB = 8
_SHEETS, _DIMENSION = 20, 5
_NOISE, _SEPARATION, _BORDER = 0.1, 0.7, 0.1
# One row in so many is on the wrong side: the angle between the border and the one that is seen.
BEST = 1.0 - float(np.arctan(_BORDER)) / np.pi
_QUERIES = 5000
# Labels that label spreading is given, which reads no sets.
KNOWN = 0.01


@dataclass(frozen=True)
class Point:
    """What is fitted: a method on n rows of d features and m classes; k is the neighbours'."""

    method: str
    n: int
    d: int = 20
    m: int = 10
    k: int = 10


@dataclass(frozen=True)
class Outcome:
    """Of one point.

    Seconds of the fit on the processor and on the wall, and of the weighting alone, None where it
    is not told apart; GiB of the process at its largest; of the training labels (of those unknown,
    for label spreading) and of the predictions at new inputs the share that is right; of the true
    neighbours the share that was found. `limit`: what kept the point from being measured, if any.
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
    """Inputs ``(n, d)`` and classes ``(n,)``; a longer draw does not begin as a shorter one."""
    rng = np.random.default_rng(0)
    count = max(_SHEETS, m // 2)
    sheet = rng.integers(0, count, n)
    order = np.argsort(sheet, kind="stable")
    ends = np.searchsorted(sheet[order], np.arange(count + 1))
    X, right = np.empty((n, d), dtype=np.float32), np.empty(n, dtype=np.bool_)
    for group in range(count):
        rows = order[ends[group] : ends[group + 1]]
        place = rng.standard_normal((rows.size, _DIMENSION))
        middle, plane = rng.standard_normal(d), rng.standard_normal((_DIMENSION, d))
        X[rows] = _SEPARATION * middle + place @ plane / np.sqrt(_DIMENSION)
        X[rows] += _NOISE * rng.standard_normal((rows.size, d))
        right[rows] = place[:, 0] + _BORDER * rng.standard_normal(rows.size) > 0
    return X, (2 * sheet + right) % m


def candidates(truth: Any, m: int) -> Any:
    """Sets of three, the class among them; of two where three are all that there are."""
    rng = np.random.default_rng(1)
    if m > 3:
        return with_distractors(truth, m, rng)
    other = (truth + rng.integers(1, m, truth.size)) % m
    return (np.arange(m) == truth[:, None]) | (np.arange(m) == other[:, None])


class Watched(BaseEstimator):
    """A weighting, and in `spent` the CPU and wall seconds of its fit and first training votes.

    That is where a graph is searched, trees are grown, a matrix is decomposed. The list is shared
    by clones, so that it is the one of whoever made the first.
    """

    def __init__(self, piece: Any, spent: list[tuple[float, float]]) -> None:
        self.piece = piece
        self.spent = spent

    def __sklearn_clone__(self) -> Self:
        return type(self)(clone(self.piece), self.spent)

    def fit(self, X: Any, sample_weight: Any = None) -> Self:
        begun = _clocks()
        self.piece_ = self.piece.fit(X, sample_weight)
        self.first_ = self.piece_.training_votes()
        self.spent.append(_since(begun))
        return self

    def training_votes(self) -> Any:
        return self.first_

    def leave_one_out_votes(self) -> Any:
        return self.piece_.leave_one_out_votes()

    def votes(self, X: Any) -> Any:
        return self.piece_.votes(X)


PIECES: dict[str, Callable[[int], Any]] = {
    "neighbours, exact": NeighborWeights,
    "neighbours, approximate": lambda k: NeighborWeights(k, algorithm="approximate"),
    "landmarks": lambda _: NystromWeights(
        n_landmarks=LANDMARKS, regularization=RIDGE, intercept=True
    ),
    "forest": lambda _: ForestWeights(),
    "kernel ridge": lambda _: KernelRidgeWeights(regularization=RIDGE, intercept=True),
}


def measure(point: Point) -> Outcome:
    """One fit in this process, on one thread."""
    with threadpool_limits(1), warnings.catch_warnings():
        # Of searches that end up exact and of propagation that was cut off; both show in the table.
        warnings.simplefilter("ignore", UserWarning)
        return _spread(point) if point.method.startswith("LabelSpreading") else _fit(point)


def _fit(point: Point) -> Outcome:
    X, truth = sheets(point.n + _QUERIES, point.d, point.m)
    mask = candidates(truth, point.m)
    # Kernels are compiled, or read from where they were kept, by a fit that is not measured.
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
        recall=getattr(model.weights_.piece_, "recall_", None),
    )


def _model(point: Point, spent: list[tuple[float, float]]) -> Any:
    return PartialLabelClassifier(Watched(PIECES[point.method](point.k), spent))


def _spread(point: Point) -> Outcome:
    X, truth = sheets(point.n, point.d, point.m)
    known = np.random.default_rng(1).random(point.n) < KNOWN
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


def measured(point: Point, cap: float) -> Outcome:
    """What a process of its own found."""

    def limit() -> None:
        # Beside the fit: imports, data, the fit that compiles.
        whole = int(cap) + 30
        resource.setrlimit(resource.RLIMIT_CPU, (whole, whole))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_GIB * 2**30, MOST_GIB * 2**30))

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
        return Outcome(limit=f"stopped: more than {MOST_GIB} GiB")
    raise RuntimeError(done.stderr)


if __name__ == "__main__":
    print(json.dumps(asdict(measure(Point(**json.loads(sys.argv[1]))))))
