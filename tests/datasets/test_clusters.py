"""`make_separated_clusters`: distances, and sets of a known ambiguity."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from disambig.datasets import make_separated_clusters


@given(st.integers(1, 9), st.integers(1, 6), st.floats(0.01, 10), st.integers(0, 99))
def test_distances_within_and_between_clusters(
    n_clusters: int, n_features: int, separation: float, seed: int
) -> None:
    X, _, _, clusters, _ = make_separated_clusters(
        60,
        n_clusters=n_clusters,
        n_features=n_features,
        separation=separation,
        random_state=seed,
    )
    distances = cdist(X, X)
    together = clusters[:, None] == clusters
    assert distances[together].max() <= 1 + 1e-12
    assert distances[~together].min(initial=np.inf) >= separation * (1 - 1e-12) - 1e-12


def test_points_are_uniform_in_balls() -> None:
    """Half of the volume of a ball is within 2^(-1/d) of its radius; its mean is its centre."""
    X, *_ = make_separated_clusters(20000, n_clusters=1, n_features=3, random_state=0)
    radii = np.linalg.norm(X, axis=1)
    assert radii.max() <= 0.5
    assert np.mean(radii < 0.5 * 0.5 ** (1 / 3)) == pytest.approx(0.5, abs=0.02)
    assert np.abs(X.mean(axis=0)).max() < 5 * 0.5 / np.sqrt(20000)


def test_clusters_have_different_grid_points_in_any_dimension() -> None:
    for n_features in (1, 2, 3, 100):
        data = make_separated_clusters(
            400, n_clusters=10, n_features=n_features, separation=5, random_state=0
        )
        grid_points = {tuple(row) for row in np.round(data.X / 6).tolist()}
        assert len(grid_points) == 10


@pytest.mark.parametrize("eta", [0.0, 0.3, 0.8])
def test_every_wrong_class_is_a_candidate_with_probability_eta(eta: float) -> None:
    data = make_separated_clusters(20000, n_clusters=6, n_classes=3, eta=eta, random_state=0)
    assert data.eta == eta
    assert data.candidates.classes.tolist() == [0, 1, 2]
    assert data.candidates.contains(data.labels).all()
    np.testing.assert_array_equal(data.labels, data.clusters % 3)
    for label in range(3):
        rows = data.candidates.mask[data.labels == label]
        frequencies = np.delete(rows.mean(axis=0), label)
        assert (np.abs(frequencies - eta) <= 5 * np.sqrt(eta * (1 - eta) / len(rows))).all()


def test_a_cluster_determines_its_label() -> None:
    """Only the true class is in all sets of a cluster."""
    data = make_separated_clusters(400, n_clusters=5, eta=0.7, random_state=0)
    for cluster in range(5):
        shared = data.candidates.mask[data.clusters == cluster].all(axis=0)
        assert np.flatnonzero(shared).tolist() == [cluster]


def test_clusters_are_equally_likely() -> None:
    counts = np.bincount(make_separated_clusters(40000, random_state=0).clusters)
    assert (np.abs(counts - 10000) <= 5 * np.sqrt(40000 * 0.25 * 0.75)).all()


def test_only_sets_change_with_eta() -> None:
    low = make_separated_clusters(200, eta=0.2, random_state=3)
    high = make_separated_clusters(200, eta=0.6, random_state=3)
    np.testing.assert_array_equal(low.X, high.X)
    np.testing.assert_array_equal(low.labels, high.labels)
    assert (low.candidates.mask <= high.candidates.mask).all()
    assert low.candidates != high.candidates


def test_a_seed_repeats() -> None:
    first = make_separated_clusters(50, random_state=1)
    again = make_separated_clusters(50, random_state=1)
    np.testing.assert_array_equal(first.X, again.X)
    assert first.candidates == again.candidates
    assert (first.X != make_separated_clusters(50, random_state=2).X).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": 0}, "n_samples must be an integer >= 1; got 0"),
        ({"n_clusters": 2.5}, "n_clusters must be an integer >= 1; got 2.5"),
        ({"n_features": 0}, "n_features must be an integer >= 1"),
        ({"n_classes": 5}, "n_classes=5 with n_clusters=4; every class needs a cluster"),
        ({"separation": 0}, "separation must be a finite number > 0; got 0"),
        ({"separation": np.nan}, "separation must be a finite number > 0; got nan"),
        ({"eta": 1.0}, "eta must be a finite number >= 0 and < 1; got 1.0"),
        ({"eta": -0.1}, "eta must be a finite number >= 0 and < 1; got -0.1"),
    ],
)
def test_invalid_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"make_separated_clusters: {message}"):
        make_separated_clusters(**options)
