"""What judgements by hidden sets share: judges, opened sets, and votes without the row's own."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from disambig.candidates import LabelSets
from disambig.estimators.held_out.set_likelihood import SetCalibration
from disambig.notation import BoolArray, FloatArray, IntArray
from disambig.solvers import Solver
from disambig.votes import Votes
from disambig.votes.row_blocks import RowBlocks
from disambig.weights import FunctionWeights, PrecomputedWeights, Weights
from disambig.weights.given import FixedVotes

# What is left of a sum of votes below this counts as zero.
_LEAST = 1e-9
# Votes of the user have no known sum.
_GIVEN = (FixedVotes, FunctionWeights, PrecomputedWeights)


class Judge(NamedTuple):
    """A fitted weighting, its votes at the training rows if they are known, and the solver.

    The solver is None for the baselines.
    """

    weights: Weights
    solver: Solver | None
    votes: Votes | None = None

    def training_votes(self) -> Votes:
        """Votes at the training rows, not scaled by sample weights."""
        return self.weights.training_votes() if self.votes is None else self.votes


class Hiding(NamedTuple):
    """Which rows are hidden together, and what of them.

    Attributes
    ----------
    equal : int array (n,)
        Equal numbers for rows whose votes are removed together: copies, if they are in one fold.
    units : int array (n,)
        Rows of a unit are in one fold.
    informative : bool array (n,)
        Rows of which something can be hidden.
    hides_bags : bool
        Whether rows leave their bags when they are hidden. Units are then whole bags, and copies of
        a row may be in others.
    """

    equal: IntArray
    units: IntArray
    informative: BoolArray
    hides_bags: bool = False

    @property
    def n_informative(self) -> int:
        """The number of units of which something can be hidden."""
        return int(np.unique(self.units[self.informative]).size)


@dataclass(frozen=True, eq=False)
class HeldOutLabels:
    """What rows that never saw the sets say about them.

    Attributes
    ----------
    distributions : float array (n, K)
        Calibrated probabilities of all classes.
    calibration : SetCalibration
        Of the mean of all judges.
    first_scores : float array (n, K)
        The votes for all classes by the first judge alone, which predicts new inputs.
    first_calibration : SetCalibration
        Of these scores.
    n_judges : int
    hides_bags : bool
        Whether whole bags were hidden, and not only sets.
    """

    distributions: FloatArray
    calibration: SetCalibration
    first_scores: FloatArray
    first_calibration: SetCalibration
    n_judges: int
    hides_bags: bool = False


@dataclass(frozen=True, eq=False)
class OwnVotes:
    """The votes ``(n,)`` of a row and of its copies at the row, and the factor without them."""

    size: FloatArray
    factor: FloatArray

    def at(self, rows: IntArray) -> "OwnVotes":
        """Those of some rows ``(m,)``."""
        return OwnVotes(self.size[rows], self.factor[rows])

    def removed(self, scores: FloatArray, targets: FloatArray) -> FloatArray:
        """Scores ``(..., n, K)`` without the votes of the row and of its copies for its targets.

        Copies have the same targets, as their sets are all open. For kernel ridge the factor makes
        this the exact prediction without the row; votes with sum one have sum one again.
        """
        without: FloatArray = self.factor[:, None] * (scores - self.size[:, None] * targets)
        return without


def own_votes(weights: Weights, votes: Votes, equal: IntArray) -> OwnVotes:
    """The own votes of rows; `equal` ``(n,)`` has equal numbers for copies, which count as one."""
    # The vote of a copy at the row is its own vote at itself: their inputs are equal.
    total: FloatArray = np.bincount(equal, weights=votes.diagonal()).astype(np.float64)
    size = total[equal]
    if isinstance(weights, _GIVEN):
        return OwnVotes(size, np.ones(len(size)))
    rest = 1.0 - size
    has_others = rest > _LEAST
    return OwnVotes(size, np.where(has_others, 1.0 / np.where(has_others, rest, 1.0), 0.0))


def product_at(votes: Votes, rows: IntArray, values: FloatArray) -> FloatArray:
    """``(votes @ values)[rows]``; of votes in blocks only these rows are multiplied."""
    if isinstance(votes, RowBlocks):
        return votes.product_at(rows, values)
    found: FloatArray = (votes @ values)[rows]
    return found


def opened_sets(sets: LabelSets, hidden: BoolArray) -> LabelSets:
    """The sets, with all classes that are a candidate of some row in the hidden ones."""
    possible = np.asarray(sets.mask.any(axis=0))
    weights = sets.weights
    if weights is not None:
        weights = np.where(hidden[:, None], possible / np.count_nonzero(possible), weights)
    return LabelSets(sets.mask | (hidden[:, None] & possible), sets.classes, weights)


def scaled_votes(votes: Votes, sample_weight: FloatArray) -> Votes:
    """Votes in which a weight of w counts as w copies."""
    return votes if (sample_weight == 1).all() else votes.scale_rows(sample_weight)
