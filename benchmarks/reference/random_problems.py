"""Seeded random problems on which the two programs are compared."""

from typing import NamedTuple

import numpy as np

from disambig.candidates import LabelSets
from disambig.losses import ZeroOneLoss
from disambig.notation import AnyArray, BoolArray, FloatArray
from disambig.problem import Problem
from disambig.votes import as_votes
from disambig.weights import KernelRidgeWeights, NeighborWeights

__all__ = ["RandomProblem", "neighbor_problem", "ridge_problem", "stacked"]


class RandomProblem(NamedTuple):
    """Votes (n, n) and sets (n, K)."""

    votes: FloatArray
    mask: BoolArray

    def bound(self) -> Problem:
        """The problem for our solvers, under the 0-1 loss."""
        classes = np.arange(self.mask.shape[1])
        sets = LabelSets(self.mask, classes)
        return Problem(as_votes(self.votes), ZeroOneLoss().bind(classes), sets)


def ridge_problem(seed: int) -> RandomProblem:
    """Kernel ridge votes, symmetric and signed; generic entries make ties unlikely."""
    rng = np.random.default_rng([seed, 1])
    X, mask = _inputs_and_sets(rng)
    weights = KernelRidgeWeights(
        bandwidth=float(rng.uniform(0.5, 2.0)), regularization=float(10 ** rng.uniform(-4, -1))
    )
    return RandomProblem(weights.fit(X).training_votes().array, mask)


def neighbor_problem(seed: int) -> RandomProblem:
    """Votes of the k nearest rows: not symmetric, with many ties."""
    rng = np.random.default_rng([seed, 2])
    X, mask = _inputs_and_sets(rng)
    weights = NeighborWeights(n_neighbors=int(rng.integers(4, 16)))
    return RandomProblem(weights.fit(X).training_votes().matrix.toarray(), mask)


def stacked(problems: list[RandomProblem]) -> dict[str, AnyArray]:
    """Problems of several sizes as padded arrays, with their sizes."""
    rows = np.array([len(p.mask) for p in problems])
    classes = np.array([p.mask.shape[1] for p in problems])
    votes = np.zeros((len(problems), rows.max(), rows.max()))
    sets = np.zeros((len(problems), rows.max(), classes.max()), dtype=np.bool_)
    for t, problem in enumerate(problems):
        n, m = problem.mask.shape
        votes[t, :n, :n] = problem.votes
        sets[t, :n, :m] = problem.mask
    return {"votes": votes, "sets": sets, "rows": rows, "classes": classes}


def _inputs_and_sets(rng: np.random.Generator) -> tuple[FloatArray, BoolArray]:
    n, m, d = int(rng.integers(40, 161)), int(rng.integers(3, 7)), int(rng.integers(2, 6))
    truth = rng.integers(0, m, size=n)
    X = rng.normal(size=(n, d)) + rng.normal(scale=1.5, size=(m, d))[truth]
    mask = rng.random((n, m)) < rng.uniform(0.2, 0.7)
    mask[np.arange(n), truth] = True
    return X, mask
