"""The simplex of distributions over three labels, drawn as a triangle."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.patches import Polygon
from matplotlib.patheffects import withStroke
from matplotlib.tri import Triangulation

from disambig.notation import FloatArray
from reproduce.simplex import SimplexPicture

# Positions of the three labels: left, top, right.
_LABEL_POSITIONS = np.array([[0.0, 0.0], [0.5, np.sqrt(0.75)], [1.0, 0.0]])
# The colours of Okabe and Ito, which colour-blind readers can distinguish; regions are also named.
_COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
_INK = "#333333"
_POSSIBLE = "#111111"
_N_LEVELS = 11
# Points between the title of a panel and the label at its upper vertex.
_TITLE_PAD = 12


def plot_decision_regions(picture: SimplexPicture, ax: Axes | None = None) -> Axes:
    """Colour each distribution by the prediction that is best under it.

    Parameters
    ----------
    picture : SimplexPicture
    ax : matplotlib Axes, optional
        By default those of a new Figure, which is ``ax.figure``.

    Examples
    --------
    >>> from reproduce.simplex import paper_example, simplex_picture
    >>> ax = plot_decision_regions(simplex_picture(*paper_example()))
    >>> [text.get_text() for text in ax.texts]
    ['a', 'b', 'c', 'a', 'b', 'c']
    """
    if ax is None:
        ax = Figure(figsize=(4.2, 4.0), layout="constrained").add_subplot()
    for region in [found for found in picture.regions if len(found.vertices)]:
        vertices = _ordered(region.vertices) @ _LABEL_POSITIONS
        color = _COLORS[region.prediction % len(_COLORS)]
        ax.add_patch(
            Polygon(vertices, facecolor=(color, 0.28), edgecolor=_INK, linewidth=0.9, closed=True)
        )
        if region.dimension == 2:
            ax.annotate(
                str(picture.loss.predictions[region.prediction]), _middle(vertices),
                ha="center", va="center", fontsize="medium", fontweight="bold", color=_INK,
            )  # fmt: skip
    _add_frame(ax, picture)
    return ax


def simplex_figure(picture: SimplexPicture, *, title: str = "", narrow: bool = False) -> Figure:
    """Decision regions, compatible distributions, and the level lines of both objectives.

    Parameters
    ----------
    picture : SimplexPicture
    title : str
        What the figure shows.
    narrow : bool
        One panel above the other, for narrow screens.
    """
    objectives: list[tuple[str, FloatArray]] = [
        (r"Disambiguation: $\min_z\,\mathrm{E}\,\ell(z, Y)$", picture.expected)
    ]
    if picture.quadratic is not None:
        objectives.append((r"Quadratic form: $\mathrm{E}\,\ell(Y, Y')$", picture.quadratic))
    columns = 1 if narrow else 4 - len(objectives)
    n_rows = (2 + len(objectives)) // columns
    layout = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.06)
    width, margin = (4.6, 2.6) if narrow else (8.6 if columns == 2 else 12.0, 1.1)
    figure = Figure(figsize=(width, margin + 3.7 * n_rows), layout=layout)
    panels = figure.subplots(n_rows, columns, squeeze=False).ravel()
    plot_decision_regions(picture, panels[0])
    panels[0].set_title("Decision regions: the best prediction", fontsize="medium", pad=_TITLE_PAD)
    _plot_possible(panels[1], picture)
    panels[1].set_title("Compatible distributions", fontsize="medium", pad=_TITLE_PAD)
    top = max(float(values.max()) for _, values in objectives)
    low = min(float(values.min()) for _, values in objectives)
    ticks = np.linspace(low, top if top > low else low + 1, _N_LEVELS)
    filled: Any = None
    for ax, (name, values) in zip(panels[2:], objectives, strict=True):
        filled = _plot_levels(ax, picture, values, ticks)
        ax.set_title(name, fontsize="medium", pad=_TITLE_PAD)
    place = "bottom" if narrow else "right"
    bar = figure.colorbar(filled, ax=panels[2:], location=place, shrink=0.7, aspect=24, pad=0.02)
    bar.set_ticks(ticks[::2].tolist(), labels=[f"{tick:.3g}" for tick in ticks[::2]])
    bar.ax.tick_params(length=0, labelsize="small")
    bar.set_label("expected loss")
    figure.suptitle(title, x=0.01, ha="left", fontsize="large", fontweight="bold")
    handles, labels = panels[1].get_legend_handles_labels()
    # Legends are filled column by column; this order reads row by row.
    columns = 1 if narrow else 3
    order = [k for column in range(columns) for k in range(column, len(labels), columns)]
    figure.legend(
        [handles[k] for k in order], [labels[k] for k in order], loc="outside lower left",
        ncols=columns, frameon=False,
    )  # fmt: skip
    return figure


def _plot_possible(ax: Axes, picture: SimplexPicture) -> None:
    names = picture.loss.predictions
    _plot_outline(ax, picture, fill=True)
    _plot_frontiers(ax, picture)
    ax.plot(
        *(picture.compatible.average @ _LABEL_POSITIONS), "s", color=_INK, markersize=7,
        markeredgecolor="white", zorder=7, linestyle="none",
        label=f"average of the sets: predict {_named(picture, picture.averaged)}",
    )  # fmt: skip
    _plot_disambiguated(ax, picture)
    places = picture.attained @ _LABEL_POSITIONS
    for z, (place, value) in enumerate(zip(places, picture.infimum, strict=True)):
        ax.plot(
            *place, "o", color=_COLORS[z % len(_COLORS)], markersize=8, markeredgecolor="white",
            label=f"infimum loss of {names[z]}: {value:.3g}", clip_on=False, zorder=6,
            linestyle="none",
        )  # fmt: skip
    _add_frame(ax, picture)


def _plot_disambiguated(ax: Axes, picture: SimplexPicture) -> None:
    ax.plot(
        *(picture.attained[list(picture.disambiguated)] @ _LABEL_POSITIONS).T, "*", color="white",
        markersize=19, markeredgecolor=_INK, markeredgewidth=1.2, clip_on=False, zorder=5,
        linestyle="none",
        label=f"disambiguated: predict {_named(picture, picture.disambiguated)}",
    )  # fmt: skip


def _named(picture: SimplexPicture, tied: tuple[int, ...]) -> str:
    return " or ".join(str(picture.loss.predictions[z]) for z in tied)


def _plot_levels(ax: Axes, picture: SimplexPicture, values: FloatArray, ticks: FloatArray) -> Any:
    places = Triangulation(*(picture.grid @ _LABEL_POSITIONS).T)
    # Levels slightly below round values: on a plateau at a round value, rounding would draw specks.
    offset = 1e-6 * float(np.ptp(ticks))
    levels = np.r_[ticks[:-1] - offset, ticks[-1] + offset]
    filled = ax.tricontourf(places, values, levels=levels, cmap="cividis", alpha=0.55)
    ax.tricontour(places, values, levels=levels[1:-1], colors=_INK, linewidths=0.8)
    _plot_frontiers(ax, picture)
    _plot_outline(ax, picture, fill=False)
    _plot_disambiguated(ax, picture)
    _add_frame(ax, picture)
    return filled


def _plot_outline(ax: Axes, picture: SimplexPicture, *, fill: bool) -> None:
    vertices = _ordered(picture.compatible.vertices) @ _LABEL_POSITIONS
    ax.add_patch(
        Polygon(
            vertices, facecolor="#DDDDDD" if fill else "none", edgecolor=_POSSIBLE, closed=True,
            linewidth=2.2, label="compatible with the sets" if fill else "", zorder=4,
            # A white rim distinguishes the outline from the level lines.
            path_effects=None if fill else [withStroke(linewidth=4.6, foreground="white")],
        )
    )  # fmt: skip


def _plot_frontiers(ax: Axes, picture: SimplexPicture) -> None:
    """Draw the sides of the regions that are not sides of the simplex, each once."""
    sides = set()
    for region in [found for found in picture.regions if len(found.vertices)]:
        ordered = _ordered(region.vertices)
        for ends in zip(ordered, np.roll(ordered, -1, axis=0), strict=True):
            if np.max(ends, axis=0).min() > 1e-9:
                sides.add(tuple(sorted(tuple(end.round(9).tolist()) for end in ends)))
    for side in sorted(sides):
        ax.plot(*(np.array(side) @ _LABEL_POSITIONS).T, ":", color=_INK, linewidth=1.5, zorder=4.5)


def _add_frame(ax: Axes, picture: SimplexPicture) -> None:
    ax.add_patch(
        Polygon(_LABEL_POSITIONS, facecolor="none", edgecolor=_INK, linewidth=1.2, zorder=3)
    )
    away = _LABEL_POSITIONS - _LABEL_POSITIONS.mean(axis=0)
    for name, place in zip(picture.loss.classes, _LABEL_POSITIONS + 0.15 * away, strict=True):
        ax.annotate(
            str(name), place, ha="center", va="center", fontsize="large", annotation_clip=False
        )
    ax.set(xlim=(-0.11, 1.11), ylim=(-0.11, 0.98), aspect="equal")
    ax.set_axis_off()


def _ordered(vertices: FloatArray) -> FloatArray:
    """The vertices of a convex polygon of distributions, in the order of their angles."""
    x, y = ((vertices - vertices.mean(axis=0)) @ _LABEL_POSITIONS).T
    ordered: FloatArray = vertices[np.argsort(np.arctan2(y, x))]
    return ordered


def _middle(vertices: FloatArray) -> tuple[float, float]:
    """The centre of mass of a polygon."""
    after = np.roll(vertices, -1, axis=0)
    cross = vertices[:, 0] * after[:, 1] - after[:, 0] * vertices[:, 1]
    x, y = ((vertices + after) * cross[:, None]).sum(axis=0) / (3 * cross.sum())
    return float(x), float(y)
