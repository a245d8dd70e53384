"""Saving a fit in a folder, and opening it again."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from disambig import fit_table
from disambig.exceptions import ModelFileError
from disambig.persistence import save_model
from disambig.table_models import load_predictor, open_folder
from disambig.table_models.folder import csv_bytes
from disambig.table_models.summary import table_hash
from disambig.tables.reading import raw_table
from tests.table_models.tables import MAKE


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """For each kind the model, its folder and its file."""
    found = {}
    for kind, make in MAKE.items():
        made, folder = make(60), tmp_path_factory.mktemp(kind)
        file = folder / "table.csv"
        made.frame.to_csv(file, index=False)
        model = fit_table(file, made.target, id="key", weights=made.weights)
        model.save(folder / "out")
        found[kind] = model, folder / "out", file
    return found


@pytest.mark.parametrize("kind", MAKE)
def test_a_folder_is_opened_as_it_was(kind, saved):
    model, folder, file = saved[kind]
    again = open_folder(folder)
    pd.testing.assert_frame_equal(again.labels, model.labels)
    predictor = load_predictor(folder)
    one, other = (use.predict(file, coverage=0.8) for use in (predictor, model))
    pd.testing.assert_frame_equal(one, other)
    assert again.ask(3).rows.tolist() == model.ask(3).rows.tolist()
    written = pd.read_csv(folder / "labels.csv", keep_default_na=False)
    assert written["key"].tolist() == model.labels["key"].tolist()
    assert written["resolved"].map({"yes": True, "no": False}).tolist() == model.resolved.tolist()
    if kind == "numbers":
        assert written["label"].tolist() == model.labels["label"].tolist()
    else:
        assert written["label"].tolist() == model.labels["label"].tolist()


@pytest.mark.parametrize("kind", MAKE)
def test_the_summary(kind, saved):
    model, folder, file = saved[kind]
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["kind"] == kind
    assert summary["rows"] == 60
    assert summary["table"]["file"] == str(file)
    assert summary["confidence"]["resolved"] == int(model.resolved.sum())
    assert summary["target"]["sentence"] == model.table.target.sentence
    assert {one["column"]: one["type"] for one in summary["features"]}["size"] == "number"
    if kind == "labels":
        assert summary["labels"]["counts"] == model.labels["label"].value_counts().to_dict()


def test_nothing_is_overwritten_unless_allowed(saved):
    model, folder, _ = saved["labels"]
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(FileExistsError, match=r"labels\.csv, model\.skops, summary\.json"):
        model.save(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    with pytest.raises(FileExistsError, match="is a file"):
        model.save(folder / "labels.csv")
    model.save(folder, overwrite=True)
    assert (folder / "labels.csv").read_bytes() == before["labels.csv"]


def copied(folder, target):
    target.mkdir()
    for path in folder.iterdir():
        (target / path.name).write_bytes(path.read_bytes())
    return target


@pytest.mark.parametrize("name", ["labels.csv", "model.skops"])
def test_files_of_two_runs_are_recognised(name, saved, tmp_path):
    folder = copied(saved["labels"][1], tmp_path / "out")
    other = saved["orders"][1] / name
    (folder / name).write_bytes(other.read_bytes())
    with pytest.raises(ModelFileError, match="it was changed or replaced"):
        open_folder(folder)
    (folder / name).unlink()
    with pytest.raises(ModelFileError, match="is not the one of"):
        open_folder(folder)


def test_what_opening_refuses(saved, tmp_path):
    _, folder, file = saved["labels"]
    with pytest.raises(ModelFileError, match="no such folder"):
        open_folder(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelFileError, match="no fit was finished"):
        open_folder(tmp_path / "empty")
    other = tmp_path / "other.csv"
    other.write_text(file.read_text().replace("red", "green"))
    with pytest.raises(ModelFileError, match="cells have changed"):
        open_folder(folder, other)
    moved = copied(folder, tmp_path / "moved")
    summary = json.loads((moved / "summary.json").read_text())
    summary["table"]["file"] = str(tmp_path / "gone.csv")
    (moved / "summary.json").write_text(json.dumps(summary))
    with pytest.raises(ModelFileError, match=r"gone\.csv is not there any more"):
        open_folder(moved)
    assert len(open_folder(moved, file).labels) == 60
    (moved / "summary.json").write_text("{")
    with pytest.raises(ModelFileError, match="cannot be read"):
        open_folder(moved)


def test_what_a_predictor_refuses(saved, tmp_path):
    model, _, _ = saved["labels"]
    with pytest.raises(ModelFileError, match=r"has no model\.skops"):
        load_predictor(tmp_path)
    with pytest.raises(ModelFileError, match="no such file"):
        load_predictor(tmp_path / "x.skops")
    save_model(model.pipeline, tmp_path / "plain.skops")
    with pytest.raises(ModelFileError, match="was not fitted on a table"):
        load_predictor(tmp_path / "plain.skops")
    save_model(model.pipeline, tmp_path / "odd.skops", metadata={"plan": {"schema": 1}})
    with pytest.raises(ModelFileError, match="plan cannot be read"):
        load_predictor(tmp_path / "odd.skops")


def test_a_frame_has_no_file(saved, tmp_path):
    made = MAKE["labels"](60)
    model = fit_table(made.frame, "label", id="key", weights="neighbors")
    model.save(tmp_path / "out")
    with pytest.raises(ModelFileError, match="was no file"):
        open_folder(tmp_path / "out")
    pd.testing.assert_frame_equal(open_folder(tmp_path / "out", made.frame).labels, model.labels)


def test_formulas_of_spreadsheets():
    frame = pd.DataFrame(
        {
            "=id": ["-x", "+1", "@a"],
            "label": ["=cmd|' /C calc'!A0", "\tb", "plain"],
            "confidence": [0.5, -1.0, np.nan],
            "n": [-1, 2, 3],
        }
    )
    safe = csv_bytes(frame, excel_safe=True).decode()
    assert safe == (
        "'=id,label,confidence,n\n'-x,'=cmd|' /C calc'!A0,0.5,-1\n+1,'\tb,-1.0,2\n'@a,plain,,3\n"
    )
    plain = csv_bytes(frame).decode()
    assert "'=id" not in plain
    assert pd.read_csv(pd.io.common.StringIO(plain))["label"].tolist() == frame["label"].tolist()


def test_an_interrupted_save_is_finished_when_the_folder_is_opened(saved, tmp_path, monkeypatch):
    model, folder, _ = saved["labels"]
    after = model.answer(pd.DataFrame({"key": ["k3"], "answer": ["ant"]}))
    for moves in range(4):
        out = copied(folder, tmp_path / f"out{moves}")
        left = [moves]
        plain = Path.replace

        def replaced(self, target, left=left, plain=plain):
            if self.parent.name == ".staged" != Path(target).parent.name:
                if not left[0]:
                    raise KeyboardInterrupt
                left[0] -= 1
            return plain(self, target)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", replaced)
            with pytest.raises(KeyboardInterrupt):
                after.save(out, overwrite=True)
        again = open_folder(out)
        pd.testing.assert_frame_equal(again.labels, after.labels)
        assert {path.name for path in out.iterdir()} == {
            "labels.csv",
            "model.skops",
            "answers.json",
            "summary.json",
        }


def test_a_save_that_fails_changes_nothing(saved, tmp_path, monkeypatch):
    model, folder, _ = saved["labels"]
    out = copied(folder, tmp_path / "out")
    before = {path.name: path.read_bytes() for path in out.iterdir()}

    def failing(*_, **__):
        raise OSError("no space")

    with monkeypatch.context() as patch:
        patch.setattr("disambig.table_models.folder.save_model", failing)
        with pytest.raises(OSError, match="no space"):
            model.save(out, overwrite=True)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_small_numbers_identifiers_and_flags_are_not_rounded():
    frame = pd.DataFrame(
        {
            "id": [1e-8, 2e-8],
            "label": [True, False],
            "confidence": [0.123456789, 1.0],
            "lower_90": [3.1e-8, 3.2e-8],
            "resolved": [True, False],
        }
    )
    assert csv_bytes(frame).decode() == (
        "id,label,confidence,lower_90,resolved\n1e-08,True,0.123457,3.1e-08,yes\n"
        "2e-08,False,1.0,3.2e-08,no\n"
    )


def test_how_a_file_was_read_is_remembered(tmp_path):
    made = MAKE["labels"](60)
    made.frame.to_csv(tmp_path / "t.txt", sep="~", index=False, header=False)
    options = {"sep": "~", "header": False, "drop": ["column 1"]}
    model = fit_table(tmp_path / "t.txt", "column 5", weights="neighbors", **options)
    model.save(tmp_path / "out")
    pd.testing.assert_frame_equal(open_folder(tmp_path / "out").labels, model.labels)


@pytest.mark.parametrize(
    ("name", "value"),
    [("table", None), ("notes", None), ("settings", {"future": 1}), ("schema", 99)],
)
def test_odd_summaries_are_refused(name, value, saved, tmp_path):
    folder = copied(saved["labels"][1], tmp_path / "out")
    summary = json.loads((folder / "summary.json").read_text())
    (folder / "summary.json").write_text(json.dumps({**summary, name: value}))
    with pytest.raises(ModelFileError, match="it cannot be read"):
        open_folder(folder)


def test_texts_and_numbers_have_different_hashes():
    """In columns of objects, too, where pandas hashes 1 as "1"."""
    cells = [[1, "x"], ["1", "x"], [1.0, "x"], [True, "x"], [None, "x"], [[1], "x"], [["1"], "x"]]
    frames = []
    for pair in cells:
        column = np.empty(2, dtype=object)
        column[:] = pair
        frames.append(pd.DataFrame({"a": column}))
    hashes = [table_hash(raw_table(frame)) for frame in frames]
    assert len(set(hashes)) == len(hashes)
    assert hashes == [table_hash(raw_table(frame.copy())) for frame in frames]
