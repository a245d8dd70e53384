"""The public checks accept what is right and refuse what is broken, in words."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from disambig.candidates import Intervals, LabelSets
from disambig.checks import (
    check_candidates,
    check_loss,
    check_solver,
    check_structured_task,
    check_votes,
    check_weighting,
)
from disambig.exceptions import ContractError
from disambig.losses import (
    AbsoluteLoss,
    AbstainLoss,
    DCGLoss,
    FootruleLoss,
    HammingLoss,
    HierarchicalLoss,
    KendallLoss,
    MatrixLoss,
    OrdinalLoss,
    PinballLoss,
    SquaredLoss,
    ZeroOneLoss,
)
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.orders.kendall import KendallLoss as Kendall
from disambig.solvers import AlternatingMinimization, NewtonRegression
from disambig.votes import as_votes
from disambig.votes.dense import DenseVotes
from disambig.weights import NadarayaWatsonWeights, NeighborWeights
from examples.sequence_tagging import SequenceTagging

TREE = {0: "a", 1: "a", 2: "b", 3: "b", "a": "root", "b": "root"}
LOSSES = [
    ZeroOneLoss(),
    OrdinalLoss(),
    AbstainLoss(cost=0.3),
    HierarchicalLoss(TREE),
    MatrixLoss([[0, 1, 2, 3], [3, 0, 1, 2]], predictions=["x", "y"]),
    HammingLoss(),
    KendallLoss(),
    FootruleLoss(),
    DCGLoss(),
    SquaredLoss(),
    AbsoluteLoss(),
    PinballLoss(0.8),
]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
def test_every_public_loss_passes(loss):
    check_loss(loss)


def test_a_class_or_another_thing_is_refused():
    with pytest.raises(TypeError, match=r"got the class ZeroOneLoss; pass an object"):
        check_loss(ZeroOneLoss)
    with pytest.raises(ContractError, match=r"lacks fit, training_votes, .*Weights asks for"):
        check_weighting(object())
    with pytest.raises(ContractError, match="neither bind"):
        check_loss(object())
    with pytest.raises(ValueError, match="at most 5"):
        check_loss(ZeroOneLoss(), names=range(6))


# ---------------------------------------------------------------- losses


class Bound(FiniteLoss):
    """Chooses the worst candidate."""

    def best_candidate(self, scores, candidates, tolerance):
        return super().best_candidate(-scores, candidates, tolerance)


class OneTie(FiniteLoss):
    """Keeps one of several predictions that tie."""

    def best_prediction(self, scores, tolerance):
        return super().best_prediction(scores, tolerance).first()


class Partial(FiniteLoss):
    """Averages over all classes, not over the candidates."""

    def start(self, candidates, kind):
        if kind != "average":
            return super().start(candidates, kind)
        return super().start(LabelSets(np.ones_like(candidates.mask), candidates.classes), kind)


class Worst(FiniteLoss):
    """Takes the best member for negative votes, too."""

    def infimum_prediction(self, votes, candidates, rtol):
        best = np.array([self.matrix[:, row].min(axis=1) for row in candidates.mask])
        return self.best_prediction(votes @ best, np.zeros(votes.shape[0]))


class Small(FiniteLoss):
    """Says that its losses are smaller than they are."""

    def magnitude(self, candidates):
        return 0.5


class Of(BaseEstimator):
    """The 0-1 loss by another class of bound losses."""

    def __init__(self, bound=FiniteLoss):
        self.bound = bound

    def bind(self, classes):
        return self.bound(1.0 - np.eye(len(classes)), classes, classes)


@pytest.mark.parametrize(
    ("bound", "message"),
    [
        (Bound, r"cost of what best_candidate returns is .* the least cost by enumeration"),
        (OneTie, r"of row \d of best_prediction .* the mean of the \d outputs of least cost"),
        (Partial, r"start\(..., 'average'\) .* the mean loss to the members of each set"),
        (Worst, r"infimum loss of infimum_prediction .*least infimum loss"),
        (Small, r"magnitude is 0.5, but a loss of 1.0 occurs"),
    ],
)
def test_broken_losses_of_labels(bound, message):
    check_loss(Of())
    with pytest.raises(ContractError, match=f"check_loss: Of: .*{message}"):
        check_loss(Of(bound))


class Infinite(Of):
    def bind(self, classes):
        return FiniteLoss(np.full((4, 4), np.nan), classes, classes)


class Changing(Of):
    def bind(self, classes):
        self.bound = FiniteLoss
        return super().bind(classes)

    def get_params(self, deep=True):
        return {"bound": str(self.bound), "calls": len(vars(self))} | super().get_params(deep)


class Raising(Of):
    def bind(self, classes):
        raise KeyError("no such class")


def test_errors_of_the_component_pass_with_a_note():
    with pytest.raises(KeyError, match="no such class") as caught:
        check_loss(Raising())
    assert caught.value.__notes__ == [
        "check_loss: raised while it was checked that it can be cloned and bound to names."
    ]
    with pytest.raises(ContractError, match=r"matrix of losses has NaN or infinity.*\[0, 0\]"):
        check_loss(Infinite())


class Backwards(Kendall):
    """An order loss with a target that is no minimiser."""

    def bind(self, items):
        bound = super().bind(items)
        minimise = type(bound).best_candidate

        class Other(type(bound)):
            def best_candidate(self, scores, candidates, tolerance):
                return minimise(self, -scores, candidates, tolerance)

        object.__setattr__(bound, "__class__", Other)
        return bound


def test_a_broken_loss_of_orders():
    with pytest.raises(ContractError, match=r"Backwards: the cost of what best_candidate"):
        check_loss(Backwards())


class Shifted(SquaredLoss):
    def best_prediction(self, votes, targets, span, current=None):
        return super().best_prediction(votes, targets, span, current) + 0.01


class Outside(SquaredLoss):
    def best_target(self, transposed, predictions, sets, span, current=None):
        return super().best_target(transposed, predictions, sets, span, current) + 9.0


class Untrue(AbsoluteLoss):
    @property
    def slopes(self):
        return (1.0, 2.0)


class Doubled(SquaredLoss):
    def total(self, votes, predictions, targets):
        return 2 * super().total(votes, predictions, targets)


class Midpoint(AbsoluteLoss):
    def average_prediction(self, votes, sets, span):
        return np.full((votes.shape[0], 1), span.min())


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (Shifted(), r"best_prediction of row 0 is .* has the lower value"),
        (Outside(), r"best_target returns a number outside of its interval"),
        (Untrue(), r"pointwise .* slopes are declared as \(1.0, 2.0\)"),
        (Doubled(), r"total is .* the sum of votes times pointwise losses"),
        (Midpoint(), r"average_prediction of row \d .* lower value"),
    ],
)
def test_broken_losses_of_numbers(loss, message):
    with pytest.raises(ContractError, match=message):
        check_loss(loss)


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


def chains():
    """All sequences of three tags of three, tag 1 never after tag 0, and some that are known."""
    allowed = np.ones((3, 3), dtype=bool)
    allowed[0, 1] = False
    grid = np.array(np.meshgrid(*[range(3)] * 3, indexing="ij")).reshape(3, -1).T
    outputs = grid[allowed[grid[:, :-1], grid[:, 1:]].all(axis=1)]
    y = np.array([[0, -1, -1], [-1, -1, 2], [-1, -1, -1], [2, -1, 1]])
    return allowed, outputs, y


def inside(known, sequence):
    return ((known == -1) | (known == sequence)).all(axis=1)


def wrong_tags(z, y):
    return float((z != y).sum())


class Greedy(SequenceTagging):
    """Chooses each tag alone, then repairs nothing."""

    def best_prediction(self, scores):
        return np.zeros_like(super().best_prediction(scores))


class Unlucky(SequenceTagging):
    def largest_loss(self, candidates):
        return 1.0


class Mixed(SequenceTagging):
    """Depends on the other rows of the batch."""

    def best_candidate(self, scores, candidates):
        return super().best_candidate(scores - scores.mean(axis=0), candidates)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (Greedy, r"best_prediction of row \d has the cost|alone is"),
        (Unlucky, r"largest_loss is 1.0, but a loss of 3 occurs"),
        (Mixed, r"best_candidate for row \d alone"),
    ],
)
def test_broken_tasks(task, message):
    allowed, outputs, y = chains()
    options = {"outputs": outputs, "contains": inside, "loss": wrong_tags}
    check_structured_task(SequenceTagging(allowed), y, **options)
    check_structured_task(SequenceTagging(allowed), y)
    with pytest.raises(ContractError, match=message):
        check_structured_task(task(allowed), y, **options)


def test_contains_needs_outputs():
    allowed, _, y = chains()
    with pytest.raises(ValueError, match="list the outputs, too"):
        check_structured_task(SequenceTagging(allowed), y, contains=inside)
