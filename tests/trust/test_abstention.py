import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from disambig.trust.abstention import certified_threshold, least_answers, threshold_grid


@pytest.mark.parametrize("risk", [0.01, 0.05, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("delta", [0.01, 0.1, 0.25, 0.5])
def test_least_answers(risk, delta):
    n = next(n for n in range(1, 1000) if (1 - risk) ** n <= delta * (1 + 1e-12))
    assert least_answers(risk, delta) == n


@given(st.integers(0, 999), st.floats(0.05, 0.4), st.floats(0.05, 0.5))
def test_the_sequence_of_tests_by_a_loop(seed, risk, delta):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(least_answers(risk, delta), 300))
    confidence = np.round(rng.uniform(size=m), 2)
    right = rng.uniform(size=m) < 1 - rng.uniform(0, 0.5) * (1 - confidence)
    grid = np.unique(np.round(rng.uniform(size=8), 2))[::-1]
    best, tested = None, []
    for threshold in grid:
        above = confidence >= threshold
        tested.append((above.sum(), (~right[above]).sum()))
        if binom.cdf(tested[-1][1], tested[-1][0], risk) > delta:
            break
        best = threshold
    found = certified_threshold(confidence, right, risk, delta, grid)
    assert found.threshold == best
    last = tested[0] if best is None else tested[list(grid).index(best)]
    assert (found.n_answers, found.errors) == last
    assert f"{risk:g}" in found.promise or f"{100 * risk:g}%" in found.promise


@pytest.mark.parametrize("from_all_rows", [True, False])
@pytest.mark.parametrize("n_answers", [80, 300])
def test_the_risk_exceeds_the_bound_as_rarely_as_promised(n_answers, from_all_rows):
    """Right with probability ``0.75 + 0.25 c``: a risk of 0.1 is exceeded below ``c = 0.2``."""
    rng = np.random.default_rng(0)
    n_draws, delta = 600, 0.1
    pool = rng.uniform(size=5000)
    exceeded = np.zeros(n_draws, dtype=bool)
    for draw in range(n_draws):
        confidence = rng.uniform(size=n_answers)
        right = rng.uniform(size=n_answers) < 0.75 + 0.25 * confidence
        grid = threshold_grid(pool, n_answers, 0.1, delta) if from_all_rows else None
        found = certified_threshold(confidence, right, 0.1, delta, grid)
        # The risk above t is 0.25 (1 - E[c | c >= t]) = 0.125 (1 - t).
        exceeded[draw] = found.threshold is not None and 0.125 * (1 - found.threshold) > 0.1
    assert exceeded.mean() <= delta + 3 * np.sqrt(delta * (1 - delta) / n_draws)


def test_plain_tests_without_a_sequence_would_break_the_promise():
    """The same draws with the lowest threshold that passes by itself: the check above can fail."""
    rng = np.random.default_rng(0)
    exceeded = 0
    for _ in range(300):
        confidence = rng.uniform(size=300)
        # No threshold is below the risk of 0.1.
        right = rng.uniform(size=300) < 0.89
        thresholds = np.linspace(0.8, 0, 20)
        above = confidence >= thresholds[:, np.newaxis]
        passed = binom.cdf((above & ~right).sum(axis=1), above.sum(axis=1), 0.1) <= 0.1
        exceeded += passed.any()
    assert exceeded / 300 > 0.1 + 3 * np.sqrt(0.09 / 300)


def test_with_many_answers_nearly_all_good_rows_are_accepted():
    rng = np.random.default_rng(0)
    confidence = rng.uniform(size=3000)
    right = rng.uniform(size=3000) < np.where(confidence > 0.5, 0.99, 0.5)
    found = certified_threshold(confidence, right, risk=0.05)
    # The risk is 0.05 at the threshold t with 0.5 (0.5 - t) + 0.005 = 0.05 (1 - t): t = 0.456.
    assert 0.456 <= found.threshold < 0.53
    assert "at most 5% of the labels" in found.promise


def test_what_cannot_be_promised_is_refused_in_words():
    right = np.ones(44, dtype=bool)
    with pytest.raises(
        ValueError, match=r"44 answers cannot promise a risk of 0.05 .*45 are needed"
    ):
        certified_threshold(np.linspace(0, 1, 44), right)
    found = certified_threshold(np.linspace(0, 1, 45), np.ones(45))
    assert found[:3] == (0.0, 45, 0)
    half = certified_threshold(np.linspace(0, 1, 100), np.arange(100) % 2)
    assert half.threshold is None
    assert half.errors * 2 == pytest.approx(half.n_answers, abs=1)
    assert half.promise.startswith("No threshold promises a risk of 0.05")


@given(st.integers(1, 400), st.integers(0, 99), st.integers(1, 30))
def test_the_grid_falls_from_where_a_promise_is_possible_to_the_lowest(n_answers, seed, n_steps):
    pool = np.round(np.random.default_rng(seed).beta(4, 1, 500), 2)
    grid = threshold_grid(pool, n_answers, 0.1, 0.1, n_steps)
    assert (np.diff(grid) < 0).all()
    assert len(grid) <= n_steps
    assert grid[-1] == pool.min()
    assert n_answers * (pool >= grid[0]).mean() >= min(22, n_answers) - 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"risk": 0.0}, "risk must be"),
        ({"delta": 1.0}, "delta must be"),
        ({"grid": [0.2, 0.5]}, "grid must hold decreasing thresholds"),
        ({"grid": []}, "grid must hold decreasing thresholds"),
        ({"grid": [0.5, np.nan]}, "grid: confidence must be a number from 0 to 1"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        certified_threshold(np.linspace(0, 1, 50), np.ones(50), **options)
