"""Answers as people write them: read, used to fit again or to calibrate, kept in the folder."""

import io

import numpy as np
import pandas as pd
import pytest

from disambig import fit_table
from disambig.exceptions import TableError
from disambig.table_models import open_folder
from disambig.table_models.folder import csv_bytes
from disambig.table_models.questions import question_table
from tests.table_models.tables import MAKE


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    found = {}
    for kind, make in MAKE.items():
        made, folder = make(60, seed=1), tmp_path_factory.mktemp(kind)
        made.frame.to_csv(folder / "table.csv", index=False)
        model = fit_table(folder / "table.csv", made.target, id="key", weights=made.weights)
        found[kind] = made, model, folder
    return found


def answered_questions(made, model, n=6, n_random=0):
    table = question_table(model, model.ask(n, n_random=n_random))
    place = {key: row for row, key in enumerate(made.frame["key"])}
    truth = [made.truth[place[key]] for key in table["key"]]
    table["answer"] = truth
    return table


@pytest.mark.parametrize("kind", MAKE)
def test_questions_show_the_row_and_have_a_column_for_answers(kind, fitted):
    _, model, _ = fitted[kind]
    table = question_table(model, model.ask(4, n_random=1))
    assert table.columns[:3].tolist() == ["key", "answer", "candidates"]
    assert {"size", "width", "colour"} <= set(table.columns)
    assert (table["answer"] == "").all()
    assert table["is_random"].sum() == 1


@pytest.mark.parametrize("kind", MAKE)
def test_answers_change_the_fit_and_are_kept(kind, fitted, tmp_path):
    made, model, _ = fitted[kind]
    table = answered_questions(made, model)
    after = model.answer(io.StringIO(table.to_csv(index=False)))
    rows = after.labels.set_index("key").loc[table["key"]]
    assert rows["is_answered"].all()
    assert after.labels["is_answered"].sum() == 6
    if kind == "numbers":
        np.testing.assert_allclose(rows["label"], table["answer"])
    else:
        assert rows["label"].tolist() == table["answer"].tolist()
    after.save(tmp_path / "out")
    again = open_folder(tmp_path / "out")
    pd.testing.assert_frame_equal(again.labels, after.labels)
    # The answered rows are not asked again, and more answers join the first ones.
    asked = again.ask(5)
    assert not set(question_table(again, asked)["key"]) & set(table["key"])
    third = again.answer(answered_questions(made, again, 3))
    assert third.labels["is_answered"].sum() == 9


@pytest.mark.parametrize("kind", MAKE)
def test_random_answers_calibrate(kind, fitted, tmp_path):
    made, model, _ = fitted[kind]
    table = answered_questions(made, model, 15, 15)
    after = model.answer(table, calibrate=True)
    assert after.estimator is model.estimator
    assert after.examination.recalibration.n_answers == len(after.examination.answers)
    assert after.predictor.set_rule.meaning == "truth"
    after.save(tmp_path / "out")
    again = open_folder(tmp_path / "out")
    pd.testing.assert_frame_equal(again.labels, after.labels)
    assert again.predictor.set_rule == after.predictor.set_rule
    # A refit after it keeps the recalibration.
    last = again.answer(answered_questions(made, again, 2))
    last.save(tmp_path / "last")
    pd.testing.assert_frame_equal(open_folder(tmp_path / "last").labels, last.labels)


@pytest.mark.parametrize("n_random", [0, 6])
def test_chosen_rows_cannot_calibrate(n_random, fitted):
    made, model, _ = fitted["labels"]
    table = answered_questions(made, model, 12, n_random)
    text = io.StringIO(table.to_csv(index=False))
    with pytest.raises(ValueError, match=f"{12 - n_random} of 12 rows were not drawn at random"):
        model.answer(text, calibrate=True)


@pytest.mark.parametrize("kind", MAKE)
def test_answers_that_calibrate_add_up(kind, fitted, tmp_path):
    made, model, _ = fitted[kind]
    table = answered_questions(made, model, 16, 16)
    both = model.answer(table, calibrate=True)
    first = model.answer(table[:10], calibrate=True)
    first.save(tmp_path / "out")
    second = open_folder(tmp_path / "out").answer(table[8:], calibrate=True)
    pd.testing.assert_frame_equal(second.labels, both.labels)
    assert second.resolved[both.labels["is_answered"]].all()


def answers(text):
    return io.StringIO(text)


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("labels", "key,answer\nk1,\n", "all answers are blank"),
        ("labels", "key,said\nk1,ant\n", "there is no column 'answer'"),
        ("labels", "name,answer\nk1,ant\n", "there is no column 'key'"),
        ("labels", "key,answer\nk1,ant\nk999,bee\n", r"line 3, column 'key': 'k999' is no row"),
        ("labels", "key,answer\nk1,ant\nk2,emu\n", r"line 3, column 'answer': 'emu' is no class"),
        ("labels", "key,answer\nk1,ant|bee\n", "'ant|bee' is no class"),
        ("numbers", "key,answer\nk1,5\nk2,5 to 6\n", "line 3, column 'answer': .* not one number"),
        ("orders", "key,answer\nk1,a>b>c\nk2,a>b\n", "line 3, column 'answer': .* complete order"),
        ("bits", "key,answer\nk1,large\nk2,tall\n", "line 3, column 'answer': 'tall' is no tag"),
        ("labels", "key,answer,inclusion\nk1,ant,x\n", "column 'inclusion': 'x' is no probab"),
    ],
)
def test_bad_answers_name_their_place(kind, text, message, fitted):
    _, model, _ = fitted[kind]
    with pytest.raises(TableError, match=message.replace("|", r"\|")):
        model.answer(answers(text))


def test_spellings_and_contradictions(fitted):
    _, model, _ = fitted["labels"]
    found = model.answer(answers("answer,key\n ANT ,k3\nbee,k5\n,k6\n"))
    rows = found.labels.set_index("key")
    assert rows.loc[["k3", "k5"], "label"].tolist() == ["ant", "bee"]
    assert not rows.loc["k6", "is_answered"]
    with pytest.raises(ValueError, match="row 'k3' was answered before, by ant; got bee"):
        found.answer(answers("key,answer\nk3,bee\n"))
    with pytest.raises(ValueError, match="'k3' has the answer 'ant' here, and 'bee' in line 2"):
        model.answer(answers("key,answer\nk3,bee\nk3,ant\n"))


def test_rows_without_an_identifier():
    made = MAKE["labels"](60)
    model = fit_table(made.frame.drop(columns="key"), "label", weights="neighbors")
    found = model.answer(pd.DataFrame({"row": [4.0, 7.0], "answer": ["cow", "dog"]}))
    assert found.labels.loc[[4, 7], "label"].tolist() == ["cow", "dog"]


def test_identifiers_that_repeat():
    made = MAKE["labels"](60)
    frame = made.frame.assign(key=["x", "x", *made.frame["key"][2:]])
    model = fit_table(frame, "label", id="key", weights="neighbors")
    with pytest.raises(TableError, match="'x' is 2 rows"):
        model.answer(answers("key,answer\nx,cow\n"))


def test_whole_numbers_may_be_written_in_any_way():
    made = MAKE["labels"](60)
    codes = {name: str(code) for code, name in enumerate(("ant", "bee", "cow", "dog"))}
    text = made.frame["label"].replace(codes, regex=True)
    frame = made.frame.assign(key=range(60), label=text)
    model = fit_table(frame, "label", id="key", weights="neighbors", kind="labels")
    found = model.answer(answers("key,answer\n7.0,1.0\n8,2\n"))
    assert found.labels.loc[[7, 8], "label"].astype(str).tolist() == ["1", "2"]


def test_dates_as_identifiers():
    made = MAKE["labels"](60)
    frame = made.frame.assign(key=pd.date_range("2020-01-01", periods=60))
    model = fit_table(frame, "label", id="key", weights="neighbors")
    asked = question_table(model, model.ask(2))
    assert asked["key"].str.fullmatch(r"2020-\d\d-\d\d").all()
    asked["answer"] = "cow"
    found = model.answer(io.StringIO(asked.to_csv(index=False)))
    assert found.labels["is_answered"].sum() == 2


def test_answers_of_a_safe_spreadsheet():
    made = MAKE["labels"](60)
    text = made.frame["label"].replace("ant", "=ant", regex=True)
    frame = made.frame.assign(key="=" + made.frame["key"], label=text)
    model = fit_table(frame, "label", id="key", weights="neighbors")
    table = question_table(model, model.ask(2)).assign(answer="=ant")
    safe = csv_bytes(table, excel_safe=True).decode()
    assert "'=ant" in safe
    found = model.answer(io.StringIO(safe))
    assert (found.labels.loc[found.labels["is_answered"], "label"] == "=ant").all()


def test_numbers_of_another_unit_or_mark_are_refused(fitted):
    _, model, _ = fitted["numbers"]
    with pytest.raises(TableError, match=r"is read as 3\.5e\+07, far from all intervals"):
        model.answer(answers("key,answer\nk1,35000000\n"))


def test_tags_with_separators_and_a_tag_called_none():
    made = MAKE["bits"](60)
    names = {"tag_large": "none", "tag_wide": "red, dark"}
    frame = made.frame.rename(columns=names)
    model = fit_table(frame, list(names.values()), id="key", weights="neighbors", kind="bits")
    text = 'key,answer\nk1,none\nk2,"red, dark"\nk3,"red, dark|none"\nk4,no tags\n'
    found = model.answer(answers(text)).labels
    assert found.loc[1:4, "label"].tolist() == [
        "none",
        "red, dark",
        "none|red, dark",
        "no tags",
    ]


def test_an_identifier_cannot_have_the_name_of_a_result():
    frame = MAKE["labels"](60).frame.rename(columns={"key": "confidence"})
    with pytest.raises(TableError, match="column 'confidence': is the identifier"):
        fit_table(frame, "label", id="confidence", weights="neighbors")
    # A feature can.
    model = fit_table(
        frame.rename(columns={"size": "answer", "confidence": "key"}),
        "label",
        id="key",
        weights="neighbors",
    )
    assert "answer (feature)" in question_table(model, model.ask(1)).columns
