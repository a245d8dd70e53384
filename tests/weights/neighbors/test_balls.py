"""Candidates of balls: no other row is nearer than the bound that the index returns."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from disambig.threads import run_in_threads, thread_count
from disambig.weights import NeighborWeights
from disambig.weights.neighbors import balls as balls_module
from disambig.weights.neighbors.balls import Balls
from disambig.weights.neighbors.box_tree import BoxTree


def squared(Q, X):
    Q, X = Q.astype(float), X.astype(float)
    return ((Q[:, None] - X[None]) ** 2).sum(axis=-1)


def check_floor(X, Q, width=12):
    indices, floor = Balls.build(X).search(Q, width, n_jobs=1)
    distances = squared(Q, X)
    assert indices.shape == (Q.shape[0], width)
    for i, found in enumerate(indices):
        assert np.unique(found).size == width
        others = np.delete(distances[i], found)
        assert floor[i] <= others.min()
    return indices, floor, distances


@given(
    seed=st.integers(0, 10_000),
    d=st.integers(1, 30),
    size=st.integers(-12, 12),
    offset=st.sampled_from([0.0, 1.0, 1e4, 1e8]),
    single=st.booleans(),
)
def test_the_floor_holds(seed, d, size, offset, single):
    rng = np.random.default_rng(seed)
    X = 10.0**size * (rng.normal(size=(600, d)) + offset)
    X = X.astype(np.float32 if single else np.float64)
    check_floor(X, X[:20])


def test_the_floor_is_of_use():
    X = make_blobs(1500, 10, centers=6, random_state=0)[0]
    indices, floor, distances = check_floor(X, X[:100])
    eighth = np.sort(distances, axis=1)[:, 8]
    assert (eighth < floor).all()
    assert_array_equal(np.sort(distances, axis=1)[:, 0], np.zeros(100))
    assert (indices == np.arange(100)[:, None]).any(axis=1).all()


def test_far_groups_are_skipped(monkeypatch):
    X = make_blobs(3000, 12, centers=10, cluster_std=0.1, random_state=0)[0]
    pairs = []
    original = balls_module.block_distances

    def counting(values, *rest):
        pairs.append(values.size)
        original(values, *rest)

    monkeypatch.setattr(balls_module, "block_distances", counting)
    Balls.build(X).search(X, 15, n_jobs=1)
    assert sum(pairs) < 0.25 * 3000**2


@pytest.fixture
def many_cells(monkeypatch):
    """Cells and steps as of millions of rows."""
    monkeypatch.setattr(balls_module, "_MEAN_ROWS_PER_BALL", 16)
    monkeypatch.setattr(balls_module, "_MAX_ROWS_PER_BALL", 40)
    monkeypatch.setattr(balls_module, "_MAX_FLAT_BALLS", 8)
    monkeypatch.setattr(balls_module, "_BALLS_PER_STEP", 4)
    monkeypatch.setattr(balls_module, "_QUERIES_PER_BLOCK", 64)


@given(
    seed=st.integers(0, 10_000),
    d=st.integers(1, 12),
    offset=st.sampled_from([0.0, 1e8]),
    kind=st.sampled_from(["noise", "groups", "ties", "constant"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_floor_holds_in_cells(seed, d, offset, kind, many_cells):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(700, d))
    if kind == "groups":
        X += 30.0 * rng.integers(0, 5, (700, 1))
    elif kind == "ties":
        X = X.round()
    elif kind == "constant":
        X[:] = 1.0
    X += offset
    Q = np.vstack([X[rng.permutation(700)[:80]], 3.0 * (X[:5] - offset) + offset])
    _, floor, distances = check_floor(X, Q)
    if kind in ("noise", "groups") and not offset:
        assert (np.sort(distances, axis=1)[:, 8] < floor).all()
    _, beside = Balls.build(X).search(np.vstack([Q, X[:1] + 1e30]), 12, n_jobs=1)
    assert beside[-1] == -np.inf


def test_cells_skip_what_is_far_from_a_whole_block(many_cells, monkeypatch):
    X = make_blobs(3000, 9, centers=30, cluster_std=0.1, random_state=0)[0]
    balls, pairs = Balls.build(X), []
    assert np.unique(balls.cells).size > 5
    original = Balls._bounds

    def counting(self, queries, chosen):
        pairs.append(len(queries) * len(chosen))
        return original(self, queries, chosen)

    monkeypatch.setattr(Balls, "_bounds", counting)
    balls.search(X, 12, n_jobs=1)
    assert sum(pairs) < 0.25 * len(X) * len(balls.radii)


def test_a_query_beyond_all_bounds_is_left_to_others():
    X = np.random.default_rng(0).normal(size=(700, 9))
    Q = np.vstack([X[:1], np.full((1, 9), 1e30)])
    _, floor = Balls.build(X).search(Q, 10, n_jobs=1)
    assert floor[0] > 0
    assert floor[1] == -np.inf
    weighting = NeighborWeights(3).fit(X)
    nearest = np.argsort(squared(Q[1:], X)[0], kind="stable")[:3]
    assert_array_equal(np.sort(weighting.votes(Q[1:]).matrix.indices), np.sort(nearest))


@pytest.mark.parametrize("value", [0.0, 7.5, 1e12])
def test_equal_rows_and_constant_features(value):
    X = np.full((2100, 8), value)
    _, floor = Balls.build(X).search(X[:5], 20, n_jobs=1)
    assert (floor <= 0).all()
    alpha = NeighborWeights(4).fit(X).votes(X[:5]).matrix
    assert_array_equal(alpha.indices.reshape(5, 4), np.tile(np.arange(4), (5, 1)))
    X[:, 3] = np.arange(2100)
    check_floor(X, X[:40])


def test_single_precision_is_searched_as_it_is_and_compared_in_double():
    rng = np.random.default_rng(3)
    X = (rng.normal(size=(900, 11)) + 1e3).astype(np.float32)
    weighting = NeighborWeights(6).fit(X)
    assert weighting.X_fit_.dtype == np.float32
    assert weighting.index_.searcher.moved.dtype == np.float32
    double = NeighborWeights(6).fit(X.astype(np.float64))
    for one, other in (
        (weighting.training_votes(), double.training_votes()),
        (weighting.leave_one_out_votes(), double.leave_one_out_votes()),
        (weighting.votes(X[:30].astype(np.float64)), double.votes(X[:30])),
    ):
        assert_array_equal(one.matrix.toarray(), other.matrix.toarray())


def test_n_jobs_sets_the_threads_and_changes_nothing():
    X = np.random.default_rng(4).normal(size=(1400, 9))
    with threadpool_limits(1, user_api="blas"):
        assert thread_count(None) == 1
    assert thread_count(3) == 3
    assert thread_count(-1) >= 1
    assert run_in_threads(lambda task: task**2, range(5), 2) == [0, 1, 4, 9, 16]
    reference = NeighborWeights(8, n_jobs=1).fit(X).training_votes().matrix.toarray()
    for jobs in (None, 2, 3):
        alpha = NeighborWeights(8, n_jobs=jobs).fit(X).training_votes().matrix.toarray()
        assert_array_equal(alpha, reference)


def nearest_by_sorting(distances, k):
    """0 / 1, by (distance, index)."""
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    chosen = np.zeros(distances.shape, dtype=bool)
    np.put_along_axis(chosen, order, True, axis=1)
    return chosen


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("algorithm", ["brute", "auto"])
def test_ties_across_balls_and_boxes_go_to_the_earlier_row(single, algorithm):
    X = np.random.default_rng(5).integers(0, 3, (1300, 7)).astype(float)
    distances = squared(X, X)
    weighting = NeighborWeights(9, algorithm=algorithm)
    weighting.fit(X.astype(np.float32) if single else X)
    assert isinstance(weighting.index_.searcher, Balls if algorithm == "brute" else BoxTree)
    found = weighting.training_votes().matrix.toarray() > 0
    assert_array_equal(found, nearest_by_sorting(distances, 9))
    np.fill_diagonal(distances, np.inf)
    found = weighting.leave_one_out_votes().matrix.toarray() > 0
    assert_array_equal(found, nearest_by_sorting(distances, 9))


def test_permuted_rows_permute_the_votes():
    rng = np.random.default_rng(6)
    X, order = rng.normal(size=(1100, 9)), rng.permutation(1100)
    alpha = NeighborWeights(6).fit(X).training_votes().matrix.toarray()
    permuted = NeighborWeights(6).fit(X[order]).training_votes().matrix.toarray()
    assert_array_equal(permuted, alpha[np.ix_(order, order)])
