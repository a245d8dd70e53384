"""The interval figure: the authors' seeds, and choices with and without the truth."""

import numpy as np
import pytest

from reproduce.interval import figure as interval
from reproduce.interval.figure import interval_jobs, interval_results
from reproduce.recorded import RECORDED_INTERVAL, RECORDED_SEED_ZERO


@pytest.mark.needs_jit
def test_the_picture_has_the_published_errors() -> None:
    found = interval.picture(0)
    assert found["errors"] == pytest.approx(RECORDED_SEED_ZERO, abs=6e-5)
    assert len(found["curves"]) == 3
    assert all(len(curve) == len(found["grid"]) == 200 for curve in found["curves"].values())


def test_every_recorded_method_is_in_the_figure() -> None:
    assert set(RECORDED_INTERVAL) <= set(interval.INTERVAL_METHODS)


def test_jobs_cover_all_seeds_once() -> None:
    for quick, expected in ((False, 100), (True, 20)):
        jobs = [j for j in interval_jobs(quick=quick, seed=3) if j.name == "AC, intercept"]
        seeds = [j.settings["seed"] + t for j in jobs for t in range(int(j.settings["n_seeds"]))]
        assert seeds == list(range(3, 3 + expected))


def test_results_choose_with_the_truth_and_without() -> None:
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
    results = interval_results(payloads)
    means = {(r.method, r.choice): r.mean for r in results}
    assert means["DF, exact", "truth"] == 2.0
    assert means["DF, exact", "sets"] == 3.0
    assert means[interval.DEFAULT, "fixed"] == pytest.approx(0.6)
    authors = {r.method: r.authors for r in results if r.authors is not None}
    assert authors == {name: value for name, (value, _) in RECORDED_INTERVAL.items()}
    assert {r.over for r in results} == {"2 seeds"}


def test_errors_of_a_seed_do_not_depend_on_the_job() -> None:
    one = interval.method_errors("AC, as coded (released)", 4, 1)
    both = interval.method_errors("AC, as coded (released)", 3, 2)
    np.testing.assert_allclose(one["errors"][0], both["errors"][1])
    assert both["seeds"] == [3, 4]
    assert np.array(both["distances"]).shape == (2, 3)
