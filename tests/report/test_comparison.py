"""Two fits side by side."""

import json
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest

from disambig import fit_table
from disambig.report.comparison import changed_rows, compared
from disambig.table_models.reporting import report_inputs
from tests.report.models import KINDS, fitted
from tests.report.page_parts import PageParts
from tests.report.schema import violations
from tests.table_models.tables import MAKE

SCHEMA = json.loads(resources.files("disambig.report").joinpath("schema.json").read_text("utf-8"))


def other(kind):
    """The same table with other weights."""
    made = MAKE[kind]()
    frame = made.frame.assign(truth=[text if text != "" else "none" for text in made.truth])
    return fit_table(frame, made.target, id="key", drop=["truth"], weights="nadaraya_watson")


@pytest.mark.parametrize("kind", KINDS)
def test_what_differs(kind):
    first, second = fitted(kind), other(kind)
    inputs = [report_inputs(model, truth="truth") for model in (first, second)]
    report = compared(*inputs, ("one", "two"))
    document = report.to_dict()
    assert violations(document, SCHEMA) == []
    labels = [model.labels["label"].to_numpy() for model in (first, second)]
    if kind == "numbers":
        n = int((np.abs(labels[0] - labels[1]) > 1e-6 * np.ptp(labels[0])).sum())
    else:
        n = int((labels[0] != labels[1]).sum())
    assert document["answers"][1]["answer"].startswith(f"{n} of 120 ")
    changed = document["sections"][1]
    assert sum(len(table["rows"]) for table in changed["tables"]) == n
    for row in changed["tables"][0]["rows"] if n else []:
        place = first.labels["key"].tolist().index(row[0])
        if kind != "numbers":
            assert [row[2], row[4]] == [labels[0][place], labels[1][place]]
    facts = {row[0]: row[1:] for row in document["sections"][0]["tables"][0]["rows"]}
    assert facts["rows"] == [120, 120, ""]
    assert facts["weights"][2] == "differs"
    parts = PageParts(report.html)
    ids = [one.attributes["id"] for one in parts.elements if "id" in one.attributes]
    assert len(ids) == len(set(ids))


def test_other_rows_are_not_compared_one_by_one():
    first = report_inputs(fitted("labels"))
    made = MAKE["labels"](80, seed=5)
    second = report_inputs(fit_table(made.frame, "label", id="key", weights="neighbors"))
    assert changed_rows(first, second) is None
    assert changed_rows(first, report_inputs(fitted("bits"))) is None
    document = compared(first, second).to_dict()
    assert "cannot be compared" in document["answers"][1]["answer"]
    assert document["sections"][0]["sentence"] == "The two runs saw different tables."


def test_without_rows_none_is_listed():
    inputs = [report_inputs(model) for model in (fitted("labels"), other("labels"))]
    report = compared(inputs[0], replace(inputs[1], has_rows=False))
    assert not report.has_rows
    assert report.to_dict()["sections"][1]["tables"] == []


def test_equal_names_get_a_number():
    inputs = report_inputs(fitted("labels"))
    assert compared(inputs, inputs, ("a", "a")).document.title.startswith(
        "a (first) and a (second)"
    )
