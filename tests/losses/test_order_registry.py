"""The loss on orders that a name or a loss object stands for."""

import numpy as np
import pytest

from disambig.losses import DCGLoss, FootruleLoss, KendallLoss, MatrixLoss
from disambig.losses.orders.protocol import BoundOrderLoss, OrderLoss
from disambig.losses.registry import bind_order_loss

ITEMS = np.array(["a", "b", "c"])
RANKS = np.array([[0, 1, 2], [2, 0, 1]])


@pytest.mark.parametrize(
    ("name", "loss"),
    [("kendall", KendallLoss()), ("footrule", FootruleLoss()), ("dcg", DCGLoss())],
)
def test_names_stand_for_losses(name, loss):
    assert isinstance(loss, OrderLoss)
    for given in (name, loss):
        bound = bind_order_loss(given, ITEMS)
        assert isinstance(bound, BoundOrderLoss)
        np.testing.assert_array_equal(bound.psi(RANKS), loss.bind(ITEMS).psi(RANKS))


def test_anything_else_is_an_error():
    with pytest.raises(ValueError, match=r"loss must be one of 'kendall'.*; got 'tau'"):
        bind_order_loss("tau", ITEMS)
    with pytest.raises(TypeError, match=r"or a loss between orders .*; got MatrixLoss"):
        bind_order_loss(MatrixLoss(np.ones((3, 3))), ITEMS)
    with pytest.raises(TypeError, match="got NoneType"):
        bind_order_loss(None, ITEMS)
