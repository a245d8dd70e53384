"""The loss on labels that a name, a matrix or a loss object stands for."""

import numpy as np
import pytest

from disambig import PartialLabelClassifier, StructuredPredictor
from disambig.losses import (
    AbstainLoss,
    HammingLoss,
    KendallLoss,
    MatrixLoss,
    OrdinalLoss,
    ZeroOneLoss,
)
from disambig.losses.registry import LabelLoss, resolve_loss

CLASSES = np.arange(3)


@pytest.mark.parametrize(
    ("name", "same"),
    [("zero_one", ZeroOneLoss()), ("absolute", OrdinalLoss(1)), ("squared", OrdinalLoss(2))],
)
def test_names(name, same):
    loss = resolve_loss(name)
    assert isinstance(loss, LabelLoss)
    assert np.array_equal(loss.bind(CLASSES).matrix, same.bind(CLASSES).matrix)


def test_name_gives_a_new_loss_each_time():
    loss = resolve_loss("absolute")
    loss.set_params(power=7)
    assert resolve_loss("absolute").power == 1


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"loss must be .*; got 'zero-one'") as caught:
        resolve_loss("zero-one")
    for name in ("zero_one", "absolute", "squared", "matrix"):
        assert name in str(caught.value)


@pytest.mark.parametrize("matrix", [[[0, 1], [5, 0]], np.array([[0.0, 1.0], [5.0, 0.0]])])
def test_matrix_becomes_a_matrix_loss(matrix):
    loss = resolve_loss(matrix)
    assert isinstance(loss, MatrixLoss)
    assert loss.bind(np.arange(2)).matrix.tolist() == [[0.0, 1.0], [5.0, 0.0]]


def test_loss_object_is_cloned():
    given = AbstainLoss(cost=0.3, loss=OrdinalLoss(2))
    loss = resolve_loss(given)
    assert loss is not given
    assert loss.loss is not given.loss
    assert (loss.cost, loss.loss.power) == (0.3, 2)


@pytest.mark.parametrize("wrong", [None, 3, 2.5, [0, 1], {"matrix": 1}, np.zeros((2, 2, 2))])
def test_error_names_the_type_of_anything_else(wrong):
    with pytest.raises(TypeError, match="loss must be one of 'zero_one'") as caught:
        resolve_loss(wrong)
    assert type(wrong).__name__ in str(caught.value)


def test_class_instead_of_an_instance_is_an_error():
    with pytest.raises(TypeError, match="got the class ZeroOneLoss"):
        resolve_loss(ZeroOneLoss)


@pytest.mark.parametrize("wrong", [KendallLoss(), HammingLoss(), [[0, 1], [1]]])
def test_losses_of_other_kinds_and_ragged_matrices_are_refused(wrong):
    with pytest.raises(TypeError, match=r"loss must be one of|got the class"):
        PartialLabelClassifier("neighbors", loss=wrong).fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(TypeError, match=r"loss must be one of|got the class"):
        AbstainLoss(0.3, wrong).bind(CLASSES)


@pytest.mark.parametrize("wrong", [KendallLoss(), ZeroOneLoss, [[0, 1], [1]]])
def test_the_same_for_structures(wrong):
    with pytest.raises(TypeError, match=r"loss must be one of|got the class"):
        StructuredPredictor(wrong).fit([[0.0], [1.0]], ["a", "b"])
