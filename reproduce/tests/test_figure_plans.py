"""Jobs of the figures without tests of their own: payloads survive JSON and give results."""

import json

import numpy as np
import pytest

from reproduce import rate_plan, semi_supervised, simplex_results
from reproduce.cache import Job
from reproduce.rate_plan import rates_jobs, rates_results
from reproduce.semi_supervised import semi_supervised_results


def test_rate_points_survive_json() -> None:
    settings = {"n_inputs": 2, "n_draws": 2, "n_queries": 20, "seed": 0}
    payloads = [
        json.loads(json.dumps(rate_plan.rate_point(name, n, **settings)))
        for name in ("rates", "always together")
        for n in (50, 100)
    ]
    found = rate_plan.collected_rates(payloads)
    assert list(found) == ["rates", "always together"]
    assert [point.n for point in found["rates"].points] == [50, 100]
    direct = rate_plan.measure_rate(
        rate_plan.rate_plan()["rates"][0], 50, n_inputs=2, n_draws=2, n_queries=20
    )
    for method, wrong in direct.wrong.items():
        np.testing.assert_array_equal(found["rates"].points[0].wrong[method], wrong)
    results = rates_results(payloads)
    panels = {result.panel for result in results}
    assert panels == {"rates", "always together, there", "always together, elsewhere"}
    assert all(result.authors is None for result in results)


def test_the_quick_run_has_every_size_with_fewer_draws() -> None:
    full, quick = rates_jobs(), rates_jobs(quick=True)
    assert [job.name for job in full] == [job.name for job in quick]
    assert all(
        q.settings["n_inputs"] < f.settings["n_inputs"] for f, q in zip(full, quick, strict=True)
    )


def test_the_circles_have_the_errors_of_the_paper() -> None:
    with pytest.warns(UserWarning, match="too few to choose weights by"):
        found = semi_supervised.circles_shares(0, 2000)
    assert found["methods"]["DF"]["right"] == 1.0
    results = semi_supervised_results([found, {**found, "n_points": 1000}])
    grid = {(r.panel, r.method): r for r in results if r.quantity == "grid as the nearest circle"}
    df, il = (grid["circles, 2000 points", name] for name in ("DF", "IL"))
    assert df.mean > 0.98
    assert df.authors == 0.994
    assert il.mean == pytest.approx(0.326, abs=0.005)
    assert grid["circles, 1000 points", "DF"].authors is None


def test_the_picture_of_the_circles_has_one_digit_for_each_point() -> None:
    found = semi_supervised.circles_picture(0, 12)
    assert found["predicted"].keys() == {"DF", "IL"}
    for lines in found["predicted"].values():
        assert len(lines) == 12
        assert {len(line) for line in lines} == {12}
        assert set("".join(lines)) <= set("1234")
    assert sum(found["labelled"]) == 4


def test_the_losses_of_the_toy_example() -> None:
    results = simplex_results.simplex_results([simplex_results.simplex_losses()])
    infimum = {r.method: r.mean for r in results if r.quantity == "infimum loss"}
    assert infimum == {"predict a": 0.25, "predict b": 0.375, "predict c": 0.0}
    average = {r.method: r.mean for r in results if r.quantity != "infimum loss"}
    assert min(average, key=average.__getitem__) == "predict a"


def test_a_job_passes_its_data_to_its_function() -> None:
    job = Job("f", "n", lambda data, k: {"sum": sum(data) + k}, {"k": 1}, [2, 3])
    assert job.compute() == {"sum": 6}
