"""Errors against a level, with standard errors and the authors' numbers."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from reproduce.figures.method_styles import FAINT, INK, style_of
from reproduce.readings import Reading

_DODGE = 0.008


def plot_readings(
    readings: Sequence[Reading], *, title: str = "", xlabel: str = "", ax: Axes | None = None
) -> Axes:
    """One curve a method with its standard errors; hollow markers are the authors' numbers.

    Parameters
    ----------
    readings : sequence of Reading
        Of one panel and one way to choose.
    title, xlabel : str
    ax : matplotlib Axes, optional
        By default those of a new Figure, which is ``ax.figure``.

    Examples
    --------
    >>> readings = [
    ...     Reading("", level, "DF", "truth", "test error", level / 2, 0.01, "8 folds")
    ...     for level in (0.1, 0.5)
    ... ]
    >>> plot_readings(readings).get_ylabel()
    'test error'
    """
    if not readings:
        raise ValueError("plot_readings: no readings, so there is nothing to draw.")
    if ax is None:
        ax = Figure(figsize=(5.4, 4.2), layout="constrained").add_subplot()
    methods = list(dict.fromkeys(reading.method for reading in readings))
    span = float(np.ptp([reading.level or 0.0 for reading in readings])) or 1.0
    for place, method in enumerate(methods):
        points = sorted((r for r in readings if r.method == method), key=lambda r: r.level or 0.0)
        levels = np.array([point.level or 0.0 for point in points])
        means = np.array([point.mean for point in points])
        spread = np.array([point.standard_error or 0.0 for point in points])
        style = style_of(method)
        # Side by side by a hair, so that one bar does not hide another.
        shift = _DODGE * span * (place - (len(methods) - 1) / 2)
        ax.errorbar(
            levels + shift, means, yerr=spread, color=style.color, marker=style.marker,
            linestyle=style.dashes, label=method, markersize=6.5, markeredgecolor="white",
            markeredgewidth=0.5, linewidth=1.9, elinewidth=1.2, capsize=2.5, zorder=3,
        )  # fmt: skip
        theirs = [(r.level, r.authors) for r in points if r.authors is not None]
        if theirs:
            x, y = np.array(theirs, dtype=np.float64).T
            ax.plot(
                x + shift, y, marker=style.marker, color=style.color, markersize=10.5,
                markerfacecolor="none", markeredgewidth=1.1, linestyle="none", zorder=4,
            )  # fmt: skip
    ax.set_xticks(sorted({reading.level for reading in readings if reading.level is not None}))
    ax.xaxis.set_major_formatter(PercentFormatter(xmax=1.0, decimals=0))
    ax.yaxis.set_major_formatter(PercentFormatter(xmax=1.0, decimals=0))
    ax.set_ylim(0.0, _top(readings))
    ax.set_title(title, loc="left", fontsize="medium")
    ax.set_xlabel(xlabel)
    ax.set_ylabel(readings[0].quantity)
    ax.grid(axis="y", color=FAINT, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(length=0)
    return ax


def _top(readings: Sequence[Reading]) -> float:
    """The end of an axis from 0 on which everything has room."""
    ends = [max(r.mean + (r.standard_error or 0.0), r.authors or 0.0) for r in readings]
    return 1.06 * max(ends) or 1.0


def reading_curves_figure(
    panels: Mapping[str, Sequence[Reading]],
    *,
    xlabel: str,
    title: str = "",
    note: str = "",
    columns: int = 2,
) -> Figure:
    """Panels in rows of so many, with one scale in each row and one legend for all.

    Parameters
    ----------
    panels : mapping from title to readings
        Row by row.
    xlabel : str
    title : str
        What is to be seen.
    note : str
        What bars and markers are.
    columns : int
        One for narrow screens.
    """
    n_rows = -(-len(panels) // columns)
    width = 4.7 if columns > 1 else 4.3
    layout = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.09, wspace=0.03)
    figure = Figure(figsize=(width * columns, 1.6 + 3.3 * n_rows), layout=layout)
    axes = figure.subplots(n_rows, columns, sharey="row", squeeze=False)
    for ax, (name, readings) in zip(axes.ravel(), panels.items(), strict=False):
        plot_readings(readings, title=name, ax=ax)
    for ax in axes[-1]:
        ax.set_xlabel(xlabel)
    groups = list(panels.values())
    for row, first in zip(axes, range(0, len(groups), columns), strict=True):
        row[0].set_ylim(0.0, max(_top(group) for group in groups[first : first + columns]))
    for ax in axes[:, 1:].ravel():
        ax.set_ylabel("")
    figure.suptitle(title, x=0.01, ha="left", fontsize="large", fontweight="bold")
    handles = {}
    for ax in axes.ravel():
        handles.update(dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True)))
    if any(reading.authors is not None for group in panels.values() for reading in group):
        handles["hollow: authors' code"] = Line2D(
            [], [], marker="o", color=INK, markersize=10.5, markerfacecolor="none", linestyle="none"
        )
    figure.legend(
        list(handles.values()), list(handles), loc="outside lower left",
        ncols=3 if columns > 1 else 2, frameon=False, title=note,
        alignment="left", title_fontsize="small", fontsize="small",
    )  # fmt: skip
    return figure
