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
    graphs = [path.name for path in (tmp_path / "work").glob("graph*")]
    # Others are asked for by numbers, bits and orders: they are written in the same search.
    assert len(graphs) == 2 if kind != "labels" else len(graphs) >= 1
    assert not (tmp_path / "work" / "states").exists()
