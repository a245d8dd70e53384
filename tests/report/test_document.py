"""What reports say, for every kind of target, against numbers computed here."""

import json
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest

from disambig import fit_table
from disambig.report.document import DataTable
from tests.report.models import KINDS, fitted, reported, searched, texts_of
from tests.report.schema import violations
from tests.table_models.tables import MAKE
from tests.table_models.tables import labels as label_table

SECTIONS = [
    *("given", "findings", "tried", "labels", "trust", "map", "ask", "suspects", "open"),
    *("learned", "reproduce"),
]
SCHEMA = json.loads(resources.files("disambig.report").joinpath("schema.json").read_text("utf-8"))


def section(report, name):
    return next(one for one in report.to_dict()["sections"] if one["id"] == name)


def facts(report, name):
    return {fact["name"]: fact["value"] for fact in section(report, name)["facts"]}


def plain(text):
    return text.replace("\xa0", " ")


@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_the_json_fits_the_published_schema(kind, rows):
    report = reported(kind, rows=rows, truth=rows)
    document = json.loads(report.to_json())
    assert document == report.to_dict()
    assert violations(document, SCHEMA) == []
    assert [one["id"] for one in document["sections"]] == SECTIONS
    assert all(one["sentence"].endswith(".") for one in document["sections"])
    assert [one["id"] for one in document["answers"]] == ["trusted", "confused", "check", "collect"]
    assert {one["section"] for one in document["answers"]} <= set(SECTIONS)
    assert document["has_rows"] is rows


def test_the_check_of_the_schema_can_fail():
    document = fitted("labels").report().to_dict()
    document["sections"][0]["facts"][0]["value"] = ["a list"]
    document["kind"] = "colours"
    del document["answers"][0]["points"]
    assert len(violations(document, SCHEMA)) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_ids_on_a_page_are_distinct(kind):
    document = reported(kind).document
    ids = ["answers", *(one.id for one in document.sections)]
    ids += [part.id for one in document.sections for part in (*one.figures, *one.tables)]
    assert len(ids) == len(set(ids))


def test_how_many_labels_can_be_trusted():
    model = fitted("labels")
    report = model.report()
    doubt = 1.0 - model.confidence * (1.0 - model.examination.wrong_set_probability)
    n = int(np.count_nonzero(doubt <= 0.05 + 1e-9))
    answer = report.to_dict()["answers"][0]
    assert plain(answer["question"]) == "How many labels can I trust at 95 %?"
    assert answer["answer"].startswith(f"{n} of {len(model.table)} ")
    assert 0 < n < len(model.table)
    assert facts(report, "trust")["trusted: each at least 95 % right"].startswith(f"{n} of ")
    assert "No answers have checked it yet." in answer["points"]


def test_answers_of_random_rows_turn_trust_into_a_promise():
    model = fitted("labels")
    rows = np.random.default_rng(0).choice(len(model.table), 60, replace=False)
    truth = model.table.frame["truth"].to_numpy()
    frame = model.table.frame.iloc[rows][["key"]].assign(answer=truth[rows])
    answered = model.answer(frame, calibrate=True)
    answer = answered.report().to_dict()["answers"][0]
    found = answered.examination.accept(0.05)
    assert answer["answer"].startswith(f"{found.rows.sum()} of 120 ")
    assert answer["points"][0] == found.promise
    assert "reliability" in [one["id"] for one in section(answered.report(), "trust")["figures"]]


def test_which_classes_are_confused():
    model = fitted("labels")
    exam = model.examination
    expected = np.zeros((4, 4))
    for row, code in enumerate(exam.codes):
        expected[code] += exam.label_distributions[row]
    pairs = {
        (first, second): expected[first, second] + expected[second, first]
        for first in range(4)
        for second in range(first + 1, 4)
    }
    worst = max(pairs, key=pairs.get)
    names = [str(exam.classes[code]) for code in worst]
    answer = model.report().to_dict()["answers"][1]
    assert answer["answer"] == f"Most of all {names[0]} and {names[1]}."
    assert f"({pairs[worst]:.1f} expected errors" in answer["points"][0]


@pytest.mark.parametrize("kind", ["orders", "bits"])
def test_expected_errors_of_pairs_and_tags(kind):
    exam = fitted(kind).examination
    table = next(
        one for one in section(reported(kind), "labels")["tables"] if one["id"] == "confused"
    )
    found = {tuple(row[:-2]): row[-2:] for row in table["rows"]}
    if kind == "bits":
        for k, tag in enumerate(exam.tags.tolist()):
            is_open = ~exam.candidates.known[:, k]
            likely = exam.held_out_probabilities[is_open, k]
            wrong = np.where(exam.recovered[is_open, k] == 1, 1 - likely, likely).sum()
            if wrong >= 0.05:
                assert found[(tag,)] == [round(float(wrong), 2), int(is_open.sum())]
    else:
        items = exam.items.tolist()
        before = exam.candidates.before
        for (first, second), (errors, count) in found.items():
            i, j = items.index(first), items.index(second)
            is_open = ~(before[:, i, j] | before[:, j, i])
            first_wins = exam.recovered[:, i] < exam.recovered[:, j]
            likely = exam.held_out_probabilities[:, i, j]
            wrong = np.where(first_wins, 1 - likely, likely)[is_open].sum()
            assert count == is_open.sum()
            assert errors == pytest.approx(wrong, abs=0.01)
    assert found


def test_numbers_of_a_column_have_the_same_decimals():
    rows = [(1.0, 31280.0, 1e-7, 3), (0.979, 24730.0, 0.5, None)]
    table = DataTable("a", "A", ("w", "x", "y", "z"), rows, 2)
    shown = [[table.number_text(row[k], k) for k in range(4)] for row in rows]
    assert shown == [["1.000", "31280", "0.0000001", "3"], ["0.979", "24730", "0.5", ""]]


@pytest.mark.parametrize("kind", ["numbers", "bits"])
def test_only_questions_with_a_gain_are_listed(kind):
    model = fitted(kind)
    asked = model.examination.ask(int(np.count_nonzero(~model.examination._is_single())))
    asked = asked.gain[:50]
    (table,) = section(model.report(), "ask")["tables"]
    gains = [row[table["columns"].index("gain")] for row in table["rows"]]
    assert 0 < len(gains) == np.count_nonzero(asked >= 0.005) < len(asked)
    assert min(gains) >= 0.005


@pytest.mark.parametrize(("kind", "figure"), [("numbers", "intervals"), ("bits", "tag-rows")])
def test_pictures_of_rows_are_left_out_with_a_word(kind, figure):
    shown, hidden = (section(reported(kind, rows=rows), "labels") for rows in (True, False))
    assert figure in [one["id"] for one in shown["figures"]]
    assert figure not in [one["id"] for one in hidden["figures"]]
    assert any("left out" in text for text in hidden["texts"])


def test_which_rows_to_check_first():
    model = fitted("labels")
    suspects = model.suspects().rows.tolist()
    questions = model.ask(50)
    asked = questions.rows[questions.gain >= 0.005].tolist()
    rows = [*suspects, *(row for row in asked if row not in suspects)][:10]
    answer = model.report().to_dict()["answers"][2]
    names = [point.partition(":")[0] for point in answer["points"]]
    assert names == [f"k{row}" for row in rows]
    assert answer["section"] == ("suspects" if suspects else "ask")


def test_suspects_are_listed_first_and_ringed():
    made = label_table(200, seed=3)
    frame = made.frame.copy()
    rng = np.random.default_rng(0)
    wrong = rng.choice(200, 24, replace=False)
    names = ["ant", "bee", "cow", "dog"]
    for row in wrong:
        others = [name for name in names if name != made.truth[row]]
        frame.loc[row, "label"] = others[int(rng.integers(3))]
    model = fit_table(frame, "label", id="key", weights="neighbors")
    suspects = model.suspects()
    assert len(suspects) > 3
    report = model.report()
    table = section(report, "suspects")["tables"][0]
    assert [row[0] for row in table["rows"]] == [f"k{row}" for row in suspects.rows]
    names_first = [p.partition(":")[0] for p in report.to_dict()["answers"][2]["points"]]
    assert names_first[:3] == [f"k{row}" for row in suspects.rows[:3]]
    assert any("suspect sets" in point for point in report.to_dict()["answers"][3]["points"])


def test_what_to_collect_next():
    model = fitted("labels")
    points = model.report().to_dict()["answers"][3]["points"]
    gain = model.ask(min(50, int((model.table.candidates.sizes > 1).sum()))).expected_gain
    assert any(f"about {gain:.1f} more labels right" in point for point in points)
    assert any("drawn at random" in point for point in points)


@pytest.mark.parametrize("kind", KINDS)
def test_the_truth_where_it_is_known(kind):
    model, report = fitted(kind), reported(kind)
    found = facts(report, "trust")
    assert found["truth is known in"].startswith("120 of 120")
    if kind == "labels":
        right = model.labels["label"].to_numpy() == model.table.frame["truth"].to_numpy()
        shown = plain(found["right among 120 rows whose truth is known"])
        assert abs(float(shown.rstrip(" %")) - 100 * right.mean()) <= 0.5
        header = section(report, "ask")["tables"][0]["columns"]
        assert "truth" in header


def test_a_truth_that_was_a_feature_is_no_comparison():
    made = label_table()
    frame = made.frame.assign(truth=made.truth)
    model = fit_table(frame, "label", id="key", weights="neighbors")
    points = model.report(truth="truth").to_dict()["answers"][0]["points"]
    assert any("was a feature" in point for point in points)


def test_a_truth_that_cannot_be_read_is_refused():
    model = fitted("labels")
    with pytest.raises(ValueError, match="no column 'nothing'"):
        model.report(truth="nothing")
    with pytest.raises(ValueError, match="is the target"):
        model.report(truth="label")
    with pytest.raises(ValueError, match=r"the truth cannot be read.*'colour'.*no class"):
        model.report(truth="colour")


def test_trials_and_trace_of_a_selection():
    model = searched()
    report = model.report()
    tried = section(report, "tried")
    table = tried["tables"][0]
    assert table["rows"][0][0] == 1
    assert "100" in str(table["rows"][0][-1])
    scores = [row[2] for row in table["rows"]]
    assert scores == sorted(scores)
    assert scores[0] == pytest.approx(min(t.score for t in model.estimator.trials_), rel=1e-3)
    learned = section(report, "learned")
    assert str(len(model.estimator.trace_)) in learned["sentence"]
    assert "Nothing was compared" in section(fitted("labels").report(), "tried")["sentence"]


def test_facts_about_what_was_given():
    model = fitted("labels")
    found = facts(model.report(), "given")
    nothing = int((~model.table.candidates.informative).sum())
    assert plain(found["rows that say nothing about it"]).startswith(f"{nothing} of 120")
    missing = int(model.table.frame["width"].isna().sum())
    assert found["missing cells in features"] == f"{missing}, most of them in width ({missing})"
    assert found["classes"] == "4"


def test_how_to_reproduce_it():
    report = fitted("labels").report()
    found = section(report, "reproduce")
    assert found["code"] == "disambig.fit_table(table, 'label', id='key', weights='neighbors')"
    assert section(fitted("labels").report(command="make it"), "reproduce")["code"] == "make it"
    assert len(facts(report, "reproduce")["hash of the table (SHA-256)"]) == 64


def test_tables_say_what_they_leave_out():
    made = label_table(900, seed=1)
    model = fit_table(made.frame, "label", id="key", weights="neighbors", resolve_at=1.0)
    n_open = int((~model.resolved).sum())
    assert n_open > 500
    table = section(model.report(), "open")["tables"][0]
    assert len(table["rows"]) == 500
    assert table["total"] == n_open
    assert table["note"] == f"The first 500 of {n_open} rows; labels.csv has all."


@pytest.mark.parametrize("kind", KINDS)
def test_too_few_rows_to_examine(kind):
    model = replace(fitted(kind), examination=None)
    report = model.report()
    document = report.to_dict()
    assert violations(document, SCHEMA) == []
    assert "too few rows" in document["answers"][0]["points"][0]
    least = np.argsort(model.confidence, kind="stable")[:10]
    names = [point.partition(":")[0] for point in document["answers"][2]["points"]]
    assert names == [f"k{row}" for row in least]
    assert "<svg" in report.html


@pytest.mark.parametrize("kind", KINDS)
def test_without_rows_no_cell_and_no_identifier_is_shown(kind):
    model, secrets = with_secrets(kind)
    hidden, shown = (
        page_without_library(report) + "\n".join(texts_of(report.to_dict()))
        for report in (model.report(rows=False, truth="truth"), model.report(truth="truth"))
    )
    assert not [secret for secret in secrets if secret in hidden]
    assert [secret for secret in secrets if secret in shown]
    assert "no row of the table is shown" in hidden


def with_secrets(kind):
    """A model, and texts of its cells that occur nowhere else."""
    made = MAKE[kind]()
    size = [value + 1e-7 * (row + 1) for row, value in enumerate(made.frame["size"])]
    frame = made.frame.assign(
        key=[f"secret-key-{row}" for row in range(120)],
        size=size,
        colour="secret-" + made.frame["colour"],
        note=[f"secret-note-{row}" for row in range(120)],
        truth=[text if text != "" else "none" for text in made.truth],
    )
    if kind == "numbers":
        ends = [[float(end) + 0.000123 for end in cell.split(" to ")] for cell in frame["pay"]]
        frame["pay"] = [f"{low:.6f} to {high:.6f}" for low, high in ends]
    model = fit_table(frame, made.target, id="key", drop=["truth", "note"], weights=made.weights)
    secrets = ["secret-", *(f"{value:.6f}" for value in size)]
    if kind == "numbers":
        secrets += [f"{end:.2f}" for pair in ends for end in pair]
    return model, secrets


def page_without_library(report):
    """The page without the style and the script of the tables."""
    head, _, rest = report.html.partition("<style>")
    return head + rest.partition("</style>")[2].partition('<script type="module">')[0]
