"""The benchmark of questions: choices that are known, and verdicts."""

import math
from typing import Any

import numpy as np
import pytest

from benchmarks import questions
from benchmarks.accuracy.problems import Problem, Split
from benchmarks.trust.sources import overlapping
from disambig import PartialLabelClassifier
from disambig.trust import cross_examine


@pytest.fixture(scope="module")
def exam() -> Any:
    X, mask, _ = overlapping(100)
    return cross_examine(PartialLabelClassifier("neighbors"), X, mask)


def test_choices(exam: Any) -> None:
    is_open = ~exam.candidates.is_single
    for name, (choose, *_) in questions.choices(0).items():
        rows = exam.ask(10).rows if choose is None else choose(exam, 10)
        assert np.unique(rows).size == 10, name
        assert is_open[rows].all(), name
    rows = questions.choices(0)["least confidence"][0](exam, 10)  # type: ignore[misc]
    assert exam.confidence[rows].max() <= np.sort(exam.confidence[is_open])[9] + 1e-12
    rows = questions.choices(0)["least margin"][0](exam, 10)  # type: ignore[misc]
    two = np.sort(exam.label_distributions, axis=1)
    margins = two[:, -1] - two[:, -2]
    assert margins[rows].max() <= np.sort(margins[is_open])[9] + 1e-12


@pytest.mark.slow
def test_a_split_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    X, mask, truth = overlapping(150)
    monkeypatch.setattr(
        questions, "PartialLabelClassifier", lambda classes: PartialLabelClassifier("neighbors")
    )
    monkeypatch.setattr(Problem, "split", lambda self, seed: Split((X, mask, truth), (X, truth)))
    found = questions.run_split(Problem("made up"), 0)
    assert found.n_rows == 150
    assert all(len(right) == 5 for right in found.right.values())
    assert len({right[0] for right in found.right.values()}) == 1
    assert found.stated > 0
    rounds = questions.run_rounds(Problem("made up"), 0, "random").right["random, in rounds"]
    assert len(rounds) == 5
    assert rounds[-1] > rounds[0]


def outcome(ours: float, random: float, stated: float, real: float) -> questions.Outcome:
    right = {
        name: [0.5, 0.5, 0.5, value, value] for name, value in (("ask", ours), ("random", random))
    }
    return questions.Outcome(100, right, stated, real, 1.0, 1.0)


def test_verdicts() -> None:
    problem = Problem("made up")
    good, bad = outcome(0.65, 0.55, 10.0, 8.0), outcome(0.6, 0.58, 20.0, 8.0)

    def lines(batch: questions.Outcome, rounds: questions.Outcome) -> list[str]:
        renamed = {f"{name}, in rounds": right for name, right in rounds.right.items()}
        return questions.verdicts({problem: [batch]}, {problem: [questions.Rounds(renamed)]})

    assert [("missed" in line) for line in lines(good, good)] == [False, False, False]
    assert [("missed" in line) for line in lines(bad, good)] == [True, False, True]
    assert [("missed" in line) for line in lines(good, bad)] == [False, True, False]
    assert math.isinf(questions.ratio(1.0, 0.0))
