"""`make_concentric_circles`, and its solution by the 20 nearest neighbours."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.stats import chisquare, kstest

from disambig.datasets import make_concentric_circles
from disambig.estimators import disambiguate
from disambig.weights import NeighborWeights


def test_every_point_is_on_the_circle_of_its_label() -> None:
    X, candidates, labels = make_concentric_circles(500, random_state=0)
    assert X.shape == (504, 2)
    assert candidates.shape == (504, 4)
    assert candidates.dtype == np.bool_
    np.testing.assert_allclose(np.hypot(*X.T), labels, rtol=1e-12)
    assert candidates[np.arange(504), labels - 1].all(), "the truth is a candidate"


def test_four_points_are_labelled() -> None:
    X, candidates, labels = make_concentric_circles(10, random_state=0)
    assert candidates[:10].all()
    np.testing.assert_array_equal(candidates[10:].sum(axis=1), 1)
    np.testing.assert_array_equal(candidates[10:].argmax(axis=1) + 1, [4, 3, 2, 1])
    np.testing.assert_array_equal(labels[10:], [4, 3, 2, 1])
    points = [[-(12**0.5), 2], [1, -(8**0.5)], [-(3**0.5), -1], [-1, 0]]
    np.testing.assert_allclose(X[10:], points)


def test_radii_and_angles_are_uniform() -> None:
    X, _, labels = make_concentric_circles(5000, random_state=1)
    assert chisquare(np.bincount(labels[:5000])[1:]).pvalue > 1e-3
    angles = np.arctan2(X[:5000, 1], X[:5000, 0])
    assert kstest(angles, "uniform", args=(-np.pi, 2 * np.pi)).pvalue > 1e-3


def test_defaults_and_seeds() -> None:
    first, second = make_concentric_circles(random_state=3), make_concentric_circles(random_state=3)
    assert len(first.X) == 2004
    for left, right in zip(first, second, strict=True):
        np.testing.assert_array_equal(left, right)
    assert not np.array_equal(first.X, make_concentric_circles(random_state=4).X)
    assert len(make_concentric_circles(0).X) == 4
    with pytest.raises(ValueError, match="n_samples must be an integer >= 0; got -1"):
        make_concentric_circles(-1)


def test_twenty_neighbours_connect_each_circle_and_no_two_of_them() -> None:
    X, candidates, labels = make_concentric_circles(random_state=0)
    weights = NeighborWeights(n_neighbors=20).fit(X)
    graph = weights.training_votes().matrix.tocoo()
    np.testing.assert_array_equal(labels[graph.row], labels[graph.col])
    assert connected_components(graph)[0] == 4
    found = disambiguate(X, candidates, weights=NeighborWeights(n_neighbors=20))
    np.testing.assert_array_equal(found.labels_ + 1, labels)
    assert found.decided_.all()
