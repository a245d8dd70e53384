"""What every loss piece owes scikit-learn: parameters, clones and pickles."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from disambig.losses import (
    AbstainLoss,
    FiniteLoss,
    HierarchicalLoss,
    LabelLoss,
    MatrixLoss,
    OrdinalLoss,
    ZeroOneLoss,
)

CLASSES = np.array(["a", "b", "c"])
PIECES = [
    ZeroOneLoss(),
    MatrixLoss([[0, 2, 3], [1, 0, 1], [4, 1, 0]]),
    MatrixLoss(np.arange(6.0).reshape(2, 3), predictions=["x", "y"]),
    OrdinalLoss(power=2),
    HierarchicalLoss({"a": "u", "b": "u", "u": "r", "c": "r"}),
    AbstainLoss(cost=0.3),
    AbstainLoss(cost=0.3, loss=OrdinalLoss(2), name="?"),
]


@pytest.fixture(params=PIECES, ids=lambda piece: type(piece).__name__)
def piece(request):
    return request.param


def same(left, right):
    return np.array_equal(left.matrix, right.matrix) and np.array_equal(
        left.predictions, right.predictions
    )


def test_it_is_a_label_loss(piece):
    assert isinstance(piece, LabelLoss)
    assert isinstance(piece.bind(CLASSES), FiniteLoss)


def test_a_clone_is_the_same_loss(piece):
    copy = clone(piece)
    assert copy is not piece
    assert same(copy.bind(CLASSES), piece.bind(CLASSES))


def test_a_pickle_is_the_same_loss(piece):
    assert same(pickle.loads(pickle.dumps(piece)).bind(CLASSES), piece.bind(CLASSES))


def test_a_bound_loss_can_be_pickled(piece):
    bound = piece.bind(CLASSES)
    assert same(pickle.loads(pickle.dumps(bound)), bound)


def test_binding_changes_nothing(piece):
    before = repr(piece)
    first, second = piece.bind(CLASSES), piece.bind(CLASSES)
    assert repr(piece) == before
    assert same(first, second)


def test_the_constructor_only_stores():
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
    piece = AbstainLoss(cost=0.3, loss=OrdinalLoss(2)).set_params(loss__power=1, cost=0.1)
    assert piece.bind(CLASSES).matrix[0].tolist() == [0.0, 1.0, 2.0]
