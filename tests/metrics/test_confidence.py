"""Metrics of confidences, compared with loops over bins and thresholds."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disambig.metrics import expected_calibration_error, reliability_curve, risk_coverage_curve

METRICS = (expected_calibration_error, reliability_curve, risk_coverage_curve)


@st.composite
def outcomes(draw: Any) -> tuple[Any, Any, Any]:
    """Confidences on a coarse grid, so that many are equal and many begin a bin."""
    n = draw(st.integers(1, 30))
    steps = draw(st.sampled_from([4, 10, 97]))
    confidence = np.array(draw(st.lists(st.integers(0, steps), min_size=n, max_size=n))) / steps
    right = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    weight = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=float)
    weight[0] = 1.0
    return confidence, right, weight


@given(outcomes(), st.integers(1, 12))
def test_calibration_error_is_a_sum_over_bins(problem: Any, n_bins: int) -> None:
    confidence, right, weight = problem
    expected = 0.0
    for b in range(n_bins):
        low, high = b / n_bins - 1e-9, (b + 1) / n_bins - 1e-9
        inside = (confidence >= low) & ((confidence < high) | (b == n_bins - 1))
        if weight[inside].sum() > 0:
            gap = np.average(confidence[inside] - right[inside], weights=weight[inside])
            expected += abs(gap) * weight[inside].sum() / weight.sum()
    found = expected_calibration_error(confidence, right, n_bins=n_bins, sample_weight=weight)
    assert found == pytest.approx(expected)


@given(outcomes(), st.sampled_from(["uniform", "quantile"]), st.integers(1, 8))
def test_a_reliability_curve_keeps_the_sums_and_equals_that_of_copies(
    problem: Any, strategy: Any, n_bins: int
) -> None:
    confidence, right, weight = problem
    curve = reliability_curve(
        confidence, right, n_bins=n_bins, strategy=strategy, sample_weight=weight
    )
    assert curve.weight.sum() == pytest.approx(weight.sum())
    assert curve.weight @ curve.mean_confidence == pytest.approx(weight @ confidence)
    assert curve.weight @ curve.share_right == pytest.approx(weight @ right)
    assert (curve.weight > 0).all()
    assert (np.diff(curve.mean_confidence) > 0).all()
    assert len(curve.weight) <= n_bins
    times = weight.astype(int)
    copies = reliability_curve(
        np.repeat(confidence, times), np.repeat(right, times), n_bins=n_bins, strategy=strategy
    )
    for ours, theirs in zip(curve, copies, strict=True):
        np.testing.assert_allclose(ours, theirs)


def test_quantile_bins_have_equal_weights() -> None:
    rng = np.random.default_rng(0)
    curve = reliability_curve(
        rng.beta(8, 1, 1000), rng.uniform(size=1000) < 0.9, n_bins=8, strategy="quantile"
    )
    assert curve.weight.tolist() == [125.0] * 8


def test_a_confidence_that_begins_a_bin_is_in_it() -> None:
    # In floating point, 0.29 * 100 is below 29.
    curve = reliability_curve([0.285, 0.29], [1, 1], n_bins=100)
    assert curve.weight.tolist() == [1.0, 1.0]


def test_equal_confidences_go_to_the_quantile_of_their_middle() -> None:
    curve = reliability_curve([0.2, 0.5, 0.5, 0.9], [1] * 4, n_bins=2, strategy="quantile")
    assert curve.weight.tolist() == [1.0, 3.0]


@given(outcomes())
def test_risk_and_coverage_of_every_threshold(problem: Any) -> None:
    confidence, right, weight = problem
    curve = risk_coverage_curve(confidence, right, sample_weight=weight)
    assert curve.threshold.tolist() == sorted(set(confidence[weight > 0]), reverse=True)
    for coverage, risk, threshold in zip(*curve, strict=True):
        accepted = confidence >= threshold
        assert coverage == pytest.approx(weight[accepted].sum() / weight.sum())
        assert risk == pytest.approx(np.average(~right[accepted], weights=weight[accepted]))
    assert curve.coverage[-1] == 1.0


def test_calibrated_confidences_have_a_small_error_and_wrong_ones_a_large_one() -> None:
    rng = np.random.default_rng(0)
    confidence = rng.uniform(size=20_000)
    right = rng.uniform(size=20_000) < confidence
    assert expected_calibration_error(confidence, right) < 0.02
    assert expected_calibration_error(confidence**0.5, right) == pytest.approx(1 / 6, abs=0.02)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("confidence", "right", "message"),
    [
        ([0.5, np.nan], [1, 0], "got nan in row 1"),
        ([0.5, 1.5], [1, 0], r"number from 0 to 1; got 1.5 in row 1 \(1 such rows\)"),
        ([-0.1, 1.0], [1, 0], "got -0.1 in row 0"),
        (["high", "low"], [1, 0], "one number from 0 to 1"),
        ([[0.5, 1.0]], [1, 0], "one dimension"),
        ([0.5, 1.0], [1], r"2 rows and is_right has shape \(1,\)"),
        ([0.5, 1.0], [1, 0.5], "True and False, or 1 and 0; got .*0.5.* in row 1"),
        ([0.5, 1.0], ["a", "b"], "labels == truth"),
        ([], [], "0 rows with a positive weight"),
    ],
)
def test_errors_name_the_row(metric: Any, confidence: Any, right: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        metric(confidence, right)
    assert str(error.value).startswith(metric.__name__)


def test_options_are_checked() -> None:
    with pytest.raises(ValueError, match="n_bins must be an integer >= 1"):
        expected_calibration_error([0.5], [1], n_bins=0)
    with pytest.raises(ValueError, match="strategy must be one of 'uniform', 'quantile'"):
        reliability_curve([0.5], [1], strategy="width")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="sample_weight"):
        risk_coverage_curve([0.5, 0.6], [1, 0], sample_weight=[1, -1])
