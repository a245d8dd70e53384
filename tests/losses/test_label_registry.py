"""From what a user writes to a loss."""

import numpy as np
import pytest

from disambig.losses import (
    AbstainLoss,
    LabelLoss,
    MatrixLoss,
    OrdinalLoss,
    ZeroOneLoss,
    resolve_loss,
)

CLASSES = np.arange(3)


@pytest.mark.parametrize(
    ("name", "same"),
    [("zero_one", ZeroOneLoss()), ("absolute", OrdinalLoss(1)), ("squared", OrdinalLoss(2))],
)
def test_names(name, same):
    piece = resolve_loss(name)
    assert isinstance(piece, LabelLoss)
    assert np.array_equal(piece.bind(CLASSES).matrix, same.bind(CLASSES).matrix)


def test_a_name_gives_a_new_piece_each_time():
    piece = resolve_loss("absolute")
    piece.set_params(power=7)
    assert resolve_loss("absolute").power == 1


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match="loss='zero-one' is not known") as caught:
        resolve_loss("zero-one")
    for name in ("zero_one", "absolute", "squared", "matrix"):
        assert name in str(caught.value)


@pytest.mark.parametrize("matrix", [[[0, 1], [5, 0]], np.array([[0.0, 1.0], [5.0, 0.0]])])
def test_a_matrix(matrix):
    piece = resolve_loss(matrix)
    assert isinstance(piece, MatrixLoss)
    assert piece.bind(np.arange(2)).matrix.tolist() == [[0.0, 1.0], [5.0, 0.0]]


def test_a_piece_is_cloned():
    given = AbstainLoss(cost=0.3, loss=OrdinalLoss(2))
    piece = resolve_loss(given)
    assert piece is not given
    assert piece.loss is not given.loss
    assert (piece.cost, piece.loss.power) == (0.3, 2)


@pytest.mark.parametrize("wrong", [None, 3, 2.5, [0, 1], {"matrix": 1}, np.zeros((2, 2, 2))])
def test_anything_else_is_refused_by_its_type(wrong):
    with pytest.raises(TypeError, match="loss must be a name, a matrix or a piece") as caught:
        resolve_loss(wrong)
    assert type(wrong).__name__ in str(caught.value)


def test_a_class_instead_of_an_instance():
    with pytest.raises(TypeError):
        resolve_loss(ZeroOneLoss)
