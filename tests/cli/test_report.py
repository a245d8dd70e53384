"""``disambig report``, and ``report.html`` of ``fit``, ``answer`` and ``demo``."""

import json

import pandas as pd
import pytest

from disambig.cli import main
from tests.table_models.tables import labels


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """A table, and the folder of its fit."""
    made, folder = labels(60), tmp_path_factory.mktemp("report")
    made.frame.assign(truth=made.truth).to_csv(folder / "table.csv", index=False)
    assert main([*command(folder / "table.csv", folder / "out"), "--quiet"]) == 0
    return folder


def command(table, out, weights="neighbors"):
    return [
        *("fit", str(table), "--target", "label", "--id", "key", "--drop", "truth"),
        *("--weights", weights, "--out", str(out)),
    ]


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


@pytest.fixture
def folder(fitted, tmp_path):
    """A copy of it that a test may change."""
    for file in (fitted / "out").iterdir():
        (tmp_path / "out").mkdir(exist_ok=True)
        (tmp_path / "out" / file.name).write_bytes(file.read_bytes())
    return tmp_path / "out"


def test_fit_writes_the_report_with_its_command(fitted):
    text = (fitted / "out" / "report.html").read_text()
    assert "disambig fit " in text
    assert "--weights neighbors" in text
    known = summary(fitted / "out")
    assert "report.html" in known["files"]
    assert known["report"] == {"rows": True}


def test_fit_without_rows(fitted, tmp_path):
    out = tmp_path / "out"
    assert main([*command(fitted / "table.csv", out), "--no-rows", "--quiet"]) == 0
    assert summary(out)["report"] == {"rows": False}
    assert "no row of the table is shown" in (out / "report.html").read_text()
    # Made again, it still shows none, unless it is asked for.
    assert main(["report", str(out), "--quiet"]) == 0
    assert "no row of the table is shown" in (out / "report.html").read_text()
    assert main(["report", str(out), "--rows", "--quiet"]) == 0
    assert "no row of the table is shown" not in (out / "report.html").read_text()
    assert main(["report", str(out), "--no-rows", "--quiet"]) == 0
    assert summary(out)["report"] == {"rows": False}


def test_fit_without_the_extra_says_so(fitted, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("disambig.cli.report.is_installed", lambda name: name != "jinja2")
    out = tmp_path / "out"
    assert main(command(fitted / "table.csv", out)) == 0
    assert 'no report.html, because jinja2 is not installed: pip install "disambig[report]"' in (
        capsys.readouterr().err
    )
    assert not (out / "report.html").exists()
    assert summary(out)["report"] is None
    monkeypatch.setattr("disambig.cli.commands.is_installed", lambda name: name != "itables")
    assert main(["report", str(out)]) == 2
    assert "itables is not installed" in capsys.readouterr().err


def test_made_again_it_is_the_same(folder, capsys):
    before = (folder / "report.html").read_text()
    assert main(["report", str(folder), "--quiet"]) == 0
    printed = capsys.readouterr().out
    assert "How many labels can I trust" in printed
    assert f"written: {folder / 'report.html'}" in printed
    assert (folder / "report.html").read_text() == before
    assert main(["ask", str(folder), "--n", "2", "--quiet"]) == 0


def test_the_truth_is_compared(folder, capsys):
    assert main(["report", str(folder), "--truth", "truth", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    trust = next(one for one in document["sections"] if one["id"] == "trust")
    assert "truth is known in" in [fact["name"] for fact in trust["facts"]]
    assert main(["report", str(folder), "--truth", "nothing"]) == 2
    assert "there is no column 'nothing'" in capsys.readouterr().err


def test_an_edited_report_is_not_replaced_and_harms_nothing(folder, capsys):
    file = folder / "report.html"
    file.write_text("my notes")
    assert main(["report", str(folder)]) == 2
    assert "was changed" in capsys.readouterr().err
    assert file.read_text() == "my notes"
    assert main(["ask", str(folder), "--n", "2", "--quiet"]) == 0
    assert main(["report", str(folder), "--force", "--quiet"]) == 0
    assert file.read_text() != "my notes"
    file.unlink()
    assert main(["report", str(folder), "--quiet"]) == 0
    assert file.exists()


def test_another_file(folder, tmp_path, capsys):
    file = tmp_path / "page.html"
    before = summary(folder)
    assert main(["report", str(folder), "--out", str(file), "--quiet"]) == 0
    assert file.read_text().startswith("<!DOCTYPE html>")
    assert summary(folder) == before
    assert main(["report", str(folder), "--out", str(file)]) == 2
    assert "exists" in capsys.readouterr().err
    assert main(["report", str(folder), "--out", str(file), "--force", "--quiet"]) == 0


def test_answers_change_the_report(fitted, folder, tmp_path):
    truth = pd.read_csv(fitted / "table.csv", keep_default_na=False)
    truth[["key"]].assign(answer=truth["truth"]).head(5).to_csv(tmp_path / "a.csv", index=False)
    before = (folder / "report.html").read_text()
    assert main(["answer", str(folder), str(tmp_path / "a.csv"), "--quiet"]) == 0
    assert (folder / "report.html").read_text() != before
    assert "report.html" in summary(folder)["files"]
    # A folder without a report gets none.
    (folder / "report.html").unlink()
    known = {**summary(folder), "report": None}
    (folder / "summary.json").write_text(json.dumps(known))
    assert main(["answer", str(folder), str(tmp_path / "a.csv"), "--quiet"]) == 0
    assert not (folder / "report.html").exists()


def test_two_folders_side_by_side(fitted, folder, tmp_path, capsys):
    second = tmp_path / "second"
    assert main([*command(fitted / "table.csv", second, "nadaraya_watson"), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["report", str(folder), str(second), "--truth", "truth", "--quiet"]) == 0
    assert "How many labels differ?" in capsys.readouterr().out
    text = (second / "comparison.html").read_text()
    assert "out and second, side by side" in text
    assert "right where the truth is known" in text
    assert main(["report", str(folder), str(second)]) == 2
    assert "comparison.html exists" in capsys.readouterr().err
    assert main(["report", str(folder), str(second), "--table", "x.csv", "--force"]) == 2
    assert "--table is for one folder" in capsys.readouterr().err
    assert main(["report", str(folder), str(second), str(second)]) == 2
    assert "name one, or two" in capsys.readouterr().err
