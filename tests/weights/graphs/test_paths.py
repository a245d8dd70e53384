"""Paths against all shortest paths of scipy, and what the votes must be."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import shortest_path

from disambig import PartialLabelClassifier
from disambig.compiled.distances import nearest_sources
from disambig.weights import InformedWeights, NeighborWeights, PathWeights, ScaledWeights

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Q = RNG.normal(size=(8, 2))
INFORMED = np.zeros(40, dtype=bool)
INFORMED[[1, 4, 5, 11, 20, 33, 39]] = True


def entries(votes):
    return votes @ np.eye(votes.shape[1])


def lengths_of(rows, k, power):
    """The lengths of the links between rows, infinite without a link, ``(n, n)``."""
    distances = np.sqrt(((rows[:, None] - rows) ** 2).sum(axis=-1))
    order = np.argsort(np.where(np.eye(len(rows)) > 0, np.inf, distances), axis=1)[:, :k]
    linked = np.zeros(distances.shape, dtype=bool)
    linked[np.arange(len(rows))[:, None], order] = True
    return np.where(linked | linked.T, distances**power, np.inf)


def nearest_informed(rows, k, power, informed):
    """The informed row at the end of the shortest path of each row, by all shortest paths."""
    lengths = lengths_of(rows, k, power)
    graph = np.where(np.isfinite(lengths), lengths, 0.0)
    paths = shortest_path(sp.csr_array(graph), directed=False)
    return np.flatnonzero(informed)[paths[:, informed].argmin(axis=1)]


@pytest.mark.parametrize("power", [1.0, 2.5, 4.0])
def test_votes_are_at_the_ends_of_shortest_paths(power):
    weights = PathWeights(6, power=power).fit_informed(X, informed=INFORMED)
    assert isinstance(weights, InformedWeights)
    expected = np.eye(40)[nearest_informed(X, 6, power, INFORMED)]
    assert_array_equal(entries(weights.training_votes()), expected)
    # The same links serve another power and other informed rows.
    for other in (1.5, 8.0):
        again = np.eye(40)[nearest_informed(X, 6, other, INFORMED)]
        assert_array_equal(entries(weights.at_power(other).training_votes()), again)
    few = INFORMED & (np.arange(40) < 20)
    again = np.eye(40)[nearest_informed(X, 6, power, few)]
    assert_array_equal(entries(weights.at_informed(few).training_votes()), again)
    assert_array_equal(entries(weights.training_votes()), expected)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_two_nearest_sources(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 14))
    lengths = np.triu(rng.integers(0, 4, (n, n)) * (rng.random((n, n)) < 0.4), k=1).astype(float)
    linked = (lengths + lengths.T) > 0
    graph = sp.csr_array(np.where(linked, lengths + lengths.T, 0.0))
    sources = np.flatnonzero(rng.random(n) < 0.5)
    sources = sources if sources.size else np.array([0])
    starts = rng.integers(0, 4, sources.size).astype(float) * rng.integers(2)
    nearest, distances = nearest_sources(
        graph.indptr.astype(np.int64), graph.indices.astype(np.int64), graph.data, sources, starts
    )
    paths = shortest_path(graph, directed=False)[:, sources] + starts
    # Of equal lengths the source of smaller number comes first.
    order = np.argsort(paths, axis=1, kind="stable")[:, :2]
    for place in range(min(2, sources.size)):
        length = np.take_along_axis(paths, order[:, place : place + 1], axis=1)[:, 0]
        reached = np.isfinite(length)
        assert_allclose(distances[:, place], length)
        assert_array_equal(nearest[reached, place], sources[order[reached, place]])
        assert (nearest[~reached, place] == -1).all()
    if sources.size == 1:
        assert (nearest[:, 1] == -1).all()


def test_leave_one_out_is_a_row_that_is_not_informed():
    rows = X.copy()
    rows[5] = rows[4]
    weights = PathWeights(5).fit_informed(rows, informed=INFORMED)
    found = entries(weights.leave_one_out_votes())
    for i in np.flatnonzero(INFORMED):
        without = INFORMED.copy()
        without[i] = False
        assert_allclose(found[i], entries(weights.at_informed(without).training_votes())[i])
    assert_array_equal(found[~INFORMED], entries(weights.training_votes())[~INFORMED])


def test_new_inputs_are_linked_to_their_neighbours():
    weights = PathWeights(4, power=2.0).fit_informed(X, informed=INFORMED)
    lengths = np.full((41, 41), np.inf)
    lengths[:40, :40] = lengths_of(X, 4, 2.0)
    for query, votes in zip(Q, entries(weights.votes(Q)), strict=True):
        distances = np.sqrt(((X - query) ** 2).sum(axis=1))
        near = np.argsort(distances)[:4]
        lengths[40, :40] = np.inf
        lengths[40, near] = distances[near] ** 2
        graph = np.where(np.isfinite(lengths), lengths, 0.0)
        paths = shortest_path(sp.csr_array(graph), indices=40)
        expected = np.flatnonzero(INFORMED)[paths[:40][INFORMED].argmin()]
        assert_array_equal(votes, np.eye(40)[expected])


def test_if_all_rows_are_informed_it_is_the_nearest_neighbour():
    weights, nearest = PathWeights(5).fit(X), NeighborWeights(1).fit(X)
    assert_array_equal(entries(weights.votes(Q)), entries(nearest.votes(Q)))
    assert_array_equal(
        entries(weights.leave_one_out_votes()), entries(nearest.leave_one_out_votes())
    )


def test_parts_without_an_informed_row_take_the_nearest_by_distance():
    rows = np.concatenate([X[:20], X[20:] + 50.0])
    informed = np.zeros(40, dtype=bool)
    informed[[2, 9]] = True
    weights = PathWeights(3).fit_informed(rows, informed=informed)
    far = np.arange(20, 40)
    assert np.isinf(weights.path_lengths_[weights.node_[far], 0]).all()
    distances = ((rows[far, None] - rows[informed]) ** 2).sum(axis=-1)
    expected = np.eye(40)[np.flatnonzero(informed)[distances.argmin(axis=1)]]
    assert_array_equal(entries(weights.training_votes())[far], expected)
    assert_array_equal(entries(weights.votes(rows[far] + 1e-3)), expected)
    # A row that is informed alone leaves no votes out of its part but those of the other part.
    one = np.zeros(40, dtype=bool)
    one[2] = True
    assert_array_equal(entries(weights.at_informed(one).leave_one_out_votes())[2], 0.0)


def test_sample_weights_share_the_vote_of_an_input():
    rows = np.concatenate([X[:10], X[:1]])
    informed = np.zeros(11, dtype=bool)
    informed[[0, 10]] = True
    weights = PathWeights(3).fit_informed(rows, np.array([3.0] + [1.0] * 10), informed)
    expected = np.zeros((11, 11))
    expected[:, 0], expected[:, 10] = 0.75, 0.25
    assert_allclose(entries(weights.training_votes()), expected)
    assert_allclose(entries(weights.leave_one_out_votes())[[0, 10]], np.eye(11)[[10, 0]])


@pytest.mark.parametrize("scaled", [False, True])
def test_only_informative_rows_vote_with_disambiguation(scaled):
    t = np.linspace(0, 3, 150)
    rows = np.concatenate(
        [np.column_stack([np.cos(t), np.sin(t)]), np.column_stack([1 - np.cos(t), 0.4 - np.sin(t)])]
    )
    y = np.full(300, -1)
    y[[0, 150]] = 0, 1
    weights = ScaledWeights(PathWeights(5), [1.0, 2.0]) if scaled else PathWeights(5)
    model = PartialLabelClassifier(weights, solver="annealed", unlabeled=-1).fit(rows, y)
    assert_array_equal(model.labels_, np.repeat([0, 1], 150))
    assert_array_equal(model.predict(rows + 1e-3), model.labels_)
    fitted = model.weights_.weights_ if scaled else model.weights_
    assert_array_equal(fitted.informed_, [0, 150])


@pytest.mark.parametrize("parameters", [{"n_neighbors": 0}, {"power": 0.0}, {"leave_one_out": 2}])
def test_bad_parameters(parameters):
    name = next(iter(parameters))
    with pytest.raises(ValueError, match=f"PathWeights: {name}"):
        PathWeights(**parameters).fit(X)
    if name == "power":
        with pytest.raises(ValueError, match="PathWeights: power"):
            PathWeights().fit(X).at_power(-1.0)


def test_starts_make_paths_longer():
    """Also of new inputs, and with fewer informed rows."""
    weights = PathWeights(5).fit_informed(X, informed=INFORMED)
    assert_array_equal(weights.with_starts(np.ones(len(X))).nearest_, weights.nearest_)
    rows = np.flatnonzero(INFORMED)
    lengths = np.stack([weights.lengths_to(np.arange(len(X)) == row) for row in rows], axis=1)
    assert_allclose(lengths.min(axis=1), weights.path_lengths_[weights.node_, 0])
    starts = np.zeros(len(X))
    starts[rows] = np.linspace(0.0, 3.0, rows.size)
    later = weights.with_starts(starts)
    expected = rows[(lengths + starts[rows]).argmin(axis=1)]
    assert_array_equal(entries(later.training_votes()).argmax(axis=1), expected)
    assert (expected != entries(weights.training_votes()).argmax(axis=1)).any()
    assert_array_equal(entries(later.votes(X)), entries(later.training_votes()))
    few = INFORMED & (np.arange(len(X)) != rows[0])
    expected = rows[1:][(lengths + starts[rows])[:, 1:].argmin(axis=1)]
    assert_array_equal(entries(later.at_informed(few).training_votes()).argmax(axis=1), expected)
