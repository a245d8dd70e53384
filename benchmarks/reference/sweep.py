"""All cells of the classification figure on one fold, by our pieces.

One eigendecomposition a bandwidth serves every ridge, every level of corruption and every method.
The predictions are those of `PartialLabelClassifier` with `KernelRidgeWeights` in the same cell.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from disambig.candidates import LabelSets
from disambig.estimators.label_votes import best_predictions
from disambig.losses import FiniteLoss, ZeroOneLoss
from disambig.losses.label_faces import LabelFaces
from disambig.notation import FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers.descent import Descent
from disambig.solvers.loop import Status, iterate
from disambig.solvers.starts import first_predictions
from disambig.votes import DenseVotes
from disambig.weights.similarity import Similarity
from disambig.weights.spectral import Spectrum, spectrum_of

__all__ = ["METHODS", "Clock", "Sweep", "coded_infimum", "sweep"]

METHODS = ("df", "il", "il_coded", "ac")
_RTOL = 1e-10
_MAX_ITER = 300


@dataclass
class Clock:
    """CPU seconds of this process, by the part of the work."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, part: str) -> Iterator[None]:
        begun = time.process_time()
        yield
        self.seconds[part] = self.seconds.get(part, 0.0) + time.process_time() - begun


@dataclass(frozen=True, eq=False)
class Sweep:
    """Predictions of each of `METHODS`, (cells, problems, queries), and the CPU seconds by part."""

    predictions: dict[str, IntArray]
    seconds: dict[str, float]
    unconverged: int


def sweep(
    X: FloatArray,
    queries: FloatArray,
    problems: Sequence[LabelSets],
    bandwidths: Sequence[float],
    regularizations: Sequence[float],
) -> Sweep:
    """Every cell (bandwidths × regularizations, the latter running fastest) on every problem."""
    clock = Clock()
    n = len(X)
    cells = len(bandwidths) * len(regularizations)
    shape = (cells, len(problems), len(queries))
    found = {method: np.empty(shape, dtype=np.intp) for method in METHODS}
    loss = ZeroOneLoss().bind(problems[0].classes)
    cell = unconverged = 0
    for bandwidth in bandwidths:
        with clock("decomposition"):
            similarity = Similarity("gaussian", bandwidth)
            spectrum = spectrum_of(similarity(X, X))
        with clock("weights"):
            rotated = similarity(queries, X) @ spectrum.eigenvectors
        for regularization in regularizations:
            with clock("weights"):
                training = DenseVotes(spectrum.smoother(n * regularization))
                votes = DenseVotes(_query_votes(rotated, spectrum, n * regularization))
            for t, sets in enumerate(problems):
                with clock("disambiguation"):
                    targets, converged = _disambiguated(Problem(training, loss, sets))
                    settled = targets.is_vertex if targets.is_vertex.any() else slice(None)
                    prior = targets.distribution[settled].mean(axis=0)
                    found["df"][cell, t] = _expected(loss, votes, targets.distribution, prior)
                unconverged += not converged
                law = sets.distribution()
                with clock("baselines"):
                    found["ac"][cell, t] = _expected(loss, votes, law, law.mean(axis=0))
                    found["il_coded"][cell, t] = coded_infimum(votes, sets)
                with clock("exact infimum"):
                    scores, scale = loss.infimum_scores(votes, sets)
                    prior = law.mean(axis=0)
                    found["il"][cell, t] = best_predictions(loss, scores, scale, prior, _RTOL)
            cell += 1
    return Sweep(found, clock.seconds, unconverged)


def coded_infimum(votes: DenseVotes, sets: LabelSets) -> IntArray:
    """``argmax_z sum_j alpha[i, j] [z in s_j]``, the infimum loss as the authors' programs have it.

    It is the infimum loss where no vote is negative. Kernel ridge has negative votes, which count
    there on singletons only and here on every set.
    """
    found: IntArray = (votes @ sets.mask.astype(np.float64)).argmax(axis=1)
    return found


def _disambiguated(problem: Problem) -> tuple[LabelFaces, bool]:
    # The solver without the decoding at its end: predictions are made from the relaxed targets.
    descent = Descent(problem)
    state = descent.begin(first_predictions(problem, "average"))
    run = iterate(descent, state, max_iter=_MAX_ITER)
    return cast(LabelFaces, run.state.targets), run.status is Status.CONVERGED


def _query_votes(rotated: FloatArray, spectrum: Spectrum, ridge: float) -> FloatArray:
    votes: FloatArray = (rotated / (spectrum.eigenvalues + ridge)) @ spectrum.eigenvectors.T
    return votes


def _expected(loss: FiniteLoss, votes: DenseVotes, law: FloatArray, prior: FloatArray) -> IntArray:
    classes = votes @ law
    scale = np.abs(classes).max(axis=1) * loss.largest
    return best_predictions(loss, classes @ loss.matrix.T, scale, prior, _RTOL)
