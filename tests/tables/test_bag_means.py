"""Means of bags in tables: the file, the command line, the report, and a folder opened again."""

import json

import numpy as np
import pandas as pd
import pytest

from disambig import fit_table
from disambig.cli import main
from disambig.exceptions import TableError
from disambig.table_models import open_folder
from disambig.tables import load_table
from disambig.tables.bag_means import read_means


def frame(seed=0):
    """Numbers that follow from a feature; rows in twelve places of similar inputs."""
    rng = np.random.default_rng(seed)
    size = np.sort(rng.uniform(0, 10, 96))
    place = np.array([f"p{b}" for b in (np.arange(96) // 8)])
    truth = 3.0 * size + 1.0
    table = pd.DataFrame({"size": size, "place": place})
    means = pd.DataFrame({"place": np.unique(place)})
    means["mean"] = [truth[place == one].mean().round(6) for one in means["place"]]
    return table, means, truth


@pytest.mark.parametrize(
    ("cell", "expected"),
    [("-12.5", -12.5), ("1e3", 1000.0), ("3..5.5", (3.0, 5.5)), ("-4 .. -1", (-4.0, -1.0))],
)
def test_cells_of_means(cell, expected, tmp_path):
    path = tmp_path / "means.csv"
    path.write_text(f"bag,mean\nu,{cell}\nv,\n")
    assert read_means(path) == {"u": expected, "v": None}
    path = tmp_path / "means.json"
    path.write_text(json.dumps({"u": [0.5, 2], "v": None}))
    assert read_means(path) == {"u": [0.5, 2], "v": None}
    assert read_means(pd.Series({7: 1.5})) == {"7": 1.5}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bag,mean\nu,many\n", "bag 'u' has the mean 'many'; expected a number"),
        ("bag,mean\nu,1\nu,2\n", "bag 'u' has two rows"),
        ("bag,low,high\nu,1,2\n", "expected two columns"),
    ],
)
def test_means_that_cannot_be_read(text, message, tmp_path):
    path = tmp_path / "means.csv"
    path.write_text(text)
    with pytest.raises(TableError, match=message):
        read_means(path)


def test_what_does_not_fit_is_named():
    table, means, _ = frame()
    given = {"bags": "place", "means": means}
    with pytest.raises(TableError, match=r"bag 'p0' .* is not among the bags"):
        load_table(table, bags="place", means=means.drop(index=0))
    with pytest.raises(TableError, match="name the column of the bags"):
        load_table(table, means=means)
    with pytest.raises(TableError, match="give one of them"):
        load_table(table, proportions={"p0": {"a": 1}}, **given)
    with pytest.raises(
        TableError, match="means of bags are of numbers, and the target holds labels"
    ):
        load_table(table.assign(label="cat|dog"), "label", kind="labels", **given)
    low = table.assign(label="0-2")
    with pytest.raises(TableError, match=r"bag 'p1' is .*allow means from 0 to 2"):
        load_table(low, "label", **given)


def test_numbers_follow_from_means_and_intervals(tmp_path):
    table, means, truth = frame()
    table["noise"] = np.random.default_rng(1).normal(size=96)
    table["label"] = [f"{t - 2:.3f}..{t + 5:.3f}" if r % 2 else "" for r, t in enumerate(truth)]
    model = fit_table(
        table, "label", bags="place", means=means, weights="kernel_ridge", keep=["size"]
    )
    assert model.bags["kept"].all()
    assert model.examination is None
    assert any("folds would cut the bags" in note for note in model.notes)
    np.testing.assert_allclose(
        model.bags["mean of labels"],
        means["mean"].loc[[list(means["place"]).index(bag) for bag in model.bags["bag"]]],
    )
    assert "p0" not in model.table.features.columns
    assert np.corrcoef(model.predict(table)["prediction"], truth)[0, 1] > 0.98
    assert len(model.diagnose().findings) >= 0
    model.save(tmp_path / "run")
    again = open_folder(tmp_path / "run", table)
    pd.testing.assert_frame_equal(again.bags, model.bags)
    plan = model.table.plan
    assert plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan


def test_command_line_without_a_target(tmp_path, capsys):
    table, means, truth = frame()
    data, file, out = tmp_path / "table.csv", tmp_path / "means.csv", tmp_path / "out"
    table.to_csv(data, index=False)
    means.to_csv(file, index=False)
    options = ["--bags", "place", "--means", str(file)]
    fit = ["fit", str(data), *options, "--weights", "kernel_ridge", "--out", str(out)]
    assert main([*fit, "--json", "--quiet"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["bags"]["bags"], summary["bags"]["kept"]) == (12, 12)
    assert "bags whose means the numbers keep" in (out / "report.html").read_text()
    labels = pd.read_csv(out / "labels.csv")["label"]
    assert np.corrcoef(labels, truth)[0, 1] > 0.95
    assert main(["check", str(data), *options, "--quiet"]) == 0
    wrong = [
        (["--bags", "place"], "--means FILE"),
        (["--means", str(file)], "--bags COL"),
        ([*options, "--proportions", str(file)], "give one of them"),
    ]
    for arguments, message in wrong:
        capsys.readouterr()
        assert main(["fit", str(data), *arguments, "--out", str(tmp_path / "no")]) != 0
        assert message in capsys.readouterr().err
