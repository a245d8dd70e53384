"""The accuracy benchmark: splits, choice without truth, stored outcomes, tables, the command."""

import json

import numpy as np
import pytest
import scipy.io

from benchmarks.accuracy import __main__ as command
from benchmarks.accuracy import problems, running
from benchmarks.accuracy.method import Fitted, Method, grid
from benchmarks.accuracy.neighbors import NEIGHBORS
from benchmarks.accuracy.problems import KINDS, LEVELS, Problem, problems_of
from benchmarks.accuracy.record import Record
from benchmarks.accuracy.selection import Outcome, choose, run
from benchmarks.accuracy.shared_work import SharedWork
from benchmarks.accuracy.tables import by_level, by_problem, ranks, summary


def constant(X, mask, *, seed, column):
    return Fitted(lambda queries: np.full(len(queries), column), np.full(len(X), column))


CONSTANT = Method("constant", constant, grid(column=(0, 1)))


@pytest.mark.parametrize("kind", KINDS)
def test_splits_are_stratified_and_sets_grow_with_the_level(kind):
    smaller, larger = (Problem("digits", kind, level, 300).split(1) for level in (0.3, 0.7))
    X, mask, truth = smaller.train
    assert len(X) == 240
    assert mask[np.arange(240), truth].all()
    np.testing.assert_array_equal(X, larger.train[0])
    np.testing.assert_array_equal(smaller.test[1], larger.test[1])
    assert (mask <= larger.train[1]).all()
    assert mask.sum() < larger.train[1].sum()
    counts = np.bincount(truth, minlength=10) / 4 - np.bincount(smaller.test[1], minlength=10)
    assert np.abs(counts).max() <= 1.25


def test_there_is_a_problem_for_every_corruption_and_level():
    found = problems_of("dna")
    assert len(found) == len({problem.name for problem in found}) == len(KINDS) * len(LEVELS)
    assert [problem.name for problem in problems_of("lost")] == ["lost"]
    assert Problem("dna", "uniform", 0.3, 500).name == "dna, uniform, 0.3, 500 rows"


def test_the_setting_in_most_sets_is_chosen_and_full_sets_do_not_count():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    mask = np.zeros((100, 3), dtype=bool)
    mask[:, 2] = True
    mask[:90, 1] = True
    method = Method("constants", constant, grid(column=(0, 1, 2)))
    assert choose(method, X, mask, seed=0) == {"column": 2}
    mask[:] = True
    assert choose(method, X, mask, seed=0) == {"column": 0}


def test_the_choice_does_not_use_the_truth():
    (X, mask, truth), (queries, query_labels) = Problem("digits", "uniform", 0.5, 200).split(0)
    one = run(NEIGHBORS, (X, mask, truth), (queries, query_labels), seed=0)
    other = run(NEIGHBORS, (X, mask, (truth + 1) % 10), (queries, (query_labels + 1) % 10), seed=0)
    assert one.setting == other.setting
    assert one.accuracy > other.accuracy
    assert one.recovered > other.recovered


def test_shared_work_is_done_once_and_its_time_counts_for_every_run():
    work, computed = SharedWork(capacity=2), []

    def compute():
        computed.append(sum(range(300_000)))
        return computed[-1]

    X = np.arange(6.0).reshape(2, 3)
    assert [work.get("sum", X, compute), work.get("sum", X.copy(), compute)] == computed * 2
    assert work.reused_seconds == 0.0
    work.start_account()
    work.get("sum", X, compute)
    once = work.reused_seconds
    assert once > 0
    work.get("sum", X, compute)
    assert work.reused_seconds == once
    work.get("sum", X + 1, compute)
    work.get("other", X, compute)
    assert len(computed) == 3
    work.get("sum", X, compute)
    assert len(computed) == 4


def test_outcomes_are_stored_by_settings_and_version(tmp_path):
    path = tmp_path / "folder" / "record.jsonl"
    outcome = Outcome(0.5, 0.75, {"k": 5}, 1.0)
    Record(path).add("dna, uniform, 0.3", 1, NEIGHBORS, outcome)
    again = Record(path)
    assert again.get("dna, uniform, 0.3", 1, NEIGHBORS) == outcome
    assert again.get("dna, uniform, 0.3", 2, NEIGHBORS) is None
    assert again.get("dna, uniform, 0.5", 1, NEIGHBORS) is None
    for changed in (
        Method(NEIGHBORS.name, NEIGHBORS.fit, grid(k=(3,))),
        Method(NEIGHBORS.name, NEIGHBORS.fit, NEIGHBORS.settings, version="another"),
    ):
        assert again.get("dna, uniform, 0.3", 1, changed) is None
    again.forget(NEIGHBORS)
    assert again.get("dna, uniform, 0.3", 1, NEIGHBORS) is None


def test_tables_have_ranks_errors_and_the_best_in_bold():
    np.testing.assert_allclose(ranks(np.array([[0.9, 0.8, 0.9]])), [[1.5, 3.0, 1.5]])
    found = {
        Problem("lost"): {
            "a": [Outcome(0.5, 0.6, {}, 1.0), Outcome(0.7, 0.6, {}, 2.0)],
            "b": [Outcome(0.9, 0.5, {}, 1.0), Outcome(0.9, 0.5, {}, 1.0)],
        },
        Problem("dna", "uniform", 0.3): {
            "a": [Outcome(0.8, 0.9, {}, 1.0)],
            "b": [Outcome(0.4, 0.7, {}, 0.0)],
        },
    }
    assert summary(found, ["a", "b"]).splitlines()[2:] == [
        "| a | 1.50 | 2.00 | 1.00 | 1 | 0.700 | 0.750 | 4 |",
        "| b | 1.50 | 1.00 | 2.00 | 1 | 0.650 | 0.600 | 2 |",
    ]
    assert "| lost | 0.600 ± 0.100 | **0.900 ± 0.000** |" in by_problem(found, ["a", "b"])
    assert by_level(found, ["a", "b"]).splitlines()[2:] == ["| uniform | 0.3 | **0.800** | 0.400 |"]


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    truth = np.arange(60) % 3
    target = truth == np.arange(3)[:, None]
    content = {
        "data": truth[:, None] + 0.3 * rng.normal(size=(60, 2)),
        "partial_target": (target | (rng.random((3, 60)) < 0.3)).astype(float),
        "target": target.astype(float),
    }
    (tmp_path / "pll").mkdir()
    scipy.io.savemat(tmp_path / "pll" / "lost.mat", content)
    monkeypatch.setenv("DISAMBIG_DATA", str(tmp_path))
    monkeypatch.setattr(command, "METHODS", (NEIGHBORS, CONSTANT))
    monkeypatch.setattr(command, "QUICK_LEVELS", (0.5,))
    monkeypatch.setattr(command, "QUICK_ROWS", 100)
    monkeypatch.setattr(running, "_COMPILED", set())
    problems.forget()
    yield tmp_path / "record.jsonl"
    problems.forget()


def test_the_command_prints_the_tables_and_uses_stored_outcomes(tiny, capsys):
    arguments = ["--quick", "--jobs", "1", "--record", str(tiny), "--data", "lost", "digits"]
    command.main(arguments)
    text = capsys.readouterr().out
    assert "python -m benchmarks.accuracy --quick --data lost digits --write" in text
    assert "| corruption | level | PL-kNN | constant |" in text
    lines = [line for line in tiny.read_text().splitlines() if line]
    assert len(lines) == 2 * 2 * (1 + len(KINDS))
    assert json.loads(lines[0])["key"].startswith("lost|0|PL-kNN|")

    command.main(arguments)
    assert [line for line in tiny.read_text().splitlines() if line] == lines
    again = capsys.readouterr().out
    assert again.split("| method")[1] == text.split("| method")[1]

    command.main([*arguments, "--fresh", "constant"])
    assert len([line for line in tiny.read_text().splitlines() if line]) == len(lines) * 3 // 2


def test_missing_data_give_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("DISAMBIG_DATA", str(tmp_path))
    problems.forget()
    with pytest.raises(SystemExit, match="no folder pll"):
        command.main(["--jobs", "1", "--data", "lost", "--record", str(tmp_path / "record")])
