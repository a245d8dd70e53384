"""The figures of the paper are drawn from results, for wide and for narrow screens."""

import io
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from reproduce import ranking
from reproduce.classification import DEFAULT, LABEL_METHODS
from reproduce.figures.circles import circles_figure
from reproduce.figures.classification import classification_figure
from reproduce.figures.interval import interval_figure
from reproduce.figures.method_styles import style_of
from reproduce.figures.ranking import ranking_figure
from reproduce.figures.result_curves import plot_results
from reproduce.figures.theory_rates import _fall, theory_rates_figure
from reproduce.interval import figure as interval
from reproduce.rate_plan import collected_rates, rate_plan, rate_point
from reproduce.results import FigureResult
from reproduce.slopes import Slope


def drawn(figure: Figure) -> Figure:
    stream = io.BytesIO()
    # A layout that collapses gives a warning, which is an error in the tests.
    figure.savefig(stream, format="png")
    assert stream.getvalue().startswith(b"\x89PNG")
    return figure


def label_results(data: str = "dna") -> list[FigureResult]:
    return [
        FigureResult(
            f"{data}, {kind}", level, name, choice, "test error",
            level / 2 + 0.3 * (choice == "sets"), 0.01, "8 folds",
            authors=0.6 if name == "DF" and choice == "truth" else None,
        )
        for kind in ("text", "code")
        for level in (0.0, 0.5, 0.9)
        for name in (*LABEL_METHODS.values(), DEFAULT)
        for choice in (("fixed",) if name == DEFAULT else ("truth", "sets"))
    ]  # fmt: skip


@pytest.mark.parametrize("columns", [1, 2])
def test_classification_has_both_corruptions_and_both_choices(columns: int) -> None:
    figure = drawn(classification_figure(label_results(), "dna", columns=columns))
    assert len(figure.axes) == 4
    assert figure.get_suptitle() == "dna"
    for ax in figure.axes:
        assert len(ax.containers) == len(LABEL_METHODS) + 1
        # Axes contain all results; axes in one row have the same scale.
        assert ax.get_ylim()[0] == 0.0
        assert ax.get_ylim()[1] > (0.75 if columns == 2 else 0.6)
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == [*LABEL_METHODS.values(), DEFAULT, "hollow: authors' code"]
    assert figure.legends[0].get_title().get_text() == "bars: one standard error over folds"


def test_the_authors_numbers_are_hollow_markers() -> None:
    ax = plot_results([r for r in label_results() if r.choice == "truth"][:4])
    hollow = [line for line in ax.lines if line.get_markerfacecolor() == "none"]
    assert [line.get_ydata().tolist() for line in hollow] == [[0.6]]


def test_bars_are_the_standard_errors() -> None:
    ax = plot_results([FigureResult("", 0.5, "DF", "truth", "test error", 0.2, 0.03, "")])
    ((_, _, (bar,)),) = ax.containers
    np.testing.assert_allclose(bar.get_segments()[0][:, 1], [0.17, 0.23])
    with pytest.raises(ValueError, match="no results to draw"):
        plot_results([])


def test_methods_differ_in_marker_and_colour() -> None:
    for names in ([*LABEL_METHODS.values(), DEFAULT], [*ranking.ORDER_METHODS.values(), "Ranker"]):
        assert len({style_of(name).marker for name in names}) == len(names)
        assert len({style_of(name).color for name in names}) == len(names)


@pytest.mark.parametrize("columns", [1, 2])
def test_the_ranking_figure_has_two_panels(columns: int) -> None:
    results = [
        FigureResult("10 lines", level, name, choice, "wrong pairs", level / 2, 0.01, "2 sets")
        for level in ranking.LEVELS
        for name in ranking.ORDER_METHODS.values()
        for choice in ("truth", "sets")
    ]
    known = FigureResult("10 lines", 0.5, "data", "fixed", "known pairs", 0.9, 0.0, "")
    figure = drawn(ranking_figure([*results, known], columns=columns))
    assert len(figure.axes) == 2
    assert all(len(ax.containers) == len(ranking.ORDER_METHODS) for ax in figure.axes)


@pytest.mark.parametrize("columns", [1, 2])
def test_the_interval_figure_has_curves_and_errors(columns: int) -> None:
    names = list(interval.INTERVAL_METHODS)
    results = [
        FigureResult(
            "", None, name, choice, "mean squared error", 0.2, 0.01, "20 seeds", authors=0.3
        )
        for name in names
        for choice in ("truth", "sets")
    ]
    results.append(FigureResult("", None, interval.DEFAULT, "fixed", "", 0.3, 0.1, "20 seeds"))
    grid = np.linspace(0, 1, 20)
    picture = {
        "seed": 3, "x": [0.1, 0.6], "lower": [-1.0, -2.0], "upper": [0.5, 1.0],
        "grid": grid.tolist(), "truth": np.sin(10 * grid).tolist(),
        "curves": {name: (50 * grid).tolist() for name in interval.PICTURE_METHODS},
        "errors": dict.fromkeys(interval.PICTURE_METHODS, 0.5),
    }  # fmt: skip
    figure = drawn(interval_figure(results, picture, columns=columns))
    curves, errors = figure.axes
    assert "seed 3" in curves.get_title(loc="left")
    # A diverging fit does not extend the axis.
    assert curves.get_ylim()[1] < 10
    shown = [label.get_text() for label in errors.get_yticklabels()]
    assert shown == [interval.DEFAULT, *names[::-1]]
    assert errors.get_title(loc="left") == "bars: standard errors, 20 seeds"


@pytest.mark.parametrize("columns", [1, 3])
def test_the_circles_figure_shows_the_predicted_classes(columns: int) -> None:
    lines = ["1234", "4321", "1111", "2222"]
    picture = {
        "points": [[0.0, 1.0], [2.0, 0.0]], "labels": [1, 2], "labelled": [False, True],
        "predicted": {"DF": lines, "IL": lines}, "as_nearest": {"DF": 0.5, "IL": 0.25},
    }  # fmt: skip
    figure = drawn(circles_figure(picture, columns=columns))
    titles = [ax.get_title() for ax in figure.axes]
    assert titles[0] == "given: 1 labels, 1 points"
    assert "50.0%" in titles[1]
    assert figure.axes[1].images[0].get_array()[0].tolist() == [1, 2, 3, 4]


def test_rates_without_slopes_are_drawn() -> None:
    settings = {"n_inputs": 2, "n_draws": 1, "n_queries": 10, "seed": 0}
    payloads = [rate_point(name, n, **settings) for name in rate_plan() for n in (50, 60)]
    found = collected_rates(payloads)
    assert found["rates"].slopes == {}
    for narrow in (False, True):
        assert len(drawn(theory_rates_figure(found, narrow=narrow)).axes) == 4


def test_narrow_rates_have_the_curves_and_bounds_of_the_wide_ones() -> None:
    settings = {"n_inputs": 2, "n_draws": 1, "n_queries": 10, "seed": 0}
    payloads = [rate_point(name, n, **settings) for name in rate_plan() for n in (50, 60)]
    found = collected_rates(payloads)
    slopes = {"DF": Slope(-0.026, -0.028, -0.024, 0.0, (100, 350))}
    slopes["IL"] = Slope(-0.0041, -0.0043, -0.004, 0.0, (900, 1900))
    found["rates"] = replace(found["rates"], slopes=slopes)
    wide, narrow = (drawn(theory_rates_figure(found, narrow=each)) for each in (False, True))
    assert narrow.get_figwidth() < wide.get_figwidth() / 2
    for before, after in zip(wide.axes, narrow.axes, strict=True):
        for one, other in zip(before.lines, after.lines, strict=True):
            np.testing.assert_array_equal(one.get_xydata(), other.get_xydata())
    theorem = f"theorem: {-100 * found['rates'].setting.slope:.3f}"
    named = [text.get_text() for text in narrow.axes[0].texts]
    assert theorem in named
    assert "infimum loss: 0.410\n[0.400, 0.430]" in named


def test_an_interval_has_the_digits_of_its_slope() -> None:
    around_one = Slope(-0.0101, -0.0108, -0.0094, 0.0, (50, 100))
    assert _fall(around_one) == ": log error falls by\n1.01 [0.94, 1.08] per 100 rows"
    slow = Slope(-0.0042, -0.0043, -0.0041, 0.0, (50, 100))
    assert _fall(slow) == ": log error falls by\n0.420 [0.410, 0.430] per 100 rows"
    assert _fall(None) == ""
