"""The interval figure: the authors' seeds, and choices with and without the truth."""

import numpy as np
import pytest

from reproduce.interval import figure as interval
from reproduce.interval.figure import interval_pieces, interval_readings
from reproduce.recorded import RECORDED_INTERVAL, RECORDED_SEED_ZERO


@pytest.mark.needs_jit
def test_the_picture_has_the_published_errors() -> None:
    found = interval.pictured(0)
    assert found["errors"] == pytest.approx(RECORDED_SEED_ZERO, abs=6e-5)
    assert len(found["curves"]) == 3
    assert all(len(curve) == len(found["grid"]) == 200 for curve in found["curves"].values())


def test_every_recorded_method_is_in_the_figure() -> None:
    assert set(RECORDED_INTERVAL) <= set(interval.INTERVAL_METHODS)


def test_seeds_are_cut_into_pieces_without_gaps() -> None:
    for quick, expected in ((False, 100), (True, 20)):
        pieces = [p for p in interval_pieces(quick=quick, seed=3) if p.name == "AC, intercept"]
        seeds = [p.settings["seed"] + t for p in pieces for t in range(int(p.settings["n_seeds"]))]
        assert seeds == list(range(3, 3 + expected))


def test_readings_choose_with_the_truth_and_without() -> None:
    errors, distances = [[1.0, 2.0], [4.0, 3.0]], [[1.0, 0.5], [0.5, 1.0]]
    payloads = [
        {
            "method": name,
            "ridges": [0.1, 0.001],
            "errors": [errors[t]],
            "distances": [distances[t]],
        }
        for name in interval.INTERVAL_METHODS
        for t in range(2)
    ]
    payloads += [{"method": interval.DEFAULT, "errors": [[0.5], [0.7]]}]
    readings = interval_readings(payloads)
    means = {(r.method, r.choice): r.mean for r in readings}
    assert means["DF, exact", "truth"] == 2.0
    assert means["DF, exact", "sets"] == 3.0
    assert means[interval.DEFAULT, "fixed"] == pytest.approx(0.6)
    beside = {r.method: r.authors for r in readings if r.authors is not None}
    assert beside == {name: value for name, (value, _) in RECORDED_INTERVAL.items()}
    assert {r.over for r in readings} == {"2 seeds"}


def test_a_piece_measures_what_its_seeds_give() -> None:
    one = interval.measured("AC, as coded (released)", 4, 1)
    both = interval.measured("AC, as coded (released)", 3, 2)
    np.testing.assert_allclose(one["errors"][0], both["errors"][1])
    assert both["seeds"] == [3, 4]
    assert np.array(both["distances"]).shape == (2, 3)
