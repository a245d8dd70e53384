"""Losses on labels follow scikit-learn: parameters, clones and pickles."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from disambig.losses import AbstainLoss, HierarchicalLoss, MatrixLoss, OrdinalLoss, ZeroOneLoss
from disambig.losses.labels.finite import FiniteLoss
from disambig.losses.registry import LabelLoss

CLASSES = np.array(["a", "b", "c"])
LOSSES = [
    ZeroOneLoss(),
    MatrixLoss([[0, 2, 3], [1, 0, 1], [4, 1, 0]]),
    MatrixLoss(np.arange(6.0).reshape(2, 3), predictions=["x", "y"]),
    OrdinalLoss(power=2),
    HierarchicalLoss({"a": "u", "b": "u", "u": "r", "c": "r"}),
    AbstainLoss(cost=0.3),
    AbstainLoss(cost=0.3, loss=OrdinalLoss(2), name="?"),
]


@pytest.fixture(params=LOSSES, ids=lambda loss: type(loss).__name__)
def loss(request):
    return request.param


def same(left, right):
    return np.array_equal(left.matrix, right.matrix) and np.array_equal(
        left.predictions, right.predictions
    )


def test_is_a_label_loss(loss):
    assert isinstance(loss, LabelLoss)
    assert isinstance(loss.bind(CLASSES), FiniteLoss)


def test_clone_is_the_same_loss(loss):
    copy = clone(loss)
    assert copy is not loss
    assert same(copy.bind(CLASSES), loss.bind(CLASSES))


def test_pickle_is_the_same_loss(loss):
    assert same(pickle.loads(pickle.dumps(loss)).bind(CLASSES), loss.bind(CLASSES))


def test_bound_loss_can_be_pickled(loss):
    bound = loss.bind(CLASSES)
    assert same(pickle.loads(pickle.dumps(bound)), bound)


def test_binding_does_not_change_the_parameters(loss):
    before = repr(loss)
    first, second = loss.bind(CLASSES), loss.bind(CLASSES)
    assert repr(loss) == before
    assert same(first, second)


def test_constructor_only_stores_its_arguments():
    unusable = object()
    assert MatrixLoss(unusable).get_params()["matrix"] is unusable
    assert HierarchicalLoss(unusable).parents is unusable
    assert OrdinalLoss(power="three").power == "three"
    assert AbstainLoss(cost=None).get_params() == {
        "cost": None,
        "loss": "zero_one",
        "name": "abstain",
    }


def test_nested_parameters_can_be_set():
    loss = AbstainLoss(cost=0.3, loss=OrdinalLoss(2)).set_params(loss__power=1, cost=0.1)
    assert loss.bind(CLASSES).matrix[0].tolist() == [0.0, 1.0, 2.0]
