"""Nearest neighbours against the full sort by (distance, index)."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsTransformer

from disambig.weights import NeighborWeights
from disambig.weights.neighbors import lists as nearest_module


def by_sorting(distances, k, sample_weight=None, *, leave_one_out=False):
    """By definition, row by row."""
    q, n = distances.shape
    sample_weight = np.ones(n) if sample_weight is None else sample_weight
    alpha = np.zeros((q, n))
    for i in range(q):
        left = float(k)
        for j in sorted(range(n), key=lambda j, i=i: (distances[i, j], j)):
            if not (leave_one_out and i == j) and left > 1e-9 * k:
                alpha[i, j] = min(sample_weight[j], left)
                left -= alpha[i, j]
        total = alpha[i].sum()
        alpha[i] /= total if total > 0 else 1.0
    return alpha


def squared(Q, X):
    return ((Q[:, None] - X[None]) ** 2).sum(axis=-1)


def dense(votes):
    return votes.matrix.toarray()


def quiet_fit(weighting, X, sample_weight=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return weighting.fit(X, sample_weight)


def grid(seed, n, d=2, size=4):
    return np.random.default_rng(seed).integers(0, size, (n, d)).astype(float)


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 40),
    k=st.integers(1, 12),
    algorithm=st.sampled_from(["auto", "brute", "kd_tree", "ball_tree"]),
    leave_one_out=st.booleans(),
)
def test_grids_full_of_ties(seed, n, k, algorithm, leave_one_out):
    X = grid(seed, n)
    weighting = NeighborWeights(k, algorithm=algorithm, leave_one_out=leave_one_out)
    quiet_fit(weighting, X)
    expected = by_sorting(squared(X, X), k, leave_one_out=leave_one_out)
    assert_array_equal(dense(weighting.training_votes()), expected)
    loo = by_sorting(squared(X, X), k, leave_one_out=True)
    assert_array_equal(dense(weighting.leave_one_out_votes()), loo)
    Q = grid(seed + 1, 7)
    assert_array_equal(dense(weighting.votes(Q)), by_sorting(squared(Q, X), k))


@given(
    seed=st.integers(0, 10_000),
    k=st.integers(1, 9),
    sparse=st.booleans(),
    leave_one_out=st.booleans(),
    algorithm=st.sampled_from(["auto", "brute"]),
    fractional=st.booleans(),
)
def test_searched_grids_with_sample_weights(seed, k, sparse, leave_one_out, algorithm, fractional):
    # Many more rows than neighbours, so that candidates are found and, for ties, not final.
    X = grid(seed, 150, d=3, size=5)
    rng = np.random.default_rng(seed)
    sample_weight = (
        rng.uniform(0.2, 3, 150) if fractional else rng.integers(1, 4, 150).astype(float)
    )
    weighting = NeighborWeights(k, algorithm=algorithm, leave_one_out=leave_one_out)
    weighting.fit(sp.csr_array(X) if sparse else X, sample_weight)
    expected = by_sorting(squared(X, X), k, sample_weight, leave_one_out=leave_one_out)
    assert_allclose(dense(weighting.training_votes()), expected, atol=1e-12)


def test_no_ties_many_features():
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(300, 30)), rng.normal(size=(40, 30))
    weighting = NeighborWeights(7).fit(X)
    assert_array_equal(dense(weighting.votes(Q)), by_sorting(squared(Q, X), 7))
    assert_array_equal(
        dense(NeighborWeights(7).fit(sp.csr_array(X)).votes(sp.csr_array(Q))),
        dense(weighting.votes(Q)),
    )
    assert_array_equal(dense(weighting.votes(sp.csr_array(Q))), dense(weighting.votes(Q)))


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
def test_far_from_the_origin(algorithm):
    # The formula by products has errors of order 1 here, differences have none.
    X = grid(0, 200, d=20, size=2) + 1e8
    weighting = NeighborWeights(5, algorithm=algorithm).fit(X)
    assert_array_equal(dense(weighting.training_votes()), by_sorting(squared(X, X), 5))


def test_one_far_row_spoils_the_candidates_but_not_the_result():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 20))
    X[17] = 1e9
    weighting = NeighborWeights(6, algorithm="brute").fit(X)
    assert_array_equal(dense(weighting.training_votes()), by_sorting(squared(X, X), 6))


def test_all_rows_equal():
    X = np.ones((500, 3))
    alpha = dense(NeighborWeights(4).fit(X).training_votes())
    assert_array_equal(alpha, by_sorting(np.zeros((500, 500)), 4))
    others = dense(NeighborWeights(4, leave_one_out=True).fit(X).training_votes())
    assert_array_equal(others, by_sorting(np.zeros((500, 500)), 4, leave_one_out=True))


def test_votes_do_not_depend_on_threads_algorithm_or_blocks(monkeypatch):
    X = grid(3, 400, d=4, size=4)
    reference = dense(NeighborWeights(9).fit(X).training_votes())
    for algorithm in ("brute", "kd_tree", "ball_tree"):
        for jobs in (1, 2):
            weighting = NeighborWeights(9, algorithm=algorithm, n_jobs=jobs).fit(X)
            assert_array_equal(dense(weighting.training_votes()), reference)
    weighting = NeighborWeights(9).fit(X)
    parts = [dense(weighting.votes(X[i : i + 37])) for i in range(0, 400, 37)]
    assert_array_equal(np.vstack(parts), reference)
    monkeypatch.setattr(nearest_module, "_ENTRIES_PER_BLOCK", 100)
    assert_array_equal(dense(weighting.training_votes()), reference)


def test_permuted_rows_permute_the_votes():
    X = np.random.default_rng(4).normal(size=(120, 3))
    order = np.random.default_rng(5).permutation(120)
    alpha = dense(NeighborWeights(6).fit(X).training_votes())
    permuted = dense(NeighborWeights(6).fit(X[order]).training_votes())
    assert_array_equal(permuted, alpha[np.ix_(order, order)])


@pytest.mark.parametrize(
    ("metric", "params", "name"),
    [
        ("manhattan", None, "cityblock"),
        ("chebyshev", None, "chebyshev"),
        ("minkowski", {"p": 1}, "cityblock"),
        ("minkowski", {"p": 2}, "euclidean"),
        ("minkowski", None, "euclidean"),
        ("sqeuclidean", None, "euclidean"),
        ("l2", None, "euclidean"),
    ],
)
@pytest.mark.parametrize("leave_one_out", [False, True])
def test_other_metrics(metric, params, name, leave_one_out):
    X = grid(6, 90, d=3, size=5)
    weighting = NeighborWeights(5, metric=metric, metric_params=params, leave_one_out=leave_one_out)
    distances = pairwise_distances(X, metric=name)
    if name == "euclidean":
        distances = squared(X, X)
    expected = by_sorting(distances, 5, leave_one_out=leave_one_out)
    assert_array_equal(dense(weighting.fit(X).training_votes()), expected)


def test_minkowski_of_another_power():
    X = np.random.default_rng(7).normal(size=(80, 3))
    expected = by_sorting((np.abs(X[:, None] - X[None]) ** 3).sum(axis=-1), 5)
    weighting = NeighborWeights(5, metric="minkowski", metric_params={"p": 3}).fit(X)
    assert_array_equal(dense(weighting.training_votes()), expected)


def test_cosine_and_a_function():
    X = np.random.default_rng(8).normal(size=(60, 3))
    expected = by_sorting(pairwise_distances(X, metric="cosine"), 4)
    assert_array_equal(dense(NeighborWeights(4, metric="cosine").fit(X).training_votes()), expected)
    weighting = NeighborWeights(4, metric=lambda a, b: np.abs(a - b).max()).fit(X)
    expected = by_sorting(pairwise_distances(X, metric="chebyshev"), 4)
    assert_array_equal(dense(weighting.training_votes()), expected)


def test_booleans_stay_booleans():
    X = np.random.default_rng(9).integers(0, 2, (70, 8)).astype(bool)
    expected = by_sorting(pairwise_distances(X, metric="jaccard"), 4)
    assert_array_equal(
        dense(NeighborWeights(4, metric="jaccard").fit(X).training_votes()), expected
    )


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("leave_one_out", [False, True])
def test_precomputed_distances(sparse, leave_one_out):
    X, Q = grid(10, 50), grid(11, 8)
    sample_weight = np.random.default_rng(10).integers(1, 3, 50).astype(float)
    direct = NeighborWeights(5, leave_one_out=leave_one_out).fit(X, sample_weight)
    given_distances, queries = np.sqrt(squared(X, X)), np.sqrt(squared(Q, X))
    if sparse:
        given_distances, queries = full_graph(given_distances), full_graph(queries)
    weighting = NeighborWeights(5, metric="precomputed", leave_one_out=leave_one_out)
    weighting.fit(given_distances, sample_weight)
    assert_array_equal(dense(weighting.training_votes()), dense(direct.training_votes()))
    assert_array_equal(dense(weighting.leave_one_out_votes()), dense(direct.leave_one_out_votes()))
    assert_array_equal(dense(weighting.votes(queries)), dense(direct.votes(Q)))


def full_graph(distances):
    """A sparse matrix that stores its zeros."""
    q, n = distances.shape
    return sp.csr_array(
        (distances.ravel(), np.tile(np.arange(n), q), np.arange(0, q * n + 1, n)), shape=(q, n)
    )


def test_a_graph_of_scikit_learn():
    X = np.random.default_rng(12).normal(size=(60, 3))
    graph = KNeighborsTransformer(n_neighbors=8).fit_transform(X)
    weighting = NeighborWeights(5, metric="precomputed").fit(graph)
    assert_array_equal(
        dense(weighting.training_votes()), dense(NeighborWeights(5).fit(X).training_votes())
    )


def test_a_graph_with_short_and_empty_rows():
    graph = sp.csr_array(np.array([[0.0, 2.0, 1.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    weighting = NeighborWeights(2, metric="precomputed").fit(graph)
    with pytest.warns(
        UserWarning, match="2 rows of the graph .* fewer neighbours than n_neighbors=2"
    ):
        alpha = dense(weighting.training_votes())
    assert_array_equal(alpha, [[0, 0.5, 0.5], [1, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize("leave_one_out", [False, True])
def test_more_neighbours_than_rows(leave_one_out):
    X = grid(13, 6)
    weighting = NeighborWeights(9, leave_one_out=leave_one_out)
    with pytest.warns(
        UserWarning, match="n_neighbors=9 is more than the 6 training rows can provide"
    ):
        weighting.fit(X)
    expected = (1.0 - np.eye(6)) / 5 if leave_one_out else np.full((6, 6), 1 / 6)
    assert_allclose(dense(weighting.training_votes()), expected)


def test_as_many_neighbours_as_rows_is_no_reason_to_warn():
    NeighborWeights(6).fit(grid(13, 6))
    NeighborWeights(5, leave_one_out=True).fit(grid(13, 6))
    with pytest.warns(UserWarning, match="all other rows vote"):
        NeighborWeights(6, leave_one_out=True).fit(grid(13, 6))
    with pytest.warns(UserWarning, match=r"6 training rows of total weight 3 can provide"):
        NeighborWeights(4).fit(grid(13, 6), np.full(6, 0.5))


def test_a_single_row():
    weighting = NeighborWeights(1).fit([[2.0]])
    assert_array_equal(dense(weighting.training_votes()), [[1.0]])
    assert_array_equal(dense(weighting.leave_one_out_votes()), [[0.0]])


def test_no_queries():
    weighting = NeighborWeights(2).fit(grid(0, 30))
    assert weighting.votes(np.zeros((0, 2))).shape == (0, 30)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be an integer >= 1; got 0"),
        ({"n_neighbors": 2.5}, "n_neighbors must be an integer >= 1; got 2.5"),
        ({"n_neighbors": True}, "got True"),
        ({"algorithm": "tree"}, "algorithm must be one of 'auto', 'ball_tree'"),
        ({"leave_one_out": "no"}, "leave_one_out must be True or False; got 'no'"),
        ({"metric": "mahalanobis"}, "needs metric_params"),
        ({"metric": "nonsense"}, "nonsense"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        NeighborWeights(**parameters).fit(grid(0, 30))


@pytest.mark.parametrize(
    ("distances", "message"),
    [
        (np.ones((3, 4)), r"as many columns as rows; got shape \(3, 4\)"),
        (np.diag([0.0, -1.0, 0.0]), "must not be negative; the smallest is -1"),
        (sp.csr_array(np.diag([0.0, -1.0, 0.0])), "must not be negative"),
    ],
)
def test_bad_distances(distances, message):
    with pytest.raises(ValueError, match=message):
        NeighborWeights(1, metric="precomputed").fit(distances)


def test_bad_combinations():
    with pytest.raises(ValueError, match="no distance is computed"):
        NeighborWeights(1, metric="precomputed", algorithm="brute").fit(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="cannot index sparse X"):
        NeighborWeights(1, algorithm="kd_tree").fit(sp.csr_array(np.eye(3)))
    with pytest.raises(ValueError, match=r"3 training rows \(columns\); got shape \(2, 4\)"):
        NeighborWeights(1, metric="precomputed").fit(np.zeros((3, 3))).votes(np.zeros((2, 4)))


def test_a_metric_that_gives_nan():
    weighting = NeighborWeights(1, metric=lambda a, b: np.nan).fit(np.eye(3))
    with pytest.raises(ValueError, match="the metric returned NaN"):
        weighting.training_votes()


def test_a_graph_of_k_rows_with_the_row_itself_lacks_no_neighbour():
    """Leave-one-out votes of the others: a row then lists k - 1, without a warning."""
    X = np.random.default_rng(0).normal(size=(20, 2))
    graph = KNeighborsTransformer(mode="distance", n_neighbors=3).fit_transform(X)
    assert set(np.diff(graph.indptr)) == {4}
    weighting = NeighborWeights(4, metric="precomputed").fit(graph)
    weighting.training_votes()
    assert_allclose(weighting.leave_one_out_votes().row_sums(), np.ones(20))
    with pytest.warns(UserWarning, match="20 rows of the graph of distances store fewer"):
        NeighborWeights(4, metric="precomputed", leave_one_out=True).fit(graph).training_votes()
    with pytest.warns(UserWarning, match="20 rows of the graph of distances store fewer"):
        NeighborWeights(5, metric="precomputed").fit(graph).training_votes()


@pytest.mark.parametrize("params", [{"a": 1}, "a", [1, 2]])
def test_parameters_that_a_metric_does_not_have(params):
    with pytest.raises(ValueError, match=r"NeighborWeights: .*metric_params"):
        NeighborWeights(2, metric="manhattan", metric_params=params).fit(np.ones((5, 2)))
