"""Means, standard errors, and the comparison with the best baseline."""

import math

import pytest

from disambig.cli.demo.comparison import Estimate, Outcome, compare_with_baselines, summarize


def outcome(method: str, split: int, error: float, level: float = 0.5) -> Outcome:
    return Outcome("uniform", level, split, method, 2.0 + split, 10, error, 1.0 - error)


def test_an_estimate_is_mean_and_standard_error() -> None:
    found = Estimate.of([1.0, 2.0, 4.0])
    assert found.mean == pytest.approx(7 / 3)
    # Deviations -4/3, -1/3, 5/3: variance 42/9/2, divided by 3.
    assert found.standard_error == pytest.approx(math.sqrt(42 / 9 / 2 / 3))
    assert math.isnan(Estimate.of([1.0]).standard_error)


def test_summaries_are_separate_and_keep_the_order() -> None:
    outcomes = [
        outcome("DF", 0, 0.1),
        outcome("IL", 0, 0.5),
        outcome("DF", 1, 0.3),
        outcome("IL", 1, 0.7),
        outcome("DF", 0, 0.9, level=0.9),
    ]
    first, second, third = summarize(outcomes)
    assert [(s.level, s.method) for s in (first, second, third)] == [
        (0.5, "DF"),
        (0.5, "IL"),
        (0.9, "DF"),
    ]
    assert first.error.mean == pytest.approx(0.2)
    assert second.recovered.mean == pytest.approx(0.4)
    assert first.set_size == pytest.approx(2.5)


@pytest.mark.parametrize(
    ("ours", "verdict", "clear"),
    [((0.1, 0.2), "wins", True), ((0.2, 0.3), "ties", False), ((0.25, 0.33), "loses", True)],
)
def test_comparison_with_the_best_baseline_is_paired_by_split(
    ours: tuple[float, float], verdict: str, clear: bool
) -> None:
    outcomes = [outcome("DF", split, error) for split, error in enumerate(ours)]
    outcomes += [outcome("IL", split, error) for split, error in enumerate((0.2, 0.3))]
    outcomes += [outcome("AC", split, error) for split, error in enumerate((0.9, 0.1))]
    [found] = compare_with_baselines(outcomes, "DF", ["IL", "AC"])
    assert found.baseline == "IL"
    assert found.verdict == verdict
    assert found.is_clear == clear
    assert found.difference.mean == pytest.approx(sum(ours) / 2 - 0.25)


def test_a_noisy_difference_is_not_clear() -> None:
    outcomes = [outcome("DF", split, error) for split, error in enumerate((0.1, 0.3))]
    outcomes += [outcome("IL", split, error) for split, error in enumerate((0.3, 0.2))]
    [found] = compare_with_baselines(outcomes, "DF", ["IL"])
    assert found.verdict == "wins"
    assert not found.is_clear
