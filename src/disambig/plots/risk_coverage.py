"""`RiskCoverageDisplay`: the share of wrong labels among the most confident rows."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disambig.metrics import risk_coverage_curve
from disambig.notation import FloatArray
from disambig.parameters import check_number
from disambig.plots.drawing import (
    REFERENCE_COLOR,
    curve_options,
    curves_on,
    format_axes,
    labelled,
)
from disambig.plots.judged_display import JudgedDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_RISK = "disambig risk"
# Below this coverage a curve may leave the axes; and the range of a curve that is zero throughout.
_FEW_ROWS, _FLAT = 0.1, 0.01
_HEADROOM = 1.5


class RiskCoverageDisplay(JudgedDisplay):
    """Share of wrong labels among the most confident share of rows, against that share.

    A curve that rises from zero belongs to a confidence that puts the wrong labels last. A flat
    curve belongs to one that says nothing about them. At the right end is the share of wrong labels
    among all rows. The axis is fitted to coverages from a tenth on: the shares of the first few
    rows jump, and may leave it. Use `from_predictions`, `from_estimator` or `from_recovered`; the
    constructor takes what they compute.

    Parameters
    ----------
    coverages : array (k,)
        Shares of rows, rising to 1.
    risks : array (k,)
        Shares of wrong labels among them.
    thresholds : array (k,)
        The lowest confidence among them.
    risk : float, optional
        A share of wrong labels to mark, with the largest coverage that keeps it.
    name : str, optional
        For the legend.

    Attributes
    ----------
    coverages, risks, thresholds, risk, name
        As given.
    ax_, figure_ : matplotlib Axes and Figure
    line_ : Line2D
    risk_line_ : Line2D or None
        The marked risk; None if none is given.
    point_ : Line2D or None
        The point of largest coverage at this risk; None if no risk is given or no row keeps it.

    Notes
    -----
    The marked coverage describes the drawn rows. It is no promise for other rows, because it was
    chosen on these.

    Examples
    --------
    Among the three most confident rows one of three labels is wrong.

    >>> from matplotlib.figure import Figure
    >>> from disambig.plots import RiskCoverageDisplay
    >>> confidence, is_right = [0.9, 0.8, 0.7, 0.6], [True, True, False, True]
    >>> ax = Figure().add_subplot()
    >>> display = RiskCoverageDisplay.from_predictions(confidence, is_right, risk=0.3, ax=ax)
    >>> display.coverages.tolist(), display.risks.round(2).tolist()
    ([0.25, 0.5, 0.75, 1.0], [0.0, 0.0, 0.33, 0.25])
    >>> display.coverage_at(0.3)
    1.0
    """

    def __init__(
        self,
        coverages: Any,
        risks: Any,
        thresholds: Any,
        *,
        risk: float | None = None,
        name: str | None = None,
    ) -> None:
        self.coverages: FloatArray = np.asarray(coverages, dtype=np.float64)
        self.risks: FloatArray = np.asarray(risks, dtype=np.float64)
        self.thresholds: FloatArray = np.asarray(thresholds, dtype=np.float64)
        self.risk = risk
        self.name = name

    @classmethod
    def from_predictions(
        cls,
        confidence: Any,
        is_right: Any,
        *,
        risk: float | None = None,
        sample_weight: Any = None,
        name: str | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> Self:
        """Draw rows whose confidence is known, and whether their label is right.

        Parameters
        ----------
        confidence : array-like (m,), from 0 to 1
            Rows of equal confidence are accepted together.
        is_right : array-like (m,) of bool
        risk : float, optional
            A share of wrong labels to mark.
        sample_weight : array-like (m,), optional
        name : str, optional
            For the legend.
        ax : matplotlib Axes, optional
            By default those of a new figure.
        **kwargs
            Options of `plot`.
        """
        if risk is not None:
            check_number(cls.__name__, "risk", risk, most=1.0)
        curve = risk_coverage_curve(confidence, is_right, sample_weight=sample_weight)
        return cls(*curve, risk=risk, name=name).plot(ax, **kwargs)

    def coverage_at(self, risk: float) -> float:
        """The largest share of rows with at most this share of wrong labels; 0 if there is none.

        Parameters
        ----------
        risk : float
            From 0 to 1.
        """
        point = self._point_at(risk)
        return 0.0 if point is None else float(self.coverages[point])

    def _point_at(self, risk: float) -> int | None:
        """The last point of the curve whose risk is at most this."""
        check_number(type(self).__name__, "risk", risk, most=1.0)
        kept = np.flatnonzero(self.risks <= risk)
        return int(kept[-1]) if len(kept) else None

    def plot(self, ax: "Axes | None" = None, *, name: str | None = None, **kwargs: Any) -> Self:
        """Draw the curve; several displays may share axes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            By default those of a new figure.
        name : str, optional
            For the legend; by default that of the display.
        **kwargs
            Options of ``Axes.plot`` for the curve.
        """
        point = None if self.risk is None else self._point_at(self.risk)
        ax = self._take_axes(ax)
        label = labelled(self.name if name is None else name, f"all rows: {self.risks[-1]:.3f}")
        # Hundreds of markers would hide the curve; one shows where it begins.
        options = curve_options(ax, label, kwargs, linewidth=2.0, markevery=[0])
        self.line_: Line2D = ax.plot(self.coverages, self.risks, **options)[0]
        self.risk_line_: Line2D | None = None
        self.point_: Line2D | None = None
        if self.risk is not None:
            self._mark(ax, self.risk, point)
        format_axes(ax, "share of rows, most confident first", "share of wrong labels")
        ax.set_xlim(-0.02, 1.02)
        _set_risk_range(ax)
        ax.legend(loc="upper left")
        return self

    def _mark(self, ax: "Axes", risk: float, point: int | None) -> None:
        """A line at the risk, and a marker where the curve is at or below it for the last time."""
        self.risk_line_ = ax.axhline(
            risk, color=REFERENCE_COLOR, linestyle="--", linewidth=1.2, zorder=2, gid=_RISK
        )
        if point is None:
            self.risk_line_.set_label(f"no rows at risk {risk:g}")
            return
        self.point_ = ax.plot(
            self.coverages[point], self.risks[point], "o", color=self.line_.get_color(),
            markersize=8, markerfacecolor="white", markeredgewidth=2, zorder=4, clip_on=False,
            label=f"{self.coverages[point]:.1%} of rows at risk {risk:g}\n"
            f"(confidence from {self.thresholds[point]:.3g})",
        )[0]  # fmt: skip


def _set_risk_range(ax: "Axes") -> None:
    """Risks from zero to the largest that is drawn at a coverage of a tenth or more.

    Shares of very few rows jump to one and would flatten the rest of all curves.
    """
    tops = [_FLAT]
    for line in curves_on(ax):
        coverages, risks = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        tops.append(float(risks[coverages >= _FEW_ROWS].max()))
    tops += [float(np.max(line.get_ydata())) for line in ax.lines if line.get_gid() == _RISK]
    # Above the curves the legend has its place.
    ax.set_ylim(-0.02 * max(tops), _HEADROOM * max(tops))
