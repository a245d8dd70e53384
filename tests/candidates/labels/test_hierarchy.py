"""Hierarchies of labels, and sets that are given by their nodes."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.candidates import Hierarchy, LabelSets
from disambig.exceptions import CandidateError

PARENTS = {
    "cat": "mammal",
    "dog": "mammal",
    "mammal": "animal",
    "bee": "animal",
    "oak": "plant",
}


@pytest.fixture
def tree():
    return Hierarchy(PARENTS)


@st.composite
def forests(draw):
    """Parents of 0 .. m - 1: each has a smaller parent, or none."""
    size = draw(st.integers(1, 12))
    parents = {0: None}
    for node in range(1, size):
        parents[node] = draw(st.none() | st.integers(0, node - 1))
    return Hierarchy(parents)


def error_message(call, *args, **options):
    with pytest.raises(CandidateError) as caught:
        call(*args, **options)
    return str(caught.value)


def test_leaves(tree):
    assert tree.leaves == ("bee", "cat", "dog", "oak")
    assert tree.nodes == ("animal", "bee", "cat", "dog", "mammal", "oak", "plant")
    assert tree.leaves_of("animal") == ("bee", "cat", "dog")
    assert tree.leaves_of("cat") == ("cat",)
    assert "mammal" in tree
    assert "fish" not in tree


def test_depths_and_distances(tree):
    assert [tree.depth(node) for node in ("animal", "bee", "cat", "oak")] == [0, 1, 2, 1]
    assert tree.path("cat") == ("cat", "mammal", "animal")
    assert tree.distance("cat", "cat") == 0
    assert tree.distance("cat", "dog") == 2
    assert tree.distance("cat", "bee") == 3
    assert tree.distance("cat", "animal") == 2
    # Through one more node above both roots.
    assert tree.distance("cat", "oak") == 3 + 2


def test_the_matrix_of_distances(tree):
    labels = ["oak", "cat", "mammal", "dog"]
    matrix = tree.distance_matrix(labels)
    assert matrix.tolist() == [[tree.distance(a, b) for b in labels] for a in labels]
    assert tree.distance_matrix(np.array(labels)).tolist() == matrix.tolist()


@given(forests())
def test_distances_are_a_metric(tree):
    matrix = tree.distance_matrix(tree.nodes)
    assert (matrix == matrix.T).all()
    assert ((matrix == 0) == np.eye(len(matrix), dtype=bool)).all()
    assert (matrix[:, :, None] <= matrix[:, None, :] + matrix.T[None, :, :]).all()


@given(forests())
def test_a_node_stands_for_the_union_of_its_children(tree):
    for node in tree.nodes:
        children = [child for child, parent in tree.parents.items() if parent == node]
        below = {leaf for child in children for leaf in tree.leaves_of(child)}
        assert set(tree.leaves_of(node)) == (below or {node})
        for leaf in tree.leaves_of(node):
            assert node in tree.path(leaf)


def test_a_missing_parent_makes_a_root():
    assert Hierarchy({"a": None, "b": "a", "c": float("nan")}).leaves == ("b", "c")


def test_it_is_immutable_and_pickles(tree):
    links = dict(PARENTS)
    held = Hierarchy(links)
    links["cat"] = "plant"
    assert held == tree
    with pytest.raises(TypeError):
        held.parents["cat"] = "plant"
    with pytest.raises(AttributeError):
        held.parents = {}
    assert pickle.loads(pickle.dumps(held)) == held
    assert repr(held) == "Hierarchy(7 nodes, 4 leaves)"


def test_a_cycle_raises_with_the_name():
    message = error_message(Hierarchy, {"x": "a", "a": "b", "b": "c", "c": "a"})
    assert "'a' -> 'b' -> 'c' -> 'a'" in message
    assert "'x'" not in message
    assert "'a' -> 'a'" in error_message(Hierarchy, {"a": "a"})


@pytest.mark.parametrize("parents", [{}, None, [("a", "b")], "ab"])
def test_parents_must_be_a_mapping(parents):
    assert "must be a non-empty mapping" in error_message(Hierarchy, parents)


@pytest.mark.parametrize("parents", [{"a": ["b"]}, {("a", "b"): "c"}, {None: "a"}])
def test_nodes_must_be_single_labels(parents):
    assert "single labels" in error_message(Hierarchy, parents)


@pytest.mark.parametrize("method", ["leaves_of", "depth", "path"])
def test_an_unknown_node_raises(tree, method):
    assert "'fish' is not a node" in error_message(getattr(tree, method), "fish")


def test_long_chains_do_not_exhaust_the_stack():
    chain = Hierarchy({k: k + 1 for k in range(5000)})
    assert chain.leaves_of(5000) == (0,)
    assert chain.depth(0) == 5000


# ---------------------------------------------------------------- sets given by nodes


def test_a_row_stands_for_its_leaves(tree):
    y = ["mammal", "bee", {"mammal", "oak"}, ["cat", "mammal"], "animal"]
    for parents in (PARENTS, tree):
        sets = LabelSets.from_hierarchy(y, parents)
        assert sets.classes.tolist() == ["bee", "cat", "dog", "oak"]
        assert sets.to_sets() == [
            {"cat", "dog"},
            {"bee"},
            {"cat", "dog", "oak"},
            {"cat", "dog"},
            {"bee", "cat", "dog"},
        ]


def test_numbers_and_arrays():
    parents = {0: 10, 1: 10, 2: 11}
    assert LabelSets.from_hierarchy(np.array([10, 2]), parents).to_sets() == [{0, 1}, {2}]


def test_text_may_be_split():
    sets = LabelSets.from_hierarchy(["mammal|oak", "bee"], PARENTS, separator="|")
    assert sets.to_sets() == [{"cat", "dog", "oak"}, {"bee"}]


def test_unlabeled_rows_may_be_any_class_even_one_outside_the_hierarchy():
    sets = LabelSets.from_hierarchy(["bee", None], PARENTS, unlabeled=float("nan"))
    assert sets.is_whole.tolist() == [False, True]
    classes = ["stone", "oak", "bee", "dog", "cat"]
    sets = LabelSets.from_hierarchy(["bee", "?"], PARENTS, classes, unlabeled="?")
    assert sets.to_sets() == [{"bee"}, set(classes)]
    sets = LabelSets.from_hierarchy(["?", "?"], PARENTS, unlabeled="?")
    assert sets.is_whole.all()


def test_errors_name_the_row():
    read = LabelSets.from_hierarchy
    assert error_message(read, ["cat", "fish", {"bee", "fish"}], PARENTS).startswith(
        "LabelSets: row 1 holds 'fish', which is not a node of the hierarchy (2 such rows)."
    )
    assert "row 1 has no candidate" in error_message(read, ["cat", []], PARENTS)
    assert "row 1 repeats a label" in error_message(read, ["cat", ["bee", "cat", "bee"]], PARENTS)
    assert "row 1 holds None" in error_message(read, ["cat", None], PARENTS)
    assert "row 0 has the candidate 'dog', which is not among the classes" in error_message(
        read, ["mammal"], PARENTS, classes=["cat", "bee"]
    )
    assert "also among the classes" in error_message(read, ["cat"], PARENTS, unlabeled="mammal")


@given(forests(), st.data())
def test_rows_are_unions_of_leaves(tree, data):
    rows = data.draw(
        st.lists(st.sets(st.sampled_from(tree.nodes), min_size=1), min_size=1, max_size=5)
    )
    expected = [{leaf for node in row for leaf in tree.leaves_of(node)} for row in rows]
    assert LabelSets.from_hierarchy(rows, tree).to_sets() == expected
