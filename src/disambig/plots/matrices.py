"""What the displays of matrices share: cells, names and numbers in the cells."""

from typing import TYPE_CHECKING, Any

import numpy as np

from disambig.candidates.labels.classes import listed
from disambig.notation import FloatArray
from disambig.plots.drawing import show_as_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.image import AxesImage

# With more names they would overlap, and so would numbers in the cells.
MAX_NAMED, MAX_NUMBERED = 40, 12
_MAX_LETTERS = 18
_NOTHING_COLOR = "#E6E6E6"


def draw_matrix(
    figure: "Figure | SubFigure",
    ax: "Axes",
    values: FloatArray,
    names: list[Any],
    *,
    axis_names: tuple[str, str],
    value_name: str,
    noun: str,
    colorbar: bool = True,
    **options: Any,
) -> "AxesImage":
    """Draw shares ``(k, k)`` as cells, with names on both axes; NaN is a grey cell.

    Parameters
    ----------
    figure, ax : Figure and Axes
    values : float array (k, k)
        Shares, as they are drawn.
    names : list
        Of rows and columns.
    axis_names : (str, str)
        What rows and columns are.
    value_name : str
        What a cell says, for the colour bar.
    noun : str
        What is counted if there are too many names: "classes", "items" or "tags".
    colorbar : bool
    **options
        Of ``Axes.imshow``.
    """
    from matplotlib import colormaps

    cmap = colormaps.get_cmap(options.pop("cmap", "Blues")).with_extremes(bad=_NOTHING_COLOR)
    image = ax.imshow(values, cmap=cmap, **{"interpolation": "nearest", **options})
    if len(names) > MAX_NAMED:
        ax.set_title(f"{len(names)} {noun}", loc="right", fontsize="small")
    name_axis(ax.xaxis, names, turn=True)
    name_axis(ax.yaxis, names)
    if len(names) <= MAX_NUMBERED:
        _number_cells(ax, image, values)
    ax.set(ylabel=axis_names[0], xlabel=axis_names[1])
    if colorbar:
        bar = figure.colorbar(image, ax=ax, fraction=0.046, pad=0.04)
        bar.set_label(value_name)
    return image


def name_axis(axis: "Axis", names: list[Any], *, turn: bool = False) -> None:
    """Name the cells along an axis, unless there are too many.

    Parameters
    ----------
    axis : Axis
    names : list
    turn : bool
        Whether long names stand upright.
    """
    k = len(names)
    if k > MAX_NAMED:
        axis.set_ticks([])
        return
    shown = [shortened(name) for name in names]
    is_turned = turn and max(map(len, shown), default=0) * k > 50
    size = "medium" if k <= 20 else "x-small"
    axis.set_ticks(range(k), shown, rotation=90 if is_turned else 0, fontsize=size)
    axis.set_tick_params(length=0)
    show_as_text(axis.get_ticklabels())


def _number_cells(ax: "Axes", image: "AxesImage", values: FloatArray) -> None:
    """Shares in percent; dark on light cells and light on dark ones."""
    colors = np.asarray(image.cmap(image.norm(values)))
    # Weights of the eye for red, green and blue.
    light = colors[..., :3] @ np.array([0.299, 0.587, 0.114])
    for (i, j), share in np.ndenumerate(values):
        if np.isfinite(share):
            color = "white" if light[i, j] < 0.55 else "#262626"
            ax.text(j, i, f"{share:.0%}", ha="center", va="center", color=color, fontsize=8)


def names_of(values: Any) -> list[Any]:
    """Classes, items or tags as Python objects, from an array or a list.

    Examples
    --------
    >>> names_of(np.array([1, 2])), names_of(("a", 1))
    ([1, 2], ['a', 1])
    """
    return listed(values) if isinstance(values, np.ndarray) else list(values)


def shortened(name: Any) -> str:
    """A name without its middle: long names often differ at the end.

    Examples
    --------
    >>> shortened("a very long name of a class")
    'a very lo… a class'
    """
    text = str(name)
    return text if len(text) <= _MAX_LETTERS else f"{text[:9]}…{text[-8:]}"
