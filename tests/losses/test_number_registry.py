"""From what a user writes to a loss between numbers."""

import pytest

from disambig.losses import (
    AbsoluteLoss,
    NumberLoss,
    OrdinalLoss,
    PinballLoss,
    SquaredLoss,
    resolve_number_loss,
)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("squared", SquaredLoss), ("absolute", AbsoluteLoss), ("pinball", PinballLoss)],
)
def test_names(name, kind):
    piece = resolve_number_loss(name)
    assert type(piece) is kind
    assert isinstance(piece, NumberLoss)
    assert resolve_number_loss(name) is not piece


def test_a_piece_is_cloned():
    given = PinballLoss(0.9)
    piece = resolve_number_loss(given)
    assert piece is not given
    assert piece.quantile == 0.9


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"loss='l2' is not known; choose one of 'squared', 'abs"):
        resolve_number_loss("l2")


@pytest.mark.parametrize("wrong", [None, 2, OrdinalLoss(), SquaredLoss, [[0, 1], [1, 0]]])
def test_anything_else_is_refused_by_its_type(wrong):
    with pytest.raises(TypeError, match="a loss between numbers") as caught:
        resolve_number_loss(wrong)
    assert type(wrong).__name__ in str(caught.value)
