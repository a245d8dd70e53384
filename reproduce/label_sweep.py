"""All cells of the classification figure on all folds.

One kernel matrix for each bandwidth and one inverse for each ridge serve every fold, every level of
corruption and every method; see `KernelRidgeWeights.at_regularization` and `relax_folds`. The
predictions are those of `PartialLabelClassifier` with `KernelRidgeWeights` fitted on the training
rows of a fold.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from disambig.candidates import LabelSets
from disambig.losses import ZeroOneLoss
from disambig.losses.labels.finite import FiniteLoss
from disambig.notation import FloatArray, IntArray
from disambig.votes import Votes
from disambig.weights import KernelRidgeWeights
from reproduce.batch.labels import FoldRelaxation, relax_folds

METHODS = ("df", "il", "il_coded", "ac")
_PARTS = ("decomposition", "weights", "disambiguation", "baselines", "exact infimum")
_RTOL = 1e-10


@dataclass
class Clock:
    """CPU seconds of this process by part of the work; nested parts are not counted twice."""

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
    """Predictions and costs of a sweep.

    Attributes
    ----------
    predictions : list of dict
        For each fold and each of `METHODS` an array (cells, problems, test rows).
    seconds : dict
        CPU seconds by part.
    unconverged : int
        Number of disambiguations that did not converge.
    """

    predictions: list[dict[str, IntArray]]
    seconds: dict[str, float]
    unconverged: int


class _TimedWeights:
    """Fitted weights whose computation of votes is timed as the part "weights"."""

    def __init__(self, weights: Any, clock: Clock) -> None:
        self._weights, self._clock = weights, clock

    def without(self, rows: IntArray) -> "_TimedWeights":
        with self._clock("weights"):
            return _TimedWeights(self._weights.without(rows), self._clock)

    def training_votes(self) -> Votes:
        with self._clock("weights"):
            votes: Votes = self._weights.training_votes()
            return votes

    def left_out_votes(self) -> Votes:
        with self._clock("weights"):
            votes: Votes = self._weights.left_out_votes()
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
    """Predictions of all cells on all problems; a cell is a bandwidth with a regularization.

    Cells are in the order of bandwidths × regularizations, the latter fastest.

    `folds` are pairs (train, test). `problems` have all rows. `regularizations` takes a number of
    training rows. `start` is the start of disambiguation.
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
                    # A fit on all rows with the ridge n lam of a fit on the training rows.
                    lam = regularizations(size)[k] * size / n
                    if fitted is None:
                        fitted = KernelRidgeWeights(bandwidth=bandwidth, regularization=lam).fit(X)
                    else:
                        fitted = fitted.at_regularization(lam)
                with clock("disambiguation"):
                    chosen = [folds[f] for f in members]
                    run = relax_folds(
                        _TimedWeights(fitted, clock), chosen, loss, problems, start=start
                    )
                    for f, fold in zip(members, run, strict=True):
                        unconverged += sum(not r.converged for r in fold.relaxations)
                        for method, values in _predicted(fold, loss, baselines[f], clock):
                            found[f][method][b * depth + k] = values
    return Sweep(found, clock.seconds, unconverged)


class _Baselines:
    """What the baselines learn from; it is the same for all cells."""

    def __init__(self, sets: list[LabelSets]) -> None:
        self.sets = sets
        self.distributions = np.array([each.distribution() for each in sets])
        self.masks = np.array([each.mask.astype(np.float64) for each in sets])
        self.priors = self.distributions.mean(axis=1)


def _empty(shape: tuple[int, ...]) -> dict[str, IntArray]:
    return {method: np.empty(shape, dtype=np.intp) for method in METHODS}


def _predicted(
    fold: FoldRelaxation, loss: FiniteLoss, known: _Baselines, clock: Clock
) -> Iterator[tuple[str, IntArray]]:
    """Predictions of each method at the test rows, (problems, q)."""
    targets = np.array([found.targets.distribution for found in fold.relaxations])
    is_decided = np.array([found.targets.is_vertex for found in fold.relaxations])
    # The prior comes from the decided rows, or from all rows if none is decided.
    is_decided[~is_decided.any(axis=1)] = True
    priors = (targets * is_decided[:, :, None]).sum(axis=1) / is_decided.sum(axis=1, keepdims=True)
    yield "df", _expected(loss, fold.votes, targets, priors)
    with clock("baselines"):
        ac = _expected(loss, fold.votes, known.distributions, known.priors)
        coded = coded_infimum(fold.votes, known.masks)
    yield "ac", ac
    yield "il_coded", coded
    with clock("exact infimum"):
        exact = np.empty_like(ac)
        split: Any = _SplitVotes(fold.votes)
        for t, (sets, prior) in enumerate(zip(known.sets, known.priors, strict=True)):
            scores, scale = loss.infimum_scores(split, sets)
            exact[t] = _best_predictions(loss, scores, scale, prior, _RTOL)
    yield "il", exact


def _best_predictions(
    loss: FiniteLoss, scores: FloatArray, scale: FloatArray, prior: FloatArray, rtol: float
) -> IntArray:
    """The prediction of least score in each row of ``(q, P)``.

    Of tied predictions, the one of least expected loss under the `prior` ``(K,)`` is taken.
    Otherwise a query without votes would get the first class.
    """
    tied = loss.best_prediction(scores, rtol * scale).mask
    expected = loss.matrix @ prior
    index: IntArray = np.where(tied, expected, np.inf).argmin(axis=1)
    return index


class _SplitVotes:
    """Votes split by their signs once for all problems."""

    def __init__(self, votes: Votes) -> None:
        self._parts = votes.split()

    def split(self) -> tuple[Votes, Votes]:
        return self._parts


def coded_infimum(votes: Votes, masks: FloatArray) -> IntArray:
    """``argmax_z sum_j alpha[i, j] [z in s_j]``, the infimum loss as coded by the authors.

    It is the infimum loss if no vote is negative. Kernel ridge has negative votes. In the infimum
    loss these count on singletons only, here on every set. `masks` of 0 and 1 are (problems, n, K);
    the predictions are (problems, q).
    """
    found: IntArray = _class_votes(votes, masks).argmax(axis=2)
    return found


def _expected(
    loss: FiniteLoss, votes: Votes, distributions: FloatArray, priors: FloatArray
) -> IntArray:
    classes = _class_votes(votes, distributions)
    scales = np.abs(classes).max(axis=2) * loss.largest
    return np.array(
        [
            _best_predictions(loss, votes_for @ loss.matrix.T, scale, prior, _RTOL)
            for votes_for, scale, prior in zip(classes, scales, priors, strict=True)
        ]
    )


def _class_votes(votes: Votes, distributions: FloatArray) -> FloatArray:
    """``votes @ distributions[t]`` for each problem t, (problems, q, K), in one product."""
    problems, n, size = distributions.shape
    product = votes @ distributions.transpose(1, 0, 2).reshape(n, problems * size)
    return np.ascontiguousarray(product.reshape(-1, problems, size).transpose(1, 0, 2))
