"""Dask collections that cannot be learned from are refused in words, before work starts."""

import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask
import dask.array as da
import dask.dataframe as dd
import pandas as pd
from distributed import Client
from sklearn.base import clone

from disambig import IntervalRegressor, PartialLabelClassifier, PartialRanker
from disambig.dask import DaskEstimator
from disambig.exceptions import ClusterError, MissingOracleError
from disambig.weights import NeighborWeights

N = 60
# Of dask.dataframe, with newer versions of pandas.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")


@pytest.fixture(scope="module")
def client():
    """Workers in threads of this process."""
    with in_threads(2) as found:
        yield found


def in_threads(n_workers):
    return Client(
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        n_workers=n_workers,
        threads_per_worker=1,
        dashboard_address="127.0.0.1:0",
    )


def data(seed=0, n=N):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 3)) + 2 * np.eye(3)[truth]
    mask = np.eye(3, dtype=bool)[truth] | (rng.uniform(size=(n, 3)) < 0.3)
    return X, mask


WEIGHTS = NeighborWeights(5, leave_one_out=True)
LABELS = PartialLabelClassifier(WEIGHTS, solver="alternating")


def assert_as_in_memory(model, X, mask):
    expected = clone(LABELS).fit(X, mask)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_array_equal(model.decided_, expected.decided_)
    assert (model.objective_, model.trace_) == (expected.objective_, expected.trace_)
    return expected


@pytest.mark.slow
@pytest.mark.parametrize("chunks", [(60,), (20, 0, 1, 39)])
def test_arrays_give_the_labels_of_memory(client, chunks):
    X, mask = data()
    collection = da.from_array(X, chunks=(chunks, 2))
    model = DaskEstimator(LABELS).fit(
        collection, da.from_array(mask, chunks=(chunks, -1)), client=client
    )
    expected = assert_as_in_memory(model, X, mask)
    queries = np.random.default_rng(1).normal(size=(31, 3))
    predicted = model.predict(da.from_array(queries, chunks=(10, -1)))
    assert isinstance(predicted, da.Array)
    assert predicted.chunks == ((10, 10, 10, 1),)
    np.testing.assert_array_equal(predicted.compute(), expected.predict(queries))


@pytest.mark.slow
def test_frames_and_parquet_give_the_labels_of_memory(client, tmp_path):
    X, mask = data()
    names = list("abc")
    frame = pd.DataFrame(X, columns=names)
    truth = pd.Series(np.where(mask.sum(axis=1) == 1, mask.argmax(axis=1), -1), name="label")
    labels = PartialLabelClassifier(WEIGHTS, solver="alternating", unlabeled=-1)
    expected = clone(labels).fit(frame, truth)
    collection = dd.from_pandas(frame.assign(label=truth), npartitions=3)
    (tmp_path / "rows").mkdir()
    for part in range(3):
        rows = frame.assign(label=truth)[20 * part : 20 * part + 20]
        rows.to_parquet(tmp_path / "rows" / f"{part}.parquet", index=False)
    for X_given, y in (
        (collection, "label"),
        (tmp_path / "rows", "label"),
        (collection[names], collection["label"]),
        (collection[names], truth),
    ):
        model = DaskEstimator(labels).fit(X_given, y, client=client)
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        assert model.feature_names_in_.tolist() == names
    predicted = model.predict(collection[names]).compute()
    np.testing.assert_array_equal(predicted, expected.predict(frame))


def test_masks_in_columns(client):
    X, mask = data()
    frame = pd.DataFrame(np.column_stack([X, mask]), columns=list("abcxyz"))
    frame[list("xyz")] = frame[list("xyz")].astype(int)
    collection = dd.from_pandas(frame, npartitions=2)
    model = DaskEstimator(LABELS).fit(collection, list("xyz"), client=client)
    assert_as_in_memory(model, X, pd.DataFrame(mask, columns=list("xyz")))
    assert model.classes_.tolist() == list("xyz")


def refused(X, y, words, client):
    with pytest.raises((ValueError, TypeError), match=words):
        DaskEstimator(LABELS).fit(X, y, client=client)


def test_bad_collections_are_refused(client):
    X, mask = data()
    collection = da.from_array(X, chunks=(30, -1))
    refused(collection[collection[:, 0] > 0], mask, r"unknown chunk sizes.*compute_chunk", client)
    refused(X, mask, r"X is a ndarray; expected a dask.array.*from_array", client)
    refused(collection[:, 0], mask, r"two-dimensional .*shape \(60,\)", client)
    refused(collection, mask[:-1], r"X has 60 rows and y has 59", client)
    refused(
        collection,
        da.from_array(mask, chunks=(20, -1)),
        r"X has partitions of 30, 30 rows, and y of 20, 20, 20\. .*same partitions",
        client,
    )
    for bad in (np.inf, -np.inf):
        X[41, 2] = bad
        words = rf"row 41, column 2 has {bad} \(1 such .* partition 1\); expected finite .* or NaN"
        refused(da.from_array(X, chunks=(30, -1)), mask, words, client)
        frame = dd.from_pandas(pd.DataFrame(X, columns=list("abc")), npartitions=2)
        refused(frame, mask, rf"row 41, column 'c' has {bad}", client)


def test_partitions_that_disagree_are_refused(client):
    X, mask = data()
    first = pd.DataFrame(X[:30], columns=list("abc"))

    def of(second):
        parts = [dask.delayed(part) for part in (first, second)]
        return dd.from_delayed(parts, meta=first, verify_meta=False)

    second = pd.DataFrame(X[30:], columns=list("abc"))
    refused(
        of(second[["a", "c", "b"]]), mask, r"partition 1 .* columns a, c, b, and .* a, b, c", client
    )
    refused(of(second[["a", "b"]]), mask, r"partition 1 \(rows 30 to 60\)", client)
    refused(of(second.astype({"b": np.float32})), mask, r"float32 in 'b', .* has float64", client)
    texts = first.assign(b="word")
    parts = dd.from_pandas(texts, npartitions=1)
    refused(parts, mask[:30], r"in 'b'; expected numbers", client)
    refused(dd.from_pandas(first, npartitions=2), "label", r"'label' is not a column", client)


NOT_BUILT = {
    "kernel ridge": ("kernel_ridge", "alternating", "and it needs all rows in one array"),
    "adaptive": (NeighborWeights(5, adaptive=True), "alternating", r"Use adaptive=False"),
    "approximate": (NeighborWeights(5, algorithm="approximate"), "alternating", "algorithm='auto'"),
    "cosine": (NeighborWeights(5, metric="cosine"), "alternating", "Use metric='euclidean'"),
    "squares": (NeighborWeights(5, metric="sqeuclidean"), "alternating", "metric='sqeuclidean'"),
}


@pytest.mark.parametrize("name", NOT_BUILT)
def test_more_rows_than_are_joined_are_refused(name, client, monkeypatch):
    weights, solver, words = NOT_BUILT[name]
    X, mask = data()
    monkeypatch.setattr("disambig.weights.divided.whole.MAX_EXACT_ROWS", N - 1)
    model = DaskEstimator(PartialLabelClassifier(weights, solver=solver))
    with pytest.raises(MissingOracleError, match=rf"at most 59 .* these are 60, .*{words}"):
        model.fit(da.from_array(X, chunks=(30, -1)), mask, client=client)


@pytest.mark.slow
def test_new_inputs_unlike_those_of_the_fit_are_refused(client):
    X, mask = data()
    model = DaskEstimator(LABELS).fit(da.from_array(X, chunks=(30, -1)), mask, client=client)
    with pytest.raises(ValueError, match="X has 2 columns; expected 3"):
        model.predict(da.from_array(X[:, :2], chunks=(30, -1)))
    with pytest.raises(TypeError, match="X is a ndarray; expected a dask"):
        model.predict(X)
    model.close()
    with pytest.raises(ClusterError, match="workers of this model are closed"):
        model.predict(da.from_array(X, chunks=(30, -1)))


def test_a_closed_client_is_refused():
    X, mask = data()
    client = in_threads(1)
    client.close()
    with pytest.raises(ClusterError, match=r"client is closed, .* Connect a new one"):
        DaskEstimator(LABELS).fit(da.from_array(X, chunks=(30, -1)), mask, client=client)
    with pytest.raises(TypeError, match=r"must be a distributed\.Client; got str"):
        DaskEstimator(LABELS).fit(da.from_array(X), mask, client="tcp://somewhere")


@pytest.mark.parametrize(
    "model", [PartialLabelClassifier("neighbors"), IntervalRegressor(), PartialRanker()]
)
def test_estimators_in_memory_do_not_gather_collections(model):
    X, mask = data()
    collection = da.from_array(X, chunks=(30, -1))
    with pytest.raises(TypeError, match=r"X is a dask\.array.*X\.compute\(\).*DaskEstimator"):
        model.fit(collection, mask)
    with pytest.raises(TypeError, match=r"y is a dask\.array.*y\.compute\(\)"):
        model.fit(X, da.from_array(mask, chunks=(30, -1)))


def test_predict_in_memory_does_not_gather_collections():
    X, mask = data()
    model = PartialLabelClassifier("neighbors").fit(X, mask)
    with pytest.raises(TypeError, match=r"X is a dask"):
        model.predict(da.from_array(X, chunks=(30, -1)))


@pytest.mark.slow
def test_the_package_needs_no_dask_until_it_is_used():
    code = (
        "import sys; sys.modules['distributed'] = None; sys.modules['dask'] = None\n"
        "from disambig import PartialLabelClassifier\n"
        "from disambig.dask import DaskEstimator\n"
        "try: DaskEstimator(PartialLabelClassifier()).fit(None, None)\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'disambig[dask]'" in done.stdout
