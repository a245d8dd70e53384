"""The comparison of annealing on orders and bits runs, and reports which method is better."""

import numpy as np
import pytest
from numpy.random import default_rng

from benchmarks import annealed_structures
from benchmarks.annealed_structures import METHODS, Errors
from disambig.datasets.loaders.mulan import MultilabelData


def test_orders_are_recovered_by_every_method() -> None:
    found = annealed_structures.rank_lines("any pairs", 0.78, "5-NN", 0)
    assert list(found) == list(METHODS)
    assert all(errors.predicted < 0.2 for errors in found.values())
    assert found["alternating"].recovered < found["AC"].recovered


# One of the made-up tags is always on.
@pytest.mark.filterwarnings("ignore:y. tags .* are on in every row")
def test_bits_are_recovered_by_every_method() -> None:
    rng = default_rng(0)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 6])
    Y = np.repeat([[1, 0, 1], [0, 1, 1]], 30, axis=0)
    data = MultilabelData(X, Y, ("a", "b"), ("x", "y", "z"), "made up")
    for weighting in annealed_structures.BIT_WEIGHTS:
        found = annealed_structures.recover_bits(data, 0.5, weighting, 0)
        assert list(found) == list(METHODS)
        assert all(max(errors[:2]) < 0.2 for errors in found.values())
        assert found["one block"][:2] == found["two blocks"][:2] == (0.0, 0.0)


def test_worse_results_of_annealing_are_reported() -> None:
    runs = [
        {"AC": Errors(0, 0, 0), "alternating": Errors(0.2, 0.1 * k, 0)}
        | {name: Errors(0.3 + 0.01 * k, 0.1 * k, 0) for name in ("one block", "two blocks")}
        for k in range(3)
    ]
    assert annealed_structures.verdict([runs]) == (
        "recovered: better in 0, worse in 1 of 1 settings; "
        "predicted: better in 0, worse in 0 of 1 settings"
    )
    assert annealed_structures.row_of(["x"], runs)[-1] == "+0.110 ± 0.006 / +0.000 ± 0.000"
