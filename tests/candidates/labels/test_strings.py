"""Sets written as text."""

import numpy as np
import pytest

from disambig.candidates import LabelSets
from disambig.exceptions import CandidateError

NAN = float("nan")


def error_message(y, **options):
    with pytest.raises(CandidateError) as caught:
        LabelSets.from_strings(y, **options)
    return str(caught.value)


@pytest.mark.parametrize("make", [list, np.array, lambda y: np.array(y, dtype=object)])
def test_text_is_split_and_stripped(make):
    sets = LabelSets.from_strings(make(["cat|dog", " cow ", "dog | cow|cat"]))
    assert sets.to_sets() == [{"cat", "dog"}, {"cow"}, {"cat", "cow", "dog"}]
    assert sets.classes.tolist() == ["cat", "cow", "dog"]


def test_other_separators():
    assert LabelSets.from_strings(["a or b", "c|d"], separator=" or ").to_sets() == [
        {"a", "b"},
        {"c|d"},
    ]


@pytest.mark.parametrize("y", [["a", "b|", "|"], ["a", "b||c", ""], ["a", "  ", "b| "]])
def test_empty_parts_name_the_row(y):
    message = error_message(y)
    assert message.startswith(f"LabelSets: row 1 holds {y[1]!r}, which has an empty part")
    assert "(2 such rows)" in message


def test_marked_rows_may_be_any_class():
    y = ["a|b", "?", "c"]
    assert LabelSets.from_strings(y, unlabeled="?").to_sets()[1] == {"a", "b", "c"}
    y = ["a|b", "", "c"]
    assert LabelSets.from_strings(y, unlabeled="").to_sets()[1] == {"a", "b", "c"}
    y = ["a|b", None, " ? "]
    assert LabelSets.from_strings(y[:2], unlabeled=NAN).to_sets()[1] == {"a", "b"}
    assert LabelSets.from_strings([y[0], y[2]], unlabeled="?").to_sets()[1] == {"a", "b"}
    assert LabelSets.from_strings(["a", -1], unlabeled=-1, classes=["a", "b"]).sizes[1] == 2


def test_the_marker_beside_labels_raises():
    assert "row 1 holds the marker unlabeled='?' beside" in error_message(
        ["a", "a|?"], unlabeled="?"
    )


def test_missing_rows_need_the_marker():
    assert "row 1 holds None, a missing value" in error_message(["a", None])


def test_repeated_unknown_and_non_text_labels_name_the_row():
    assert "row 1 repeats a label" in error_message(["a", "a|a"])
    assert "row 1 holds 'c', which is not among" in error_message(["a", "b|c"], classes=["a", "b"])
    assert "row 1 holds 3, a int, where text is expected" in error_message(["a", 3])
    assert "row 0 holds {'a'}, a set, where text is expected" in error_message([{"a"}])
    assert "row 0 holds 1, a int" in error_message(np.array([1, 2]))


@pytest.mark.parametrize("separator", ["", None, 3])
def test_the_separator_must_be_text(separator):
    assert "separator must be a text" in error_message(["a"], separator=separator)


# ------------------------------------------------------------------ labels that look like sets


@pytest.mark.parametrize(
    "labels",
    [["cat|dog", "cat", "dog"], ["a,b", "b,c", "c,a"], ["a; b", "a", "b", "c"]],
)
def test_a_label_made_of_labels_warns(labels):
    with pytest.warns(UserWarning, match=r"is read as one class.*from_strings"):
        sets = LabelSets.from_any(labels)
    assert len(sets.classes) == len(labels)


def test_the_wrong_separator_warns():
    with pytest.warns(UserWarning, match="separator=','"):
        LabelSets.from_strings(["a,b", "a", "b"])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["Paris, France", "Lyon, France"], None),
        (["cat|dog", "cat", "dog"], ["cat|dog", "cat", "dog"]),
        ([1, 2, 1], None),
    ],
)
def test_labels_that_are_meant_as_they_are_do_not_warn(labels, classes):
    LabelSets.from_any(labels, classes=classes)
