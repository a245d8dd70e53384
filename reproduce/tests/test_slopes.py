"""Slopes from counts of errors."""

import numpy as np
import pytest

from reproduce.rates import RatePoint
from reproduce.slopes import fit_slope

SIZES = (100, 200, 300, 400)
TRUE = -0.02


def points(rng: np.random.Generator, *, units: int = 30, spread: float = 1.0) -> list[RatePoint]:
    """Errors that come in bursts: a gamma law of the rate of each draw of the inputs."""
    asked = np.full((units, 1), 2000)
    found = []
    for n in SIZES:
        bursts = rng.gamma(1 / spread, spread, size=(units, 1))
        wrong = rng.poisson(asked * np.exp(TRUE * n) * bursts).astype(float)
        found.append(RatePoint("made", n, 1, {"IL": wrong}, asked, 1))
    return found


def test_exact_counts_give_the_exact_line() -> None:
    asked = np.full((3, 1), 1000)
    made = [
        RatePoint("made", n, 1, {"IL": asked * 0.5 * np.exp(TRUE * n)}, asked, 1) for n in SIZES
    ]
    found = fit_slope(made, "IL")
    assert found[:3] == pytest.approx((TRUE, TRUE, TRUE))
    assert found.error(np.array([0.0, 100.0])) == pytest.approx([0.5, 0.5 * np.exp(-2)])
    assert found.sizes == SIZES


def test_intervals_hold_although_errors_come_in_bursts() -> None:
    rng = np.random.default_rng(0)
    fits = [fit_slope(points(rng), "IL", n_resamplings=200, random_state=s) for s in range(120)]
    held = np.mean([fit.low <= TRUE <= fit.high for fit in fits])
    # 95 % asked for; resampling thirty draws is a little optimistic. Poisson alone holds in 70 %.
    assert 0.86 < held <= 1.0
    slopes = np.array([fit.slope for fit in fits])
    assert slopes.mean() == pytest.approx(TRUE, abs=4 * slopes.std() / np.sqrt(len(slopes)))


def test_points_without_an_error_count() -> None:
    asked = np.full((4, 1), 1000)
    wrong = [[200.0, 100, 90, 110], [3.0, 1, 2, 4], [0.0] * 4]
    made = [
        RatePoint("made", n, 1, {"IL": np.array(w)[:, None]}, asked, 1)
        for n, w in zip(SIZES, wrong, strict=False)
    ]
    assert fit_slope(made, "IL").slope < fit_slope(made[:2], "IL").slope < 0


def test_a_slope_needs_errors_at_two_sizes() -> None:
    asked = np.full((4, 1), 1000)
    made = [
        RatePoint("made", n, 1, {"DF": np.full((4, 1), w)}, asked, 1)
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
