"""The scaling curves as one figure: seconds above, memory below, names at the ends of the lines."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from PIL import Image

from benchmarks.scaling import APPROXIMATE, Results
from benchmarks.scaling_point import MAX_GIB, Outcome, Point

__all__ = ["save_small", "scaling_figure"]

# The colours of Okabe and Ito, which colour-blind readers can distinguish; markers differ too.
_STYLES = {
    "neighbours, exact": ("#CC79A7", "o"),
    APPROXIMATE: ("#0072B2", "p"),
    "landmarks": ("#009E73", "^"),
    "forest": ("#E69F00", "v"),
    "kernel ridge": ("#D55E00", "s"),
    "LabelSpreading, knn": ("#8C8C8C", "D"),
    "LabelSpreading, rbf": ("#4D4D4D", "h"),
}
_REST_STYLE = ("#D55E00", "s")
# Names in several lines, which fit between curves.
_NARROW_NAMES = {
    "kernel ridge": "kernel\nridge",
    "LabelSpreading, knn": "Label\nSpreading,\nknn",
    "LabelSpreading, rbf": "Label\nSpreading,\nrbf",
}
_TITLES = {"k": "neighbours k", "m": "classes m", "d": "features d"}
_FAINT = "#D9D9D9"
# The position of the names, and their least distance, as shares of the panel.
_NAME_COLUMN, _MIN_NAME_DISTANCE = 0.66, 0.072
Found = Sequence[tuple[Point, Outcome]]


def scaling_figure(results: Results) -> Figure:
    """Curves over n of all methods, and over k, m, d of approximate neighbours.

    Parameters
    ----------
    results : pairs of a curve and its points; points without a measurement are not drawn
    """
    figure = Figure(figsize=(11.0, 6.4), layout="constrained")
    over = [curve.over for curve, _ in results if curve.over != "n"]
    panels = figure.subplots(
        2, 1 + len(over), sharex="col", width_ratios=[3.2, *[1.0] * len(over)], squeeze=False
    )
    methods = {found[0][0].method: _done(found) for curve, found in results if curve.over == "n"}
    for ax, field in zip(panels[:, 0], ("cpu", "gib"), strict=True):
        for method, found in methods.items():
            _curve(ax, *_line(found, field), *_STYLES[method])
    _format_row_panels(panels[:, 0])
    for ax, field in zip(panels[:, 0], ("cpu", "gib"), strict=True):
        _add_names(ax, {method: _line(found, field) for method, found in methods.items() if found})
    _plot_varied(panels[:, 1:], results)
    first = next(found for curve, found in results if curve.over != "n")[0][0]
    panels[0, 1].set_title(
        f"approximate neighbours, n = {first.n:,}", loc="left", fontsize="medium"
    )
    return figure


def save_small(figure: Figure, path: Path) -> None:
    """Save a figure as a PNG of 64 colours, which takes a third of the bytes."""
    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=100)
    Image.open(drawn).convert("RGB").quantize(64).save(path, format="PNG", optimize=True)


def _format_row_panels(panels: np.ndarray) -> None:
    upper, lower = panels
    for ax in panels:
        left, right = 1e3, ax.dataLim.x1
        ax.set_xlim(left / 1.5, left * (right / left) ** (1.09 / _NAME_COLUMN))
        ax.set_xticks([n for n in 10.0 ** np.arange(3, 7) if n <= right])
    upper.set_ylim(top=2 * upper.dataLim.y1)
    low, high = lower.dataLim.intervaly
    lower.set_ylim(low / 1.3, max(high, MAX_GIB) * 1.4)
    for ax in panels:
        _format_axes(ax)
    upper.set_title("fit, CPU seconds, one thread", loc="left", fontsize="medium")
    lower.set_title("peak memory of the process, GiB", loc="left", fontsize="medium")
    lower.set_xlabel("rows n (k = 10, m = 10, d = 20)", loc="left")
    lower.axhline(MAX_GIB, color="#4D4D4D", linewidth=1, linestyle=":")
    lower.annotate(
        f"limit: {MAX_GIB} GiB", (0.01, MAX_GIB), xycoords=("axes fraction", "data"),
        xytext=(0, -3), textcoords="offset points", va="top", fontsize="small", color="#4D4D4D",
    )  # fmt: skip


def _plot_varied(panels: np.ndarray, results: Results) -> None:
    parts = [(curve.over, _done(found)) for curve, found in results if curve.over != "n"]
    for column, (over, found) in enumerate(parts):
        upper, lower = panels[:, column]
        x = [getattr(point, over) for point, _ in found]
        graph = [outcome.weights_cpu or 0.0 for _, outcome in found]
        rest = [outcome.cpu - (outcome.weights_cpu or 0.0) for _, outcome in found]
        _curve(upper, x, graph, *_STYLES[APPROXIMATE])
        _curve(upper, x, rest, *_REST_STYLE)
        _curve(lower, x, [outcome.gib for _, outcome in found], *_STYLES[APPROXIMATE])
        if column == 0:
            _add_name_above(upper, x[-1], graph[-1], "graph", _STYLES[APPROXIMATE][0])
            _add_name_above(upper, x[-1], rest[-1], "all else", _REST_STYLE[0])
        lower.set_xlabel(_TITLES[over])
        lower.set_xticks(x, [f"{value}" for value in x])
    for row in panels:
        low = min(ax.dataLim.y0 for ax in row)
        high = max(ax.dataLim.y1 for ax in row)
        # At least a decade, so that a flat curve looks flat.
        high = max(1.5 * high, 10 * low / 1.5)
        for column, ax in enumerate(row):
            ax.set_ylim(low / 1.5, high)
            _format_axes(ax)
            ax.tick_params(labelleft=column == 0)


def _done(found: Found) -> Found:
    return [(point, outcome) for point, outcome in found if not outcome.limit]


def _line(found: Found, field: str) -> tuple[list[int], list[float]]:
    return [point.n for point, _ in found], [getattr(outcome, field) for _, outcome in found]


def _curve(ax: Axes, x: list[int], y: list[float], color: str, marker: str) -> None:
    ax.loglog(x, y, color=color, marker=marker, markersize=7, markeredgecolor="white", linewidth=2)


def _add_names(ax: Axes, curves: dict[str, tuple[list[int], list[float]]]) -> None:
    """Write names in a column at the right, or above the end of a curve that ends early."""
    bottom, top = np.log(ax.get_ylim())
    last = max(x[-1] for x, _ in curves.values())
    in_column = {name: line for name, line in curves.items() if line[0][-1] > last / 30}
    early = sorted(curves.keys() - in_column.keys(), key=lambda name: curves[name][0][-1])
    for place, name in enumerate(early):
        x, y = curves[name]
        # There is no other curve at the left of the first.
        side = "left" if place else "right"
        _add_name_above(ax, x[-1], y[-1], _NARROW_NAMES.get(name, name), _STYLES[name][0], side)
    names = sorted(in_column, key=lambda name: in_column[name][1][-1])
    heights = (np.log([in_column[name][1][-1] for name in names]) - bottom) / (top - bottom)
    for name, height in zip(names, _spread(heights), strict=True):
        x, y = in_column[name]
        ax.annotate(
            name, (x[-1], y[-1]), xytext=(_NAME_COLUMN, height), textcoords="axes fraction",
            color=_STYLES[name][0], va="center", fontsize="small", fontweight="bold",
            arrowprops={"arrowstyle": "-", "color": _STYLES[name][0], "linestyle": ":",
                        "shrinkA": 1, "shrinkB": 5, "relpos": (0.0, 0.5)},
        )  # fmt: skip


def _spread(heights: np.ndarray) -> np.ndarray:
    """Increasing heights, moved as little as needed to be `_MIN_NAME_DISTANCE` apart."""
    moved = np.array(heights, dtype=np.float64)
    for _ in range(200):
        lack = np.maximum(_MIN_NAME_DISTANCE - np.diff(moved), 0.0) / 2
        moved[:-1] -= lack
        moved[1:] += lack
    return moved


def _add_name_above(
    ax: Axes, x: float, y: float, name: str, color: str, side: str = "right"
) -> None:
    ax.annotate(
        name, (x, y), xytext=(0, 8), textcoords="offset points", color=color, fontsize="small",
        fontweight="bold", ha=side, linespacing=1.1,
    )  # fmt: skip


def _format_axes(ax: Axes) -> None:
    low, high = ax.get_ylim()
    ax.yaxis.set_major_locator(LogLocator(10, subs=(1.0,) if high / low > 1e3 else (1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_minor_locator(NullLocator())
    ax.grid(axis="y", color=_FAINT, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(length=0)
