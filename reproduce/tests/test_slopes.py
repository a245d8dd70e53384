"""Slopes of the log error are fitted to counts of errors."""

import numpy as np
import pytest

from reproduce.rates import RatePoint
from reproduce.slopes import fit_slope

SIZES = (100, 200, 300, 400)
TRUE = -0.02


def points(rng: np.random.Generator, *, units: int = 30, spread: float = 1.0) -> list[RatePoint]:
    """Errors whose rate has a gamma distribution over the draws of the inputs."""
    n_predictions = np.full((units, 1), 2000)
    found = []
    for n in SIZES:
        rates = rng.gamma(1 / spread, spread, size=(units, 1))
        wrong = rng.poisson(n_predictions * np.exp(TRUE * n) * rates).astype(float)
        found.append(RatePoint("made", n, 1, {"IL": wrong}, n_predictions, 1))
    return found


def test_exact_counts_give_the_exact_line() -> None:
    n_predictions = np.full((3, 1), 1000)
    made = [
        RatePoint("made", n, 1, {"IL": n_predictions * 0.5 * np.exp(TRUE * n)}, n_predictions, 1)
        for n in SIZES
    ]
    found = fit_slope(made, "IL")
    assert found[:3] == pytest.approx((TRUE, TRUE, TRUE))
    assert found.error(np.array([0.0, 100.0])) == pytest.approx([0.5, 0.5 * np.exp(-2)])
    assert found.sizes == SIZES


def test_intervals_cover_the_slope_although_errors_are_overdispersed() -> None:
    rng = np.random.default_rng(0)
    fits = [fit_slope(points(rng), "IL", n_resamplings=200, random_state=s) for s in range(120)]
    coverage = np.mean([fit.low <= TRUE <= fit.high for fit in fits])
    # The nominal coverage is 95 %; resampling thirty draws gives a little less. Intervals of a
    # Poisson distribution would cover the slope in 70 %.
    assert 0.86 < coverage <= 1.0
    slopes = np.array([fit.slope for fit in fits])
    assert slopes.mean() == pytest.approx(TRUE, abs=4 * slopes.std() / np.sqrt(len(slopes)))


def test_points_without_an_error_count() -> None:
    n_predictions = np.full((4, 1), 1000)
    wrong = [[200.0, 100, 90, 110], [3.0, 1, 2, 4], [0.0] * 4]
    made = [
        RatePoint("made", n, 1, {"IL": np.array(w)[:, None]}, n_predictions, 1)
        for n, w in zip(SIZES, wrong, strict=False)
    ]
    assert fit_slope(made, "IL").slope < fit_slope(made[:2], "IL").slope < 0


def test_a_slope_needs_errors_at_two_sizes() -> None:
    n_predictions = np.full((4, 1), 1000)
    made = [
        RatePoint("made", n, 1, {"DF": np.full((4, 1), w)}, n_predictions, 1)
        for n, w in zip(SIZES, (5.0, 0.0, 0.0), strict=False)
    ]
    with pytest.raises(ValueError, match=r"fewer than two of the sizes \[100, 200, 300\]"):
        fit_slope(made, "DF")


def test_standard_errors_are_those_of_independent_draws() -> None:
    rng = np.random.default_rng(1)
    [first, *_] = points(rng)
    shares = first.wrong["IL"][:, 0] / 2000
    assert first.error("IL") == pytest.approx(shares.mean())
    assert first.standard_error("IL") == pytest.approx(shares.std(ddof=1) / np.sqrt(30))
