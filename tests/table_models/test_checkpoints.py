"""Checkpoints: a run goes on where it was interrupted, with the same result."""

import numpy as np
import pandas as pd
import pytest

from disambig.table_models.checkpoints import CHECKPOINT_FILE, Checkpoint
from disambig.table_models.fitting import fit_pipeline, fitted_model
from disambig.table_models.settings import FitSettings
from disambig.tables import load_table
from tests.table_models.tables import MAKE

SETTINGS = FitSettings(weights="neighbors")


@pytest.fixture(scope="module")
def table():
    made = MAKE["labels"](60)
    return load_table(made.frame, made.target, id="key")


def test_a_run_goes_on_and_is_the_same(table, tmp_path):
    checkpoint = Checkpoint(tmp_path, table, SETTINGS)
    assert not checkpoint.exists()
    assert checkpoint.load() is None
    whole = fitted_model(table, SETTINGS, keep=checkpoint.save)
    assert checkpoint.exists()
    resumed = fitted_model(table, SETTINGS, pipeline=checkpoint.load())
    pd.testing.assert_frame_equal(resumed.labels, whole.labels)
    np.testing.assert_array_equal(
        resumed.pipeline.predict_proba(table.X), whole.pipeline.predict_proba(table.X)
    )
    checkpoint.remove()
    assert not (tmp_path / CHECKPOINT_FILE).exists()


def test_checkpoints_of_other_runs_are_not_used(table, tmp_path):
    Checkpoint(tmp_path, table, SETTINGS).save(fit_pipeline(table, SETTINGS)[0])
    other = MAKE["labels"](60, seed=5)
    others = [
        Checkpoint(tmp_path, table, FitSettings(weights="neighbors", seed=1)),
        Checkpoint(tmp_path, table, FitSettings(weights="tree")),
        Checkpoint(tmp_path, load_table(other.frame, "label", id="key"), SETTINGS),
        Checkpoint(tmp_path, load_table(table.frame, "label", drop=["key"]), SETTINGS),
    ]
    assert not any(one.exists() for one in others)
    assert all(one.load() is None for one in others)


def test_a_broken_checkpoint_is_not_used(table, tmp_path):
    checkpoint = Checkpoint(tmp_path, table, SETTINGS)
    (tmp_path / CHECKPOINT_FILE).write_bytes(b"PK\x03\x04 cut")
    assert not checkpoint.exists()
    assert checkpoint.load() is None
