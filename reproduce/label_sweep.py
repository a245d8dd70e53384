"""All cells of the classification figure on all folds, by our pieces.

One kernel matrix a bandwidth, and one inverse a ridge, serve every fold, every level of corruption
and every method: `KernelRidgeWeights.at_regularization` and `relax_folds`. The predictions are
those of `PartialLabelClassifier` with `KernelRidgeWeights` fitted on the training rows of a fold.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.estimators.probabilities import best_predictions
from disambig.losses import FiniteLoss, ZeroOneLoss
from disambig.notation import FloatArray, IntArray
from disambig.votes import Votes
from disambig.weights import KernelRidgeWeights
from reproduce.batch.labels import FoldRelaxation, relax_folds

METHODS = ("df", "il", "il_coded", "ac")
_PARTS = ("decomposition", "weights", "disambiguation", "baselines", "exact infimum")
_RTOL = 1e-10


@dataclass
class Clock:
    """CPU seconds of this process, by the part of the work; an inner part does not count twice."""

    seconds: dict[str, float] = field(default_factory=dict)
    _inner: float = 0.0

    @contextmanager
    def __call__(self, part: str) -> Iterator[None]:
        outer, self._inner = self._inner, 0.0
        begun = time.process_time()
        yield
        spent = time.process_time() - begun
        self.seconds[part] = self.seconds.get(part, 0.0) + spent - self._inner
        self._inner = outer + spent


@dataclass(frozen=True, eq=False)
class Sweep:
    """What the sweep found.

    Attributes
    ----------
    predictions : list of dict
        For each fold and each of `METHODS` an array (cells, problems, test rows).
    seconds : dict
        CPU seconds by part.
    unconverged : int
    """

    predictions: list[dict[str, IntArray]]
    seconds: dict[str, float]
    unconverged: int


class _Clocked:
    """Weights whose votes count as such, wherever they are asked for."""

    def __init__(self, piece: Any, clock: Clock) -> None:
        self._piece, self._clock = piece, clock

    def without(self, rows: IntArray) -> "_Clocked":
        with self._clock("weights"):
            return _Clocked(self._piece.without(rows), self._clock)

    def training_votes(self) -> Votes:
        with self._clock("weights"):
            votes: Votes = self._piece.training_votes()
            return votes

    def left_out_votes(self) -> Votes:
        with self._clock("weights"):
            votes: Votes = self._piece.left_out_votes()
            return votes


def sweep(
    X: FloatArray,
    folds: Sequence[tuple[IntArray, IntArray]],
    problems: Sequence[LabelSets],
    bandwidths: Sequence[float],
    regularizations: Callable[[int], Sequence[float]],
    *,
    start: str = "average",
) -> Sweep:
    """Every cell (bandwidths × regularizations, the latter running fastest) on every problem.

    `folds` are pairs (train, test), `problems` on all rows; `regularizations` are those for so many
    training rows; `start` is where disambiguation begins.
    """
    clock = Clock(dict.fromkeys(_PARTS, 0.0))
    n, depth = len(X), len(regularizations(len(X)))
    loss = ZeroOneLoss().bind(problems[0].classes)
    shape = len(bandwidths) * depth, len(problems)
    found = [_empty((*shape, len(test))) for _, test in folds]
    unconverged = 0
    with clock("baselines"):
        baselines = [_Baselines([sets[np.sort(train)] for sets in problems]) for train, _ in folds]
    for b, bandwidth in enumerate(bandwidths):
        fitted: KernelRidgeWeights | None = None
        for k in range(depth):
            for size in sorted({len(train) for train, _ in folds}):
                members = [f for f, (train, _) in enumerate(folds) if len(train) == size]
                with clock("decomposition"):
                    # The ridge n lam of a fit on the training rows, in a fit on all.
                    lam = regularizations(size)[k] * size / n
                    if fitted is None:
                        fitted = KernelRidgeWeights(bandwidth=bandwidth, regularization=lam).fit(X)
                    else:
                        fitted = fitted.at_regularization(lam)
                with clock("disambiguation"):
                    chosen = [folds[f] for f in members]
                    run = relax_folds(_Clocked(fitted, clock), chosen, loss, problems, start=start)
                    for f, fold in zip(members, run, strict=True):
                        unconverged += sum(not r.converged for r in fold.relaxations)
                        for method, values in _predicted(fold, loss, baselines[f], clock):
                            found[f][method][b * depth + k] = values
    return Sweep(found, clock.seconds, unconverged)


class _Baselines:
    """What the baselines learn from, which no cell changes."""

    def __init__(self, sets: list[LabelSets]) -> None:
        self.sets = sets
        self.laws = np.array([each.distribution() for each in sets])
        self.masks = np.array([each.mask.astype(np.float64) for each in sets])
        self.priors = self.laws.mean(axis=1)


def _empty(shape: tuple[int, ...]) -> dict[str, IntArray]:
    return {method: np.empty(shape, dtype=np.intp) for method in METHODS}


def _predicted(
    fold: FoldRelaxation, loss: FiniteLoss, known: _Baselines, clock: Clock
) -> Iterator[tuple[str, IntArray]]:
    """Predictions of each method at the test rows, (problems, q)."""
    laws = np.array([found.targets.distribution for found in fold.relaxations])
    settled = np.array([found.targets.is_vertex for found in fold.relaxations])
    settled[~settled.any(axis=1)] = True
    priors = (laws * settled[:, :, None]).sum(axis=1) / settled.sum(axis=1, keepdims=True)
    yield "df", _expected(loss, fold.votes, laws, priors)
    with clock("baselines"):
        ac = _expected(loss, fold.votes, known.laws, known.priors)
        coded = coded_infimum(fold.votes, known.masks)
    yield "ac", ac
    yield "il_coded", coded
    with clock("exact infimum"):
        exact = np.empty_like(ac)
        parted: Any = _Parted(fold.votes)
        for t, (sets, prior) in enumerate(zip(known.sets, known.priors, strict=True)):
            scores, scale = loss.infimum_scores(parted, sets)
            exact[t] = best_predictions(loss, scores, scale, prior, _RTOL)
    yield "il", exact


class _Parted:
    """Votes by their signs, which every problem asks for, parted once."""

    def __init__(self, votes: Votes) -> None:
        self._parts = votes.split()

    def split(self) -> tuple[Votes, Votes]:
        return self._parts


def coded_infimum(votes: Votes, masks: FloatArray) -> IntArray:
    """``argmax_z sum_j alpha[i, j] [z in s_j]``, the infimum loss as the authors' programs have it.

    It is the infimum loss where no vote is negative. Kernel ridge has negative votes, which count
    there on singletons only and here on every set. `masks` are (problems, n, K), of 0 and 1; the
    answer is (problems, q).
    """
    found: IntArray = _class_votes(votes, masks).argmax(axis=2)
    return found


def _expected(loss: FiniteLoss, votes: Votes, laws: FloatArray, priors: FloatArray) -> IntArray:
    classes = _class_votes(votes, laws)
    scales = np.abs(classes).max(axis=2) * loss.largest
    return np.array(
        [
            best_predictions(loss, heard @ loss.matrix.T, scale, prior, _RTOL)
            for heard, scale, prior in zip(classes, scales, priors, strict=True)
        ]
    )


def _class_votes(votes: Votes, laws: FloatArray) -> FloatArray:
    """``votes @ laws[t]`` for each problem t, (problems, q, K), in one product."""
    problems, n, size = laws.shape
    heard = votes @ laws.transpose(1, 0, 2).reshape(n, problems * size)
    return np.ascontiguousarray(heard.reshape(-1, problems, size).transpose(1, 0, 2))
