"""Fits of collections, and predictions, equal those in memory for every kind and weighting."""

import pickle

import pytest
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("distributed")

import dask.array as da
from sklearn.base import clone

from disambig.dask import DaskEstimator, dask_rows
from disambig.exceptions import ClusterError, MissingOracleError
from disambig.trust import cross_examine
from disambig.weights import (
    ForestWeights,
    MixedWeights,
    NadarayaWatsonWeights,
    NeighborWeights,
    NystromWeights,
    RandomFeatureWeights,
    ScaledWeights,
    SquashedWeights,
)
from tests.dask.small_rows import CHUNKS, ESTIMATORS, N, in_threads, inputs, targets

METHODS = {
    "labels": ("predict", "predict_proba", "decision_function"),
    "numbers": ("predict",),
    "bits": ("predict", "predict_proba", "tag_shares"),
    "orders": ("predict", "predict_order", "pairwise_proba"),
}
_LOW_RANK = NystromWeights(n_landmarks=20, random_state=0)
WEIGHTS = {
    "neighbors": NeighborWeights(5),
    "scaled": ScaledWeights(NeighborWeights(5), [1.0, 2.0, 0.5]),
    "squashed": SquashedWeights(NeighborWeights(5)),
    "low rank": _LOW_RANK,
    "random features": RandomFeatureWeights(n_features=30, random_state=0),
    "mixed": MixedWeights([_LOW_RANK, ForestWeights(n_estimators=5)], [1, 2]),
    "forest": ForestWeights(n_estimators=10),
}
# Votes with the bits of memory.
EXACT = ("neighbors", "scaled", "squashed")


@pytest.fixture(scope="module")
def client():
    with in_threads(2) as found:
        yield found


def collection(X, chunks=CHUNKS):
    return da.from_array(X, chunks=(chunks, -1))


def assert_same(found, expected, exact):
    if exact or found.dtype.kind not in "fc":
        assert_array_equal(found, expected)
    else:
        assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


def assert_fits_are_the_same(model, plain, exact):
    for name in ("labels_", "confidence_", "decided_", "resolved_", "without_input_"):
        assert_same(getattr(model, name), getattr(plain, name), exact)
    assert_allclose(model.objective_, plain.objective_, rtol=0 if exact else 1e-8)
    if exact:
        assert model.trace_ == plain.trace_
    assert repr(model.solver_) == repr(plain.solver_)


def assert_predictions_are_the_same(model, plain, kind, exact, holes):
    X = inputs(3, 50, holes=holes)
    for method in METHODS[kind]:
        lazy = model.lazy(method, collection(X, (20, 0, 30)))
        assert isinstance(lazy, da.Array)
        expected = getattr(plain, method)(X)
        assert (lazy.shape, lazy.dtype) == (expected.shape, expected.dtype)
        assert_same(lazy.compute(), expected, exact)


CASES = [
    *(("labels", name, False) for name in WEIGHTS),
    *((kind, name, True) for kind in ESTIMATORS for name in ("neighbors", "low rank")),
    *(("bits", "random features", False), ("orders", "mixed", True)),
    *(("numbers", "scaled", False),),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name", "holes"), CASES)
def test_fits_and_lazy_predictions_are_those_of_memory(kind, name, holes, client):
    X, y = inputs(holes=holes), targets(kind)
    estimator = ESTIMATORS[kind](WEIGHTS[name])
    plain = clone(estimator).fit(X, y)
    model = DaskEstimator(estimator).fit(collection(X), y, client=client)
    assert_fits_are_the_same(model, plain, name in EXACT)
    assert_predictions_are_the_same(model, plain, kind, name in EXACT, holes)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "weights"),
    [
        ("labels", NadarayaWatsonWeights("epanechnikov", bandwidth=1.5)),
        ("numbers", ForestWeights(n_estimators=10)),
    ],
)
def test_what_is_not_predicted_lazily_predicts_arrays(kind, weights, client):
    X, y = inputs(), targets(kind)
    estimator = ESTIMATORS[kind](weights)
    plain = clone(estimator).fit(X, y)
    model = DaskEstimator(estimator).fit(collection(X), y, client=client)
    assert_fits_are_the_same(model, plain, kind == "labels")
    queries = X[::3] + 0.1
    assert_same(model.estimator_.predict(queries), plain.predict(queries), False)
    with pytest.raises(MissingOracleError, match=r"not predicted lazily .* estimator_\.predict"):
        model.predict(collection(X))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_few_rows_of_auto_are_fitted_in_memory_and_predicted_lazily(kind, client):
    X, y = inputs(holes=True), targets(kind)
    estimator = ESTIMATORS[kind](time_limit=5)
    model = DaskEstimator(estimator).fit(collection(X), y, client=client)
    # Kernels of few queries and of many differ by rounding.
    assert_predictions_are_the_same(model, model.estimator_, kind, True, False)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("holes", [False, True])
def test_cross_examination_is_that_of_memory(kind, holes, client):
    X, y = inputs(holes=holes), targets(kind)
    estimator = ESTIMATORS[kind](NeighborWeights(5))
    expected = cross_examine(estimator, X, y)
    found = cross_examine(estimator, dask_rows(collection(X), client), y)
    for name in ("labels", "confidence", "suspicion"):
        assert_array_equal(getattr(found, name), getattr(expected, name))
    assert_array_equal(found.suspects().rows, expected.suspects().rows)
    assert found.suspects().why == expected.suspects().why


def test_a_pickled_model_has_its_labels(client):
    X, y = inputs(), targets("numbers")
    estimator = ESTIMATORS["numbers"](NeighborWeights(5))
    model = DaskEstimator(estimator).fit(collection(X), y, client=client)
    copied = pickle.loads(pickle.dumps(model))
    for name in ("labels_", "confidence_", "decided_"):
        assert_array_equal(getattr(copied, name), getattr(model, name))
    assert (copied.traffic_, repr(copied)) == (model.traffic_, repr(model))
    assert len(pickle.dumps(model)) < 100_000
    with pytest.raises(ClusterError, match=r"closed, and its rows with them\. Fit again"):
        copied.predict(collection(X))
    plain = clone(estimator).fit(X, y)
    assert_array_equal(model.predict(collection(X)).compute(), plain.predict(X))
    model.close()
    with pytest.raises(ClusterError, match="workers of this model are closed"):
        model.predict(collection(X))
    # The client is the user's.
    assert client.status == "running"
    assert_array_equal(model.labels_, plain.labels_)
    assert model.labels_.shape == (N,)
