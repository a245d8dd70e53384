"""The interval benchmark: stored outcomes, ranks, and the command."""

import json

import numpy as np
import pytest

from benchmarks import interval_regression
from benchmarks.intervals.method import Method, grid
from benchmarks.intervals.neighbors import CONSTANT, NEIGHBORS
from benchmarks.intervals.published import Published, read_published
from benchmarks.intervals.record import Record
from benchmarks.intervals.selection import Outcome
from benchmarks.intervals.tables import losses, mean_ranks, summary
from benchmarks.results import write_section
from disambig.datasets.loaders.interval_folder import IntervalData

NAN = float("nan")


def test_outcomes_are_stored_by_settings(tmp_path):
    path = tmp_path / "folder" / "record.jsonl"
    outcome = Outcome(0.5, {"k": 4, "margin": 0.2}, 1.0)
    Record(path).add("cpu", 1, NEIGHBORS, outcome)
    again = Record(path)
    assert again.get("cpu", 1, NEIGHBORS) == outcome
    assert again.get("cpu", 2, NEIGHBORS) is None
    assert again.get("meta", 1, NEIGHBORS) is None
    changed = Method(NEIGHBORS.name, NEIGHBORS.fit, grid(k=(3,), margin=(0.0,)))
    assert again.get("cpu", 1, changed) is None


def test_an_incomplete_line_loses_only_its_outcome(tmp_path):
    path = tmp_path / "record.jsonl"
    record = Record(path)
    record.add("cpu", 1, CONSTANT, Outcome(0.25, {}, 0.0))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"key": "cpu|2|cons')
    Record(path).add("cpu", 3, CONSTANT, Outcome(NAN, {}, 0.0))
    again = Record(path)
    found = [again.get("cpu", fold, CONSTANT) for fold in (1, 2, 3)]
    assert found[0] == Outcome(0.25, {}, 0.0)
    assert found[1] is None
    assert found[2] is not None
    assert np.isnan(found[2].loss)


def test_only_the_outcomes_of_a_forgotten_method_are_ignored(tmp_path):
    record = Record(tmp_path / "record.jsonl")
    for method in (CONSTANT, NEIGHBORS):
        record.add("cpu", 1, method, Outcome(0.25, {}, 0.0))
    record.forget(CONSTANT)
    assert record.get("cpu", 1, CONSTANT) is None
    assert record.get("cpu", 1, NEIGHBORS) is not None


def test_ranks_share_ties_and_put_nan_last():
    losses = np.array([[0.1, 0.2, NAN], [0.3, 0.3, 0.5]])
    np.testing.assert_allclose(mean_ranks(losses), [1.25, 1.75, 3.0])


def test_the_summary_counts_first_places_and_folds_without_finite_loss():
    found = {
        "cpu": {"a": [Outcome(0.1, {}, 1.0), Outcome(0.3, {}, 2.0)], "b": [Outcome(NAN, {}, 0.5)]},
        "meta": {"a": [Outcome(0.1, {}, 1.0)], "b": [Outcome(0.05, {}, 0.5)]},
    }
    lines = summary(found, ["b", "a"]).splitlines()
    assert lines[2:] == ["| b | 1.50 | 1 | 1 | 1 |", "| a | 1.50 | 1 | 4 | 0 |"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    for name in ("one", "two"):
        base = tmp_path / "interval" / "mmit" / name
        base.mkdir(parents=True)
        X = rng.normal(size=(20, 2))
        ends = np.column_stack([X[:, 0] - 1, np.where(X[:, 1] > 1, np.inf, X[:, 0] + 1)])
        folds = np.arange(20)[:, None] % 5 + 1
        for file, head, values in (
            ("features", "a,b", X),
            ("targets", "lower,upper", ends),
            ("folds", "fold", folds),
        ):
            np.savetxt(base / f"{file}.csv", values, delimiter=",", header=head, comments="")
    monkeypatch.setenv("DISAMBIG_DATA", str(tmp_path))
    monkeypatch.setattr(interval_regression, "DATA", ("one", "two"))
    absent = Method("absent one", CONSTANT.fit, needs="no_such_package_at_all")
    monkeypatch.setattr(interval_regression, "METHODS", (NEIGHBORS, CONSTANT, absent))
    return tmp_path


def test_the_command_prints_both_tables_and_uses_stored_outcomes(folder, capsys):
    record = folder / "record.jsonl"
    arguments = ["--record", str(record)]
    interval_regression.main(arguments)
    text = capsys.readouterr().out
    assert "- Not run: absent one (no package no_such_package_at_all)" in text
    assert "| data | rows, features | k-NN | constant |" in text
    lines = [line for line in record.read_text().splitlines() if line]
    assert len(lines) == 2 * 5 * 2
    assert json.loads(lines[0])["key"].startswith("one|1|k-NN|")

    interval_regression.main(arguments)
    assert [line for line in record.read_text().splitlines() if line] == lines
    again = capsys.readouterr().out
    assert again.split("| method")[1] == text.split("| method")[1]

    interval_regression.main([*arguments, "--fresh", "constant"])
    assert len([line for line in record.read_text().splitlines() if line]) == len(lines) + 10


def test_missing_data_give_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("DISAMBIG_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match="no folder interval/mmit"):
        interval_regression.main([])


def test_results_are_taken_over_from_the_section(tmp_path):
    found = {
        "one": {"a": [Outcome(0.1, {}, 2.0), Outcome(0.3, {}, 2.0)], "b": [Outcome(0.5, {}, 1.0)]},
        "two": {"a": [Outcome(4.0, {}, 1.0)], "b": [Outcome(NAN, {}, 1.0)]},
    }
    shapes = {"one": "5, 1", "two": "6, 2"}
    text = f"{summary(found, ['a', 'b'])}\n\n{losses(found, ['a', 'b'], shapes)}"
    path = tmp_path / "RESULTS.md"
    write_section("interval_regression", f"- Date: 2026-01-02\n\n{text}\n", path=path)
    published, date = read_published(path)
    assert date == "2026-01-02"
    assert published["one"]["a"] == Published(0.2, 0.1, 2.5)
    # Printed again, they are the same, but for what is not printed.
    assert losses(published, ["a", "b"], shapes) == losses(found, ["a", "b"], shapes)
    ours, theirs = (summary(one, ["a", "b"]).splitlines() for one in (published, found))
    assert ours == theirs
    assert read_published(tmp_path / "none.md") == ({}, "")


def test_a_method_without_stored_outcomes_takes_over_what_is_kept(tmp_path, capsys):
    X = np.arange(10.0)[:, None]
    data = IntervalData(X, np.zeros((10, 2)), np.arange(10) % 2, ("x",), "one")
    record = Record(tmp_path / "record.jsonl")
    kept = {"constant": Published(1.0, 0.5, 0.0)}
    found = interval_regression.run_data(data, [CONSTANT, NEIGHBORS], record, kept)
    assert found["constant"] is kept["constant"]
    assert found["k-NN"][0].loss == 0.0
    assert "k-NN" in capsys.readouterr().out
