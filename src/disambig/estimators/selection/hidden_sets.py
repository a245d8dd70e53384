"""The score of votes without truth: how well they predict sets that were hidden from them.

Which rows a choice is made by, and how they are dealt into folds.
"""

from collections.abc import Iterator
from typing import NamedTuple, cast

import numpy as np

from disambig.candidates import LabelSets
from disambig.estimators.probabilities import shares
from disambig.losses import FiniteLoss, SoftFaces
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.problem import Problem
from disambig.solvers import AnnealedMinimization, Solver
from disambig.votes import RepeatedVotes, Votes
from disambig.weights import hash_rows

# What a missed set costs is mostly the same for several votes; how surely it was missed is not.
_SURENESS = 0.1
_LEAST = 1e-3
# Of the kinds that are looked at, at least this part says something, if there are as many.
_INFORMATIVE = 0.5


class Score(NamedTuple):
    """How far predictions are from hidden sets.

    Attributes
    ----------
    loss : float
        The mean of ``min_{y in s_i} loss(z_i, y)``: no more than the share of missed sets for the
        0-1 loss.
    value : float
        The same in units of the largest loss, plus a tenth of the mean of ``-log P_i(s_i)``: what
        is chosen by.
    error : float
        The standard error of `loss`, in units of the largest loss.
    """

    loss: float
    value: float
    error: float


class HiddenSets:
    """Rows in folds; the sets of each fold in turn are hidden, and predicted from the others.

    Only rows that are hidden once are scored.

    Parameters
    ----------
    sets : LabelSets, n rows
    loss : FiniteLoss
    folds : int (n,)
        -1: never hidden.
    masses : float (n,)
        Weights of the rows.
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
        self._asked = sets.informative & (folds >= 0)
        # All folds are one problem: each is a copy of all rows, in which its own sets are open.
        opened = (sets.mask | hidden[:, :, None]).reshape(-1, sets.n_classes)
        self._opened = LabelSets(opened, sets.classes, _opened_weights(sets, hidden))
        base = sets.distribution().sum(axis=0)
        self._prior = base / base.sum()

    def along(self, votes: Votes, solver: AnnealedMinimization) -> Iterator[tuple[float, Score]]:
        """Every temperature of an annealing, with the score of the laws at it."""
        problem = Problem(RepeatedVotes(votes, self.n_folds), self.loss, self._opened)
        for temperature, run in solver.path(problem):
            yield temperature, self._score(votes, cast(SoftFaces, run.state.targets).distribution)

    def of(self, votes: Votes, solver: Solver) -> Score:
        """The score of what a solver finds."""
        copies = np.arange(len(self._opened)).reshape(self.n_folds, -1)
        laws = [
            cast(
                SoftFaces, solver.solve(Problem(votes, self.loss, self._opened[rows])).targets
            ).distribution
            for rows in copies
        ]
        return self._score(votes, np.concatenate(laws))

    def of_average(self, votes: Votes) -> Score:
        """The score of average candidates."""
        return self._score(votes, self._opened.distribution())

    def of_infimum(self, votes: Votes) -> Score:
        """The score of the infimum loss; hidden rows have no vote in it."""
        copies = np.arange(len(self._opened)).reshape(self.n_folds, -1)
        costs = np.zeros((len(self.sets), len(self.loss.predictions)))
        for rows, hidden in zip(copies, self._hidden, strict=True):
            costs[hidden] = self.loss.infimum_scores(votes, self._opened[rows])[0][hidden]
        prior = np.tile(self._prior, (len(costs), 1))
        square = costs.shape == prior.shape
        gains = costs.max(axis=1, keepdims=True) - costs
        return self._paid(costs, shares(gains, self._prior) if square else prior)

    def _score(self, votes: Votes, laws: FloatArray) -> Score:
        # The row's own vote repeats what it was given, which is nothing.
        own = np.tile(votes.diagonal(), self.n_folds)[:, None]
        heard = RepeatedVotes(votes, self.n_folds) @ laws - own * laws
        heard = heard.reshape(self.n_folds, len(self.sets), -1)[self._hidden_places]
        return self._paid(heard @ self.loss.matrix.T, shares(heard, self._prior))

    @property
    def _hidden_places(self) -> tuple[IntArray, IntArray]:
        """Fold and row of each row in its own fold, in the order of the rows."""
        return self._hidden.argmax(axis=0), np.arange(len(self.sets))

    def _paid(self, costs: FloatArray, probabilities: FloatArray) -> Score:
        told = self._asked
        mask, sample_weight = self.sets.mask[told], self.sample_weight[told]
        predicted = self.loss.matrix[costs[told].argmin(axis=1)]
        paid = np.where(mask, predicted, np.inf).min(axis=1)
        inside = np.where(mask, probabilities[told], 0.0).sum(axis=1)
        loss = float(np.average(paid, weights=sample_weight))
        sureness = float(np.average(np.log(inside + _LEAST), weights=sample_weight))
        spread = float(np.average((paid - loss) ** 2, weights=sample_weight))
        return Score(
            loss,
            loss / self.loss.largest - _SURENESS * sureness,
            float(np.sqrt(spread / np.count_nonzero(told))) / self.loss.largest,
        )


def _opened_weights(sets: LabelSets, hidden: BoolArray) -> FloatArray | None:
    """Soft weights of every fold, all alike where a set is open, ``(folds * n, K)``."""
    if sets.weights is None:
        return None
    alike = 1.0 / sets.n_classes
    return np.where(hidden[:, :, None], alike, sets.weights).reshape(-1, sets.n_classes)


def sample_rows(
    kinds: IntArray, sets: LabelSets, sample_weight: FloatArray, limit: int
) -> tuple[IntArray, IntArray]:
    """Rows to choose by, at most `limit`, and numbers to deal them into folds by.

    In an order that goes by a hash of the rows and looks random: one row of every kind, then second
    copies, and so on. Copies that exclude something go before those that do not, and of the kinds
    that come first at least half exclude something, or as many as among all. Copies of a row have
    one number, so that they are hidden together: the others would tell what is hidden. Kinds that
    exclude something are numbered by themselves, so that ``number % k`` deals them evenly.

    Parameters
    ----------
    kinds : int (n,)
        As `hash_rows` has them.
    sets : LabelSets, n rows
    masses : float (n,)
    limit : int
    """
    places, numbers = _ordered(kinds, sets.informative)
    if kinds.max() + 1 == kinds.size:
        rows = np.argsort(places)[:limit]
        return rows, numbers[rows]
    copies = np.lexsort((_contents(sets, sample_weight), ~sets.informative, places))
    first = np.searchsorted(places[copies], places[copies])
    nth = np.arange(copies.size) - first
    rows = copies[np.lexsort((places[copies], nth))[:limit]]
    return rows, numbers[rows]


def _ordered(kinds: IntArray, informative: BoolArray) -> tuple[IntArray, IntArray]:
    """Of each row, the place of its kind, and the number among the kinds of its sort."""
    told = np.zeros(int(kinds.max()) + 1, dtype=np.bool_)
    told[kinds[informative]] = True
    part = max(_INFORMATIVE, float(told.mean()))
    number = np.where(told, np.cumsum(told), np.cumsum(~told)) - 1
    distance = np.where(told, 1.0 / part, np.inf if part == 1.0 else 1.0 / (1.0 - part))
    place = np.empty_like(number)
    place[np.argsort((number + 0.5) * distance, kind="stable")] = np.arange(told.size)
    return place[kinds], number[kinds]


def _contents(sets: LabelSets, sample_weight: FloatArray) -> IntArray:
    """A number that orders copies by what they say, whatever order they were given in."""
    said = [sets.mask.astype(np.float64), sample_weight[:, None]]
    return hash_rows(np.hstack(said if sets.weights is None else [*said, sets.weights]))
