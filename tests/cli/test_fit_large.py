"""``disambig fit`` of Parquet files in chunks: labels of the fit in memory, and what is refused."""

import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from disambig.cli import main
from disambig.table_models import large
from disambig.table_models.predictor import load_predictor
from disambig.weights.neighbors import stored_graph
from tests.table_models.tables import MAKE


@pytest.fixture(autouse=True)
def _without_waiting_for_the_disk(monkeypatch):
    monkeypatch.setattr("os.fsync", lambda _: None)


def written(frame, folder, n_files=3):
    """The rows of a frame in some files, two row groups in each."""
    folder.mkdir(exist_ok=True)
    ends = np.linspace(0, len(frame), n_files + 1).astype(int)
    for k, (start, stop) in enumerate(pairwise(ends)):
        part = frame[start:stop]
        part.to_parquet(folder / f"{k}.parquet", index=False, row_group_size=len(part) // 2 + 1)
    return sorted(map(str, folder.glob("*.parquet")))


def error_of(arguments, capsys):
    assert main(["fit", *arguments]) == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("kind", MAKE)
def test_labels_are_those_of_the_fit_in_memory(kind, tmp_path, capsys):
    made = MAKE[kind](60)
    files = written(made.frame, tmp_path / "data")
    made.frame.to_parquet(tmp_path / "whole.parquet", index=False)
    options = ["--target", made.target, "--id", "key", "--weights", "neighbors", "--quiet"]
    plain = ["fit", str(tmp_path / "whole.parquet"), *options, "--out", str(tmp_path / "plain")]
    assert main(plain) == 0
    out = tmp_path / "out"
    given = files if kind == "labels" else [str(tmp_path / "data")]
    assert main(["fit", *given, *options, "--out", str(out), "--memory", "16GiB", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out.partition("{")[2].join(["{", ""]))
    found, expected = (pd.read_csv(one / "labels.csv") for one in (out, tmp_path / "plain"))
    assert found["key"].tolist() == expected["key"].tolist()
    if kind == "numbers":
        # The examination, which is in memory only, has others: the middles of what is likely.
        inner = load_predictor(tmp_path / "plain").estimator
        assert_allclose(found["label"], inner.labels_)
    else:
        assert found["label"].tolist() == expected["label"].tolist()
    assert {"confidence", "resolved"} <= set(found.columns)
    assert summary == json.loads((out / "summary.json").read_text())
    assert summary["table"]["files"] == files
    assert sorted(path.name for path in out.iterdir()) == ["labels.csv", "summary.json"]
    for command in ("predict", "ask"):
        more = [str(tmp_path / "whole.parquet")] if command == "predict" else []
        assert main([command, str(out), *more, "--out", str(tmp_path / "more.csv")]) == 2
        assert "Fit a sample of the rows in memory" in capsys.readouterr().err.replace(
            "fit a", "Fit a"
        )


def test_an_interrupted_run_goes_on(tmp_path, capsys, monkeypatch):
    made = MAKE["labels"](60)
    files = written(made.frame, tmp_path / "data")
    out = tmp_path / "out"
    arguments = [
        *("fit", *files, "--target", made.target, "--id", "key", "--weights", "neighbors"),
        *("--out", str(out), "--memory", "16GiB"),
    ]
    real, calls = stored_graph.nearest_rows, []

    def interrupted(*rows, **options):
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return real(*rows, **options)

    monkeypatch.setattr(stored_graph, "nearest_rows", interrupted)
    assert main(arguments) == 130
    assert "go on with --resume" in capsys.readouterr().err
    assert sorted(path.name for path in out.iterdir()) == ["work"]
    assert main(arguments) == 2
    assert "has an unfinished run" in capsys.readouterr().err
    assert main([*arguments, "--resume", "--method", "average"]) == 2
    assert "an unfinished run of other files or settings" in capsys.readouterr().err
    read = []
    monkeypatch.setattr(large, "encoded_rows", lambda *_: read.append(1))
    assert main([*arguments, "--resume"]) == 0
    assert "Delete" not in capsys.readouterr().err
    # What was encoded is used again.
    assert not read
    assert main([*arguments, "--resume"]) == 0
    assert "this run is finished" in capsys.readouterr().err
    assert main(arguments) == 2
    assert "--force" in capsys.readouterr().err
    monkeypatch.undo()
    assert main([*arguments, "--force"]) == 0


def test_what_does_not_go_together_is_refused(tmp_path, capsys):
    made = MAKE["labels"](60)
    files = written(made.frame, tmp_path / "data")
    made.frame.to_csv(tmp_path / "table.csv")
    common = ["--target", made.target, "--out", str(tmp_path / "out")]
    memory = ["--memory", "4GiB"]
    assert "Say how much memory" in error_of([*files, *common], capsys)
    assert "Say how much memory" in error_of([str(tmp_path / "data"), *common], capsys)
    assert "FILE is missing" in error_of([*common, *memory], capsys)
    both = [*files, *common, *memory, "--workers", "2"]
    assert "--memory and --workers do not go together" in error_of(both, capsys)
    csv = [str(tmp_path / "table.csv"), *common, *memory]
    assert "table.csv: is no Parquet file" in error_of(csv, capsys)
    assert "no such file" in error_of([str(tmp_path / "none.parquet"), *common, *memory], capsys)
    sep = [*files, *common, *memory, "--sep", ";"]
    assert "--sep: the files are Parquet" in error_of(sep, capsys)
    assert "no report is written" in error_of([*files, *common, *memory, "--no-rows"], capsys)
    unit = [*files, *common, "--memory", "4"]
    assert "Write the unit behind the number" in error_of(unit, capsys)
    bags = ["--bags", "colour", "--proportions", "x.csv"]
    assert "fits in memory only" in error_of([*files, *common, *memory, *bags], capsys)
    assert "read once" in error_of(["-", *common, *memory], capsys)
    made.frame.drop(columns="size").to_parquet(tmp_path / "data" / "1.parquet")
    assert "1.parquet: there is no column 'size'" in error_of([*files, *common, *memory], capsys)
    made.frame.assign(size="a").to_parquet(tmp_path / "data" / "1.parquet")
    assert "1.parquet, column 'size': the type is" in error_of([*files, *common, *memory], capsys)
    assert not (tmp_path / "out").exists()


def test_types_are_learned_from_a_sample(tmp_path, capsys, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=90), "hue": rng.choice(["red", "blue"], 90)})
    frame["size"] = frame["size"].astype(str)
    frame["label"] = np.where(frame["hue"] == "red", "a", "b")
    frame.loc[::7, "label"] = "a|b"
    monkeypatch.setattr(large, "_SAMPLE_ROWS", 40)
    monkeypatch.setattr("disambig.tables.parquet_files._CELLS", 20)
    files = written(frame, tmp_path / "data")
    common = ["--weights", "neighbors", "--memory", "16GiB", "--out", str(tmp_path / "out")]
    assert main(["fit", *files, *common]) == 0
    assert "those of 40 of 90 rows" in capsys.readouterr().err
    found = pd.read_csv(tmp_path / "out" / "labels.csv")
    assert found["row"].tolist() == list(range(90))
    assert (found["label"] == np.where(frame["hue"] == "red", "a", "b")).mean() > 0.8
    rows = np.sort(np.random.default_rng(0).choice(90, 40, replace=False))
    odd = int(np.setdiff1d(np.arange(30, 60), rows)[0])
    frame.loc[odd, "size"] = "ten"
    files = written(frame, tmp_path / "data")
    error = error_of([*files, *common, "--force"], capsys)
    assert f"1.parquet, row {odd - 30}, column 'size'" in error
