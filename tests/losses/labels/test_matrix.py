"""Losses given by a matrix: what is accepted, and the errors for anything else."""

import numpy as np
import pytest

from disambig.losses import MatrixLoss
from disambig.losses.labels.losses import name_array

CLASSES = np.array(["healthy", "sick"])


def error_message(matrix, predictions=None, classes=CLASSES):
    with pytest.raises(ValueError, match=r"^MatrixLoss: ") as caught:
        MatrixLoss(matrix, predictions).bind(classes)
    return str(caught.value)


def test_rows_are_predictions_and_columns_are_classes():
    loss = MatrixLoss([[0, 5], [1, 0]]).bind(CLASSES)
    assert loss.matrix.tolist() == [[0.0, 5.0], [1.0, 0.0]]
    assert loss.matrix.dtype == np.float64
    assert loss.predictions is CLASSES


def test_array_of_the_user_is_copied():
    given = np.array([[0.0, 5.0], [1.0, 0.0]])
    loss = MatrixLoss(given).bind(CLASSES)
    given[:] = -1
    assert loss.matrix.tolist() == [[0.0, 5.0], [1.0, 0.0]]


@pytest.mark.parametrize("matrix", [[0, 1], [[0, 1, 2]], [], [[[0, 1]]], 3.0, np.zeros((0, 2))])
def test_error_for_a_wrong_shape_names_the_classes(matrix):
    message = error_message(matrix)
    assert str(np.shape(matrix)) in message
    assert "2 columns" in message
    assert "healthy" in message
    assert "sick" in message


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_error_names_an_entry_that_is_not_finite(bad):
    message = error_message([[0, 1], [bad, 0]])
    assert "entry [1, 0]" in message
    assert str(bad) in message
    assert "finite" in message


def test_other_predictions_need_names():
    message = error_message([[0, 5], [1, 0], [0.3, 0.3]])
    assert "3 predictions for 2 classes" in message
    assert "predictions=" in message


@pytest.mark.parametrize("names", [["a"], ["a", "b", "c"], ["a", "a"]])
def test_each_row_needs_one_distinct_name(names):
    assert repr(names) in error_message([[0, 5], [1, 0]], names)


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
def test_names_are_not_converted(names, classes):
    array = name_array(names, classes)
    assert array.shape == (len(names),)
    assert array.tolist() == names
    assert [type(a) for a in array.tolist()] == [type(a) for a in names] or array.dtype.kind == "f"


def test_names_of_the_type_of_the_classes_keep_that_type():
    assert name_array([0, 1, -1], np.array([0, 1])).dtype.kind == "i"
    assert name_array(["a", "other"], np.array(["a", "b"])).dtype.kind == "U"
