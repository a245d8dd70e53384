"""Curves of results against the level, with standard errors and the authors' numbers."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter

from reproduce.figures.method_styles import FAINT, INK, style_of
from reproduce.results import FigureResult

# Shift between the curves, as a share of the axis, so that one bar does not hide another.
_CURVE_SHIFT = 0.008


def plot_results(
    results: Sequence[FigureResult], *, title: str = "", xlabel: str = "", ax: Axes | None = None
) -> Axes:
    """One curve for each method, with standard errors; hollow markers are the authors' numbers.

    Parameters
    ----------
    results : sequence of FigureResult
        Results of one panel and one way to choose hyper-parameters.
    title, xlabel : str
    ax : matplotlib Axes, optional
        By default those of a new Figure, which is ``ax.figure``.

    Examples
    --------
    >>> results = [
    ...     FigureResult("", level, "DF", "truth", "test error", level / 2, 0.01, "8 folds")
    ...     for level in (0.1, 0.5)
    ... ]
    >>> plot_results(results).get_ylabel()
    'test error'
    """
    if not results:
        raise ValueError("plot_results: there are no results to draw. Give at least one.")
    if ax is None:
        ax = Figure(figsize=(5.4, 4.2), layout="constrained").add_subplot()
    methods = list(dict.fromkeys(result.method for result in results))
    span = float(np.ptp([result.level or 0.0 for result in results])) or 1.0
    for place, method in enumerate(methods):
        points = sorted((r for r in results if r.method == method), key=lambda r: r.level or 0.0)
        levels = np.array([point.level or 0.0 for point in points])
        means = np.array([point.mean for point in points])
        spread = np.array([point.standard_error or 0.0 for point in points])
        style = style_of(method)
        shift = _CURVE_SHIFT * span * (place - (len(methods) - 1) / 2)
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
    ax.set_xticks(sorted({result.level for result in results if result.level is not None}))
    ax.xaxis.set_major_formatter(PercentFormatter(xmax=1.0, decimals=0))
    ax.yaxis.set_major_formatter(PercentFormatter(xmax=1.0, decimals=0))
    ax.set_ylim(0.0, _top(results))
    ax.set_title(title, loc="left", fontsize="medium")
    ax.set_xlabel(xlabel)
    ax.set_ylabel(results[0].quantity)
    ax.grid(axis="y", color=FAINT, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(length=0)
    return ax


def _top(results: Sequence[FigureResult]) -> float:
    """The upper end of an axis that begins at 0 and shows everything."""
    ends = [max(r.mean + (r.standard_error or 0.0), r.authors or 0.0) for r in results]
    return 1.06 * max(ends) or 1.0


def result_curves_figure(
    panels: Mapping[str, Sequence[FigureResult]],
    *,
    xlabel: str,
    title: str = "",
    note: str = "",
    columns: int = 2,
) -> Figure:
    """Panels in rows, with one scale in each row and one legend for all.

    Parameters
    ----------
    panels : mapping from title to results
        Row by row.
    xlabel : str
    title : str
        What the figure shows.
    note : str
        What bars and markers mean.
    columns : int
        Panels in a row; one for narrow screens.
    """
    n_rows = -(-len(panels) // columns)
    width = 4.7 if columns > 1 else 4.3
    layout = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.09, wspace=0.03)
    figure = Figure(figsize=(width * columns, 1.6 + 3.3 * n_rows), layout=layout)
    axes = figure.subplots(n_rows, columns, sharey="row", squeeze=False)
    for ax, (name, results) in zip(axes.ravel(), panels.items(), strict=False):
        plot_results(results, title=name, ax=ax)
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
    if any(result.authors is not None for group in panels.values() for result in group):
        handles["hollow: authors' code"] = Line2D(
            [], [], marker="o", color=INK, markersize=10.5, markerfacecolor="none", linestyle="none"
        )
    figure.legend(
        list(handles.values()), list(handles), loc="outside lower left",
        ncols=3 if columns > 1 else 2, frameon=False, title=note,
        alignment="left", title_fontsize="small", fontsize="small",
    )  # fmt: skip
    return figure
