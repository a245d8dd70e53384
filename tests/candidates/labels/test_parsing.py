"""Rows of labels and sets of labels, as users write them."""

import re

import numpy as np
import pytest
from sklearn.exceptions import DataConversionWarning

from disambig.candidates import LabelSets
from disambig.exceptions import CandidateError

NAN = float("nan")


def sets_of(y, **options):
    return LabelSets.from_any(y, **options).to_sets()


def error_message(y, read=LabelSets.from_any, **options):
    with pytest.raises(CandidateError) as caught:
        read(y, **options)
    return str(caught.value)


# ---------------------------------------------------------------- plain labels


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (np.array([3, -1, 3]), [-1, 3]),
        (np.array([2, 0, 2], dtype=np.uint8), [0, 2]),
        (np.array([1.0, -1.0, 1.0]), [-1.0, 1.0]),
        (np.array([True, False, True]), [False, True]),
        (np.array(["b", "a", "b"]), ["a", "b"]),
        (np.array(["b", "a", "b"], dtype=object), ["a", "b"]),
        (np.array([5, 4, 5], dtype=object), [4, 5]),
        ([5, 4, 5], [4, 5]),
        ((5, 4, 5), [4, 5]),
        (["b", "a", "b"], ["a", "b"]),
        ([True, False, True], [False, True]),
        (np.array([b"b", b"a", b"b"]), [b"a", b"b"]),
        (range(7, 9), [7, 8]),
    ],
)
def test_plain_labels_are_sets_of_one_over_their_sorted_values(y, classes):
    sets = LabelSets.from_any(y)
    assert sets.classes.tolist() == classes
    assert sets.is_single.all()
    assert sets.first_labels().tolist() == list(y)
    assert sets == LabelSets.from_labels(y)
    assert sets.weights is None


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.float32, np.bool_, "U3", "S2", "M8[D]"])
def test_the_dtype_of_an_array_of_labels_is_kept(dtype):
    y = np.array([1, 0, 1]).astype(dtype)
    assert LabelSets.from_any(y).classes.dtype == y.dtype


def test_the_classes_of_an_object_array_of_text_are_text():
    assert LabelSets.from_any(np.array(["b", "a"], dtype=object)).classes.dtype.kind == "U"


def test_integers_beside_text_stay_integers():
    sets = LabelSets.from_any([10, "a", 2])
    assert sets.classes.dtype == object
    # Labels that do not compare: by name of the type, then as text.
    assert sets.classes.tolist() == [10, 2, "a"]


def test_given_classes_fix_the_order_and_may_be_more():
    sets = LabelSets.from_any(["b", "a"], classes=["c", "b", "a"])
    assert sets.classes.tolist() == ["c", "b", "a"]
    assert sets.mask.tolist() == [[False, True, False], [False, False, True]]
    assert sets.unused_classes.tolist() == ["c"]


@pytest.mark.parametrize("make", [list, np.array, lambda y: np.array(y, dtype=object)])
def test_a_label_that_is_no_class_raises_with_the_row(make):
    message = error_message(make(["a", "z", "b", "y"]), classes=["a", "b"])
    assert message.startswith(
        "LabelSets: row 1 holds 'z', which is not among the classes ['a', 'b'] (2 such rows)."
    )


def test_long_lists_of_classes_are_shortened_in_messages():
    assert "... 100 in all]" in error_message([100], classes=range(100))


def test_a_column_is_plain_labels_with_scikit_learns_warning():
    y = np.array([[2], [5], [2]])
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array"):
        sets = LabelSets.from_any(y)
    assert sets == LabelSets.from_any(y.ravel())
    with pytest.warns(DataConversionWarning):
        assert LabelSets.from_labels(y) == sets


def test_the_warning_points_at_the_caller():
    with pytest.warns(DataConversionWarning) as caught:
        LabelSets.from_any(np.array([[2], [5]]))
    assert caught[0].filename == __file__


def test_a_column_of_sets_is_sets():
    y = np.empty((2, 1), dtype=object)
    y[0, 0], y[1, 0] = {1, 2}, {2}
    with pytest.warns(DataConversionWarning):
        assert sets_of(y) == [{1, 2}, {2}]


@pytest.mark.parametrize("make", [list, np.array])
def test_continuous_values_are_no_labels(make):
    message = error_message(make([1.0, 0.5, 0.25]))
    assert "Unknown label type: continuous" in message
    assert message.startswith("LabelSets: row 1 holds the continuous value 0.5")
    assert "(2 such rows)" in message


def test_complex_numbers_are_no_labels():
    assert "Unknown label type" in error_message(np.array([1j, 2.0]))


def test_fractions_that_are_named_are_classes():
    assert sets_of([0.5, 1.0], classes=[0.5, 1.0, 1.5]) == [{0.5}, {1.0}]


def test_missing_labels_raise_with_the_row():
    for y in (np.array([0, NAN, 1, NAN]), [0, None, 1, NAN], np.array([0, None, 1, None], object)):
        message = error_message(y)
        assert message.startswith("LabelSets: row 1 holds ")
        assert "Input y contains NaN (2 such rows)" in message
        assert "unlabeled=float('nan')" in message
    assert "row 1 holds" in error_message(np.array(["2020-01-01", "NaT"], dtype="M8[D]"))


def test_missing_values_are_reported_before_continuous_ones():
    assert "contains NaN" in error_message(np.array([0.5, NAN]))


def test_infinite_labels_raise_with_the_row():
    for y in (np.array([0, 1, np.inf]), [{1}, {2}, {-np.inf, 1}]):
        message = error_message(y)
        assert message.startswith("LabelSets: row 2 holds")
        assert "Input y contains infinity" in message


def test_masked_entries_are_missing():
    y = np.ma.MaskedArray([1, 7, 2], mask=[False, True, False])
    assert "row 1 holds None" in error_message(y)
    assert sets_of(y, unlabeled=NAN) == [{1}, {1, 2}, {2}]
    assert sets_of(np.ma.MaskedArray([1, 7])) == [{1}, {7}]


def test_from_labels_refuses_sets_and_tables():
    assert error_message(["a", {"b"}], LabelSets.from_labels).startswith(
        "LabelSets: row 1 holds {'b'} where one label is expected (1 such row)."
    )
    assert "shape (2, 2)" in error_message(np.eye(2), LabelSets.from_labels)


# ---------------------------------------------------------------- sets


@pytest.mark.parametrize("make", [set, frozenset, list, tuple, np.array])
def test_collections_are_sets(make):
    rows = [make(["a", "b"]), make(["b"]), make(["c", "a", "b"])]
    held = np.empty(3, dtype=object)
    held[:] = rows
    for y in (rows, tuple(rows), held):
        sets = LabelSets.from_any(y)
        assert sets.classes.tolist() == ["a", "b", "c"]
        assert sets.to_sets() == [{"a", "b"}, {"b"}, {"a", "b", "c"}]
        assert sets == LabelSets.from_sets(y)


def test_single_labels_may_be_mixed_with_sets_and_text_is_one_label():
    assert sets_of([{"cat", "dog"}, "cat", ["cow"], ("dog",)]) == [
        {"cat", "dog"},
        {"cat"},
        {"cow"},
        {"dog"},
    ]
    assert sets_of(["ab", {"cd"}]) == [{"ab"}, {"cd"}]
    assert sets_of([3, {1, 2}, np.array(2)]) == [{3}, {1, 2}, {2}]


def test_equally_long_lists_of_other_labels_are_sets():
    assert sets_of([[1, 2], [2, 3]]) == [{1, 2}, {2, 3}]
    assert sets_of([["0", "1"], ["1", "2"]]) == [{"0", "1"}, {"1", "2"}]
    assert sets_of([[0], [1]]) == [{0}, {1}]
    assert sets_of([{0, 1}, {1, 0}]) == [{0, 1}, {0, 1}]
    assert sets_of([[0, 1], [1]]) == [{0, 1}, {1}]


@pytest.mark.parametrize(
    "y",
    [
        [[0, 1], [1, 0]],
        ((0, 1, 1), (1, 0, 0)),
        [(True, False), (False, True)],
        [[0.0, 1.0], [0.5, 0.5]],
        [np.array([0, 1]), np.array([1, 0])],
        [np.array([True, False]), [1, 0]],
    ],
)
def test_lists_that_could_be_a_mask_or_sets_raise(y):
    message = error_message(y)
    assert "may be a mask or sets" in message
    assert "np.asarray(y)" in message
    assert "LabelSets.from_sets" in message


def test_a_marker_does_not_make_a_mask_of_lists_less_ambiguous():
    assert "may be a mask or sets" in error_message([[0, 1], None, [1, 0]], unlabeled=NAN)
    assert "may be a mask or sets" in error_message([[0, 1], -1, [1, 0]], unlabeled=-1)


def test_from_sets_reads_lists_of_zero_and_one_as_sets():
    assert LabelSets.from_sets([[0, 1], [1, 0]]).to_sets() == [{0, 1}, {0, 1}]


def test_from_sets_reads_the_rows_of_a_2d_array():
    y = np.array([["a", "b"], ["b", "c"]])
    assert LabelSets.from_sets(y).to_sets() == [{"a", "b"}, {"b", "c"}]


def test_an_empty_set_raises_with_row_and_count():
    y = [{"a"}] * 17 + [set(), [], ()]
    assert error_message(y) == (
        "LabelSets: row 17 has no candidate (3 such rows). Give every row at least one; "
        "use all classes for an unlabeled row."
    )
    assert "row 0 has no candidate (1 such row)" in error_message([[]], classes=["a"])


def test_a_repeated_label_raises_with_the_row():
    message = error_message([["a", "b"], ["b", "c", "b"], ["a", "a"]])
    assert message.startswith("LabelSets: row 1 repeats a label (2 such rows).")


def test_collections_inside_collections_raise_with_the_row():
    assert error_message(["a", ["b", ("c", "d")]]).startswith("LabelSets: row 1 holds ('c', 'd')")
    assert error_message(["a", ["b", ["c"]]]).startswith("LabelSets: row 1 holds ['c'], a list.")
    assert error_message([{"a"}, {"b": 0.5}]).startswith(
        "LabelSets: row 1 holds {'b': 0.5}, a dict."
    )
    assert error_message([{"a"}, range(3)]).startswith("LabelSets: row 1 holds range(0, 3)")


def test_a_missing_value_inside_a_set_raises_with_the_row():
    message = error_message([{"a"}, {"b", None}], unlabeled=None)
    assert message.startswith("LabelSets: row 1 holds None")
    assert "Leave the missing value out" in message


def test_continuous_labels_in_sets_raise():
    assert "Unknown label type: continuous" in error_message([{0.5, 2.0}, {1.0}])


# ---------------------------------------------------------------- unlabeled rows


@pytest.mark.parametrize(
    ("y", "marker"),
    [
        (np.array([0, -1, 2]), -1),
        (np.array([0.0, -1.0, 2.0]), -1),
        (np.array([0.0, NAN, 2.0]), NAN),
        ([0, None, 2], NAN),
        ([0, NAN, 2], np.float32("nan")),
        ([{0}, None, {2}], NAN),
        ([{0}, {None}, 2], NAN),
        ([[0], [-1], [2]], -1),
        ([0, "?", 2], "?"),
        (np.array([0, "?", 2], dtype=object), "?"),
    ],
)
def test_a_marked_row_may_be_any_class_and_the_marker_is_no_class(y, marker):
    sets = LabelSets.from_any(y, unlabeled=marker)
    assert sets.classes.tolist() == [0, 2]
    assert sets.to_sets() == [{0}, {0, 2}, {2}]
    assert sets.informative.tolist() == [True, False, True]


def test_a_marked_row_may_be_any_class_that_is_named():
    assert sets_of(["a", ""], classes=["a", "b"], unlabeled="") == [{"a"}, {"a", "b"}]
    assert sets_of(np.array(["a", "?"]), unlabeled="?") == [{"a"}, {"a"}]
    assert sets_of([-1, -1], classes=[0, 1], unlabeled=-1) == [{0, 1}] * 2


def test_minus_one_is_a_label_unless_it_is_the_marker():
    assert sets_of([-1, 1]) == [{-1}, {1}]


def test_only_the_named_marker_marks():
    assert "row 1 holds None" in error_message([0, None, -1], unlabeled=-1)


def test_all_rows_unlabeled_leave_the_classes_unknown():
    assert "every row is unlabeled" in error_message([-1, -1], unlabeled=-1)
    assert "classes=" in error_message([None], unlabeled=NAN)


def test_the_marker_must_be_no_class():
    message = error_message([0, 1], classes=[0, 1, -1], unlabeled=-1)
    assert "unlabeled=-1 is also among the classes" in message


def test_the_marker_beside_labels_raises_with_the_row():
    message = error_message([{0}, {0, -1}, {1, -1}], unlabeled=-1)
    assert message.startswith(
        "LabelSets: row 1 holds the marker unlabeled=-1 beside other labels (2 such rows)."
    )


# ---------------------------------------------------------------- invalid targets


def test_no_y_raises_as_scikit_learn_expects():
    assert "requires y to be passed, but the target y is None" in error_message(None)


@pytest.mark.parametrize("y", ["abc", b"abc", {"a": 1}, {1, 2}, 3, object(), (x for x in "ab")])
def test_objects_without_rows_raise_with_their_type(y):
    assert f"got {type(y).__name__}." in error_message(y)


@pytest.mark.parametrize("shape", [(2, 2, 2), ()])
def test_other_dimensions_raise(shape):
    assert re.search(rf"got shape {re.escape(str(shape))}", error_message(np.zeros(shape)))


@pytest.mark.parametrize("y", [[], np.array([]), (), np.empty((0, 3)), np.empty((3, 0))])
def test_empty_targets_raise(y):
    message = error_message(y)
    assert "at least one" in message


def test_label_sets_pass_through():
    sets = LabelSets.from_any(["a", "b"])
    assert LabelSets.from_any(sets) is sets
    assert LabelSets.from_any(sets, classes=["b", "a"]).classes.tolist() == ["b", "a"]


@pytest.mark.parametrize("read", ["from_mask", "from_weights", "from_labels", "from_sets"])
def test_label_sets_are_not_read_as_raw_targets(read):
    sets = LabelSets.from_any(["a", "b"])
    assert "candidates already" in error_message(sets, getattr(LabelSets, read))


@pytest.mark.parametrize(
    ("classes", "words"),
    [
        ("ab", "got str 'ab'"),
        ({"a", "b"}, "got set"),
        (3, "got int 3"),
        ([], "classes is empty"),
        (["a", "b", "a"], "'a' is at 0 and 2"),
        ([1, True], "must be distinct"),
        (["a", None], "classes[1] is None"),
        ([NAN, 0], "classes[0] is nan"),
        ([("a", "b"), "a"], "classes[0] is ('a', 'b')"),
        (np.array([[0, 1]]), "must be 1-D"),
    ],
)
def test_classes_must_be_an_ordered_list_of_distinct_labels(classes, words):
    assert words in error_message(["a"], classes=classes)
