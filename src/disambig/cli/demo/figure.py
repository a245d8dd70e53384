"""The figure of ``disambig demo``: error against ambiguity, one curve for each method."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import PercentFormatter

from disambig.cli.demo.comparison import Summary

# Distinguishable with all common kinds of colour vision, and in print by marker (Okabe and Ito).
_STYLES = (
    ("#0072B2", "o"),
    ("#D55E00", "s"),
    ("#009E73", "^"),
    ("#CC79A7", "D"),
    ("#E69F00", "v"),
    ("#56B4E9", "P"),
)
_CEILING_COLOR = "#4D4D4D"
_GRID_COLOR = "#D9D9D9"
# Horizontal distance between the markers of two methods, as a share of the range of levels.
_MARKER_OFFSET = 0.012


def plot_error_curves(
    summaries: Sequence[Summary],
    *,
    ceiling: str | None = None,
    names: Mapping[str, str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the mean error of each method against the level of ambiguity, with standard errors.

    Parameters
    ----------
    summaries : sequence of Summary
        Of one kind of ambiguity. Methods get colours and markers in the order of their appearance.
    ceiling : str, optional
        The method that is trained on the true labels: a dashed line with a band.
    names : mapping, optional
        Names of the methods in the legend.
    title : str
    ax : matplotlib Axes, optional
        By default those of a new Figure, which is ``ax.figure``.

    Examples
    --------
    >>> from disambig.cli.demo.comparison import Estimate, Summary
    >>> points = [
    ...     Summary("uniform", level, "DF", 2.0, Estimate(level / 10, 0.01), Estimate(0.9, 0.01))
    ...     for level in (0.1, 0.5)
    ... ]
    >>> plot_error_curves(points).get_ylabel()
    'test error'
    """
    if not summaries:
        raise ValueError("plot_error_curves: got no summaries; expected at least one to draw.")
    if ax is None:
        ax = Figure(figsize=(5.4, 4.2), layout="constrained").add_subplot()
    methods = list(dict.fromkeys(summary.method for summary in summaries))
    curves = [method for method in methods if method != ceiling]
    for method in methods:
        points = sorted((s for s in summaries if s.method == method), key=lambda s: s.level)
        levels = np.array([point.level for point in points])
        means = np.array([point.error.mean for point in points])
        errors = np.nan_to_num([point.error.standard_error for point in points])
        label = (names or {}).get(method, method)
        if method == ceiling:
            ax.plot(levels, means, "--", color=_CEILING_COLOR, linewidth=1.6, label=label, zorder=2)
            ax.fill_between(
                levels,
                means - errors,
                means + errors,
                color=_CEILING_COLOR,
                alpha=0.18,
                linewidth=0,
            )
            continue
        index = curves.index(method)
        color, marker = _STYLES[index % len(_STYLES)]
        # A small offset, so that one bar does not hide another.
        shift = _MARKER_OFFSET * np.ptp(levels) * (index - (len(curves) - 1) / 2)
        ax.errorbar(
            levels + shift, means, yerr=errors, color=color, marker=marker, label=label,
            markersize=6, markeredgecolor="white", linewidth=2, elinewidth=1.4, capsize=3, zorder=3,
        )  # fmt: skip
    _format_axes(ax, summaries, ceiling, title)
    return ax


def _format_axes(ax: Axes, summaries: Sequence[Summary], ceiling: str | None, title: str) -> None:
    sizes = {s.level: s.set_size for s in summaries if s.method != ceiling}
    ticks = sorted(sizes)
    ax.set_xticks(ticks, [f"{100 * level:.0f}%\n{sizes[level]:.1f}" for level in ticks])
    ax.set_xlabel("chance of joining a set\nmean number of candidates in a set")
    ax.set_ylabel("test error")
    ax.yaxis.set_major_formatter(PercentFormatter(xmax=1.0, decimals=0))
    ax.set_ylim(bottom=0.0)
    ax.set_title(title, loc="left", fontsize="medium")
    ax.grid(axis="y", color=_GRID_COLOR, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(length=0)


def error_curves_figure(
    summaries: Sequence[Summary],
    *,
    ceiling: str | None = None,
    names: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
    title: str = "",
    note: str = "bars and band: standard errors",
) -> Figure:
    """One panel for each kind of ambiguity, side by side, with one scale and one legend.

    Parameters
    ----------
    summaries : sequence of Summary
    ceiling, names
        See `plot_error_curves`.
    kinds : mapping, optional
        Titles of the panels.
    title : str
        Title of the figure.
    note : str
        Explanation of bars and band.
    """
    found = list(dict.fromkeys(summary.kind for summary in summaries))
    layout = ConstrainedLayoutEngine(wspace=0.06)
    figure = Figure(figsize=(1.2 + 4.4 * len(found), 5.0), layout=layout)
    panels = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
    for ax, kind in zip(panels, found, strict=True):
        plot_error_curves(
            [summary for summary in summaries if summary.kind == kind],
            ceiling=ceiling,
            names=names,
            title=(kinds or {}).get(kind, kind),
            ax=ax,
        )
        ax.label_outer()
    figure.suptitle(title, x=0.01, ha="left", fontsize="large", fontweight="bold")
    drawn = dict(zip(*reversed(panels[0].get_legend_handles_labels()), strict=True))
    labels = [(names or {}).get(m, m) for m in dict.fromkeys(s.method for s in summaries)]
    figure.legend(
        [drawn[label] for label in labels], labels, loc="outside lower left", ncols=4,
        frameon=False, title=note, alignment="left",
    )  # fmt: skip
    return figure
