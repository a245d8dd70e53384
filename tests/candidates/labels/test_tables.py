"""Masks and soft weights: tables with one column per class."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from disambig.candidates import LabelSets
from disambig.exceptions import CandidateError

NAN = float("nan")
MASK = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1]])


def error_message(y, read=LabelSets.from_any, **options):
    with pytest.raises(CandidateError) as caught:
        read(y, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda m: m.astype(bool),
        lambda m: m.astype(np.int8),
        lambda m: m.astype(np.uint32),
        lambda m: m.astype(np.float32),
        lambda m: m.astype(object),
        lambda m: m.astype(bool).astype(object),
        np.asfortranarray,
        sparse.csr_array,
        lambda m: sparse.coo_matrix(m.astype(bool)),
        lambda m: sparse.csc_matrix(m.astype(float)),
        np.ma.MaskedArray,
    ],
)
def test_a_table_of_zero_and_one_is_a_mask(make):
    sets = LabelSets.from_any(make(MASK))
    assert sets.mask.tolist() == MASK.astype(bool).tolist()
    assert sets.classes.tolist() == [0, 1, 2]
    assert sets.weights is None
    assert sets == LabelSets.from_mask(make(MASK))


def test_from_mask_reads_nested_lists_and_single_columns():
    assert LabelSets.from_mask(MASK.tolist()) == LabelSets.from_any(MASK)
    assert LabelSets.from_mask([[True], [True]]).shape == (2, 1)


def test_classes_name_the_columns():
    sets = LabelSets.from_any(MASK, classes=["z", "y", "x"])
    assert sets[0] == {"z", "x"}
    assert error_message(MASK, classes=["a", "b"]) == (
        "LabelSets: 2 classes were given for 3 columns. Name one class per column."
    )


def test_fractions_are_soft_weights_scaled_to_sum_one():
    sets = LabelSets.from_any(np.array([[0.5, 0.0, 0.25], [1.0, 0.0, 0.0]]))
    assert sets.mask.tolist() == [[True, False, True], [True, False, False]]
    np.testing.assert_allclose(sets.weights, [[2 / 3, 0, 1 / 3], [1, 0, 0]])
    np.testing.assert_array_equal(sets.distribution(), sets.weights)


def test_from_weights_takes_any_scale():
    sets = LabelSets.from_weights([[3, 1, 0], [0, 0, 7]])
    np.testing.assert_allclose(sets.weights, [[0.75, 0.25, 0], [0, 0, 1]])
    huge = LabelSets.from_weights([[1e308, 1e308, 1e308], [5e-324, 5e-324, 0.0]])
    np.testing.assert_allclose(huge.weights, [[1 / 3] * 3, [0.5, 0.5, 0]])


@given(hnp.arrays(float, (4, 3), elements=st.floats(0, 1e6).filter(lambda x: x == 0 or x > 1e-9)))
def test_weights_are_distributions_over_the_support(weights):
    weights = weights + np.array([0.0, 0.0, 1.0])
    sets = LabelSets.from_weights(weights)
    np.testing.assert_array_equal(sets.mask, weights > 0)
    np.testing.assert_allclose(sets.weights.sum(axis=1), 1)
    np.testing.assert_allclose(sets.weights * weights.sum(axis=1, keepdims=True), weights)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (-1.0, "LabelSets: row 1, column 2 holds -1.0 (2 such entries). A mask holds 0 and 1"),
        (2.0, "use LabelSets.from_weights"),
        (NAN, "Input y contains NaN"),
        (np.inf, "Input y contains infinity"),
        (-0.25, "Write 0 for a class that is excluded"),
    ],
)
@pytest.mark.parametrize("dtype", [float, object])
def test_other_numbers_raise_with_row_and_column(entry, words, dtype):
    y = MASK.astype(dtype)
    y[1, 2] = y[2, 0] = entry
    message = error_message(y)
    assert message.startswith("LabelSets: row 1, column 2 holds")
    assert "(2 such entries)" in message
    assert words in message


def test_from_mask_refuses_fractions_and_from_weights_negatives():
    assert error_message([[0.5, 1.0]], LabelSets.from_mask).startswith(
        "LabelSets: row 0, column 0 holds 0.5 (1 such entry). A mask holds 0 and 1."
    )
    assert "holds -2" in error_message([[3, -2]], LabelSets.from_weights)
    assert "contains infinity" in error_message([[3, np.inf]], LabelSets.from_weights)
    assert "contains NaN" in error_message([[3, NAN]], LabelSets.from_weights)


@pytest.mark.parametrize("dtype", ["U3", object])
def test_a_table_of_text_is_sent_to_from_sets(dtype):
    message = error_message(np.array([["cat", "dog"], ["dog", "cow"]], dtype=dtype))
    assert message.startswith("LabelSets: row 0, column 0 holds 'cat'.")
    assert "LabelSets.from_sets" in message


@pytest.mark.parametrize("y", [np.array([[1j, 0]]), np.array([["2020", "2021"]], dtype="M8[Y]")])
def test_a_table_of_anything_else_raises(y):
    assert "row 0, column 0 holds" in error_message(y)


def test_a_missing_entry_of_an_object_table_raises_with_row_and_column():
    y = MASK.astype(object)
    y[2, 1] = None
    assert error_message(y).startswith("LabelSets: row 2, column 1 holds nan")


def test_masked_entries_are_missing():
    hidden = np.zeros(MASK.shape, dtype=bool)
    hidden[1, 1] = True
    assert error_message(np.ma.MaskedArray(MASK, mask=hidden)).startswith(
        "LabelSets: row 1, column 1"
    )


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_weights_that_sum_to_zero_raise(make):
    y = MASK.copy()
    y[1] = 0
    assert error_message(make(y), LabelSets.from_weights) == (
        "LabelSets: row 1 has weights that sum to zero (1 such row). Give a class a positive "
        "weight; equal weights say that a row may be any class."
    )


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("read", [LabelSets.from_any, LabelSets.from_mask])
def test_a_row_of_zeros_raises(make, read):
    y = MASK.copy()
    y[1] = 0
    assert error_message(make(y), read) == (
        "LabelSets: row 1 has no candidate (1 such row). Give every row at least one; "
        "use all classes for an unlabeled row."
    )


@pytest.mark.parametrize("marker", [-1, NAN, 0, 7.5])
def test_a_row_of_markers_may_be_any_class(marker):
    y = MASK.astype(float)
    y[1] = marker
    sets = LabelSets.from_any(y, unlabeled=marker)
    assert sets.mask.tolist() == [[True, False, True], [True] * 3, [True] * 3]
    assert sets.weights is None
    assert LabelSets.from_any(y.astype(object), unlabeled=marker) == sets


def test_a_row_of_markers_beside_weights_is_uniform():
    sets = LabelSets.from_any(np.array([[0.5, 0.5, 0], [NAN, NAN, NAN]]), unlabeled=NAN)
    np.testing.assert_allclose(sets.weights, [[0.5, 0.5, 0], [1 / 3] * 3])


def test_a_marker_in_part_of_a_row_raises():
    y = np.array([[1, 0], [-1, 1]])
    assert error_message(y, unlabeled=-1).startswith("LabelSets: row 1, column 0 holds -1")


def test_a_marker_of_another_kind_marks_no_numbers():
    assert LabelSets.from_any(MASK, unlabeled="?") == LabelSets.from_any(MASK)
    assert LabelSets.from_any(MASK, unlabeled=NAN) == LabelSets.from_any(MASK)


def test_the_marker_must_be_no_class_that_was_named():
    assert "also among the classes" in error_message(MASK, classes=[0, 1, -1], unlabeled=-1)


def test_ragged_lists_are_no_mask():
    assert "same length" in error_message([[0, 1], [1]], LabelSets.from_mask)


def test_a_vector_is_no_mask():
    assert "got shape (3,)" in error_message([0, 1, 1], LabelSets.from_mask)


def test_the_table_of_the_user_is_not_changed():
    y = MASK.astype(bool)
    sets = LabelSets.from_any(y)
    y[:] = False
    assert y.flags.writeable
    assert sets.mask.tolist() == MASK.astype(bool).tolist()
