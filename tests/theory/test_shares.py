"""Exact confidence intervals of shares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from disambig.theory.shares import Shares


@given(
    count=st.integers(0, 40),
    more=st.integers(0, 40),
    confidence=st.sampled_from([0.5, 0.9, 0.95, 0.999]),
)
def test_the_interval_equals_that_of_scipy(count: int, more: int, confidence: float) -> None:
    total = count + more
    shares = Shares(np.array([count]), np.array([total]), confidence)
    if total == 0:
        assert np.isnan(shares.estimate[0])
        assert (shares.low[0], shares.high[0]) == (0.0, 1.0)
        return
    theirs = binomtest(count, total).proportion_ci(confidence, method="exact")
    assert shares.low[0] == pytest.approx(theirs.low, abs=1e-10)
    assert shares.high[0] == pytest.approx(theirs.high, abs=1e-10)
    assert shares.estimate[0] == count / total


@pytest.mark.parametrize("total", [1, 7, 30])
def test_coverage_for_every_probability(total: int) -> None:
    """Computed from the probability of every count, without simulation."""
    counts = np.arange(total + 1)
    shares = Shares(counts, np.full(total + 1, total), 0.9)
    bounds = shares.upper(0.1)
    for p in np.linspace(0, 1, 201):
        probabilities = binom.pmf(counts, total, p)
        assert probabilities[(shares.low <= p) & (p <= shares.high)].sum() >= 0.9 - 1e-9
        assert probabilities[p <= bounds].sum() >= 0.9 - 1e-9


def test_the_upper_end_is_one_if_the_count_is_the_total() -> None:
    for total in (1, 10, 10**6):
        assert Shares([total], [total], 0.95).high[0] == 1.0
        assert Shares([total], [total], 0.95).upper(0.5)[0] == 1.0
        assert Shares([total - 1], [total], 0.95).high[0] < 1.0


def test_arrays_are_copied_and_read_only() -> None:
    counts = np.array([1, 2])
    shares = Shares(counts, np.array([3, 3]), 0.95)
    counts[0] = 3
    assert shares.counts.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        shares.counts[0] = 3


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95, float("nan")])
def test_invalid_confidences(confidence: float) -> None:
    with pytest.raises(ValueError, match=r"Shares: confidence must be a finite number > 0 and < 1"):
        Shares([1], [2], confidence)
