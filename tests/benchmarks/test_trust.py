"""The benchmark of confidences: scores that are known, promises that are kept, kept outcomes."""

import math
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.accuracy.problems import Problem, Split
from benchmarks.trust import acceptance, cost, coverage, kinds, labels, suspects
from benchmarks.trust.outcomes import keep, mean_of, with_error
from benchmarks.trust.sources import Rows, overlapping
from benchmarks.trust.surviving_neighbors import survivor_scores
from disambig import PartialLabelClassifier
from disambig.estimators.prediction import candidate_shares
from disambig.trust import cross_examine


@pytest.fixture(scope="module")
def exam() -> Any:
    """An examination of 200 rows of overlapping classes, with neighbours."""
    X, mask, _ = overlapping(200)
    return cross_examine(PartialLabelClassifier("neighbors"), X, mask)


@pytest.fixture(scope="module")
def truth() -> Any:
    return overlapping(200)[2]


def test_a_split_is_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    X, mask, truth = overlapping(180)
    monkeypatch.setattr(
        labels, "PartialLabelClassifier", lambda classes: PartialLabelClassifier("neighbors")
    )
    split = Split((X[:120], mask[:120], truth[:120]), (X[120:], truth[120:]))
    found = labels.run_split(split, seed=0, n_draws=2)
    assert found.n_rows == 120
    # Without answers, the examination in ten folds has the confidence of the fit.
    assert found.error_by_answers[0] == found.error
    assert len(found.error_by_answers) == len(labels.ANSWERS)
    assert found.recovered > 0.5
    assert found.test_accuracy > 0.5
    assert 0.5 < found.auroc <= 1
    assert found.resolved_right > found.recovered
    assert all(0 <= value <= 1 for value in found.error_by_answers)


def test_answered_rows_do_not_count(exam: Any, truth: Any) -> None:
    # All open rows are answered: the rest has a single candidate, which is right for sure.
    n_open = int((exam.candidates.mask.sum(axis=1) > 1).sum())
    errors = labels.errors_after_answers(exam, truth, (0, n_open), 1, 0)
    assert errors[0] > 0.01
    assert errors[1] == 0


def test_auroc_is_undefined_if_all_labels_are_right() -> None:
    confidence = np.array([0.9, 0.2, 0.6])
    assert math.isnan(labels.auroc(confidence, np.array([True, True, True])))
    assert labels.auroc(confidence, np.array([True, False, False])) == 1.0
    assert mean_of([1.0, math.nan, 0.5]) == 0.75
    assert with_error([math.nan]) == "undefined"
    assert with_error([0.0, 1.0, math.nan]) == "0.500 ± 0.500"


def test_chance_error_is_that_of_coins() -> None:
    assert labels.error_by_chance(np.ones(50), 0) == 0
    # E |mean of 1000 coins - .5| = sqrt(.5 / (pi 1000)) = .0126.
    assert 0.006 < labels.error_by_chance(np.full(1000, 0.5), 0, n_draws=200) < 0.02


def test_old_confidence_is_the_share_of_the_votes_of_others(exam: Any) -> None:
    model, mask = exam.estimator, exam.candidates.mask
    votes = model.weights_.leave_one_out_votes() @ np.eye(4)[exam.codes]
    shares = candidate_shares(np.asarray(votes), mask, mask / mask.sum(axis=1, keepdims=True))
    found = labels.old_confidence(model, mask)
    decided = model.decided_
    assert np.corrcoef(found[decided], shares.max(axis=1)[decided])[0, 1] > 0.8
    assert (found[mask.sum(axis=1) == 1] == 1).all()


def test_missed_targets_are_reported() -> None:
    outcome = labels.Outcome(*[10, *[0.5] * 13], [0.2, 0.06, 0.05, 0.04])  # type: ignore[arg-type]
    good = replace(outcome, auroc=0.95, error_by_answers=[0.04, 0.2, 0.2, 0.2])
    found = {Problem("MSRCv2"): [outcome], Problem("digits", "uniform", 0.7): [good]}
    lines = labels.verdicts(found)
    assert [("missed" in line) for line in lines] == [True, False, False, False]
    assert "with 100 answers: 0.040" in lines[2]


@pytest.mark.parametrize("meaning", coverage.MEANINGS)
def test_split_calibration_covers(meaning: str) -> None:
    X, mask, truth = overlapping(400)
    rows = Rows(X, mask, truth, 0)
    # Probabilities of the true model: nothing is learned here.
    centers = 1.5 * np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    odds = np.exp(X @ centers.T)
    known = coverage.KnownProbabilities(odds / odds.sum(axis=1, keepdims=True), np.arange(4)).fit()
    numbers = np.arange(400.0)[:, None]
    covered, strict = [], []
    for draw in range(30):
        order = np.random.default_rng(draw).permutation(np.flatnonzero(~mask.all(axis=1)))
        drawn, rest = order[:50], order[50:]
        arguments = (rows, drawn, rest, 0.8, meaning)
        sets = coverage.sets_of_draw(known, numbers, *arguments)
        plain = coverage.randomised_sets(known, *arguments, np.random.default_rng(draw))
        best = known.probabilities[rest].argmax(axis=1)
        plain_and_best = plain.copy()
        plain_and_best[np.arange(len(rest)), best] = True
        np.testing.assert_array_equal(sets, plain_and_best)
        covered.append(coverage.is_covered(sets, rows, rest, meaning).mean())
        strict.append(coverage.is_covered(plain, rows, rest, meaning).mean())
    assert np.mean(covered) >= np.mean(strict)
    # Four standard errors of 30 draws with 50 calibration rows around [.8, .82].
    assert 0.76 < np.mean(strict) < 0.86


def test_the_band() -> None:
    assert coverage.in_band(0.79, 0.8, 49) == "yes"
    assert coverage.in_band(0.785, 0.8, 49) == "**below**"
    assert coverage.in_band(0.829, 0.8, 49) == "yes"
    assert coverage.in_band(0.835, 0.8, 49) == "above"


def test_accepted_labels_are_counted_at_open_rows(exam: Any, truth: Any) -> None:
    is_open = exam.candidates.mask.sum(axis=1) > 1
    found = acceptance.accepted_by(exam, truth, 100, 5)
    assert found.n_open == is_open.sum()
    assert found.wrong == pytest.approx((exam.labels != truth)[is_open].mean())
    # If the labels were the truth, everything would be accepted and nothing would fail.
    perfect = acceptance.accepted_by(exam, exam.labels, 100, 5)
    assert (perfect.failures, perfect.accepted, perfect.nothing) == (0, 1, 0)
    # If all were wrong, nothing.
    hopeless = acceptance.accepted_by(exam, (exam.labels + 1) % 4, 100, 5)
    assert (hopeless.accepted, hopeless.nothing) == (0, 1)


def test_more_failures_than_chance_break_the_promise() -> None:
    assert acceptance.is_kept(0.16, n_draws=200)
    assert not acceptance.is_kept(0.17, n_draws=200)


def test_costs_are_those_of_the_parts() -> None:
    found = cost.measure(200, "neighbors")
    assert min(asdict(found).values()) > 0
    met = cost.Cost(1.0, 0.5, 1.0, 1.9)
    late = cost.Cost(1.0, 0.5, 1.0, 2.1)
    assert "met by all" in cost.verdict({(10, "a"): met, (5, "b"): late})
    assert "missed by b" in cost.verdict({(10, "a"): met, (10, "b"): late})


def test_hidden_pairs_are_scored() -> None:
    # Two rows, three items; the pair (0, 1) is observed, the others are hidden.
    before = np.zeros((2, 3, 3), dtype=bool)
    before[:, 0, 1] = True
    probability = np.zeros((2, 3, 3))
    probability[:, 0, 1] = 0.0
    probability[0, 0, 2], probability[0, 1, 2] = 0.9, 0.8
    probability[1, 0, 2], probability[1, 1, 2] = 0.7, 0.6
    exam = SimpleNamespace(
        candidates=SimpleNamespace(before=before),
        labels=np.array([[0, 1, 2], [0, 1, 2]]),
        held_out_probabilities=probability,
        confidence=np.array([0.9, 0.6]),
    )
    found = kinds.score_orders(exam, np.array([[0, 1, 2], [0, 2, 1]]), seed=0)
    # Of the hidden pairs (0, 2), (0, 2), (1, 2), (1, 2) only the last is the other way round.
    assert found.right == 0.75
    assert found.auroc == 1.0
    assert found.error == pytest.approx((0.1 + 0.2 + 0.3 + 0.6) / 4)
    assert found.share == pytest.approx((1 + 2 / 3) / 2)
    assert found.correlation == pytest.approx(1.0)


def test_unknown_bits_are_scored() -> None:
    exam = SimpleNamespace(
        labels=np.array([[1, 0], [1, 1]]),
        held_out_probabilities=np.array([[0.9, 0.5], [0.4, 0.95]]),
        confidence=np.array([0.7, 0.9]),
    )
    bits = np.array([[1, 1], [1, 1]])
    found = kinds.score_bits(exam, bits, np.array([[True, False], [True, False]]), seed=0)
    assert found.right == 0.5
    assert math.isnan(found.auroc)
    assert found.error == pytest.approx((0.1 + 0.6) / 2)
    assert found.share == 0.75


def test_numbers_are_right_within_a_distance() -> None:
    """Answers are passed on, and ends of ranges include."""
    truth = np.linspace(0, 1, 100)

    class Exam:
        labels = truth + np.where(np.arange(100) < 25, 1.0, 0.0)
        distance = np.array([0.5])
        confidence = np.where(np.arange(100) < 25, 0.3, 0.8)

        def with_answers(self, rows: Any, numbers: Any) -> Any:
            np.testing.assert_array_equal(truth[rows], numbers)
            assert len(rows) == kinds.N_ANSWERS
            return self

        def predict_set(self, X: Any, coverage: float, *, meaning: str) -> Any:
            assert (coverage, meaning) == (kinds.COVERAGE, "truth")
            return np.column_stack([X[:, 0] - 1, X[:, 0] + 1])

    queries = np.zeros((4, 1))
    found = kinds.score_numbers(Exam(), truth, queries, np.array([0.0, 1.0, 1.5, -2.0]), seed=0)
    assert (found.right, found.auroc, found.coverage, found.width) == (0.75, 1.0, 0.5, 2.0)
    assert found.error == pytest.approx(0.25 * 0.3 + 0.75 * 0.2)


@pytest.mark.parametrize("name", kinds.NUMBERS)
def test_intervals_contain_their_numbers(name: str) -> None:
    X, truth, y = kinds.NUMBERS[name](0, 50)
    assert len(X) == 50
    assert ((y[:, 0] <= truth) & (truth <= y[:, 1])).all()


def test_an_outcome_is_computed_once(tmp_path: Path) -> None:
    calls = []

    def compute() -> cost.Cost:
        calls.append(1)
        return cost.Cost(1.0, 2.0, 3.0, 4.0)

    for _ in range(2):
        assert keep("cost", cost.Cost, "a", compute, tmp_path) == cost.Cost(1.0, 2.0, 3.0, 4.0)
    assert len(calls) == 1
    keep("cost", cost.Cost, "b", compute, tmp_path)
    assert len(calls) == 2


def test_wrong_sets_are_ranked_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(4, size=500)
    X = 4.0 * np.eye(4)[truth] + rng.normal(size=(500, 4))
    mask = rng.random((500, 4)) < 0.3
    mask[np.arange(500), truth] = True
    monkeypatch.setattr(
        suspects, "PartialLabelClassifier", lambda classes: PartialLabelClassifier("neighbors")
    )
    found = suspects.run(X, mask, truth, 0.2, seed=0, n_draws=2)
    assert found.n_rows == 500
    assert found.precision > 0.9
    assert found.precision > found.precision_by_confidence
    assert 0.15 < found.wrong < 0.25
    assert abs(found.estimated_wrong - found.wrong) < 0.06
    assert found.n_suspects > 20
    assert found.alarms < 0.2
    clean = suspects.run(X, mask, truth, 0.0, seed=0, n_draws=2)
    assert math.isnan(clean.precision)
    assert clean.n_suspects == 0
    problem = Problem("digits", "uniform", 0.3, suspects.MAX_ROWS)
    line = suspects.verdicts({(problem, 0.1): [found], (problem, 0.2): [clean]})
    assert len(line) == 1
    assert "met" in line[0] or "missed" in line[0]


def test_the_surviving_class_is_that_of_the_first_decisive_neighbours() -> None:
    X = np.array([[0.0], [1.0], [2.1], [3.3], [4.6]])
    mask = np.array([[0, 0, 1], [1, 1, 0], [1, 1, 0], [1, 0, 0], [0, 1, 1]], dtype=bool)
    # The first row: two neighbours leave classes 0 and 1, the third leaves 0, in all three sets.
    assert survivor_scores(X, mask, least=2, most=4)[0] == 1.0
    # With two neighbours only, both survivors are outside.
    assert survivor_scores(X, mask, least=2, most=2)[0] == 1.0
    # The second row: 2.1 and 0.0 leave three classes, and 3.3 class 0, which it has, in 2 of 3.
    assert survivor_scores(X, mask, least=2, most=4)[1] == pytest.approx(-2 / 3)
