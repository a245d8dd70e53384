"""Vectors of classes, missing values and markers."""

import datetime
import enum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates.labels.classes import (
    checked_classes,
    class_vector,
    positions,
    sorted_labels,
)
from disambig.candidates.reading import Markers, is_missing

NAN = float("nan")


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([1, 2], "i"),
        ([1, 2.0], "f"),
        ([True, False], "b"),
        (["a", "bc"], "U"),
        ([b"a", b"b"], "S"),
        ([1, "a"], "O"),
        ([True, 2], "O"),
        (["a", b"a"], "O"),
        (["a\0", "b"], "O"),
        ([2**70, 1], "O"),
        ([2**63, -1], "O"),
        ([2**53 + 1, 0.5], "O"),
        ([datetime.date(2020, 1, 1)], "O"),
        ([Color.RED, Color.BLUE], "O"),
    ],
)
def test_a_vector_holds_exactly_its_labels(labels, kind):
    vector = class_vector(labels)
    assert vector.shape == (len(labels),)
    assert vector.dtype.kind == kind
    assert vector.tolist() == labels


@given(st.lists(st.integers() | st.text() | st.booleans() | st.binary(), min_size=1, unique=True))
def test_no_label_changes_in_a_vector(labels):
    back = class_vector(labels).tolist()
    assert back == labels
    assert [type(label) for label in back] == [type(label) for label in labels]


def test_vectors_of_vectors():
    given_ = np.array([3, 1], dtype=np.int16)
    vector = checked_classes(given_)
    assert vector.dtype == np.int16
    assert positions(vector) == {3: 0, 1: 1}
    assert checked_classes(np.array(["a", "b"], dtype=object)).dtype.kind == "U"
    assert checked_classes(given_.astype(">i2")).dtype.isnative


def test_the_order_of_labels_does_not_depend_on_how_they_come():
    labels = ["b", 10, 9, "a", b"z", None]
    assert sorted_labels(labels) == sorted_labels(labels[::-1])
    assert sorted_labels([3, 1.5, True]) == [True, 1.5, 3]


@pytest.mark.parametrize(
    "value", [None, NAN, np.float32("nan"), np.datetime64("NaT"), np.timedelta64("NaT")]
)
def test_missing_values(value):
    assert is_missing(value)
    assert Markers.of(NAN, "LabelSets").matches(value)
    assert not Markers.of(-1, "LabelSets").matches(value)
    assert not Markers.of(None, "LabelSets").matches(value)


def test_missing_values_of_pandas():
    pd = pytest.importorskip("pandas")
    for value in (pd.NA, pd.NaT):
        assert is_missing(value)
        assert Markers.of(NAN, "LabelSets").matches(value)
        assert Markers.of(value, "LabelSets").matches(None)
        assert not Markers.of("", "LabelSets").matches(value)


@pytest.mark.parametrize("value", [0, "", "nan", False, -1, np.inf, b"", np.str_("a")])
def test_present_values(value):
    assert not is_missing(value)
    assert not Markers.of(NAN, "LabelSets").matches(value)
    assert not Markers.of(None, "LabelSets").matches(value)
    assert Markers.of(value, "LabelSets").matches(value)
