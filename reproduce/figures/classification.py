"""The classification figure: one for each data set."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from reproduce.classification import DEFAULT, KINDS
from reproduce.figures.reading_curves import reading_curves_figure
from reproduce.readings import Reading

_CHOICES = {
    "truth": "best by truth",
    "sets": "chosen by sets",
}
_CORRUPTIONS = {
    "text": "sets as the paper's text has them",
    "code": "sets as its program draws them",
}


def classification_figure(readings: Sequence[Reading], data: str, *, columns: int = 2) -> Figure:
    """Rows: the two corruptions; columns: hyper-parameters chosen with and without the truth.

    Parameters
    ----------
    readings : sequence of Reading
        Of `reproduce.classification`.
    data : str
        Which data set, as the panels of the readings begin.
    columns : int
        One for narrow screens.
    """
    panels = {}
    for kind in KINDS.values():
        mine = [reading for reading in readings if reading.panel == f"{data}, {kind}"]
        for choice, words in _CHOICES.items():
            title = f"{_CORRUPTIONS[kind]}, {words}"
            panels[title] = [r for r in mine if r.choice == choice or r.method == DEFAULT]
    return reading_curves_figure(
        panels,
        xlabel="corruption",
        title=data,
        note="bars: one standard error over folds",
        columns=columns,
    )
