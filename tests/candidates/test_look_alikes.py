"""Names that are most likely a slip are named in one warning."""

import warnings

import numpy as np
import pytest

from disambig import PartialLabelClassifier, PartialRanker, disambiguate
from disambig.candidates import LabelSets, PartialBits, PartialOrders
from disambig.candidates.look_alikes import alike_pairs, joined_labels, missing_marks, written_sets
from disambig.exceptions import LookAlikeWarning


def warning_of(read, *args, **options):
    with pytest.warns(LookAlikeWarning) as record:
        read(*args, **options)
    (found,) = record
    assert found.filename == __file__
    return str(found.message)


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        (["Cat", "cat", "dog"], "'Cat' and 'cat'"),
        (["cat", "cat ", "dog"], "'cat' and 'cat '"),
        (["new  york", "New York"], "'New York' and 'new  york'"),
        (["C", "c"], "'C' and 'c'"),
        (["1", 1, 2], "'1' and 1"),
        (["2.0", 1, 2], "'2.0' and 2"),
        ([True, "true"], "'true' and True"),
        (["a", b"a"], "b'a' and 'a'"),
        (["a", "['cat', 'dog']"], "\"['cat', 'dog']\" is read as one class"),
        (["a", "{b, c}"], "'{b, c}' is read as one class"),
        (["x", "a|b"], "'a|b' is read as one class"),
        (["cat", "unknown"], "unlabeled=['unknown']"),
        (["cat", "?", "N/A"], "unlabeled=['?', 'N/A']"),
        (["cat", ""], "unlabeled=['']"),
        (["cat", "nan", "None"], "unlabeled=['None', 'nan']"),
    ],
)
def test_what_looks_like_something_else_is_named(labels, shown):
    assert shown in warning_of(LabelSets.from_any, labels * 3)
    assert shown in warning_of(LabelSets.from_any, [{label} for label in labels])
    LabelSets.from_any(labels, classes=labels)


def test_text_arrays_of_missing_values():
    # numpy writes a missing value among texts as "nan".
    assert "'nan'" in warning_of(LabelSets.from_any, np.array(["a", np.nan, "b"]))


@pytest.mark.parametrize(
    "labels",
    [
        ["one", "two", "three"],
        ["cat", "dog"],
        [0, 1, 2],
        [-1, 1],
        np.array([0.0, 1.0]),
        [True, False],
        ["0", "1"],
        ["+", "-"],
        ["(0, 10]", "(10, 20]", "[20, 30)"],
        ["[UNK]", "(a)", "a-b", "C++", "R&D"],
        ["Paris, France", "Lyon, France"],
        ["a b", "ab"],
        [1, "one"],
        [True, 1, "x"],
        np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"),
    ],
)
def test_ordinary_labels_do_not_warn(labels):
    LabelSets.from_any(labels)


def test_named_markers_do_not_warn():
    LabelSets.from_any(["a", "b", "unknown", ""], unlabeled=["unknown", ""])
    PartialOrders.from_any(["a>b", "?"], unlabeled="?")


def test_five_pairs_are_shown():
    labels = [name for k in range(8) for name in (f"a{k}", f"A{k}")]
    message = warning_of(LabelSets.from_any, labels)
    assert "(first 5 of 8)" in message
    assert message.count(" and 'a") == 5


def test_the_finders():
    assert alike_pairs(["1_0", 10, "x"]) == [("1_0", 10)]
    assert alike_pairs([1, 2, 3]) == []
    assert alike_pairs(["1", True]) == []
    assert joined_labels(["a|b", "x"]) == []
    assert joined_labels(["a|b", "x"], plain=True) == [("a|b", "|")]
    assert joined_labels(["a|", "|"], plain=True) == []
    assert written_sets(["frozenset({'a', 'b'})", "('a', 'b')", "(a, b)"]) == [
        "frozenset({'a', 'b'})",
        "('a', 'b')",
    ]
    assert missing_marks([" NaN ", "known", 0]) == [" NaN "]


def test_items_and_columns():
    pd = pytest.importorskip("pandas")
    assert "'A' and 'a'" in warning_of(PartialOrders.from_any, ["a>b", "b>A"])
    assert "'?' is read as an item" in warning_of(PartialOrders.from_any, ["a>b", "?"])
    PartialOrders.from_any(["a>b", "b>A"], items=["a", "A", "b"])
    frame = pd.DataFrame([[1, 0], [0, 1]], columns=["a", "A"])
    for read, role in ((LabelSets, "classes"), (PartialOrders, "items"), (PartialBits, "tags")):
        assert f"{role}=" in warning_of(read.from_any, frame)
        read.from_any(frame, **{role: ["a", "A"]})
    LabelSets.from_any(pd.DataFrame([[1, 0], [0, 1]], columns=["unknown", "known"]))


X = np.arange(12.0).reshape(-1, 1)
Y = ["Cat", "cat", "dog"] * 4


@pytest.mark.parametrize(
    ("fit", "y"),
    [
        (lambda y: PartialLabelClassifier("neighbors").fit(X, y), Y),
        (lambda y: disambiguate(X, y, weights="neighbors"), Y),
        (lambda y: PartialRanker("neighbors").fit(X, y), ["a>b", "b>A"] * 6),
    ],
    ids=["classifier", "disambiguate", "ranker"],
)
def test_a_fit_warns_once(fit, y):
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        fit(y)
    assert [one.category for one in record].count(LookAlikeWarning) == 1


def test_sets_that_were_read_do_not_warn_again():
    with pytest.warns(LookAlikeWarning):
        sets = LabelSets.from_any(Y)
    LabelSets.from_any(sets)
    LabelSets.from_any(sets[:5])
    model = PartialLabelClassifier("neighbors").fit(X, sets)
    model.score(X, Y)
