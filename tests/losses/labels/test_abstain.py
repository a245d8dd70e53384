"""Losses with the prediction to abstain."""

import numpy as np
import pytest

from disambig.losses import AbstainLoss, MatrixLoss, OrdinalLoss


def test_abstention_is_the_last_row():
    loss = AbstainLoss(cost=0.3).bind(np.array(["cat", "dog"]))
    assert loss.matrix.tolist() == [[0.0, 1.0], [1.0, 0.0], [0.3, 0.3]]
    assert loss.predictions.tolist() == ["cat", "dog", "abstain"]
    assert loss.classes.tolist() == ["cat", "dog"]


@pytest.mark.parametrize("base", ["absolute", OrdinalLoss(), [[0, 1, 2], [1, 0, 1], [2, 1, 0]]])
def test_any_loss_can_be_abstained_from(base):
    loss = AbstainLoss(cost=0.5, loss=base).bind(np.array([1, 2, 3]))
    assert loss.matrix[0].tolist() == [0.0, 1.0, 2.0]
    assert loss.matrix[3].tolist() == [0.5] * 3
    assert loss.predictions.tolist() == [1, 2, 3, "abstain"]


def test_abstains_if_no_class_has_a_large_enough_share():
    loss = AbstainLoss(cost=0.4).bind(np.array([0, 1]))
    shares = np.array([[0.7, 0.3], [0.55, 0.45], [0.6, 0.4]])
    chosen = loss.best_prediction(shares @ loss.matrix.T, np.full(3, 1e-12)).mask
    assert chosen.tolist() == [[True, False, False], [False, False, True], [True, False, True]]


@pytest.mark.parametrize(("name", "classes"), [(-1, ["a", "b"]), (None, ["a"]), ("none", [0, 1])])
def test_name_keeps_its_type(name, classes):
    loss = AbstainLoss(cost=0.1, name=name).bind(np.array(classes))
    assert loss.predictions[-1] == name
    assert type(loss.predictions.tolist()[-1]) is type(name)


def test_name_of_another_prediction_is_an_error():
    with pytest.raises(ValueError, match=r"AbstainLoss: 'dog' is already a prediction.*name="):
        AbstainLoss(cost=0.3, name="dog").bind(np.array(["cat", "dog"]))
    named = MatrixLoss([[0, 1], [1, 0]], ["no", "yes"])
    with pytest.raises(ValueError, match="'yes' is already a prediction"):
        AbstainLoss(cost=0.3, loss=named, name="yes").bind(np.array(["cat", "dog"]))


@pytest.mark.parametrize("cost", [np.nan, np.inf])
def test_cost_that_is_not_finite_is_an_error(cost):
    with pytest.raises(ValueError, match=r"AbstainLoss: cost=.*finite"):
        AbstainLoss(cost=cost).bind(np.array([0, 1]))


def test_abstaining_twice():
    inner = AbstainLoss(cost=0.2, name="ask")
    loss = AbstainLoss(cost=0.3, loss=inner, name="wait").bind(np.array([0, 1]))
    assert loss.predictions.tolist() == [0, 1, "ask", "wait"]
    assert loss.matrix[2:].tolist() == [[0.2, 0.2], [0.3, 0.3]]
