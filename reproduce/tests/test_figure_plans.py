"""Segments of the other figures: what they compute survives JSON, and is read as it was meant."""

import json

import numpy as np
import pytest

from reproduce import rate_plan, semi_supervised, simplex_readings
from reproduce.cache import Piece
from reproduce.rate_plan import rates_pieces, rates_readings
from reproduce.semi_supervised import semi_supervised_readings


def test_rate_points_survive_json() -> None:
    settings = {"n_inputs": 2, "n_draws": 2, "n_queries": 20, "seed": 0}
    payloads = [
        json.loads(json.dumps(rate_plan.measured(name, n, **settings)))
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
    readings = rates_readings(payloads)
    panels = {reading.panel for reading in readings}
    assert panels == {"rates", "always together, there", "always together, elsewhere"}
    assert all(reading.authors is None for reading in readings)


def test_the_quick_run_has_every_size_with_fewer_draws() -> None:
    full, quick = rates_pieces(), rates_pieces(quick=True)
    assert [p.name for p in full] == [p.name for p in quick]
    assert all(
        q.settings["n_inputs"] < f.settings["n_inputs"] for f, q in zip(full, quick, strict=True)
    )


def test_circles() -> None:
    with pytest.warns(UserWarning, match="too few to choose weights by"):
        found = semi_supervised.measured(0, 2000)
    assert found["methods"]["DF"]["right"] == 1.0
    readings = semi_supervised_readings([found, {**found, "n_points": 1000}])
    grid = {(r.panel, r.method): r for r in readings if r.quantity == "grid as the nearest circle"}
    df, il = (grid["circles, 2000 points", name] for name in ("DF", "IL"))
    assert df.mean > 0.98
    assert df.authors == 0.994
    assert il.mean == pytest.approx(0.326, abs=0.005)
    assert grid["circles, 1000 points", "DF"].authors is None


def test_the_picture_of_the_circles_is_one_digit_a_place() -> None:
    found = semi_supervised.pictured(0, 12)
    assert found["predicted"].keys() == {"DF", "IL"}
    for lines in found["predicted"].values():
        assert len(lines) == 12
        assert {len(line) for line in lines} == {12}
        assert set("".join(lines)) <= set("1234")
    assert sum(found["labelled"]) == 4


def test_the_triangle() -> None:
    readings = simplex_readings.simplex_readings([simplex_readings.measured()])
    infimum = {r.method: r.mean for r in readings if r.quantity == "infimum loss"}
    assert infimum == {"predict a": 0.25, "predict b": 0.375, "predict c": 0.0}
    average = {r.method: r.mean for r in readings if r.quantity != "infimum loss"}
    assert min(average, key=average.__getitem__) == "predict a"


def test_a_piece_hands_its_data_on() -> None:
    piece = Piece("f", "n", lambda data, k: {"sum": sum(data) + k}, {"k": 1}, [2, 3])
    assert piece.compute() == {"sum": 6}
