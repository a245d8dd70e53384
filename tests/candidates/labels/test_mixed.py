"""Tests of statements of several forms about the same rows."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import train_test_split

from disambig import LabelSets
from disambig.exceptions import CandidateError

PARENTS = {"cat": "mammal", "dog": "mammal", "bee": "insect", "ant": "insect"}
CLASSES = ["ant", "bee", "cat", "dog"]
TABLE = pd.DataFrame(
    {
        "label": ["cat", None, None, None, None, None],
        "candidates": [None, "cat|dog", None, None, "cat|bee", ""],
        "not": [None, None, "ant", None, "bee", None],
        "node": [None, None, "insect", "mammal", None, None],
    }
)


def read(**columns):
    return LabelSets.from_mixed(parents=PARENTS, **columns)


def table():
    return read(
        labels=TABLE["label"],
        sets=TABLE["candidates"],
        negatives=TABLE["not"],
        nodes=TABLE["node"],
        separator="|",
    )


def test_a_frame():
    sets = table()
    assert sets.classes.tolist() == CLASSES
    assert sets.to_sets() == [
        {"cat"},
        {"cat", "dog"},
        {"bee"},
        {"cat", "dog"},
        {"cat"},
        set(CLASSES),
    ]
    assert sets.origins.tolist() == ["label", "set", "not+node", "node", "set+not", "unlabeled"]
    assert sets.weights is None


def test_rows_of_words_are_the_same():
    rows = [
        {"label": "cat"},
        {"set": {"cat", "dog"}},
        {"not": "ant", "node": "insect"},
        {"node": "mammal", "label": None},
        {"set": ["cat", "bee"], "not": {"bee"}},
        None,
    ]
    sets = LabelSets.from_mixed(rows, parents=PARENTS)
    assert sets == table()
    assert_array_equal(sets.origins, table().origins)
    assert LabelSets.from_mixed([*rows[:5], "?"], parents=PARENTS, unlabeled="?") == sets


@pytest.mark.parametrize("form", ["frame", "mappings"])
def test_weights_over_what_the_others_leave(form):
    given = [{"cat": 3, "dog": 1}, None, {"bee": 2, "cat": 1, "dog": 1}]
    frame = pd.DataFrame([{} if row is None else row for row in given], columns=CLASSES)
    frame.loc[[0, 2]] = frame.loc[[0, 2]].fillna(0)
    weights = frame if form == "frame" else given
    sets = read(weights=weights, nodes=[None, "insect", "mammal"])
    assert sets.classes.tolist() == CLASSES
    expected = [[0, 0, 0.75, 0.25], [0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]]
    assert_allclose(sets.weights, expected)
    assert sets.origins.tolist() == ["weights", "node", "node+weights"]


def test_tables_without_names_need_classes_in_order():
    weights = np.array([[0.2, 0.8], [np.nan, np.nan]])
    sets = LabelSets.from_mixed(labels=[None, "b"], weights=weights, classes=["a", "b"])
    assert_allclose(sets.weights, [[0.2, 0.8], [0.0, 1.0]])


def test_integers_beside_missing_values_stay_integers():
    sets = LabelSets.from_mixed(labels=pd.Series([1, None, 3]), negatives=[None, 3, None])
    assert sets.classes.dtype.kind == "i"
    assert sets.to_sets() == [{1}, {1}, {3}]


def test_markers_say_nothing():
    sets = LabelSets.from_mixed(labels=[0, -1, 1], negatives=[-1, {0}, -1], unlabeled=-1)
    assert sets.to_sets() == [{0}, {1}, {1}]
    assert sets.origins.tolist() == ["label", "not", "label"]
    sets = LabelSets.from_mixed(labels=["a", "b"], negatives=[set(), set()])
    assert sets.origins.tolist() == ["label", "label"]


def test_origins_survive():
    sets = table()
    expected = sets.origins
    assert_array_equal(sets[1:4].origins, expected[1:4])
    assert_array_equal(sets[np.array([4, 0])].origins, expected[[4, 0]])
    assert_array_equal(pickle.loads(pickle.dumps(sets)).origins, expected)
    assert_array_equal(sets.with_classes([*CLASSES, "fly"]).origins, expected)
    assert_array_equal(LabelSets.from_any(sets).origins, expected)
    train, test, rows = train_test_split(sets, np.arange(6), random_state=0)[:3]
    assert_array_equal(train.origins, expected[rows])
    assert len(test.origins) == 2
    assert LabelSets(sets.mask, sets.classes) == sets
    assert LabelSets(sets.mask, sets.classes).origins is None
    with pytest.raises(ValueError, match="read-only"):
        sets.origin_flags[0] = 0


def test_concatenated():
    sets, plain = table(), LabelSets.from_sets([{"dog"}, {"ant", "dog"}, set(CLASSES)])
    found = LabelSets.concatenated([sets, plain])
    assert found.to_sets() == sets.to_sets() + plain.to_sets()
    assert found.origins.tolist()[6:] == ["label", "set", "unlabeled"]
    assert LabelSets.concatenated([plain, plain]).origins is None
    soft = read(weights=[{"dog": 1, "cat": 1}])
    weights = LabelSets.concatenated([plain, soft]).weights
    assert_allclose(weights, np.vstack([plain.distribution(), soft.weights]))
    with pytest.raises(CandidateError, match="has the candidate 'ant'"):
        LabelSets.concatenated([LabelSets.from_labels(["cat", "dog"]), plain])
    with pytest.raises(CandidateError, match="at least one"):
        LabelSets.concatenated([])


@pytest.mark.parametrize("flags", [[1], [1, 32], [1, -1], [0.5, 1.0]])
def test_bad_flags(flags):
    with pytest.raises(CandidateError, match="origin_flags must be 2 whole numbers"):
        LabelSets(np.ones((2, 2), bool), [0, 1], origin_flags=flags)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"labels": [None, "cat"], "sets": ["dog", {"dog", "bee"}]},
            "row 1 says label 'cat' and set {'bee', 'dog'}, which contradict each other",
        ),
        (
            {"sets": ["dog", {"dog"}], "negatives": [None, "dog"]},
            "row 1 says set 'dog' and not 'dog', which contradict",
        ),
        (
            {"nodes": ["insect"], "labels": ["cat"]},
            "row 0 says label 'cat' and node 'insect', which contradict",
        ),
        (
            {"nodes": ["insect"], "weights": [{"cat": 0.5, "dog": 0.5}]},
            "row 0 says node 'insect' and weights on 'cat', 'dog', which contradict",
        ),
        (
            {"sets": [{"cat", "bee"}], "negatives": ["bee"], "nodes": ["insect"]},
            "row 0 says set {'bee', 'cat'} and not 'bee' and node 'insect', which contradict",
        ),
        ({"negatives": [set(CLASSES)]}, "row 0 says not .* which leaves no class"),
        ({"labels": ["mammal", "cat"]}, "labels: row 0 holds 'mammal', which has labels below"),
        ({"labels": [None, {"cat"}]}, "labels: row 1 holds {'cat'}, where one label is expected"),
        ({"sets": [None, set()]}, "sets: row 1 holds an empty set"),
        ({"sets": [None, ["cat", None]]}, "sets: row 1 holds None, a missing value"),
        ({"nodes": [None, "fish"]}, "nodes: row 1 holds 'fish', which is not a node"),
        ({"labels": ["cat"], "sets": ["cat", "dog"]}, "differ in their numbers of rows: labels 1"),
        ({"labels": [None, "cow"], "classes": CLASSES}, "labels: row 1 holds 'cow', which is not"),
        ({"weights": [None, {"cat": 0.0}]}, "weights: row 1 has weights that sum to zero"),
        ({"weights": [None, {"cat": float("nan")}]}, "weights: row 1 has a missing weight"),
        ({"weights": [{"cat": 1, "dog": -1}]}, "weights: row 0, column 'dog' holds -1"),
        ({"weights": [None, "cat"]}, "weights: row 1 holds 'cat', where a mapping"),
        ({"weights": [None, {}]}, "weights: row 1 holds {}, where a mapping"),
        ({}, "nothing is said of any row"),
        ({"y": [None, None]}, "nothing is said of any row"),
        ({"y": ["cat"]}, "row 0 holds 'cat', where a mapping such as"),
        ({"y": [{"labels": "cat"}]}, "row 0 has 'labels'; the words are 'label', 'set'"),
        ({"y": [{"label": "cat"}], "labels": ["cat"]}, "rows of statements, or columns such as"),
    ],
)
def test_bad_statements(columns, message):
    with pytest.raises(CandidateError, match=message):
        read(**columns)


def test_partly_missing_weights_name_row_and_column():
    frame = pd.DataFrame({"cat": [0.5, np.nan], "dog": [0.5, 1.0]})
    with pytest.raises(CandidateError, match="weights: row 1, column 'cat' holds nan"):
        LabelSets.from_mixed(weights=frame)


def test_nodes_need_parents():
    with pytest.raises(CandidateError, match="nodes need parents="):
        LabelSets.from_mixed(nodes=["mammal"])


LABEL = st.sampled_from(CLASSES)
ROW = st.fixed_dictionaries(
    {},
    optional={
        "label": LABEL,
        "set": st.sets(LABEL, min_size=1),
        "not": st.sets(LABEL, max_size=3),
        "node": st.sampled_from(["mammal", "insect", "bee"]),
        "weights": st.dictionaries(LABEL, st.integers(1, 5), min_size=1),
    },
)


@given(st.lists(ROW, min_size=1, max_size=8).filter(any))
def test_it_is_the_intersection_of_the_single_constructors(rows):
    n = len(rows)
    masks, flags = [], np.zeros(n, dtype=int)
    single = {
        "label": lambda said: LabelSets.from_labels([said], CLASSES),
        "set": lambda said: LabelSets.from_sets([said], CLASSES),
        "not": lambda said: LabelSets.from_negatives([said], CLASSES),
        "node": lambda said: LabelSets.from_hierarchy([said], PARENTS, CLASSES),
        "weights": lambda said: LabelSets.from_weights(
            [[said.get(k, 0) for k in CLASSES]], CLASSES
        ),
    }
    for place, (word, constructor) in enumerate(single.items()):
        mask = np.ones((n, 4), dtype=bool)
        for row, statements in enumerate(rows):
            if word in statements:
                mask[row] = constructor(statements[word]).mask[0]
                # What excludes nothing says nothing.
                flags[row] += (1 << place) * (word != "not" or bool(statements[word]))
        masks.append(mask)
    expected = np.logical_and.reduce(masks)
    if not expected.any(axis=1).all():
        with pytest.raises(CandidateError, match=f"row {int(np.argmin(expected.any(axis=1)))} "):
            LabelSets.from_mixed(rows, parents=PARENTS, classes=CLASSES)
        return
    found = LabelSets.from_mixed(rows, parents=PARENTS, classes=CLASSES)
    assert_array_equal(found.mask, expected)
    assert_array_equal(found.origin_flags, flags)
    if any("weights" in row for row in rows):
        table = np.array([[row.get("weights", {}).get(k, 0) for k in CLASSES] for row in rows])
        table = np.where(table.any(axis=1, keepdims=True), table, 1) * expected
        assert_allclose(found.weights, table / table.sum(axis=1, keepdims=True))
