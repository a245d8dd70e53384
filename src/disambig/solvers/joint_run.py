"""Alternating minimisation of several problems over the same votes, step by step together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disambig.candidates.label_sets import LabelSets
from disambig.kernels.label_step import label_step
from disambig.losses.finite import FiniteLoss
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.votes import DeletedVotes, DenseVotes, RunningProduct, Votes
from disambig.votes.symmetric import SymmetricArray

__all__ = ["JointRun", "JointStart"]

_ZERO_ONE = np.zeros((0, 0))
_EVERYTHING = np.zeros((0, 0, 0), dtype=np.bool_)
# A bound on a scale is of its order if it is no more than this many times as large.
_SAME_ORDER = 4.0


@dataclass(frozen=True, eq=False)
class JointStart:
    """Where each problem begins.

    Parameters
    ----------
    values : float array (B, n, P)
        Score matrices of the loss; under the 0-1 loss votes for classes instead of against them:
        the same differences, and already the laws of the rows that have one candidate.
    sizes : float array (B, n)
        The largest score of each row.
    product : float array (B, n, P), or None
        What the votes make of the values, if that is known.
    """

    values: FloatArray
    sizes: FloatArray
    product: FloatArray | None = None

    @classmethod
    def of(
        cls, loss: FiniteLoss, problems: Sequence[LabelSets], start: str | Sequence[str]
    ) -> "JointStart":
        """By the name of a start of the loss, or one name for each problem."""
        names = [start] * len(problems) if isinstance(start, str) else list(start)
        if len(names) != len(problems):
            raise ValueError(
                f"start has {len(names)} names for {len(problems)} problems; give one name, or one "
                "for each problem."
            )
        scores = np.array([loss.start(*both) for both in zip(problems, names, strict=True)])
        sizes = np.abs(scores).max(axis=2)
        if loss.is_zero_one:
            scores = scores.max(axis=2, keepdims=True) - scores
        return cls(scores, sizes)

    def multiplied(self, whole: SymmetricArray) -> "JointStart":
        """With what `whole`, (n, n), makes of the values: for `at`."""
        blocks, n, p = self.values.shape
        product = whole @ self.values.transpose(1, 0, 2).reshape(n, blocks * p)
        return JointStart(self.values, self.sizes, product)

    def at(self, rows: IntArray, votes: Votes) -> "JointStart":
        """Of some of the rows, with what the votes among them make of the values if it is known."""
        values, sizes = self.values[:, rows], self.sizes[:, rows]
        if self.product is None or not isinstance(votes, DeletedVotes):
            return JointStart(values, sizes)
        blocks, n, p = self.values.shape
        wide = self.values.transpose(1, 0, 2).reshape(n, blocks * p)
        product = votes.known_product(wide, self.product).reshape(len(rows), blocks, p)
        return JointStart(values, sizes, np.ascontiguousarray(product.transpose(1, 0, 2)))


class Side:
    """The faces of one side, targets or predictions, of every problem."""

    def __init__(self, shape: tuple[int, ...], table: FloatArray, allowed: BoolArray) -> None:
        self.mask = np.zeros(shape, dtype=np.bool_)
        self.law = np.zeros(shape)
        self.paid = np.zeros(shape[0])
        self.table = table
        self.allowed = allowed

    def answer(
        self,
        blocks: IntArray,
        heard: FloatArray,
        tolerance: FloatArray,
        *,
        grow: bool,
        table: FloatArray | None = None,
    ) -> IntArray:
        """How many rows of each problem moved; see `label_step`."""
        # Products remember the laws that they were made of.
        self.law = self.law.copy()
        return label_step(
            blocks,
            heard,
            self.table if table is None else table,
            self.allowed,
            tolerance,
            grow,
            self.mask,
            self.law,
            self.paid,
        )


class JointRun:
    """`Descent` of several problems: the same faces, found with one product for all.

    Parameters
    ----------
    problem : Problem
        The votes, the loss, the tolerance, and any one of the problems.
    loss : FiniteLoss
        That of the problem.
    allowed : bool array (B, n, K)
        The candidates of each problem.
    """

    def __init__(self, problem: Problem, loss: FiniteLoss, allowed: BoolArray) -> None:
        shape = allowed.shape[:2]
        tables = loss.matrix.copy(), loss.matrix.T.copy()
        if loss.is_zero_one:
            tables = _ZERO_ONE, _ZERO_ONE
        self.problem, self.loss = problem, loss
        self.predictions = Side((*shape, len(loss.predictions)), tables[0], _EVERYTHING)
        self.targets = Side((*shape, len(loss.classes)), tables[1], allowed)
        self._heard_targets = RunningProduct(problem.votes)
        self._heard_predictions = RunningProduct(problem.transposed)
        self._tolerance = np.tile(problem.rtol * problem.prediction_scale, (shape[0], 1))
        self._target_tolerance = np.tile(problem.rtol * problem.target_scale, (shape[0], 1))

    def begin(self, start: JointStart) -> None:
        """The first predictions, and the targets that answer them."""
        running = RunningProduct(self.problem.votes)
        if start.product is not None:
            running.know(start.values, start.product)
        scores = running(start.values)
        if self.loss.is_zero_one:
            self._heard_targets = running
            if self.problem.transposed is self.problem.votes:
                self._heard_predictions = running.copy()
        self._choose_first(scores, start.sizes)
        every = np.arange(len(scores))
        heard = self._heard_predictions(self.predictions.law)
        self.targets.answer(every, heard, self._target_tolerance, grow=False)

    def step(self, active: IntArray) -> IntArray:
        """A prediction step and a target step of some problems; those that have not settled."""
        heard = self._heard_targets(self.targets.law)
        moved = self.predictions.answer(active, heard, self._tolerance, grow=True)
        active = active[moved[active] > 0]
        if active.size:
            heard = self._heard_predictions(self.predictions.law)
            self.targets.answer(active, heard, self._target_tolerance, grow=True)
        return active

    def _choose_first(self, scores: FloatArray, sizes: FloatArray) -> None:
        # The scale of rounding follows the start: a row that says nothing hides nobody.
        votes, rtol = self.problem.votes, self.problem.rtol
        bound = rtol * sizes.max(axis=1)[:, None] * votes.absolute_row_sums()
        table = None if self.loss.is_zero_one else np.eye(scores.shape[2])
        side, every = self.predictions, np.arange(len(scores))
        side.answer(every, scores, bound, grow=False, table=table)
        # Without a tie under the bound there is none under what it bounds.
        tied = (side.mask.sum(axis=2) > 1).any(axis=1)
        coarse = sizes.min(axis=1) * _SAME_ORDER < sizes.max(axis=1)
        asked = np.flatnonzero(tied & coarse)
        if asked.size:
            bound[asked] = rtol * _several_sums(votes, sizes[asked])
            side.answer(asked, scores, bound, grow=False, table=table)


def _several_sums(votes: Votes, scales: FloatArray) -> FloatArray:
    """``|alpha| @ scales[b]`` for each b, (blocks, n)."""
    if isinstance(votes, (DeletedVotes, DenseVotes)):
        # One pass over the entries serves all.
        return np.ascontiguousarray(votes.absolute_row_sums(scales.T).T)
    return np.array([votes.absolute_row_sums(each) for each in scales])
