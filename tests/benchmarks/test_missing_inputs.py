"""The holes that the benchmark makes, and what it says about its figures."""

import numpy as np
import pytest

from benchmarks.missing_inputs import MECHANISMS, Data, Outcome, holes, ranks, summary, table


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
