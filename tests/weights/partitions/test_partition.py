"""Votes by leaves against ``alpha`` written out tree by tree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from disambig.weights.partitions.partition import Partition


def entries(votes):
    return votes @ np.eye(votes.shape[1])


def by_trees(rows, names, sample_weight, counts=None, *, leave_one_out=False):
    """By definition: shares of the leaf in each tree, then the mean over trees with votes."""
    alpha = []
    for i in range(rows.shape[1]):
        votes = np.zeros(names.shape[1])
        trees = 0
        for t in range(names.shape[0]):
            weights = sample_weight if counts is None else sample_weight * counts[t]
            shares = np.where(names[t] == rows[t, i], weights, 0.0)
            if leave_one_out and counts is not None and counts[t, i]:
                continue
            if leave_one_out:
                shares[i] = 0.0
            if shares.sum() > 0:
                votes += shares / shares.sum()
                trees += 1
        alpha.append(votes / max(trees, 1))
    return np.array(alpha)


@pytest.mark.parametrize("drawn", [False, True])
@given(seed=st.integers(0, 10_000), n=st.integers(1, 8), trees=st.integers(1, 4))
def test_against_the_definition(drawn, seed, n, trees):
    rng = np.random.default_rng(seed)
    # Leaves 0 to 4 for training rows, 5 and beyond hold no rows.
    names, rows = rng.integers(0, 5, (trees, n)), rng.integers(0, 9, (trees, 6))
    sample_weight = rng.uniform(0.5, 3.0, n)
    counts = None
    if drawn:
        counts = rng.integers(0, 3, (trees, n)).astype(np.uint16)
        counts[:, 0] = np.maximum(counts[:, 0], counts.sum(axis=1) == 0)
    partition = Partition.build(names, sample_weight, counts)
    expected = by_trees(names, names, sample_weight, counts)
    assert_allclose(entries(partition.training_votes()), expected, atol=1e-12)
    assert_allclose(entries(partition.training_votes().T), expected.T, atol=1e-12)
    assert_allclose(
        entries(partition.votes(rows)), by_trees(rows, names, sample_weight, counts), atol=1e-12
    )
    left_out = partition.leave_one_out_votes()
    expected = by_trees(names, names, sample_weight, counts, leave_one_out=True)
    assert_allclose(entries(left_out), expected, atol=1e-12)
    assert_allclose(entries(left_out.T), expected.T, atol=1e-12)
    assert_array_equal(left_out.diagonal(), np.zeros(n))
    assert_allclose(left_out.rows(0, n).toarray(), expected, atol=1e-12)
    assert_allclose(left_out.links(np.arange(n)).toarray(), expected, atol=1e-12)
    sums = left_out.row_sums()
    assert (np.isclose(sums, 1.0) | (sums == 0)).all()


def test_a_row_alone_in_all_its_leaves_has_only_its_own_vote():
    partition = Partition.build(np.array([[0, 1, 1], [2, 0, 0]]), np.array([0.1, 0.2, 0.3]))
    alpha = entries(partition.leave_one_out_votes())
    assert_allclose(alpha, [[0, 0, 0], [0, 0, 1], [0, 1, 0]])


def test_a_row_that_every_tree_drew_has_no_votes_out_of_bag():
    counts = np.array([[1, 2, 0], [1, 0, 1]], dtype=np.uint16)
    partition = Partition.build(np.zeros((2, 3), dtype=np.int32), np.ones(3), counts)
    alpha = entries(partition.leave_one_out_votes())
    assert_allclose(alpha, [[0, 0, 0], [0.5, 0, 0.5], [1 / 3, 2 / 3, 0]])


def test_the_arrays_of_leaves_are_shared():
    partition = Partition.build(np.zeros((2, 3), dtype=np.int32), np.ones(3))
    votes = partition.training_votes()
    assert votes.query_leaves.leaves is votes.sample_leaves.leaves is partition.leaves
