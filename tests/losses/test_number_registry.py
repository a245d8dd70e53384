"""The loss between numbers that a name or a loss object stands for."""

import pytest

from disambig.losses import AbsoluteLoss, NumberLoss, OrdinalLoss, PinballLoss, SquaredLoss
from disambig.losses.registry import resolve_number_loss


@pytest.mark.parametrize(
    ("name", "loss_class"),
    [("squared", SquaredLoss), ("absolute", AbsoluteLoss), ("pinball", PinballLoss)],
)
def test_names(name, loss_class):
    loss = resolve_number_loss(name)
    assert type(loss) is loss_class
    assert isinstance(loss, NumberLoss)
    assert resolve_number_loss(name) is not loss


def test_loss_object_is_cloned():
    given = PinballLoss(0.9)
    loss = resolve_number_loss(given)
    assert loss is not given
    assert loss.quantile == 0.9


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"loss must be one of 'squared', 'abs.*; got 'l2'"):
        resolve_number_loss("l2")


@pytest.mark.parametrize("wrong", [None, 2, OrdinalLoss(), SquaredLoss, [[0, 1], [1, 0]]])
def test_error_names_the_type_of_anything_else(wrong):
    with pytest.raises(TypeError, match="a loss between numbers") as caught:
        resolve_number_loss(wrong)
    assert type(wrong).__name__ in str(caught.value)
