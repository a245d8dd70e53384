"""Bags in tables: the column, the file of shares, and what the command line and report say."""

import json

import numpy as np
import pandas as pd
import pytest

from disambig import fit_table
from disambig.cli import main
from disambig.exceptions import TableError
from disambig.table_models import open_folder
from disambig.tables import load_table
from disambig.tables.bags import read_proportions


def frame(seed=0):
    """Two clusters in six places of ten rows, whose shares differ."""
    rng = np.random.default_rng(seed)
    n_cats = [9, 8, 7, 2, 1, 3]
    labels = np.concatenate([["cat"] * k + ["dog"] * (10 - k) for k in n_cats])
    size = np.where(labels == "cat", 0.0, 4.0) + rng.normal(size=60)
    place = np.repeat([f"p{b}" for b in range(6)], 10)
    table = pd.DataFrame({"size": size, "more": rng.normal(size=60), "place": place})
    shares = pd.DataFrame(
        {"place": [f"p{b}" for b in range(6)], "cat": n_cats, "dog": [10 - k for k in n_cats]}
    )
    return table, shares, labels


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["12", "3"], {"a": 12, "b": 3}),
        (["0.25", ".75"], {"a": 0.25, "b": 0.75}),
        (["25%", ""], {"a": 0.25, "b": None}),
        (["3..5", "10%..20 %"], {"a": (3, 5), "b": (0.1, 0.2)}),
    ],
)
def test_cells_of_shares(cells, expected, tmp_path):
    path = tmp_path / "shares.csv"
    path.write_text(f"bag,a,b\nu,{cells[0]},{cells[1]}\n")
    assert read_proportions(path) == {"u": expected}
    path = tmp_path / "shares.json"
    path.write_text(json.dumps({"u": {"a": 0.5}}))
    assert read_proportions(path) == {"u": {"a": 0.5}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bag,a\nu,many\n", "bag 'u' has 'many' for class 'a'; expected a count"),
        ("bag,a\nu,1\nu,2\n", "bag 'u' has two rows"),
        ("bag\nu\n", "one column for each class"),
    ],
)
def test_shares_that_cannot_be_read(text, message, tmp_path):
    path = tmp_path / "shares.csv"
    path.write_text(text)
    with pytest.raises(TableError, match=message):
        read_proportions(path)


def test_labels_follow_from_bags_alone():
    table, shares, labels = frame()
    model = fit_table(table, bags="place", proportions=shares, weights="kernel_ridge")
    found = model.labels
    assert np.mean(found["label"] == labels) >= 0.95
    assert model.bags["kept"].all()
    assert (model.bags["labels cat"] == shares["cat"]).all()
    assert "place" not in [column.name for column in model.table.features.columns]
    assert "There is no target column" in " ".join(model.notes)
    new = table.assign(place="q")
    plain = model.predict(new)
    kept = model.predict(new, bags="place", proportions={"q": {"cat": 30, "dog": 30}})
    assert np.mean(plain["prediction"] == labels) >= 0.9
    assert (kept["prediction"] == "cat").sum() == 30


def test_sets_and_bags_together():
    table, shares, labels = frame()
    table["label"] = np.where(np.arange(60) % 10 == 0, labels, "cat|dog")
    found = load_table(table, "label", bags="place", proportions=shares)
    assert len(found.candidates.bounds) == 6
    assert np.count_nonzero(found.candidates.informative) == 6
    assert found.plan.from_dict(found.plan.to_dict()) == found.plan


def test_rows_with_sets_in_bags_are_judged_asked_and_answered(tmp_path):
    table, shares, labels = frame()
    table["label"] = np.where(np.arange(60) % 3 > 0, labels, "cat|dog")
    model = fit_table(
        table, "label", bags="place", proportions=shares, weights="kernel_ridge", features="size"
    )
    assert model.examination is not None
    assert len(model.suspects()) == 0
    questions = model.questions(3)
    rows = questions["row"].to_numpy()
    answered = model.answer(questions.assign(answer=labels[rows]))
    assert (answered.labels["label"].to_numpy()[rows] == labels[rows]).all()
    assert answered.bags["kept"].all()
    answered.save(tmp_path / "run")
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["confidence"]["by"] == (
        "hidden sets"
    )
    again = open_folder(tmp_path / "run", table)
    np.testing.assert_allclose(again.confidence, answered.confidence)


def _without_a_bag(table, shares):
    return table, shares.drop(index=0)


def _unknown_class(table, shares):
    return table, shares.rename(columns={"cat": "cow"})


def _row_without_bag(table, shares):
    return table.assign(place=table["place"].where(table.index != 3)), shares


def _wrong_sum(table, shares):
    return table, shares.assign(cat=shares["cat"].where(shares.index != 1, 9))


def _infeasible(table, shares):
    return table.assign(label=table["label"].where(table.index >= 3, "dog")), shares


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_without_a_bag, "bag 'p0' .* is not among the bags"),
        (_unknown_class, "'cow' is not a class"),
        (_row_without_bag, "the row has no bag"),
        (_wrong_sum, "bag 'p1': the counts sum to 11"),
        (_infeasible, r"of bag 'p0' .*: class 'cat' .* a candidate of 6"),
    ],
)
def test_bags_that_do_not_fit_are_named(change, message):
    table, shares, labels = frame()
    table["label"] = np.where(np.arange(60) % 10 == 9, labels, "cat|dog")
    table, shares = change(table, shares)
    with pytest.raises(TableError, match=message):
        load_table(table, "label", bags="place", proportions=shares)


def test_other_columns_and_kinds_are_refused():
    table, shares, _ = frame()
    with pytest.raises(TableError, match="'where'"):
        load_table(table, bags="where", proportions=shares)
    with pytest.raises(
        TableError, match="class shares of bags are of labels, and the target holds numbers"
    ):
        load_table(table, "size", kind="numbers", bags="place", proportions=shares)
    with pytest.raises(TableError, match="bags need the shares"):
        load_table(table, bags="place")


def test_command_line(tmp_path, capsys):
    table, shares, labels = frame()
    data, file, out = tmp_path / "table.csv", tmp_path / "shares.csv", tmp_path / "out"
    table.to_csv(data, index=False)
    shares.to_csv(file, index=False)
    options = ["--bags", "place", "--proportions", str(file)]
    fit = ["fit", str(data), *options, "--weights", "kernel_ridge", "--out", str(out)]
    assert main([*fit, "--json", "--quiet"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["bags"]["bags"], summary["bags"]["kept"]) == (6, 6)
    assert summary["bags"]["table"][0]["given cat"] == "9"
    page = (out / "report.html").read_text()
    assert "bags whose shares the labels keep" in page
    assert "none; class shares of bags" in page
    # Of rows without a target their bag is what was given.
    assert f'<td dir="auto">bag {table["place"].iloc[0]}</td>' in page
    predicted = tmp_path / "predicted.csv"
    assert main(["predict", str(out), str(data), "--out", str(predicted), *options]) == 0
    found = pd.read_csv(predicted)
    counts = (found["prediction"] == "cat").groupby(table["place"]).sum()
    assert counts.tolist() == shares["cat"].tolist()
    assert np.mean(found["prediction"] == labels) >= 0.95
    assert main(["fit", str(data), "--bags", "place", "--out", str(tmp_path / "no")]) != 0
    assert "--proportions FILE" in capsys.readouterr().err
