"""Finite losses: rounding errors must not count as votes. The contract is in tests/contracts."""

import numpy as np
import pytest

from disambig.candidates import LabelSets
from disambig.losses import HierarchicalLoss, MatrixLoss, ZeroOneLoss
from disambig.losses.labels import finite
from disambig.problem import Problem
from disambig.solvers import AlternatingMinimization
from disambig.votes import as_votes


def circular(K, rng):
    """Classes on a circle: all predictions have the same mean loss, summed in different orders."""
    cost = np.concatenate([[0.0], rng.random(K // 2)])
    steps = np.abs(np.subtract.outer(np.arange(K), np.arange(K)))
    return MatrixLoss(cost[np.minimum(steps, K - steps)])


def balanced_tree(depth):
    """A binary tree with ``2 ** depth`` leaves."""
    nodes = range(2, 2 ** (depth + 1))
    parents = {f"n{node}": f"n{node // 2}" for node in nodes}
    return HierarchicalLoss(parents), np.array([f"n{2**depth + k}" for k in range(2**depth)])


@pytest.mark.parametrize("K", range(3, 12))
def test_means_that_differ_by_rounding_tie(K):
    rng = np.random.default_rng(K)
    sets = LabelSets(np.ones((4, K), dtype=np.bool_), np.arange(K))
    for _ in range(30):
        loss = circular(K, rng).bind(sets.classes)
        assert not loss.start(sets, "average").any()
        solution = AlternatingMinimization().solve(Problem(as_votes(np.ones((4, 4))), loss, sets))
        assert not solution.decided.any()
        assert solution.targets.mask.all()


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_balanced_tree_without_labels_is_undecided_between_all_leaves(depth):
    unbound, classes = balanced_tree(depth)
    sets = LabelSets(np.ones((3, len(classes)), dtype=np.bool_), classes)
    loss = unbound.bind(classes)
    assert not loss.start(sets, "average").any()
    solution = AlternatingMinimization().solve(Problem(as_votes(np.ones((3, 3))), loss, sets))
    assert solution.targets.mask.all()


def test_small_vote_counts_besides_unlabeled_rows():
    """One labeled row whose vote is a billion times smaller than that of an unlabeled row."""
    rng = np.random.default_rng(0)
    mask = np.ones((6, 5), dtype=np.bool_)
    mask[5] = np.arange(5) == 3
    sets = LabelSets(mask, np.arange(5))
    loss = circular(5, rng).bind(sets.classes)
    A = np.ones((6, 6))
    A[:, 5] = 1e-9
    scores = as_votes(A) @ loss.start(sets, "average")
    assert (scores.argmin(axis=1) == 3).all()
    assert (
        AlternatingMinimization().solve(Problem(as_votes(A), loss, sets)).decoded.outputs.tolist()
        == [3] * 6
    )


@pytest.mark.parametrize("block", [1, 20, 2**22])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (5, 4), (3, 7)])
@pytest.mark.parametrize("zero_one", [False, True])
def test_losses_of_sets_are_those_of_a_loop(shape, block, zero_one, monkeypatch):
    monkeypatch.setattr(finite, "_ENTRIES_PER_BLOCK", block)
    rng = np.random.default_rng(0)
    P, K = (shape[1], shape[1]) if zero_one else shape
    bound = ZeroOneLoss() if zero_one else MatrixLoss(rng.normal(size=(P, K)), np.arange(P))
    loss = bound.bind(np.arange(K))
    assert loss.is_zero_one == zero_one
    mask = rng.random((20, K)) < 0.4
    mask[np.arange(20), rng.integers(0, K, size=20)] = True
    mask[:2] = True
    for largest in (False, True):
        extreme = np.max if largest else np.min
        expected = [[extreme(row[members]) for row in loss.matrix] for members in mask]
        np.testing.assert_array_equal(loss.set_losses(mask, largest=largest), expected)
    distribution = rng.normal(size=(20, K))
    np.testing.assert_allclose(
        loss.expected_losses(distribution), distribution @ loss.matrix.T, atol=1e-12
    )


def test_what_a_matrix_is():
    classes = np.arange(3)
    zero_one = 1.0 - np.eye(3)
    assert MatrixLoss(zero_one).bind(classes).is_zero_one
    assert MatrixLoss(zero_one).bind(classes).is_symmetric
    assert not MatrixLoss(zero_one, ["a", "b", "c"]).bind(classes).is_zero_one
    assert not MatrixLoss(2 * zero_one).bind(classes).is_zero_one
    assert MatrixLoss(2 * zero_one).bind(classes).is_symmetric
    assert not MatrixLoss(np.ones((3, 3))).bind(classes).is_zero_one
    assert not MatrixLoss(np.arange(9.0).reshape(3, 3)).bind(classes).is_symmetric
    assert not MatrixLoss(np.ones((2, 3)), [0, 1]).bind(classes).is_symmetric
    part = MatrixLoss(np.arange(9.0).reshape(3, 3)).bind(classes)
    part = part.restricted(np.array([True, False, True]))
    assert part.matrix.tolist() == [[0.0, 2.0], [6.0, 8.0]]
    assert part.classes.tolist() == part.predictions.tolist() == [0, 2]
    assert MatrixLoss([[0.0, -4.0], [1.0, 0.0]]).bind(np.arange(2)).largest == 4.0
