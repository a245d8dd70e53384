"""Small tables for notebooks: escaped, short, and without scripts."""

import numpy as np
import pytest
from sklearn import clone, config_context

from disambig.candidates import Intervals, IntervalUnions, LabelSets, PartialBits, PartialOrders
from disambig.diagnosis import diagnose
from disambig.notebooks import html_table
from tests.report.models import KINDS, fitted
from tests.report.page_parts import PageParts

HOSTILE = "<script>alert(1)</script>"
SETS = {
    "labels": LabelSets.from_any([{HOSTILE, "a"}, {"b"}] * 8),
    "bits": PartialBits.from_any([[1, 0, -1]] * 12, tags=[HOSTILE, "b", "c"], zero="absent"),
    "orders": PartialOrders.from_any([[(HOSTILE, "a")], [("a", "b")]] * 6),
    "intervals": Intervals.from_any([(0, 1), (2, 3)] * 6),
    "unions": IntervalUnions.from_any([[(0, 1), (2, 3)], 4.0] * 6),
}


def cells(text):
    return [one.text for one in PageParts(text).of("td")]


@pytest.mark.parametrize("name", SETS)
def test_candidate_sets_show_their_first_rows(name):
    text = SETS[name]._repr_html_()
    parts = PageParts(text)
    assert not parts.of("script")
    assert len(parts.of("tr")) == 11
    assert "more rows" in parts.visible_text()
    if name not in ("intervals", "unions"):
        assert any(HOSTILE in cell for cell in cells(text))


def test_what_rows_look_like():
    assert cells(SETS["labels"]._repr_html_())[:4] == ["0", f"{HOSTILE} | a", "1", "b"]
    assert cells(SETS["bits"]._repr_html_())[1] == f"{HOSTILE}=1, b=0"
    assert cells(SETS["orders"]._repr_html_())[1] == f"{HOSTILE} > a"
    assert cells(SETS["intervals"]._repr_html_())[1] == "(0.0, 1.0)"


@pytest.mark.parametrize("kind", KINDS)
def test_models_and_examinations(kind):
    model = fitted(kind)
    shown = PageParts(model._repr_html_())
    assert len(shown.of("tr")) == 11
    assert f"{int(model.resolved.sum())} of 120 labels are resolved" in shown.visible_text()
    exam = PageParts(model.examination._repr_html_())
    least = np.argsort(model.examination.confidence, kind="stable")[:10]
    assert [one.text for one in exam.of("td")][::5] == [str(row) for row in least]


def test_a_fitted_estimator_shows_what_it_recovered():
    estimator = clone(fitted("labels").estimator)
    assert "Recovered" not in estimator._repr_html_()
    fitted_estimator = fitted("labels").estimator
    n_resolved = str(int(fitted_estimator.resolved_.sum()))
    for text in (
        fitted_estimator._repr_html_(),
        fitted_estimator._repr_mimebundle_()["text/html"],
    ):
        # The diagram of scikit-learn, and below it our table.
        assert "sk-top-container" in text
        assert cells("<p><strong>Recovered" + text.split("<p><strong>Recovered")[1])[:4] == [
            "rows", "120", "resolved (confidence from 0.9 on)", n_resolved,
        ]  # fmt: skip
    with config_context(display="text"):
        assert "text/html" not in fitted_estimator._repr_mimebundle_()


def test_a_diagnosis_shows_its_findings():
    X = np.random.default_rng(0).normal(size=(60, 2))
    X[7, 1] = np.nan
    report = diagnose(X, np.where(X[:, 0] > 0, HOSTILE, "down"))
    text = report._repr_html_()
    assert "<script" not in text
    assert cells(text)[:2] == ["issue", "F101"]


def test_long_texts_and_numbers():
    text = html_table("a", ["b"], [["x" * 500], [0.123456], [None], [float("nan")], ["\x00"]])
    found = cells(text)
    assert len(found[0]) == 80
    assert found[1:] == ["0.1235", "", "", " "]
