"""Variants of the default: their fits, stored outcomes, and the tables."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import choices, choices_cost, choices_running
from benchmarks.accuracy.selection import Outcome
from benchmarks.choices_problems import DATA, Corrupted, problems
from benchmarks.choices_variants import DEFAULT, ONE_VARIANT, PLAIN, VARIANTS, fit_search_space
from disambig import LabelSets, PartialLabelClassifier
from disambig.estimators.selection import SEARCH_SPACE

QUICK = (DEFAULT, "neighbours only", "mixture of the four best", PLAIN)


@pytest.fixture(scope="module")
def problem() -> Corrupted:
    return Corrupted("iris", "uniform", 0.3)


def test_the_search_space_of_the_default_gives_the_default(problem: Corrupted) -> None:
    X, mask, _ = problem.split().train
    by_hand = fit_search_space(X, mask, seed=0, space=SEARCH_SPACE)
    default = PartialLabelClassifier().fit(X, LabelSets(mask, np.arange(3)))
    np.testing.assert_array_equal(by_hand.labels, default.labels_)
    np.testing.assert_array_equal(by_hand.predict(X), default.predict(X))


def test_outcomes_are_stored(
    problem: Corrupted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices_running, "VARIANTS", [v for v in VARIANTS if v.name in QUICK])
    monkeypatch.setattr(choices_running, "_compile", lambda: None)
    path = tmp_path / "outcomes.jsonl"
    found = choices_running.run_problem(problem, path)
    assert set(found) == set(QUICK)
    assert all(outcome.accuracy > 0.8 for outcome in found.values())
    # The time of a variant that uses the trials of the default includes them.
    assert found["mixture of the four best"].seconds > found[DEFAULT].seconds / 2
    monkeypatch.setattr(choices_running, "run", None)
    assert choices_running.run_problem(problem, path) == found


def test_problems_leave_rows_to_test_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISAMBIG_DATA", "nowhere")
    assert {problem.data for problem in problems()} == set(DATA[:-1])
    split = Corrupted("10 classes", "instance", 0.9).split()
    assert (len(split.train[0]), len(split.test[0])) == (400, 200)


def test_the_table_compares_with_the_default() -> None:
    found = {
        f"problem {k}": {
            DEFAULT: Outcome(0.5, 0.6, {}, 4.0),
            "other": Outcome(0.5 + 0.1 * k, 0.7, {}, 2.0),
            PLAIN: Outcome(0.3, 0.4, {}, 0.1),
            ONE_VARIANT: Outcome(0.4, 0.5, {}, 0.5),
        }
        for k in range(3)
    }
    lines = choices.table(found).splitlines()
    assert lines[2] == "| default | 0.500 | – | – | 0.600 | 4.000 | 40.0 | 8.0 |"
    assert lines[3] == "| other | 0.600 | +0.100 ± 0.058 | 2 / 0 | 0.700 | 2.000 | 20.0 | 4.0 |"
    assert lines[4].startswith(f"| {PLAIN} | 0.300 | -0.200 ± 0.000 | 0 / 3 |")


@pytest.mark.parametrize(
    "name",
    ["a predictor chosen by hidden sets", "boosting in alternation", "or the infimum loss"],
)
def test_variants_with_other_models_learn(problem: Corrupted, name: str) -> None:
    (X, mask, truth), (queries, query_labels) = problem.split()
    variant = next(one for one in VARIANTS if one.name == name)
    found = variant.fit(X, mask, seed=0)
    assert mask[np.arange(len(X)), found.labels].all()
    assert np.mean(found.labels == truth) > 0.9
    assert np.mean(found.predict(queries) == query_labels) > 0.85


def test_costs_are_ratios_to_the_two_other_models() -> None:
    cost = choices_cost.Cost
    row = {"default": cost(6.0, 0.9), "one variant": cost(2.0, 0.8), "plain": cost(0.5, 0.7)}
    line = choices_cost.table({1000: row}).splitlines()[-1]
    assert line == "| 1,000 | 6.00 | 3.0 | 12.0 | 0.900 | 0.800 | 0.700 |"
    drawn = choices_cost.draw(100)
    assert drawn.sets.mask.shape == (100, 10)
    assert len(drawn.queries) == len(drawn.truth) == choices_cost.N_TEST
    assert set(choices_cost.models(100)) == set(row)
