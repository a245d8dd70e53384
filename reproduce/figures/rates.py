"""Drawings of errors against the number of rows, with fitted slopes and those of the theory."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator, PercentFormatter

from reproduce.figures.rate_panels import RateCurve, RatePanel

# The colours of Okabe and Ito, which colour-blind readers can distinguish; markers differ too.
_STYLES = {
    "DF": ("#0072B2", "o"),
    "DF, infimum start": ("#56B4E9", "P"),
    "IL": ("#D55E00", "s"),
    "AC": ("#009E73", "^"),
    "full supervision": ("#4D4D4D", "D"),
}
_FAINT = "#D9D9D9"
_INK = "#4D4D4D"


def plot_rates(panel: RatePanel, ax: Axes | None = None) -> Axes:
    """Draw the errors with bars of two standard errors to each side.

    On a logarithmic axis, sizes without any error are hollow markers at the bottom.

    Parameters
    ----------
    panel : RatePanel
    ax : matplotlib Axes, optional
        By default those of a new Figure, which is ``ax.figure``.

    Examples
    --------
    >>> from reproduce.rate_settings import separated_clusters
    >>> from reproduce.rates import measure_rates
    >>> from reproduce.figures import RateCurve, RatePanel
    >>> points = measure_rates(separated_clusters(), (100, 200), n_inputs=2, n_draws=5)
    >>> panel = RatePanel("a title", points, [RateCurve("IL", "infimum loss", (150, 0.4))])
    >>> plot_rates(panel).get_xlabel()
    'training rows n'
    """
    if not panel.points:
        raise ValueError("plot_rates: the panel has no points. Give at least one.")
    if ax is None:
        ax = Figure(figsize=(5.4, 4.2), layout="constrained").add_subplot()
    n = np.array([point.n for point in panel.points], dtype=np.float64)
    _scale(ax, panel, n)
    for place, curve in enumerate(panel.curves):
        _draw(ax, panel, curve, place)
    for bound in panel.bounds:
        ends = np.array([bound.start[0], bound.stop])
        heights = bound.start[1] * np.exp(bound.slope * (ends - ends[0]))
        ax.plot(ends, heights, ":", color=_INK, linewidth=1.8, zorder=2)
        _label(ax, bound.name, bound.at, _INK, "normal")
    ax.set_title(panel.title, loc="left", fontsize="medium")
    ax.set_xlabel("training rows n")
    ax.grid(axis="y", color=_FAINT, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(length=0)
    return ax


def rates_figure(
    panels: Sequence[RatePanel], *, title: str = "", note: str = "", narrow: bool = False
) -> Figure:
    """The first panel has the whole width, the others are side by side below it.

    Parameters
    ----------
    panels : sequence of RatePanel
        At least two.
    title : str
        What the figure shows.
    note : str
        What points and bars mean.
    narrow : bool
        One panel above the other, for narrow screens.
    """
    first, *others = panels
    layout = ConstrainedLayoutEngine(h_pad=0.1, wspace=0.04)
    columns = 1 if narrow else len(others)
    n_rows = 1 + len(others) // columns
    size = (4.8, 1.2 + 3.2 * n_rows) if narrow else (11.0, 8.2)
    figure = Figure(figsize=size, layout=layout)
    grid = figure.add_gridspec(n_rows, columns, height_ratios=[1.25] + [1.0] * (n_rows - 1))
    plot_rates(first, figure.add_subplot(grid[0, :])).set_ylabel("error at new inputs")
    for place, panel in enumerate(others):
        row, column = divmod(place, columns)
        ax = plot_rates(panel, figure.add_subplot(grid[1 + row, column]))
        if column == 0:
            ax.set_ylabel("error at new inputs")
    figure.suptitle(title, x=0.01, ha="left", fontsize="large", fontweight="bold")
    if note:
        figure.supxlabel(note, x=0.01, ha="left", fontsize="small", color=_INK)
    return figure


def _scale(ax: Axes, panel: RatePanel, n: np.ndarray) -> None:
    ax.set_xlim(n[0] - 0.03 * np.ptp(n), n[-1] + 0.03 * np.ptp(n))
    if panel.floor <= 0:
        ax.set_ylim(-0.02, 1.05)
        ax.yaxis.set_major_formatter(PercentFormatter(xmax=1.0, decimals=0))
        return
    ax.set_yscale("log")
    ax.set_ylim(panel.floor, 1.2)
    ax.yaxis.set_major_locator(LogLocator(10))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g}%"))


def _draw(ax: Axes, panel: RatePanel, curve: RateCurve, place: int) -> None:
    color, marker = _STYLES[curve.method]
    n = np.array([point.n for point in panel.points], dtype=np.float64)
    errors = np.array([point.error(curve.method, curve.clusters) for point in panel.points])
    spread = [point.standard_error(curve.method, curve.clusters) for point in panel.points]
    seen = (errors > 0) | (panel.floor == 0)
    bars = np.array([spread, spread]) * 2
    if panel.floor:
        # A logarithmic axis cannot show bars that reach 0.
        bars[0] = np.minimum(bars[0], np.maximum(errors - panel.floor, 0.0))
        # At a different height for each curve, so that none hides another.
        ax.plot(
            n[~seen], np.full((~seen).sum(), panel.floor * 1.5 * 1.9**place), marker,
            color=color, markerfacecolor="white", markersize=4.5,
        )  # fmt: skip
    ax.errorbar(
        n[seen], errors[seen], yerr=bars[:, seen], color=color, marker=marker,
        markersize=9 if curve.hollow else 6, markerfacecolor="none" if curve.hollow else color,
        markeredgecolor=color if curve.hollow else "white",
        linestyle="none" if curve.slope or curve.hollow else "-",
        linewidth=1.8, elinewidth=1.2, capsize=2.5, zorder=4 if curve.hollow else 3,
    )  # fmt: skip
    if curve.slope is not None:
        ends = np.array([curve.slope.sizes[0], curve.slope.sizes[-1]], dtype=np.float64)
        ax.plot(ends, curve.slope.error(ends), color=color, linewidth=2, zorder=3)
    _label(ax, curve.name, curve.at, color, "bold")
    if curve.leader is not None:
        touched = curve.leader, float(np.interp(curve.leader, n, errors))
        ax.annotate(
            "", touched, xytext=curve.at,
            arrowprops={"arrowstyle": "-", "color": color, "linewidth": 0.9, "shrinkB": 3},
        ).set_in_layout(False)  # fmt: skip


def _label(ax: Axes, text: str, at: tuple[float, float], color: str, weight: str) -> None:
    ax.annotate(
        text, at, xytext=(3, 3), textcoords="offset points", color=color, fontsize="small",
        fontweight=weight, linespacing=1.25,
    ).set_in_layout(False)  # fmt: skip
