"""The semi-supervised figure: the data, and the predictions of two methods."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

# The colours of Okabe and Ito, which colour-blind readers can distinguish.
_COLORS = ListedColormap(["#0072B2", "#E69F00", "#009E73", "#CC79A7"])
_NAMES = {"DF": "disambiguation", "IL": "infimum loss"}


def circles_figure(picture: Mapping[str, Any], *, columns: int = 3) -> Figure:
    """The points with their four labels, and the classes that DF and IL predict on a grid.

    Parameters
    ----------
    picture : mapping
        The payload of the job "picture" of `reproduce.semi_supervised`.
    columns : int
        One for narrow screens.
    """
    layout = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.1)
    n_rows = -(-3 // columns)
    figure = Figure(figsize=(3.9 * columns, 0.7 + 3.9 * n_rows), layout=layout)
    panels = figure.subplots(n_rows, columns, squeeze=False).ravel()
    points, labels = np.array(picture["points"]), np.array(picture["labels"])
    labelled = np.array(picture["labelled"])
    panels[0].scatter(*points[~labelled].T, s=2, color="0.6", linewidths=0, rasterized=True)
    panels[0].set_title(f"given: {labelled.sum()} labels, {(~labelled).sum()} points")
    for panel, name in zip(panels[1:], picture["predicted"], strict=True):
        _plot_grid(panel, picture["predicted"][name])
        share = picture["as_nearest"][name]
        panel.set_title(f"{_NAMES[name]}: {100 * share:.1f}% as nearest circle")
    for panel in panels:
        panel.title.set_fontsize("medium")
        panel.scatter(
            *points[labelled].T, c=labels[labelled], cmap=_COLORS, vmin=0.5, vmax=4.5, s=80,
            edgecolor="black", linewidth=1.2, zorder=3,
        )  # fmt: skip
        panel.set(xlim=(-4.5, 4.5), ylim=(-4.5, 4.5), aspect="equal", xticks=[], yticks=[])
    title = "Four labels for two thousand points"
    figure.suptitle(title, x=0.01, ha="left", fontsize="large", fontweight="bold")
    return figure


def _plot_grid(ax: Axes, lines: list[str]) -> None:
    classes = np.array([[int(sign) for sign in line] for line in lines])
    ax.imshow(
        classes, cmap=_COLORS, vmin=0.5, vmax=4.5, alpha=0.8, origin="lower",
        extent=(-4.5, 4.5, -4.5, 4.5), interpolation="nearest",
    )  # fmt: skip
