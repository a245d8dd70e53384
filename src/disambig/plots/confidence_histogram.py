"""`ConfidenceHistogramDisplay`: how many rows have which confidence."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disambig.metrics.confidence import checked_confidence, checked_outcomes
from disambig.metrics.scorer import row_weights
from disambig.notation import FloatArray
from disambig.parameters import check_integer, check_number
from disambig.plots.drawing import (
    REFERENCE_COLOR,
    RIGHT_COLOR,
    WRONG_COLOR,
    amount,
    format_axes,
)
from disambig.plots.judged_display import JudgedDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D

# The share of a bin that its bar covers.
_FILLED = 0.94


class ConfidenceHistogramDisplay(JudgedDisplay):
    """Rows by confidence; where the truth is known, right and wrong labels are stacked.

    Use `from_predictions`, `from_estimator` or `from_recovered`; the constructor takes what they
    compute.

    Parameters
    ----------
    edges : array (b + 1,)
        Ends of the bins.
    weight : array (b,)
        The number of rows in each bin, or their total weight.
    wrong_weight : array (b,), optional
        The same of the rows with a wrong label; None if the truth is unknown.
    resolve_at : float, optional
        A confidence to mark by a line, such as that from which rows count as resolved.
    weight_name : str, default "rows"
        What `weight` counts, for the axis.
    name : str, optional
        For the legend.

    Attributes
    ----------
    edges, weight, wrong_weight, resolve_at, weight_name, name
        As given.
    ax_, figure_ : matplotlib Axes and Figure
    bars_ : BarContainer
        The right labels, on top of the wrong ones; all rows if the truth is unknown.
    wrong_bars_ : BarContainer or None
        The wrong labels.
    resolve_line_ : Line2D or None

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from disambig.plots import ConfidenceHistogramDisplay
    >>> confidence, is_right = [0.1, 0.6, 0.7, 1.0], [False, True, False, True]
    >>> ax = Figure().add_subplot()
    >>> display = ConfidenceHistogramDisplay.from_predictions(
    ...     confidence, is_right, n_bins=2, resolve_at=0.9, ax=ax
    ... )
    >>> display.weight.tolist(), display.wrong_weight.tolist()
    ([1.0, 3.0], [1.0, 1.0])
    """

    def __init__(
        self,
        edges: Any,
        weight: Any,
        wrong_weight: Any = None,
        *,
        resolve_at: float | None = None,
        weight_name: str = "rows",
        name: str | None = None,
    ) -> None:
        self.edges: FloatArray = np.asarray(edges, dtype=np.float64)
        self.weight: FloatArray = np.asarray(weight, dtype=np.float64)
        self.wrong_weight: FloatArray | None = None
        if wrong_weight is not None:
            self.wrong_weight = np.asarray(wrong_weight, dtype=np.float64)
        self.resolve_at = resolve_at
        self.weight_name = weight_name
        self.name = name

    _needs_truth = False

    @classmethod
    def from_predictions(
        cls,
        confidence: Any,
        is_right: Any = None,
        *,
        n_bins: int = 20,
        resolve_at: float | None = None,
        sample_weight: Any = None,
        name: str | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw rows whose confidence is known, and perhaps whether their label is right.

        Parameters
        ----------
        confidence : array-like (m,), from 0 to 1
        is_right : array-like (m,) of bool, optional
        n_bins : int, default 20
            Bins of equal width from 0 to 1. A confidence at an edge is in the bin above it.
        resolve_at : float, optional
            A confidence to mark by a line.
        sample_weight : array-like (m,), optional
        name : str, optional
            For the legend.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of `plot`.
        """
        owner = cls.__name__
        n_bins = check_integer(owner, "n_bins", n_bins, least=1)
        if resolve_at is not None:
            check_number(owner, "resolve_at", resolve_at, most=1.0)
        values = checked_confidence(owner, confidence)
        weights = row_weights(sample_weight, len(values))
        # Rounding first: 0.29 * 100 is 28.999999999999996, but 0.29 begins a bin.
        bins = np.floor(np.round(values * n_bins, 9)).astype(np.intp).clip(max=n_bins - 1)
        weight = np.bincount(bins, weights, minlength=n_bins)
        wrong = None
        if is_right is not None:
            is_wrong = ~checked_outcomes(owner, is_right, len(values))
            wrong = np.bincount(bins, weights * is_wrong, minlength=n_bins)
        found = cls(
            np.linspace(0.0, 1.0, n_bins + 1), weight, wrong, resolve_at=resolve_at, name=name,
            weight_name="rows" if sample_weight is None else "weight of rows",
        )  # fmt: skip
        return found.plot(ax, **kwargs)

    def plot(self, ax: "Axes | None" = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the bars, and the line of `resolve_at`.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        name : str, optional
            For the legend; by default that of the display.
        **kwargs
            Options of ``Axes.bar`` for all bars, such as `alpha`.
        """
        ax = self._take_axes(ax)
        self.bars_: BarContainer
        self.wrong_bars_: BarContainer | None = None
        if self.wrong_weight is None:
            self.bars_ = self._bars(ax, self.weight, None, "all", RIGHT_COLOR, kwargs)
        else:
            # The wrong labels are few: they stand on the axis, where their numbers can be read.
            wrong = self.wrong_weight
            self.wrong_bars_ = self._bars(ax, wrong, None, "wrong", WRONG_COLOR, kwargs)
            # Sums of weights may differ in the last digit.
            right = np.maximum(self.weight - wrong, 0.0)
            self.bars_ = self._bars(ax, right, wrong, "right", RIGHT_COLOR, kwargs)
        self.resolve_line_: Line2D | None = None
        if self.resolve_at is not None:
            self.resolve_line_ = ax.axvline(
                self.resolve_at, color=REFERENCE_COLOR, linestyle="--", linewidth=1.5, zorder=3,
                label=f"resolved from {self.resolve_at:g} on",
            )  # fmt: skip
        format_axes(ax, "confidence", self.weight_name)
        ax.set_xlim(-0.02, 1.02)
        ax.legend(loc="best", title=self.name if name is None else name)
        return self

    def _bars(
        self,
        ax: "Axes",
        heights: FloatArray,
        bottom: FloatArray | None,
        what: str,
        color: str,
        given: dict[str, Any],
    ) -> "BarContainer":
        """Bars between the edges with small gaps, and their total in the legend."""
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.patches import Patch

        label = f"{what} ({amount(heights.sum())})"
        ours = {"color": color, "linewidth": 0, "zorder": 2, "label": label}
        options = {**ours, **normalize_kwargs(given, Patch)}
        centers = (self.edges[:-1] + self.edges[1:]) / 2
        widths = _FILLED * np.diff(self.edges)
        return ax.bar(centers, heights, widths, bottom, **options)
