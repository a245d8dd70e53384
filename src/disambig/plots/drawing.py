"""What all displays share: axes, colours, and the error if matplotlib is missing.

matplotlib is imported when something is drawn, not when this package is imported.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D
    from matplotlib.text import Text

# Distinguishable with all common kinds of colour vision, and in print by marker (Okabe and Ito).
STYLES = (
    ("#0072B2", "o"),
    ("#D55E00", "s"),
    ("#009E73", "^"),
    ("#CC79A7", "D"),
    ("#E69F00", "v"),
    ("#56B4E9", "P"),
)
# One is light and the other dark, so that they differ in black and white too.
RIGHT_COLOR, WRONG_COLOR = "#56B4E9", "#D55E00"
REFERENCE_COLOR = "#4D4D4D"
_GRID_COLOR = "#D9D9D9"
# Marks the curves of displays, so that the next one on the same axes gets another colour.
_CURVE = "disambig curve"


class Display(ABC):
    """What every display is: data that `plot` draws on axes.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        After `plot`.
    """

    ax_: "Axes"
    figure_: "Figure | SubFigure"

    @abstractmethod
    def plot(self, ax: "Axes | None" = None, **kwargs: Any) -> Self:
        """Draw on the axes."""

    def _take_axes(self, ax: "Axes | None") -> "Axes":
        """The axes to draw on, which are kept with their figure."""
        self.ax_ = axes_of(type(self).__name__, ax)
        self.figure_ = figure_of(self.ax_)
        return self.ax_


def axes_of(owner: str, ax: Any) -> "Axes":
    """`ax`, or the axes of a new figure of pyplot if it is None.

    pyplot is imported only for a new figure, so that with axes of the user nothing in it changes.

    Parameters
    ----------
    owner : str
        The display, for errors.
    ax : matplotlib Axes, or None
    """
    try:
        from matplotlib.axes import Axes
    except ModuleNotFoundError as error:
        # matplotlib is there, but a module that it imports is not: the original error says more.
        if error.name is not None and error.name.partition(".")[0] != "matplotlib":
            raise
        raise ImportError(
            f"{owner} draws with matplotlib, which is not installed. Run "
            '`pip install "disambig[plot]"` (from a checkout: `pip install ".[plot]"`).'
        ) from error
    if ax is None:
        from matplotlib import pyplot

        return pyplot.subplots(layout="constrained")[1]
    if not isinstance(ax, Axes):
        raise TypeError(
            f"{owner}: ax must be matplotlib Axes or None; got {type(ax).__name__}. Of several "
            "axes pass one, such as axes[0]; of a figure, figure.add_subplot()."
        )
    return ax


def figure_of(ax: "Axes") -> "Figure | SubFigure":
    """The figure of the axes; axes that were removed from theirs have none."""
    figure = ax.figure
    if figure is None:
        raise ValueError("ax has no figure: it was removed from it. Pass other axes, or None.")
    return figure


def curves_on(ax: "Axes") -> "list[Line2D]":
    """The curves that displays have drawn on the axes."""
    return [line for line in ax.lines if line.get_gid() == _CURVE]


def curve_options(
    ax: "Axes", label: str | None, given: dict[str, Any], **defaults: Any
) -> dict[str, Any]:
    """Options of the next curve on the axes: those of the user before ours.

    Parameters
    ----------
    ax : Axes
    label : str or None
        Its entry in the legend.
    given : dict
        Options of ``Axes.plot``, also by their short names, such as ``c`` for ``color``.
    **defaults
        Options of the display.
    """
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    color, marker = STYLES[len(curves_on(ax)) % len(STYLES)]
    ours = {"color": color, "marker": marker, "label": label, "zorder": 3, **defaults}
    return {**ours, **normalize_kwargs(given, Line2D), "gid": _CURVE}


def draw_once(ax: "Axes", gid: str) -> bool:
    """Whether a reference line is still to be drawn: no line on the axes has this mark."""
    return all(line.get_gid() != gid for line in ax.lines)


def format_axes(ax: "Axes", x_label: str, y_label: str) -> None:
    """Labels, a light grid behind the curves, and no frame above and on the right."""
    ax.set(xlabel=x_label, ylabel=y_label)
    ax.grid(color=_GRID_COLOR, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def show_as_text(texts: "Iterable[Text]") -> None:
    """Show names as they are: a name with dollar signs is no formula."""
    for text in texts:
        text.set_parse_math(False)


def labelled(name: str | None, value: str) -> str:
    """The entry of a legend: the name with a value, or the value alone.

    Examples
    --------
    >>> labelled("forest", "error 0.1"), labelled(None, "error 0.1")
    ('forest (error 0.1)', 'error 0.1')
    """
    return f"{name} ({value})" if name else value


def amount(value: float) -> str:
    """A number of rows, or a sum of weights, in a legend.

    Examples
    --------
    >>> amount(1200.0), amount(0.125)
    ('1200', '0.125')
    """
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.3g}"
