"""Inputs and sample weights of extreme size, and sparse inputs with large indices."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from disambig import (
    DisambiguatedClassifier,
    DisambiguatedRegressor,
    IntervalRegressor,
    PartialLabelClassifier,
    PartialRanker,
    disambiguate,
)
from disambig.candidates import PartialOrders
from disambig.weights import KernelRidgeWeights, NeighborWeights
from tests.estimators.small_search import small_search

RNG = np.random.default_rng(0)
N = 60
X = RNG.normal(size=(N, 3))
TRUTH = (X[:, 0] > 0).astype(int)
MASK = (TRUTH[:, None] == np.arange(2)) | (RNG.random((N, 2)) < 0.2)
INTERVALS = np.column_stack([X[:, 0] - 1.0, X[:, 0] + 1.0])
ORDERS = PartialOrders.from_scores(X)
NO_DATA = np.finfo(np.float64).min
ESTIMATORS = {
    "labels": (PartialLabelClassifier("neighbors"), MASK),
    "labels, automatic": (PartialLabelClassifier(), MASK),
    "labels, forest": (PartialLabelClassifier("forest"), MASK),
    "labels, classifier": (
        DisambiguatedClassifier(DecisionTreeClassifier(random_state=0), weights="neighbors"),
        MASK,
    ),
    "intervals": (IntervalRegressor("kernel_ridge"), INTERVALS),
    "intervals, automatic": (IntervalRegressor(), INTERVALS),
    "intervals, regressor": (
        DisambiguatedRegressor(DecisionTreeRegressor(random_state=0), weights="kernel_ridge"),
        INTERVALS,
    ),
    "orders": (PartialRanker("neighbors"), ORDERS),
}
# A search for weights of numbers takes two seconds.
ESTIMATORS_ONE_SLOW = [
    pytest.param(name, marks=[pytest.mark.slow] if name == "intervals, automatic" else [])
    for name in ESTIMATORS
]
WEIGHTS = (
    "neighbors",
    "kernel_ridge",
    "nystrom",
    "random_features",
    "nadaraya_watson",
    "forest",
    "tree",
    "histogram",
    "laplacian",
    "poisson",
    "kernel_laplacian",
)


@cache
@small_search()
def fitted(name, wrap=np.array):
    """An estimator fitted to the rows in one form; tests only predict with it."""
    estimator, y = ESTIMATORS[name]
    return clone(estimator).fit(wrap(X), y)


def framed(rows):
    return pd.DataFrame(rows.copy(), columns=["depth", "height", "width"])


def with_large_indices(rows):
    """The rows as a sparse array whose indices are 64-bit integers."""
    matrix = sp.csr_array(rows)
    matrix.indices, matrix.indptr = (a.astype(np.int64) for a in (matrix.indices, matrix.indptr))
    return matrix


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("wrap", [np.array, sp.csr_array])
def test_entries_whose_squares_overflow(name, wrap):
    estimator, y = ESTIMATORS[name]
    bad = X.copy()
    bad[4, 1] = NO_DATA
    message = (
        r"X contains -1.79769e\+308 in row 4, column 1; the largest size accepted is 1e\+36.*"
        "Scale X; if the value marks missing data, replace it by NaN and impute"
    )
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(wrap(bad), y)
    with pytest.raises(ValueError, match=message):
        fitted(name).predict(wrap(bad))


def test_entries_whose_squares_overflow_without_an_estimator():
    bad = framed(X)
    bad.loc[4, "height"] = NO_DATA
    with pytest.raises(ValueError, match="in row 4, column 'height'; the largest size"):
        disambiguate(bad, MASK, weights="neighbors")


@pytest.mark.parametrize("name", ESTIMATORS_ONE_SLOW)
@pytest.mark.parametrize(("value", "text"), [(np.inf, "NaN or infinity"), (1e40, r"1e\+40")])
def test_errors_name_the_columns_of_a_frame(name, value, text):
    estimator, y = ESTIMATORS[name]
    bad = framed(X)
    bad.loc[4, "height"] = value
    with pytest.raises(ValueError, match=f"X contains {text}.*in row 4, column 'height'"):
        clone(estimator).fit(bad, y)
    with pytest.raises(ValueError, match=f"X contains {text}.*in row 4, column 'height'"):
        fitted(name, framed).predict(bad)


def test_votes_that_are_too_large():
    votes = np.ones((N, N))
    model = PartialLabelClassifier("precomputed").fit(votes, MASK)
    votes[4, 1] = 1e37
    for call in (model.predict, lambda v: model.fit(v, MASK)):
        with pytest.raises(ValueError, match=r"contains 1e\+37 in row 4, column 1"):
            call(votes)
    # Votes of an array, not of a weighting, may be larger; their squares must not overflow.
    votes[4, 1] = -1e150
    with pytest.raises(ValueError, match=r"-1e\+150 in row 4, column 1; .* is 1e\+140"):
        disambiguate(None, MASK, weights=votes)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_features_that_are_all_tiny(name):
    estimator, y = ESTIMATORS[name]
    message = "X: the largest entry in size is .*e-160, less than 1e-36: .*Scale X"
    with pytest.raises(ValueError, match=message):
        clone(estimator).fit(1e-160 * X, y)
    assert len(fitted(name).predict(1e-160 * X)) == N


def test_tiny_votes_are_accepted():
    votes = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    expected = PartialLabelClassifier("precomputed").fit(votes, MASK)
    tiny = PartialLabelClassifier("precomputed").fit(votes * 2.0**-300, MASK)
    assert_array_equal(tiny.labels_, expected.labels_)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("scale", [2.0**115, 2.0**-115])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_unit_of_inputs_does_not_matter(weights, scale, dtype):
    model = PartialLabelClassifier(weights).fit(X, MASK)
    scaled = PartialLabelClassifier(weights).fit((X * scale).astype(dtype), MASK)
    queries = (X[:10] * scale).astype(dtype)
    # Single precision rounds the inputs to seven digits, and far below 1 to fewer.
    if weights not in ("forest", "tree"):
        tolerance = 1e-12 if dtype == np.float64 else 1e-3
        assert_allclose(scaled.predict_proba(queries), model.predict_proba(X[:10]), atol=tolerance)
    assert np.mean(scaled.labels_ == model.labels_) > 0.9


@pytest.mark.parametrize(
    ("scale", "dtype", "wrap"),
    [
        (1e30, np.float64, np.array),
        (1e30, np.float32, sp.csr_array),
        (1e-30, np.float64, sp.csr_array),
        (1e-30, np.float32, np.array),
    ],
)
def test_the_unit_of_inputs_does_not_matter_to_the_default(scale, dtype, wrap):
    model = PartialLabelClassifier().fit(wrap((X * scale).astype(dtype)), MASK)
    assert np.mean(model.labels_ == TRUTH) > 0.85
    assert np.isfinite(model.objective_)


@pytest.mark.parametrize("name", ESTIMATORS_ONE_SLOW)
def test_sparse_inputs_with_large_indices(name):
    estimator, y = ESTIMATORS[name]
    rows = np.where(np.abs(X) > 0.2, X, 0.0)
    large = with_large_indices(rows)
    expected = clone(estimator).fit(sp.csr_matrix(rows), y).predict(sp.csr_matrix(rows))
    found = clone(estimator).fit(large, y).predict(large)
    assert_array_equal(found, expected)
    # The user's matrix is as it was.
    assert large.indices.dtype == np.int64


def test_the_default_on_wide_sparse_inputs_with_large_indices():
    rng = np.random.default_rng(0)
    # Too large to be made dense.
    n, d = 120, 150_000
    truth = rng.integers(0, 3, n)
    columns = np.concatenate([rng.integers(3, d, 20 * n), truth])
    rows = np.concatenate([np.repeat(np.arange(n), 20), np.arange(n)])
    wide = sp.csr_array((np.ones(rows.size), (rows, columns)), shape=(n, d))
    wide.indices, wide.indptr = (a.astype(np.int64) for a in (wide.indices, wide.indptr))
    sets = (truth[:, None] == np.arange(3)) | (rng.random((n, 3)) < 0.3)
    model = PartialLabelClassifier().fit(wide, sets)
    expected = PartialLabelClassifier().fit(sp.csr_matrix(wide), sets)
    assert_array_equal(model.labels_, expected.labels_)


def test_forests_on_sparse_inputs_with_large_indices():
    rows = np.where(np.abs(X) > 0.2, X, 0.0)
    for weights in ("forest", "tree"):
        model = PartialLabelClassifier(weights).fit(with_large_indices(rows), MASK)
        expected = PartialLabelClassifier(weights).fit(sp.csr_array(rows), MASK)
        assert_array_equal(
            model.predict_proba(with_large_indices(rows)),
            expected.predict_proba(sp.csr_array(rows)),
        )


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if "forest" not in name])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1e100, r"row 3 has 1e\+100; expected 0, or a number from 1e-100 to 1e\+50 \(1 such rows"),
        (1e-300, "row 3 has 1e-300; expected 0, or a number from 1e-100"),
    ],
)
def test_sample_weights_of_extreme_size(name, value, message):
    estimator, y = ESTIMATORS[name]
    sample_weight = np.where(np.arange(N) == 3, value, 1.0)
    with pytest.raises(ValueError, match=f"sample_weight: {message}"):
        clone(estimator).fit(X, y, sample_weight=sample_weight)


@pytest.mark.parametrize(
    ("sample_weight", "message"),
    [
        (np.zeros(N), "sample_weight is zero for every row"),
        (np.where(np.arange(N) == 3, np.nan, 1.0), "sample_weight: row 3 has nan"),
        (np.where(np.arange(N) == 3, np.inf, 1.0), "sample_weight: row 3 has inf"),
        (np.full(N, 1e-60), "sample_weight: the largest is 1e-60, in row 0; expected at least"),
    ],
)
def test_sample_weights_that_cannot_be_used(sample_weight, message):
    for estimator, y in (ESTIMATORS["labels"], ESTIMATORS["intervals"], ESTIMATORS["orders"]):
        with pytest.raises(ValueError, match=message):
            clone(estimator).fit(X, y, sample_weight=sample_weight)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("solver", ["alternating", "annealed", "frank_wolfe"])
@pytest.mark.parametrize("scale", [1e-49, 1e49])
@pytest.mark.filterwarnings("ignore:.*n_neighbors:UserWarning")
def test_sample_weights_of_large_and_small_scale(weights, solver, scale):
    sample_weight = scale * RNG.integers(1, 4, N)
    model = PartialLabelClassifier(weights, solver=solver).fit(X, MASK, sample_weight=sample_weight)
    assert MASK[np.arange(N), model.labels_].all()
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("method", ["disambiguation", "average", "infimum"])
def test_sample_weights_of_which_some_are_tiny(weights, method):
    sample_weight = np.where(np.arange(N) % 4 == 0, 1e-90, 1.0)
    model = PartialLabelClassifier(weights, method=method)
    model.fit(X, MASK, sample_weight=sample_weight)
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("method", ["average", "infimum"])
def test_one_row_with_nearly_all_the_weight(method):
    sample_weight = np.where(np.arange(N) == 4, 1e30, 1e-30)
    with warnings.catch_warnings():
        # All other rows together count less than the neighbours that a row has.
        warnings.simplefilter("ignore", UserWarning)
        model = PartialLabelClassifier("poisson", method=method)
        model.fit(X, MASK, sample_weight=sample_weight)
    assert np.isfinite(model.confidence_).all()


def test_sample_weights_that_sum_to_one_give_no_internal_warnings():
    rng = np.random.default_rng(1)
    mask = (TRUTH[:, None] == np.arange(2)) | (rng.random((N, 2)) < 0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = PartialLabelClassifier().fit(X, mask, sample_weight=np.full(N, 1 / N))
    assert not isinstance(model.weights_, NeighborWeights)
    assert np.mean(model.labels_ == TRUTH) > 0.9
    with pytest.warns(UserWarning, match="w means w copies of a row: .* scale them to a mean of 1"):
        PartialLabelClassifier("neighbors").fit(X, mask, sample_weight=np.full(N, 1 / N))


def test_the_order_of_rows_does_not_matter_beyond_a_thousand_rows():
    rng = np.random.default_rng(0)
    # In turn a narrow cloud and a wide one: every second row would be a biased sample.
    scale = np.where(np.arange(1100) % 2, 1.0, 1e-3)[:, None]
    rows = rng.uniform(-3, 3, size=(1100, 2)) * scale
    y = rows[:, 0] + rng.uniform(0, 1, size=(2, 1100)) * np.array([[-1.0], [1.0]])
    y, queries = y.T, rng.uniform(-3, 3, size=(50, 2))
    ridge = IntervalRegressor(KernelRidgeWeights(intercept=True))
    expected = clone(ridge).fit(rows, y)
    order = rng.permutation(1100)
    model = clone(ridge).fit(rows[order], y[order])
    assert model.weights_.bandwidth_ == expected.weights_.bandwidth_
    assert_allclose(model.predict(queries), expected.predict(queries), atol=1e-5)
