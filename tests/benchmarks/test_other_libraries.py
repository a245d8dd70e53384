"""The benchmarks beside cleanlab and snorkel: what they draw and score, without these packages."""

import importlib.util
import math

import numpy as np
import pytest

from benchmarks import labeling_functions, wrong_labels
from benchmarks.labeling_functions import (
    ABSTAINS,
    Labels,
    Voted,
    described_votes,
    independent,
    majority,
    rules,
    run,
    union,
)
from benchmarks.other_package import other_package
from benchmarks.wrong_labels import MISTAKES, Outcome, Rows, outcome
from disambig import PartialLabelClassifier


def clusters(n_each: int = 30) -> tuple[np.ndarray, np.ndarray]:
    truth = np.repeat([0, 1, 2], n_each)
    # Three features for each class, as many as the best conditions among which a rule is drawn.
    centers = np.tile(6.0 * np.eye(3), 3)
    return np.random.default_rng(0).normal(size=(truth.size, 9)) + centers[truth], truth


@pytest.mark.parametrize("kind", MISTAKES)
def test_the_stated_share_of_labels_becomes_wrong(kind):
    X, truth = clusters()
    given = MISTAKES[kind](X, truth, 0)
    assert round(100 * (given != truth).mean()) == int(kind.split(" ")[0])
    assert set(given) <= {0, 1, 2}


def test_found_rows_are_scored():
    truth = np.array([0, 0, 1, 1])
    rows = Rows(np.zeros((4, 1)), np.array([1, 0, 0, 1]), truth, np.zeros((2, 1)), np.array([0, 1]))
    found = np.array([True, True, False, False])
    got = outcome(rows, np.array([0.9, 0.8, 0.7, 0.1]), found, truth, np.array([0, 0]), 1.0)
    assert (got.precision, got.recall, got.right, got.right_on_new) == (0.5, 0.5, 1.0, 0.5)
    # Wrong rows are the first and the third.
    assert got.ranking == pytest.approx((1 + 2 / 3) / 2)
    nothing = outcome(rows, np.zeros(4), np.zeros(4, dtype=bool), truth, np.array([0, 0]), 1.0)
    assert math.isnan(nothing.precision)


def test_means_and_best_methods_are_summed_up():
    better, worse = (Outcome(value, value, value, value, value, 1.0) for value in (0.9, 0.8))
    text = wrong_labels.summary({("a", "b"): {"one": [better], "two": [worse]}})
    assert "| one | 0.900 | 1 | 0.900 | 1 | 0.900 | 1 |" in text
    assert "| two | 0.800 | 0 |" in text


def test_independent_functions_abstain_and_err_by_chance():
    truth = np.repeat(np.arange(4), 2000)
    votes = independent(np.zeros((8000, 1)), truth, (np.zeros((1, 1)), truth[:1]), 0)
    said = votes != ABSTAINS
    assert said.mean() == pytest.approx(labeling_functions.COVERAGE, abs=0.01)
    right = np.array([(votes[one, k] == truth[one]).mean() for k, one in enumerate(said.T)])
    assert (right > 0.36).all()
    assert (right < 0.94).all()


def test_rules_see_the_development_rows_only_and_are_good_on_clusters():
    X, truth = clusters()
    votes = rules(X, truth, (X[::3], truth[::3]), 0)
    assert votes.shape == (90, labeling_functions.N_FUNCTIONS)
    right = (votes == truth[:, None])[votes != ABSTAINS]
    assert right.mean() > 0.8
    assert (rules(X, 2 - truth, (X[::3], truth[::3]), 0) == votes).all()


def test_ties_count_by_their_chance_and_votes_are_described():
    votes = np.array([[0, 1], [1, ABSTAINS], [ABSTAINS, ABSTAINS]])
    rows = Voted(np.zeros((3, 1)), votes, np.array([0, 1, 1]), np.zeros((1, 1)), np.array([1]))
    got = run(majority, rows)
    assert (got.right, got.right_with_votes) == (pytest.approx(2 / 3), 0.75)
    assert math.isnan(got.right_on_new)
    assert described_votes(rows) == pytest.approx((2 / 3, 2 / 3, 1.0))
    new = run(lambda rows: Labels(rows.counts.astype(float), np.array([1])), rows)
    assert new.right_on_new == 1.0


def test_our_method_gets_the_inputs_and_the_classes_with_a_vote(monkeypatch):
    monkeypatch.setattr(
        labeling_functions, "PartialLabelClassifier", lambda: PartialLabelClassifier("neighbors")
    )
    X, truth = clusters()
    rng = np.random.default_rng(0)
    votes = np.where(rng.random((90, 3)) < 0.6, truth[:, None], rng.integers(0, 3, (90, 3)))
    rows = Voted(X, votes, truth, X[::5] + 0.1, truth[::5])
    got = run(union, rows)
    assert got.right > run(majority, rows).right
    assert got.right_on_new > 0.9


@pytest.mark.parametrize(
    ("package", "module"), [("cleanlab", wrong_labels), ("snorkel", labeling_functions)]
)
def test_an_absent_package_is_named(package, module):
    if importlib.util.find_spec(package) is not None:
        pytest.skip(f"{package} is installed")
    with pytest.raises(ImportError, match=rf"compares with {package}.*pip install {package}"):
        module.main([])


def test_other_errors_of_a_module_are_kept():
    assert other_package("json").__name__ == "json"
    with pytest.raises(ImportError, match=r"No module named 'json\.nothing'"):
        other_package("json", "json.nothing")
