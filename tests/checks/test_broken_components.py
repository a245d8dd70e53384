"""The public checks accept what is right and refuse what is broken, in words."""

import numpy as np
import pytest

from disambig.candidates import Intervals, LabelSets
from disambig.checks import (
    check_candidates,
    check_solver,
    check_structured_task,
    check_votes,
    check_weighting,
)
from disambig.exceptions import ContractError
from disambig.losses import MatrixLoss
from disambig.solvers import AlternatingMinimization, NewtonRegression
from disambig.votes import as_votes
from disambig.votes.dense import DenseVotes
from disambig.weights import NadarayaWatsonWeights, NeighborWeights
from tests.oracles.labels_as_task import LabelTask, MeanLabelTask

# ---------------------------------------------------------------- weightings and votes


class NewColumns(NeighborWeights):
    def votes(self, X):
        return as_votes((super().votes(X) @ np.eye(25))[:, :20])


class OwnVote(NeighborWeights):
    def leave_one_out_votes(self):
        return self.training_votes()


class Unweighted(NadarayaWatsonWeights):
    def fit(self, X, sample_weight=None):
        return super().fit(X)


class Random(NeighborWeights):
    def votes(self, X):
        return as_votes(np.random.default_rng().random(super().votes(X).shape))


class Scaling(NadarayaWatsonWeights):
    def fit(self, X, sample_weight=None):
        X -= X.mean(axis=0)
        return super().fit(X, sample_weight)


class Silent(NeighborWeights):
    def votes(self, X):
        return as_votes(np.zeros(super().votes(X).shape))


class Eager(NeighborWeights):
    def training_votes(self):
        return super().training_votes() if hasattr(self, "n_features_in_") else as_votes(np.eye(2))


@pytest.mark.parametrize(
    ("weighting", "message"),
    [
        (NewColumns(4), r"votes\(X\) has shape \(6, 20\); expected \(6, 25\)"),
        (OwnVote(4), r"diagonal of leave_one_out_votes\(\) is .* no row votes for itself"),
        (Unweighted(bandwidth=1.0), r"a row with weight w is w copies"),
        (Random(4), r"votes\(X\) at the training rows is .* training_votes\(\)"),
        (Silent(4), r"votes\(X\) has no vote at all"),
        (Eager(4), r"training_votes\(\) before fit raises no error; expected NotFittedError"),
    ],
)
def test_broken_weightings(weighting, message):
    with pytest.raises(ContractError, match=f"check_weighting: .*{message}"):
        check_weighting(weighting)


def test_a_weighting_that_writes_to_its_inputs():
    with pytest.raises((ContractError, ValueError), match=r"read-only|training_votes|copies"):
        check_weighting(Scaling(bandwidth=1.0))


class Sums(DenseVotes):
    def row_sums(self):
        return super().row_sums() + 1.0


class Positive(DenseVotes):
    is_nonnegative = True


@pytest.mark.parametrize(
    ("votes", "message"),
    [
        (Sums(np.eye(3)), r"row_sums\(\) is 2.0 at \[0\]; expected 1.0"),
        (
            Positive(np.array([[1.0, -0.5], [0.0, 1.0]])),
            r"is_nonnegative is declared, but entry \[0, 1\], -0.5, is negative",
        ),
        (DenseVotes(np.array([[0.0, 1.0], [2.0, 0.0]]), symmetric=True), r"alpha.T @ I is 1"),
    ],
)
def test_broken_votes(votes, message):
    with pytest.raises(ContractError, match=message):
        check_votes(votes)


# ---------------------------------------------------------------- candidates


class Views(LabelSets):
    def __getitem__(self, rows):
        found = super().__getitem__(rows)
        return found if isinstance(rows, slice) or len(found) != 2 else found[::-1]


def test_broken_candidates():
    sets = LabelSets.from_sets([{"a"}, {"a", "b"}, {"b"}, {"c"}] * 2)
    check_candidates(sets)
    with pytest.raises(ContractError, match=r"the array of rows \[3, 1\] is .* the rows of the"):
        check_candidates(Views(sets.mask, sets.classes))
    with pytest.raises(ContractError, match=r"lacks __len__, __getitem__"):
        check_candidates(object())
    with pytest.raises(ValueError, match="got 2 rows; pass at least 8"):
        check_candidates(Intervals([0.0, 1.0], [2.0, 3.0]))


# ---------------------------------------------------------------- solvers


class Free(AlternatingMinimization):
    """Forgets the sets."""

    def solve(self, problem, *, start=None, callback=None):
        whole = LabelSets(np.ones_like(problem.candidates.mask), problem.candidates.classes)
        other = type(problem)(problem.votes, problem.loss, whole)
        return super().solve(other, start=start, callback=callback)


class Boasting(AlternatingMinimization):
    def solve(self, problem, *, start=None, callback=None):
        found = super().solve(problem, start=start, callback=callback)
        object.__setattr__(found, "objective", found.objective - 1.0)
        return found


class Deaf(AlternatingMinimization):
    def solve(self, problem, *, start=None, callback=None):
        if callback is not None:
            super().solve(problem, callback=callback)
        return super().solve(problem, start=start)


class Drifting(AlternatingMinimization):
    def solve(self, problem, *, start=None, callback=None):
        self.max_iter += 1
        return super().solve(problem, start=start, callback=callback)


class Numbers(NewtonRegression):
    def solve(self, problem, *, start=None, callback=None):
        found = super().solve(problem, start=start, callback=callback)
        object.__setattr__(found, "objective", found.objective + 1.0)
        return found


@pytest.mark.parametrize(
    ("solver", "kind", "message"),
    [
        (Free(), "labels", r"row \d: its decoded target is not in its set"),
        (Boasting(), "labels", r"objective is .* the objective at its targets"),
        (Deaf(), "labels", r"the callback returned True, but the status"),
        (Drifting(), "labels", r"solve changes its parameters"),
        (Numbers(), "numbers", r"objective is .* the objective at the targets"),
    ],
)
def test_broken_solvers(solver, kind, message):
    with pytest.raises(ContractError, match=f"check_solver: .*{message}"):
        check_solver(solver, kind=kind)


# ---------------------------------------------------------------- structured tasks

TABLE = MatrixLoss([[0, 2, 1], [1, 0, 3], [4, 1, 0]]).bind(np.arange(3))
SETS = [[0], [0, 1], [1, 2], [0, 1, 2]]
OPTIONS = {
    "outputs": [0, 1, 2],
    "contains": lambda sets, label: sets.mask[:, label],
    "loss": lambda z, y: TABLE.matrix[z, y],
}


class Worst(LabelTask):
    def best_prediction(self, scores):
        return scores.argmax(axis=1)


class Anywhere(LabelTask):
    """Chooses outside of the sets, too."""

    def best_candidate(self, scores, candidates):
        return (scores @ self.loss.matrix).argmin(axis=1)


class Modest(LabelTask):
    def largest_loss(self, candidates):
        return 1.0


class Mixed(LabelTask):
    """Depends on the other rows of the batch."""

    def best_candidate(self, scores, candidates):
        return super().best_candidate(scores - 3 * scores.mean(axis=0), candidates)


class Skewed(LabelTask):
    def average(self, candidates):
        return super().average(candidates) + 0.1


class Other(LabelTask):
    def embed_target(self, outputs):
        return 2.0 * super().embed_target(outputs)

    def largest_loss(self, candidates):
        return 8.0


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (Worst, r"best_prediction of row \d has the cost .* for other scores"),
        (Anywhere, r"best_candidate of row \d returns an output outside of its set"),
        (Modest, r"largest_loss is 1.0, but a loss of 4 occurs"),
        (Mixed, r"best_candidate for row \d alone"),
        (Skewed, r"average of row 0 is .* the mean of phi over the 1 outputs in its set"),
        (Other, r"<psi\(z\), phi\(y\)> is 4.0 .*expected 2.0: loss\(z, y\)"),
    ],
)
def test_broken_tasks(task, message):
    check_structured_task(LabelTask(TABLE), SETS, **OPTIONS)
    check_structured_task(MeanLabelTask(TABLE), SETS)
    with pytest.raises(ContractError, match=message):
        check_structured_task(task(TABLE), SETS, **OPTIONS)


def test_contains_needs_outputs():
    with pytest.raises(ValueError, match="list the outputs, too"):
        check_structured_task(LabelTask(TABLE), SETS, contains=OPTIONS["contains"])
