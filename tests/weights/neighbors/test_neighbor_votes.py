"""Weights of the votes of neighbours, their number, and that they are searched once."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.neighbors import KNeighborsRegressor

from disambig.weights import NeighborWeights
from disambig.weights.neighbors import neighbors as neighbors_module


def dense(votes):
    return votes.matrix.toarray()


def grid(seed, n, d=2, size=5):
    return np.random.default_rng(seed).integers(0, size, (n, d)).astype(float)


def by_definition(distances, wanted, sample_weight, weigh, *, leave_one_out=False):
    """Sort, take until the weight suffices, weigh by distance, scale: row by row."""
    alpha = np.zeros(distances.shape)
    for i, row in enumerate(distances):
        left = wanted[i]
        for j in sorted(range(row.size), key=lambda j, row=row: (row[j], j)):
            if not (leave_one_out and i == j) and left > 1e-9 * wanted[i]:
                alpha[i, j] = min(sample_weight[j], left)
                left -= alpha[i, j]
        taken = alpha[i] > 0
        alpha[i, taken] *= weigh(row[taken])
        alpha[i] /= alpha[i].sum() or 1.0
    return alpha


def inverse(distances):
    return (distances == 0).astype(float) if (distances == 0).any() else 1.0 / distances


def bell(distances):
    reach = distances.max(initial=0.0)
    return np.exp(-4.0 * (distances / reach) ** 2) if reach > 0 else np.ones_like(distances)


def exponential(distances):
    return np.exp(-distances)


WEIGH = {"distance": inverse, "gaussian": bell, "callable": exponential}


@given(
    seed=st.integers(0, 10_000),
    name=st.sampled_from(sorted(WEIGH)),
    k=st.integers(1, 8),
    form=st.sampled_from(["dense", "sparse", "distances", "manhattan"]),
)
def test_votes_by_distance(seed, name, k, form):
    X = grid(seed, 40, d=3)
    sample_weight = np.random.default_rng(seed).integers(1, 4, 40).astype(float)
    differences = np.abs(X[:, None] - X[None])
    distances = np.sqrt((differences**2).sum(axis=-1))
    metric = {"distances": "precomputed", "manhattan": "manhattan"}.get(form, "euclidean")
    if form == "manhattan":
        distances = differences.sum(axis=-1)
    given_form = {"sparse": sp.csr_array(X), "distances": distances}.get(form, X)
    vote = exponential if name == "callable" else name
    weighting = NeighborWeights(k, vote=vote, metric=metric).fit(given_form, sample_weight)
    wanted = np.full(40, float(k))
    expected = by_definition(distances, wanted, sample_weight, WEIGH[name])
    assert_allclose(dense(weighting.training_votes()), expected, atol=1e-12)
    expected = by_definition(distances, wanted, sample_weight, WEIGH[name], leave_one_out=True)
    assert_allclose(dense(weighting.leave_one_out_votes()), expected, atol=1e-12)


def test_inverse_distances_are_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, Q, y = rng.normal(size=(200, 4)), rng.normal(size=(30, 4)), rng.normal(size=200)
    Q[3] = X[5]
    theirs = KNeighborsRegressor(7, weights="distance").fit(X, y).predict(Q)
    ours = NeighborWeights(7, vote="distance").fit(X).votes(Q) @ y
    assert_allclose(ours, theirs, rtol=1e-12)


def test_squared_distances_are_weighed_squared():
    X = np.array([[0.0], [1.0], [3.0]])
    for metric, expected in (("euclidean", [2 / 3, 1 / 3]), ("sqeuclidean", [0.8, 0.2])):
        weighting = NeighborWeights(2, metric=metric, vote="distance").fit(X[1:])
        distances = np.array([[-1.0]])
        alpha = dense(weighting.votes(distances + 0.0))
        ratio = 2.0 if metric == "euclidean" else 4.0
        assert_allclose(alpha[0, 0] / alpha[0, 1], ratio)
        assert_allclose(alpha, [expected])


def test_tiny_and_huge_distances_make_no_infinity():
    X = np.array([[0.0], [1e-160], [1e36]])
    for vote in ("distance", "gaussian"):
        alpha = dense(NeighborWeights(2, vote=vote, leave_one_out=True).fit(X).training_votes())
        assert np.isfinite(alpha).all()
        assert_allclose(alpha.sum(axis=1), np.ones(3))


def test_a_function_that_returns_zeros():
    weighting = NeighborWeights(3, vote=np.zeros_like).fit(grid(0, 20))
    assert_array_equal(dense(weighting.training_votes()), np.zeros((20, 20)))


@pytest.mark.parametrize(
    ("vote", "message"),
    [
        (lambda d: d[:-1], r"shape that it is given, \(60,\); got shape \(59,\)"),
        (
            lambda d: -d - 1,
            r"finite numbers >= 0; it returned -1.0 at distance 0 \(60 such pairs\)",
        ),
        (lambda d: np.full(d.shape, np.nan), "it returned nan"),
        (lambda d: [None] * d.size, "must return an array of real numbers; got dtype object"),
    ],
)
def test_functions_that_give_no_weights(vote, message):
    weighting = NeighborWeights(3, vote=vote).fit(grid(0, 20))
    with pytest.raises(ValueError, match=message):
        weighting.training_votes()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"vote": "near"}, "vote must be one of 'uniform', 'distance', 'gaussian' or a function"),
        ({"adaptive": 1}, "adaptive must be True or False; got 1"),
        ({"min_recall": 0}, "min_recall must be a finite number > 0 and <= 1; got 0"),
        ({"min_recall": 1.5}, "min_recall must be a finite number > 0 and <= 1; got 1.5"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        NeighborWeights(**parameters).fit(grid(0, 30))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "precomputed"])
def test_one_search_serves_all_votes(monkeypatch, metric):
    X = np.random.default_rng(1).normal(size=(100, 3))
    name = "listed_neighbors" if metric == "precomputed" else "nearest_lists"
    searches, original = [], getattr(neighbors_module, name)

    def counting(*arguments):
        searches.append(arguments)
        return original(*arguments)

    monkeypatch.setattr(neighbors_module, name, counting)
    weighting = NeighborWeights(5, metric=metric)
    weighting.fit(np.linalg.norm(X[:, None] - X[None], axis=-1) if metric == "precomputed" else X)
    weighting.training_votes()
    weighting.leave_one_out_votes()
    weighting.training_votes()
    assert len(searches) == 1
    assert np.diff(weighting.neighbors_.indptr).tolist() == [6] * 100
    # Another fit searches again.
    weighting.fit(weighting.X_fit_)
    assert weighting.neighbors_ is None


def reach_by_definition(distances, k):
    """Distances to the k-th and the (k / 2)-th neighbour, for unit sample weights."""
    ordered = np.sort(distances, axis=1)
    return ordered[:, k - 1], ordered[:, -(-k // 2) - 1]


def test_adaptive_reach():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2)) * np.exp(rng.normal(size=(300, 1)))
    Q = rng.normal(size=(20, 2))
    k = 10
    distances = np.linalg.norm(X[:, None] - X[None], axis=-1)
    far, half = reach_by_definition(distances, k)
    d = np.log(2) / np.median(np.log(far / half))
    weighting = NeighborWeights(k, adaptive=True).fit(X)
    alpha = dense(weighting.training_votes())
    # The median of an even number is the lower one here.
    assert weighting.reach_.dimension == pytest.approx(d, rel=0.02)
    assert 1.0 < weighting.reach_.dimension < 3.0
    radius, d = weighting.reach_.radius, weighting.reach_.dimension
    assert radius == pytest.approx(np.median(far), rel=0.02)

    def wanted(rows, others=None):
        radii = reach_by_definition(rows, k)[0]
        return k * np.clip((radius / radii) ** (4 * d / (d + 4)), 0.5, 2.0)

    ones = np.ones(300)
    expected = by_definition(distances, wanted(distances), ones, np.ones_like)
    assert_allclose(alpha, expected, atol=1e-12)
    away = np.linalg.norm(Q[:, None] - X[None], axis=-1)
    expected = by_definition(away, wanted(away), ones, np.ones_like)
    assert_allclose(dense(weighting.votes(Q)), expected, atol=1e-12)
    others = distances + np.diag(np.full(300, np.inf))
    expected = by_definition(distances, wanted(others), ones, np.ones_like, leave_one_out=True)
    assert_allclose(dense(weighting.leave_one_out_votes()), expected, atol=1e-12)
    counts = (alpha > 0).sum(axis=1)
    assert counts.min() == 5
    assert counts.max() == 20


def test_adaptive_votes_do_not_depend_on_the_unit_of_length():
    X = np.random.default_rng(3).normal(size=(80, 3))
    one, other = NeighborWeights(6, adaptive=True), NeighborWeights(6, adaptive=True)
    assert_allclose(
        dense(one.fit(X).training_votes()), dense(other.fit(1024.0 * X).training_votes()), atol=1e-9
    )


@pytest.mark.parametrize("vote", ["uniform", "distance", "gaussian"])
def test_equal_rows(vote):
    X = np.ones((60, 7))
    weighting = NeighborWeights(4, vote=vote, adaptive=True).fit(X)
    first = np.tile(np.arange(60) < 4, (60, 1)) / 4
    assert_allclose(dense(weighting.training_votes()), first)
    # A query elsewhere has the fewest neighbours.
    assert_allclose(dense(weighting.votes(np.zeros((1, 7))))[0, :3], [0.5, 0.5, 0.0])


def test_a_short_graph_warns_with_adaptive_reach_too():
    graph = sp.csr_array(np.array([[0.0, 1.0, 1.0], [3.0, 0.0, 3.0], [3.0, 3.0, 0.0]]))
    weighting = NeighborWeights(2, metric="precomputed", adaptive=True).fit(graph)
    with pytest.warns(
        UserWarning, match=r"^NeighborWeights: 1 rows .* n_neighbors=2, up to 4 since"
    ):
        alpha = dense(weighting.training_votes())
    assert_allclose(alpha.sum(axis=1), np.ones(3))


def test_parameters_changed_after_fit_take_effect_at_the_next_fit():
    X = grid(1, 30)
    weighting = NeighborWeights(3).fit(X)
    before = dense(weighting.training_votes())
    weighting.set_params(n_neighbors=9)
    assert_array_equal(dense(weighting.training_votes()), before)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ((dense(weighting.fit(X).training_votes()) > 0).sum(axis=1) == 9).all()


@pytest.mark.parametrize(
    ("change", "vote"), [({"adaptive": True}, "uniform"), ({"metric": "manhattan"}, "gaussian")]
)
def test_lists_stay_those_of_the_fit(change, vote):
    X = np.random.default_rng(0).normal(size=(30, 2))
    weighting = NeighborWeights(4, vote=vote).fit(X)
    before = dense(weighting.training_votes())
    weighting.set_params(**change)
    assert_array_equal(dense(weighting.training_votes()), before)
    changed = dense(clone(weighting).fit(X).training_votes())
    assert np.abs(changed - before).max() > 0.01
