"""matplotlib: loaded when something is drawn, and left as it was."""

import subprocess
import sys

import matplotlib as mpl
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from disambig.plots import (
    CandidateConfusionDisplay,
    ConfidenceHistogramDisplay,
    QuestionCurveDisplay,
    ReliabilityDisplay,
    RiskCoverageDisplay,
    SuspectsDisplay,
)

DISPLAYS = (ReliabilityDisplay, RiskCoverageDisplay, ConfidenceHistogramDisplay)
EVERY_DISPLAY = pytest.mark.parametrize("display", DISPLAYS, ids=lambda display: display.__name__)
CONFIDENCE, IS_RIGHT = [0.9, 0.8, 0.3, 0.3], [True, True, False, True]


def run(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_matplotlib_is_loaded_when_something_is_drawn_and_pyplot_for_a_new_figure() -> None:
    run(
        "import sys\n"
        "from disambig.plots import ReliabilityDisplay, RiskCoverageDisplay\n"
        "display = RiskCoverageDisplay([1.0], [0.5], [0.5])\n"
        "assert 'matplotlib' not in sys.modules\n"
        "from matplotlib.figure import Figure\n"
        "display.plot(Figure().add_subplot())\n"
        "ReliabilityDisplay([0.5], [0.5], [1]).plot(Figure().add_subplot())\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )


@EVERY_DISPLAY
def test_without_matplotlib_the_error_names_the_extra(
    display: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("matplotlib", "matplotlib.axes"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r'pip install "disambig\[plot\]"'):
        display.from_predictions(CONFIDENCE, IS_RIGHT)


@EVERY_DISPLAY
def test_given_axes_are_used_and_pyplot_stays_as_it_was(display: type) -> None:
    current = pyplot.figure()
    try:
        before, settings = pyplot.get_fignums(), mpl.rcParams.copy()
        figure = Figure()
        axes = figure.subplots(1, 2)
        found = display.from_predictions(CONFIDENCE, IS_RIGHT, ax=axes[1])
        assert found.ax_ is axes[1]
        assert found.figure_ is figure
        assert not axes[0].has_data()
        assert found.plot(axes[0]) is found
        assert found.ax_ is axes[0]
        assert pyplot.get_fignums() == before
        assert pyplot.gcf() is current
        assert mpl.rcParams == settings
    finally:
        pyplot.close(current)


NEW_DISPLAYS = (
    lambda **options: SuspectsDisplay.from_suspicion([0.9, 0.1], [0], **options),
    lambda **options: QuestionCurveDisplay.from_curve([0, 1], [0.5, 0.6], **options),
    lambda **options: CandidateConfusionDisplay.from_candidates([{0, 1}, {0}, {1}], **options),
)


@pytest.mark.parametrize("draw", NEW_DISPLAYS, ids=["suspects", "questions", "candidates"])
def test_displays_of_sets_and_questions_draw_alike(draw, monkeypatch: pytest.MonkeyPatch) -> None:
    before = pyplot.get_fignums()
    found = draw(ax=Figure().add_subplot())
    assert pyplot.get_fignums() == before
    assert found.plot(Figure().add_subplot()) is found
    with pytest.raises(TypeError, match="ax must be matplotlib Axes or None; got Figure"):
        draw(ax=Figure())
    found = draw()
    assert pyplot.gcf() is found.figure_
    pyplot.close(found.figure_)
    for name in ("matplotlib", "matplotlib.axes"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r'pip install "disambig\[plot\]"'):
        draw()


@EVERY_DISPLAY
def test_a_new_figure_is_one_of_pyplot(display: type) -> None:
    before = pyplot.get_fignums()
    found = display.from_predictions(CONFIDENCE, IS_RIGHT)
    try:
        assert len(pyplot.get_fignums()) == len(before) + 1
        assert pyplot.gcf() is found.figure_
        found.figure_.canvas.draw()
    finally:
        pyplot.close(found.figure_)
    assert pyplot.get_fignums() == before


@EVERY_DISPLAY
def test_options_reach_the_artists_and_names_the_legend(display: type) -> None:
    is_histogram = display is ConfidenceHistogramDisplay
    options = {"fc": "k", "lw": 3} if is_histogram else {"c": "k", "lw": 3, "marker": ""}
    found = display.from_predictions(
        CONFIDENCE, IS_RIGHT, name="first", ax=Figure().add_subplot(), **options
    )
    legend = found.ax_.get_legend()
    if is_histogram:
        assert found.bars_[0].get_facecolor() == (0, 0, 0, 1)
        assert found.bars_[0].get_linewidth() == 3
        assert legend.get_title().get_text() == "first"
    else:
        assert found.line_.get_color() == "k"
        assert found.line_.get_linewidth() == 3
        assert any(text.get_text().startswith("first (") for text in legend.get_texts())
    found.plot(Figure().add_subplot(), name="second")
    text = (
        found.ax_.get_legend().get_title().get_text() if is_histogram else found.line_.get_label()
    )
    assert text.startswith("second")
    assert found.name == "first"
