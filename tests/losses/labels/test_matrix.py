"""Losses given by their table: what is accepted, and how the rest is refused."""

import numpy as np
import pytest

from disambig.losses import MatrixLoss
from disambig.losses.labels.losses import name_array

CLASSES = np.array(["healthy", "sick"])


def refusal(matrix, predictions=None, classes=CLASSES):
    with pytest.raises(ValueError, match=r"^MatrixLoss: ") as caught:
        MatrixLoss(matrix, predictions).bind(classes)
    return str(caught.value)


def test_rows_are_predictions_and_columns_are_classes():
    loss = MatrixLoss([[0, 5], [1, 0]]).bind(CLASSES)
    assert loss.matrix.tolist() == [[0.0, 5.0], [1.0, 0.0]]
    assert loss.matrix.dtype == np.float64
    assert loss.predictions is CLASSES


def test_the_users_array_is_copied():
    given = np.array([[0.0, 5.0], [1.0, 0.0]])
    loss = MatrixLoss(given).bind(CLASSES)
    given[:] = -1
    assert loss.matrix.tolist() == [[0.0, 5.0], [1.0, 0.0]]


@pytest.mark.parametrize("matrix", [[0, 1], [[0, 1, 2]], [], [[[0, 1]]], 3.0, np.zeros((0, 2))])
def test_a_wrong_shape_names_the_classes(matrix):
    message = refusal(matrix)
    assert str(np.shape(matrix)) in message
    assert "2 columns" in message
    assert "healthy" in message
    assert "sick" in message


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_loss_that_is_no_number_is_pointed_at(bad):
    message = refusal([[0, 1], [bad, 0]])
    assert "entry [1, 0]" in message
    assert str(bad) in message
    assert "finite" in message


def test_other_predictions_need_names():
    message = refusal([[0, 5], [1, 0], [0.3, 0.3]])
    assert "3 predictions for 2 classes" in message
    assert "predictions=" in message


@pytest.mark.parametrize("names", [["a"], ["a", "b", "c"], ["a", "a"]])
def test_names_are_one_a_row(names):
    assert repr(names) in refusal([[0, 5], [1, 0]], names)


def test_names_of_the_rows():
    loss = MatrixLoss([[0, 5], [1, 0], [0.3, 0.3]], ["no", "yes", "test again"]).bind(CLASSES)
    assert loss.predictions.tolist() == ["no", "yes", "test again"]
    assert loss.predictions.dtype.kind == "U"


@pytest.mark.parametrize(
    ("names", "classes"),
    [
        ([0, 1, -1], np.array([0, 1])),
        ([0, 1, "abstain"], np.array([0, 1])),
        (["a", "b", -1], np.array(["a", "b"])),
        (["a", "b", None], np.array(["a", "b"])),
        ([0.5, 1.5, 2], np.array([0.5, 1.5])),
        ([True, False, "maybe"], np.array([True, False])),
        ([("a", 1), ("b", 2)], np.array(["a", "b"])),
        ([("a", "b"), ("c", "d")], np.array(["a", "b"])),
    ],
)
def test_a_name_comes_back_as_it_was_given(names, classes):
    array = name_array(names, classes)
    assert array.shape == (len(names),)
    assert array.tolist() == names
    assert [type(a) for a in array.tolist()] == [type(a) for a in names] or array.dtype.kind == "f"


def test_names_of_the_classes_kind_are_no_objects():
    assert name_array([0, 1, -1], np.array([0, 1])).dtype.kind == "i"
    assert name_array(["a", "other"], np.array(["a", "b"])).dtype.kind == "U"
