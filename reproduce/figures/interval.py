"""The interval figure: the published picture, and the errors of all variants of the methods."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from reproduce.figures.method_styles import FAINT, INK, style_of
from reproduce.results import FigureResult

# Limits of the vertical axis, so that a diverging fit does not flatten the others.
_Y_LIMITS = -6.0, 6.0
_MARKERS = {"truth": "o", "sets": "s", "fixed": "D"}


def interval_figure(
    results: Sequence[FigureResult], picture: Mapping[str, Any], *, columns: int = 2
) -> Figure:
    """The two panels side by side, or one above the other.

    Parameters
    ----------
    results : sequence of FigureResult
        From `reproduce.interval.figure`.
    picture : mapping
        The payload of its job "picture".
    columns : int
        One for narrow screens.
    """
    layout = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.09)
    size = (11.0, 5.2) if columns == 2 else (4.6, 9.0)
    figure = Figure(figsize=size, layout=layout)
    axes = figure.subplots(3 - columns, columns, squeeze=False).ravel()
    plot_interval_picture(picture, axes[0])
    plot_interval_errors(results, axes[1])
    title = "A sine wave, seen in ten skewed intervals"
    figure.suptitle(title, x=0.01, ha="left", fontsize="large", fontweight="bold")
    return figure


def plot_interval_picture(picture: Mapping[str, Any], ax: Axes) -> Axes:
    """The intervals of one seed, the true wave, and the fitted curves."""
    lower, upper = np.array(picture["lower"]), np.array(picture["upper"])
    ax.vlines(
        picture["x"], lower, upper, color="#9A9A9A", linewidth=2.2, label="intervals", zorder=2
    )
    ax.plot(picture["grid"], picture["truth"], color="black", linewidth=1.4, label="truth")
    for name, curve in picture["curves"].items():
        style = style_of(name)
        label = f"{name.partition(',')[0]}: {picture['errors'][name]:.3f}"
        ax.plot(
            picture["grid"], curve, color=style.color, linewidth=2, linestyle=style.dashes,
            label=label, zorder=3,
        )  # fmt: skip
    ax.set_title(
        f"seed {picture['seed']}, as coded; errors in the legend", loc="left", fontsize="medium"
    )
    ax.legend(frameon=False, fontsize="small", ncols=2, loc="lower left")
    ends = np.concatenate([lower, upper, *picture["curves"].values()])
    low, high = max(ends.min(), _Y_LIMITS[0]), min(ends.max(), _Y_LIMITS[1])
    # The space below is for the legend.
    ax.set_ylim(low - 0.3 * (high - low), high + 0.05 * (high - low))
    ax.set_xlabel("x")
    ax.set_ylabel("y")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def plot_interval_errors(results: Sequence[FigureResult], ax: Axes) -> Axes:
    """Mean squared errors on a logarithmic axis, one line for each method."""
    methods = list(dict.fromkeys(result.method for result in results))
    for result in results:
        place = len(methods) - 1 - methods.index(result.method)
        style = style_of(result.method)
        color = INK if result.method == "true numbers" else style.color
        marker = _MARKERS[result.choice]
        lift = {"truth": 0.14, "sets": -0.14}.get(result.choice, 0.0)
        hollow = result.choice == "sets"
        ax.errorbar(
            result.mean, place + lift, xerr=result.standard_error or 0.0, color=color,
            marker=marker, markersize=5.5, markerfacecolor="white" if hollow else color,
            capsize=2.5, elinewidth=1.3, zorder=3,
        )  # fmt: skip
        if result.authors is not None:
            ax.plot(
                result.authors, place + lift, marker="|", markersize=17, markeredgewidth=2.2,
                color="black", zorder=2,
            )  # fmt: skip
    plain: dict[str, Any] = {"color": INK, "linestyle": "none"}
    handles = {
        "ridge by the truth": Line2D([], [], marker="o", **plain),
        "ridge by the sets alone": Line2D([], [], marker="s", markerfacecolor="white", **plain),
        "nothing chosen": Line2D([], [], marker="D", **plain),
        "authors' code": Line2D([], [], marker="|", markersize=13, markeredgewidth=2.2, **plain),
    }
    ax.legend(
        list(handles.values()), list(handles), frameon=False, fontsize="small", ncols=2,
        loc="upper center", bbox_to_anchor=(0.3, -0.14),
    )  # fmt: skip
    ax.set_xscale("log")
    ax.set_yticks(range(len(methods)), methods[::-1], fontsize="small")
    ax.set_xlabel("mean squared error")
    over = results[0].over
    ax.set_title(f"bars: standard errors, {over}", loc="left", fontsize="medium")
    ax.grid(axis="x", color=FAINT, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax
