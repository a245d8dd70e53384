from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig import PartialLabelClassifier
from disambig.exceptions import CandidateError, LookAlikeWarning
from disambig.trust import combine_annotations

CLASSES = ["a", "b", "c", "d"]
OPINIONS = st.one_of(
    st.none(), st.sampled_from(CLASSES), st.frozensets(st.sampled_from(CLASSES), max_size=4)
)
ROWS = st.lists(st.lists(OPINIONS, max_size=5), min_size=1, max_size=6)


def named_by(row):
    """What each annotator of a row named, without those who said nothing."""
    sets = [{one} if isinstance(one, str) else set(one or ()) for one in row]
    return [one for one in sets if one]


def by_hand(row, rule):
    """The set of a row, by sets and counters."""
    named = named_by(row)
    if not named:
        return set(CLASSES)
    union = set().union(*named)
    if rule == "intersection":
        return set(CLASSES).intersection(*named) or union
    if rule == "majority":
        counts = Counter(label for one in named for label in one)
        return {label for label, count in counts.items() if count == max(counts.values())}
    return union


@given(ROWS, st.sampled_from(["union", "intersection", "majority", "shares"]))
def test_rules_by_hand(rows, rule):
    found = combine_annotations(rows, rule, classes=CLASSES)
    assert found.to_sets() == [frozenset(by_hand(row, rule)) for row in rows]
    assert (found.weights is not None) == (rule == "shares")


@given(ROWS)
def test_shares_are_votes_of_equal_size(rows):
    weights = combine_annotations(rows, "shares", classes=CLASSES).weights
    for row, found in zip(rows, weights, strict=True):
        votes = dict.fromkeys(CLASSES, Fraction(0))
        for named in named_by(row) or [set(CLASSES)]:
            for label in named:
                votes[label] += Fraction(1, len(named))
        total = sum(votes.values())
        np.testing.assert_allclose(found, [float(votes[k] / total) for k in CLASSES], atol=1e-12)


def test_classes_are_the_sorted_labels_unless_they_are_named():
    said = [[2, {0, 2}], [0]]
    assert combine_annotations(said).classes.tolist() == [0, 2]
    assert combine_annotations(said, classes=[2, 1, 0]).mask.tolist() == [[1, 0, 1], [0, 0, 1]]
    mixed = combine_annotations([[True, 2], ["a"]])
    assert mixed.classes.tolist() == [True, 2, "a"]


def test_a_table_has_a_column_for_each_annotator():
    frame = pd.DataFrame({"ann": ["cat", None, "dog"], "bob": ["dog", None, np.nan]})
    expected = [{"cat", "dog"}, {"cat", "dog"}, {"dog"}]
    assert [set(one) for one in combine_annotations(frame)] == expected
    assert combine_annotations(np.array([[1, 2], [1, 1]]), "majority").to_sets() == [{1, 2}, {1}]


def test_a_label_that_an_annotator_repeats_counts_once():
    found = combine_annotations([[["a", "a", "b"], "b"]], "shares")
    assert found.weights.tolist() == [[0.25, 0.75]]
    assert combine_annotations([[["a", "a"], "b"]], "majority").to_sets() == [{"a", "b"}]


@pytest.mark.parametrize("nothing", [None, [], frozenset(), float("nan")])
def test_who_said_nothing_excludes_nothing(nothing):
    found = combine_annotations([[nothing, "a", {"a", "b"}]], "intersection")
    assert found.to_sets() == [{"a"}]


def test_the_sets_can_be_fitted():
    rng = np.random.default_rng(0)
    truth = np.repeat(["a", "b", "c"], 20)
    X = np.repeat(np.arange(3.0), 20)[:, np.newaxis] * 5 + rng.normal(size=(60, 1))
    said = [
        [label if rng.uniform() < 0.7 else rng.choice(["a", "b", "c"]) for _ in range(3)]
        for label in truth
    ]
    sets = combine_annotations(said)
    model = PartialLabelClassifier("neighbors").fit(X, sets)
    majority = combine_annotations(said, "majority").first_labels()
    assert (model.labels_ == truth).mean() > (majority == truth).mean()


@pytest.mark.parametrize(
    ("said", "classes", "message"),
    [
        ([["a"], "b"], None, "combine_annotations: row 1 is 'b', a str, where a list"),
        ([["a"], {"a", "b"}], None, r"row 1 is .*a set, where a list"),
        ([["a"], ["b", "e"]], CLASSES, "combine_annotations: row 1 holds 'e', which is not among"),
        ([["a"], [], ["b", ["c", None]]], None, "row 2 holds None, a missing value"),
        ([["a"], [["c", ("d",)]]], None, "row 1 holds .*a collection"),
        ([["a"], [0.5]], None, "row 1 holds the continuous value 0.5"),
        ([[], None], None, "nobody said anything about any row"),
        ([], None, "no rows"),
        ("ab", None, "expected a list"),
    ],
)
def test_errors_name_the_row(said, classes, message):
    with pytest.raises(CandidateError, match=message):
        combine_annotations(said, classes=classes)


def test_nobody_said_anything_but_the_classes_are_known():
    assert combine_annotations([[], None, [None, []]], classes=CLASSES).is_whole.all()
    shares = combine_annotations([[]], "shares", classes=CLASSES)
    assert shares.weights.tolist() == [[0.25] * 4]


def test_slips_of_annotators_are_reported():
    with pytest.warns(LookAlikeWarning, match="Cat"):
        combine_annotations([["Cat", "cat"], ["dog"]])


def test_an_unknown_rule():
    with pytest.raises(ValueError, match="combine_annotations: rule must be one of 'union'"):
        combine_annotations([["a"]], "vote")
