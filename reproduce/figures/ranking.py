"""The ranking figure."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from reproduce.figures.reading_curves import reading_curves_figure
from reproduce.ranking import DEFAULT
from reproduce.readings import Reading

_CHOICES = {
    "truth": "best by the truth, as published",
    "sets": "chosen by held-out known pairs",
}


def ranking_figure(readings: Sequence[Reading], *, columns: int = 2) -> Figure:
    """Wrong pairs against the level of the corruption, chosen with and without the truth.

    Parameters
    ----------
    readings : sequence of Reading
        Of `reproduce.ranking`.
    columns : int
        One for narrow screens.
    """
    errors = [reading for reading in readings if reading.quantity == "wrong pairs"]
    panels = {
        words: [r for r in errors if r.choice == choice or r.method == DEFAULT]
        for choice, words in _CHOICES.items()
    }
    figure = reading_curves_figure(
        panels,
        xlabel="corruption (largest gaps hidden)",
        title="Ten items, twenty partial orders",
        note="bars: one standard error over sets of lines",
        columns=columns,
    )
    for ax in figure.axes:
        # Ten levels, of which every third is enough to read them by.
        ax.set_xticks(ax.get_xticks()[::3])
    return figure
