"""Graph votes against dense inverses, independent formulas and other libraries."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsTransformer
from sklearn.semi_supervised import LabelSpreading

from disambig import PartialLabelClassifier
from disambig.exceptions import VotesError
from disambig.weights import LaplacianWeights, PoissonWeights

NORMALIZATIONS = ("none", "symmetric", "random_walk")
SOLVERS = ("direct", "iterative")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
Q = RNG.normal(size=(5, 2))


def entries(votes):
    return votes @ np.eye(votes.shape[1])


def directed_affinities(distances, k, *, own, affinity="gaussian", bandwidth="local"):
    """Affinities of each row to its k nearest columns by definition, row by row."""
    q, n = distances.shape
    found = np.zeros((q, n))
    for i in range(q):
        others = [j for j in range(n) if not (own and i == j)]
        near = sorted(others, key=lambda j, i=i: (distances[i, j], j))[:k]
        scale = max((distances[i, j] for j in near), default=1.0) / np.sqrt(8)
        if bandwidth != "local":
            scale = bandwidth
        for j in near:
            gaussian = np.exp(-(distances[i, j] ** 2) / (2 * scale**2))
            found[i, j] = (1.0 if affinity == "binary" else gaussian) / len(near)
    return found


def distances_between(A, B):
    return np.sqrt(((A[:, None] - B[None]) ** 2).sum(axis=-1))


def dense_laplacian(graph, normalization):
    degrees = graph.sum(axis=1)
    if normalization == "none":
        return (np.diag(degrees) - graph) / degrees.mean()
    if normalization == "symmetric":
        return np.eye(len(graph)) - graph / np.sqrt(np.outer(degrees, degrees))
    return np.eye(len(graph)) - graph / degrees[:, None]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize(
    "link",
    [{"affinity": "binary"}, {}, {"bandwidth": 0.5}],
    ids=["binary", "local", "bandwidth"],
)
def test_it_is_the_inverse(solver, normalization, link):
    k, mu = 4, 3.0
    one_way = directed_affinities(distances_between(X, X), k, own=True, **link)
    laplacian = dense_laplacian((one_way + one_way.T) / 2, normalization)
    expected = np.linalg.inv(np.eye(30) + mu * laplacian)
    weights = LaplacianWeights(
        k, smoothing=mu, normalization=normalization, solver=solver, **link
    ).fit(X)
    assert_allclose(entries(weights.training_votes()), expected, atol=1e-11)
    # New inputs take the value of a node whose links do not affect the other nodes.
    to_nodes = directed_affinities(distances_between(Q, X), k, own=False, **link)
    sums = to_nodes.sum(axis=1, keepdims=True)
    degrees = (one_way + one_way.T).sum(axis=1) / 2
    by = np.sqrt(sums * degrees) if normalization == "symmetric" else sums
    assert_allclose(entries(weights.votes(Q)), to_nodes / by @ expected, atol=1e-11)


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 25),
    k=st.integers(1, 5),
    mu=st.floats(0.01, 1000.0),
    affinity=st.sampled_from(["binary", "gaussian"]),
    solver=st.sampled_from(SOLVERS),
)
def test_symmetric_non_negative_and_stochastic(seed, n, k, mu, affinity, solver):
    rng = np.random.default_rng(seed)
    # A lattice: many ties and equal rows.
    rows = rng.integers(0, 4, (n, 2)).astype(float)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*n_neighbors")
        weights = LaplacianWeights(k, smoothing=mu, affinity=affinity, solver=solver).fit(rows)
    alpha = entries(weights.training_votes())
    assert_allclose(alpha, alpha.T, atol=1e-11)
    assert_allclose(alpha.sum(axis=1), 1.0, atol=1e-10)
    assert alpha.min() > -1e-12
    together = weights.components_[:, None] == weights.components_
    assert_array_equal(alpha[~together], 0.0)
    assert_array_equal(weights.training_votes().rows(0, n) >= 0, True)
    new = rng.normal(size=(4, 2))
    assert_allclose(weights.votes(new).row_sums(), 1.0, atol=1e-10)
    assert_allclose(entries(weights.votes(rows)), alpha, atol=1e-12)


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_is_a_row_without_its_target(normalization, weighted):
    rows = X.copy()
    rows[9] = rows[2]
    sample_weight = RNG.integers(1, 4, 30).astype(float) if weighted else np.ones(30)
    weights = LaplacianWeights(3, normalization=normalization).fit(rows, sample_weight)
    found = entries(weights.leave_one_out_votes())
    matrix, strength = weights.inverse_.matrix.toarray(), weights.inverse_.scale
    share = sample_weight / weights.node_weights_[weights.node_]
    for i in range(30):
        node, own = weights.node_, share[i] * strength[weights.node_[i]]
        silenced = matrix.copy()
        silenced[node[i], node[i]] -= own
        row = np.linalg.inv(silenced)[node[i]][node] * strength[node] * share
        row[i] = 0.0
        assert_allclose(found[i], row, atol=1e-10)
    if normalization != "symmetric":
        assert_allclose(found.sum(axis=1), 1.0, atol=1e-10)


def test_an_isolated_row_has_only_its_own_vote():
    rows = sp.csr_array(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    weights = LaplacianWeights(metric="precomputed").fit(rows)
    assert weights.components_.tolist() == [0, 0, 1]
    assert_allclose(weights.training_votes().rows(2, 3), [[0.0, 0.0, 1.0]])
    others = weights.leave_one_out_votes()
    assert_array_equal(others.absolute_row_sums() > 0, [True, True, False])
    assert_array_equal(entries(others)[2], 0.0)
    assert_allclose(entries(others)[:2, :2], [[0.0, 1.0], [1.0, 0.0]])


def test_links_that_underflow_are_no_links():
    rows = np.array([[0.0], [1.0], [100.0], [101.0]])
    weights = LaplacianWeights(2, bandwidth=1.0).fit(rows)
    assert weights.components_.tolist() == [0, 0, 1, 1]
    silent = weights.votes(np.array([[0.5], [50.0]])).absolute_row_sums() == 0
    assert silent.tolist() == [False, True]


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
def test_no_links(normalization):
    rows = np.arange(4.0)[:, None] * 1e3
    weights = LaplacianWeights(2, bandwidth=1.0, normalization=normalization).fit(rows)
    assert weights.graph_.nnz == 0
    assert_array_equal(entries(weights.training_votes()), np.eye(4))
    assert_array_equal(entries(weights.leave_one_out_votes()), np.zeros((4, 4)))


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
def test_equal_rows_are_one_input(normalization):
    rows = np.vstack([X, X[:10], X[:10]])
    weights = LaplacianWeights(4, normalization=normalization).fit(rows)
    alone = LaplacianWeights(4, normalization=normalization)
    counts = np.where(np.arange(30) < 10, 3.0, 1.0)
    expected = entries(alone.fit(X, counts).training_votes()) / counts
    columns = weights.node_
    assert_allclose(
        entries(weights.training_votes()), expected[np.ix_(columns, columns)], atol=1e-12
    )


def test_constant_inputs():
    with pytest.warns(UserWarning, match=r"n_neighbors=10 is more than .* \(1 distinct inputs"):
        weights = LaplacianWeights().fit(np.ones((6, 2)))
    assert_allclose(entries(weights.training_votes()), np.full((6, 6), 1 / 6))
    expected = (1 - np.eye(6)) / 5
    assert_allclose(entries(weights.leave_one_out_votes()), expected, atol=1e-14)
    # The only distinct input is the nearest of every new input.
    assert_allclose(entries(weights.votes(np.zeros((1, 2)))), np.full((1, 6), 1 / 6))


def test_more_neighbors_than_rows():
    with pytest.warns(UserWarning, match="every input is linked to all others"):
        weights = LaplacianWeights(99).fit(X)
    assert weights.graph_.nnz == 30 * 29


@pytest.mark.parametrize("normalization", NORMALIZATIONS)
def test_the_scale_of_the_inputs_does_not_matter(normalization):
    small = LaplacianWeights(4, normalization=normalization).fit(X).training_votes()
    large = LaplacianWeights(4, normalization=normalization).fit(X * 2.0**30).training_votes()
    assert_allclose(entries(small), entries(large), atol=1e-12)


def test_graphs_of_a_transformer_are_graphs_of_its_metric():
    graph = KNeighborsTransformer(n_neighbors=8, metric="manhattan").fit_transform(X)
    manhattan = np.abs(X[:, None] - X[None]).sum(axis=-1)
    from_graph = LaplacianWeights(6, metric="precomputed").fit(graph)
    from_all = LaplacianWeights(6, metric="precomputed").fit(manhattan)
    assert_allclose(
        entries(from_graph.training_votes()), entries(from_all.training_votes()), atol=1e-12
    )
    to_rows = np.abs(Q[:, None] - X[None]).sum(axis=-1)
    assert_allclose(
        entries(from_graph.votes(sp.csr_array(to_rows))),
        entries(from_all.votes(to_rows)),
        atol=1e-12,
    )


def test_stored_zeros_join_rows_wherever_they_are_listed():
    # Rows 0 and 2 are one input; only row 2 lists row 1, only row 0 lists row 3.
    rows, columns = np.array([0, 2, 2, 0, 1, 3]), np.array([2, 0, 1, 3, 3, 1])
    data = np.array([0.0, 0.0, 1.0, 2.0, 5.0, 5.0])
    graph = sp.csr_array((data, (rows, columns)), shape=(4, 4))
    weights = LaplacianWeights(metric="precomputed", affinity="binary").fit(graph)
    assert weights.node_.tolist() == [0, 1, 0, 2]
    assert (weights.graph_.toarray() > 0).tolist() == [
        [False, True, True],
        [True, False, True],
        [True, True, False],
    ]
    query = sp.csr_array((np.array([3.0, 0.0]), (np.array([0, 0]), np.array([1, 2]))), shape=(1, 4))
    assert_array_equal(entries(weights.votes(query))[0], entries(weights.training_votes())[0])


def test_estimated_own_votes_are_close():
    rows = np.random.default_rng(0).normal(size=(300, 5))
    exact = entries(LaplacianWeights(5).fit(rows).leave_one_out_votes())
    votes = LaplacianWeights(5, own_votes="estimated").fit(rows).leave_one_out_votes()
    found = entries(votes)
    left = found.diagonal()
    assert 0.0 < np.sqrt(np.mean(left**2)) < 0.02
    assert_allclose(found - np.diag(left), exact, atol=0.02)
    assert_allclose(votes.rows(0, 300), found, atol=1e-11)
    assert_allclose(votes.diagonal(), left, atol=1e-11)


def test_own_votes_of_many_rows_are_estimated(monkeypatch):
    monkeypatch.setattr("disambig.weights.graphs.laplacian._MAX_EXACT_INPUTS", 20)
    weights = LaplacianWeights(4, solver="iterative").fit(X)
    with pytest.warns(UserWarning, match="of 30 rows subtract an estimate .* standard error"):
        weights.leave_one_out_votes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weights.set_params(own_votes="exact").leave_one_out_votes()
        LaplacianWeights(4, solver="direct").fit(X).leave_one_out_votes()


def few_labels(y, count, seed):
    rng = np.random.default_rng(seed)
    known = np.full(y.size, -1)
    for label in np.unique(y):
        known[rng.choice(np.flatnonzero(y == label), count, replace=False)] = label
    return known


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(n_class=4, return_X_y=True)
    return X[:300], y[:300]


def test_spreading_is_that_of_scikit_learn(digits):
    X, y = digits
    known = few_labels(y, 3, 0)
    graph = LaplacianWeights(7, smoothing=4.0, normalization="symmetric", affinity="binary").fit(X)
    dense = np.zeros((300, 300))
    dense[np.ix_(graph.node_, graph.node_)] = graph.graph_.toarray()
    theirs = LabelSpreading(kernel=lambda *_: dense, alpha=0.8, max_iter=5000, tol=1e-12)
    theirs.fit(X, known)
    targets = np.eye(4)[known] * (known >= 0)[:, None]
    scores = graph.training_votes() @ targets
    assert_allclose(
        scores / scores.sum(axis=1, keepdims=True), theirs.label_distributions_, atol=1e-9
    )


def test_the_limit_is_poisson_learning_up_to_constants(digits):
    X, y = digits
    known = few_labels(y, 2, 1)
    weights = LaplacianWeights(10, smoothing=1e9).fit(X)
    assert weights.components_.max() == 0
    assert np.unique(weights.node_).size == 300
    informed = known >= 0
    targets = np.eye(4)[known] * informed[:, None]
    scores = 1e9 * (weights.training_votes() @ (targets - 0.25 * informed[:, None]))
    poisson = PoissonWeights(10).fit_informed(X, informed=informed).training_votes() @ targets
    apart = scores - poisson
    size = np.abs(poisson).max()
    assert_allclose(apart, np.tile(apart.mean(axis=0), (300, 1)), atol=1e-3 * size)
    # The constants differ between classes, so predictions differ: it is another method.
    assert np.ptp(apart.mean(axis=0)) > 0.01 * size


def test_few_labels_serve_many_rows(digits):
    X, y = digits
    known = few_labels(y, 1, 0)
    for method in ("average", "disambiguation"):
        model = PartialLabelClassifier(LaplacianWeights(), method=method, unlabeled=-1)
        assert np.mean(model.fit(X, known).labels_ == y) > 0.95


def test_parts_without_a_label_are_not_guessed():
    rows = np.concatenate([RNG.normal(size=(20, 2)), RNG.normal(size=(20, 2)) + 50.0])
    known = np.full(40, -1)
    known[:2] = 0, 1
    model = PartialLabelClassifier(LaplacianWeights(4), unlabeled=-1).fit(rows, known)
    assert np.unique(model.weights_.components_).size == 2
    assert model.decided_[:20].all()
    assert not model.decided_[20:].any()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be an integer >= 1; got 0"),
        ({"smoothing": 0.0}, "smoothing must be a finite number > 0; got 0.0"),
        ({"smoothing": np.nan}, "smoothing must be a finite number > 0; got nan"),
        ({"normalization": True}, "normalization must be one of 'none', 'symmetric'"),
        ({"affinity": "cosine"}, "affinity must be one of 'gaussian', 'binary'; got 'cosine'"),
        ({"bandwidth": "median"}, "bandwidth must be a finite number > 0.*Or use 'local'"),
        ({"bandwidth": 0.0}, "bandwidth must be a finite number > 0; got 0.0"),
        ({"affinity": "binary", "bandwidth": 2.0}, "affinity='binary' has no bandwidth; got 2.0"),
        ({"metric": "cosine"}, "metric must be one of 'euclidean', 'precomputed' .* got 'cosine'"),
        ({"solver": "lu"}, "solver must be one of 'auto', 'direct', 'iterative'; got 'lu'"),
        ({"own_votes": 64}, "own_votes must be one of 'auto', 'exact', 'estimated'; got 64"),
        ({"leave_one_out": 1}, "leave_one_out must be True or False; got 1"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=f"LaplacianWeights: {message}"):
        LaplacianWeights(**parameters).fit(X)


@pytest.mark.parametrize("weighting", [LaplacianWeights, PoissonWeights])
@pytest.mark.parametrize("wrap", [np.array, sp.csr_array])
def test_similarities_are_no_distances(weighting, wrap):
    similarities = np.exp(-distances_between(X, X))
    message = f"{weighting.__name__}: .* row 0 is at distance 1 from itself; expected 0"
    with pytest.raises(VotesError, match=message):
        weighting(3, metric="precomputed").fit(wrap(similarities))
    # A diagonal of the size of rounding errors is accepted.
    distances = distances_between(X, X)
    distances[2, 2] = 1e-9
    weighting(3, metric="precomputed").fit(wrap(distances))


def test_bad_distances():
    weights = LaplacianWeights(3, metric="precomputed")
    with pytest.raises(VotesError, match="as many columns as rows"):
        weights.fit(X)
    distances = distances_between(X, X)
    distances[3, 4] = -1.0
    with pytest.raises(VotesError, match=r"must not be negative; the smallest is -1"):
        weights.fit(distances)
    weights.fit(distances_between(X, X))
    with pytest.raises(VotesError, match=r"must not be negative"):
        weights.votes(-distances_between(Q, X))
    with pytest.raises(VotesError, match=r"PoissonWeights: .*must not be negative"):
        PoissonWeights(3, metric="precomputed").fit(-distances_between(X, X))


def test_new_inputs_use_the_graph_of_the_fit():
    weights = LaplacianWeights(5).fit(X)
    before = entries(weights.votes(Q))
    assert_array_equal(entries(weights.set_params(normalization="symmetric").votes(Q)), before)
    assert np.abs(entries(weights.fit(X).votes(Q)) - before).max() > 1e-3
