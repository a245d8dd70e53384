"""``disambig demo``, run in this process on small data."""

import csv
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disambig.cli import main
from disambig.cli.commands import Refusal
from disambig.cli.demo.comparison import Outcome
from disambig.cli.demo.experiment import Demo, Recovered, load_labelled_data
from disambig.cli.demo.output import FIGURE, LABELS, RESULTS, verdict, write_all


@dataclass
class Run:
    code: int
    folder: Path
    output: str
    labels: list[dict[str, str]]
    results: list[dict[str, str]]


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One run, in a narrow terminal, into a folder with a file of the user."""
    folder = tmp_path_factory.mktemp("out")
    (folder / "mine.txt").write_text("mine")
    (folder / LABELS).write_text("old")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "70")
        lines: list[str] = []
        patch.setattr(sys.stdout, "write", lambda text: lines.append(text) or len(text))
        code = main(["demo", "--dataset", "iris", "--splits", "2", "--out", str(folder)])
    return Run(code, folder, "".join(lines), read(folder / LABELS), read(folder / RESULTS))


def test_it_succeeds_and_does_not_change_other_files(ran: Run) -> None:
    assert ran.code == 0
    assert sorted(path.name for path in ran.folder.iterdir()) == sorted(
        [FIGURE, LABELS, RESULTS, "mine.txt"]
    )
    assert (ran.folder / "mine.txt").read_text() == "mine"
    assert (ran.folder / FIGURE).read_bytes().startswith(b"\x89PNG")


def test_the_text_fits_into_the_width(ran: Run) -> None:
    assert max(map(len, ran.output.splitlines())) <= 70
    assert "…" not in ran.output
    for words in ("One of them is", "± standard error", "Three", "DF has the lowest error in"):
        assert words in ran.output
    assert str(ran.folder) in ran.output.replace("\n", "")


def test_the_file_of_labels(ran: Run) -> None:
    data = load_labelled_data("iris")
    demo = Demo(data, n_splits=2, seed=0)
    assert [int(line["row"]) for line in ran.labels] == demo.splits[0][0].tolist()
    for line in ran.labels:
        candidates = line["candidates"].split("|")
        assert set(candidates) <= set(data.classes)
        assert line["truth"] == data.classes[data.labels[int(line["row"])]]
        assert line["truth"] in candidates
        assert line["resolved"] in ("true", "false")
        # A label that the data do not decide is not resolved, whatever its confidence.
        assert line["label"] != "" or line["resolved"] == "false"
        assert (float(line["confidence"]) >= 0.9) >= (line["resolved"] == "true")
        assert line["label"] in ("", *candidates)
        assert 0.0 <= float(line["confidence"]) <= 1.0
    decided = [line for line in ran.labels if line["label"]]
    # Most rows have two or three candidates: a random choice would be right in less than half.
    assert np.mean([line["label"] == line["truth"] for line in decided]) > 0.8


def test_the_file_of_results(ran: Run) -> None:
    keys = {(line["kind"], line["level"], line["split"], line["method"]) for line in ran.results}
    assert len(keys) == len(ran.results) == 2 * 5 * 2 * 4
    assert all(0.0 <= float(line["test_error"]) <= 1.0 for line in ran.results)
    shown = [
        float(line["share_recovered"])
        for line in ran.results
        if (line["kind"], line["level"], line["split"], line["method"])
        == ("uniform", "0.7", "0", "DF")
    ]
    in_file = np.mean([line["label"] == line["truth"] for line in ran.labels])
    undecided = np.mean([line["label"] == "" for line in ran.labels])
    assert in_file <= shown[0] <= in_file + undecided


def test_an_undecided_row_has_no_label(tmp_path: Path) -> None:
    demo = Demo(load_labelled_data("iris"), n_splits=2)
    rows = np.array([4, 7])
    recovered = Recovered(
        rows=rows,
        sets=demo.sets("uniform", 1.0, 0)[rows],
        labels=demo.truth[rows],
        decided=np.array([True, False]),
        resolved=np.array([False, False]),
        confidence=np.array([0.75, 0.5]),
        truth=demo.truth[rows],
    )
    write_all(tmp_path, demo, outcomes(), recovered)
    assert (tmp_path / LABELS).read_text(encoding="utf-8").splitlines() == [
        "row,candidates,label,resolved,confidence,truth",
        "4,setosa|versicolor|virginica,setosa,false,0.7500,setosa",
        "7,setosa|versicolor|virginica,,false,0.5000,setosa",
    ]
    with pytest.raises(Refusal, match="cannot write into") as caught:
        write_all(tmp_path / "gone", demo, outcomes(), recovered)
    assert caught.value.code == 1


def outcomes(ours: float = 0.2, found: float = 0.9) -> list[Outcome]:
    errors = {"DF": (ours, found), "IL": (0.3, 0.9), "AC": (0.4, 0.8), "true labels": (0.1, 1.0)}
    return [
        Outcome(kind, 0.5, split, method, 2.0, 10, error, share)
        for kind in ("uniform", "skewed")
        for split in range(2)
        for method, (error, share) in errors.items()
    ]


@pytest.mark.parametrize(
    ("ours", "found", "words"),
    [
        (0.2, 0.9, ["lowest error in 2 of 2 settings, in 2 of them by", "No baseline beats it"]),
        (0.3, 0.9, ["lowest error in 0 of 2 settings", "shares the lowest in 2"]),
        (0.5, 0.9, ["in 0 of 2 settings.", "uniform, 50%: 50.0 against 30.0 (IL)"]),
        (0.2, 0.7, ["finds more", "skewed, 50%: 70.0 against 90.0 (IL)"]),
    ],
)
def test_the_conclusion_lists_settings_with_a_better_baseline(
    ours: float, found: float, words: list[str]
) -> None:
    text = verdict(outcomes(ours, found)).plain
    for part in words:
        assert part in text
    assert ("No baseline beats it" in text) == (ours <= 0.3 and found >= 0.9)


@pytest.mark.parametrize("package", ["rich", "matplotlib"])
def test_the_error_of_a_missing_package(
    package: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    assert main(["demo", "--out", str(tmp_path / "out")]) == 2
    message = capsys.readouterr().err
    assert f"{package} is not installed" in message
    assert 'pip install "disambig[cli,plot]"' in message
    assert not (tmp_path / "out").exists()


def test_a_file_is_not_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("mine")
    assert main(["demo", "--out", str(tmp_path / "file")]) == 2
    assert "is a file; name a folder" in capsys.readouterr().err
    assert main(["demo", "--out", str(tmp_path / "file" / "below")]) == 2
    assert "cannot make this folder" in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == "mine"


def test_an_interrupted_run_leaves_no_empty_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: Any) -> Any:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(Demo, "run", interrupted)
    arguments = ["demo", "--dataset", "iris", "--out", str(tmp_path / "new")]
    assert main(arguments) == 130
    assert not (tmp_path / "new").exists()
    (tmp_path / "new").mkdir()
    assert main(arguments) == 130
    assert (tmp_path / "new").exists()
