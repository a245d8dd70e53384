"""Estimators on rows in files: what they learn in memory, from any kind of file."""

import pickle
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from disambig import (
    IntervalRegressor,
    PartialLabelClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
)
from disambig.exceptions import MemoryBudgetError, MissingOracleError, TableError
from disambig.out_of_core import OutOfCoreEstimator
from disambig.weights import NeighborWeights, NystromWeights
from disambig.weights.divided import stored
from disambig.weights.neighbors.stored_graph import GraphPlan

N = 120


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch):
    """Several parts and blocks, and no waiting for the disk."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    monkeypatch.setattr(stored, "_BYTES_PER_PART", 8 * 3 * 50)
    monkeypatch.setattr(GraphPlan, "within", lambda *_: GraphPlan(70, 50))


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3))
    truth = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)
    return rng, X, truth, np.eye(3, dtype=bool)[truth] | (rng.uniform(size=(N, 3)) < 0.3)


def targets_of(kind, data):
    rng, X, truth, mask = data
    if kind == "labels":
        return mask
    if kind == "numbers":
        return np.column_stack([X[:, 0] - rng.uniform(size=N), X[:, 0] + rng.uniform(size=N)])
    if kind == "bits":
        return np.where(rng.uniform(size=(N, 3)) < 0.2, np.nan, np.eye(3)[truth])
    return [[(0, 1)] if one else [(1, 0), (1, 2)] for one in X[:, 0] > 0]


KINDS = {
    "labels": PartialLabelClassifier(NeighborWeights(5)),
    "numbers": IntervalRegressor(NeighborWeights(5)),
    "bits": PartialMultilabelClassifier(NeighborWeights(5)),
    "orders": PartialRanker(NeighborWeights(5)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds_learn_what_they_learn_in_memory(kind, data, tmp_path):
    X, y = data[1], targets_of(kind, data)
    plain = KINDS[kind].fit(X, y)
    np.save(tmp_path / "X.npy", X)
    model = OutOfCoreEstimator(KINDS[kind], folder=tmp_path / "work").fit(tmp_path / "X.npy", y)
    assert_array_equal(model.labels_, plain.labels_)
    assert_allclose(model.confidence_, plain.confidence_, rtol=1e-12)
    assert_allclose(model.predict(X + 0.1), plain.predict(X + 0.1), rtol=1e-12)
    graphs = sorted(path.name.partition("-")[0] for path in (tmp_path / "work").glob("*gra*"))
    # Others are asked for by numbers, bits and orders: they are written in the same search.
    assert graphs == (["graph"] if kind == "labels" else ["graph", "graph"])
    assert not (tmp_path / "work" / "states").exists()


def test_all_kinds_of_files_are_the_same_rows(data, tmp_path):
    _, X, _, mask = data
    X = X.astype(np.float32).astype(np.float64)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["sets"] = [list(map(str, np.flatnonzero(row))) for row in mask]
    (tmp_path / "parts").mkdir()
    frame[:50].to_parquet(tmp_path / "parts" / "1.parquet")
    frame[50:].to_parquet(tmp_path / "parts" / "2.parquet")
    np.save(tmp_path / "whole.npy", X)
    np.save(tmp_path / "columns.npy", np.asfortranarray(X))
    np.save(tmp_path / "single.npy", X.astype(np.float32))
    y = list(map(set, frame["sets"]))
    inner = PartialLabelClassifier(NeighborWeights(5))
    plain = inner.fit(X, y)
    new = frame[["a", "b", "c"]] + 0.1
    new.to_parquet(tmp_path / "new.parquet")
    np.save(tmp_path / "new.npy", new.to_numpy())
    for source in ("whole.npy", "columns.npy", "single.npy", "parts"):
        rows = np.load(tmp_path / source, mmap_mode="r") if source == "whole.npy" else None
        model = OutOfCoreEstimator(inner, folder=tmp_path / f"work {source}")
        if source == "parts":
            model.fit(tmp_path / "parts", "sets")
            assert model.feature_names_in_.tolist() == ["a", "b", "c"]
        else:
            model.fit(tmp_path / source if rows is None else rows, y)
        assert_array_equal(model.labels_, plain.labels_, err_msg=source)
        model._n_query_rows_ = 32
        file = tmp_path / ("new.parquet" if source == "parts" else "new.npy")
        assert_array_equal(model.predict(file), plain.predict(np.load(tmp_path / "new.npy")))
        assert model.predict_proba(file).shape == (N, 3)
    assert not (tmp_path / "work whole.npy" / "inputs.npy").exists()


@pytest.mark.parametrize(
    "weights", [NeighborWeights(5), NystromWeights(n_landmarks=20, random_state=0)]
)
def test_missing_cells_are_completed_as_in_memory(weights, data):
    rng, X, _, mask = data
    X = np.where(rng.uniform(size=X.shape) < 0.1, np.nan, X)
    X[7] = np.nan
    inner = PartialLabelClassifier(weights)
    plain = inner.fit(X, mask)
    model = OutOfCoreEstimator(inner).fit(X, mask)
    assert_array_equal(model.labels_, plain.labels_)
    assert_array_equal(model.without_input_, np.isnan(X).all(axis=1))
    assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=1e-6, atol=1e-8)


def test_a_fit_resumes_with_its_states(data, tmp_path, monkeypatch):
    _, X, _, mask = data
    from disambig.solvers.alternating.row_descent import RowDescent

    inner = PartialLabelClassifier(NeighborWeights(5), solver="alternating")
    plain = inner.fit(X, mask)
    real, steps = RowDescent.step, []

    def step(self, state):
        steps.append(1)
        if len(steps) == 3:
            raise KeyboardInterrupt
        return real(self, state)

    monkeypatch.setattr(RowDescent, "step", step)
    model = OutOfCoreEstimator(inner, folder=tmp_path, checkpoint_seconds=0.0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, mask)
    assert not hasattr(model, "estimator_")
    n_states = len(list((tmp_path / "states").rglob("run-*.npz")))
    monkeypatch.setattr(
        RowDescent, "step", lambda self, state: steps.append(1) or real(self, state)
    )
    steps.clear()
    model.fit(X, mask)
    resumed = len(steps)
    assert_array_equal(model.labels_, plain.labels_)
    assert model.trace_ == plain.trace_
    steps.clear()
    model.fit(X, mask)
    assert n_states == 1
    assert resumed == len(steps) - 2
    # Another target is another solve.
    steps.clear()
    model.fit(X, ~mask | mask.any(axis=1, keepdims=True) & (np.arange(3) == 0))
    assert steps


def test_bad_entries_name_row_and_column(data, tmp_path):
    _, X, _, mask = data
    X[71, 2] = np.inf
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match=r"row 71.* 'c'"):
        OutOfCoreEstimator(KINDS["labels"]).fit(tmp_path / "rows.parquet", mask)
    with pytest.raises(ValueError, match="X has 120 rows and y has 100"):
        OutOfCoreEstimator(KINDS["labels"]).fit(np.zeros((N, 3)), mask[:100])
    with pytest.raises(TableError, match="y='label' is not a column of X"):
        OutOfCoreEstimator(KINDS["labels"]).fit(tmp_path / "rows.parquet", "label")
    frame["text"] = "a"
    frame.to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(TableError, match=r"the column 'text' has the type .*string; expected numb"):
        OutOfCoreEstimator(KINDS["labels"]).fit(tmp_path / "rows.parquet", mask)


def test_other_words(data, tmp_path, monkeypatch):
    _, X, _, mask = data
    with pytest.raises(TypeError, match="estimator must be a PartialLabelClassifier"):
        OutOfCoreEstimator(NeighborWeights()).fit(X, mask)
    with pytest.raises(ValueError, match="Write the unit behind the number"):
        OutOfCoreEstimator(KINDS["labels"], memory="4").fit(X, mask)
    with pytest.raises(MissingOracleError, match="not written to files"):
        OutOfCoreEstimator(PartialLabelClassifier(NeighborWeights(5, vote=np.exp))).fit(X, mask)
    model = OutOfCoreEstimator(KINDS["labels"]).fit(X, mask)
    with pytest.raises(ValueError, match="temporary folder"):
        pickle.dumps(model)
    with pytest.raises(AttributeError, match="no method 'predict_proba'"):
        OutOfCoreEstimator(KINDS["numbers"]).fit(X, X[:, :1] + [0, 1]).predict_proba(X)
    model = OutOfCoreEstimator(KINDS["labels"], folder=tmp_path).fit(X, mask)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    monkeypatch.undo()
    with pytest.raises(MemoryBudgetError, match="Give more memory"):
        OutOfCoreEstimator(KINDS["labels"], memory="1MiB").fit(X, mask)


_FIT = """
import sys
import numpy as np
from disambig import PartialLabelClassifier
from disambig.out_of_core import OutOfCoreEstimator
from disambig.weights import NeighborWeights
from disambig.weights.neighbors.stored_graph import GraphPlan
GraphPlan.within = staticmethod(lambda *_: GraphPlan(3000, 500))
folder = sys.argv[1]
inner = PartialLabelClassifier(NeighborWeights(5))
mask = np.load(folder + "/mask.npy")
model = OutOfCoreEstimator(inner, folder=folder + "/work", checkpoint_seconds=0.0, memory="8GiB")
model.fit(folder + "/X.npy", mask)
np.save(folder + "/labels.npy", model.labels_)
"""


@pytest.mark.slow
def test_fits_that_are_killed_resume(tmp_path):
    """Killed when so many files are there: in the graph, the transpose and the solve."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 4))
    mask = np.eye(4, dtype=bool)[X.argmax(axis=1)] | (rng.uniform(size=X.shape) < 0.3)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "mask.npy", mask)
    command = [sys.executable, "-c", _FIT, str(tmp_path)]
    work = tmp_path / "work"
    for n_files in (1, 30, 60, 85, 120, 123):
        process = subprocess.Popen(command)
        for _ in range(60_000):
            found = sum(len(list(work.rglob(f"*.{end}"))) for end in ("npy", "npz", "json"))
            if found >= n_files or process.poll() is not None:
                break
            time.sleep(0.001)
        process.kill()
        process.wait(timeout=60)
    subprocess.run(command, check=True, timeout=300)
    expected = PartialLabelClassifier(NeighborWeights(5)).fit(X, mask).labels_
    assert_array_equal(np.load(tmp_path / "labels.npy"), expected)
    assert {path.name for path in work.iterdir()} == {"graph", "transposed"}
    assert not list(work.rglob("*.part"))
