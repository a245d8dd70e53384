"""Quadratic forms of low-rank votes, which stay products of factors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.base import clone

from disambig import IntervalRegressor, quadratic_forms
from disambig.exceptions import MissingOracleError
from disambig.quadratic_forms import OperatorForm, ProductForm, residual_form, voted_form
from disambig.votes.dense import DenseVotes
from disambig.votes.product import ProductVotes
from disambig.weights import FittedWeights, KernelRidgeWeights, NystromWeights, RandomFeatureWeights

seeds = st.integers(0, 10**6)


@pytest.fixture
def no_dense_forms(monkeypatch):
    monkeypatch.setattr(quadratic_forms, "_MAX_DENSE_ROWS", 0)


@given(seed=seeds, n=st.integers(4, 9), positive=st.booleans())
def test_low_rank_votes_give_the_same_form_as_products(seed, n, positive):
    rng = np.random.default_rng(seed)
    left, right = rng.normal(size=(n, 2)), rng.normal(size=(2, n))
    if positive:
        left, right = np.abs(left), np.abs(right)
    left[:, 0], right[0] = 3.0, 1.0
    votes = ProductVotes(left, right, rng.uniform(0.5, 2.0, size=2))
    dense = voted_form(DenseVotes(votes.rows(0, n)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quadratic_forms, "_MAX_DENSE_ROWS", 0)
        found = voted_form(votes)
    if dense is None:
        assert found is None
        return
    assert isinstance(found, ProductForm)
    assert found.array is None
    assert found.shape == (n, n)
    size = np.abs(dense.array).max()
    assert_allclose(found @ np.eye(n), dense.array, atol=1e-12 * size)
    assert_allclose(found @ np.eye(n)[0], dense.array[0], atol=1e-12 * size)
    eigenvalues = np.linalg.eigvalsh(dense.array)
    if abs(eigenvalues[0]) < 1e-13 * size or eigenvalues[0] < -1e-7 * size:
        assert found.is_convex == dense.is_convex
        assert_allclose(found.diagonal(), dense.diagonal(), atol=1e-12 * size)
    assert (found.components == 0).all()


@pytest.mark.usefixtures("no_dense_forms")
def test_full_rank_own_votes_or_negative_scales_give_a_dense_form():
    rng = np.random.default_rng(0)
    full_rank = ProductVotes(rng.uniform(size=(5, 4)), rng.uniform(size=(4, 5)))
    with_own_votes = ProductVotes(np.ones((5, 1)), np.ones((1, 5)), own=np.full(5, 0.5))
    for votes in (full_rank, with_own_votes):
        assert voted_form(votes).array is not None
    negative = ProductVotes(np.ones((5, 1)), -np.ones((1, 5)), np.array([-1.0]))
    assert voted_form(negative).array is not None


@given(seed=seeds, intercept=st.booleans())
def test_residual_form_of_the_empirical_risk(seed, intercept):
    rng = np.random.default_rng(seed)
    X, sample_weight = rng.normal(size=(9, 2)), rng.integers(1, 4, 9).astype(float)
    weights = NystromWeights(n_landmarks=4, regularization=0.1, intercept=intercept)
    form = weights.fit(X, sample_weight).residual_form()
    dense = residual_form(form, shift_invariant=intercept)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quadratic_forms, "_MAX_DENSE_ROWS", 0)
        found = residual_form(form, shift_invariant=intercept)
    assert isinstance(found, OperatorForm)
    assert_allclose(found @ np.eye(9), dense.array, atol=1e-13)
    assert_allclose(found.diagonal(), dense.diagonal(), atol=1e-13)
    assert np.linalg.eigvalsh(dense.array)[0] > -1e-13
    # The form is the squared error plus the penalty, and the penalty is not negative.
    y = rng.normal(size=9)
    f = weights.training_votes() @ y
    fitted = float(sample_weight @ (y - f) ** 2)
    penalty = float(y @ (found @ y)) - fitted
    assert penalty >= -1e-12
    if intercept:
        assert_allclose(found @ np.ones(9), 0.0, atol=1e-13)


def intervals(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)
    ends = y[:, None] + rng.exponential(size=(n, 2)) * [-0.5, 0.5]
    ends[rng.random(n) < 0.2, 1] = np.inf
    return X, ends


WEIGHTINGS = {
    "landmarks": NystromWeights(n_landmarks=15, intercept=True),
    "landmarks, small ridge": NystromWeights(
        n_landmarks=15, intercept=True, regularization=1e-7, bandwidth=1.0
    ),
    "landmarks, no intercept": NystromWeights(n_landmarks=15, regularization=1e-2),
    "features": RandomFeatureWeights(n_features=16, intercept=True),
}


@pytest.mark.parametrize("name", WEIGHTINGS)
@pytest.mark.parametrize("formulation", ["risk", "votes"])
@pytest.mark.parametrize("weighted", [False, True])
def test_interval_regression_with_products_equals_that_with_dense_forms(
    name, formulation, weighted, monkeypatch
):
    X, y = intervals(60)
    sample_weight = np.random.default_rng(1).integers(1, 4, 60) if weighted else None
    dense = IntervalRegressor(WEIGHTINGS[name], formulation=formulation).fit(X, y, sample_weight)
    monkeypatch.setattr(quadratic_forms, "_MAX_DENSE_ROWS", 0)
    model = IntervalRegressor(WEIGHTINGS[name], formulation=formulation).fit(X, y, sample_weight)
    assert model.is_convex_ == dense.is_convex_
    if not dense.is_convex_:
        assert name == "landmarks, no intercept"
        return
    assert model.certified_
    assert dense.certified_
    assert model.objective_ == pytest.approx(dense.objective_, rel=1e-7)
    assert_allclose(model.predict(X), dense.predict(X), atol=1e-3)


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_fitted_weights_are_used_as_they_are(name):
    X, y = intervals(30)
    other = clone(WEIGHTINGS[name]).fit(X).at_regularization(0.03)
    model = IntervalRegressor(FittedWeights(other), formulation="risk").fit(X, y)
    again = IntervalRegressor(clone(other), formulation="risk").fit(X, y)
    assert model.certified_
    assert_allclose(model.labels_, again.labels_, atol=1e-6)


@pytest.mark.usefixtures("no_dense_forms")
def test_newton_needs_a_dense_form():
    X, y = intervals(40)
    with pytest.raises(
        MissingOracleError, match=r"too large for a dense array.* solver='accelerated'"
    ):
        IntervalRegressor(WEIGHTINGS["landmarks"], solver="newton").fit(X, y)


@pytest.mark.usefixtures("no_dense_forms")
@pytest.mark.parametrize("formulation", ["risk", "votes"])
def test_interval_regression_with_iterative_weights(formulation):
    X, y = intervals(25)
    direct = NystromWeights(n_landmarks=10, intercept=True, solver="direct")
    kept = IntervalRegressor(direct, formulation=formulation).fit(X, y)
    iterative = NystromWeights(n_landmarks=10, intercept=True, solver="iterative")
    model = IntervalRegressor(iterative, formulation=formulation).fit(X, y)
    # Iterative votes are an operator: convexity of the paper's objective cannot be checked.
    assert model.certified_ == (formulation == "risk")
    assert_allclose(model.predict(X), kept.predict(X), atol=1e-2)


@pytest.mark.parametrize("method", ["infimum", "average"])
@pytest.mark.parametrize("solver", ["direct", "iterative"])
def test_baselines_equal_those_of_kernel_ridge(method, solver):
    X, y = intervals(40)
    y[3] = -np.inf, np.inf
    low = NystromWeights(n_landmarks=40, bandwidth=1.0, solver=solver)
    full = KernelRidgeWeights(bandwidth=1.0)
    one, other = (IntervalRegressor(w, method=method).fit(X, y) for w in (low, full))
    assert_allclose(one.predict(X), other.predict(X), atol=1e-5)
    assert_allclose(one.labels_, other.labels_, atol=1e-5)


def test_infimum_predictions_in_blocks(monkeypatch):
    X, y = intervals(40)
    model = IntervalRegressor(NystromWeights(n_landmarks=10), method="infimum").fit(X, y)
    whole = model.predict(X)
    block_sizes = []
    original = ProductVotes.rows

    def rows(votes, start, stop):
        block_sizes.append(stop - start)
        return original(votes, start, stop)

    monkeypatch.setattr(ProductVotes, "rows", rows)
    monkeypatch.setattr("disambig.votes.blocks.row_blocks.__defaults__", (120,))
    assert_allclose(model.predict(X), whole, atol=1e-12)
    assert max(block_sizes) == 3


def test_boxes_with_uninformative_columns(monkeypatch):
    X, y = intervals(40)
    boxes = np.stack([y, y + 1.0], axis=1)
    boxes[::3, 1] = -np.inf, np.inf
    weights = NystromWeights(n_landmarks=10, intercept=True)
    dense = IntervalRegressor(weights, method="average").fit(X, boxes).predict(X)
    monkeypatch.setattr(quadratic_forms, "_MAX_DENSE_ROWS", 0)
    found = IntervalRegressor(weights, method="average").fit(X, boxes).predict(X)
    assert_allclose(found, dense, atol=1e-5)
