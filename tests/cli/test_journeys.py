"""Every kind of target through all commands, in processes, with the defaults of a new user."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tests.table_models.tables import MAKE

pytestmark = pytest.mark.slow


def disambig(folder, *arguments, stdin=None):
    """Run a command in a folder; returns its standard output."""
    done = subprocess.run(
        [sys.executable, "-m", "disambig", *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        input=stdin,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def share_right(kind, found, made):
    """How many labels are right; of numbers, how many are within a fifth of their spread."""
    truth = pd.Series(made.truth)
    if kind == "numbers":
        return ((found - truth).abs() < truth.std() / 5).mean()
    return (found == truth).mean()


@pytest.mark.parametrize("kind", MAKE)
def test_a_file_goes_all_the_way(kind, tmp_path):
    made = MAKE[kind](150, seed=3)
    made.frame.to_csv(tmp_path / "train.csv", index=False)
    new = MAKE[kind](40, seed=4)
    # Another order, one more column, no target, a category that was not there.
    table = new.frame[["colour", "size", "key", "width"]].assign(note="x")
    table.loc[0, "colour"] = "violet"
    table.to_csv(tmp_path / "new.csv", index=False)
    options = ["--target", made.target, "--id", "key"]

    checked = json.loads(disambig(tmp_path, "check", "train.csv", *options, "--json"))
    assert checked["problems"] == []
    assert checked["rows"] == 150
    disambig(tmp_path, "diagnose", "train.csv", *options)
    text = disambig(tmp_path, "fit", "train.csv", *options, "--out", "run")
    assert "150 rows" in text
    labels = pd.read_csv(tmp_path / "run" / "labels.csv", keep_default_na=False)
    assert labels["key"].tolist() == made.frame["key"].tolist()
    assert share_right(kind, labels["label"], made) > 0.8
    assert kind in disambig(tmp_path, "info", "run")

    disambig(tmp_path, "predict", "run", "new.csv", "--out", "predictions.csv", "--sets", "0.9")
    found = pd.read_csv(tmp_path / "predictions.csv", keep_default_na=False)
    assert found["key"].tolist() == new.frame["key"].tolist()
    assert share_right(kind, found["prediction"], new) > 0.8

    disambig(tmp_path, "ask", "run", "--n", "10")
    questions = pd.read_csv(tmp_path / "run" / "questions.csv", keep_default_na=False)
    truth = dict(zip(made.frame["key"], made.truth, strict=True))
    questions["answer"] = [truth[key] for key in questions["key"]]
    questions.to_csv(tmp_path / "answers.csv", index=False)
    assert " changed; " in disambig(tmp_path, "answer", "run", "answers.csv")
    after = pd.read_csv(tmp_path / "run" / "labels.csv", keep_default_na=False)
    assert (after["is_answered"] == "yes").sum() == 10
    assert share_right(kind, after["label"], made) >= share_right(kind, labels["label"], made)


def test_bags_go_all_the_way(tmp_path):
    made, new = MAKE["labels"](240, seed=3), MAKE["labels"](40, seed=4)
    table = made.frame.drop(columns="label").assign(bag=np.arange(240) // 10)
    table.to_csv(tmp_path / "train.csv", index=False)
    new.frame.drop(columns="label").to_csv(tmp_path / "new.csv", index=False)
    pd.crosstab(table["bag"], np.array(made.truth)).to_csv(tmp_path / "shares.csv")
    options = ["--bags", "bag", "--proportions", "shares.csv", "--id", "key"]

    checked = json.loads(disambig(tmp_path, "check", "train.csv", *options, "--json"))
    assert {"column": "bag", "use": "bag", "why": ""} in checked["columns"]
    disambig(tmp_path, "fit", "train.csv", *options, "--out", "run")
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    # Enough bags to hide some: labels are judged, and prediction sets would promise nothing.
    assert (summary["confidence"]["by"], summary["bags"]["kept"]) == ("hidden bags", 24)
    labels = pd.read_csv(tmp_path / "run" / "labels.csv", keep_default_na=False)
    assert share_right("labels", labels["label"], made) > 0.7
    assert "labels" in disambig(tmp_path, "info", "run")
    disambig(tmp_path, "predict", "run", "new.csv", "--out", "predictions.csv")
    found = pd.read_csv(tmp_path / "predictions.csv", keep_default_na=False)
    assert share_right("labels", found["prediction"], new) > 0.6
    disambig(tmp_path, "ask", "run", "--n", "10")
    questions = pd.read_csv(tmp_path / "run" / "questions.csv", keep_default_na=False)
    truth = dict(zip(made.frame["key"], made.truth, strict=True))
    questions["answer"] = [truth[key] for key in questions["key"]]
    questions.to_csv(tmp_path / "answers.csv", index=False)
    disambig(tmp_path, "answer", "run", "answers.csv")
    after = pd.read_csv(tmp_path / "run" / "labels.csv", keep_default_na=False)
    assert (after["is_answered"] == "yes").sum() == 10


def test_the_standard_input_and_compressed_files(tmp_path):
    made = MAKE["labels"](80)
    options = ["--target", "label", "--id", "key", "--weights", "neighbors", "--quiet"]
    text = made.frame.to_csv(index=False)
    disambig(tmp_path, "fit", "-", *options, "--out", "piped", stdin=text)
    made.frame.to_csv(tmp_path / "train.csv.gz", index=False)
    disambig(tmp_path, "fit", "train.csv.gz", *options, "--out", "packed")
    one, other = ((tmp_path / name / "labels.csv").read_bytes() for name in ("piped", "packed"))
    assert one == other
    printed = disambig(tmp_path, "predict", "packed", "-", stdin=text)
    assert printed.startswith("key,prediction,probability\nk0,")
