"""Random problems that are small enough for brute force, for every weighting and loss."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from disambig.candidates import LabelSets
from disambig.losses import AbstainLoss, HierarchicalLoss, MatrixLoss, OrdinalLoss, ZeroOneLoss
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.registry import LabelLoss
from disambig.notation import FloatArray
from disambig.problem import Problem
from disambig.votes import Votes, as_votes
from disambig.votes.operator import OperatorVotes
from disambig.votes.product import ProductVotes

__all__ = [
    "FORMS",
    "LOSSES",
    "WEIGHTINGS",
    "BareOperator",
    "TinyProblem",
    "random_sets",
    "tiny_problem",
    "wrapped",
]

Generator = np.random.Generator


# ---------------------------------------------------------------- weightings


def _inputs(rng: Generator, n: int) -> FloatArray:
    # Two clusters on a coarse grid: equal points and equal distances occur.
    return np.round(rng.normal(size=(n, 2)) + 2.0 * rng.integers(0, 2, size=(n, 1)), 1)


def _distances(X: FloatArray) -> FloatArray:
    return ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)


def neighbors(rng: Generator, n: int) -> FloatArray:
    """``1/k`` for the k nearest rows, the row itself included: not symmetric, with many ties."""
    k = int(rng.integers(1, n + 1))
    order = np.argsort(_distances(_inputs(rng, n)), axis=1, kind="stable")[:, :k]
    A = np.zeros((n, n))
    np.put_along_axis(A, order, 1.0 / k, axis=1)
    return A


def kernel_ridge(rng: Generator, n: int) -> FloatArray:
    """``(K + n lam I)^{-1} K`` of a Gaussian kernel: symmetric, some entries negative."""
    K = np.exp(-_distances(_inputs(rng, n)) / 2.0)
    ridge = 10.0 ** rng.uniform(-3, 0)
    A = np.linalg.solve(K + n * ridge * np.eye(n), K)
    return (A + A.T) / 2.0


def nonnegative(rng: Generator, n: int) -> FloatArray:
    """Independent uniform votes: no symmetry, no ties."""
    return rng.random((n, n))


def signed(rng: Generator, n: int) -> FloatArray:
    """Independent normal votes: half of them negative."""
    return rng.normal(size=(n, n))


def counts(rng: Generator, n: int) -> FloatArray:
    """Small integers, zeros included: ties at every step."""
    return rng.integers(0, 3, size=(n, n)).astype(float)


def sparse_graph(rng: Generator, n: int) -> FloatArray:
    """A sparse undirected graph with self votes: components without a labeled row occur."""
    link = np.triu(rng.random((n, n)) < 0.3, 1)
    A = (link | link.T | np.eye(n, dtype=bool)).astype(float)
    return A / A.sum(axis=1, keepdims=True)


WEIGHTINGS: dict[str, Callable[[Generator, int], FloatArray]] = {
    "neighbours": neighbors,
    "kernel ridge": kernel_ridge,
    "non-negative": nonnegative,
    "signed": signed,
    "small counts": counts,
    "sparse graph": sparse_graph,
}


# ---------------------------------------------------------------- losses


def _hierarchy(rng: Generator, K: int) -> HierarchicalLoss:
    parents = {k: f"group {k % 2}" for k in range(K)} | {"group 0": "root", "group 1": "root"}
    return HierarchicalLoss(parents)


LOSSES: dict[str, Callable[[Generator, int], LabelLoss]] = {
    "zero-one": lambda rng, K: ZeroOneLoss(),
    "cost-sensitive": lambda rng, K: MatrixLoss(
        (1.0 - np.eye(K)) * rng.integers(1, 6, size=(K, 1))
    ),
    "asymmetric": lambda rng, K: MatrixLoss((1.0 - np.eye(K)) * rng.random((K, K))),
    "absolute": lambda rng, K: OrdinalLoss(power=1),
    "squared": lambda rng, K: OrdinalLoss(power=2),
    "hierarchical": _hierarchy,
    "abstain": lambda rng, K: AbstainLoss(cost=0.4),
    "fewer predictions": lambda rng, K: MatrixLoss(
        rng.integers(0, 4, size=(2, K)), predictions=["safe", "bold"]
    ),
    "any sign": lambda rng, K: MatrixLoss(rng.normal(size=(K, K))),
}


# ---------------------------------------------------------------- forms of votes


class BareOperator:
    """Votes with only ``@``, ``T``, ``shape`` and absolute row sums."""

    def __init__(self, array: FloatArray) -> None:
        self._array = array

    @property
    def shape(self) -> tuple[int, int]:
        return self._array.shape[0], self._array.shape[1]

    @property
    def T(self) -> "BareOperator":
        return BareOperator(self._array.T)

    def __matmul__(self, values: FloatArray) -> FloatArray:
        return self._array @ values

    def absolute_row_sums(self) -> FloatArray:
        return np.abs(self._array).sum(axis=1)


FORMS: dict[str, Callable[[FloatArray], Votes]] = {
    "dense": as_votes,
    "sparse": lambda A: as_votes(sp.csr_array(A)),
    "product": lambda A: ProductVotes(A, np.eye(A.shape[1])),
    "operator": lambda A: OperatorVotes(BareOperator(A)),
}


def wrapped(A: FloatArray, form: str) -> Votes:
    """The votes `A` as an array, a sparse matrix, a product or an operator without entries."""
    return FORMS[form](A)


# ---------------------------------------------------------------- problems


@dataclass(frozen=True)
class TinyProblem:
    """The plain arrays of a problem, and the problem itself."""

    A: FloatArray
    loss: FiniteLoss
    sets: LabelSets
    weighting: str
    loss_name: str
    form: str

    @property
    def problem(self) -> Problem:
        return Problem(wrapped(self.A, self.form), self.loss, self.sets)


def random_sets(rng: Generator, n: int, K: int) -> LabelSets:
    """Sets with a hidden label; about one row in five allows all, one in three a single class."""
    truth = rng.integers(0, K, size=n)
    mask = rng.random((n, K)) < rng.uniform(0.2, 0.7)
    mask[rng.random(n) < 0.3] = False
    mask[rng.random(n) < 0.2] = True
    mask[np.arange(n), truth] = True
    return LabelSets(mask, np.arange(K))


def tiny_problem(seed: int, weighting: str | None = None, loss: str | None = None) -> TinyProblem:
    """The problem of this seed; the seed also selects weighting and loss unless they are given."""
    rng = np.random.default_rng(seed)
    n, K = int(rng.integers(2, 8)), int(rng.integers(2, 5))
    weighting = weighting or list(WEIGHTINGS)[seed % len(WEIGHTINGS)]
    loss = loss or list(LOSSES)[(seed // len(WEIGHTINGS)) % len(LOSSES)]
    sets = random_sets(rng, n, K)
    return TinyProblem(
        A=WEIGHTINGS[weighting](rng, n),
        loss=LOSSES[loss](rng, K).bind(sets.classes),
        sets=sets,
        weighting=weighting,
        loss_name=loss,
        form=list(FORMS)[int(rng.integers(len(FORMS)))],
    )
