"""The report, its forms, what is refused, and the page of codes."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from disambig import Intervals, LabelSets, PartialBits, PartialOrders, diagnose
from disambig.diagnosis import Finding, Report
from disambig.diagnosis.findings import SECTIONS
from disambig.diagnosis.kinds import kind_of
from disambig.diagnosis.registry import CHECKS


def seeded(n=90):
    """Two issues (a gap in X, spelling), and two tips (no label; another spelling nearby)."""
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 3
    X = rng.normal(size=(n, 2)) + 9.0 * np.column_stack([truth % 2, truth // 2])
    X[5, 1] = np.nan
    y = np.array(["ant", "bee", "cow"], dtype=object)[truth]
    y[[6, 9]] = "Ant"
    y[[7, 8]] = "?"
    return X, y


def test_sections():
    X, y = seeded()
    report = diagnose(X, y, unlabeled="?", ignore=["L111"], fast=True)
    assert [found.code for found in report.issues] == ["L114", "F101"]
    assert [found.code for found in report.tips] == ["L101", "L104"]
    assert [found.code for found in report] == ["L114", "F101", "L101", "L104"]
    assert len(report) == 4
    assert [found.code for found in report.ignored] == ["L111"]
    assert [found.code for found in report.skipped] == ["L122", "L130"]
    assert "N110" in [found.code for found in report.not_applicable]
    total = [found for name in SECTIONS for found in report.section(name)]
    assert len(total) == len(report.findings) == len(CHECKS)
    assert report["L114"] is report["spelling-variants"]
    assert report["rows-without-information"].code == "L101"
    assert repr(report) == "Report(labels, 90 rows: 2 issues, 2 tips)"
    assert repr(report["F101"]) == "Finding(F101 unusable-entries: issue, 1 rows)"
    with pytest.raises(KeyError, match="no finding 'L999'"):
        report["L999"]
    with pytest.raises(ValueError, match="no section 'errors'"):
        report.section("errors")


def test_the_text_says_what_where_why_and_what_to_do():
    X, y = seeded()
    text = str(diagnose(X, y, unlabeled="?"))
    for part in ("2 issues, 2 tips", "L114 spelling-variants", "Rows: 6, 9.", "Why: They are lear"):
        assert part in text
    assert "What to do: Write what is one class in one way." in " ".join(text.split())
    assert "N110" not in text
    assert max(map(len, text.splitlines())) <= 90


def test_the_frame_has_a_row_for_each_sample():
    X, y = seeded()
    frame = pd.DataFrame(X, columns=["a", "b"], index=np.arange(1000, 1090))
    found = diagnose(frame, y, unlabeled="?", ignore=["L104"]).frame()
    assert found.index.equals(frame.index)
    assert list(found) == [
        *("n_findings", "score", "L114", "L114_score", "F101", "F101_score"),
        *("L101", "L101_score"),
    ]
    assert found.index[found["L114"]].tolist() == [1006, 1009]
    assert found.loc[1005, ["n_findings", "score", "F101_score"]].tolist() == [1, 0.5, 0.5]
    assert found["n_findings"].sum() == 5
    assert diagnose(X, y, unlabeled="?").frame().index.tolist() == list(range(90))


def test_json_is_what_the_report_says():
    X, y = seeded()
    report = diagnose(X, y, unlabeled="?")
    read = json.loads(report.to_json())
    assert read == json.loads(report.to_json(indent=1))
    assert list(read["sections"]) == list(SECTIONS)
    issue = read["sections"]["issue"][0]
    assert issue["code"] == "L114"
    assert issue["rows"] == [6, 9]
    assert issue["evidence"]["pairs"] == [["Ant", "ant"]]
    assert len(issue["scores"]) == 90
    assert read["n_rows"] == 90
    for found in report.findings:
        assert all(found.to_dict()[key] for key in ("code", "name", "title", "why", "remedy"))


def test_json_of_every_kind():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    for y in (
        Intervals.from_any(np.column_stack([X[:, 0], X[:, 0] + 1])),
        PartialOrders.from_any(np.argsort(np.argsort(X, axis=1), axis=1)),
        PartialBits.from_any((X > 0).astype(int)),
    ):
        json.loads(diagnose(X, y, fast=True).to_json())


def test_a_fast_diagnosis_judges_a_sample_of_rows():
    rng = np.random.default_rng(0)
    truth = np.arange(2400) % 2
    X = rng.normal(size=(2400, 2)) + 20.0 * truth[:, None]
    wrong = np.flatnonzero(rng.random(2400) < 0.08)
    y = truth.copy()
    y[wrong] = 1 - y[wrong]
    found = diagnose(X, y, fast=True)["L104"]
    assert np.count_nonzero(~np.isnan(found.scores)) == 2000
    judged = wrong[~np.isnan(found.scores[wrong])]
    # A wrong row with three wrong neighbours is not found.
    assert set(found.rows) <= set(judged)
    assert found.rows.size > 0.9 * judged.size
    again = diagnose(X, y, fast=True)["L104"]
    assert np.array_equal(again.rows, found.rows)
    y = LabelSets.from_any(np.where(truth == 0, "a", "b"), classes=["a", "b"])
    some = np.arange(2400) % 5 == 0
    report = diagnose(X, LabelSets(y.mask | some[:, None], y.classes), fast=True)
    assert report["L121"].section == "skipped"


def test_inputs_are_not_changed():
    X, y = seeded()
    before = X.copy()
    diagnose(X, y, unlabeled="?")
    diagnose(sp.csr_array(X), y, unlabeled="?")
    assert np.array_equal(before, X, equal_nan=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ignore": ["L999"]}, "ignore has 'L999', which is no code"),
        ({"ignore": "L101"}, "ignore must be a list of codes or names"),
        ({"ignore": 3}, "ignore must be a list of codes or names"),
        ({"fast": "no"}, "fast must be True or False; got 'no'"),
        ({"kind": "classes"}, "kind must be one of 'auto', 'labels'"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        diagnose([[0.0], [1.0]], ["a", "b"], **options)


def test_bad_data_are_refused():
    with pytest.raises(ValueError, match="X has 3 rows and y has 2"):
        diagnose([[0.0], [1.0], [2.0]], ["a", "b"])
    with pytest.raises(ValueError, match=r"holds labels\. Leave kind out"):
        diagnose([[0.0], [1.0]], LabelSets.from_any(["a", "b"]), kind="bits")
    with pytest.raises(ValueError, match="classes= names classes, items or tags"):
        diagnose([[0.0], [1.0]], [0.5, 1.5], classes=[1])
    with pytest.raises(ValueError, match="y is None"):
        diagnose([[0.0], [1.0]], None)
    with pytest.raises(ValueError, match="y is a dict; expected a list, array"):
        diagnose([[0.0], [1.0]], {"a": 1})
    with pytest.raises(ValueError, match="X must be a table of numbers"):
        diagnose([["red"], ["blue"]], ["a", "b"])
    # If most rows cannot be read, the reader's own error says why.
    with pytest.raises(ValueError, match="row 0 has no candidate"):
        diagnose(np.eye(4), [set(), set(), set(), {"a"}])


NAN = float("nan")


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (["a", "b", None], "labels"),
        ([1, 2, 3], "labels"),
        (np.array([1.0, 2.0]), "labels"),
        ([{1, 2}, 3], "labels"),
        ([["a", "b"], ["a"]], "labels"),
        ([(1, 2, 3), (2,)], "labels"),
        ([0.5, 2], "numbers"),
        ([(0.5, 2.0), (1.0, 3.0)], "numbers"),
        ([(None, 2.0), (1.0, 3.0)], "numbers"),
        (np.array([[0.0, 1.0], [2.0, 9.0]]), "numbers"),
        (np.array([[800.0, 1200.0], [3.0, np.inf]]), "numbers"),
        (np.zeros((4, 3, 2)), "numbers"),
        (pd.arrays.IntervalArray.from_tuples([(0, 1), (2, 3)]), "numbers"),
        (pd.Series(pd.arrays.IntervalArray.from_tuples([(0, 1), (2, 3)])), "numbers"),
        (["a>b", "b > a > c", ""], "orders"),
        ([{("a", "b")}, {("b", "a"), ("a", "c")}], "orders"),
        ([[("a", "b")], []], "orders"),
        (np.array([[1, 2, 3], [3, 1, 2]]), "orders"),
        (np.array([[0, 2, 1], [NAN, 0, 1]]), "orders"),
        (np.zeros((4, 3, 3)), "orders"),
    ],
)
def test_the_kind_of_y(y, kind):
    assert kind_of(y) == kind


@pytest.mark.parametrize(
    "y",
    [
        np.array([[True, False], [True, True]]),
        np.array([[0, 1, 1], [1, 0, NAN]]),
        np.array([[1, 2], [2, 1]]),
        np.array([[800, 1200], [900, 1000]]),
        [(800, 1200), (900, 1000)],
        np.array([[0.2, 0.3, 0.5], [0.1, 0.2, 0.7]]),
        np.array([[5.5, 2.0, 7.0], [1.0, 2.0, 3.0]]),
        [[(1, 2)], [(3, 4)]],
    ],
)
def test_an_unclear_kind_is_refused_with_advice(y):
    with pytest.raises(ValueError, match=r"may be several things\. Say which: .*kind='"):
        kind_of(y)
    assert kind_of(y, "labels") == "labels"


def test_codes_are_unique_and_stable():
    """A code is never given to another finding: change this list only by adding to it."""
    codes = [check.code for check in CHECKS]
    assert len(set(codes)) == len(codes)
    assert " ".join(codes) == (
        "L100 L101 L102 L103 L104 L110 L111 L112 L113 L114 L115 L116 L120 L121 L122 L130 L140 L141 "
        "N100 N101 N102 N103 N104 N110 N111 N112 N113 N114 N115 N121 "
        "O100 O101 O102 O103 O104 O110 O114 O121 "
        "B100 B101 B102 B103 B104 B110 B111 B112 B114 B121 "
        "N130 O130 B130 "
        "F101 F102 F103 F104 F105"
    )


def test_every_code_is_seeded_in_a_test():
    folder = Path(__file__).parent
    source = "".join(path.read_text(encoding="utf-8") for path in folder.glob("test_*_findings.py"))
    assert not [check.code for check in CHECKS if f'"{check.code}"' not in source]


def test_findings_and_reports_are_public():
    X, y = seeded()
    report = diagnose(X, y, unlabeled="?")
    assert isinstance(report, Report)
    assert isinstance(report.findings[0], Finding)
    with pytest.raises(ValueError, match="read-only"):
        report["L101"].scores[0] = 1.0


@pytest.mark.parametrize("kind", ["labels", "numbers", "orders", "bits"])
def test_targets_without_rows(kind):
    # It halved the rows without an end.
    with pytest.raises(ValueError, match=r"row|sample"):
        diagnose(np.zeros((1, 2)), [], kind=kind)


def test_rows_without_pairs_beside_lists_of_pairs():
    assert kind_of([[], [("a", "b")], []], "auto") == "orders"


def test_inputs_that_are_no_numbers_are_named():
    odd = np.ones((3, 2), dtype=object)
    odd[1, 0] = 10**400
    with pytest.raises(ValueError, match=r"diagnose: X must be .* row 1, column 0 holds 1000"):
        diagnose(odd, ["a", "b", "a"])
