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
from reproduce import classification, figure_data, ranking, rate_plan
from reproduce import figures_by_name as reproduce_figures
from reproduce.interval import figure as interval


def reproduce(*arguments: str, out: Path) -> int:
    return main(["reproduce", *arguments, "--quick", "--jobs", "1", "--out", str(out)])


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ranking.measured
    monkeypatch.setattr(ranking, "measured", lambda seed, n_draws: whole(seed, n_draws, (0.5, 0.8)))
    monkeypatch.setattr(ranking, "_QUICK_SETS", 2)
    monkeypatch.setattr(ranking, "_DRAWS", 1)
    methods = {
        name: interval.INTERVAL_METHODS[name]
        for name in ("AC, as coded (paper)", "AC, as coded (released)")
    }
    monkeypatch.setattr(interval, "INTERVAL_METHODS", methods)
    monkeypatch.setattr(interval, "PICTURED", tuple(methods))
    monkeypatch.setattr(interval, "_CHUNK", 2)
    monkeypatch.setattr(classification, "_QUICK_LEVELS", (0.5,))
    monkeypatch.setattr(classification, "_QUICK_FOLDS", {"few rows": 1, "many rows": 1})
    monkeypatch.setattr(classification, "LEVELS", (0.0, 0.5))
    monkeypatch.setattr(reproduce_figures, "DATA", ("svmguide2",))

    def missing(name: str, **_: object) -> None:
        raise DatasetError(f"{name} is nowhere")

    monkeypatch.setattr(figure_data, "fetch_libsvm", missing)


@pytest.mark.usefixtures("tiny")
def test_a_figure_with_its_numbers_and_its_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce("interval", "--seed", "3", out=tmp_path) == 0
    said = capsys.readouterr()
    assert str(tmp_path / "index.html") in said.out.replace("\n", "")
    assert "4 of 4 pieces" in said.err
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
    assert [piece["settings"].get("seed") for piece in record["pieces"]] == [3, 3, 3, 3]
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    root = ET.fromstring(page.partition("\n")[2])
    assert [section.get("id") for section in root.iter("section")] == ["interval"]
    assert not re.search(r'(?:src|srcset|href)="(?!data:|#)', page)


@pytest.mark.usefixtures("tiny")
def test_it_is_the_same_for_the_same_seed_and_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    assert reproduce("ranking", out=one) == 0
    first = ranking.measured

    def interrupted(seed: int, n_draws: int) -> dict[str, object]:
        if seed == 1:
            raise KeyboardInterrupt
        return first(seed, n_draws)

    monkeypatch.setattr(ranking, "measured", interrupted)
    assert reproduce("ranking", out=two) == 130
    kept = list((two / "pieces" / "ranking").iterdir())
    assert [path.name.rpartition("-")[0] for path in kept] == ["lines-0"]
    assert not (two / "index.html").exists()

    def only_the_rest(seed: int, n_draws: int) -> dict[str, object]:
        assert seed == 1
        return first(seed, n_draws)

    monkeypatch.setattr(ranking, "measured", only_the_rest)
    assert reproduce("ranking", out=two) == 0
    for name in ("numbers/ranking.csv", "figures/ranking.png", "figures/ranking.pdf"):
        assert (one / name).read_bytes() == (two / name).read_bytes()


@pytest.mark.usefixtures("tiny")
def test_missing_data_are_said_to_be_missing_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce("classification", out=tmp_path) == 0
    said = capsys.readouterr().out
    assert "svmguide2 cannot be had; wine" in said
    assert "svmguide2 is nowhere" in said
    rows = read(tmp_path / "numbers" / "classification.csv")
    assert {row["stand_in"] for row in rows} == {"True"}
    assert {row["authors"] for row in rows} == {""}
    assert {row["panel"] for row in rows} == {
        f"wine (in place of svmguide2), {kind}" for kind in ("text", "code")
    }
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    (notice,) = re.findall('<p class="notice">([^<]*)</p>', page)
    assert notice.startswith("svmguide2 cannot be had; wine")
    # Addresses and checksums are for those who ask.
    assert "is nowhere" not in notice
    assert "<li>svmguide2 is nowhere</li>" in page
    # There is nothing of the authors beside data that they did not use.
    assert "authors&#x27; code gave" not in page
    assert (tmp_path / "figures" / "classification-wine.png").exists()


def test_warnings_and_rates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_plan, "N_DRAWS", 1)
    monkeypatch.setattr(rate_plan, "N_QUERIES", 10)
    plan = {name: (s, {50: 2, 60: 2}) for name, (s, _) in rate_plan.rate_plan().items()}
    monkeypatch.setattr(rate_plan, "rate_plan", lambda: plan)
    assert reproduce("rates", out=tmp_path) == 0
    assert len(read(tmp_path / "numbers" / "rates.csv")) == 6 * 2 * 5


def test_the_triangle_and_the_progress_without_rich(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "rich", None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert reproduce("simplex", out=tmp_path) == 0
    assert "1 of 1 pieces" in capsys.readouterr().err


def test_a_bar_where_there_is_a_terminal(
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
    assert "is no folder" in capsys.readouterr().err
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
def test_seeds_that_later_ones_cannot_be_counted_from_are_refused(
    seed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", "simplex", f"--seed={seed}"]) == 2
    assert f"'{seed}' is no whole number from 0 to 2147483647" in capsys.readouterr().err


@pytest.mark.usefixtures("tiny")
def test_the_largest_seed_works(tmp_path: Path) -> None:
    for figure in ("interval", "ranking"):
        assert reproduce(figure, "--seed", str(2**31 - 1), out=tmp_path) == 0


@pytest.mark.usefixtures("tiny")
def test_only_what_cannot_be_written_is_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreadable(**_: object) -> None:
        raise OSError("the sensor is gone")

    (tmp_path / "numbers").write_text("a file")
    assert reproduce("simplex", out=tmp_path) == 1
    assert f"cannot write into {tmp_path}: " in capsys.readouterr().err
    monkeypatch.setattr(ranking, "measured", unreadable)
    with pytest.raises(OSError, match="the sensor is gone"):
        reproduce("ranking", out=tmp_path)
