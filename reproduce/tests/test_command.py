"""``disambig reproduce``, run in this process at tiny sizes."""

import csv
import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from disambig.cli import main
from disambig.exceptions import DatasetError
from reproduce import classification, figure_data, ranking, rate_plan, registry
from reproduce.interval import figure as interval


def reproduce(*arguments: str, out: Path) -> int:
    return main(["reproduce", *arguments, "--quick", "--jobs", "1", "--out", str(out)])


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ranking.line_errors
    monkeypatch.setattr(
        ranking, "line_errors", lambda seed, n_draws: whole(seed, n_draws, (0.5, 0.8))
    )
    monkeypatch.setattr(ranking, "_N_QUICK_LINE_SETS", 2)
    monkeypatch.setattr(ranking, "_N_DRAWS", 1)
    methods = {
        name: interval.INTERVAL_METHODS[name]
        for name in ("AC, as coded (paper)", "AC, as coded (released)")
    }
    monkeypatch.setattr(interval, "INTERVAL_METHODS", methods)
    monkeypatch.setattr(interval, "PICTURE_METHODS", tuple(methods))
    monkeypatch.setattr(interval, "_SEEDS_PER_JOB", 2)
    monkeypatch.setattr(classification, "_QUICK_LEVELS", (0.5,))
    monkeypatch.setattr(classification, "_QUICK_FOLDS", {"few rows": 1, "many rows": 1})
    monkeypatch.setattr(classification, "LEVELS", (0.0, 0.5))
    monkeypatch.setattr(registry, "DATA", ("svmguide2",))

    def missing(name: str, **_: object) -> None:
        raise DatasetError(f"{name} is nowhere")

    monkeypatch.setattr(figure_data, "fetch_libsvm", missing)


@pytest.mark.usefixtures("tiny")
def test_a_figure_with_its_numbers_and_its_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce("interval", "--seed", "3", out=tmp_path) == 0
    printed = capsys.readouterr()
    assert str(tmp_path / "index.html") in printed.out.replace("\n", "")
    assert "4 of 4 jobs" in printed.err
    assert (tmp_path / "figures" / "interval.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "figures" / "interval.pdf").read_bytes().startswith(b"%PDF")
    rows = read(tmp_path / "numbers" / "interval.csv")
    assert {row["choice"] for row in rows} == {"truth", "sets", "fixed"}
    assert {row["over"] for row in rows} == {"2 seeds"}
    assert [row["authors"] for row in rows if row["choice"] == "truth"] == ["0.575", "0.149"]
    assert {(row["seed"], row["quick"]) for row in rows} == {("3", "True")}
    assert all(row["disambig"] for row in rows)
    record = json.loads((tmp_path / "numbers" / "interval.json").read_text())
    assert (record["seed"], record["quick"]) == (3, True)
    assert record["versions"]["disambig"]
    assert record["cpu_seconds"] >= 0
    assert record["command"] == "disambig reproduce interval --seed 3 --quick"
    assert [job["settings"].get("seed") for job in record["jobs"]] == [3, 3, 3, 3]
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    root = ET.fromstring(page.partition("\n")[2])
    assert [section.get("id") for section in root.iter("section")] == ["interval"]
    assert not re.search(r'(?:src|srcset|href)="(?!data:|#)', page)


@pytest.mark.usefixtures("tiny")
def test_equal_seeds_give_equal_files_and_an_interrupted_run_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    assert reproduce("ranking", out=one) == 0
    first = ranking.line_errors

    def interrupted(seed: int, n_draws: int) -> dict[str, object]:
        if seed == 1:
            raise KeyboardInterrupt
        return first(seed, n_draws)

    monkeypatch.setattr(ranking, "line_errors", interrupted)
    assert reproduce("ranking", out=two) == 130
    stored = list((two / "cache" / "ranking").iterdir())
    assert [path.name.rpartition("-")[0] for path in stored] == ["lines-0"]
    assert not (two / "index.html").exists()

    def only_the_rest(seed: int, n_draws: int) -> dict[str, object]:
        assert seed == 1
        return first(seed, n_draws)

    monkeypatch.setattr(ranking, "line_errors", only_the_rest)
    assert reproduce("ranking", out=two) == 0
    for name in ("numbers/ranking.csv", "figures/ranking.png", "figures/ranking.pdf"):
        assert (one / name).read_bytes() == (two / name).read_bytes()


@pytest.mark.usefixtures("tiny")
def test_every_output_says_that_data_are_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce("classification", out=tmp_path) == 0
    printed = capsys.readouterr().out
    assert "svmguide2 is missing; wine" in printed
    assert "svmguide2 is nowhere" in printed
    rows = read(tmp_path / "numbers" / "classification.csv")
    assert {row["stand_in"] for row in rows} == {"True"}
    assert {row["authors"] for row in rows} == {""}
    assert {row["panel"] for row in rows} == {
        f"wine (in place of svmguide2), {kind}" for kind in ("text", "code")
    }
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    (notice,) = re.findall('<p class="notice">([^<]*)</p>', page)
    assert notice.startswith("svmguide2 is missing; wine")
    # The error with addresses and checksums is in a list that is collapsed at first.
    assert "is nowhere" not in notice
    assert "<li>svmguide2 is nowhere</li>" in page
    # The authors did not use these data, so there is nothing to compare.
    assert "authors&#x27; code gave" not in page
    assert (tmp_path / "figures" / "classification-wine.png").exists()


def test_the_rates_at_two_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_plan, "N_DRAWS", 1)
    monkeypatch.setattr(rate_plan, "N_QUERIES", 10)
    plan = {name: (s, {50: 2, 60: 2}) for name, (s, _) in rate_plan.rate_plan().items()}
    monkeypatch.setattr(rate_plan, "rate_plan", lambda: plan)
    assert reproduce("rates", out=tmp_path) == 0
    assert len(read(tmp_path / "numbers" / "rates.csv")) == 6 * 2 * 5


def test_progress_is_printed_in_lines_without_rich(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "rich", None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert reproduce("simplex", out=tmp_path) == 0
    assert "1 of 1 jobs" in capsys.readouterr().err


def test_progress_is_a_bar_in_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("rich")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert reproduce("simplex", out=tmp_path) == 0
    assert "1/1" in capsys.readouterr().err


def test_bad_folders_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("mine")
    assert reproduce("simplex", out=tmp_path / "file") == 2
    assert "is a file; name a folder" in capsys.readouterr().err
    assert reproduce("simplex", "--data", str(tmp_path / "none"), out=tmp_path / "new") == 2
    assert "is not a folder" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_matplotlib_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert reproduce("simplex", out=tmp_path / "out") == 2
    assert 'pip install "disambig[cli,plot]"' in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_unknown_figures_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "figure-7"]) == 2
    assert "invalid choice: 'figure-7'" in capsys.readouterr().err


@pytest.mark.parametrize("seed", ["-1", str(2**31), "1.5"])
def test_seeds_out_of_range_are_refused(seed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "simplex", f"--seed={seed}"]) == 2
    assert f"'{seed}' is no whole number from 0 to 2147483647" in capsys.readouterr().err


@pytest.mark.usefixtures("tiny")
def test_the_largest_seed_works(tmp_path: Path) -> None:
    for figure in ("interval", "ranking"):
        assert reproduce(figure, "--seed", str(2**31 - 1), out=tmp_path) == 0


@pytest.mark.usefixtures("tiny")
def test_only_write_errors_are_reported_as_write_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreadable(**_: object) -> None:
        raise OSError("the sensor is gone")

    (tmp_path / "numbers").write_text("a file")
    assert reproduce("simplex", out=tmp_path) == 1
    assert f"cannot write into {tmp_path}: " in capsys.readouterr().err
    monkeypatch.setattr(ranking, "line_errors", unreadable)
    assert reproduce("ranking", out=tmp_path) == 1
    assert capsys.readouterr().err.endswith("disambig reproduce: the sensor is gone.\n")
