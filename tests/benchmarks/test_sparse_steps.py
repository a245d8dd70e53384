"""The data and the measurements of the benchmark on sparse votes."""

import numpy as np
import pytest

from benchmarks import sparse_steps


def test_sets_have_the_true_class_and_two_others():
    truth = np.arange(500) % 10
    mask = sparse_steps.with_distractors(truth, 10, np.random.default_rng(0))
    assert (mask.sum(axis=1) == 3).all()
    assert mask[np.arange(500), truth].all()


def test_neighbours_of_clusters_are_the_nearest():
    X, _ = sparse_steps.clusters(1000, seed=0)
    graph, order = sparse_steps.graph_of_clusters(X)
    X = X[order].astype(float)
    for row in (0, 321, 999):
        distances = ((X - X[row]) ** 2).sum(axis=1)
        neighbors = graph.indices[graph.indptr[row] : graph.indptr[row + 1]]
        assert row in neighbors
        expected = np.argsort(distances)[: sparse_steps.N_NEIGHBORS]
        np.testing.assert_array_equal(np.sort(neighbors), np.sort(expected))


@pytest.mark.needs_jit
def test_both_measurements_run():
    took = sparse_steps.half_steps(2000, 10)
    assert set(took) >= {"gather", "predictions", "targets", "scipy"}
    found = sparse_steps.whole_fit(2000)
    assert found["accuracy"] > 0.9
    assert "2000" in sparse_steps.text_of_fit(found)
