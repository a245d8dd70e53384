"""Losses for classes that are the leaves of a tree."""

import numpy as np
import pytest

from disambig.exceptions import CandidateError
from disambig.losses import HierarchicalLoss

PARENTS = {
    "cat": "mammal",
    "dog": "mammal",
    "mammal": "animal",
    "bee": "animal",
    "oak": "plant",
}
# Edges counted by hand; the roots of the two trees have a common parent.
EDGES = {
    ("cat", "dog"): 2,
    ("cat", "bee"): 3,
    ("dog", "bee"): 3,
    ("cat", "oak"): 5,
    ("dog", "oak"): 5,
    ("bee", "oak"): 4,
}


def test_matrix():
    names = ["cat", "dog", "bee", "oak"]
    matrix = HierarchicalLoss(PARENTS).bind(np.array(names)).matrix
    assert np.array_equal(matrix, matrix.T)
    assert not matrix.diagonal().any()
    for (a, b), edges in EDGES.items():
        assert matrix[names.index(a), names.index(b)] == pytest.approx(edges / 5)


def test_longest_path_is_between_classes_in_use():
    matrix = HierarchicalLoss(PARENTS).bind(np.array(["cat", "dog", "bee"])).matrix
    assert matrix.max() == 1.0
    assert matrix[0, 1] == pytest.approx(2 / 3)


def test_one_class_has_loss_zero():
    assert HierarchicalLoss(PARENTS).bind(np.array(["cat"])).matrix.tolist() == [[0.0]]


def test_classes_may_be_numbers():
    loss = HierarchicalLoss({0: 10, 1: 10, 2: 11, 10: 12, 11: 12}).bind(np.array([0, 1, 2]))
    assert loss.matrix[0].tolist() == [0.0, 0.5, 1.0]


def test_error_names_a_class_outside_the_tree():
    with pytest.raises(CandidateError, match="'cow' is not a node"):
        HierarchicalLoss(PARENTS).bind(np.array(["cat", "cow"]))


def test_cycle_is_an_error():
    with pytest.raises(CandidateError, match="cycle"):
        HierarchicalLoss({"a": "b", "b": "a"}).bind(np.array(["a"]))
