"""Means, standard errors and standings."""

import math

import pytest

from disambig.cli.demo.comparison import Estimate, Outcome, standings, summarize


def outcome(method: str, split: int, error: float, level: float = 0.5) -> Outcome:
    return Outcome("uniform", level, split, method, 2.0 + split, 10, error, 1.0 - error)


def test_an_estimate_is_mean_and_standard_error() -> None:
    found = Estimate.of([1.0, 2.0, 4.0])
    assert found.mean == pytest.approx(7 / 3)
    # Deviations -4/3, -1/3, 5/3: variance 42/9/2, divided by 3.
    assert found.standard_error == pytest.approx(math.sqrt(42 / 9 / 2 / 3))
    assert math.isnan(Estimate.of([1.0]).standard_error)


def test_summaries_keep_the_order_and_mix_nothing() -> None:
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
def test_standings_compare_with_the_best_rival_split_by_split(
    ours: tuple[float, float], verdict: str, clear: bool
) -> None:
    outcomes = [outcome("DF", split, error) for split, error in enumerate(ours)]
    outcomes += [outcome("IL", split, error) for split, error in enumerate((0.2, 0.3))]
    outcomes += [outcome("AC", split, error) for split, error in enumerate((0.9, 0.1))]
    [standing] = standings(outcomes, "DF", ["IL", "AC"])
    assert standing.rival == "IL"
    assert standing.verdict == verdict
    assert standing.is_clear == clear
    assert standing.difference.mean == pytest.approx(sum(ours) / 2 - 0.25)


def test_a_noisy_difference_is_not_clear() -> None:
    outcomes = [outcome("DF", split, error) for split, error in enumerate((0.1, 0.3))]
    outcomes += [outcome("IL", split, error) for split, error in enumerate((0.3, 0.2))]
    [standing] = standings(outcomes, "DF", ["IL"])
    assert standing.verdict == "wins"
    assert not standing.is_clear
