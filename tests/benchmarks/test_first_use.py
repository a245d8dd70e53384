"""First use: seconds of compiled functions, a measured default, and the tables."""

import json
from dataclasses import asdict

import pytest

from benchmarks import first_use
from benchmarks.first_use import CompileClock, Spent, Use, measure, slowest, table


def function_of(module: str, name: str):
    def function():
        pass

    function.__module__, function.__name__ = module, name
    return function


def test_seconds_belong_to_the_innermost_function_of_ours(monkeypatch):
    now = iter([0.0, 1.0, 3.0, 6.0, 10.0, 15.0])
    monkeypatch.setattr(first_use.time, "process_time", lambda: next(now))
    clock = CompileClock()
    clock.start(function_of("disambig.compiled.sets", "outer"))  # at 0
    clock.start(function_of("disambig.compiled.sets", "inner"))  # at 1
    clock.start(function_of("numba.np.arraymath", "sort"))  # at 3, for `inner`
    clock.end()  # at 6
    clock.end()  # at 10
    clock.end()  # at 15
    assert clock.seconds == {"compiled.sets.outer": 1.0 + 5.0, "compiled.sets.inner": 2 + 3 + 4}
    assert (clock.n_compiled, clock.n_foreign) == (2, 1)


def test_a_default_is_measured_and_passed_on():
    use = measure("PartialLabelClassifier()")
    assert use.first.cpu > 0
    assert use.again.wall > 0
    assert Use.from_dict(json.loads(json.dumps(asdict(use)))) == use


@pytest.fixture
def found():
    short = Spent(0.3, 0.2)
    empty = Use(short, Spent(9.0, 6.0), short, {"compiled.a.f": 4.0, "compiled.a.g": 1.5}, 2, 7)
    other = Use(short, Spent(4.0, 3.0), short, {"compiled.a.g": 2.75}, 1, 3)
    full = Use(short, Spent(0.5, 0.4), Spent(0.02, 0.01))
    return {"A()": (empty, full), "B()": (other, full)}


def test_the_table_has_both_caches(found):
    lines = table(found).splitlines()
    assert lines[2] == (
        "| A() | 0.30 / 0.20 | 9.00 / 6.00 | 5.50 | 2 + 7 of numba | **no** | 0.50 / 0.40 | "
        "0.02 / 0.01 |"
    )
    assert "| yes |" in lines[3]


def test_the_slowest_functions_come_first(found, monkeypatch):
    assert slowest(found).splitlines()[2:] == [
        "| `compiled.a.g` | 1.50 | 2.75 |",
        "| `compiled.a.f` | 4.00 | – |",
    ]
    monkeypatch.setattr(first_use, "N_SHOWN", 1)
    assert len(slowest(found).splitlines()) == 3
