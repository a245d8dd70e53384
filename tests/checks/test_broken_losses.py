"""`check_loss` accepts our losses and refuses broken ones, in words."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from disambig.candidates import LabelSets
from disambig.checks import (
    check_loss,
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
