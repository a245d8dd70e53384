"""Losses for classes with an order."""

import numpy as np
import pytest

from disambig.losses import OrdinalLoss


@pytest.mark.parametrize("power", [0.5, 1, 2, 3])
@pytest.mark.parametrize("K", [1, 2, 5])
def test_matrix(power, K):
    # The classes are not equally spaced: only ranks matter, not values.
    matrix = OrdinalLoss(power=power).bind(np.arange(K) ** 3).matrix
    for z in range(K):
        for y in range(K):
            assert matrix[z, y] == pytest.approx(abs(z - y) ** power)


def test_order_is_that_of_the_classes():
    classes = np.array(["low", "mid", "high"])
    loss = OrdinalLoss().bind(classes)
    assert loss.matrix[0].tolist() == [0.0, 1.0, 2.0]
    assert loss.predictions.tolist() == ["low", "mid", "high"]


@pytest.mark.parametrize("power", [0, -1, np.nan, np.inf])
def test_power_that_is_not_positive_is_an_error(power):
    with pytest.raises(ValueError, match=r"^OrdinalLoss: power=.*positive") as caught:
        OrdinalLoss(power=power).bind(np.arange(3))
    assert repr(power) in str(caught.value)
