"""What the search sees: distinct rows with their weights, and the classes that occur."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from disambig.candidates import LabelSets
from disambig.estimators.selection import LabelSelection, sampling
from disambig.estimators.selection.hidden_sets import used_classes
from disambig.losses import OrdinalLoss, ZeroOneLoss
from disambig.weights.row_groups import hash_rows

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 3)) * (rng.random((30, 3)) < 0.7)
MASK = (rng.random((30, 4)) < 0.4) | np.eye(4, dtype=np.bool_)[np.arange(30) % 4]
COUNTS = rng.integers(1, 6, size=30)
COPIES = rng.permutation(np.repeat(np.arange(30), COUNTS))


def merge_copies(X, sets, sample_weight, groups=None):
    kind = LabelSelection(sets, ZeroOneLoss().bind(sets.classes), "disambiguation", None)
    return sampling.merge_copies(X, kind, sample_weight, groups)


def soft(mask):
    weights = mask * np.linspace(1, 2, 4)
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, np.float32], ids=str)
@pytest.mark.parametrize("has_weights", [False, True])
def test_copies_become_one_row_of_their_total_weight(form, has_weights):
    inputs = form(X)
    weights = soft(MASK) if has_weights else None
    sets = LabelSets(MASK, np.arange(4), weights)
    found = merge_copies(inputs[COPIES], sets[COPIES], np.ones(COPIES.size))
    # The rows in the order of their first copies.
    order = COPIES[np.sort(np.unique(COPIES, return_index=True)[1])]
    dense = [x.toarray() if sp.issparse(x) else x for x in (found.X, inputs[order])]
    assert_array_equal(*dense)
    assert found.kind.sets == sets[order]
    assert_array_equal(found.sample_weight, COUNTS[order])
    assert_array_equal(found.groups, hash_rows(inputs)[order])
    # Weights of copies are added.
    halves = merge_copies(inputs[COPIES], sets[COPIES], np.full(COPIES.size, 0.5))
    assert_allclose(halves.sample_weight, COUNTS[order] / 2)


def test_rows_that_differ_are_not_merged():
    repeated = np.repeat(X[:2], 3, axis=0)
    # Equal in single precision.
    repeated[3:] += [[0.0], [1e-12], [2e-12]]
    mask = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]], np.bool_)
    sets = LabelSets(mask, np.arange(3))
    ones = np.ones(6)
    found = merge_copies(repeated, sets, ones)
    assert found.X is repeated
    assert found.kind.sets is sets
    assert found.sample_weight is ones
    # Soft weights are part of a set.
    whole = np.ones((2, 2), dtype=np.bool_)
    unequal = LabelSets(whole, np.arange(2), np.array([[0.5, 0.5], [0.4, 0.6]]))
    assert len(merge_copies(np.zeros((2, 1)), unequal, np.ones(2)).kind.sets) == 2
    assert (
        len(merge_copies(np.zeros((2, 1)), LabelSets(whole, np.arange(2)), np.ones(2)).kind.sets)
        == 1
    )


@pytest.mark.parametrize("has_weights", [False, True])
def test_classes_that_are_nowhere_a_candidate_are_left_out(has_weights):
    sets = LabelSets(MASK, np.array(list("aceg")), soft(MASK) if has_weights else None)
    wider = sets.with_classes(np.array(list("abcdefg")))
    found, loss = used_classes(wider, ZeroOneLoss().bind(wider.classes))
    assert found == sets
    assert loss.is_zero_one
    assert loss.classes.tolist() == list("aceg")
    # If all classes are used, nothing changes.
    bound = ZeroOneLoss().bind(sets.classes)
    again = used_classes(sets, bound)
    assert again[0] is sets
    assert again[1] is bound


def test_classes_are_kept_where_they_matter():
    wider = LabelSets(MASK, np.arange(0, 8, 2)).with_classes(np.arange(8))
    # The median may lie between the candidates.
    assert used_classes(wider, OrdinalLoss().bind(wider.classes))[0] is wider
    # All sets are equal: on the used classes none would exclude a class.
    mask = np.tile([True, True, False], (5, 1))
    equal = LabelSets(mask, np.arange(3))
    assert used_classes(equal, ZeroOneLoss().bind(equal.classes))[0] is equal


def test_rows_of_a_group_are_hidden_together():
    groups = np.arange(30) // 3
    found = merge_copies(X, LabelSets(MASK, np.arange(4)), np.ones(30), groups)
    assert len(np.unique(found.groups)) == 10
    assert_array_equal(found.groups[0::3], found.groups[1::3])
    assert_array_equal(found.groups[0::3], found.groups[2::3])
    # Equal inputs join two groups of the user; names and order of the groups do not matter.
    repeated = X.copy()
    repeated[3] = X[0]
    joined = merge_copies(repeated, LabelSets(MASK, np.arange(4)), np.ones(30), 7 - groups)
    assert len(np.unique(joined.groups)) == 9
    assert (joined.groups[:6] == joined.groups[0]).all()
    permutation = np.random.default_rng(3).permutation(30)
    again = merge_copies(
        repeated[permutation],
        LabelSets(MASK, np.arange(4))[permutation],
        np.ones(30),
        groups[permutation],
    )
    assert_array_equal(again.groups, joined.groups[permutation])
