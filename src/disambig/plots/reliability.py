"""`ReliabilityDisplay`: the share of right labels against the stated confidence."""

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from disambig.metrics import expected_calibration_error, reliability_curve
from disambig.notation import FloatArray
from disambig.parameters import check_flag
from disambig.plots.drawing import (
    REFERENCE_COLOR,
    amount,
    curve_options,
    curves_on,
    draw_once,
    format_axes,
    labelled,
)
from disambig.plots.judged_display import JudgedDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D

_DIAGONAL = "disambig diagonal"
# Below zero, where no share can be: a band for the number of rows in each bin.
_BAND_BOTTOM, _BAND_HEIGHT = -0.17, 0.13
_BAR_WIDTH = 0.022
# Areas of the points in square points: of a bin without rows, and what all rows would add.
_LEAST_AREA, _MORE_AREA = 20.0, 130.0


class ReliabilityDisplay(JudgedDisplay):
    """Share of right labels against mean confidence, one point a bin; on the diagonal: calibrated.

    Above the diagonal labels are right more often than stated, below it less often. The area of a
    point is the share of rows in its bin, and so is the bar below it; the number beside the highest
    bar says how many rows it stands for. Use `from_predictions`, `from_estimator` or
    `from_recovered`; the constructor takes what they compute.

    Parameters
    ----------
    mean_confidence, share_right : array (b,)
        Mean confidence and share of right labels in each bin that has rows.
    weight : array (b,)
        The number of rows in the bin, or their total weight.
    expected_calibration_error : float, optional
        For the legend; see `disambig.metrics.expected_calibration_error`.
    name : str, optional
        For the legend.

    Attributes
    ----------
    mean_confidence, share_right, weight, expected_calibration_error, name
        As given.
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D
    points_ : PathCollection
        The points, with areas by the shares of rows.
    bars_ : BarContainer or None
        The numbers of rows; None if they are not drawn.

    Examples
    --------
    Two of three labels that are stated with confidence .9 are right.

    >>> from matplotlib.figure import Figure
    >>> from disambig.plots import ReliabilityDisplay
    >>> confidence, is_right = [0.9, 0.9, 0.9, 0.3], [True, True, False, False]
    >>> ax = Figure().add_subplot()
    >>> display = ReliabilityDisplay.from_predictions(confidence, is_right, ax=ax)
    >>> display.share_right.round(2).tolist(), display.weight.tolist()
    ([0.0, 0.67], [1.0, 3.0])
    >>> round(display.expected_calibration_error, 2)
    0.25
    """

    def __init__(
        self,
        mean_confidence: Any,
        share_right: Any,
        weight: Any,
        *,
        expected_calibration_error: float | None = None,
        name: str | None = None,
    ) -> None:
        self.mean_confidence: FloatArray = np.asarray(mean_confidence, dtype=np.float64)
        self.share_right: FloatArray = np.asarray(share_right, dtype=np.float64)
        self.weight: FloatArray = np.asarray(weight, dtype=np.float64)
        self.expected_calibration_error = expected_calibration_error
        self.name = name

    @classmethod
    def from_predictions(
        cls,
        confidence: Any,
        is_right: Any,
        *,
        n_bins: int = 10,
        strategy: Literal["uniform", "quantile"] = "uniform",
        sample_weight: Any = None,
        name: str | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw rows whose confidence is known, and whether their label is right.

        Parameters
        ----------
        confidence : array-like (m,), from 0 to 1
        is_right : array-like (m,) of bool
        n_bins : int, default 10
        strategy : {"uniform", "quantile"}, default "uniform"
            Bins of equal width, or of about equal weight. The expected calibration error is
            always that of bins of equal width.
        sample_weight : array-like (m,), optional
        name : str, optional
            For the legend.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of `plot`.
        """
        curve = reliability_curve(
            confidence, is_right, n_bins=n_bins, strategy=strategy, sample_weight=sample_weight
        )
        error = expected_calibration_error(
            confidence, is_right, n_bins=n_bins, sample_weight=sample_weight
        )
        return cls(*curve, expected_calibration_error=error, name=name).plot(ax, **kwargs)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        name: str | None = None,
        ref_line: bool = True,
        show_counts: bool = True,
        **kwargs: Any,
    ) -> Self:
        """Draw the curve; several displays may share axes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        name : str, optional
            For the legend; by default that of the display.
        ref_line : bool, default True
            Whether to draw the diagonal.
        show_counts : bool, default True
            Whether to draw the numbers of rows as bars at the bottom.
        **kwargs
            Options of ``Axes.plot`` for the curve.
        """
        owner = type(self).__name__
        check_flag(owner, "ref_line", ref_line)
        check_flag(owner, "show_counts", show_counts)
        ax = self._take_axes(ax)
        label = self._label(self.name if name is None else name)
        options = curve_options(ax, label, kwargs, linewidth=1.5, markersize=4)
        if ref_line and draw_once(ax, _DIAGONAL):
            ax.plot(
                [0, 1], [0, 1], "--", color=REFERENCE_COLOR, linewidth=1.2, gid=_DIAGONAL, zorder=2,
                label="calibrated",
            )  # fmt: skip
        self.line_: Line2D = ax.plot(self.mean_confidence, self.share_right, **options)[0]
        self.points_: PathCollection = self._draw_points(ax)
        self.bars_: BarContainer | None = None
        if show_counts:
            self.bars_ = self._draw_counts(ax)
        format_axes(ax, "confidence", "share of right labels")
        _set_ranges(ax, show_counts)
        ax.legend(loc="best")
        return self

    def _label(self, name: str | None) -> str | None:
        error = self.expected_calibration_error
        if error is None:
            return name
        return labelled(name, f"calibration error {error:.3f}")

    def _draw_points(self, ax: "Axes") -> "PathCollection":
        """The points, in the look of the curve, with areas by the weights of their bins."""
        areas = _LEAST_AREA + _MORE_AREA * self.weight / self.weight.sum()
        return ax.scatter(
            self.mean_confidence, self.share_right, areas, color=self.line_.get_color(),
            marker=_marker(self.line_), linewidth=0, zorder=4, clip_on=False,
        )  # fmt: skip

    def _draw_counts(self, ax: "Axes") -> "BarContainer":
        """Bars below zero, as high as the share of the largest bin; its number stands beside it."""
        from matplotlib.patheffects import withStroke

        color = self.line_.get_color()
        largest = int(np.argmax(self.weight))
        bars = ax.bar(
            self.mean_confidence, _BAND_HEIGHT * self.weight / self.weight[largest], _BAR_WIDTH,
            _BAND_BOTTOM, color=color, alpha=0.6, linewidth=0, zorder=2,
        )  # fmt: skip
        # The numbers of several displays stand below each other.
        lines_above = len(curves_on(ax)) - 1
        ax.annotate(
            amount(self.weight[largest]),
            (self.mean_confidence[largest] - _BAR_WIDTH / 2, _BAND_BOTTOM + _BAND_HEIGHT),
            xytext=(-3, -11 * lines_above), textcoords="offset points", ha="right", va="top",
            fontsize="small", color=color, zorder=5,
            path_effects=[withStroke(linewidth=3, foreground="white")],
        )  # fmt: skip
        return bars


def _set_ranges(ax: "Axes", show_counts: bool) -> None:
    """The unit square, and below it the band if this or an earlier display drew counts."""
    ticks = np.linspace(0, 1, 6)
    has_band = show_counts or ax.get_ylim()[0] == _BAND_BOTTOM
    ax.set_xlim(-0.02, 1.02)
    ax.set_xticks(ticks)
    ax.set_ylim(_BAND_BOTTOM if has_band else -0.02, 1.04)
    names = [f"{tick:.1f}" for tick in ticks]
    if has_band:
        ax.set_yticks([_BAND_BOTTOM + _BAND_HEIGHT / 2, *ticks], ["rows", *names])
    else:
        ax.set_yticks(ticks, names)


def _marker(line: "Line2D") -> Any:
    """The marker of the curve; a dot if the user chose a curve without."""
    marker = line.get_marker()
    return "o" if marker in (None, "", " ", "None", "none") else marker
