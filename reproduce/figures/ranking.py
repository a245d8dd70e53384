"""The ranking figure: wrong pairs against the level of the corruption."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from reproduce.figures.result_curves import result_curves_figure
from reproduce.ranking import DEFAULT
from reproduce.results import FigureResult

_CHOICES = {
    "truth": "best by the truth, as published",
    "sets": "chosen by held-out known pairs",
}


def ranking_figure(results: Sequence[FigureResult], *, columns: int = 2) -> Figure:
    """Wrong pairs against the level, with hyper-parameters chosen with and without the truth.

    Parameters
    ----------
    results : sequence of FigureResult
        From `reproduce.ranking`.
    columns : int
        One for narrow screens.
    """
    errors = [result for result in results if result.quantity == "wrong pairs"]
    panels = {
        choice_name: [r for r in errors if r.choice == choice or r.method == DEFAULT]
        for choice, choice_name in _CHOICES.items()
    }
    figure = result_curves_figure(
        panels,
        xlabel="corruption (largest gaps hidden)",
        title="Ten items, twenty partial orders",
        note="bars: one standard error over sets of lines",
        columns=columns,
    )
    for ax in figure.axes:
        # There are ten levels; a tick at every third keeps the labels apart.
        ax.set_xticks(ax.get_xticks()[::3])
    return figure
