"""The holes that the benchmark makes, and what it says about its figures."""

import numpy as np
import pytest

from benchmarks.input_fills import METHODS, errors
from benchmarks.kept_outcomes import KeptOutcomes
from benchmarks.missing_inputs import (
    MECHANISMS,
    Data,
    Outcome,
    Run,
    holes,
    ranks,
    run,
    summary,
    table,
)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_share_of_missing_cells(mechanism):
    rng = np.random.default_rng(0)
    side = np.arange(3000) % 3
    data = Data(np.round(rng.normal(size=(3000, 6)), 1), side, side)
    missing = holes(data, 0.3, mechanism, rng)
    assert missing.mean() == pytest.approx(0.3, abs=0.02)
    middle = np.median(data.X, axis=0)
    high = middle < data.X
    by_size = missing[high].mean() - missing[~high].mean()
    by_side = np.ptp([missing[side == k].mean(axis=0) for k in range(3)], axis=0)
    assert (by_size > 0.2) == (mechanism == "large")
    assert (by_side > 0.4).all() == (mechanism == "target")


def test_tables_and_verdicts():
    better, worse = np.array([0.1, 0.2]), np.array([0.3, 0.41])
    outcomes = {
        ("a", 0.2, "random"): {"k-NN": Outcome(worse, 1.0), "ours": Outcome(better, 1.0)},
        ("b", 0.2, "random"): {"k-NN": Outcome(better, 1.0), "ours": Outcome(worse, 1.0)},
    }
    lines = table(outcomes).splitlines()
    assert lines[2] == "| a | 20% random | 0.355 | **0.150** | -0.205 ± 0.005 |"
    assert "| random | 1.50 | 1.50 |" in ranks(outcomes)
    assert "in 1 of 2 cases; not so on: b, random (+0.205 ± 0.005" in summary(outcomes)


def test_runs_that_are_kept_are_not_repeated(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.missing_inputs.imputers", lambda seed: {"ours": None})
    kept = KeptOutcomes(tmp_path / "runs.jsonl", Run)
    kept.add("a|20% random|0|ours", Run(0.25, 2.0))
    data = Data(np.zeros((30, 2)), np.arange(30) % 2, np.arange(30) % 2)
    found = run("a", data, 0.2, "random", 1, kept)
    assert found["ours"].errors.tolist() == [0.25]
    assert found["ours"].seconds == 2.0


def test_errors_of_fills():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) @ rng.normal(size=(2, 5)) + 0.1 * rng.normal(size=(200, 5))
    found = dict(zip(METHODS, errors(X, "random", 0), strict=True))
    # Cells are linear in the others.
    assert found["regression"] < found["near rows"] < 1.0
    assert found["three, 5 % six times"] < 1.1 * found["regression"]
