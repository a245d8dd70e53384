"""The generator of bad inputs: it repeats itself, it finds what it should, and it finds nothing."""

import json
import math
import time
from collections import Counter

import numpy as np
import pytest
from sklearn.utils.validation import check_array

from disambig import PartialLabelClassifier, parameters
from disambig.candidates import numbers
from disambig.exceptions import CandidateError, warn
from disambig.parameters import check_list
from tests.fuzz import running
from tests.fuzz.case import Case
from tests.fuzz.running import GROUPS, group_of, run, run_all
from tests.fuzz.verdict import DefectError, OwnError, attempt, expect

# How many of the cases of `make fuzz` the slow tests run.
N_SLOW = 500


def broken(call):
    """The same call, made by a function of ours that has no raise statement."""
    code = compile("def work(call): return call()", parameters.__file__, "exec")
    scope = {}
    exec(code, scope)
    return lambda: scope["work"](call)


def raises(error):
    raise error


class TestVerdict:
    @pytest.mark.parametrize(
        "call",
        [
            lambda: check_list("Owner", "names", 3),
            lambda: numbers.checks.require_squarable(np.array([[1e300]]), "Intervals"),
            lambda: PartialLabelClassifier().predict([[1.0]]),
            lambda: PartialLabelClassifier("magic").fit([[1.0], [2.0]], ["a", "b"]),
            lambda: check_array([1.0, 2.0]),
            lambda: check_array([["a"]], dtype=np.float64),
        ],
    )
    def test_errors_of_our_own_kind(self, call):
        with pytest.raises(OwnError):
            attempt(call)

    @pytest.mark.parametrize(
        "call",
        [
            broken(lambda: raises(KeyError("a"))),
            broken(lambda: raises(ValueError("of the generator, not of ours"))),
            broken(lambda: float("x")),
            broken(lambda: np.linalg.inv(np.zeros((2, 2)))),
            broken(b"\xff".decode),
            broken(lambda: np.array([1.0]) / np.array([0.0])),
            broken(lambda: 1 / 0),
            lambda: raises(CandidateError("")),
        ],
    )
    def test_what_is_a_defect(self, call):
        with pytest.raises(DefectError):
            attempt(call)

    def test_own_warnings(self):
        # Code of a module of ours, which calls `warn`.
        assert attempt(broken(lambda: warn("A word."))) is None
        with pytest.raises(DefectError, match="FutureWarning"):
            attempt(broken(lambda: warn("Old.", FutureWarning)))

    def test_results_are_checked(self):
        expect(True, "fine")
        with pytest.raises(DefectError, match="wrong result: it is NaN"):
            expect(not math.isnan(math.nan), "it is NaN")


class TestCases:
    def test_every_hundred_numbers_have_all_groups(self):
        assert sum(share for share, _ in GROUPS.values()) == 100
        counts = Counter(map(group_of, range(700, 800)))
        assert counts == {name: share for name, (share, _) in GROUPS.items()}

    def test_equal_numbers_make_equal_cases(self, tmp_path):
        one, same, other = Case(0, 5, tmp_path), Case(0, 5, tmp_path), Case(0, 6, tmp_path)
        drawn = [[case.random.random(), *case.numpy.random(3)] for case in (one, same, other)]
        assert drawn[0] == drawn[1] != drawn[2]

    @pytest.mark.parametrize("number", [0, 6, 12])
    def test_a_case_can_be_repeated(self, number, tmp_path):
        assert run(0, number, tmp_path) == run(0, number, tmp_path)

    def test_hangs_and_errors_of_the_generator_are_failures(self, tmp_path, monkeypatch):
        monkeypatch.setitem(running.GROUPS, "files", (15, lambda case: time.sleep(60)))
        found = run(0, 0, tmp_path, limit=0.01)
        assert (found.ending, found.message) == ("failed", "takes more than 0.01 s")
        monkeypatch.setitem(running.GROUPS, "files", (15, lambda case: json.loads("")))
        found = run(0, 0, tmp_path)
        assert found.ending == "failed"
        assert found.place.startswith("the generator")


@pytest.mark.slow
def test_no_case_fails(tmp_path):
    outcomes = list(run_all(0, range(N_SLOW), tmp_path))
    failed = [
        (outcome.number, outcome.place, outcome.message)
        for outcome in outcomes
        if outcome.ending == "failed"
    ]
    assert not failed
    endings = Counter(outcome.ending for outcome in outcomes)
    assert endings["result"] > N_SLOW // 10
    assert endings["refused"] > N_SLOW // 10
