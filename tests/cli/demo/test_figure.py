"""The figure of error against ambiguity."""

import io
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

from disambig.cli.demo.comparison import Estimate, Summary
from disambig.cli.demo.figure import error_curves_figure, plot_error_curves

LEVELS = (0.1, 0.5, 0.9)
ERRORS = {"DF": (0.02, 0.03, 0.1), "IL": (0.02, 0.1, 0.4), "truth": (0.02, 0.02, 0.02)}


def summaries(kind: str = "uniform", spread: float = 0.01) -> list[Summary]:
    found = Estimate(0.9, 0.01)
    return [
        Summary(kind, level, method, 1 + 10 * level, Estimate(error, spread), found)
        for method, errors in ERRORS.items()
        for level, error in zip(LEVELS, errors, strict=True)
    ]


def test_names_of_axes_and_ticks_of_level_and_size() -> None:
    ax = plot_error_curves(summaries(), title="a title")
    assert ax.get_ylabel() == "test error"
    assert ax.get_xlabel().startswith("chance of joining a set")
    assert ax.get_title(loc="left") == "a title"
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    assert ticks == ["10%\n2.0", "50%\n6.0", "90%\n10.0"]
    assert ax.get_ylim()[0] == 0.0


def test_curves_show_means_and_bars_show_standard_errors() -> None:
    ax = plot_error_curves(summaries(), ceiling="truth")
    assert len(ax.containers) == 2
    for container, method in zip(ax.containers, ("DF", "IL"), strict=True):
        line, _, (bars,) = container.lines
        assert container.get_label() == method
        np.testing.assert_allclose(line.get_ydata(), ERRORS[method])
        heights = [segment[1, 1] - segment[0, 1] for segment in bars.get_segments()]
        np.testing.assert_allclose(heights, 0.02)
        # Moved by a small offset.
        np.testing.assert_allclose(line.get_xdata(), LEVELS, atol=0.02)


def test_methods_differ_without_colour() -> None:
    ax = plot_error_curves(summaries(), ceiling="truth")
    lines = [container.lines[0] for container in ax.containers]
    assert len({line.get_marker() for line in lines}) == len({line.get_color() for line in lines})
    assert len({line.get_marker() for line in lines}) == 2


def test_a_single_split_has_no_bars_and_no_warning() -> None:
    ax = plot_error_curves(summaries(spread=float("nan")))
    ax.figure.savefig(io.BytesIO(), format="png")
    segments = ax.containers[0].lines[2][0].get_segments()
    assert all(np.ptp(segment[:, 1]) == 0 for segment in segments)


def test_it_draws_on_given_axes() -> None:
    axes = Figure().add_subplot()
    assert plot_error_curves(summaries(), ax=axes) is axes


def test_no_summaries_are_an_error() -> None:
    with pytest.raises(ValueError, match="got no summaries"):
        plot_error_curves([])


def test_the_figure_has_a_panel_for_each_kind_and_one_legend() -> None:
    figure = error_curves_figure(
        summaries("uniform") + summaries("skewed"),
        ceiling="truth",
        names={"DF": "disambiguation"},
        kinds={"uniform": "all classes"},
        title="a title",
        note="standard errors over 5 splits",
    )
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["all classes", "skewed"]
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["disambiguation", "IL", "truth"]
    assert legend.get_title().get_text() == "standard errors over 5 splits"
    assert figure.get_suptitle() == "a title"
    assert figure.axes[0].get_ylim() == figure.axes[1].get_ylim()
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    assert buffer.getvalue().startswith(b"\x89PNG")


def test_pyplot_is_not_loaded() -> None:
    code = (
        "import sys, io\n"
        "from disambig.cli.demo.comparison import Estimate, Summary\n"
        "from disambig.cli.demo.figure import error_curves_figure\n"
        "e = Estimate(0.1, 0.01)\n"
        "figure = error_curves_figure([Summary('u', x, 'DF', 2.0, e, e) for x in (0.1, 0.2)])\n"
        "figure.savefig(io.BytesIO(), format='png')\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
