"""The constants of the calibration inequality, compared with a grid and with known values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from disambig.losses import AbstainLoss, MatrixLoss, OrdinalLoss, ZeroOneLoss
from disambig.losses.labels.finite import FiniteLoss
from disambig.theory.calibration import calibration_constants
from disambig.theory.regions import decision_regions
from tests.oracles.simplex import simplex_grid

EMBEDDINGS = ("losses", "units", "balanced")
PAPER = MatrixLoss([[0, 1, 1], [1, 0, 2], [1, 2, 0]]).bind(np.array(["a", "b", "c"]))
LOSSES = {
    "paper": PAPER,
    "zero-one": ZeroOneLoss().bind(np.arange(3)),
    "squared": OrdinalLoss(power=2).bind(np.arange(3)),
    "abstain": AbstainLoss(0.4).bind(np.arange(3)),
    "costs": MatrixLoss([[0, 1, 4], [2, 0, 1], [1, 5, 0]]).bind(np.arange(3)),
}


def frontier_distances(found, matrix, steps=400):
    """From each label to the nearest grid point at which another prediction is as good or better.

    Such a point lies on the frontier or beyond it, so that the true distance is not larger, and
    smaller by at most two steps of the grid.
    """
    grid = simplex_grid(3, steps)
    losses = grid @ matrix.T
    best = matrix.argmin(axis=0)
    embedded = grid @ found.phi
    distances = np.linalg.norm(embedded[:, None] - found.phi, axis=2)
    beyond = losses.min(axis=1)[:, None] >= np.stack(
        [np.delete(losses, z, axis=1).min(axis=1) for z in best], axis=1
    )
    return np.where(beyond, distances, np.inf).min(axis=0)


@pytest.mark.parametrize("embedding", EMBEDDINGS)
@pytest.mark.parametrize("name", LOSSES)
def test_distances_are_those_of_a_fine_grid(name, embedding):
    loss = LOSSES[name]
    found = calibration_constants(loss, embedding)
    searched = frontier_distances(found, loss.matrix)
    # The largest distance of neighbouring grid points.
    step = np.linalg.norm(found.phi[:, None] - found.phi, axis=2).max() / 400
    assert (found.distances <= searched + 1e-9).all()
    assert (found.distances >= searched - 2 * step).all()


@pytest.mark.parametrize("embedding", EMBEDDINGS)
@pytest.mark.parametrize("name", LOSSES)
def test_the_nearest_points_are_on_the_frontier_at_their_distances(name, embedding):
    loss = LOSSES[name]
    found = calibration_constants(loss, embedding)
    np.testing.assert_allclose(found.nearest.sum(axis=1), 1)
    assert (found.nearest >= 0).all()
    losses = np.sort(found.nearest @ loss.matrix.T, axis=1)
    np.testing.assert_allclose(losses[:, 0], losses[:, 1], atol=1e-8)
    difference = found.nearest @ found.phi - found.phi
    np.testing.assert_allclose(np.linalg.norm(difference, axis=1), found.distances, rtol=1e-9)


@pytest.mark.parametrize("embedding", EMBEDDINGS)
@pytest.mark.parametrize("name", LOSSES)
def test_the_embedding_gives_the_loss_and_its_norms(name, embedding):
    loss = LOSSES[name]
    found = calibration_constants(loss, embedding)
    np.testing.assert_allclose(found.psi @ found.phi.T, loss.matrix, atol=1e-12)
    assert found.c_phi == pytest.approx(max(np.linalg.norm(row) for row in found.phi))
    assert found.c_psi == pytest.approx(max(np.linalg.norm(row) for row in found.psi))
    assert found.embedding == embedding


def nearest_on_sides(found, loss, y):
    """The same distance from the vertices of the region, without a linear program."""
    z = loss.matrix[:, y].argmin()
    vertices = decision_regions(loss)[z].vertices
    distances = [np.inf]
    for other in np.delete(np.arange(len(loss.matrix)), z):
        side = vertices[np.abs(vertices @ (loss.matrix[z] - loss.matrix[other])) < 1e-9]
        if len(side):
            difference = side @ found.phi - found.phi[y]
            system = np.vstack([difference.T, np.ones(len(side))])
            weights, _ = nnls(system, np.r_[np.zeros(difference.shape[1]), 1.0])
            distances.append(np.linalg.norm(weights / weights.sum() @ difference))
    return min(distances)


@pytest.mark.parametrize("embedding", EMBEDDINGS)
@pytest.mark.parametrize(("P", "K"), [(2, 5), (5, 4), (4, 2)])
def test_more_classes_against_the_vertices_of_the_regions(P, K, embedding):
    matrix = np.random.default_rng(P + K).random((P, K))
    loss = FiniteLoss(matrix, np.arange(P), np.arange(K))
    found = calibration_constants(loss, embedding)
    expected = [nearest_on_sides(found, loss, y) for y in range(K)]
    np.testing.assert_allclose(found.distances, expected, rtol=1e-7)


def test_the_papers_example():
    found = calibration_constants(PAPER, "units")
    # From a to the midpoint of a side; from b and c orthogonally to the line of the midpoints.
    np.testing.assert_allclose(found.distances, [np.sqrt(1 / 2), *2 * [np.sqrt(3 / 8)]])
    assert found.delta == pytest.approx(np.sqrt(3 / 8) / 2)
    assert found.c_phi == 1
    assert found.c_psi == pytest.approx(np.sqrt(5))
    np.testing.assert_allclose(found.nearest[1], [0.25, 0.5, 0.25], atol=1e-9)


def test_delta_is_a_minimum_over_labels():
    found = calibration_constants(PAPER, "losses")
    assert found.distances.min() < found.distances.max() - 1e-3
    assert found.delta == found.distances.min() / 2


@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), factor=st.sampled_from([1e-6, 0.1, 30.0, 1e6]))
def test_constants_scale_with_the_loss(seed, factor):
    """In the embedding "losses" phi has the unit of the loss, and psi has none."""
    matrix = np.random.default_rng(seed).uniform(0.2, 1, size=(3, 3)) * (1 - np.eye(3))
    one = calibration_constants(MatrixLoss(matrix).bind(np.arange(3)))
    other = calibration_constants(MatrixLoss(factor * matrix).bind(np.arange(3)))
    assert other.delta == pytest.approx(factor * one.delta, rel=1e-7)
    assert other.c_phi == pytest.approx(factor * one.c_phi)
    assert other.c_psi == one.c_psi == 1


def test_two_best_predictions_have_distance_zero():
    loss = FiniteLoss(np.array([[0.0, 1], [0, 2], [1, 0]]), np.arange(3), np.arange(2))
    found = calibration_constants(loss, "units")
    assert found.distances[0] == 0
    assert found.delta == 0
    np.testing.assert_array_equal(found.nearest[0], [1, 0])


def test_one_prediction_has_no_frontier():
    loss = FiniteLoss(np.array([[0.0, 1]]), np.arange(1), np.arange(2))
    found = calibration_constants(loss)
    assert (found.distances == np.inf).all()
    assert np.isnan(found.nearest).all()


def test_a_prediction_that_is_never_best_has_no_side():
    loss = FiniteLoss(np.array([[0.0, 1], [1, 0], [5, 5]]), np.arange(3), np.arange(2))
    found = calibration_constants(loss, "units")
    np.testing.assert_allclose(found.distances, np.sqrt(1 / 2))


def test_many_classes():
    found = calibration_constants(ZeroOneLoss().bind(np.arange(8)), "units")
    np.testing.assert_allclose(found.distances, np.sqrt(1 / 2), rtol=1e-9)


def test_an_unknown_embedding_is_an_error():
    with pytest.raises(ValueError, match=r"embedding must be one of 'losses'.*; got 'rows'"):
        calibration_constants(PAPER, "rows")
