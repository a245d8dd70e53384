"""Findings about bags of known class shares."""

import numpy as np

from disambig import diagnose
from disambig.candidates import bag_counts


def _report(shares, size=100):
    rng = np.random.default_rng(0)
    bags = np.repeat(np.arange(len(shares)), size)
    table = {b: dict(zip("abc", row, strict=False)) for b, row in enumerate(shares)}
    X = rng.normal(size=(len(bags), 2))
    return diagnose(X, bag_counts(None, bags, table), ignore=["L130"])


def test_equal_shares_are_an_issue():
    report = _report([[0.5, 0.5], [0.51, 0.49], [0.49, 0.51]])
    found = report["L140"]
    assert found.section == "issue"
    assert "The class shares of the 3 bags differ by at most 0.02" in found.message


def test_shares_that_differ_by_chance_are_a_tip_and_others_are_fine():
    assert _report([[0.5, 0.5], [0.57, 0.43], [0.45, 0.55]])["L140"].section == "tip"
    fine = _report([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    assert fine["L140"].section == fine["L141"].section == "passed"


def test_classes_in_the_same_mixture_are_named_as_too_few_directions():
    found = _report([[0.8, 0.1, 0.1], [0.2, 0.4, 0.4], [0.5, 0.25, 0.25]])["L141"]
    assert found.section == "tip"
    assert found.evidence == {"directions": 1, "needed": 2}


def test_without_bags_they_do_not_apply():
    rng = np.random.default_rng(0)
    report = diagnose(rng.normal(size=(40, 2)), ["a", "b"] * 20, ignore=["L130"])
    assert report["L140"].section == report["L141"].section == "not applicable"


def test_rows_in_bags_say_something_by_their_bag():
    fine = _report([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]], size=20)
    assert fine["L101"].section == fine["L102"].section == "passed"
    bags = np.repeat([0, 1, 2], [10, 10, 40])
    counts = bag_counts(None, bags, {0: {"a": 9, "b": 1}, 1: {"a": 2, "b": 8}, 2: {}})
    X = np.random.default_rng(0).normal(size=(60, 2))
    report = diagnose(X, counts, ignore=["L130"])
    assert report["L101"].rows.tolist() == list(range(20, 60))
    assert report["L102"].message.startswith("20 of 60 rows exclude something; 30 are needed")
