"""Every command in this process: results, notes, exit codes, and what is refused."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from disambig.cli import main
from disambig.cli.demo.command import PICTURE, TABLE
from tests.table_models.tables import MAKE

FULL = Path("/dev/full")
# As `check` calls them.
NAMES = {"bits": "tags"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """For each kind a table, and the folder that `fit` wrote with named weights."""
    found = {}
    for kind, make in MAKE.items():
        made, folder = make(60), tmp_path_factory.mktemp(kind)
        made.frame.to_csv(folder / "table.csv", index=False)
        weights = made.weights if isinstance(made.weights, str) else "kernel_ridge"
        arguments = [
            *("fit", str(folder / "table.csv"), "--target", made.target, "--id", "key"),
            *("--weights", weights, "--out", str(folder / "out"), "--quiet"),
        ]
        assert main(arguments) == 0
        found[kind] = made, folder
    return found


@pytest.mark.parametrize("kind", MAKE)
def test_from_file_to_answers(kind, folders, tmp_path, capsys):
    made, folder = folders[kind]
    table, out = str(folder / "table.csv"), tmp_path / "out"
    weights = made.weights if isinstance(made.weights, str) else "kernel_ridge"
    options = ["--target", made.target, "--id", "key"]
    assert main(["check", table, *options]) == 0
    assert f"target ({NAMES.get(kind, kind)})" in capsys.readouterr().out
    assert main(["diagnose", table, *options, "--json", "--quiet"]) == 0
    assert isinstance(json.loads(capsys.readouterr().out), dict)
    assert main(["fit", table, *options, "--weights", weights, "--out", str(out), "--json"]) == 0
    printed = capsys.readouterr()
    summary = json.loads(printed.out)
    assert summary == json.loads((out / "summary.json").read_text())
    assert "disambig fit: " in printed.err
    assert main(["info", str(out), "--json"]) == 0
    about = json.loads(capsys.readouterr().out)
    assert about["metadata"]["kind"] == kind
    assert main(["info", str(out / "model.skops")]) == 0
    assert kind in capsys.readouterr().out

    new = made.frame[["colour", "width", "key", "size"]].assign(more="x")
    new.to_csv(tmp_path / "new.csv", index=False)
    predictions = tmp_path / "predictions.csv"
    proba = [] if kind == "numbers" else ["--proba"]
    arguments = ["predict", str(out), str(tmp_path / "new.csv"), "--sets", "0.8", *proba]
    assert main([*arguments, "--out", str(predictions)]) == 0
    found = pd.read_csv(predictions, keep_default_na=False)
    assert found["key"].tolist() == made.frame["key"].tolist()
    assert "60 predictions written" in capsys.readouterr().out

    assert main(["ask", str(out), "--n", "4", "--random", "1"]) == 0
    assert "expected to make" in capsys.readouterr().out
    questions = pd.read_csv(out / "questions.csv", keep_default_na=False)
    place = {key: row for row, key in enumerate(made.frame["key"])}
    truth = [made.truth[place[key]] for key in questions["key"]]
    questions["answer"] = truth
    questions.to_csv(tmp_path / "answers.csv", index=False)
    assert main(["answer", str(out), str(tmp_path / "answers.csv")]) == 0
    assert "4 rows answered so far: " in capsys.readouterr().out
    labels = pd.read_csv(out / "labels.csv", keep_default_na=False).set_index("key")
    assert (labels["is_answered"] == "yes").sum() == 4
    rows = labels.loc[questions["key"], "label"].tolist()
    assert rows == questions["answer"].tolist()
    assert main(["ask", str(out), "--n", "2", "--out", str(tmp_path / "more.csv")]) == 0


def test_predictions_go_to_the_standard_output(folders, capfdbinary):
    _, folder = folders["labels"]
    assert main(["predict", str(folder / "out"), str(folder / "table.csv"), "--quiet"]) == 0
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert lines[0] == "key,prediction,probability"
    assert len(lines) == 61
    assert main(["predict", str(folder / "out"), str(folder / "table.csv"), "--json"]) == 0
    found = json.loads(capfdbinary.readouterr().out)
    assert found["predictions"][0]["key"] == "k0"
    assert found["score"] > 0.8


def run(arguments, capsys):
    """The exit code and the line of an error; before it there may be notes about the table."""
    capsys.readouterr()
    code = main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    assert printed.out == ""
    return code, printed.err.splitlines()[-1]


def test_what_is_refused(folders, tmp_path, capsys):
    _, folder = folders["labels"]
    table, out = folder / "table.csv", folder / "out"
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    cases = [
        (["fit", table, "--target", "label", "--out", out], "of an earlier run"),
        (["fit", table, "--target", "label", "--out", table], "is a file"),
        (["fit", table, "--target", "nolabel", "--out", tmp_path / "a"], "'nolabel'"),
        (["fit", tmp_path / "no.csv", "--out", tmp_path / "a"], "no.csv"),
        (["fit", tmp_path, "--out", tmp_path / "a"], "or a folder"),
        (["fit", table, "--target", "label", "--type", "size", "--out", tmp_path / "a"], "--type"),
        (["fit", table, "--target", "label", "--weights", "x", "--out", tmp_path / "a"], "'x'"),
        (["predict", tmp_path / "no", table], "no such file"),
        (["predict", tmp_path, table], "has no model.skops"),
        (["predict", table, table], "not a zip archive"),
        (["predict", out, table, "--sets", "2"], "0.50, 0.51"),
        (["predict", out, table, "--out", tmp_path], "is a folder"),
        (["predict", out, table, "--out", tmp_path / "no" / "x.csv"], "there is no folder"),
        (["info", table], "not a zip archive"),
        (["info", tmp_path / "no"], "there is no such file"),
        (["info", "x" * 300], "too long"),
        (["fit", table, "--target", "label", "--out", "x" * 300, "--quiet"], "too long"),
        (["fit", out / "labels.csv", "--out", out, "--force"], "is read and would be replaced"),
        (["predict", out, table, "--out", out / "model.skops", "--force"], "of a file of 'fit'"),
        (["predict", out, table, "--out", table, "--force"], "is read and would be replaced"),
        (["predict", out, table, "--force"], "--force is for --out"),
        (["demo", "--out", out], "has the files of a fit"),
        (["ask", tmp_path / "no"], "no such folder"),
        (["ask", out, "--n", "999", "--out", tmp_path / "q.csv"], "999"),
        (["answer", out, table], "there is no column 'answer'"),
        (["diagnose", table, "--target", "label", "--ignore", "L999", "--quiet"], "L999"),
    ]
    for arguments, message in cases:
        code, line = run(arguments, capsys)
        assert code == 2, arguments
        assert message in line
        assert line.startswith(f"disambig {arguments[0]}: ")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert not (tmp_path / "a").exists()
    (tmp_path / "q.csv").write_text("mine")
    code, line = run(["ask", out, "--out", tmp_path / "q.csv"], capsys)
    assert (code, "exists" in line) == (2, True)
    assert (tmp_path / "q.csv").read_text() == "mine"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--tolerance", "-1"),
        ("--tolerance", "x"),
        ("--time-limit", "0"),
        ("--time-limit", "nan"),
        ("--resolve-at", "1.5"),
        ("--seed", "-1"),
        ("--method", "best"),
        ("--kind", "words"),
    ],
)
def test_bad_values_of_options(option, value, tmp_path, capsys):
    assert main(["fit", "x.csv", "--out", str(tmp_path / "a"), option, value]) == 2
    assert option in capsys.readouterr().err


def test_force_resume_and_a_finished_run(folders, tmp_path, capsys):
    _, folder = folders["labels"]
    out = tmp_path / "out"
    arguments = [
        *("fit", str(folder / "table.csv"), "--target", "label", "--id", "key"),
        *("--weights", "neighbors", "--out", str(out), "--quiet"),
    ]
    assert main([*arguments, "--resume"]) == 0
    first = (out / "labels.csv").read_bytes()
    capsys.readouterr()
    assert main([*arguments, "--resume", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 60
    # Another run is not taken for this one.
    other = [*arguments[:-1], "--seed", "3"]
    assert main([*other, "--resume"]) == 2
    assert main([*other, "--force"]) == 0
    assert (out / "labels.csv").read_bytes() != first
    assert not (out / "checkpoint.skops").exists()


def test_an_interrupted_run_keeps_the_model(folders, tmp_path, capsys, monkeypatch):
    _, folder = folders["labels"]
    out = tmp_path / "out"
    arguments = [
        *("fit", str(folder / "table.csv"), "--target", "label", "--id", "key"),
        *("--weights", "neighbors", "--out", str(out)),
    ]

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("disambig.table_models.fitting.examine_fitted", interrupted)
        assert main(arguments) == 130
    error = capsys.readouterr().err
    assert "go on with --resume" in error
    assert error.endswith("disambig fit: interrupted\n")
    assert [path.name for path in out.iterdir()] == ["checkpoint.skops"]

    def refitted(*_, **__):
        raise AssertionError("the model is fitted already")

    with monkeypatch.context() as patch:
        patch.setattr("disambig.table_models.fitting.fit_pipeline", refitted)
        assert main([*arguments, "--resume"]) == 0
    whole = folder / "out" / "labels.csv"
    assert (out / "labels.csv").read_bytes() == whole.read_bytes()


def test_the_demo(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("stays")
    assert main(["demo", "--out", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["truth"]
    assert found["right_by_chance"] < 0.5
    assert found["right"] > 0.9
    assert found["right"] < found["right_if_resolved"]
    assert abs(found["right"] - found["mean_confidence"]) < 0.05
    assert (tmp_path / "mine.txt").read_text() == "stays"
    assert (tmp_path / PICTURE).read_bytes().startswith(b"\x89PNG")
    assert {TABLE, "labels.csv", "model.skops", "summary.json"} <= {
        path.name for path in tmp_path.iterdir()
    }
    assert main(["demo", "--out", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "Recovered labels are right in" in text
    assert f"disambig ask {tmp_path} --n 20" in text


def test_texts_of_data_are_not_interpreted(tmp_path, capsys):
    made = MAKE["labels"](60)
    frame = made.frame.assign(label=made.frame["label"].str.replace("ant", "[red]ant[/red]"))
    frame.to_csv(tmp_path / "t.csv", index=False)
    arguments = ["fit", str(tmp_path / "t.csv"), "--target", "label", "--weights", "neighbors"]
    assert main([*arguments, "--out", str(tmp_path / "out"), "--drop", "key"]) == 0
    assert "[red]ant[/red]" in capsys.readouterr().out


def test_completion_scripts(capsys):
    for shell in ("bash", "zsh", "tcsh"):
        assert main(["completion", shell]) == 0
        script = capsys.readouterr().out
        assert "predict" in script
        assert "--excel-safe" in script or "excel-safe" in script


def test_options_that_are_repeated_add_up(folders, capsys):
    _, folder = folders["labels"]
    options = ["--target", "label", "--drop", "key", "--drop", "colour", "--json"]
    assert main(["check", str(folder / "table.csv"), *options]) == 0
    uses = {one["column"]: one["use"] for one in json.loads(capsys.readouterr().out)["columns"]}
    assert uses["key"] == uses["colour"] == "dropped"


def test_labels_that_are_not_judged_are_said_to_be_so(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("size,label\n0.5,a\n1.5,a|b\n2.5,a|b\n")
    arguments = ["fit", str(tmp_path / "t.csv"), "--weights", "nadaraya_watson"]
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 0
    assert "Labels are not judged" in capsys.readouterr().err


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")
def test_a_full_output_is_one_line(folders):
    _, folder = folders["labels"]
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "disambig", "info", str(folder / "out")],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "disambig info: the output: No space left on device.\n"


def document(capsys):
    found = capsys.readouterr()
    return json.loads(found.out), found.err


@pytest.mark.parametrize("command", ["check", "diagnose", "fit"])
def test_errors_are_documents_for_programs(command, tmp_path, capsys):
    file = tmp_path / "table.csv"
    file.write_text("size,label\n1,ant\n2\n")
    more = ["--out", str(tmp_path / "out")] if command == "fit" else []
    assert main([command, str(file), "--target", "label", "--json", *more]) == 2
    found, error = document(capsys)
    if command == "check":
        assert found["problems"][0]["line"] == 3
        return
    assert found["error"]["exit_code"] == 2
    assert found["error"]["file"] == str(file)
    assert found["error"]["line"] == 3
    assert error == f"disambig {command}: {found['error']['message']}\n"


def test_other_errors_are_documents_too(folders, tmp_path, capsys, monkeypatch):
    missing = str(tmp_path / "none")
    for arguments in (
        ["info", missing],
        ["predict", missing, missing],
        ["ask", missing],
        ["answer", missing, missing],
        ["report", missing],
        ["fit", missing],
        ["fit", missing, "--out", str(tmp_path / "a"), "--resolve-at", "2"],
    ):
        assert main([*arguments, "--json"]) == 2
        found, _ = document(capsys)
        assert list(found["error"]) == ["message", "exit_code", "file", "line", "column"]
        assert found["error"]["message"]
        assert main(arguments) == 2
        assert not capsys.readouterr().out

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("disambig.table_models.folder.read_summary", interrupted)
    assert main(["ask", str(folders["labels"][1] / "out"), "--json"]) == 130
    assert document(capsys)[0]["error"]["message"] == "interrupted"


def test_findings_name_lines_or_identifiers(tmp_path, capsys):
    rows = [f"k{row},{row % 17},{row % 7},{'ant' if row % 17 > 8 else 'bee'}" for row in range(80)]
    rows[40] = 'k40,3,"5\n",ant'
    rows += ["k80,3,5,bee"] * 4
    file = tmp_path / "table.csv"
    file.write_text("key,size,width,label\n" + "\n".join(rows).replace("k80", "k9") + "\n")
    arguments = ["diagnose", str(file), "--target", "label"]
    assert main([*arguments, "--drop", "key"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Lines: 42, 57, 83, 84, 85, 86" in text
    assert main([*arguments, "--id", "key"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Rows by key: k40, k54, k9, k9, k9, k9" in text
    assert main([*arguments, "--id", "key", "--json"]) == 0
    found, _ = document(capsys)
    (issue,) = (one for one in found["sections"]["issue"] if 40 in one["rows"])
    assert issue["names"][0] == "k40"
    assert issue["names_are"] == "Rows by key"


def test_no_color_leaves_no_marks_at_all(tmp_path, monkeypatch, capsys):
    file = tmp_path / "table.csv"
    file.write_text("size,label\n" + "1,ant\n2,bee\n" * 20)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    arguments = ["check", str(file), "--target", "label", "--keep", "size"]
    assert main(arguments) == 0
    assert "\x1b[" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(arguments) == 0
    assert "\x1b[" not in capsys.readouterr().out


def test_long_names_are_shown_whole_and_cuts_are_said(tmp_path, capsys):
    name, endless = "n" * 300, "m" * 3000
    file = tmp_path / "table.csv"
    file.write_text(f"{name},{endless},label\n" + "1,2,ant\n2,1,bee\n" * 20)
    assert main(["check", str(file), "--target", "label", "--keep", name, endless]) == 0
    text = "".join(capsys.readouterr().out.split())
    assert text.count("n" * 20) >= 1
    assert text.count("n") >= 300
    assert "(1000morecharacters)" in text


def test_warnings_of_an_interrupted_run_are_said_again(tmp_path, capsys, monkeypatch):
    file = tmp_path / "table.csv"
    file.write_text("size,label\n" + "".join(f"{k},{'ab'[k > 5]}\n" for k in range(12)))
    out = tmp_path / "out"
    arguments = ["fit", str(file), "--target", "label", "--keep", "size", "--out", str(out)]

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("disambig.table_models.fitting.examine_fitted", interrupted)
        assert main(arguments) == 130
    first = capsys.readouterr().err
    assert "warning: " in first
    assert main([*arguments, "--resume"]) == 0
    again = capsys.readouterr().err
    warned = [line for line in first.splitlines() if "warning: " in line]
    assert [line for line in again.splitlines() if "warning: " in line] == warned
    known = json.loads((out / "summary.json").read_text())["warnings"]
    assert [f"disambig fit: warning: {text}" for text in known] == warned
