"""Scores of votes without true labels: how well they predict candidate sets that are hidden.

`used_classes` leaves out classes that are nowhere a candidate, whose number would determine the
cost of the search. `merge_copies` replaces copies of a row by one row of their total weight, so
that a weight of w and w copies have the same sample, folds and scores. `sample_rows` selects the
rows of the sample and gives them numbers that determine their folds. `HiddenSets` replaces the sets
of one fold at a time by the set of all classes, runs a method, and scores the predictions of the
hidden rows from the votes of the others.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from disambig.candidates import LabelSets
from disambig.estimators.prediction import shares
from disambig.losses.labels.finite import FiniteLoss, SetExtremes
from disambig.losses.labels.soft import SoftFaces
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers import AnnealedMinimization, Solver
from disambig.votes import Votes
from disambig.votes.repeated import RepeatedVotes
from disambig.weights.row_groups import EqualRows, hash_rows

# Several weightings often have equal held-out losses; a log loss of small weight separates them.
_LOG_LOSS_WEIGHT = 0.1
# Added to probabilities, so that their logarithm is finite.
_LOG_OFFSET = 1e-3
# At least this share of the groups of rows in a sample is informative, if there are as many.
_MIN_INFORMATIVE_SHARE = 0.5


class Score(NamedTuple):
    """The held-out loss of predictions at hidden sets.

    Attributes
    ----------
    loss : float
        The mean of ``min_{y in s_i} loss(z_i, y)``; for the 0-1 loss the share of missed sets.
    value : float
        `loss` in units of the largest loss, plus a tenth of the mean of ``-log P_i(s_i)``. The
        selection minimises it.
    error : float
        The standard error of `loss`, in units of the largest loss. Rows of unequal weights count as
        the number of rows of equal weights with the same error, ``(sum w)^2 / sum w^2``.
    """

    loss: float
    value: float
    error: float


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
    """

    def __init__(
        self, sets: LabelSets, loss: FiniteLoss, folds: IntArray, sample_weight: FloatArray
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
        opened = (sets.mask | hidden[:, :, None]).reshape(-1, sets.n_classes)
        self._opened = LabelSets(opened, sets.classes, _opened_weights(sets, hidden))
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

    def _score(self, votes: Votes, distributions: FloatArray) -> Score:
        # Without the row's own vote: its set is open and has no information.
        own = np.tile(votes.diagonal(), self.n_folds)[:, None]
        scores = RepeatedVotes(votes, self.n_folds) @ distributions - own * distributions
        scores = scores.reshape(self.n_folds, len(self.sets), -1)[self._hidden_places]
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
        """The score from expected losses ``(n, P)`` and probabilities of classes ``(n, K)``."""
        scored = self._is_scored
        mask, sample_weight = self.sets.mask[scored], self.sample_weight[scored]
        predicted = self.loss.matrix[costs[scored].argmin(axis=1)]
        losses = np.where(mask, predicted, np.inf).min(axis=1)
        inside = np.where(mask, probabilities[scored], 0.0).sum(axis=1)
        loss = float(np.average(losses, weights=sample_weight))
        log_likelihood = float(np.average(np.log(inside + _LOG_OFFSET), weights=sample_weight))
        variance = float(np.average((losses - loss) ** 2, weights=sample_weight))
        return Score(
            loss,
            loss / self.loss.largest - _LOG_LOSS_WEIGHT * log_likelihood,
            float(np.sqrt(variance / _effective_count(sample_weight))) / self.loss.largest,
        )


def _effective_count(sample_weight: FloatArray) -> float:
    relative = sample_weight / sample_weight.max()
    return float(relative.sum() ** 2 / (relative @ relative))


def _opened_weights(sets: LabelSets, hidden: BoolArray) -> FloatArray | None:
    """Soft weights of every fold, equal where a set is open, ``(folds * n, K)``."""
    if sets.weights is None:
        return None
    equal = 1.0 / sets.n_classes
    return np.where(hidden[:, :, None], equal, sets.weights).reshape(-1, sets.n_classes)


def sample_rows(
    row_groups: IntArray, sets: LabelSets, sample_weight: FloatArray, limit: int
) -> tuple[IntArray, IntArray]:
    """Rows of the sample, at most `limit`, and numbers that determine their folds.

    The order is pseudo-random and depends on a hash of the rows alone: one row of every group, then
    a second one, and so on. Within a group informative rows come first. Among the first groups at
    least half are informative, or the share among all groups if that is larger, as long as there
    are enough. Rows of a group have equal numbers, so that they are hidden together: a copy that
    stays would reveal what is hidden. Informative groups are numbered separately, so that
    ``number % k`` spreads them evenly over k folds.

    Parameters
    ----------
    row_groups : int (n,)
        Groups of rows with equal inputs, from `hash_rows`.
    sets : LabelSets, n rows
    sample_weight : float (n,)
    limit : int
    """
    positions, numbers = _positions_and_numbers(row_groups, sets.informative)
    if row_groups.max() + 1 == row_groups.size:
        rows = np.argsort(positions)[:limit]
        return rows, numbers[rows]
    by_group = np.lexsort((_target_hashes(sets, sample_weight), ~sets.informative, positions))
    first = np.searchsorted(positions[by_group], positions[by_group])
    nth_copy = np.arange(by_group.size) - first
    rows = by_group[np.lexsort((positions[by_group], nth_copy))[:limit]]
    return rows, numbers[rows]


def _positions_and_numbers(
    row_groups: IntArray, informative: BoolArray
) -> tuple[IntArray, IntArray]:
    """For each row, the position of its group in the order of the sample, and its number.

    Groups are numbered in the order of their hashes, informative groups and the others separately.
    Positions merge the two sequences: informative groups have spacing ``1 / share``, the others
    ``1 / (1 - share)``.
    """
    is_informative = np.zeros(int(row_groups.max()) + 1, dtype=np.bool_)
    is_informative[row_groups[informative]] = True
    share = max(_MIN_INFORMATIVE_SHARE, float(is_informative.mean()))
    number = np.where(is_informative, np.cumsum(is_informative), np.cumsum(~is_informative)) - 1
    spacing = np.where(is_informative, 1.0 / share, np.inf if share == 1.0 else 1.0 / (1.0 - share))
    position = np.empty_like(number)
    order = np.argsort((number + 0.5) * spacing, kind="stable")
    position[order] = np.arange(is_informative.size)
    return position[row_groups], number[row_groups]


def _target_hashes(sets: LabelSets, sample_weight: FloatArray) -> IntArray:
    """Numbers that order copies of a row by sets and weights, not by the order of the rows."""
    columns = [sets.mask.astype(np.float64), sample_weight[:, None]]
    return hash_rows(np.hstack(columns if sets.weights is None else [*columns, sets.weights]))


class DistinctRows(NamedTuple):
    """Rows that differ in their inputs or in their sets.

    Attributes
    ----------
    X : (n, d)
    sets : LabelSets of n rows
    sample_weight : float (n,)
        The total weight of the copies of each row.
    groups : int (n,)
        Groups of rows with equal inputs, from `hash_rows`.
    """

    X: Any
    sets: LabelSets
    sample_weight: FloatArray
    groups: IntArray


def merge_copies(X: Any, sets: LabelSets, sample_weight: FloatArray) -> DistinctRows:
    """The distinct rows in the order of their first copies; all rows as they are if none is equal.

    Copies have equal inputs, sets and soft weights.

    Examples
    --------
    >>> import numpy as np
    >>> sets = LabelSets.from_any([{"a"}, {"a", "b"}, {"a"}, {"b"}])
    >>> found = merge_copies(np.array([[0.0], [0.0], [0.0], [1.0]]), sets, np.ones(4))
    >>> found.X.ravel().tolist(), found.sample_weight.tolist()
    ([0.0, 0.0, 1.0], [2.0, 1.0, 1.0])
    """
    groups = hash_rows(X)
    repeated = np.flatnonzero(np.bincount(groups)[groups] > 1)
    if not repeated.size:
        return DistinctRows(X, sets, sample_weight, groups)
    # The groups above are of nearly equal rows, equal up to rounding.
    inputs = EqualRows.build(X[repeated]).group
    keys = [inputs[:, None].view(np.uint8), np.packbits(sets.mask[repeated], axis=1)]
    if sets.weights is not None:
        keys.append(np.ascontiguousarray(sets.weights[repeated]).view(np.uint8))
    _, first, inverse = np.unique(np.hstack(keys), axis=0, return_index=True, return_inverse=True)
    if first.size == repeated.size:
        return DistinctRows(X, sets, sample_weight, groups)
    first_copy = np.arange(len(sets))
    first_copy[repeated] = repeated[first[inverse.ravel()]]
    total: FloatArray = np.bincount(first_copy, weights=sample_weight).astype(np.float64)
    rows = np.flatnonzero(first_copy == np.arange(len(sets)))
    return DistinctRows(X[rows], sets[rows], total[rows], groups[rows])


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
