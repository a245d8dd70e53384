"""What the displays draw, against sums over rows that are written out here."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from disambig.plots import ConfidenceHistogramDisplay, ReliabilityDisplay, RiskCoverageDisplay

RNG = np.random.default_rng(7)
# Two digits, so that there are ties and values at the edges of bins.
CONFIDENCE = np.round(RNG.random(200) ** 0.5, 2)
IS_RIGHT = RNG.random(200) < CONFIDENCE**2
WEIGHTS = RNG.integers(0, 4, 200)
WEIGHTED = pytest.mark.parametrize("sample_weight", [None, WEIGHTS], ids=["equal", "weighted"])


def axes() -> Axes:
    return Figure().add_subplot()


def repeated(sample_weight: object) -> tuple[np.ndarray, np.ndarray]:
    """Rows as often as they count."""
    copies = np.ones(200, dtype=int) if sample_weight is None else WEIGHTS
    return np.repeat(CONFIDENCE, copies), np.repeat(IS_RIGHT, copies)


def bins_of_tenths(confidence: np.ndarray) -> np.ndarray:
    """Bins of width a tenth, in hundredths, which are exact."""
    return np.minimum(np.rint(100 * confidence).astype(int) // 10, 9)


@WEIGHTED
def test_reliability_has_means_and_counts_of_bins(sample_weight: object) -> None:
    display = ReliabilityDisplay.from_predictions(
        CONFIDENCE, IS_RIGHT, sample_weight=sample_weight, name="votes", ax=axes()
    )
    confidence, is_right = repeated(sample_weight)
    bins = bins_of_tenths(confidence)
    rows = [bins == b for b in np.unique(bins)]
    means = np.array([confidence[chosen].mean() for chosen in rows])
    shares = np.array([is_right[chosen].mean() for chosen in rows])
    counts = np.array([chosen.sum() for chosen in rows])

    np.testing.assert_allclose(display.line_.get_xydata(), np.column_stack([means, shares]))
    np.testing.assert_allclose(display.points_.get_offsets(), np.column_stack([means, shares]))
    areas = display.points_.get_sizes()
    np.testing.assert_allclose(np.diff(areas) * counts.sum(), 130 * np.diff(counts), atol=1e-9)
    heights = np.array([bar.get_height() for bar in display.bars_])
    np.testing.assert_allclose(heights / heights.max(), counts / counts.max())
    centers = [bar.get_x() + bar.get_width() / 2 for bar in display.bars_]
    np.testing.assert_allclose(centers, means)
    # Below the shares, inside the axes.
    assert all(bar.get_y() + bar.get_height() < 0 for bar in display.bars_)
    assert display.ax_.get_ylim()[0] <= min(bar.get_y() for bar in display.bars_)
    assert [text.get_text() for text in display.ax_.texts] == [str(counts.max())]
    error = np.sum(counts * np.abs(means - shares)) / counts.sum()
    assert display.expected_calibration_error == pytest.approx(error)
    assert display.line_.get_label() == f"votes (calibration error {error:.3f})"


def test_quantile_bins_are_drawn_with_the_error_of_equal_widths() -> None:
    uniform = ReliabilityDisplay.from_predictions(CONFIDENCE, IS_RIGHT, ax=axes())
    quantile = ReliabilityDisplay.from_predictions(
        CONFIDENCE, IS_RIGHT, strategy="quantile", n_bins=10, ax=axes()
    )
    assert np.ptp(quantile.weight) < np.ptp(uniform.weight) / 3
    assert quantile.weight.sum() == 200
    assert quantile.expected_calibration_error == uniform.expected_calibration_error


def test_the_diagonal_is_drawn_once_and_on_request() -> None:
    def diagonals(ax: Axes) -> int:
        drawn = [np.asarray(line.get_xydata()).tolist() for line in ax.lines]
        return drawn.count([[0, 0], [1, 1]])

    first = ReliabilityDisplay.from_predictions(CONFIDENCE, IS_RIGHT, ax=axes())
    second = ReliabilityDisplay.from_predictions(CONFIDENCE**2, IS_RIGHT, ax=first.ax_)
    assert diagonals(second.ax_) == 1
    assert first.line_.get_color() != second.line_.get_color()
    assert first.line_.get_marker() != second.line_.get_marker()
    bare = first.plot(axes(), ref_line=False, show_counts=False)
    assert diagonals(bare.ax_) == 0
    assert bare.bars_ is None
    assert not bare.ax_.patches
    assert bare.ax_.get_ylim()[0] > -0.1


def test_counts_of_an_earlier_display_stay_in_view() -> None:
    first = ReliabilityDisplay.from_predictions(CONFIDENCE, IS_RIGHT, ax=axes())
    bottom = first.ax_.get_ylim()[0]
    first.plot(first.ax_, show_counts=False)
    assert first.ax_.get_ylim()[0] == bottom
    assert first.ax_.get_yticklabels()[0].get_text() == "rows"


@WEIGHTED
def test_risk_among_all_rows_from_a_threshold_on(sample_weight: object) -> None:
    display = RiskCoverageDisplay.from_predictions(
        CONFIDENCE, IS_RIGHT, sample_weight=sample_weight, name="votes", risk=0.2, ax=axes()
    )
    confidence, is_right = repeated(sample_weight)
    thresholds = np.unique(confidence)[::-1]
    coverages = np.array([(confidence >= threshold).mean() for threshold in thresholds])
    risks = np.array([1 - is_right[confidence >= threshold].mean() for threshold in thresholds])
    np.testing.assert_allclose(display.line_.get_xydata(), np.column_stack([coverages, risks]))
    np.testing.assert_allclose(display.thresholds, thresholds)
    assert display.line_.get_label() == f"votes (all rows: {risks[-1]:.3f})"

    last = np.flatnonzero(risks <= 0.2)[-1]
    assert 0 < last < len(risks) - 1, "the risk is reached inside the curve"
    assert display.risk_line_.get_ydata()[0] == 0.2
    np.testing.assert_allclose(display.point_.get_xydata(), [[coverages[last], risks[last]]])
    assert display.coverage_at(0.2) == pytest.approx(coverages[last])
    assert f"{coverages[last]:.1%} of rows" in display.point_.get_label()
    assert f"from {thresholds[last]:.3g}" in display.point_.get_label()


def test_a_risk_that_no_row_keeps_is_said() -> None:
    display = RiskCoverageDisplay.from_predictions([0.9, 0.5], [False, True], risk=0.1, ax=axes())
    assert display.point_ is None
    assert display.coverage_at(0.1) == 0.0
    assert display.risk_line_.get_label() == "no rows at risk 0.1"


def test_the_first_rows_do_not_flatten_the_curves() -> None:
    confidence, is_right = np.linspace(1, 0, 100), np.ones(100, dtype=bool)
    is_right[0] = False
    display = RiskCoverageDisplay.from_predictions(confidence, is_right, ax=axes())
    assert display.risks[0] == 1.0
    # A tenth of the rows has a risk of a tenth.
    assert display.ax_.get_ylim()[1] == pytest.approx(0.15)
    # A second curve with larger risks is in view as well, and so is a chosen risk.
    other = RiskCoverageDisplay.from_predictions(confidence, ~is_right, risk=0.3, ax=display.ax_)
    assert other.ax_.get_ylim()[1] > other.risks[10:].max()
    third = RiskCoverageDisplay.from_predictions([0.9], [True], risk=0.3, ax=axes())
    assert third.ax_.get_ylim()[1] > 0.3


@WEIGHTED
def test_the_histogram_stacks_right_labels_on_wrong_ones(sample_weight: object) -> None:
    display = ConfidenceHistogramDisplay.from_predictions(
        CONFIDENCE, IS_RIGHT, n_bins=10, sample_weight=sample_weight, resolve_at=0.8, ax=axes()
    )
    confidence, is_right = repeated(sample_weight)
    bins = bins_of_tenths(confidence)
    right = np.bincount(bins[is_right], minlength=10)
    wrong = np.bincount(bins[~is_right], minlength=10)
    assert [bar.get_height() for bar in display.wrong_bars_] == wrong.tolist()
    assert [bar.get_y() for bar in display.wrong_bars_] == [0] * 10
    assert [bar.get_height() for bar in display.bars_] == right.tolist()
    assert [bar.get_y() for bar in display.bars_] == wrong.tolist()
    middles = [bar.get_x() + bar.get_width() / 2 for bar in display.bars_]
    np.testing.assert_allclose(middles, np.arange(0.05, 1, 0.1))
    assert display.resolve_line_.get_xdata()[0] == 0.8
    shown = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert shown == ["resolved from 0.8 on", f"wrong ({wrong.sum()})", f"right ({right.sum()})"]
    assert display.ax_.get_ylabel() == ("rows" if sample_weight is None else "weight of rows")


def test_the_histogram_is_plain_without_truth() -> None:
    display = ConfidenceHistogramDisplay.from_predictions([0.29, 0.3, 1.0], n_bins=100, ax=axes())
    heights = np.array([bar.get_height() for bar in display.bars_])
    # The value at an edge is in the bin above it, and one in the last.
    assert np.flatnonzero(heights).tolist() == [29, 30, 99]
    assert display.wrong_bars_ is None
    assert display.resolve_line_ is None
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["all (3)"]
