"""Scores of votes for labels: how well they predict candidate sets that are hidden.

`HiddenSets` replaces the sets of one fold at a time by the set of all classes, runs a method, and
scores the predictions of the hidden rows from the votes of the others. `used_classes` leaves out
classes that are nowhere a candidate, whose number would determine the cost of the search.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import cast

import numpy as np

from disambig.candidates import LabelSets
from disambig.estimators.prediction import shares
from disambig.estimators.selection.protocol import Score, mean_score
from disambig.losses.labels.finite import FiniteLoss, SetExtremes
from disambig.losses.labels.soft import SoftFaces
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers import AnnealedMinimization, Solver
from disambig.votes import Votes
from disambig.votes.repeated import RepeatedVotes

# Several weightings often have equal held-out losses; a log loss of small weight separates them.
_LOG_LOSS_WEIGHT = 0.1
# The share of the loss by chance that is subtracted from the held-out loss, if the most frequent
# class is in so many times more sets than the classes are on average.
_CHANCE_WEIGHT = 0.5
_MIN_SKEW = 1.5
# Added to probabilities, so that their logarithm is finite.
_LOG_OFFSET = 1e-3


class HiddenSets:
    """Hide the sets of each fold in turn, predict them from the other rows, and score that.

    Informative rows that are hidden in some fold are scored.

    Parameters
    ----------
    sets : LabelSets, n rows
    loss : FiniteLoss
    folds : int (n,)
        The fold in which a row is hidden; -1 for never.
    sample_weight : float (n,)
        Copies of a row are one row of their total weight; see `merge_copies`.
    solved : LabelSets, n rows, optional
        The sets that visible rows are disambiguated in, if these are not `sets`, which are scored;
        see `tolerant_sets`.
    """

    def __init__(
        self,
        sets: LabelSets,
        loss: FiniteLoss,
        folds: IntArray,
        sample_weight: FloatArray,
        solved: LabelSets | None = None,
    ) -> None:
        self.sets = sets
        self.loss = loss
        self.sample_weight = sample_weight
        self.n_folds = int(folds.max()) + 1
        hidden = folds == np.arange(self.n_folds)[:, None]
        self._hidden = hidden
        self._is_scored = sets.informative & (folds >= 0)
        # All folds are one problem: each is a copy of all rows in which the sets of the fold are
        # open, that is, contain every class.
        solved = sets if solved is None else solved
        opened = (solved.mask | hidden[:, :, None]).reshape(-1, sets.n_classes)
        self._opened = LabelSets(opened, sets.classes, _opened_weights(solved, hidden))
        totals = (sample_weight[:, None] * sets.distribution()).sum(axis=0)
        self._prior = totals / totals.sum()

    def path_scores(
        self, votes: Votes, solver: AnnealedMinimization
    ) -> Iterator[tuple[float, Score]]:
        """Every temperature of an annealing, with the score of the distributions at it."""
        problem = Problem(
            RepeatedVotes(votes, self.n_folds),
            self.loss,
            self._opened,
            sample_weight=np.tile(self.sample_weight, self.n_folds),
        )
        for temperature, run in solver.path(problem):
            yield temperature, self._score(votes, cast(SoftFaces, run.state.targets).distribution)

    def solver_score(self, votes: Votes, solver: Solver) -> Score:
        """The score of the solution of a solver."""
        problems = [
            Problem(votes, self.loss, opened, sample_weight=self.sample_weight)
            for opened in self._opened_by_fold
        ]
        distributions = [
            cast(SoftFaces, solver.solve(problem).targets).distribution for problem in problems
        ]
        return self._score(votes, np.concatenate(distributions))

    def average_score(self, votes: Votes) -> Score:
        """The score of average candidates."""
        return self._score(votes, self._opened.distribution())

    def infimum_score(self, votes: Votes) -> Score:
        """The score of the infimum loss; open sets add nothing to it."""
        costs = np.zeros((len(self.sets), len(self.loss.predictions)))
        for extremes, hidden in zip(self._extremes_by_fold, self._hidden, strict=True):
            costs[hidden] = extremes.scores(votes)[0][hidden]
        prior = np.tile(self._prior, (len(costs), 1))
        square = costs.shape == prior.shape
        gains = costs.max(axis=1, keepdims=True) - costs
        return self._loss_score(costs, shares(gains, self._prior) if square else prior)

    def constant_score(self) -> Score:
        """The score of the best constant prediction, with the shares of the classes in the sets."""
        n = len(self.sets)
        return self._loss_score(np.tile(self._mean_losses, (n, 1)), np.tile(self._prior, (n, 1)))

    def _hidden_scores(self, votes: Votes, distributions: FloatArray) -> FloatArray:
        """The votes for the classes at each row, in the fold in which it is hidden, ``(n, K)``."""
        # Without the row's own vote: its set is open and has no information.
        own = np.tile(votes.diagonal(), self.n_folds)[:, None]
        scores = RepeatedVotes(votes, self.n_folds) @ distributions - own * distributions
        hidden: FloatArray = scores.reshape(self.n_folds, len(self.sets), -1)[self._hidden_places]
        return hidden

    def _score(self, votes: Votes, distributions: FloatArray) -> Score:
        scores = self._hidden_scores(votes, distributions)
        return self._loss_score(self.loss.expected_losses(scores), shares(scores, self._prior))

    @cached_property
    def _opened_by_fold(self) -> list[LabelSets]:
        n = len(self.sets)
        return [self._opened[start : start + n] for start in range(0, len(self._opened), n)]

    @cached_property
    def _extremes_by_fold(self) -> list[SetExtremes]:
        """What the infimum loss needs of the sets, once for all weightings."""
        return [self.loss.set_extremes(opened) for opened in self._opened_by_fold]

    @property
    def _hidden_places(self) -> tuple[IntArray, IntArray]:
        """For each row the fold in which it is hidden, and the row: indices of ``(folds, n)``."""
        return self._hidden.argmax(axis=0), np.arange(len(self.sets))

    def _loss_score(self, costs: FloatArray, probabilities: FloatArray) -> Score:
        """The score from expected losses ``(n, P)`` and probabilities of classes ``(n, K)``.

        The *loss by chance* is that of the same predictions at the sets of other rows. A class that
        is in nearly every set is no evidence: who predicts it everywhere misses few sets, but no
        fewer than by chance. Half of the loss by chance is subtracted if one class is far more
        frequent than the others; otherwise it hardly differs between predictions.
        """
        scored = self._is_scored
        mask, sample_weight = self.sets.mask[scored], self.sample_weight[scored]
        predicted = costs[scored].argmin(axis=1)
        losses = self._set_losses[np.arange(predicted.size), predicted]
        inside = np.where(mask, probabilities[scored], 0.0).sum(axis=1)
        score = mean_score(losses, sample_weight, self.loss.largest)
        shares_of_outputs = np.bincount(
            predicted, weights=sample_weight, minlength=self._mean_losses.size
        )
        by_chance = float(shares_of_outputs @ self._mean_losses) / float(sample_weight.sum())
        log_likelihood = float(np.average(np.log(inside + _LOG_OFFSET), weights=sample_weight))
        return score._replace(
            value=score.value
            - self._chance_weight * by_chance / self.loss.largest
            - _LOG_LOSS_WEIGHT * log_likelihood
        )

    @cached_property
    def _chance_weight(self) -> float:
        scored = self._is_scored
        counts = self.sample_weight[scored] @ self.sets.mask[scored]
        return _CHANCE_WEIGHT if counts.max() >= _MIN_SKEW * counts.mean() else 0.0

    @cached_property
    def _set_losses(self) -> FloatArray:
        """The loss of every output to the nearest member of each scored set, ``(scored, P)``."""
        return self.loss.set_losses(self.sets.mask[self._is_scored])

    @cached_property
    def _mean_losses(self) -> FloatArray:
        """Its mean over the scored rows, ``(P,)``."""
        # Contiguous, so that the sums have the same order for every output.
        losses = np.ascontiguousarray(self._set_losses.T)
        means: FloatArray = np.average(losses, axis=1, weights=self.sample_weight[self._is_scored])
        return means


def _opened_weights(sets: LabelSets, hidden: BoolArray) -> FloatArray | None:
    """Soft weights of every fold, equal where a set is open, ``(folds * n, K)``."""
    if sets.weights is None:
        return None
    equal = 1.0 / sets.n_classes
    return np.where(hidden[:, :, None], equal, sets.weights).reshape(-1, sets.n_classes)


def used_classes(sets: LabelSets, loss: FiniteLoss) -> tuple[LabelSets, FiniteLoss]:
    """Sets and loss on the classes that are a candidate of some row.

    Only for the 0-1 loss: under other losses a class that is nowhere a candidate may be the best
    prediction. The sets stay as they are if none of them would exclude a class.

    Examples
    --------
    >>> from disambig.losses import ZeroOneLoss
    >>> sets = LabelSets.from_any([{"a"}, {"a", "d"}], classes=["a", "b", "c", "d"])
    >>> sets, loss = used_classes(sets, ZeroOneLoss().bind(sets.classes))
    >>> sets.classes.tolist(), loss.matrix.tolist()
    (['a', 'd'], [[0.0, 1.0], [1.0, 0.0]])
    """
    used: BoolArray = np.asarray(sets.mask.any(axis=0))
    if used.all() or not loss.is_zero_one:
        return sets, loss
    weights = None if sets.weights is None else sets.weights[:, used]
    kept = LabelSets(sets.mask[:, used], sets.classes[used], weights)
    if not kept.informative.any():
        return sets, loss
    return kept, loss.restricted(used)
