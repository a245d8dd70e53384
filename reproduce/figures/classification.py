"""The classification figure; there is one for each data set."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from reproduce.classification import CORRUPTION_KINDS, DEFAULT
from reproduce.figures.result_curves import result_curves_figure
from reproduce.results import FigureResult

_CHOICES = {
    "truth": "best by truth",
    "sets": "chosen by sets",
}
_CORRUPTIONS = {
    "text": "sets as the paper's text has them",
    "code": "sets as its program draws them",
}


def classification_figure(
    results: Sequence[FigureResult], data: str, *, columns: int = 2
) -> Figure:
    """Rows: the two corruptions; columns: hyper-parameters chosen with and without the truth.

    Parameters
    ----------
    results : sequence of FigureResult
        From `reproduce.classification`.
    data : str
        The data set, with which the panels of its results begin.
    columns : int
        One for narrow screens.
    """
    panels = {}
    for kind in CORRUPTION_KINDS.values():
        own_results = [result for result in results if result.panel == f"{data}, {kind}"]
        for choice, choice_name in _CHOICES.items():
            title = f"{_CORRUPTIONS[kind]}, {choice_name}"
            panels[title] = [r for r in own_results if r.choice == choice or r.method == DEFAULT]
    return result_curves_figure(
        panels,
        xlabel="corruption",
        title=data,
        note="bars: one standard error over folds",
        columns=columns,
    )
