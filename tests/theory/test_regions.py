"""Decision regions, compared with a grid and with all choices of active constraints."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disambig.losses import MatrixLoss, OrdinalLoss, ZeroOneLoss
from disambig.losses.labels.finite import FiniteLoss
from disambig.theory.regions import decision_regions
from tests.oracles.simplex import simplex_grid

PAPER = MatrixLoss([[0, 1, 1], [1, 0, 2], [1, 2, 0]]).bind(np.array(["a", "b", "c"]))


def by_active_constraints(matrix, z):
    """All points of the simplex at which K - 1 constraints are active and none is violated."""
    K = matrix.shape[1]
    limits = np.vstack([-np.eye(K), np.delete(matrix[z] - matrix, z, axis=0)])
    found = []
    for active in itertools.combinations(range(len(limits)), K - 1):
        system = np.vstack([limits[list(active)], np.ones(K)])
        if np.linalg.matrix_rank(system, tol=1e-9) == K:
            point = np.linalg.solve(system, np.r_[np.zeros(K - 1), 1.0])
            if (limits @ point <= 1e-9).all():
                found.append(point)
    return np.array(found).reshape(-1, K)


def rounded(vertices):
    return sorted({tuple(vertex) for vertex in np.round(vertices, 7).tolist()})


def drawn(seed, P, K, ties):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 3, size=(P, K)) if ties else rng.normal(size=(P, K))
    return FiniteLoss(matrix.astype(float), np.arange(P), np.arange(K))


def test_the_papers_example():
    middles = [(0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5)]
    expected = [
        [(1.0, 0.0, 0.0), *middles],
        [(0.0, 1.0, 0.0), middles[0], middles[2]],
        [(0.0, 0.0, 1.0), middles[1], middles[2]],
    ]
    for region, vertices in zip(decision_regions(PAPER), expected, strict=True):
        assert rounded(region.vertices) == sorted(vertices)
        assert region.dimension == 2


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), P=st.integers(1, 5), K=st.integers(1, 4), ties=st.booleans())
def test_vertices_are_those_of_all_active_constraints(seed, P, K, ties):
    loss = drawn(seed, P, K, ties)
    for z, region in enumerate(decision_regions(loss)):
        assert region.prediction == z
        assert len(rounded(region.vertices)) == len(region.vertices)
        assert rounded(region.vertices + 0.0) == rounded(
            by_active_constraints(loss.matrix, z) + 0.0
        )


@pytest.mark.parametrize("seed", range(6))
def test_a_grid_point_is_in_the_hull_of_the_regions_that_are_best_there(seed):
    """A point is a mixture of the vertices of a region if and only if z is best at it."""
    loss = drawn(seed, 4, 3, ties=seed % 2 == 0)
    grid = simplex_grid(3, 12)
    losses = grid @ loss.matrix.T
    for region in decision_regions(loss):
        best = losses[:, region.prediction] <= losses.min(axis=1) + 1e-12
        np.testing.assert_array_equal(in_hull(grid, region.vertices), best)


def in_hull(points, vertices):
    """By the sides of a convex polygon in the plane of the first two coordinates."""
    if len(vertices) < 3:
        return np.array([distance_to_segment(p, vertices) <= 1e-9 for p in points], dtype=bool)
    flat = vertices[:, :2] - vertices[:, :2].mean(axis=0)
    order = np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))
    polygon = vertices[order, :2]
    sides = np.roll(polygon, -1, axis=0) - polygon
    offsets = points[:, None, :2] - polygon
    return (sides[:, 0] * offsets[..., 1] - sides[:, 1] * offsets[..., 0] >= -1e-9).all(axis=1)


def distance_to_segment(point, ends):
    if len(ends) == 0:
        return np.inf
    segment = ends[-1] - ends[0]
    share = np.clip((point - ends[0]) @ segment / max(segment @ segment, 1e-30), 0, 1)
    return np.linalg.norm(point - ends[0] - share * segment)


def test_a_prediction_that_is_never_best_has_no_region():
    loss = FiniteLoss(np.array([[0.0, 1], [1, 0], [2, 2]]), np.arange(3), np.arange(2))
    region = decision_regions(loss)[2]
    assert len(region.vertices) == 0
    assert region.dimension == -1


def test_a_prediction_that_only_ties_has_a_region_without_interior():
    loss = FiniteLoss(np.array([[0.0, 1], [1, 0], [0.5, 0.5]]), np.arange(3), np.arange(2))
    region = decision_regions(loss)[2]
    np.testing.assert_allclose(region.vertices, [[0.5, 0.5]])
    assert region.dimension == 0


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_regions_do_not_depend_on_the_unit_of_the_loss(scale):
    loss = OrdinalLoss(power=2).bind(np.arange(4))
    scaled = FiniteLoss(scale * loss.matrix, loss.predictions, loss.classes)
    for one, other in zip(decision_regions(loss), decision_regions(scaled), strict=True):
        assert rounded(one.vertices) == rounded(other.vertices)


def test_vertices_of_the_zero_one_loss_are_uniform_distributions():
    """The vertices of region z are the uniform distributions on the sets that contain z."""
    for region in decision_regions(ZeroOneLoss().bind(np.arange(6))):
        assert len(region.vertices) == 2**5
        assert (region.vertices[:, region.prediction] > 0).all()
        sizes = np.count_nonzero(region.vertices > 1e-9, axis=1)
        np.testing.assert_allclose(region.vertices.max(axis=1), 1 / sizes)
