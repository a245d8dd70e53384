"""The figure of errors against the number of rows."""

import io
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from reproduce.figures import RateBound, RateCurve, RatePanel, plot_rates, rates_figure
from reproduce.rates import RatePoint
from reproduce.slopes import Slope

SIZES = (100, 200, 300)
ERRORS = {"IL": (0.4, 0.1, 0.02), "DF": (0.1, 0.01, 0.0)}
LINE = Slope(-0.02, -0.03, -0.01, 1.0, (100, 300))


def points() -> list[RatePoint]:
    """Two draws of the inputs, one a tenth above the mean and one below."""
    around = np.array([[0.9], [1.1]])
    n_predictions = np.full((2, 1), 1000)
    return [
        RatePoint(
            "made", n, 1, {m: 1000 * around * e[i] for m, e in ERRORS.items()}, n_predictions, 1
        )
        for i, n in enumerate(SIZES)
    ]


def panel(floor: float = 0.0, **more: Any) -> RatePanel:
    curves = [RateCurve("IL", "infimum", (150, 0.3)), RateCurve("DF", "joint", (150, 0.1))]
    return RatePanel("a title", points(), curves, floor, **more)


def test_points_are_errors_and_bars_two_standard_errors() -> None:
    ax = plot_rates(panel())
    assert ax.get_title(loc="left") == "a title"
    for container, method in zip(ax.containers, ("IL", "DF"), strict=True):
        line, _, (bars,) = container.lines
        np.testing.assert_allclose(line.get_xdata(), SIZES)
        np.testing.assert_allclose(line.get_ydata(), ERRORS[method], atol=1e-12)
        heights = [segment[1, 1] - segment[0, 1] for segment in bars.get_segments()]
        # Two draws, a tenth above and below: the standard error of their mean is a tenth.
        np.testing.assert_allclose(heights, 4 * 0.1 * np.array(ERRORS[method]), atol=1e-12)
    assert [text.get_text() for text in ax.texts] == ["infimum", "joint"]


def test_sizes_without_errors_are_visible_on_a_logarithmic_axis() -> None:
    ax = plot_rates(panel(1e-4))
    assert ax.get_yscale() == "log"
    joint = ax.containers[1].lines[0]
    np.testing.assert_allclose(joint.get_xdata(), SIZES[:2])
    unseen = [line for line in ax.lines if line.get_markerfacecolor() == "white"]
    assert [list(line.get_xdata()) for line in unseen] == [[], [300]]
    assert 1e-4 < unseen[1].get_ydata()[0] < 1e-3


def test_slopes_and_bounds_are_lines() -> None:
    curves = [RateCurve("IL", "infimum", (150, 0.3), slope=LINE, leader=200)]
    bound = RateBound("theory", -0.01, (100, 0.5), 200, (150, 0.4))
    ax = plot_rates(RatePanel("", points(), curves, 1e-4, [bound]))
    drawn = [np.array(line.get_xydata()) for line in ax.lines]
    fitted = [[100, np.exp(1.0 - 2.0)], [300, np.exp(1.0 - 6.0)]]
    dotted = [[100, 0.5], [200, 0.5 * np.exp(-1.0)]]
    for expected in (fitted, dotted):
        assert any(line.shape == (2, 2) and np.allclose(line, expected) for line in drawn)
    assert "theory" in [text.get_text() for text in ax.texts]


def test_methods_differ_in_marker_and_colour() -> None:
    lines = [container.lines[0] for container in plot_rates(panel()).containers]
    assert len({line.get_marker() for line in lines}) == 2
    assert len({line.get_color() for line in lines}) == 2


def test_the_figure_has_one_wide_panel_and_others_below() -> None:
    figure = rates_figure([panel(1e-4), panel(), panel()], title="a title", note="bars")
    assert len(figure.axes) == 3
    assert figure.get_suptitle() == "a title"
    assert figure.get_supxlabel() == "bars"
    buffer = io.BytesIO()
    # A layout that collapses gives a warning, which is an error in the tests.
    figure.savefig(buffer, format="png")
    assert buffer.getvalue().startswith(b"\x89PNG")
    wide, left, right = (ax.get_position() for ax in figure.axes)
    assert wide.width > left.width + right.width
    assert wide.y0 > left.y1


def test_given_axes_are_used_and_a_panel_without_points_is_refused() -> None:
    given = Figure().add_subplot()
    assert plot_rates(panel(), given) is given
    with pytest.raises(ValueError, match="has no points"):
        plot_rates(RatePanel("", [], []))
