"""The 0-1 loss, and its embedding without a table."""

import numpy as np
import pytest

from disambig.candidates import LabelSets
from disambig.losses import MatrixLoss, ZeroOneLoss
from disambig.losses.labels.finite import FiniteLoss
from disambig.votes import as_votes


@pytest.mark.parametrize("K", [1, 2, 5])
def test_matrix(K):
    loss = ZeroOneLoss().bind(np.arange(K))
    assert loss.is_zero_one
    assert np.array_equal(loss.matrix, np.ones((K, K)) - np.eye(K))
    assert np.array_equal(loss.predictions, np.arange(K))


def test_matrix_of_the_zero_one_loss_is_recognised():
    classes = np.array(["a", "b", "c"])
    assert MatrixLoss(1 - np.eye(3)).bind(classes).is_zero_one


@pytest.mark.parametrize(
    ("matrix", "predictions"),
    [
        (1 - np.eye(3), ["b", "a", "c"]),
        (1 - np.eye(3), ["x", "y", "z"]),
        (1 - np.eye(2, 3), ["a", "b"]),
        (1 - np.eye(4, 3), ["a", "b", "c", "none"]),
        (2 * (1 - np.eye(3)), ["a", "b", "c"]),
    ],
)
def test_similar_matrices_are_not_the_zero_one_loss(matrix, predictions):
    loss = MatrixLoss(matrix, predictions).bind(np.array(["a", "b", "c"]))
    assert not loss.is_zero_one


def test_embedding_without_table_equals_the_table():
    classes = np.arange(4)
    short = ZeroOneLoss().bind(classes)
    # With names that differ from the classes the loss uses the table.
    table = FiniteLoss(1 - np.eye(4), np.array(list("abcd")), classes)
    assert not table.is_zero_one
    rng = np.random.default_rng(0)
    mask = rng.random((30, 4)) < 0.5
    mask[~mask.any(axis=1)] = True
    sets = LabelSets(mask, classes)
    scores = rng.normal(size=(30, 4))
    tolerance = np.full(30, 1e-10)
    for kind in ("average", "infimum"):
        np.testing.assert_allclose(short.start(sets, kind), table.start(sets, kind), atol=1e-15)
    found = short.best_candidate(scores, sets, tolerance)
    other = table.best_candidate(scores, sets, tolerance)
    assert np.array_equal(found.mask, other.mask)
    np.testing.assert_allclose(found.embedded, other.embedded, atol=1e-15)


def test_negative_votes_have_an_effect_for_singletons_only():
    loss = ZeroOneLoss().bind(np.arange(3))
    sets = LabelSets.from_sets([{0}, {1, 2}, {0, 1, 2}, {2}], classes=[0, 1, 2])
    votes = as_votes([[0.0, -5.0, -5.0, 0.0], [-1.0, 0.0, 0.0, 2.0]])
    scores, _ = loss.infimum_scores(votes, sets)
    assert np.ptp(scores[0]) == 0
    np.testing.assert_allclose(scores[1] - scores[1].min(), [3.0, 2.0, 0.0])


def test_small_vote_counts_besides_many_unlabeled_rows():
    """One labeled row with a vote of 1e-12, and a thousand unlabeled rows."""
    K, n = 3, 1001
    mask = np.ones((n, K), dtype=np.bool_)
    mask[500] = [False, True, False]
    loss, sets = ZeroOneLoss().bind(np.arange(K)), LabelSets(mask, np.arange(K))
    alpha = np.full((1, n), 1.0 / n)
    alpha[0, 500] = 1e-12
    for scores in (
        as_votes(alpha) @ loss.start(sets, "average"),
        as_votes(alpha) @ loss.start(sets, "infimum"),
        loss.infimum_scores(as_votes(alpha), sets)[0],
    ):
        assert scores[0].argmin() == 1
        np.testing.assert_allclose(scores[0] - scores[0].min(), [1e-12, 0.0, 1e-12], rtol=1e-9)
