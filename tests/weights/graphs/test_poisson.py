"""Poisson learning against dense pseudo-inverses."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits

from disambig import LabelSets, PartialLabelClassifier, disambiguate
from disambig.exceptions import MemoryBudgetError, NoInformationError
from disambig.votes.dense import DenseVotes
from disambig.votes.sparse import SparseVotes
from disambig.weights import InformedWeights, LaplacianWeights, PoissonWeights, Weights
from disambig.weights.graphs.potentials import potentials

SOLVERS = ("direct", "iterative")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Q = RNG.normal(size=(6, 2))
INFORMED = np.zeros(40, dtype=bool)
INFORMED[[1, 4, 5, 11, 20, 33, 39]] = True


def entries(votes):
    return votes @ np.eye(votes.shape[1])


def rows_of(*indices, n=40):
    mask = np.zeros(n, dtype=bool)
    mask[list(indices)] = True
    return mask


def poisson_learning(weights, targets, informed):
    """The formulas of Calder et al. (2020) on a connected graph without equal rows."""
    graph = weights.links_.graph.toarray()
    graph *= weights.sample_weight_.sum() / graph.sum()
    degrees = graph.sum(axis=1)
    sample_weight = weights.sample_weight_ * informed
    mean = sample_weight @ targets / sample_weight.sum()
    source = sample_weight[:, None] * (targets - mean)
    u = np.linalg.pinv(np.diag(degrees) - graph) @ source
    return u - degrees @ u / degrees.sum()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_poisson_learning_for_any_counts_of_labels(solver, weighted):
    sample_weight = RNG.integers(1, 4, 40).astype(float) if weighted else np.ones(40)
    weights = PoissonWeights(6, solver=solver).fit_informed(X, sample_weight, INFORMED)
    assert weights.components_.max() == 0
    # Five labels of the first class, one of each other.
    targets = np.zeros((40, 3))
    targets[INFORMED, [0, 0, 1, 0, 2, 0, 0]] = 1.0
    expected = poisson_learning(weights, targets, INFORMED)
    assert_allclose(weights.training_votes() @ targets, expected, atol=1e-10)


@pytest.mark.parametrize("solver", SOLVERS)
def test_potentials(solver):
    graph = np.triu(RNG.random((12, 12)) < 0.4, k=1) * RNG.random((12, 12))
    graph[np.arange(11), np.arange(1, 12)] = 0.5
    graph[8:, :8] = graph[:8, 8:] = 0.0
    graph[11] = graph[:, 11] = 0.0
    graph += graph.T
    parts = np.repeat([0, 1, 2], [8, 3, 1])
    laplacian = np.diag(graph.sum(axis=1)) - graph
    sources = np.array([3, 9, 11])
    found = potentials(sp.csr_array(graph), parts, sources, solver)
    for column, source in enumerate(sources):
        inside = parts == parts[source]
        degrees = np.where(inside, graph.sum(axis=1), 0.0)
        shares = degrees / degrees.sum() if degrees.any() else inside * 1.0
        assert_allclose(laplacian @ found[:, column], np.eye(12)[source] - shares, atol=1e-11)
        assert_allclose(shares @ found[:, column], 0.0, atol=1e-12)
        assert_array_equal(found[~inside, column], 0.0)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_long_chain(solver):
    # The worst graph for iteration: the potential falls by the same amount along each link.
    n = 300
    links = np.ones(n - 1)
    chain = sp.csr_array(sp.diags([links, links], offsets=[-1, 1], format="csr"))
    ends = np.array([0, n - 1])
    found = potentials(sp.csr_array(chain), np.zeros(n, dtype=int), ends, solver)
    assert_allclose(np.diff(found[:, 0] - found[:, 1]), -1.0, atol=1e-7)


def test_only_informed_rows_vote_and_rows_sum_to_zero():
    weights = PoissonWeights(6).fit_informed(X, informed=INFORMED)
    assert isinstance(weights, InformedWeights)
    for votes in (weights.training_votes(), weights.leave_one_out_votes(), weights.votes(Q)):
        assert isinstance(votes, SparseVotes)
        alpha = entries(votes)
        assert_array_equal(alpha[:, ~INFORMED], 0.0)
        assert (np.abs(alpha[:, INFORMED]).max(axis=0) > 0).all()
        assert_allclose(alpha.sum(axis=1), 0.0, atol=1e-12)
    everyone = PoissonWeights(6).fit(X)
    assert isinstance(everyone.training_votes(), DenseVotes)
    assert_allclose(everyone.training_votes().row_sums(), 0.0, atol=1e-11)


def test_new_inputs_average_their_neighbours():
    weights = PoissonWeights(3, affinity="binary").fit_informed(X, informed=INFORMED)
    nearest = np.argsort(((Q[:, None] - X) ** 2).sum(axis=-1), axis=1)[:, :3]
    expected = entries(weights.training_votes())[nearest].mean(axis=1)
    assert_allclose(entries(weights.votes(Q)), expected, atol=1e-12)
    at_rows = entries(weights.votes(X))
    assert_allclose(at_rows, entries(weights.training_votes()), atol=1e-12)


@pytest.mark.parametrize("several", [False, True])
def test_leave_one_out_is_a_row_that_is_not_informed(several):
    rows = X.copy()
    rows[5] = rows[4]
    if several:
        rows[20:] += 50.0
    weights = PoissonWeights(5)
    found = entries(weights.fit_informed(rows, informed=INFORMED).leave_one_out_votes())
    assert np.unique(weights.components_).size == 1 + several
    for i in np.flatnonzero(INFORMED):
        without = INFORMED.copy()
        without[i] = False
        expected = entries(weights.fit_informed(rows, informed=without).training_votes())
        assert_allclose(found[i], expected[i], atol=1e-11)
    rest = ~INFORMED
    every = entries(weights.fit_informed(rows, informed=INFORMED).training_votes())
    assert_array_equal(found[rest], every[rest])


def test_parts_are_problems_of_their_own():
    rows = X.copy()
    rows[20:] += 50.0
    weights = PoissonWeights(4).fit_informed(rows, informed=rows_of(0, 3, 7, 22, 31))
    assert np.unique(weights.components_).size == 2
    alpha = entries(weights.training_votes())
    assert_array_equal(alpha[:20, 20:], 0.0)
    assert_array_equal(alpha[20:, :20], 0.0)
    alone = PoissonWeights(4).fit_informed(rows[:20], informed=rows_of(0, 3, 7, n=20))
    graph = weights.links_.graph.toarray()
    # The whole graph, not each part, is scaled to mean degree one; parts add a constant.
    scale = graph[:20].sum() / 20 / (graph.sum() / 40)
    targets = RNG.normal(size=20)
    targets -= targets[[0, 3, 7]].mean()
    assert_allclose(alpha[:20, :20] @ targets * scale, alone.training_votes() @ targets, atol=1e-11)


def test_a_part_with_labels_of_one_class_has_that_class():
    rows = np.concatenate([X[:20], X[20:] + 50.0, [[200.0, 0.0]]])
    known = np.full(41, -1)
    known[[0, 3, 25, 40]] = 0, 1, 2, 1
    distances = np.sqrt(((rows[:, None] - rows) ** 2).sum(axis=-1))
    # The last row lists no neighbour.
    listed = np.nonzero(distances <= 30.0)
    # By entries, so that the zeros of the diagonal are stored.
    graph = sp.csr_array((distances[listed], listed), shape=distances.shape)
    weights = PoissonWeights(5, metric="precomputed")
    model = PartialLabelClassifier(weights, method="average", unlabeled=-1).fit(graph, known)
    assert_array_equal(model.labels_[20:40], 2)
    assert model.labels_[40] == 1
    assert model.decided_.all()
    assert set(model.labels_[:20]) == {0, 1}


def test_parts_without_a_label_are_reported_and_not_guessed():
    rows = np.concatenate([X[:15], X[15:30] + 50.0, X[30:] + 100.0])
    known = np.full(40, -1)
    known[[0, 3]] = 0, 1
    model = PartialLabelClassifier(PoissonWeights(4), method="average", unlabeled=-1)
    message = r"25 of 40 rows lie in parts .* without an informed row \(2 such parts\)"
    with pytest.warns(UserWarning, match=message):
        model.fit(rows, known)
    assert model.decided_[:15].all()
    assert not model.decided_[15:].any()
    assert_array_equal(model.is_reached(rows), np.arange(40) < 15)
    model.set_params(method="disambiguation").fit(rows, known)
    assert model.decided_[:15].all()
    assert not model.decided_[15:].any()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("gap", [4.0, 7.0, 10.0])
def test_negligible_links_are_removed(solver, gap):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 2))
    rows[30:, 0] += 2 * gap
    known = np.full(60, -1)
    known[[0, 1, 2, 30, 31]] = 0, 0, 1, 2, 1
    weights = PoissonWeights(35, bandwidth=1.0, solver=solver)
    model = PartialLabelClassifier(weights, method="average", unlabeled=-1).fit(rows, known)
    assert np.abs(model.weights_.table_).max() < 1e6
    assert set(model.labels_[:30]) == {0, 1}
    assert set(model.labels_[30:]) == {1, 2}
    assert model.decided_.all()


def test_no_links():
    rows = np.arange(4.0)[:, None] * 1e3
    weights = PoissonWeights(2, bandwidth=1.0).fit(rows)
    assert_allclose(entries(weights.training_votes()), 0.01 * np.eye(4))
    assert_array_equal(entries(weights.leave_one_out_votes()), np.zeros((4, 4)))


def test_constant_inputs():
    with pytest.warns(UserWarning, match=r"n_neighbors=10 is more than .* \(1 distinct inputs"):
        weights = PoissonWeights().fit(np.ones((6, 2)))
    # One node: nothing can flow.
    assert_array_equal(entries(weights.training_votes()), np.zeros((6, 6)))


def test_the_scale_of_the_inputs_does_not_matter():
    small = PoissonWeights(4).fit(X).training_votes()
    large = PoissonWeights(4).fit(X * 2.0**30).training_votes()
    assert_allclose(entries(small), entries(large), atol=1e-11)


@pytest.fixture(scope="module")
def digits():
    inputs, y = load_digits(n_class=4, return_X_y=True)
    return inputs[:300], y[:300]


def test_the_classifier_learns_as_poisson_learning_does(digits):
    inputs, y = digits
    inputs = inputs + 1e-9 * np.random.default_rng(0).normal(size=inputs.shape)
    known = np.full(300, -1)
    # Unequal counts: the constant that centring subtracts differs between classes.
    for label, count in enumerate((1, 2, 4, 1)):
        rows = np.flatnonzero(y == label)[:count]
        known[rows] = label
    model = PartialLabelClassifier(PoissonWeights(), method="average", unlabeled=-1)
    model.fit(inputs, known)
    targets = np.eye(4)[known] * (known >= 0)[:, None]
    scores = poisson_learning(model.weights_, targets, known >= 0)
    unlabelled = known < 0
    assert_array_equal(model.labels_[unlabelled], scores.argmax(axis=1)[unlabelled])
    assert np.mean(model.labels_ == y) > 0.9
    assert_array_equal(model.predict(inputs)[unlabelled], model.labels_[unlabelled])
    found = disambiguate(inputs, known, weights=PoissonWeights(), method="average", unlabeled=-1)
    assert_array_equal(found.labels_, model.labels_)


def test_sets_that_exclude_something_inform(digits):
    inputs, y = digits
    mask = np.ones((300, 4), dtype=bool)
    others = np.random.default_rng(0).integers(1, 4, 40)
    mask[:40] = np.eye(4, dtype=bool)[y[:40]] | np.eye(4, dtype=bool)[(y[:40] + others) % 4]
    model = PartialLabelClassifier(PoissonWeights(), method="average")
    model.fit(inputs, LabelSets(mask, np.arange(4)))
    assert_array_equal(model.weights_.informed_, np.arange(40))
    assert np.mean(model.labels_ == y) > 0.9


def test_only_informed_rows_vote_unless_targets_are_recovered(digits):
    inputs, y = digits
    known = np.where(np.arange(300) < 30, y, -1)
    for method, count in (("average", 30), ("infimum", 30), ("disambiguation", 300)):
        model = PartialLabelClassifier(PoissonWeights(), method=method, unlabeled=-1)
        model.fit(inputs, known)
        assert model.weights_.informed_.size == count
        assert np.mean(model.labels_ == y) > 0.9
    with pytest.raises(NoInformationError, match="nothing to learn from"):
        model.set_params(method="average", classes=range(4)).fit(inputs, np.full(300, -1))


def test_rows_of_weight_zero_take_no_part(digits):
    inputs, y = digits
    known = np.where(np.arange(300) < 20, y, -1)
    weight = np.where(np.arange(300) % 3 == 1, 0.0, 1.0)
    kept = weight > 0
    model = PartialLabelClassifier(PoissonWeights(), method="average", unlabeled=-1)
    all_rows = model.fit(inputs, known, sample_weight=weight).labels_
    without = model.fit(inputs[kept], known[kept])
    assert_array_equal(all_rows[kept], without.labels_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be an integer >= 1; got 0"),
        ({"affinity": "cosine"}, "affinity must be one of 'gaussian', 'binary'; got 'cosine'"),
        ({"bandwidth": 0.0}, "bandwidth must be a finite number > 0; got 0.0"),
        ({"affinity": "binary", "bandwidth": 2.0}, "affinity='binary' has no bandwidth; got 2.0"),
        ({"metric": "cosine"}, "metric must be one of 'euclidean', 'precomputed' .* got 'cosine'"),
        ({"solver": "lu"}, "solver must be one of 'auto', 'direct', 'iterative'; got 'lu'"),
        ({"leave_one_out": 1}, "leave_one_out must be True or False; got 1"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=f"PoissonWeights: {message}"):
        PoissonWeights(**parameters).fit(X)


@pytest.mark.parametrize(
    ("informed", "message"),
    [
        (
            np.ones(39, dtype=bool),
            r"informed must be 40 booleans, one for each row; got shape \(39,\)",
        ),
        (np.ones(40), r"got shape \(40,\) of float64"),
        (np.zeros(40, dtype=bool), "none of the 40 rows is informed"),
    ],
)
def test_bad_informed_rows(informed, message):
    with pytest.raises(ValueError, match=f"PoissonWeights: .*{message}"):
        PoissonWeights().fit_informed(X, informed=informed)


def test_too_many_informed_rows_for_memory(monkeypatch):
    monkeypatch.setattr("disambig.memory.free_bytes", lambda: 20_000)
    with pytest.raises(MemoryBudgetError, match=r"potentials of 40 informed .*LaplacianWeights"):
        PoissonWeights(4, solver="iterative").fit(X)


def test_it_is_a_plain_weighting_too():
    assert isinstance(PoissonWeights(), Weights)


@pytest.mark.parametrize("kind", [PoissonWeights, LaplacianWeights])
@pytest.mark.parametrize("metric", [np.zeros(0), np.array(["precomputed", "x"]), None])
def test_metrics_that_are_no_name(kind, metric):
    # The tags are read before the parameters are checked.
    with pytest.raises(ValueError, match="metric must be one of"):
        PartialLabelClassifier(kind(metric=metric)).fit(np.arange(4.0)[:, None], list("abab"))


def test_constants_are_added_in_the_whole_part_of_a_row():
    weights = PoissonWeights(6).fit_informed(X, informed=INFORMED)
    constants = np.where(INFORMED, np.arange(40.0), 0.0)
    shifted = weights.with_constants(constants)
    assert weights.components_.max() == 0
    for queries in (X, Q):
        expected = entries(weights.votes(queries)) + constants
        assert_allclose(entries(shifted.votes(queries)), expected, atol=1e-10)
    again = shifted.with_constants(np.zeros(40))
    assert_allclose(again.table_, weights.table_, atol=1e-10)
    # Without a row its constant is missing, too, and the others stay.
    fewer = INFORMED & (np.arange(40) != 4)
    expected = entries(weights.at_informed(fewer).training_votes()) + constants * fewer
    assert_allclose(entries(shifted.at_informed(fewer).training_votes()), expected, atol=1e-10)
    expected = entries(weights.leave_one_out_votes()) + constants * ~np.eye(40, dtype=bool)
    assert_allclose(entries(shifted.leave_one_out_votes()), expected, atol=1e-10)


def test_constants_stay_inside_a_part():
    apart = np.concatenate([X[:20], X[20:] + 100.0])
    weights = PoissonWeights(3).fit_informed(apart, informed=INFORMED)
    constants = INFORMED.astype(float)
    change = entries(weights.with_constants(constants).training_votes()) - entries(
        weights.training_votes()
    )
    same = weights.components_[:, None] == weights.components_
    assert_allclose(change, same * constants, atol=1e-10)
    assert not same.all()
